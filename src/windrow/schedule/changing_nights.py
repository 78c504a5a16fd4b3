"""What systemd leaves out in the nights when clocks change, as dates of its own for the years to come.

It passes over the second of two equal times; and from a time that the clock jumped over, it goes straight to
the next day. With these dates besides, its calendar agrees with ours.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from windrow.schedule.cadence import Cadence
from windrow.schedule.fields import Fields
from windrow.schedule.zones import find_zone

YEARS = 10
_DAY = timedelta(days=1)


def render_changing_nights(cadence: Cadence, begin: datetime) -> tuple[str, ...]:
    """Give the OnCalendar expressions, one for each hour, that systemd must be told besides."""
    if cadence.fields is None:
        return ()
    hours: defaultdict[str, list[str]] = defaultdict(list)
    for moment in _left_out(cadence, cadence.fields, begin):
        hours[f"{moment:%Y-%m-%d %H}"].append(f"{moment:%M}")
    return tuple(f"{hour}:{','.join(minutes)}:00 UTC" for hour, minutes in hours.items())


def _left_out(cadence: Cadence, fields: Fields, begin: datetime) -> Iterator[datetime]:
    zone = find_zone(cadence.timezone)
    for day in _changing_days(begin.astimezone(zone).date(), zone):
        jumps = any(_is_jumped_over(day, minutes, zone) for minutes in fields.times)
        moment, end = (_midnight(each, zone) for each in (day, day + _DAY))
        moment -= timedelta(seconds=1)
        while (moment := cadence.after(moment)) < end:
            if jumps or moment.astimezone(zone).fold:
                yield moment


def _is_jumped_over(day: date, minutes: int, zone: ZoneInfo) -> bool:
    local = datetime.combine(day, time(minutes // 60, minutes % 60))
    shown = local.replace(tzinfo=zone).astimezone(UTC).astimezone(zone)
    return shown.replace(tzinfo=None) != local


def _changing_days(first: date, zone: ZoneInfo) -> Iterator[date]:
    for number in range(YEARS * 366):
        day = first + number * _DAY
        begin, end = (datetime.combine(each, time(), tzinfo=zone) for each in (day, day + _DAY))
        if begin.utcoffset() != end.replace(fold=1).utcoffset():
            yield day


def _midnight(day: date, zone: ZoneInfo) -> datetime:
    return datetime.combine(day, time(), tzinfo=zone).astimezone(UTC)
