"""Cron expressions, read and written: five fields, names of days and months, and the @words."""

from __future__ import annotations

import re
from dataclasses import dataclass

from windrow.errors import ConfigError
from windrow.schedule.fields import DAYS, HOURS, MINUTES, MONTHS, WEEKDAYS, Fields

LONGEST = 256  # characters
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
    """What one of the five may hold."""

    name: str
    low: int
    high: int
    names: tuple[str, ...] = ()

    @property
    def rule(self) -> str:
        """Say what it may hold, for a person."""
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
    """Read a cron expression."""
    words = _five(expression)
    minutes, hours, days, months, weekdays = (
        _parse_field(word, field) for word, field in zip(words, _FIELDS, strict=True)
    )
    fields = Fields(
        minutes=minutes,
        hours=hours,
        days=days,
        months=months,
        weekdays=tuple(sorted({day % 7 for day in weekdays})),
        # As cron has it: where neither begins with a star, one of the two is enough.
        is_either=not words[2].startswith("*") and not words[4].startswith("*"),
        follows_clock=words[0].startswith("*") or words[1].startswith("*"),
    )
    if fields.never_comes:
        raise ConfigError(f"{expression!r} never comes: no year has such a day.", hint="Choose another day.")
    return fields


def plain_cron(expression: str) -> str:
    """Give the expression as every cron takes it: five fields, single spaces, no @word."""
    return " ".join(_five(expression))


def render_cron(fields: Fields) -> str | None:
    """Write fields as a cron expression; None when cron has no way to say it."""
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


def _five(expression: str) -> list[str]:
    text = expression.strip().lower()
    if len(text) > LONGEST:
        raise ConfigError(f"A cron expression has at most {LONGEST} characters.", hint=_SHAPE)
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
        raise _wrong(part, field)
    whole, first, last, step = match.groups()
    if whole == "*":
        low, high = field.low, min(field.high, 6) if field.names == _DAY_NAMES else field.high
    else:
        low = _number(first, field)
        high = _number(last, field) if last else low
    if low > high or (step and not (last or whole == "*")):
        raise _wrong(part, field)
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
        raise _wrong(text, field)
    return int(text)


def _wrong(part: str, field: _Field) -> ConfigError:
    if part == "l":
        return ConfigError(
            "L is not known here.", hint='The last day of the month: every = "monthly", on = "last".'
        )
    return ConfigError(f"{part!r} is no good {field.name}.", hint=field.rule)


def _render_field(values: tuple[int, ...], every: tuple[int, ...]) -> str:
    """Write a field the short way: a star, a star with a step, a range, a list."""
    if values == every:
        return "*"
    step = values[1] - values[0] if len(values) > 1 else 0
    if step > 1 and values == every[::step] and len(every) % step == 0 and len(values) > 2:
        return f"*/{step}"
    if len(values) > 2 and values == tuple(range(values[0], values[-1] + 1)):
        return f"{values[0]}-{values[-1]}"
    return ",".join(map(str, values))
