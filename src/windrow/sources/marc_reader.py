"""Files of MARC records as a source: finds the files and yields each record as MARCXML.

A file contains concatenated records in ISO 2709, or MARCXML; its first byte shows which. It is streamed,
whatever its size. A record is identified by its control number (field 001, after the code of field 003 if
there is one) and dated by field 005. Of two records with the same number, the one in the file whose name
sorts last wins: exports have their date in their names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO
from urllib.parse import quote

from lxml import etree

from windrow.errors import UpstreamError
from windrow.formats.mapping.xml_records import local_name
from windrow.formats.marc.iso2709 import RECORD_END, is_record, marcxml_of
from windrow.formats.marc.marcxml import NAMESPACE
from windrow.model.record import Record, Reject

ENDINGS = frozenset((".mrc", ".marc", ".mrc21", ".marc21", ".iso", ".iso2709", ".dat", ".xml", ".marcxml"))
MAX_RECORD_BYTES = 10_000_000
MAX_FILES = 100_000
_CHUNK_BYTES = 1 << 20
_RECORD = f"{{{NAMESPACE}}}record"
_STAMP = re.compile(r"\d{14}(?:\.\d)?")
_BETWEEN = b" \r\n\t\x00\x1a"  # separators that exports put between records and after the last one
_DELETED = "d"


@dataclass(slots=True)
class MarcFiles:
    """Reads the records of a file, or of all files in a folder, and counts problems."""

    path: Path
    address: str  # prefix of record identifiers
    files: int = 0
    repeated: int = 0  # records whose number another one has
    troubles: list[str] = field(default_factory=list)  # why some records were not read
    names: set[str] = field(default_factory=set)  # of the records read so far

    def read(self) -> Iterator[Record | Reject]:
        """Yield the records, and rejects for invalid ones. Raises UpstreamError if there are no files."""
        for file in self.listed():
            self.files += 1
            try:
                yield from self._read_file(file)
            except OSError as exc:
                self.troubles.append(f"{file.name} cannot be read: {exc.strerror or exc}")

    def listed(self) -> list[Path]:
        """Return the files, the ones that take precedence first."""
        try:
            if self.path.is_file():
                return [self.path]
            found = [
                each
                for each in self.path.rglob("*")
                if each.suffix.lower() in ENDINGS and not each.name.startswith(".") and each.is_file()
            ]
        except OSError as exc:
            raise UpstreamError(f"{self.path} cannot be read: {exc.strerror or exc}") from exc
        if not found or len(found) > MAX_FILES:
            words = "has no files of MARC records" if not found else f"has more than {MAX_FILES:,} files"
            known = ", ".join(sorted(ENDINGS))
            raise UpstreamError(f"{self.path} {words}", hint=f"Looked for {known}, in sub-folders as well.")
        return sorted(found, reverse=True)

    def _read_file(self, path: Path) -> Iterator[Record | Reject]:
        changed = datetime.fromtimestamp(path.stat().st_mtime, UTC)
        with path.open("rb") as file:
            is_xml = file.read(64).lstrip(b"\xef\xbb\xbf" + _BETWEEN).startswith(b"<")
            file.seek(0)
            found = _xml_records(file) if is_xml else _iso_records(file)
            try:
                for number, each in enumerate(found, start=1):
                    yield from self._taken(each, f"{path.name}, record {number}", changed)
            except _Broken as exc:
                self.troubles.append(f"{path.name} {exc}")

    def _taken(
        self, element: etree._Element | bytes, place: str, changed: datetime
    ) -> Iterator[Record | Reject]:
        if isinstance(element, bytes):
            yield Reject(f"{place}: no record in ISO 2709", element[:MAX_RECORD_BYTES])
            return
        payload = etree.tostring(element, encoding="utf-8", with_tail=False)
        number = _control(element, "001")
        if not number:
            yield Reject(f"{place}: no control number (field 001)", payload)
            return
        agency = _control(element, "003")
        name = f"{self.address}:{quote(f'{agency}-{number}' if agency else number, safe='')}"
        if name in self.names:
            self.repeated += 1
            return
        self.names.add(name)
        stamp = _stamp(_control(element, "005"), changed)
        leader = element.findtext(f"{{{NAMESPACE}}}leader") or ""
        is_deleted = leader[5:6] == _DELETED
        yield Record(name, stamp, (), is_deleted, None if is_deleted else payload)


class _Broken(Exception):
    """A file that is truncated or damaged."""


def _iso_records(file: BinaryIO) -> Iterator[etree._Element | bytes]:
    """Yield the records of a file in ISO 2709; bytes for invalid ones."""
    rest, found = b"", 0
    while chunk := file.read(_CHUNK_BYTES):
        *pieces, rest = (rest + chunk).split(RECORD_END)
        for piece in pieces:
            record = piece.lstrip(_BETWEEN)
            found += bool(record)
            if is_record(record):
                yield marcxml_of(record)
            elif record:
                yield record
        if len(rest) > MAX_RECORD_BYTES:
            raise _Broken("holds no records in ISO 2709: nothing ends one")
    if rest.strip(_BETWEEN):
        raise _Broken("ends within a record: it may not have been written to its end")
    if not found:
        raise _Broken("holds no MARC records")


def _xml_records(file: BinaryIO) -> Iterator[etree._Element]:
    """Yield the records of a MARCXML file, each freed when the next is requested."""
    found = 0
    try:
        for _, element in etree.iterparse(file, resolve_entities=False, no_network=True, load_dtd=False):
            if local_name(element) != "record":
                continue
            found += 1
            yield element if element.tag == _RECORD else _in_namespace(element)
            element.clear()
            while element.getprevious() is not None and element.getparent() is not None:
                del element.getparent()[0]
    except etree.XMLSyntaxError as exc:
        raise _Broken(f"is no well-formed XML: {exc}") from exc
    if not found:
        raise _Broken("holds no MARC records")


def _in_namespace(record: etree._Element) -> etree._Element:
    """Return a record of another namespace, or of none, in that of MARCXML."""
    made = deepcopy(record)
    for part in made.iter(etree.Element):
        part.tag = f"{{{NAMESPACE}}}{local_name(part).rpartition(':')[2]}"  # the prefix may be undeclared
    return made


def _control(record: etree._Element, tag: str) -> str:
    found = record.find(f"{{{NAMESPACE}}}controlfield[@tag='{tag}']")
    return "" if found is None else " ".join((found.text or "").split())


def _stamp(said: str, changed: datetime) -> str:
    """Return when a record was changed: from its field 005, else from its file."""
    if _STAMP.fullmatch(said):
        with suppress(ValueError):
            changed = min(datetime.strptime(said[:14], "%Y%m%d%H%M%S").replace(tzinfo=UTC), changed)
    return f"{changed:%Y-%m-%dT%H:%M:%SZ}"
