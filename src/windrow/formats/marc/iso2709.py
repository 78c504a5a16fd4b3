"""MARC 21 in ISO 2709, the exchange format of library systems, inside a metadata payload.

Its separators are control characters, which XML does not allow. So a record is sent in base64, or with the
symbols for these characters (U+241D to U+241F). `marcxml_of` converts a record to MARCXML, which is then
read as such.
"""

from __future__ import annotations

import base64
import binascii
import re
import unicodedata
from collections.abc import Callable, Iterator

from lxml import etree

from windrow.formats.mapping.xml_records import Draft, local_name, own_text
from windrow.formats.marc.marcxml import NAMESPACE
from windrow.formats.marc.marcxml import READER as MARCXML
from windrow.formats.registry import Reader
from windrow.formats.wrappers import join
from windrow.model.document import Document

_Decode = Callable[[bytes], str]
FIELD_END, RECORD_END, SUBFIELD = b"\x1e", b"\x1d", b"\x1f"
MOST_FIELDS = 10_000  # in one record
# A leader, tolerating odd contents and a few lost characters, and the directory, by its form.
_HEAD = re.compile(rb"([ -~]{17,28}?)((?:[0-9A-Za-z]{3}[0-9 ]{9})+)\x1e")
_LEADER_BYTES, _ENTRY_BYTES = 24, 12
_PICTURES = str.maketrans({"\u241d": "\x1d", "\u241e": "\x1e", "\u241f": "\x1f"})
_BASE64 = re.compile(r"[A-Za-z0-9+/=\s]+")
# MARC-8 escape sequences: a set in the place of ASCII, single-byte or multi-byte.
_SWITCH = re.compile(rb"\x1b(?:([gbps])|[(,](!?[0-9A-Za-z])|([)\-]!?[0-9A-Za-z])|(\$[(,)\-]?!?[0-9A-Za-z]))")
_CYRILLIC = "юабцдефгхийклмнопярстужвьызшэщчъ"
_SCRIPTS: dict[bytes, dict[int, str]] = {
    b"N": {0x40 + place: letter for place, letter in enumerate(_CYRILLIC + _CYRILLIC.upper()[:31])},
    b"2": {0x60 + place: letter for place, letter in enumerate("אבגדהוזחטיךכלםמןנסעףפץצקרשת")},
    b"g": {0x61: "α", 0x62: "β", 0x63: "γ"},
    b"b": {0x30 + digit: chr(0x2080 + digit) for digit in range(10)},
    b"p": {0x30 + digit: "⁰¹²³⁴⁵⁶⁷⁸⁹"[digit] for digit in range(10)},
}
_ASCII = (b"B", b"s", b"!E", b"E")
_SILENT = frozenset((0x88, 0x89, 0x8D, 0x8E))  # non-sorting characters and joiners, which have no glyph
_NOT_ASCII = re.compile("[^\x00-\x7f]")
_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
# MARC-8 where it differs from ASCII: marks precede their letter, some letters have codes of their own.
_MARKS = {
    0xE0: "\u0309",
    0xE1: "\u0300",
    0xE2: "\u0301",
    0xE3: "\u0302",
    0xE4: "\u0303",
    0xE5: "\u0304",
    0xE6: "\u0306",
    0xE7: "\u0307",
    0xE8: "\u0308",
    0xE9: "\u030c",
    0xEA: "\u030a",
    0xED: "\u0315",
    0xEE: "\u030b",
    0xEF: "\u0310",
    0xF0: "\u0327",
    0xF1: "\u0328",
    0xF2: "\u0323",
    0xF6: "\u0332",
}
_LETTERS = dict(zip(range(0xA1, 0xAF), "ŁØĐÞÆŒʹ·♭®±ƠƯʼ", strict=True)) | dict(
    zip((*range(0xB0, 0xB7), *range(0xB8, 0xBB), 0xC3, 0xC7), "ʻłøđþæœı£ð©ß", strict=True)
)


class Iso2709:
    """Reader of payloads that contain one record in ISO 2709."""

    name = "iso2709"
    prefixes = frozenset(("marc_iso2709", "usmarc", "marc2709", "marc21_iso2709", "mrc"))
    roots = frozenset(
        ("iso2709", "{http://www.loc.gov/MARC21/iso2709}record", "{info:lc/xmlns/iso2709}record")
    )

    def read(self, root: etree._Element) -> Document:
        # Text that is not a record stays in extra.
        draft, found = Draft("marc"), Document()
        for part in root.iter():
            text = own_text(part) if local_name(part) else ""
            record = record_in(text) if text and not found.extra else None
            if record is None:
                draft.add_extra(f"marc:{local_name(part)[:64]}", text)
            else:
                found = read_record(record)
        return join(found, draft.finish())


def read_text(text: str) -> Document | None:
    """Return the document of the record in a text, or None."""
    record = record_in(text)
    return None if record is None else read_record(record)


def read_record(record: bytes) -> Document:
    return MARCXML.read(marcxml_of(record))


