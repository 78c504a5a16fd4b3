"""A MARC 21 record as values, and both of its forms: MARCXML, and ISO 2709 in UTF-8.

`write_marc` makes one of any document; `marc_in` takes one out of MARCXML that was harvested.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from lxml import etree

from windrow.formats.elements import local
from windrow.formats.marcxml import NAMESPACE
from windrow.formats.xml_words import xml_words

SCHEMA = "http://www.loc.gov/standards/marcxml/schema/MARC21slim.xsd"
LONGEST_FIELD = 9_999  # bytes, with the sign that ends it (ISO 2709 has four digits for the length)
LONGEST_RECORD = 99_999
LEADER_LENGTH = 24
USUAL_LEADER = "00000nam a2200000 u 4500"

_FIELD_END, _RECORD_END, _SUBFIELD = "\x1e", "\x1d", "\x1f"
_SEPARATORS = re.compile("[\x1d-\x1f]")
_TAG = re.compile(r"[0-9A-Za-z]{3}", re.ASCII)
_CODE = re.compile(r"[!-~]", re.ASCII)


@dataclass(frozen=True, slots=True)
class MarcField:
    """One data field."""

    tag: str
    subfields: tuple[tuple[str, str], ...]
    ind1: str = " "
    ind2: str = " "


@dataclass(frozen=True, slots=True)
class MarcRecord:
    """One record. `control` are the fields below 010, each a tag and its text."""

    leader: str
    control: tuple[tuple[str, str], ...]
    fields: tuple[MarcField, ...]


def write_marcxml(record: MarcRecord) -> bytes:
    """Return one `<record>` element with its own declaration."""
    parts = [f'<record xmlns="{NAMESPACE}"><leader>{xml_words(_leader(record.leader))}</leader>']
    parts += [
        f'<controlfield tag="{tag}">{xml_words(text)}</controlfield>' for tag, text in record.control if text
    ]
    for field in record.fields:
        subfields = "".join(
            f'<subfield code="{xml_words(code)}">{xml_words(text)}</subfield>'
            for code, text in field.subfields
            if text
        )
        if subfields:
            start = (
                f'<datafield tag="{field.tag}" ind1="{xml_words(field.ind1)}" ind2="{xml_words(field.ind2)}">'
            )
            parts.append(f"{start}{subfields}</datafield>")
    parts.append("</record>")
    return "".join(parts).encode()


def write_iso2709(record: MarcRecord) -> bytes:
    """Return the record as ISO 2709 in UTF-8.

    The format bounds fields and records. A field that is too long is cut at a letter; fields that have no
    room any more are left out, the last ones first.
    """
    directory: list[bytes] = []
    bodies: list[bytes] = []
    length, taken = LEADER_LENGTH + 2, 0  # with the signs that end the directory and the record
    for tag, body in _bodies(record):
        if length + len(body) + 12 > LONGEST_RECORD:
            break
        directory.append(f"{tag}{len(body):04d}{taken:05d}".encode())
        bodies.append(body)
        taken += len(body)
        length += len(body) + 12
    base = LEADER_LENGTH + 12 * len(directory) + 1
    leader = _leader(record.leader)
    # The lengths, UTF-8 in position 9, and what every record in MARC 21 has in the others.
    head = f"{length:05d}{leader[5:9]}a22{base:05d}{leader[17:20]}4500"
    end = _FIELD_END.encode()
    return b"".join((head.encode(), *directory, end, *bodies, _RECORD_END.encode()))


def marc_in(root: etree._Element) -> MarcRecord | None:
    """Return the record that MARCXML holds, or the first of its records; None where there is none."""
    elements = (each for each in root.iter() if local(each) == "record")
    record = next(elements, None)
    if record is None:
        return None
    leader, control, fields = USUAL_LEADER, list[tuple[str, str]](), list[MarcField]()
    for child in record:
        kind, tag = local(child), child.get("tag") or ""
        if kind == "leader":
            leader = child.text or leader
        elif kind == "controlfield" and _TAG.fullmatch(tag):
            control.append((tag, child.text or ""))
        elif kind == "datafield" and _TAG.fullmatch(tag):
            subfields = tuple(
                (each.get("code") or "", "".join(map(str, each.itertext())))
                for each in child
                if local(each) == "subfield" and _CODE.fullmatch(each.get("code") or "")
            )
            fields.append(MarcField(tag, subfields, _indicator(child, "ind1"), _indicator(child, "ind2")))
    return MarcRecord(leader, tuple(control), tuple(fields))


def _indicator(element: etree._Element, name: str) -> str:
    found = element.get(name) or " "
    return found if len(found) == 1 and found.isascii() and found.isprintable() else " "


def _bodies(record: MarcRecord) -> Iterator[tuple[str, bytes]]:
    for tag, text in record.control:
        if text:
            yield tag, _cut(_plain(text), "")
    for field in record.fields:
        subfields = "".join(f"{_SUBFIELD}{code}{_plain(text)}" for code, text in field.subfields if text)
        if subfields:
            yield field.tag, _cut(subfields, field.ind1 + field.ind2)


def _cut(text: str, start: str) -> bytes:
    encoded = (start + text).encode("utf-8", "replace")
    if len(encoded) >= LONGEST_FIELD:
        encoded = encoded[: LONGEST_FIELD - 1].decode("utf-8", "ignore").encode()
    return encoded + _FIELD_END.encode()


def _plain(text: str) -> str:
    """Return a text without the signs that separate fields."""
    return _SEPARATORS.sub(" ", text)


def _leader(text: str) -> str:
    """Return a leader of the right length and in ASCII."""
    found = "".join(letter if letter.isascii() and letter.isprintable() else " " for letter in text)
    return found[:LEADER_LENGTH] if len(found) >= LEADER_LENGTH else USUAL_LEADER
