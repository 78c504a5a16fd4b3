"""The cadence of a job: when it is due.

Cadences are parsed from phrases or cron expressions, for the runner and for people.
"""

from __future__ import annotations

import difflib
import os
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from pathlib import Path
from typing import Protocol
from zoneinfo import ZoneInfo, available_timezones

from windrow.errors import ConfigError
from windrow.schedule.cadence_phrases import (
    describe_fields,
    describe_interval,
    elapsed_minutes,
    phrase_fields,
    read_phrase,
)
from windrow.schedule.clock_fields import (
    DAYS,
    HOURS,
    MINUTES,
    MONTHS,
    WEEKDAY_NAMES,
    WEEKDAYS,
    Fields,
    parse_cron,
    plain_cron,
    render_cron,
)

# The due times of one local day, including the nights of clock changes. A time that the clock skips is moved
# to the end of the gap; one that occurs twice means its first occurrence. Cadences that follow the clock
# ("every 20 minutes") are due whenever the clock shows the time: not in the gap, and twice in the repeated
# hour.

_MINUTE = timedelta(minutes=1)


def first_time_after(
    moment: datetime, day: date, times: tuple[int, ...], zone: ZoneInfo, *, follows_clock: bool
) -> datetime | None:
    """Return the first of these times (minutes from midnight) after a moment; None if there is none."""
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


@lru_cache(maxsize=256)  # in such a night each job asks repeatedly
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
            if _clock_shows(instant, local, zone):
                yield instant
        return
    instant = _instant(local, zone, 0)
    yield instant if _clock_shows(instant, local, zone) else _end_of_jump(local, zone)


def _end_of_jump(local: datetime, zone: ZoneInfo) -> datetime:
    """Return the moment at which the clock skipped a local time, by bisection."""
    low, high = (int(_instant(local, zone, fold).timestamp()) for fold in (1, 0))
    before = _offset_at(low, zone)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _offset_at(middle, zone) == before else (low, middle)
    return datetime.fromtimestamp(high, UTC)


def _instant(local: datetime, zone: ZoneInfo, fold: int) -> datetime:
    return local.replace(tzinfo=zone, fold=fold).astimezone(UTC)


def _clock_shows(instant: datetime, local: datetime, zone: ZoneInfo) -> bool:
    return instant.astimezone(zone).replace(tzinfo=None) == local


def _offset_at(seconds: int, zone: ZoneInfo) -> timedelta | None:
    return datetime.fromtimestamp(seconds, zone).utcoffset()


# Cadences as systemd OnCalendar expressions with a time zone.


def render_calendars(fields: Fields, timezone: str) -> tuple[str, ...]:
    """Return the expressions that together express the fields; () if systemd cannot."""
    if fields.every_days > 1 or fields.every_weeks > 1:
        return ()
    return tuple(_render(part, timezone) for part in _parts(fields))


def _parts(fields: Fields) -> list[Fields]:
    """Split fields that need several expressions: days or weekdays, dates or the last day."""
    if fields.is_either:
        return [replace(fields, weekdays=WEEKDAYS), replace(fields, days=DAYS)]
    if fields.on_last_day and fields.days:
        return [replace(fields, on_last_day=False), replace(fields, days=())]
    return [fields]


def _render(fields: Fields, timezone: str) -> str:
    named = ",".join(WEEKDAY_NAMES[day][:3] for day in fields.weekdays)
    weekdays = "" if fields.weekdays == WEEKDAYS else f"{named} "
    months = _list(fields.months, MONTHS)
    day = f"-{_list(fields.days, DAYS)}" if fields.days else "~01"
    times = f"{_list(fields.hours, HOURS)}:{_list(fields.minutes, MINUTES)}:00"
    return f"{weekdays}*-{months}{day} {times} {timezone}"


def _list(values: tuple[int, ...], every: tuple[int, ...]) -> str:
    return "*" if values == every else ",".join(f"{value:02}" for value in values)


# Time zones: of a job, of this machine, and whether two show the same time.

_LOCALTIME, _NAMED = Path("/etc/localtime"), Path("/etc/timezone")
_MAX_NAME_CHARACTERS = 64
_OTHER_NAMES_OF_UTC = frozenset(
    {"Etc/UTC", "Etc/UCT", "UCT", "Etc/Universal", "Universal", "Etc/Zulu", "Zulu"}
)
_COMPARED_STEPS, _STEP_HOURS = 3 * 366 * 2, 12  # three years, twice a day


@lru_cache(maxsize=128)
def find_zone(name: str) -> ZoneInfo:
    """Return the zone of an IANA name such as Europe/Helsinki."""
    if 0 < len(name) <= _MAX_NAME_CHARACTERS:
        try:
            return ZoneInfo(name)
        except (OSError, ValueError, KeyError):
            pass
    near = difflib.get_close_matches(name[:_MAX_NAME_CHARACTERS], available_timezones(), n=1, cutoff=0.6)
    hint = (
        f"Did you mean {near[0]}?" if near else "Names are such as Europe/Helsinki, America/New_York or UTC."
    )
    raise ConfigError(f"There is no time zone {name[:_MAX_NAME_CHARACTERS]!r}.", hint=hint)


def machine_zone() -> str:
    """Return the name of this machine's time zone; UTC if it is not configured."""
    for name in (os.environ.get("TZ", "").removeprefix(":"), _zone_from_link(), _zone_from_file()):
        if name and _exists(name):
            return "UTC" if name in _OTHER_NAMES_OF_UTC else name
    return "UTC"


