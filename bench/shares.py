"""The share of real records that have a title, a person, a year, a type, a language and an institution.

`python -m bench.shares measure FOLDER > before.json` reads every OAI-PMH response and every single record
under a folder (plain or gzip) with the readers of this version, source by source; institutions come from
sets as well, which are looked at repository by repository. `python -m bench.shares compare before.json
after.json` prints two such measurements side by side as a Markdown table, and the classes of records that
have no title. A change of a reader is judged by what it does to this table.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lxml import etree

from windrow.errors import BadXml, NotOai
from windrow.formats.marc.iso2709 import marcxml_of, records_of
from windrow.formats.registry import read
from windrow.model.document import Document
from windrow.model.set_assignment import SetRoles
from windrow.model.set_layouts import SetTree
from windrow.protocols.oai.page_parser import parse_page

FOLDERS = ("oai", "oai-bulk", "records")
FIELDS = ("title", "person", "year", "type", "language", "institution")
MOST_EXAMPLES = 3
_OAI_RECORDS = tuple(f"{{http://www.openarchives.org/OAI/{version}}}record" for version in ("2.0/", "2.0"))
_NO_RECORDS = frozenset(("OAI-PMH", "html", "Response", "Configuration"))
# Roots that hold several records of a format; everything else is one record.
_COLLECTIONS = frozenset(("collection", "lidoWrap", "ListRecords", "modsCollection"))
_PARSER = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=True)


@dataclass(frozen=True, slots=True)
class Sample:
    """One record of a file: its payload, the namespace declarations in scope, its identifier, its format."""

    payload: bytes
    declarations: bytes
    identifier: str
    format: str
    sets: tuple[str, ...] = ()


@dataclass(slots=True)
class Share:
    """Counts over the records of one source in one format."""

    records: int = 0
    having: Counter[str] = field(default_factory=Counter)
    untitled: list[str] = field(default_factory=list)  # examples
    # Records whose metadata names no institution, by repository and by their sets.
    unassigned: Counter[tuple[str, tuple[str, ...]]] = field(default_factory=Counter)

    def add(self, document: Document, sample: Sample, example: str) -> None:
        """Count one document."""
        self.records += 1
        self.having.update(fields_of(document))
        if document.institution is None and sample.sets:
            self.unassigned[repository_of(sample.identifier), sample.sets] += 1
        if not document.titles and len(self.untitled) < MOST_EXAMPLES:
            self.untitled.append(example)


def fields_of(document: Document) -> Iterator[str]:
    """Yield the names of the fields that are measured and that the document has."""
    if document.titles:
        yield "title"
    if document.creators or document.contributors:
        yield "person"
    if document.year is not None:
        yield "year"
    if document.types:
        yield "type"
    if document.languages:
        yield "language"
    if document.institution is not None:
        yield "institution"


def repository_of(identifier: str) -> str:
    """Return the part of an OAI identifier that names its repository: `oai:host`."""
    return ":".join(identifier.split(":")[:2]) if identifier.startswith("oai:") else ""


def measure(folder: Path, *, every: int = 1) -> dict[str, Share]:
    """Return the shares of every source under a folder, by "folder/origin format".

    Of whole repositories (oai-bulk) only one file in `every` is read: they are large and much alike.
    """
    shares: dict[str, Share] = {}
    combinations: dict[tuple[str, str], set[tuple[str, ...]]] = {}
    for name in FOLDERS:
        paths = sorted(path for path in (folder / name).rglob("*") if path.is_file())
        for path in paths[:: every if name == "oai-bulk" else 1]:
            origin = "/".join(path.relative_to(folder).parts[:2])
            for sample in samples_in(path):
                share = shares.setdefault(f"{origin} {sample.format}", Share())
                example = f"{path.relative_to(folder)}: {sample.identifier}"
                share.add(read(sample.payload, sample.declarations, ""), sample, example)
                repository = (origin, repository_of(sample.identifier))
                combinations.setdefault(repository, set()).add(sample.sets)
    roles = {repository: SetRoles(SetTree([], sorted(found))) for repository, found in combinations.items()}
    for label, share in shares.items():
        origin = label.split(" ")[0]
        for (host, sets), count in share.unassigned.items():
            if any(unit.institution for unit in roles[origin, host].assign(sets).units):
                share.having["institution"] += count
    return shares


def samples_in(path: Path) -> Iterator[Sample]:
    """Yield the records of a file: those of an OAI-PMH response, or those of a file of records."""
    raw = path.read_bytes()
    if path.suffix == ".mrc":
        for number, each in enumerate(records_of(raw)):
            yield Sample(etree.tostring(marcxml_of(each)), b"", f"record {number + 1}", "iso2709")
        return
    try:
        body = gzip.decompress(raw) if path.suffix == ".gz" else raw
    except (OSError, EOFError, zlib.error):
        body = raw
    try:
        page = parse_page(body)
    except (BadXml, NotOai):
        yield from _single_records(body)
        return
    for record in page.records:
        if record.payload is not None and not record.is_deleted:
            label = format_of(record.payload)
            yield Sample(record.payload, record.declarations, record.identifier, label, tuple(record.sets))


def format_of(payload: bytes) -> str:
    """Return the root element's name without its prefix, cheaply: enough to label a row of the table."""
    start = payload.find(b"<") + 1
    while payload[start : start + 1] in (b"?", b"!"):
        start = payload.find(b"<", start) + 1
    words = payload[start : start + 200].replace(b">", b" ").replace(b"/", b" ").split()
    return words[0].decode("utf-8", "replace").rpartition(":")[2] if start and words else "text"


