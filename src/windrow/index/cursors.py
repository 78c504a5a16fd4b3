"""Where the following page of results starts, as a text that says nothing to anybody else.

Documents in the order of a number go on behind the last one's, wherever in the results that is. Titles and
results by relevance go on at a place, counted from where it is easily found again; the last document shown
there is noted, too, so that the place can be put right when documents came or went (see `resuming`).
"""

from __future__ import annotations

import binascii
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import NamedTuple

from windrow.errors import UsageError
from windrow.index.protocol import DEEPEST_OFFSET, Order

_GREATEST = (1 << 63) - 2
_SHAPE = re.compile(
    r"([a-z]{1,12})-([0-9a-f]{1,16})-([0-9a-f]{1,16})(?:-([0-9A-Za-z_=-]{1,8000}))?", re.ASCII
)


class Cursor(NamedTuple):
    """Go on at this key of the order, so many documents further; without a key, from the first.

    `last` tells the document before, as its order wants it.
    """

    key: int | None
    skip: int
    last: str = ""


def write(order: Order, cursor: Cursor) -> str:
    """A cursor as text."""
    last = urlsafe_b64encode(cursor.last.encode("utf-8", "surrogatepass")).decode()
    return f"{order}-{cursor.key or 0:x}-{cursor.skip:x}" + (f"-{last}" if last else "")


def read(text: str, order: Order) -> Cursor:
    """The cursor in a text; UsageError for anything that no page gave."""
    found = _SHAPE.fullmatch(text)
    if found is None or found[1] != order:
        raise _unknown(text)
    key, skip = int(found[2], 16), int(found[3], 16)
    try:
        last = urlsafe_b64decode(found[4] or "").decode("utf-8", "surrogatepass")
    except (binascii.Error, UnicodeError) as exc:
        raise _unknown(text) from exc
    return Cursor(min(key, _GREATEST), skip, last)


def score_in(cursor: Cursor) -> float:
    """The score of the last document shown; 0 where the cursor tells none."""
    try:
        return float(cursor.last)
    except ValueError:
        return 0.0


def check_offset(offset: int) -> int:
    """The offset, if somebody may ask for it; UsageError for one that is too deep."""
    if not 0 <= offset <= DEEPEST_OFFSET:
        raise UsageError(
            f"results after the first {DEEPEST_OFFSET:,} are not shown",
            hint="Narrow the search, sort it otherwise, or export the results.",
        )
    return offset


def _unknown(text: str) -> UsageError:
    return UsageError(
        f"no page of results gave {text[:40]!r} as its next", hint="Start again with the first page."
    )
