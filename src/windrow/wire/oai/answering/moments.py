"""The dates of `from` and `until`, strictly: `arguments` reads them, `resumption` writes them again."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

DAY_SECONDS = 86_400
DAY_CHARACTERS = len("YYYY-MM-DD")

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MOMENT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z)?")


def parse_moment(text: str) -> int:
    """Give the Unix second at which this day or second begins; ValueError when there is no such one."""
    if _MOMENT.fullmatch(text) is None:
        raise ValueError("a date is YYYY-MM-DD or YYYY-MM-DDThh:mm:ssZ")
    passed = datetime.fromisoformat(text).replace(tzinfo=UTC) - _EPOCH
    return passed.days * DAY_SECONDS + passed.seconds


def is_by_day(text: str) -> bool:
    """Whether a date that was parsed names a day, not a second."""
    return len(text) == DAY_CHARACTERS


def write_moment(seconds: int, *, by_day: bool = False) -> str:
    """Give this second, or the day it is in, as the protocol writes it."""
    moment = _EPOCH + timedelta(seconds=seconds)
    text = moment.replace(tzinfo=None).isoformat()
    return text[:DAY_CHARACTERS] if by_day else f"{text}Z"
