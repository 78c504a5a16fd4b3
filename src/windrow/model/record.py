"""What a source said about one thing, as it was cut out of a page."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import NamedTuple


class Record(NamedTuple):  # not a dataclass: harvesting makes millions, and this is made twice as fast
    """One entry of a list: an identifier with its payload, or a tombstone, or only a header.

    `payload` holds the bytes inside `<metadata>` as they came (UTF-8); None for tombstones and headers.
    `declarations` are the namespace declarations in scope there, as they would stand in a start tag.
    """

    identifier: str
    stamp: str  # the provider's datestamp, as it came
    sets: tuple[str, ...]
    is_deleted: bool
    payload: bytes | None = None
    about: bytes | None = None
    declarations: bytes = b""


@dataclass(frozen=True, slots=True)
class Reject:
    """A piece of a page that cannot be kept as a record: why, and its bytes."""

    reason: str
    raw: bytes
    identifier: str | None = None


# Datestamps: what servers send, read leniently; what we send, written strictly.

_DATE = re.compile(
    r"(\d{4})-?(\d{2})-?(\d{2})"
    r"(?:[T ](\d{2}):?(\d{2})(?::?(\d{2})(?:\.\d+)?)?(?:\s*([+-])(\d{2}):?(\d{2}))?)?"
)


class Granularity(StrEnum):
    """How finely a repository tells time."""

    DAY = "day"
    SECOND = "second"

    @property
    def step(self) -> timedelta:
        """The smallest difference between two datestamps."""
        return timedelta(days=1) if self is Granularity.DAY else timedelta(seconds=1)


def parse_granularity(text: str) -> Granularity | None:
    """Return the granularity that Identify names, however it is spelled; None when it says nothing."""
    folded = text.strip().lower()
    if not folded:
        return None
    return Granularity.SECOND if "hh" in folded or "t" in folded else Granularity.DAY


def parse_datestamp(text: str) -> datetime | None:
    """Return the time in a datestamp, in UTC; None when there is none.

    With or without Z, with an offset though the protocol has none, with spaces, as 20100113.
    """
    found = _DATE.search(text)
    if found is None:
        return None
    *parts, sign, hours, minutes = found.groups()
    year, month, day, hour, minute, second = (int(part or 0) for part in parts)
    east = timedelta(hours=int(hours), minutes=int(minutes)) if sign else timedelta()
    try:
        local = datetime(year, month, day, hour, minute, min(second, 59), tzinfo=UTC)
        return local + east if sign == "-" else local - east
    except (ValueError, OverflowError):
        return None


def format_datestamp(moment: datetime, granularity: Granularity) -> str:
    """Return the datestamp for a request, cut to the granularity."""
    text = moment.astimezone(UTC).replace(microsecond=0, tzinfo=None).isoformat()
    return text[:10] if granularity is Granularity.DAY else f"{text}Z"


def truncate_to_granularity(moment: datetime, granularity: Granularity) -> datetime:
    """Return the start of the granule that a moment is in."""
    if granularity is Granularity.DAY:
        return moment.replace(hour=0, minute=0, second=0, microsecond=0)
    return moment.replace(microsecond=0)
