"""Stretches of time: how a history is cut into windows, and a window that is too much into two."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from windrow.model.stamp import Granularity, cut, read_stamp, write_stamp

LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Stretch:
    """From and until as they stand in a request; None leaves that end open."""

    since: str | None
    until: str | None

    def __str__(self) -> str:
        return f"{self.since or 'the beginning'} to {self.until or 'now'}"


def plan(
    kind: str, since: str | None, until: str | None, *, earliest: str, now: datetime, granularity: Granularity
) -> list[Stretch]:
    """Cut a history into years, months or days. The first window's start and the last one's end stay open
    where they were: what a repository says about its earliest datestamp is often wrong."""
    if kind == "none":
        return [Stretch(since, until)]
    low = read_stamp(since or "") or read_stamp(earliest) or LONG_AGO
    high = read_stamp(until or "") or now
    starts = [moment for moment in _starts(kind, low, high) if moment > low]
    edges = [since, *(write_stamp(moment, granularity) for moment in starts)]
    ends = [write_stamp(moment - granularity.step, granularity) for moment in starts]
    return [Stretch(start, end) for start, end in zip(edges, [*ends, until], strict=True)]


def halve(stretch: Stretch, *, earliest: str, now: datetime, granularity: Granularity) -> tuple[Stretch, Stretch] | None:
    """Cut a window in two; None when it is as small as datestamps go."""
    low = read_stamp(stretch.since or "") or read_stamp(earliest) or LONG_AGO
    high = read_stamp(stretch.until or "") or now
    if high <= low and stretch.since is None:
        low = LONG_AGO  # the repository's earliest datestamp was a lie
    low, high = cut(low, granularity), cut(high, granularity)
    if high - low < granularity.step:
        return None
    middle = cut(low + (high - low) / 2, granularity) + granularity.step
    last = write_stamp(middle - granularity.step, granularity)
    return Stretch(stretch.since, last), Stretch(write_stamp(middle, granularity), stretch.until)


def _starts(kind: str, low: datetime, high: datetime) -> list[datetime]:
    if kind == "day":
        days = (high - low).days + 1
        first = cut(low, Granularity.DAY)
        return [datetime.fromtimestamp(first.timestamp() + 86400 * n, UTC) for n in range(days + 1) if first.timestamp() + 86400 * n <= high.timestamp()]
    months = range(1, 2) if kind == "year" else range(1, 13)
    every = (datetime(year, month, 1, tzinfo=UTC) for year in range(low.year, high.year + 1) for month in months)
    return [moment for moment in every if moment <= high]
