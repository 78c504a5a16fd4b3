"""XMP metadata in pictures and PDF files, with the fact names of `model.extract`.

A packet is found by its start tag anywhere in the bytes, and parsed without following references.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lxml import etree

from windrow.extract.xml_packages import parse_xml

MAX_PACKET_BYTES = 4_000_000
MAX_VALUES = 200  # per name
MAX_VALUE_CHARACTERS = 20_000
_RDF = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}"
_DC = "{http://purl.org/dc/elements/1.1/}"
_XMP = "{http://ns.adobe.com/xap/1.0/}"
_PDF = "{http://ns.adobe.com/pdf/1.3/}"
_PHOTOSHOP = "{http://ns.adobe.com/photoshop/1.0/}"
_IPTC = "{http://iptc.org/std/Iptc4xmpCore/1.0/xmlns/}"
_TIFF = "{http://ns.adobe.com/tiff/1.0/}"
_EXIF = "{http://ns.adobe.com/exif/1.0/}"
_LANG = "{http://www.w3.org/XML/1998/namespace}lang"
# In order of precedence: the first property with a value provides the fact.
_NAMES: dict[str, tuple[str, ...]] = {
    "title": (f"{_DC}title", f"{_PHOTOSHOP}Headline"),
    "creator": (f"{_DC}creator", f"{_TIFF}Artist"),
    "contributor": (f"{_DC}contributor",),
    "subject": (f"{_DC}subject", f"{_PDF}Keywords"),
    "description": (f"{_DC}description", f"{_TIFF}ImageDescription"),
    "publisher": (f"{_DC}publisher",),
    "date": (
        f"{_EXIF}DateTimeOriginal",
        f"{_PHOTOSHOP}DateCreated",
        f"{_XMP}CreateDate",
        f"{_DC}date",
    ),
    "modified": (f"{_XMP}ModifyDate",),
    "language": (f"{_DC}language",),
    "identifier": (f"{_DC}identifier",),
    "source": (f"{_DC}source", f"{_PHOTOSHOP}Source"),
    "relation": (f"{_DC}relation",),
    "coverage": (
        f"{_IPTC}Location",
        f"{_PHOTOSHOP}City",
        f"{_PHOTOSHOP}State",
        f"{_PHOTOSHOP}Country",
        f"{_DC}coverage",
    ),
    "rights": (f"{_DC}rights", f"{_TIFF}Copyright"),
    "software": (f"{_XMP}CreatorTool",),
}
_ALL = frozenset({"coverage"})  # for these, all properties are combined
_START = re.compile(rb"<(x:x[am]pmeta|rdf:RDF)\b")
_WIDE = {b"\0<": "utf-16-be", b"<\0": "utf-16-le"}  # for a bare packet without a file around it
_DATE = re.compile(r"\d{4}(?:-\d\d(?:-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)?)?)?)?")
_ENTITY = re.compile(rb"<!(?:DOCTYPE|ENTITY)", re.IGNORECASE)


def find_packet(data: bytes) -> bytes:
    """Return the first packet in the bytes of a file; b"" if there is none."""
    if data[:2] in _WIDE:
        data = data.decode(_WIDE[data[:2]], "replace").encode("utf-8", "replace")
    found = _START.search(data)
    if found is None:
        return b""
    closing = b"</" + found[1] + b">"
    end = data.find(closing, found.end(), found.start() + MAX_PACKET_BYTES)
    return b"" if end < 0 else data[found.start() : end + len(closing)]


def read_xmp(packet: bytes) -> list[tuple[str, str]]:
    """Return the facts in a packet; [] if it cannot be read."""
    if not packet or len(packet) > MAX_PACKET_BYTES or _ENTITY.search(packet):
        return []
    root = parse_xml(packet)
    if root is None:
        return []
    said: dict[str, list[str]] = {}
    for tag, value in _properties(root):
        kept = said.setdefault(tag, [])
        if value and value not in kept and len(kept) < MAX_VALUES:
            kept.append(value[:MAX_VALUE_CHARACTERS])
    return [(name, value) for name, tags in _NAMES.items() for value in _first(name, tags, said)]


def _first(name: str, tags: tuple[str, ...], said: dict[str, list[str]]) -> list[str]:
    held = [said[tag] for tag in tags if said.get(tag)]
    if name in ("date", "modified"):
        held = [dates for values in held if (dates := [date[0] for date in map(_DATE.match, values) if date])]
    if name in _ALL:
        return list(dict.fromkeys(value for values in held for value in values))
    return held[0] if held else []


def _properties(root: etree._Element) -> Iterator[tuple[str, str]]:
    """Yield the properties of all descriptions, which are elements or attributes."""
    for description in root.iter(f"{_RDF}Description"):
        for key, value in description.attrib.items():
            yield str(key), _plain(str(value))
        for element in description:
            if isinstance(element.tag, str):
                for value in _values(element):
                    yield element.tag, value


def _values(element: etree._Element) -> Iterator[str]:
    items = element.findall(f"{_RDF}*/{_RDF}li")
    if not items:
        yield _plain(str(element.text or ""))
        return
    # Alternatives in several languages are one value: the default language comes first.
    if element.find(f"{_RDF}Alt") is not None:
        items = sorted(items, key=lambda item: item.get(_LANG) != "x-default")[:1]
    for item in items[:MAX_VALUES]:
        yield _plain("".join(map(str, item.itertext())))


def _plain(text: str) -> str:
    return " ".join(text.split())
