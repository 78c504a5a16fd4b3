"""How often, and when: the cadence of a job. The runner asks for the next time, people read the words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Protocol
from zoneinfo import ZoneInfo

from windrow.errors import ConfigError
from windrow.schedule.cadence_words import words_for, words_for_minutes
from windrow.schedule.calendars import render_calendars
from windrow.schedule.cron_fields import parse_cron, plain_cron, render_cron
from windrow.schedule.fields import Fields
from windrow.schedule.local_days import first_after
from windrow.schedule.phrases import elapsed_minutes, fields_of, read_phrase
from windrow.schedule.zones import find_zone

BEGINNING = datetime(2000, 1, 1, tzinfo=UTC)  # what intervals without a clock count from
_SEARCHED_DAYS = 40 * 366  # no day of any calendar lies further off


class Cadence(Protocol):
    """When a job is due."""

    @property
    def words(self) -> str:
        """What a person reads: every day at 03:30 (Europe/Helsinki)."""

    @property
    def cron(self) -> str | None:
        """The five fields, in local time; None where cron cannot say it."""

    @property
    def calendar(self) -> str | None:
        """The OnCalendar of systemd, with the zone; None where it takes several, or cannot say it."""

    @property
    def calendars(self) -> tuple[str, ...]:
        """Every OnCalendar that it takes; none where systemd cannot say it."""

    @property
    def fields(self) -> Fields | None:
        """What the clock must show; None where no clock is looked at."""

    @property
    def timezone(self) -> str:
        """The IANA name of the zone."""

    def after(self, moment: datetime) -> datetime:
        """Give the next time strictly later than a moment, in UTC."""


@dataclass(frozen=True, slots=True)
class ClockCadence:
    """Due when a clock in a zone shows certain times."""

    fields: Fields
    zone: ZoneInfo
    expression: str | None = None  # as it was given, when it was a cron expression

    @property
    def timezone(self) -> str:
        """The IANA name of the zone."""
        return self.zone.key

    @property
    def words(self) -> str:
        """What a person reads."""
        return words_for(self.fields, self.zone.key, is_cron=self.expression is not None)

    @property
    def cron(self) -> str | None:
        """The five fields, in local time."""
        return plain_cron(self.expression) if self.expression else render_cron(self.fields)

    @property
    def calendars(self) -> tuple[str, ...]:
        """Every OnCalendar that it takes."""
        return render_calendars(self.fields, self.zone.key)

    @property
    def calendar(self) -> str | None:
        """The one OnCalendar that says it; None where it takes several, or none can."""
        return self.calendars[0] if len(self.calendars) == 1 else None

    def after(self, moment: datetime) -> datetime:
        """Give the next time strictly later than a moment, in UTC."""
        # A day earlier: where clocks go back over midnight, yesterday's last hour comes again.
        day, times = moment.astimezone(self.zone).date() - timedelta(days=1), self.fields.times
        for _ in range(_SEARCHED_DAYS):
            due, day = self._on(day, times, moment), day + timedelta(days=1)
            if due is not None:
                return min(due, self._on(day, times, moment) or due)
        raise ConfigError(f"Nothing is due after {moment.isoformat()}.", hint="Choose another day.")

    def _on(self, day: date, times: tuple[int, ...], moment: datetime) -> datetime | None:
        if not self.fields.matches(day):
            return None
        return first_after(moment, day, times, self.zone, follows_clock=self.fields.follows_clock)


@dataclass(frozen=True, slots=True)
class ElapsedCadence:
    """Due each so many minutes, whatever clocks show; counted from the beginning of the year 2000, UTC."""

    minutes: int
    timezone: str
    cron: str | None = None
    calendar: str | None = None
    calendars: tuple[str, ...] = ()
    fields: Fields | None = None

    @property
    def words(self) -> str:
        """What a person reads."""
        return words_for_minutes(self.minutes)

    def after(self, moment: datetime) -> datetime:
        """Give the next time strictly later than a moment, in UTC."""
        step = timedelta(minutes=self.minutes)
        return BEGINNING + ((moment - BEGINNING) // step + 1) * step


def parse_cadence(
    every: str, *, at: str | None = None, on: str | None = None, timezone: str = "UTC"
) -> Cadence:
    """Read when a job is due: a word, an interval, a phrase with "at" and "on", or a cron expression."""
    zone = find_zone(timezone)
    if _is_cron(every):
        if at or on:
            raise ConfigError("A cron expression says all of it.", hint="Leave out at and on.")
        return ClockCadence(parse_cron(every), zone, " ".join(every.split()))
    phrase = read_phrase(every, at=at, on=on)
    minutes = elapsed_minutes(phrase)
    if minutes is not None:
        return ElapsedCadence(minutes, zone.key)
    return ClockCadence(fields_of(phrase), zone)


def next_times(cadence: Cadence, moment: datetime, count: int) -> list[datetime]:
    """Give the next times, for people who want to see what they said."""
    return list(_walk(cadence, moment, count))


def _walk(cadence: Cadence, moment: datetime, count: int) -> Iterator[datetime]:
    for _ in range(count):
        moment = cadence.after(moment)
        yield moment


def _is_cron(every: str) -> bool:
    """Whether this is meant as a cron expression: an @word, a star somewhere, or five fields of numbers."""
    words = every.split()
    if every.strip().startswith("@") or "*" in every:
        return True
    return len(words) == 5 and all(word[0].isdigit() for word in words[:3])
