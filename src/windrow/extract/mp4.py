"""The frame of MP4 and QuickTime films: how long they are and how large, from the boxes that say so."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import BinaryIO

MOST_BOXES = 10_000
MOST_HEADER_BYTES = 200
_INNER = frozenset({b"moov", b"trak", b"mdia"})


def read_mp4(file: BinaryIO) -> tuple[tuple[str, str], ...]:
    """Give length and size as far as they are told."""
    file.seek(0, 2)
    measured: dict[str, str] = {}
    for name, start, end in _boxes(file, file.tell()):
        file.seek(start)
        data = file.read(min(end - start, MOST_HEADER_BYTES))
        if name == b"mvhd":
            seconds = _seconds(data)
            measured |= {"seconds": f"{seconds:.3f}"} if seconds else {}
        elif name == b"tkhd" and len(data) >= 84:
            width, height = (
                each >> 16
                for each in struct.unpack(">II", data[-8:] if len(data) in (84, 96) else data[76:84])
            )
            if width and height and "width" not in measured:
                measured |= {"width": str(width), "height": str(height)}
    return tuple(measured.items())


def _boxes(file: BinaryIO, length: int) -> Iterator[tuple[bytes, int, int]]:
    """Name, beginning and end of the boxes, those inside others too."""
    waiting, count = [(0, length)], 0
    while waiting and count < MOST_BOXES:
        start, end = waiting.pop()
        while start + 8 <= end and count < MOST_BOXES:
            count += 1
            file.seek(start)
            header = file.read(16)
            if len(header) < 8:
                break
            size, name = int.from_bytes(header[:4]), header[4:8]
            body = start + 8
            if size == 1 and len(header) == 16:
                size, body = int.from_bytes(header[8:16]), start + 16
            size = end - start if size == 0 else size
            if size < body - start or start + size > end:
                break
            if name in _INNER:
                waiting.append((body, start + size))
            yield name, body, start + size
            start += size


def _seconds(data: bytes) -> float:
    try:
        if data[:1] == b"\x01":
            scale, length = struct.unpack_from(">IQ", data, 20)
        else:
            scale, length = struct.unpack_from(">II", data, 12)
    except struct.error:
        return 0.0
    return length / scale if scale and length < 1 << 60 else 0.0