def record_in(text: str) -> bytes | None:
    """Return the record in a text, decoded from base64 or from the symbols of the separators, or None."""
    if "\u241e" in text:
        record = text.translate(_PICTURES).strip().encode()
    elif len(text) > _LEADER_BYTES and _BASE64.fullmatch(text):
        try:
            record = base64.b64decode("".join(text.split()), validate=True)
        except binascii.Error:
            return None
    else:
        return None
    return record if is_record(record) else None


def is_record(data: bytes) -> bool:
    return _HEAD.match(data) is not None


def records_of(data: bytes) -> Iterator[bytes]:
    """Yield the records of a file, without their terminators."""
    for piece in data.split(RECORD_END):
        record = piece.lstrip(b"\r\n\x00 ")
        if is_record(record):
            yield record


def marcxml_of(record: bytes) -> etree._Element:
    # Fields are separated by their terminators, not by the lengths in the directory, which are wrong once a
    # text was recoded.
    head, *bodies = record.rstrip(RECORD_END).split(FIELD_END)
    decode = _decoder(record)
    found = _HEAD.match(record)
    leader, directory = found.groups() if found else (head[:_LEADER_BYTES], head[_LEADER_BYTES:])
    root = etree.Element(f"{{{NAMESPACE}}}record")
    etree.SubElement(root, f"{{{NAMESPACE}}}leader").text = _legal(_utf8(leader)).rjust(_LEADER_BYTES)
    for place, body in enumerate(bodies[:MOST_FIELDS]):
        tag = _legal(_utf8(directory[place * _ENTRY_BYTES :][:3])) or "999"
        if body:
            _add_field(root, tag, body, decode)
    return root


def _add_field(root: etree._Element, tag: str, body: bytes, decode: _Decode) -> None:
    if SUBFIELD not in body:
        field = etree.SubElement(root, f"{{{NAMESPACE}}}controlfield", tag=tag)
        field.text = _legal(decode(body))
        return
    indicators, *parts = body.split(SUBFIELD)
    said = _legal(_utf8(indicators)).ljust(2)
    field = etree.SubElement(root, f"{{{NAMESPACE}}}datafield", tag=tag, ind1=said[0], ind2=said[1])
    for part in parts:
        if part:
            code = _legal(_utf8(part[:1])) or "?"
            etree.SubElement(field, f"{{{NAMESPACE}}}subfield", code=code).text = _legal(decode(part[1:]))


def _decoder(record: bytes) -> _Decode:
    """Return the decoder for a record, chosen by its bytes: the leader is often wrong about the encoding."""
    if b"\x1b" in record and record[9:10] != b"a":
        return _marc8
    text = _utf8(record)
    wrong = text.count("\ufffd")
    letters = len(_NOT_ASCII.findall(text)) - wrong
    if not wrong or (record[9:10] == b"a" and letters > wrong):
        return _utf8
    return _marc8 if _is_marc8(record) else _latin1


def _is_marc8(record: bytes) -> bool:
    """Return whether all non-ASCII bytes are valid MARC-8, with each mark before a letter."""
    following = (*record[1:], 0x20)
    return all(
        byte < 0x80
        or byte in _LETTERS
        or byte in _SILENT
        or (byte in _MARKS and (after in _MARKS or after in _LETTERS or chr(after).isalpha()))
        for byte, after in zip(record, following, strict=True)
    )


def _latin1(data: bytes) -> str:
    return data.decode("cp1252", errors="replace")


def _utf8(data: bytes) -> str:
    return data.decode(errors="replace")


def _marc8(data: bytes) -> str:
    """Decode MARC-8: Latin, Cyrillic, Hebrew; each run of another script becomes one U+FFFD."""
    found: list[str] = []
    place, script = 0, b"B"
    for switch in _SWITCH.finditer(data):
        found.append(_in_script(data[place : switch.start()], script))
        place = switch.end()
        if switch[3] is None:  # otherwise a script of the upper half, which is always read as Latin
            script = switch[1] or switch[2] or b"$"
    found.append(_in_script(data[place:], script))
    return unicodedata.normalize("NFC", "".join(found))


def _in_script(data: bytes, script: bytes) -> str:
    if script in _ASCII:
        return _latin_of_marc8(data)
    letters = _SCRIPTS.get(script)
    if letters is None:
        return "\ufffd" if data.strip() else ""
    return "".join(letters.get(byte) or (chr(byte) if byte < 0x80 else "\ufffd") for byte in data)


def _latin_of_marc8(data: bytes) -> str:
    found: list[str] = []
    marks = ""
    for byte in data:
        if byte in _MARKS:
            marks += _MARKS[byte]
            continue
        if byte in _SILENT:
            continue
        found.append(_LETTERS.get(byte) or (chr(byte) if byte < 0x80 else "\ufffd"))
        if marks:
            found.append(marks)
            marks = ""
    return "".join(found)


def _legal(text: str) -> str:
    return _ILLEGAL.sub("", text)


READER: Reader = Iso2709()
