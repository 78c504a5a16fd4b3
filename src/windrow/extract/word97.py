"""The text of old Word documents (1997 to 2003), from the table of pieces that they keep ([MS-DOC])."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator

from windrow.extract.compound_files import CompoundFile

MOST_LETTERS = 5_000_000
_MAGIC = 0xA5EC
_OTHER_TABLE = 0x0200  # in the flags: which of two streams has the table
_PIECES_AT = 0x01A2
_NARROW = 0x40000000  # in a piece's place: one byte a letter
_SETTINGS, _PIECES = 1, 2
_FIELD_CODE = re.compile(r"\x13[^\x13\x14\x15]*\x14?")
_LINE_ENDS = str.maketrans({"\r": "\n", "\x0b": "\n", "\x0c": "\n", "\x07": "\t", "\x1e": "-", "\x1f": None})
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f]")


def text_of_word(streams: CompoundFile) -> str:
    """Give the text, paragraphs as lines; nothing where there is none that can be read."""
    data = streams.stream("WordDocument")
    if len(data) < _PIECES_AT + 8 or struct.unpack_from("<H", data)[0] != _MAGIC:
        return ""
    (flags,) = struct.unpack_from("<H", data, 10)
    start, length = struct.unpack_from("<II", data, _PIECES_AT)
    table = streams.stream("1Table" if flags & _OTHER_TABLE else "0Table")[start : start + length]
    text = "".join(_letters(data, table))[:MOST_LETTERS]
    return _CONTROL.sub("", _FIELD_CODE.sub("", text).translate(_LINE_ENDS)).strip()


def _letters(data: bytes, table: bytes) -> Iterator[str]:
    place, left = 0, MOST_LETTERS
    while place + 3 <= len(table) and table[place] == _SETTINGS:
        place += 3 + struct.unpack_from("<H", table, place + 1)[0]
    if place + 5 > len(table) or table[place] != _PIECES:
        return
    (size,) = struct.unpack_from("<I", table, place + 1)
    pieces = table[place + 5 : place + 5 + size]
    count = max((len(pieces) - 4) // 12, 0)
    bounds = struct.unpack_from(f"<{count + 1}I", pieces) if count else ()
    for each in range(count):
        letters = min(bounds[each + 1] - bounds[each], left)
        if letters <= 0:
            return
        left -= letters
        (at,) = struct.unpack_from("<I", pieces, 4 * (count + 1) + 8 * each + 2)
        if at & _NARROW:
            at = (at & ~_NARROW) // 2
            yield data[at : at + letters].decode("cp1252", "replace")
        else:
            yield data[at : at + 2 * letters].decode("utf-16-le", "replace")
