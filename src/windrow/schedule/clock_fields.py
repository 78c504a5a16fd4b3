"""Clock fields (minutes, hours, days, months, weekdays), and cron expressions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

from windrow.errors import ConfigError

# All cadences that follow the clock consist of these five fields.

MINUTES, HOURS = tuple(range(60)), tuple(range(24))
DAYS, MONTHS = tuple(range(1, 32)), tuple(range(1, 13))
WEEKDAYS = tuple(range(7))  # 0 is Sunday, as in cron
WEEKDAY_NAMES = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
MONTH_NAMES = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
LONGEST_MONTHS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
# The origins of "every 2 days" and "every 2 weeks".
FIRST_DAY, FIRST_MONDAY = date(2000, 1, 1).toordinal(), date(2000, 1, 3).toordinal()


@dataclass(frozen=True, slots=True)
class Fields:
    """The times at which a clock triggers a job. Each tuple is sorted and has no duplicates.

    `is_either`: a matching day or weekday is enough. `follows_clock`: the job continues through clock
    changes, because it means "every so often", not "at that time".
    """

    minutes: tuple[int, ...] = (0,)
    hours: tuple[int, ...] = (0,)
    days: tuple[int, ...] = DAYS
    months: tuple[int, ...] = MONTHS
    weekdays: tuple[int, ...] = WEEKDAYS
    is_either: bool = False
    follows_clock: bool = False
    on_last_day: bool = False  # of the month, besides `days`
    every_days: int = 1
    every_weeks: int = 1

    def matches(self, day: date) -> bool:
        """Return whether the job is due at all on this day."""
        if day.month not in self.months:
            return False
        of_month, of_week = self._is_day(day), day.isoweekday() % 7 in self.weekdays
        if self.is_either:
            return of_month or of_week
        return of_month and of_week and self._is_turn(day)

    def _is_day(self, day: date) -> bool:
        if day.day in self.days:
            return True
        return self.on_last_day and (day + timedelta(days=1)).day == 1

    def _is_turn(self, day: date) -> bool:
        number = day.toordinal()
        return (number - FIRST_DAY) % self.every_days == 0 and (
            (number - FIRST_MONDAY) // 7 % self.every_weeks == 0
        )

    @property
    def times(self) -> tuple[int, ...]:
        """The due times in minutes from midnight."""
        return tuple(hour * 60 + minute for hour in self.hours for minute in self.minutes)

    @property
    def is_every_day(self) -> bool:
        every_date = self.days == DAYS and self.months == MONTHS and self.weekdays == WEEKDAYS
        return every_date and self.every_days == self.every_weeks == 1

    @property
    def is_every_hour(self) -> bool:
        return self.is_every_day and self.hours == HOURS

    @property
    def never_comes(self) -> bool:
        """Return whether no calendar has such a day, as with 30 February."""
        if self.is_either or self.on_last_day:
            return False
        return not any(True for _ in self.dates())

    def dates(self) -> Iterator[tuple[int, int]]:
        """Yield each (month, day) that exists in some year."""
        for month in self.months:
            yield from ((month, day) for day in self.days if day <= LONGEST_MONTHS[month - 1])


def shortest(month: int) -> int:
    """Return the number of days that a month has in every year."""
    return 28 if month == 2 else LONGEST_MONTHS[month - 1]


MAX_CRON_CHARACTERS = 256
NICKNAMES = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *",
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
}
_MONTH_NAMES = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAY_NAMES = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
_PART = re.compile(r"(\*|([a-z]+|\d{1,2})(?:-([a-z]+|\d{1,2}))?)(?:/(\d{1,3}))?", re.ASCII)
_SHAPE = "An expression has five fields: minute, hour, day of the month, month, day of the week."


@dataclass(frozen=True, slots=True)
class _Field:
    """One of the five fields, with its range."""

    name: str
    low: int
    high: int
    names: tuple[str, ...] = ()

    @property
    def rule(self) -> str:
        """A description of the allowed values, for error messages."""
        named = f", or {self.names[0]} to {self.names[-1]}" if self.names else ""
        return f"The {self.name} is {self.low} to {self.high}{named}, with lists 1,3, ranges 1-5, steps */2."


_FIELDS = (
    _Field("minute", 0, 59),
    _Field("hour", 0, 23),
    _Field("day of the month", 1, 31),
    _Field("month", 1, 12, _MONTH_NAMES),
    _Field("day of the week", 0, 7, _DAY_NAMES),
)


def parse_cron(expression: str) -> Fields:
    words = _split_fields(expression)
    minutes, hours, days, months, weekdays = (
        _parse_field(word, field) for word, field in zip(words, _FIELDS, strict=True)
    )
    fields = Fields(
        minutes=minutes,
        hours=hours,
        days=days,
        months=months,
        weekdays=tuple(sorted({day % 7 for day in weekdays})),
        # In cron, if neither field begins with an asterisk, one match is enough.
        is_either=not words[2].startswith("*") and not words[4].startswith("*"),
        follows_clock=words[0].startswith("*") or words[1].startswith("*"),
    )
    if fields.never_comes:
        raise ConfigError(f"{expression!r} never comes: no year has such a day.", hint="Choose another day.")
    return fields


def plain_cron(expression: str) -> str:
    """Return the expression in the portable form: five fields, single spaces, no @word."""
    return " ".join(_split_fields(expression))


def render_cron(fields: Fields) -> str | None:
    """Render fields as a cron expression; None if cron cannot express them."""
    if fields.on_last_day or fields.every_days > 1 or fields.every_weeks > 1:
        return None
    return " ".join(
        (
            _render_field(fields.minutes, MINUTES),
            _render_field(fields.hours, HOURS),
            _render_field(fields.days, DAYS),
            _render_field(fields.months, MONTHS),
            _render_field(fields.weekdays, WEEKDAYS),
        )
    )


def _split_fields(expression: str) -> list[str]:
    text = expression.strip().lower()
    if len(text) > MAX_CRON_CHARACTERS:
        raise ConfigError(f"A cron expression has at most {MAX_CRON_CHARACTERS} characters.", hint=_SHAPE)
    if text.startswith("@") and text not in NICKNAMES:
        raise ConfigError(f"There is no {text!r} here.", hint=f"There are {', '.join(NICKNAMES)}.")
    words = NICKNAMES.get(text, text).split()
    if len(words) != len(_FIELDS):
        raise ConfigError(f"{expression!r} has {len(words)} fields, not five.", hint=_SHAPE)
    return words


def _parse_field(word: str, field: _Field) -> tuple[int, ...]:
    found: set[int] = set()
    for part in word.split(","):
        found.update(_parse_part(part, field))
    return tuple(sorted(found))


def _parse_part(part: str, field: _Field) -> range:
    match = _PART.fullmatch(part)
    if match is None:
        raise _field_error(part, field)
    whole, first, last, step = match.groups()
    if whole == "*":
        low, high = field.low, min(field.high, 6) if field.names == _DAY_NAMES else field.high
    else:
        low = _number(first, field)
        high = _number(last, field) if last else low
    if low > high or (step and not (last or whole == "*")):
        raise _field_error(part, field)
    if step and not 0 < int(step) <= high - low + 1:
        raise ConfigError(
            f"{part!r} is no good {field.name}: the step is longer than the range, or nought.",
            hint='For "every 90 minutes" say just that: every = "90 minutes".',
        )
    return range(low, high + 1, int(step or 1))


def _number(text: str, field: _Field) -> int:
    if text in field.names:
        return field.names.index(text) + (1 if field.low else 0)
    if not text.isdigit() or not field.low <= int(text) <= field.high:
        raise _field_error(text, field)
    return int(text)


def _field_error(part: str, field: _Field) -> ConfigError:
    if part == "l":
        return ConfigError(
            "L is not known here.", hint='The last day of the month: every = "monthly", on = "last".'
        )
    return ConfigError(f"{part!r} is no good {field.name}.", hint=field.rule)


def _render_field(values: tuple[int, ...], every: tuple[int, ...]) -> str:
    """Render a field in the shortest form: an asterisk, a step, a range or a list."""
    if values == every:
        return "*"
    step = values[1] - values[0] if len(values) > 1 else 0
    if step > 1 and values == every[::step] and len(every) % step == 0 and len(values) > 2:
        return f"*/{step}"
    if len(values) > 2 and values == tuple(range(values[0], values[-1] + 1)):
        return f"{values[0]}-{values[-1]}"
    return ",".join(map(str, values))
