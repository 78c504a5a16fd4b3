"""Which part of a file a request asks for (RFC 9110, 14): one range, the whole, or nothing there is. Pure."""

from __future__ import annotations

import re
from enum import Enum
from typing import NamedTuple

_RANGE = re.compile(rb"bytes[ \t]*=[ \t]*([0-9]*)[ \t]*-[ \t]*([0-9]*)[ \t]*", re.IGNORECASE)
_LONGEST = 100  # letters of a header that asks for one range
_MOST_DIGITS = 18


class Part(NamedTuple):
    """Bytes of a file, from the first to the last of them."""

    first: int
    last: int

    @property
    def size(self) -> int:
        """How many there are."""
        return self.last - self.first + 1


class Outside(Enum):
    """What is asked for lies behind the end of the file."""

    OUTSIDE = 0


def read_range(header: bytes | None, size: int) -> Part | Outside | None:
    """Give the part of a file of this size that a Range header asks for; None: all of it.

    Several ranges at once, and what is no range, count as none (14.2 lets a server ignore them): nobody makes
    the server gather a thousand overlapping pieces.
    """
    found = _RANGE.fullmatch(header) if header is not None and len(header) <= _LONGEST else None
    if found is None or found[1] == found[2] == b"" or max(map(len, found.groups())) > _MOST_DIGITS:
        return None
    if not found[1]:
        return _suffix(int(found[2]), size)
    first = int(found[1])
    last = int(found[2]) if found[2] else size - 1
    if found[2] and last < first:
        return None  # not a range (14.1.1)
    return Part(first, min(last, size - 1)) if first < size else Outside.OUTSIDE


def _suffix(length: int, size: int) -> Part | Outside:
    """The last bytes of a file."""
    if not length or not size:
        return Outside.OUTSIDE
    return Part(max(size - length, 0), size - 1)
