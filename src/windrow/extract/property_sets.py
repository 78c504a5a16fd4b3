"""The sets of properties in which old Office files say what they are: titles, people, dates ([MS-OLEPS])."""

from __future__ import annotations

import codecs
import struct
from datetime import UTC, datetime, timedelta

MOST_PROPERTIES = 200
LONGEST_TEXT = 20_000
_CODE_PAGE = 1
_TEXT, _WIDE_TEXT, _TIME, _SHORT, _NUMBER = 30, 31, 64, 2, 3
_BEGINNING = datetime(1601, 1, 1, tzinfo=UTC)
_UTF_16 = 1200

Value = str | int


def read_properties(data: bytes) -> dict[int, Value]:
    """Give the properties of the first set in a stream, by their numbers; times as ISO 8601 has them."""
    try:
        (place,) = struct.unpack_from("<I", data, 44)
        _, count = struct.unpack_from("<II", data, place)
        places = dict(
            struct.unpack_from("<II", data, place + 8 + 8 * each)
            for each in range(min(count, MOST_PROPERTIES))
        )
    except struct.error:
        return {}
    page = _value(data, place + places[_CODE_PAGE], "latin-1") if _CODE_PAGE in places else None
    encoding = _encoding(page if isinstance(page, int) else None)
    found = {number: _value(data, place + at, encoding) for number, at in places.items()}
    return {number: value for number, value in found.items() if value is not None}


def _value(data: bytes, place: int, encoding: str) -> Value | None:
    try:
        (kind,) = struct.unpack_from("<I", data, place)
        if kind == _SHORT:
            return int(struct.unpack_from("<H", data, place + 4)[0])
        if kind == _NUMBER:
            return int(struct.unpack_from("<i", data, place + 4)[0])
        if kind == _TIME:
            return _time(struct.unpack_from("<Q", data, place + 4)[0])
        if kind not in (_TEXT, _WIDE_TEXT):
            return None
        (length,) = struct.unpack_from("<I", data, place + 4)
    except struct.error:
        return None
    length = min(length * (2 if kind == _WIDE_TEXT else 1), LONGEST_TEXT)
    text = data[place + 8 : place + 8 + length].decode(
        "utf-16-le" if kind == _WIDE_TEXT else encoding, "replace"
    )
    return " ".join(text.partition("\0")[0].split())


def _encoding(page: int | None) -> str:
    name = "utf-16-le" if page == _UTF_16 else f"cp{page}"
    try:
        return codecs.lookup(name).name
    except LookupError:
        return {65001: "utf-8", 10000: "mac-roman"}.get(page or 0, "cp1252")


def _time(ticks: int) -> str | None:
    """A time in steps of a ten-millionth of a second since 1601; small ones are lengths of time."""
    if not 10**16 < ticks < 10**18 * 2:
        return None
    return f"{(_BEGINNING + timedelta(microseconds=ticks // 10)).isoformat()[:19]}Z"