def hours_apart(one: ZoneInfo, other: ZoneInfo, *, now: datetime | None = None) -> frozenset[float]:
    """Return by how many hours two clocks differ in the next three years; {0}: not at all."""
    begin = now or datetime.now(UTC)
    moments = (begin + timedelta(hours=_STEP_HOURS * step) for step in range(_COMPARED_STEPS))
    return frozenset(
        (_utc_offset(moment, one) - _utc_offset(moment, other)) / timedelta(hours=1) for moment in moments
    )


def _utc_offset(moment: datetime, zone: ZoneInfo) -> timedelta:
    return moment.astimezone(zone).utcoffset() or timedelta()


def _zone_from_link() -> str:
    _, _, name = os.path.realpath(_LOCALTIME).partition("/zoneinfo/")
    return name


def _zone_from_file() -> str:
    try:
        return _NAMED.read_text(encoding="ascii", errors="replace").strip()
    except OSError:
        return ""


def _exists(name: str) -> bool:
    try:
        find_zone(name)
    except ConfigError:
        return False
    return True


BEGINNING = datetime(2000, 1, 1, tzinfo=UTC)  # origin of intervals that are independent of the clock
_SEARCHED_DAYS = 40 * 366  # the next due day of any calendar is nearer


class Cadence(Protocol):
    """When a job is due."""

    @property
    def words(self) -> str:
        """A description for people: every day at 03:30 (Europe/Helsinki)."""

    @property
    def cron(self) -> str | None:
        """The cron expression, in local time; None if cron cannot express it."""

    @property
    def calendar(self) -> str | None:
        """The systemd OnCalendar expression, with the zone; None if there is not exactly one."""

    @property
    def calendars(self) -> tuple[str, ...]:
        """All OnCalendar expressions that are needed; () if systemd cannot express it."""

    @property
    def fields(self) -> Fields | None:
        """The clock fields; None if the cadence is independent of the clock."""

    @property
    def timezone(self) -> str:
        """The IANA name of the zone."""

    def after(self, moment: datetime) -> datetime:
        """Return the next time strictly later than a moment, in UTC."""


@dataclass(frozen=True, slots=True)
class ClockCadence:
    """Due when a clock in a zone shows certain times."""

    fields: Fields
    zone: ZoneInfo
    expression: str | None = None  # the original cron expression, if it was one

    @property
    def timezone(self) -> str:
        return self.zone.key

    @property
    def words(self) -> str:
        return describe_fields(self.fields, self.zone.key, is_cron=self.expression is not None)

    @property
    def cron(self) -> str | None:
        return plain_cron(self.expression) if self.expression else render_cron(self.fields)

    @property
    def calendars(self) -> tuple[str, ...]:
        return render_calendars(self.fields, self.zone.key)

    @property
    def calendar(self) -> str | None:
        return self.calendars[0] if len(self.calendars) == 1 else None

    def after(self, moment: datetime) -> datetime:
        # Start a day earlier: if clocks go back over midnight, yesterday's last hour is repeated.
        day, times = moment.astimezone(self.zone).date() - timedelta(days=1), self.fields.times
        for _ in range(_SEARCHED_DAYS):
            due, day = self._on(day, times, moment), day + timedelta(days=1)
            if due is not None:
                return min(due, self._on(day, times, moment) or due)
        raise ConfigError(f"Nothing is due after {moment.isoformat()}.", hint="Choose another day.")

    def _on(self, day: date, times: tuple[int, ...], moment: datetime) -> datetime | None:
        if not self.fields.matches(day):
            return None
        return first_time_after(moment, day, times, self.zone, follows_clock=self.fields.follows_clock)


@dataclass(frozen=True, slots=True)
class ElapsedCadence:
    """Due every so many minutes, independent of clocks; counted from the beginning of the year 2000, UTC."""

    minutes: int
    timezone: str
    cron: str | None = None
    calendar: str | None = None
    calendars: tuple[str, ...] = ()
    fields: Fields | None = None

    @property
    def words(self) -> str:
        return describe_interval(self.minutes)

    def after(self, moment: datetime) -> datetime:
        step = timedelta(minutes=self.minutes)
        return BEGINNING + ((moment - BEGINNING) // step + 1) * step


def parse_cadence(
    every: str, *, at: str | None = None, on: str | None = None, timezone: str = "UTC"
) -> Cadence:
    """Parse a cadence: a word, an interval, a phrase with "at" and "on", or a cron expression."""
    zone = find_zone(timezone)
    if _is_cron(every):
        if at or on:
            raise ConfigError("A cron expression says all of it.", hint="Leave out at and on.")
        return ClockCadence(parse_cron(every), zone, " ".join(every.split()))
    phrase = read_phrase(every, at=at, on=on)
    minutes = elapsed_minutes(phrase)
    if minutes is not None:
        return ElapsedCadence(minutes, zone.key)
    return ClockCadence(phrase_fields(phrase), zone)


def next_times(cadence: Cadence, moment: datetime, count: int) -> list[datetime]:
    """Return the next due times, as a check for people."""
    return list(_walk_times(cadence, moment, count))


def _walk_times(cadence: Cadence, moment: datetime, count: int) -> Iterator[datetime]:
    for _ in range(count):
        moment = cadence.after(moment)
        yield moment


def _is_cron(every: str) -> bool:
    """Return whether this is meant as a cron expression: an @word, an asterisk, or five numeric fields."""
    words = every.split()
    if every.strip().startswith("@") or "*" in every:
        return True
    return len(words) == 5 and all(word[0].isdigit() for word in words[:3])
