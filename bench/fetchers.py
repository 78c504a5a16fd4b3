"""Who brings a web site home: wget file by file, and harvesters of the same folder as a repository.

Each has a baseline and an update, leaves what it found in its folder, and is checked against the files
themselves before its time counts.
"""

from __future__ import annotations

import base64
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from lxml import etree

from bench import website, windrow
from bench.contestants import difference
from bench.website_server import SEED

RESOURCE = "{urn:mpeg:mpeg21:2002:02-DIDL-NS}Resource"
WGET = "wget -r -N"
WGET_HEAD = "wget -r -N --no-if-modified-since"


@dataclass(frozen=True, slots=True)
class Truth:
    """What is right: every file's fingerprint now, and which ones changed since the baseline."""

    hashes: Mapping[str, str]
    changed: AbstractSet[str]


@dataclass(frozen=True, slots=True)
class Fetcher:
    """Somebody who fetches the site; asks nginx where `is_web`, else the repository.

    `prepare` is called once, untimed, before the baseline. `copies` names another one whose baseline is
    the same, and taken over. `check` gets the truth and says what is wrong, or nothing.
    """

    name: str
    is_web: bool
    prepare: Callable[[str, Path], None]
    command: Callable[[str, Path], Sequence[str]]
    check: Callable[[Path, Truth], str]
    absent: str = ""
    copies: str = ""


def everybody() -> list[Fetcher]:
    """Give wget, today's way and with a HEAD before each GET, then the harvesters from little to much."""
    lacking = "" if shutil.which("wget") else "not installed"
    return [
        Fetcher(WGET, True, _nothing, _wget(), _check_files, lacking),
        Fetcher(
            WGET_HEAD, True, _nothing, _wget("--no-if-modified-since"), _check_files, lacking, copies=WGET
        ),
        Fetcher("ListIdentifiers", False, _nothing, _list_identifiers, _check_identifiers, windrow.absent()),
        _harvest("oai_dc", _check_library),
        _harvest("oai_didl", _check_values),
    ]


def home_page_crawl(url: str, folder: Path) -> list[str]:
    """Give the command that follows links from the home page, with no list to help it."""
    return [*_wget_line(folder), f"{url}/"]


def found(folder: Path) -> int:
    """Count the files of the site that wget left in a folder."""
    return sum(path.is_file() and path.name != Path(SEED).name for path in (folder / "site").rglob("*"))


def _wget(*options: str) -> Callable[[str, Path], Sequence[str]]:
    return lambda url, folder: [*_wget_line(folder), *options, url + SEED]


def _wget_line(folder: Path) -> list[str]:
    return ["wget", "-q", "-r", "-l", "inf", "-N", "-nH", "-P", str(folder / "site")]


def _list_identifiers(url: str, folder: Path) -> Sequence[str]:
    return [sys.executable, "-m", "bench.walk", url, str(folder / "identifiers")]


def _harvest(prefix: str, check: Callable[[Path, Truth], str]) -> Fetcher:
    return Fetcher(
        f"windrow harvest, {prefix}" + (" by value" if prefix == "oai_didl" else ""),
        False,
        lambda url, folder: windrow.make(folder / "library", url, prefix=prefix),
        lambda _url, folder: windrow.command(folder / "library", "harvest", "--json"),
        check,
        windrow.absent(),
    )


def _nothing(_url: str, _folder: Path) -> None:
    """Nothing to prepare."""


def _check_files(folder: Path, truth: Truth) -> str:
    root = folder / "site"
    wrong = sum(_fingerprint(root / path) != right for path, right in truth.hashes.items())
    return f"LOST {wrong:,}" if wrong else ""


def _fingerprint(path: Path) -> str:
    return website.sha256(path.read_bytes()) if path.is_file() else ""


def _check_identifiers(folder: Path, truth: Truth) -> str:
    listed = (folder / "identifiers").read_text(encoding="utf-8").splitlines()
    return difference(map(identifier, truth.changed), listed)


def _check_library(folder: Path, truth: Truth) -> str:
    library = folder / "library"
    lacking = len(truth.changed) - windrow.changed(library)
    fault = difference(map(identifier, truth.hashes), windrow.identifiers(library))
    return fault or (f"{lacking:,} CHANGES MISSED" if lacking else "")


def _check_values(folder: Path, truth: Truth) -> str:
    exported = folder / "records.xml"
    line = ("export", "--format", "xml", "--metadata", "oai_didl", "--output", str(exported))
    windrow.setup(windrow.command(folder / "library", *line))
    right = {identifier(path): value for path, value in truth.hashes.items()}
    for _event, record in etree.iterparse(exported, events=("end",), tag="record", huge_tree=True):
        if right.get(record.get("identifier", "")) == _value(record):
            del right[record.get("identifier", "")]
        record.clear()
    exported.unlink()
    return f"LOST {len(right):,}" if right else _check_library(folder, truth)


def _value(record: etree._Element) -> str:
    for resource in record.iter(RESOURCE):
        if resource.get("encoding") == "base64":
            return website.sha256(base64.b64decode(resource.text or ""))
    return ""


def identifier(path: str) -> str:
    """Give the identifier of a file: where the web server shows it."""
    return website.PUBLIC_URL + quote(path)