def _single_records(body: bytes) -> Iterator[Sample]:
    try:
        root = etree.fromstring(body, _PARSER)
    except (etree.XMLSyntaxError, ValueError):
        return
    if etree.QName(root).localname in _NO_RECORDS:
        return
    for number, record in enumerate(_records_under(root)):
        payload = etree.tostring(record, with_tail=False, encoding="utf-8")
        yield Sample(payload, b"", f"record {number + 1}", etree.QName(record).localname)


def _records_under(root: etree._Element) -> Iterator[etree._Element]:
    """Yield the descriptions in a file that is no OAI-PMH response, without the OAI envelope where one is."""
    name = etree.QName(root).localname
    records = list(root.iter(*_OAI_RECORDS)) or (list(root) if name in _COLLECTIONS else [root])
    for record in records:
        metadata = record.find("{*}metadata") if record.tag in _OAI_RECORDS else None
        if metadata is not None:
            yield from (child for child in metadata if isinstance(child.tag, str))
        elif isinstance(record.tag, str) and record.tag not in _OAI_RECORDS:
            yield record


def compare(before: dict[str, Any], after: dict[str, Any]) -> Iterator[str]:
    """Yield the lines of a Markdown table of two measurements, the largest sources first."""
    yield "| source, format | records | " + " | ".join(FIELDS) + " |"
    yield "|---|--:|" + "--:|" * len(FIELDS)
    yield _row("**all**", _total(before.values()), _total(after.values()))
    for label in sorted(after, key=lambda label: (-after[label]["records"], label)):
        yield _row(label, before.get(label), after[label])
    yield ""
    yield "Without a title:"
    yield ""
    for label, share in sorted(after.items(), key=lambda item: -_missing(item[1])):
        if _missing(share):
            yield f"- {label}: {_missing(share)} of {share['records']}, e.g. `{share['untitled'][0]}`"


def _row(label: str, before: dict[str, Any] | None, after: dict[str, Any]) -> str:
    cells = [_cell(name, before, after) for name in FIELDS]
    return f"| {label} | {after['records']} | " + " | ".join(cells) + " |"


def _cell(name: str, before: dict[str, Any] | None, after: dict[str, Any]) -> str:
    now = _percent(after, name)
    then = _percent(before, name) if before is not None else "–"
    return now if now == then else f"{then} → {now}"


def _percent(share: dict[str, Any], name: str) -> str:
    return f"{100 * share['having'].get(name, 0) / max(share['records'], 1):.1f}".removesuffix(".0")


def _missing(share: dict[str, Any]) -> int:
    return int(share["records"]) - int(share["having"].get("title", 0))


def _total(shares: Iterable[dict[str, Any]]) -> dict[str, Any]:
    records, having = 0, Counter[str]()
    for share in shares:
        records += share["records"]
        having.update(share["having"])
    return {"records": records, "having": having}


def main(arguments: list[str]) -> int:
    """Measure a folder, or compare two measurements."""
    parser = argparse.ArgumentParser(prog="python -m bench.shares", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("measure").add_argument("folder", type=Path)
    comparing = commands.add_parser("compare")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    options = parser.parse_args(arguments)
    if options.command == "measure":
        shares = measure(options.folder)
        json.dump(
            {
                label: {"records": share.records, "having": share.having, "untitled": share.untitled}
                for label, share in shares.items()
            },
            sys.stdout,
            indent=1,
            ensure_ascii=False,
        )
        return 0
    before, after = (json.loads(path.read_bytes()) for path in (options.before, options.after))
    for line in compare(before, after):
        print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
