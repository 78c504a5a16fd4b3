"""The moments of one local day, through the nights when clocks change. `cadence` walks from day to day.

A time that the clock jumped over is right after the jump; one that comes twice is its first coming. What
follows the clock is every moment at which the clock shows it: none in the jump, two when it comes twice.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

_MINUTE = timedelta(minutes=1)


def first_after(
    moment: datetime, day: date, times: tuple[int, ...], zone: ZoneInfo, *, follows_clock: bool
) -> datetime | None:
    """Give the first of these times (minutes from midnight) that is later than a moment; None if none."""
    midnight = datetime.combine(day, time())
    begin = midnight.replace(tzinfo=zone)
    end = (midnight + timedelta(days=1)).replace(tzinfo=zone, fold=1)
    if begin.utcoffset() == end.utcoffset():
        return _on_plain_day(moment, begin.astimezone(UTC), times)
    moments = _on_changing_day(midnight, times, zone, follows_clock)
    place = bisect_right(moments, moment)
    return moments[place] if place < len(moments) else None


def _on_plain_day(moment: datetime, begin: datetime, times: tuple[int, ...]) -> datetime | None:
    place = bisect_right(times, (moment - begin) // _MINUTE)
    return begin + times[place] * _MINUTE if place < len(times) else None


@lru_cache(maxsize=256)  # in such a night each job asks again and again
def _on_changing_day(
    midnight: datetime, times: tuple[int, ...], zone: ZoneInfo, follows_clock: bool
) -> tuple[datetime, ...]:
    found = {
        instant
        for minutes in times
        for instant in _instants(midnight + minutes * _MINUTE, zone, follows_clock=follows_clock)
    }
    return tuple(sorted(found))


def _instants(local: datetime, zone: ZoneInfo, *, follows_clock: bool) -> Iterator[datetime]:
    if follows_clock:
        for fold in (0, 1):
            instant = _instant(local, zone, fold)
            if _shows(instant, local, zone):
                yield instant
        return
    instant = _instant(local, zone, 0)
    yield instant if _shows(instant, local, zone) else _end_of_jump(local, zone)


def _end_of_jump(local: datetime, zone: ZoneInfo) -> datetime:
    """Find the moment at which the clock jumped over a local time, by halving."""
    low, high = (int(_instant(local, zone, fold).timestamp()) for fold in (1, 0))
    before = _offset(low, zone)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _offset(middle, zone) == before else (low, middle)
    return datetime.fromtimestamp(high, UTC)


def _instant(local: datetime, zone: ZoneInfo, fold: int) -> datetime:
    return local.replace(tzinfo=zone, fold=fold).astimezone(UTC)


def _shows(instant: datetime, local: datetime, zone: ZoneInfo) -> bool:
    return instant.astimezone(zone).replace(tzinfo=None) == local


def _offset(seconds: int, zone: ZoneInfo) -> timedelta | None:
    return datetime.fromtimestamp(seconds, zone).utcoffset()
