"""Where the following page of results starts, as a text that says nothing to anybody else.

Documents in the order of a number go on behind the last one's, wherever in the results that is; titles behind
the letters they begin with; results by relevance at a place, for their scores are no ground to stand on.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from windrow.errors import UsageError
from windrow.index.protocol import DEEPEST_OFFSET, Order

_GREATEST = (1 << 63) - 2
_SHAPE = re.compile(r"([a-z]{1,12})-([0-9a-f]{1,16})-([0-9a-f]{1,16})", re.ASCII)


class Cursor(NamedTuple):
    """Go on at this key of the order, so many documents further; without a key, from the first."""

    key: int | None
    skip: int


def write(order: Order, cursor: Cursor) -> str:
    """A cursor as text."""
    return f"{order}-{cursor.key or 0:x}-{cursor.skip:x}"


def read(text: str, order: Order) -> Cursor:
    """The cursor in a text; UsageError for anything that no page gave."""
    found = _SHAPE.fullmatch(text)
    if found is None or found[1] != order:
        raise UsageError(
            f"no page of results gave {text[:40]!r} as its next", hint="Start again with the first page."
        )
    key, skip = int(found[2], 16), int(found[3], 16)
    return Cursor(None if order is Order.RELEVANCE else min(key, _GREATEST), skip)


def check_offset(offset: int) -> int:
    """The offset, if somebody may ask for it; UsageError for one that is too deep."""
    if not 0 <= offset <= DEEPEST_OFFSET:
        raise UsageError(
            f"results after the first {DEEPEST_OFFSET:,} are not shown",
            hint="Narrow the search, sort it otherwise, or export the results.",
        )
    return offset
