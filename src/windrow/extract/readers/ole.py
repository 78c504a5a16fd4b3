"""Old Office files: their properties, and for Word documents the text.

olefile reads the container ([MS-CFB]). The property sets are parsed here: olefile's own parser repeats the
items of a vector as often as the file states, which in a hostile file is four billion times.
"""

from __future__ import annotations

import codecs
import os
import re
import struct
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, BinaryIO

from windrow.extract.reading_job import Job, NotInstalled, Unreadable
from windrow.model.file_content import Extract

if TYPE_CHECKING:
    import olefile

# The container. olefile follows every chain of sectors at most as far as the declared size of a stream. That
# size, the table of sectors and the directory are bounded here.

MAX_STREAM_BYTES = 16 * 1024 * 1024
MAX_ENTRIES = 10_000  # in the directory of streams
SPARE_TABLE_SECTORS = 109  # beyond what a file of its size needs; the header has room for as many
_BROKEN = "it is broken: it begins like an old Office file and goes on as none"
_ENTRY_BYTES = 128


class CompoundFile:
    """The streams at the top of a compound file; those of embedded documents are in its folders."""

    def __init__(self, file: BinaryIO) -> None:
        _check_header(file)
        try:
            self._ole = _open_ole(file)
            paths = self._ole.listdir()
        except (OSError, ValueError, LookupError, RecursionError) as exc:
            raise Unreadable(_BROKEN) from exc
        self.names = frozenset(path[0].lower() for path in paths if len(path) == 1)

    def stream(self, name: str) -> bytes:
        """Return a stream, up to the size limit; b"" if it does not exist."""
        if name.lower() not in self.names:
            return b""
        try:
            return bytes(self._ole.openstream([name]).read())
        except (OSError, ValueError, LookupError) as exc:
            raise Unreadable(_BROKEN) from exc


def _check_header(file: BinaryIO) -> None:
    """Refuse sizes that olefile would believe."""
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    header = file.read(512)
    file.seek(0)
    if len(header) < 512:
        raise Unreadable(_BROKEN)
    shift, small_shift = struct.unpack_from("<HH", header, 30)
    if shift not in (9, 12) or small_shift != 6:
        raise Unreadable("it is broken: its sectors have no known size")
    (table_sectors,) = struct.unpack_from("<I", header, 44)
    if table_sectors > (size >> shift) // (1 << shift - 2) + 1 + SPARE_TABLE_SECTORS:
        raise Unreadable("it is broken: its table of sectors is larger than the file")


def _open_ole(file: BinaryIO) -> olefile.OleFileIO:
    try:
        import olefile  # noqa: PLC0415 - only needed for these files
    except ImportError as exc:
        raise NotInstalled("olefile") from exc

    class BoundedOle(olefile.OleFileIO):  # type: ignore[misc] # has no types
        """olefile with the limits above."""

        def _open(self, start: int, size: int = -1, force_FAT: bool = False) -> BinaryIO:  # noqa: N803
            # Only the directory has no declared size; without a limit it is taken to be as large as the file.
            limit = MAX_STREAM_BYTES if size >= 0 else MAX_ENTRIES * _ENTRY_BYTES
            size = min(size, limit) if size >= 0 else limit
            stream: BinaryIO = super()._open(start, size, force_FAT)
            return stream

    return BoundedOle(file)


# The text of old Word documents (1997 to 2003), from their piece table ([MS-DOC]).

MAX_LETTERS = 5_000_000
_MAGIC = 0xA5EC
_OTHER_TABLE = 0x0200  # flag: which of two streams has the table
_PIECES_AT = 0x01A2
_NARROW = 0x40000000  # in a piece's offset: one byte per character
_SETTINGS, _PIECES = 1, 2
_FIELD_CODE = re.compile(r"\x13[^\x13\x14\x15]*\x14?")
_LINE_ENDS = str.maketrans({"\r": "\n", "\x0b": "\n", "\x0c": "\n", "\x07": "\t", "\x1e": "-", "\x1f": None})
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f]")


