"""Compound files ([MS-CFB]), in which old Office programs store several streams.

Implements enough to find and read some streams. The format has chains of sectors, a directory of streams, and
small streams packed in a stream of their own. Every chain is followed at most as far as the file can be long.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import BinaryIO

from windrow.extract.reading_job import Unreadable

SIGNATURE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
MAX_STREAM_BYTES = 16 * 1024 * 1024
MAX_ENTRIES = 10_000
_END = 0xFFFFFFFA  # from here on numbers are markers, not sectors
_ENTRY_BYTES = 128
_STREAM, _ROOT = 2, 5


class CompoundFile:
    """One compound file, with its directory."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        header = file.read(512)
        if len(header) < 512 or not header.startswith(SIGNATURE):
            raise Unreadable("it is broken: it begins like an old Office file and goes on as none")
        shift, small_shift = struct.unpack_from("<HH", header, 30)
        if shift not in (9, 12) or small_shift != 6:
            raise Unreadable("it is broken: its sectors have no known size")
        self._size, self._small_size = 1 << shift, 1 << small_shift
        first_directory, _, self._cutoff, first_small, _, first_more, more = struct.unpack_from(
            "<IIIIIII", header, 48
        )
        self._fat = self._read_fat(header, first_more, more)
        self._entries = dict(self._directory(first_directory))
        self._small_fat = _numbers(self._chain(first_small))
        self._smalls: bytes | None = None

    @property
    def names(self) -> frozenset[str]:
        """The names of the streams in lower case, from all folders."""
        return frozenset(self._entries)

    def stream(self, name: str) -> bytes:
        """Return a stream, up to the size limit; b"" if it does not exist."""
        if name.lower() not in self._entries:
            return b""
        kind, start, size = self._entries[name.lower()]
        size = min(size, MAX_STREAM_BYTES)
        if kind == _ROOT or size >= self._cutoff:
            return self._chain(start, size)[:size]
        if self._smalls is None:
            _, first, total = next(
                (each for each in self._entries.values() if each[0] == _ROOT), (0, _END, 0)
            )
            self._smalls = self._chain(first, min(total, MAX_STREAM_BYTES))
        pieces, number = [], start
        for _ in range(size // self._small_size + 1):
            if number >= len(self._small_fat):
                break
            place = number * self._small_size
            pieces.append(self._smalls[place : place + self._small_size])
            number = self._small_fat[number]
        return b"".join(pieces)[:size]

    def _read_fat(self, header: bytes, more_at: int, more: int) -> tuple[int, ...]:
        sectors = list(struct.unpack_from("<109I", header, 76))
        for _ in range(min(more, 1000)):
            data = self._sector(more_at)
            if len(data) < self._size:
                break
            *numbers, more_at = _numbers(data)
            sectors += numbers
        return _numbers(b"".join(self._sector(number) for number in sectors if number < _END))

    def _sector(self, number: int) -> bytes:
        self._file.seek((number + 1) * self._size)
        return self._file.read(self._size)

    def _chain(self, number: int, size: int = MAX_STREAM_BYTES) -> bytes:
        pieces = []
        for _ in range(size // self._size + 1):
            if number >= len(self._fat):
                break
            pieces.append(self._sector(number))
            number = self._fat[number]
        return b"".join(pieces)

    def _directory(self, first: int) -> Iterator[tuple[str, tuple[int, int, int]]]:
        data = self._chain(first, MAX_ENTRIES * _ENTRY_BYTES)
        for place in range(0, len(data) - _ENTRY_BYTES + 1, _ENTRY_BYTES):
            length, kind = struct.unpack_from("<HB", data, place + 64)
            start, size = struct.unpack_from("<II", data, place + 116)
            if kind in (_STREAM, _ROOT) and 2 <= length <= 64:
                name = data[place : place + length - 2].decode("utf-16-le", "replace")
                yield name.lower(), (kind, start, size)


def _numbers(data: bytes) -> tuple[int, ...]:
    return struct.unpack(f"<{len(data) // 4}I", data[: len(data) // 4 * 4])
