"""EXIF, as cameras write it: who, when, where, with what. In the names of `model.extract`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

_IFD_EXIF, _IFD_GPS = 0x8769, 0x8825
_DESCRIPTION, _MAKE, _MODEL, _SOFTWARE, _CHANGED, _ARTIST, _COPYRIGHT = (
    0x010E,
    0x010F,
    0x0110,
    0x0131,
    0x0132,
    0x013B,
    0x8298,
)
_TAKEN, _DIGITIZED, _ZONE, _TAKEN_ZONE, _DIGITIZED_ZONE, _COMMENT = (
    0x9003,
    0x9004,
    0x9010,
    0x9011,
    0x9012,
    0x9286,
)
# Windows writes these as UTF-16.
_WINDOWS = {
    0x9C9B: "title",
    0x9C9D: "creator",
    0x9C9E: "subject",
    0x9C9F: "description",
    0x9C9C: "description",
}
_DATE = re.compile(r"(\d{4})[:/-](\d\d)[:/-](\d\d)(?:[ T](\d\d):(\d\d):(\d\d))?")
_OFFSET = re.compile(r"[+-]\d\d:\d\d|Z")
_CHARSETS = {
    b"ASCII\0\0\0": "latin-1",
    b"UNICODE\0": "utf-16",
    b"JIS\0\0\0\0\0": "iso2022_jp",
    bytes(8): "utf-8",
}
# What cameras and programs write by themselves says nothing.
_EMPTY_WORDS = frozenset(
    {"OLYMPUS DIGITAL CAMERA", "SONY DSC", "KONICA MINOLTA DIGITAL CAMERA", "DIGITAL CAMERA", "ASCII"}
)

Pairs = list[tuple[str, str]]


def read_exif(exif: Any) -> tuple[Pairs, Pairs]:
    """Give what Pillow's view of a picture's EXIF says, and what it measured."""
    main: Mapping[int, Any] = dict(exif)
    inner, place = _part(exif, _IFD_EXIF), _part(exif, _IFD_GPS)
    said = [(name, value) for name, value in _said(main, inner) if value]
    camera = _camera(_words(main.get(_MAKE)), _words(main.get(_MODEL)))
    measured = [("camera", camera), ("software", _words(main.get(_SOFTWARE))), *_position(place)]
    return list(dict.fromkeys(said)), [(name, value) for name, value in measured if value]


def read_date(text: str, zone: str = "") -> str:
    """Give a date of EXIF's as ISO 8601 has it; nothing where it is none, or all zeros."""
    found = _DATE.match(text.strip())
    if found is None or found[1] == "0000" or not "01" <= found[2] <= "12" or not "01" <= found[3] <= "31":
        return ""
    date = f"{found[1]}-{found[2]}-{found[3]}"
    if found[4] is None or found[4] > "23" or found[5] > "59" or found[6] > "60":
        return date
    return f"{date}T{found[4]}:{found[5]}:{found[6]}{zone if _OFFSET.fullmatch(zone) else ''}"


def _part(exif: Any, number: int) -> Mapping[int, Any]:
    try:
        return dict(exif.get_ifd(number))
    except Exception:  # noqa: BLE001 - whatever a broken directory makes the library raise
        return {}


def _said(main: Mapping[int, Any], inner: Mapping[int, Any]) -> Iterator[tuple[str, str]]:
    title = _words(main.get(_DESCRIPTION))
    yield "description", "" if title.upper() in _EMPTY_WORDS else title
    yield "creator", _words(main.get(_ARTIST))
    yield "rights", _words(main.get(_COPYRIGHT))
    zones = {name: _words(inner.get(name)) for name in (_ZONE, _TAKEN_ZONE, _DIGITIZED_ZONE)}
    taken = read_date(_words(inner.get(_TAKEN)), zones[_TAKEN_ZONE])
    yield "date", taken or read_date(_words(inner.get(_DIGITIZED)), zones[_DIGITIZED_ZONE])
    yield "modified", read_date(_words(main.get(_CHANGED)), zones[_ZONE])
    yield "description", _comment(inner.get(_COMMENT))
    for number, name in _WINDOWS.items():
        words = _wide(main.get(number))
        if name == "subject":
            yield from (("subject", word.strip()) for word in words.split(";"))
        else:
            yield name, words


def _words(value: Any) -> str:
    if isinstance(value, tuple):
        value = value[0] if value else ""
    if isinstance(value, bytes):
        try:
            value = value.decode()
        except UnicodeDecodeError:
            value = value.decode("latin-1")
    elif isinstance(value, str) and not value.isascii():
        value = _told_right(value)
    return " ".join(str("" if value is None else value).partition("\0")[0].split())


def _told_right(value: str) -> str:
    """Pillow reads every text as Latin-1; most programs write UTF-8."""
    try:
        return value.encode("latin-1").decode()
    except UnicodeError:
        return value


def _wide(value: Any) -> str:
    if isinstance(value, tuple):
        value = bytes(each & 0xFF for each in value if isinstance(each, int))
    if not isinstance(value, bytes):
        return ""
    return " ".join(value.decode("utf-16-le", "ignore").replace("\0", " ").split())


def _comment(value: Any) -> str:
    if not isinstance(value, bytes) or len(value) <= 8:
        return ""
    encoding, text = _CHARSETS.get(value[:8]), value[8:]
    if encoding == "utf-16" and not text.startswith((b"\xff\xfe", b"\xfe\xff")):
        encoding = "utf-16-le" if text[1:2] == b"\0" else "utf-16-be"
    words = text.decode(encoding or "utf-8", "ignore").replace("\0", " ")
    return " ".join(words.split()) if words.isprintable() or "\n" in words else ""


def _camera(make: str, model: str) -> str:
    """The maker is named once, though many put it into the model as well."""
    return (
        model
        if make and model.lower().startswith(make.partition(" ")[0].lower())
        else f"{make} {model}".strip()
    )


def _position(place: Mapping[int, Any]) -> Iterator[tuple[str, str]]:
    latitude = _degrees(place.get(2), _words(place.get(1)) == "S", 90)
    longitude = _degrees(place.get(4), _words(place.get(3)) == "W", 180)
    if latitude and longitude:
        yield "latitude", latitude
        yield "longitude", longitude
        height = _number(place.get(6))
        if height is not None:
            below = place.get(5) in (1, b"\x01")
            yield "altitude", f"{float(-height if below else height):.1f}"


def _degrees(parts: Any, is_negative: bool, most: int) -> str:
    numbers = [_number(part) for part in parts] if isinstance(parts, tuple | list) else []
    whole = [number for number in numbers[:3] if number is not None]
    if not whole or len(whole) < len(numbers[:3]):
        return ""
    found = sum((number / 60**place for place, number in enumerate(whole)), Fraction(0))
    return f"{float(-found if is_negative else found):.6f}" if 0 <= found <= most else ""


def _number(value: Any) -> Fraction | None:
    """A number as EXIF has it: a fraction, whose lower part may be nothing."""
    try:
        top, bottom = getattr(value, "numerator", value), getattr(value, "denominator", 1)
        return Fraction(int(top), int(bottom))
    except (TypeError, ValueError, ZeroDivisionError, OverflowError):
        return None