def read_word97_text(streams: CompoundFile) -> str:
    """Return the text, with paragraphs as lines; "" if there is none that can be read."""
    data = streams.stream("WordDocument")
    if len(data) < _PIECES_AT + 8 or struct.unpack_from("<H", data)[0] != _MAGIC:
        return ""
    (flags,) = struct.unpack_from("<H", data, 10)
    start, length = struct.unpack_from("<II", data, _PIECES_AT)
    table = streams.stream("1Table" if flags & _OTHER_TABLE else "0Table")[start : start + length]
    text = "".join(_letters(data, table))[:MAX_LETTERS]
    return _CONTROL.sub("", _FIELD_CODE.sub("", text).translate(_LINE_ENDS)).strip()


def _letters(data: bytes, table: bytes) -> Iterator[str]:
    place, left = 0, MAX_LETTERS
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


# The property sets of old Office files: titles, people, dates ([MS-OLEPS]).

MAX_PROPERTIES = 200
MAX_PROPERTY_CHARACTERS = 20_000
_CODE_PAGE = 1
_TEXT, _WIDE_TEXT, _TIME, _SHORT, _NUMBER = 30, 31, 64, 2, 3
_BEGINNING = datetime(1601, 1, 1, tzinfo=UTC)
_UTF_16 = 1200

Value = str | int


def read_properties(data: bytes) -> dict[int, Value]:
    """Return the properties of the first set in a stream, by number; times in ISO 8601."""
    try:
        (place,) = struct.unpack_from("<I", data, 44)
        _, count = struct.unpack_from("<II", data, place)
        places = dict(
            struct.unpack_from("<II", data, place + 8 + 8 * each)
            for each in range(min(count, MAX_PROPERTIES))
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
    length = min(length * (2 if kind == _WIDE_TEXT else 1), MAX_PROPERTY_CHARACTERS)
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
    """Convert a time in units of 100 ns since 1601; small values are durations, hence None."""
    if not 10**16 < ticks < 10**18 * 2:
        return None
    return f"{(_BEGINNING + timedelta(microseconds=ticks // 10)).isoformat()[:19]}Z"


_SAID = {
    2: "title",
    3: "description",
    4: "creator",
    5: "subject",
    6: "description",
    12: "date",
    13: "modified",
}
_MEASURED = {14: "pages", 18: "software"}
_KINDS = {
    "worddocument": "application/msword",
    "workbook": "application/vnd.ms-excel",
    "book": "application/vnd.ms-excel",
    "powerpoint document": "application/vnd.ms-powerpoint",
}
_LOCKED = frozenset({"encryptedpackage", "encryptioninfo", "\x09drmcontent"})
_WORD_IS_LOCKED = 0x0100  # in the flags at byte 10 of a Word document
_NOTE = "the text of old Office files of this kind is not read: saved in a newer format, it would be"


def read(file: BinaryIO, job: Job) -> Extract:  # noqa: ARG001 - a reader
    streams = CompoundFile(file)
    flags = int.from_bytes(streams.stream("WordDocument")[10:12], "little")
    if streams.names & _LOCKED or flags & _WORD_IS_LOCKED:
        raise Unreadable("it is encrypted: it needs a password")
    found = read_properties(streams.stream("\x05SummaryInformation"))
    kind = next((_KINDS[name] for name in _KINDS if name in streams.names), "application/x-ole-storage")
    text = read_word97_text(streams)
    return Extract(
        kind,
        said=tuple(
            (_SAID[number], str(value)) for number, value in found.items() if number in _SAID and value
        ),
        measured=tuple(
            (_MEASURED[number], str(value))
            for number, value in found.items()
            if number in _MEASURED and value
        ),
        text=(text,) if text else (),
        notes=() if text or kind == _KINDS["worddocument"] else (_NOTE,),
    )
