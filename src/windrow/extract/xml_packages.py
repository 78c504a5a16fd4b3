"""Zip packages of XML (Office, OpenDocument, EPUB), read part by part within limits.

Part names are only looked up, never used as paths. XML is parsed without entities, DTDs or network access.
"""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from typing import BinaryIO

from lxml import etree

from windrow.extract.reading_job import Unreadable

MAX_PARTS = 20_000
MAX_PART_BYTES = 64 * 1024 * 1024  # of one part, unpacked
MAX_PACKAGE_BYTES = 256 * 1024 * 1024  # of all parts that are read
_ENCRYPTED = 0x1
_CHUNK = 1 << 20


class Package:
    """One open package."""

    def __init__(self, file: BinaryIO) -> None:
        try:
            self._zip = zipfile.ZipFile(file)
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as exc:
            raise Unreadable("it is broken: it is cut short, or no archive of parts") from exc
        infos = self._zip.infolist()
        if len(infos) > MAX_PARTS:
            raise Unreadable(f"it has more than {MAX_PARTS:,} parts")
        self._infos = {info.filename: info for info in infos}
        self._left = MAX_PACKAGE_BYTES

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._infos)

    def part(self, name: str) -> bytes | None:
        """Return a part; None if it does not exist."""
        info = self._infos.get(name)
        if info is None:
            return None
        if info.flag_bits & _ENCRYPTED:
            raise Unreadable("it is encrypted: it needs a password")
        most = min(MAX_PART_BYTES, self._left)
        try:
            with self._zip.open(info) as part:
                data = part.read(most + 1)
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError) as exc:
            raise Unreadable(f"its part {name[:100]} is broken: {exc}") from exc
        if len(data) > most:
            raise Unreadable(f"its part {name[:100]} unpacks to more than {most // 1_000_000:,} MB")
        self._left -= len(data)
        return data

    def tree(self, name: str) -> etree._Element | None:
        """Return a part parsed as XML; None if it does not exist or is not XML."""
        data = self.part(name)
        return None if data is None else parse_xml(data)


def parse_xml(data: bytes) -> etree._Element | None:
    """Parse untrusted XML without expanding or fetching anything; None if it is unusable."""
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        recover=True,
        huge_tree=False,
        remove_pis=True,
    )
    try:
        return etree.fromstring(data, parser)
    except etree.XMLSyntaxError as exc:
        if getattr(exc, "code", None) == etree.ErrorTypes.ERR_NO_MEMORY:
            raise MemoryError from exc
        return None
    except ValueError:
        return None


def local_name(element: etree._Element) -> str:
    """Return the name of an element without its namespace; "" for comments and the like."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def element_text(element: etree._Element | None) -> str:
    """Return all text in an element on one line.

    Comments and entities, which lxml lists as elements, have none.
    """
    if element is None or not isinstance(element.tag, str):
        return ""
    return " ".join("".join(map(str, element.itertext())).split())


def walk_elements(root: etree._Element) -> Iterator[tuple[bool, etree._Element]]:
    """Yield every element twice: at its start (True) and at its end. Depth costs no stack."""
    for event, element in etree.iterwalk(root, events=("start", "end")):
        if isinstance(element.tag, str):
            yield event == "start", element


# The properties of Office files in `docProps`, which are the same in documents, sheets and slides.

_CORE = {
    "title": "title",
    "creator": "creator",
    "subject": "description",
    "description": "description",
    "keywords": "subject",
    "category": "subject",
    "created": "date",
    "modified": "modified",
    "language": "language",
    "identifier": "identifier",
}
_APP = {"Company": "publisher", "Application": "software", "Pages": "pages", "Slides": "pages"}
_MEASURED = ("software", "pages")

Pairs = list[tuple[str, str]]


def office_properties(package: Package) -> tuple[Pairs, Pairs]:
    """Return the stated and the measured properties."""
    found = [*_named(package, "docProps/core.xml", _CORE), *_named(package, "docProps/app.xml", _APP)]
    found = [(name, value) for name, value in dict.fromkeys(found) if (name, value) != ("pages", "0")]
    said = [pair for pair in found if pair[0] not in _MEASURED]
    return said, [pair for pair in found if pair[0] in _MEASURED]


def _named(package: Package, part: str, names: dict[str, str]) -> Iterator[tuple[str, str]]:
    root = package.tree(part)
    for element in root if root is not None else ():
        value = element_text(element)
        if value and local_name(element) in names:
            yield names[local_name(element)], value
