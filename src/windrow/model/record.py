"""A record as sent by its source, and the datestamps of OAI-PMH."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import NamedTuple


class Record(NamedTuple):  # a named tuple is made twice as fast as a dataclass, and a harvest makes millions
    """One entry of a list: an identifier with its payload, a tombstone, or only a header.

    `payload` holds the unchanged bytes inside `<metadata>` (UTF-8); None for tombstones and headers.
    `declarations` are the namespace declarations in scope there, as written in a start tag.
    """

    identifier: str
    stamp: str  # the provider's datestamp, unchanged
    sets: tuple[str, ...]
    is_deleted: bool
    payload: bytes | None = None
    about: bytes | None = None
    declarations: bytes = b""


@dataclass(frozen=True, slots=True)
class Reject:
    """A piece of a page that cannot be stored as a record: the reason and its bytes."""

    reason: str
    raw: bytes
    identifier: str | None = None


# Datestamps are parsed leniently, because servers deviate, and rendered strictly.

_DATE = re.compile(
    r"(\d{4})-?(\d{2})-?(\d{2})"
    r"(?:[T ](\d{2}):?(\d{2})(?::?(\d{2})(?:\.\d+)?)?(?:\s*([+-])(\d{2}):?(\d{2}))?)?"
)


class Granularity(StrEnum):
    """The precision of a repository's datestamps."""

    DAY = "day"
    SECOND = "second"

    @property
    def step(self) -> timedelta:
        return timedelta(days=1) if self is Granularity.DAY else timedelta(seconds=1)


def parse_granularity(text: str) -> Granularity | None:
    """Return the granularity in an Identify response, in any spelling; None if it states none."""
    folded = text.strip().lower()
    if not folded:
        return None
    return Granularity.SECOND if "hh" in folded or "t" in folded else Granularity.DAY


def parse_datestamp(text: str) -> datetime | None:
    """Return the time in a datestamp, in UTC; None if there is none.

    Servers send it with or without Z, with an offset (which the protocol does not have), with spaces, or as
    20100113.
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
    """Return the datestamp for a request, truncated to the granularity."""
    text = moment.astimezone(UTC).replace(microsecond=0, tzinfo=None).isoformat()
    return text[:10] if granularity is Granularity.DAY else f"{text}Z"


def truncate_to_granularity(moment: datetime, granularity: Granularity) -> datetime:
    if granularity is Granularity.DAY:
        return moment.replace(hour=0, minute=0, second=0, microsecond=0)
    return moment.replace(microsecond=0)
