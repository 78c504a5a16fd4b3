"""Several packed pieces in one block, so that one record can be unpacked without the others. A hot path.

In front of the pieces lies a table of where each ends, packed and unpacked, in a frame of the kind that zstd
skips: the whole is still something that any zstd unpacks. What the table says is believed without unpacking
what it tells of, so it has a checksum of its own.
"""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections.abc import Sequence
from functools import cache
from itertools import accumulate, islice
from zlib import crc32

import zstandard

_SKIPPED = 0x184D2A57  # what begins so is no data to zstd
_HEAD = struct.Struct("<III")  # that, how many bytes follow, and the checksum of all of them but itself
_SUM_BYTES = 4
_ENDS_BYTES = 8  # of one piece

# Which bytes of a block a packed piece is, and which of the block unpacked: from, to, first, behind the last.
Frame = tuple[int, int, int, int]


def join(packed: Sequence[bytes], sizes: Sequence[int]) -> bytes:
    """Make one block of packed pieces, given how many bytes each has when it is unpacked."""
    count = len(packed)
    ends = accumulate(map(len, packed), initial=_first(count))
    table = _numbers(count).pack(*accumulate(sizes), *islice(ends, 1, None))
    return b"".join((_HEAD.pack(_SKIPPED, len(table) + _SUM_BYTES, crc32(table)), table, *packed))


def unpacked_size(data: bytes) -> int | None:
    """How many bytes the pieces of a block come to; None of a single piece without a table."""
    found = _table(data)
    return None if found is None else found[len(found) // 2 - 1]


def frame_at(data: bytes, place: int) -> Frame | None:
    """The piece that has the byte at this place of the block; None of a single piece without a table."""
    found = _table(data)
    if found is None:
        return None
    count = len(found) >> 1
    number = bisect_right(found, place, 0, count)
    if number == count:
        raise zstandard.ZstdError("a block ends before a place in it")
    if number:
        return found[count + number - 1], found[count + number], found[number - 1], found[number]
    return _first(count), found[count], 0, found[0]


def _table(data: bytes) -> tuple[int, ...] | None:
    """Where pieces end: of the unpacked block, then of the packed one."""
    if len(data) < _HEAD.size:
        return None
    mark, size, checksum = _HEAD.unpack_from(data)
    if mark != _SKIPPED:
        return None
    end = _HEAD.size - _SUM_BYTES + size
    if crc32(data[_HEAD.size : end]) != checksum:
        raise zstandard.ZstdError("the table of a block is damaged")
    return _numbers(size >> 3).unpack_from(data, _HEAD.size)


def _first(count: int) -> int:
    """Where the first of so many pieces begins."""
    return _HEAD.size + count * _ENDS_BYTES


@cache
def _numbers(count: int) -> struct.Struct:
    return struct.Struct(f"<{count * 2}I")
