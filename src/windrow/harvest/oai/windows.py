"""Stretches of time: how a history is cut into windows, and a window that is too much into two."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from windrow.model.stamp import Granularity, cut, read_stamp, write_stamp

LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)
_EVER = datetime(1000, 1, 1, tzinfo=UTC)  # years are written with four digits
_DAY_LENGTH = len("YYYY-MM-DD")


@dataclass(frozen=True, slots=True)
class Stretch:
    """From and until as they stand in a request; None leaves that end open."""

    since: str | None
    until: str | None

    def __str__(self) -> str:
        return f"{self.since or 'the beginning'} to {self.until or 'now'}"

    @property
    def is_backwards(self) -> bool:
        """Does it end before it begins? Then there is nothing in it to ask for."""
        low, high = read_stamp(self.since or ""), _last_moment(self.until)
        return low is not None and high is not None and high < low


def fit(stretch: Stretch, granularity: Granularity) -> Stretch:
    """Give the stretch as a repository of this granularity takes it; no day at its ends gets lost."""
    return Stretch(_fit(stretch.since, granularity), _fit(stretch.until, granularity, is_end=True))


def _fit(stamp: str | None, granularity: Granularity, *, is_end: bool = False) -> str | None:
    moment = _last_moment(stamp) if is_end else read_stamp(stamp or "")
    return write_stamp(moment, granularity) if moment else None


def _last_moment(until: str | None) -> datetime | None:
    """The last second that an `until` takes in: a day's end where it names a day."""
    moment = read_stamp(until or "")
    if moment is None or until is None or len(until.strip()) > _DAY_LENGTH:
        return moment
    return moment + timedelta(days=1, seconds=-1)


def plan(
    kind: str, stretch: Stretch, *, earliest: str, now: datetime, granularity: Granularity
) -> list[Stretch]:
    """Cut a history into years, months or days, none of which begins in the future.

    The first window's start and the last one's end stay open where they were: what a repository says
    about its earliest datestamp is often wrong.
    """
    if stretch.is_backwards:
        return []
    low = read_stamp(stretch.since or "") or read_stamp(earliest) or LONG_AGO
    high = min(read_stamp(stretch.until or "") or now, now)
    left: list[Stretch] = []
    for moment in _starts(kind, max(low, LONG_AGO), high):
        first, stretch = _cut_at(stretch, moment, granularity)
        left.append(first)
    return [*left, stretch]


def split(
    stretch: Stretch, middle: datetime | None, *, earliest: str, now: datetime, granularity: Granularity
) -> tuple[Stretch, Stretch] | None:
    """Cut a window in two, at the middle of what is known to be in it, else at the middle of its time.

    None when it is as small as datestamps go.
    """
    halves = _halves(stretch, middle, granularity) if middle else None
    if halves:
        return halves
    high = cut(read_stamp(stretch.until or "") or now, granularity)
    for low in _beginnings(stretch, earliest):
        start = cut(low, granularity)
        if high - start >= granularity.step:
            half = cut(start + (high - start) / 2, granularity)
            return _halves(stretch, half + granularity.step, granularity)
    return None


def _beginnings(stretch: Stretch, earliest: str) -> list[datetime]:
    """Where a stretch may begin, likeliest first.

    Where that is open, the repository's earliest datestamp may be a lie: then look further back.
    """
    known = read_stamp(stretch.since or "")
    if known is not None:
        return [known]
    told = read_stamp(earliest)
    return [*([max(told, _EVER)] if told else []), LONG_AGO, _EVER]


def _halves(stretch: Stretch, middle: datetime, granularity: Granularity) -> tuple[Stretch, Stretch] | None:
    """The two sides of a moment; None where one of them would be no smaller than the whole."""
    first, second = _cut_at(stretch, cut(middle, granularity), granularity)
    if first.is_backwards or first.until == stretch.until or second.since == stretch.since:
        return None
    low, high = read_stamp(stretch.since or ""), read_stamp(stretch.until or "")
    is_inside = (low is None or low < middle) and (high is None or middle <= high)
    return (first, second) if is_inside else None


def _cut_at(stretch: Stretch, moment: datetime, granularity: Granularity) -> tuple[Stretch, Stretch]:
    """Before a moment, and from it on.

    Where time is told by the second, the second half starts a second early: some repositories keep
    fractions, and 23:59:59.5 lies between 23:59:59 and 00:00:00.
    """
    last = write_stamp(moment - granularity.step, granularity)
    is_wide = granularity is Granularity.SECOND and last != stretch.since
    return Stretch(stretch.since, last), Stretch(
        last if is_wide else write_stamp(moment, granularity), stretch.until
    )


def _starts(kind: str, low: datetime, high: datetime) -> Iterator[datetime]:
    """The moments after `low`, up to `high`, at which a new year, month or day begins."""
    moment = cut(low, Granularity.DAY)
    while kind != "none" and moment < high:
        if kind == "day":
            moment += timedelta(days=1)
        elif kind == "month":
            moment = (moment.replace(day=1) + timedelta(days=32)).replace(day=1)
        else:
            moment = datetime(moment.year + 1, 1, 1, tzinfo=UTC)
        if moment > high:
            return
        yield moment
