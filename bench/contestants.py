"""Who takes part in a harvest: Windrow as users run it, the peers, and curl as the limit of wire and disk.

Each gives every record of the served site and is checked against the truth before its time counts.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path

from bench import windrow
from bench.measure import Contestant
from bench.nginx import Served
from bench.pages import token

PEERS = Path(__file__).with_name("peers")
SICKLE = "Sickle, records"
CURL_LIMIT = "curl limit"
# Dublin Core's own identifiers carry a prefix, so a bare one is the header's.
HEADER_IDENTIFIER = re.compile(rb"<identifier>([^<]{1,500})</identifier>")


def harvesters(served: Served) -> list[Contestant]:
    """Give everybody, Windrow first and the limit last."""
    return [
        _windrow(served),
        _python(served, SICKLE, "sickle_records.py", needs="sickle"),
        _python(served, "Sickle, whole responses", "sickle_responses.py", needs="sickle"),
        _python(served, "oaipmh-scythe", "scythe_records.py", needs="oaipmh_scythe"),
        _python(served, "pyoai", "pyoai_records.py", needs="oaipmh", read=_from_json),
        _script(served, "wget loop", ["sh", str(PEERS / "wget_loop.sh")], needs="wget"),
        _perl(served),
        _curl_limit(served),
    ]


def windrow_and_sickle(served: Served) -> list[Contestant]:
    """Give the two that the ratios in docs/explain/speed.md are about."""
    return [_windrow(served), _python(served, SICKLE, "sickle_records.py", needs="sickle")]


def difference(truth: Iterable[str], found: Iterable[str]) -> str:
    """Say what is wrong with a harvest, records lost or records too many; nothing when it is whole."""
    wanted = set(truth)
    strange = 0
    for identifier in found:
        if identifier in wanted:
            wanted.remove(identifier)
        else:
            strange += 1
    if wanted:
        return f"LOST {len(wanted)}"
    return f"EXTRA {strange}" if strange else ""


def _windrow(served: Served) -> Contestant:
    def prepare(folder: Path) -> Sequence[str]:
        windrow.make(folder / "library", served.url)
        return windrow.command(folder / "library", "harvest", "--json")

    def check(folder: Path) -> str:
        return difference(served.site.identifiers(), windrow.identifiers(folder / "library"))

    return Contestant("Windrow", prepare, check, windrow.absent())


def _python(
    served: Served, name: str, script: str, *, needs: str, read: Callable[[Path], Iterator[str]] | None = None
) -> Contestant:
    absent = "" if find_spec(needs) else "not installed"
    command = [sys.executable, str(PEERS / script)]
    return _peer(served, name, command, absent=absent, read=read or _from_xml)


def _script(served: Served, name: str, command: list[str], *, needs: str) -> Contestant:
    absent = "" if shutil.which(needs) else "not installed"
    return _peer(served, name, command, absent=absent, read=_from_xml)


def _peer(
    served: Served, name: str, command: list[str], *, absent: str, read: Callable[[Path], Iterator[str]]
) -> Contestant:
    return Contestant(
        name,
        prepare=lambda folder: [*command, served.url, str(folder / "records")],
        check=lambda folder: difference(served.site.identifiers(), read(folder / "records")),
        absent=absent,
    )


def _perl(served: Served) -> Contestant:
    # Never asked for, only used where it is: a run takes minutes.
    probe = ["perl", "-MHTTP::OAI", "-e", "1"]
    is_there = (
        bool(shutil.which("perl")) and not subprocess.run(probe, capture_output=True, check=False).returncode
    )
    command = ["perl", str(PEERS / "http_oai.pl")]
    absent = "" if is_there else "not installed"
    return _peer(served, "HTTP::OAI (Perl)", command, absent=absent, read=_from_xml)


def _curl_limit(served: Served) -> Contestant:
    def prepare(folder: Path) -> Sequence[str]:
        tokens = (f"resumptionToken={token(page)}" for page in range(1, served.site.pages))
        queries = ("metadataPrefix=oai_dc", *tokens)
        lines = (f'url = "{served.url}?verb=ListRecords&{query}"\n' for query in queries)
        (folder / "urls").write_text("".join(lines))
        return ["sh", str(PEERS / "curl_limit.sh"), str(folder / "urls"), str(folder / "records")]

    def check(folder: Path) -> str:
        return difference(served.site.identifiers(), _from_xml(folder / "records"))

    return Contestant(CURL_LIMIT, prepare, check, "" if shutil.which("curl") else "not installed")


def _from_xml(records: Path) -> Iterator[str]:
    with records.open("rb") as lines:
        for line in lines:
            for found in HEADER_IDENTIFIER.finditer(line):
                yield found[1].decode()


def _from_json(records: Path) -> Iterator[str]:
    with records.open("rb") as lines:
        for line in lines:
            yield json.loads(line)["identifier"]
