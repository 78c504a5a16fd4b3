"""When, as people say it: daily, weekdays at 03:30, monthly on the last. `cadence` gets fields from here."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from windrow.errors import ConfigError
from windrow.schedule.cron_fields import render_cron
from windrow.schedule.fields import HOURS, LONGEST_MONTHS, MINUTES, MONTH_NAMES, WEEKDAY_NAMES, Fields

LONGEST = 200  # characters
EXAMPLES = (
    "Say hourly, daily, weekly, monthly, yearly, weekdays, weekends, 20 minutes, 6 hours, 2 days, "
    "or a cron expression such as '30 3 * * *'."
)
_WHOLE = re.compile(r"(?:every\s+)?(?P<every>.+?)(?:\s+on\s+(?P<on>.+?))?(?:\s+at\s+(?P<at>.+))?", re.ASCII)
_COUNTED = re.compile(r"(?P<number>\d{1,6})\s*(?P<unit>minutes?|min|hours?|h|days?|d|weeks?)", re.ASCII)
_TIME = re.compile(r"(?P<hour>\d{1,2})(?:[:.](?P<minute>\d{2}))?", re.ASCII)
_PAST = re.compile(r":?(?P<minute>\d{1,2})", re.ASCII)
_DAY = re.compile(r"(?:the\s+)?(?P<day>\d{1,2})(?:st|nd|rd|th)?", re.ASCII)
_DATE = re.compile(
    r"(?P<m1>\d{1,2})-(?P<d1>\d{1,2})|(?P<d2>\d{1,2})\.?\s+(?P<m2>[a-z]+)|(?P<m3>[a-z]+)\s+(?P<d3>\d{1,2})",
    re.ASCII,
)
_WEEKDAYS, _MONTHS = (tuple(map(str.lower, names)) for names in (WEEKDAY_NAMES, MONTH_NAMES))
_SHORTEST_NAME = 3  # letters: mon, tues, thurs
_DAY_MINUTES = 24 * 60
_LONGEST_MINUTES = 366 * _DAY_MINUTES


@dataclass(frozen=True, slots=True)
class Phrase:
    """The three parts of when, in small letters; None where nothing was said."""

    every: str
    at: str | None
    on: str | None


def read_phrase(every: str, *, at: str | None, on: str | None) -> Phrase:
    """Take "weekdays at 03:30" apart, and lay what was said apart beside it."""
    texts = [text for text in (every, at, on) if text is not None]
    if any(len(text) > LONGEST for text in texts):
        raise ConfigError(f"When a job runs is said in at most {LONGEST} characters.", hint=EXAMPLES)
    match = _WHOLE.fullmatch(" ".join(every.lower().split()))
    if match is None:
        raise ConfigError("Nothing says how often.", hint=EXAMPLES)
    return Phrase(match["every"], _one_of("at", match["at"], at), _one_of("on", match["on"], on))


def _one_of(what: str, inside: str | None, beside: str | None) -> str | None:
    said = " ".join(beside.lower().split()) if beside else None
    if inside and said and inside != said:
        raise ConfigError(f"Two different {what!r}: {inside!r} and {said!r}.", hint="Say it once.")
    return inside or said


def elapsed_minutes(phrase: Phrase) -> int | None:
    """Give the minutes of an interval that no clock divides into: 45 minutes, 7 hours; None for all else."""
    minutes = _counted_minutes(phrase.every)
    if minutes is None or minutes % _DAY_MINUTES == 0 or _fits_hour(minutes) or _fits_day(minutes):
        return None
    if phrase.at or phrase.on:
        raise ConfigError(
            f"{phrase.every!r} has no time of day: it goes on from one day into the next.",
            hint="Leave out at and on, or choose hours that divide a day: 2, 3, 4, 6, 8 or 12.",
        )
    return minutes


def fields_of(phrase: Phrase) -> Fields:
    """Give the fields of everything that goes by the clock."""
    minutes = _counted_minutes(phrase.every)
    if minutes is not None:
        fields = _counted(minutes, phrase)
    elif phrase.every in _NAMED:
        fields = _NAMED[phrase.every](phrase)
    else:
        days = _weekdays(phrase.every)
        if days is None:
            raise ConfigError(f"{phrase.every!r} does not say how often.", hint=EXAMPLES)
        fields = replace(_at(phrase), weekdays=days)
        _refuse_on(phrase)
    return _settle(fields)


def _settle(fields: Fields) -> Fields:
    """Mark what cron would take for "every so often", so that cron and Windrow mean the same."""
    expression = render_cron(replace(fields, on_last_day=False, every_days=1, every_weeks=1))
    minute, hour = (expression or "0 0").split()[:2]
    return replace(fields, follows_clock=minute.startswith("*") or hour.startswith("*"))


def _counted_minutes(every: str) -> int | None:
    match = _COUNTED.fullmatch(every)
    if match is None:
        return None
    unit = {"m": 1, "h": 60, "d": _DAY_MINUTES, "w": 7 * _DAY_MINUTES}[match["unit"][0]]
    minutes = int(match["number"]) * unit
    if not 0 < minutes <= _LONGEST_MINUTES:
        raise ConfigError(f"{every!r} is not between a minute and 366 days.", hint=EXAMPLES)
    return minutes


def _fits_hour(minutes: int) -> bool:
    return minutes <= 60 and 60 % minutes == 0


def _fits_day(minutes: int) -> bool:
    return minutes % 60 == 0 and _DAY_MINUTES % minutes == 0


def _counted(minutes: int, phrase: Phrase) -> Fields:
    if minutes == 60:
        return _hourly(phrase)
    if minutes < 60:
        if phrase.at:
            raise ConfigError(f"{phrase.every!r} has no time of day.", hint="Leave out at.")
        _refuse_on(phrase)
        return Fields(minutes=MINUTES[::minutes], hours=HOURS)
    if minutes < _DAY_MINUTES:
        return _every_hours(minutes // 60, phrase)
    if phrase.every.rstrip("s").endswith("week"):
        return replace(_weekly(phrase), every_weeks=minutes // (7 * _DAY_MINUTES))
    _refuse_on(phrase)
    return replace(_at(phrase), every_days=minutes // _DAY_MINUTES)


def _every_hours(step: int, phrase: Phrase) -> Fields:
    """Every so many hours, from midnight or from the time that was said on."""
    _refuse_on(phrase)
    if phrase.at and phrase.at.startswith(":"):
        return replace(_hourly(phrase), hours=HOURS[::step])
    start = _at(phrase)
    if len(start.times) > 1:
        raise ConfigError(f"{phrase.every!r} begins at one time of day.", hint="Say one: at = 01:30.")
    return replace(start, hours=HOURS[start.hours[0] % step :: step])


def _hourly(phrase: Phrase) -> Fields:
    _refuse_on(phrase)
    if phrase.at is None:
        return Fields(hours=HOURS)
    found = {_minute_past(part) for part in _parts(phrase.at)}
    return Fields(minutes=tuple(sorted(found)), hours=HOURS)


def _minute_past(part: str) -> int:
    match = _PAST.fullmatch(part)
    if match is None or int(match["minute"]) > 59:
        raise ConfigError(
            f"{part!r} is no minute of an hour.", hint="Hourly at :15 is a quarter past each hour."
        )
    return int(match["minute"])


def _daily(phrase: Phrase) -> Fields:
    if phrase.on is None:
        return _at(phrase)
    return _weekly(phrase)


def _weekly(phrase: Phrase) -> Fields:
    days = _weekdays(phrase.on or "sunday")
    if days is None:
        raise ConfigError(
            f"{phrase.on!r} is no day of the week.", hint="Say mon, or mon and thu, or mon-fri."
        )
    return replace(_at(phrase), weekdays=days)


def _monthly(phrase: Phrase) -> Fields:
    days, has_last = set[int](), False
    for part in _parts(phrase.on or "1"):
        if part in {"last", "last day", "the last", "the last day"}:
            has_last = True
            continue
        match = _DAY.fullmatch(part)
        if match is None or not 1 <= int(match["day"]) <= 31:
            raise ConfigError(f"{part!r} is no day of a month.", hint="Say 1 to 31, or last.")
        days.add(int(match["day"]))
    return replace(_at(phrase), days=tuple(sorted(days)), on_last_day=has_last)


def _yearly(phrase: Phrase) -> Fields:
    match = _DATE.fullmatch(phrase.on or "1 january")
    month, day = _month_and_day(match) if match else (None, 0)
    if month is None or not 1 <= day <= LONGEST_MONTHS[month - 1]:
        raise ConfigError(f"{phrase.on!r} is no day of a year.", hint="Say 12-24, or 24 December, or Feb 29.")
    return replace(_at(phrase), days=(day,), months=(month,))


def _month_and_day(match: re.Match[str]) -> tuple[int | None, int]:
    if match["m1"]:
        month = int(match["m1"])
        return (month if 1 <= month <= 12 else None), int(match["d1"])
    place = _named(match["m2"] or match["m3"], _MONTHS)
    return (None if place is None else place + 1), int(match["d2"] or match["d3"])


def _at(phrase: Phrase) -> Fields:
    """Read the times of day; midnight when none was said."""
    times = {_time(part) for part in _parts(phrase.at or "00:00")}
    fields = Fields(
        hours=tuple(sorted({hour for hour, _ in times})),
        minutes=tuple(sorted({minute for _, minute in times})),
    )
    if len(fields.times) != len(times):
        raise ConfigError(
            f"{phrase.at!r} has different minutes past the hour.",
            hint="Make two jobs, or say 06:30 and 18:30.",
        )
    return fields


def _time(part: str) -> tuple[int, int]:
    match = _TIME.fullmatch(part)
    hour, minute = (int(match["hour"]), int(match["minute"] or 0)) if match else (99, 99)
    if hour > 23 or minute > 59:
        raise ConfigError(f"{part!r} is no time of day.", hint="Times are 00:00 to 23:59, such as 03:30.")
    return hour, minute


def _weekdays(text: str) -> tuple[int, ...] | None:
    """Read the days of the week, 0 for Sunday; None when something else is said."""
    found: set[int] = set()
    for part in _parts(text):
        first, dash, last = part.partition("-")
        group = _GROUPS.get(part)
        if group is not None:
            found.update(group)
            continue
        begin, end = _weekday(first), _weekday(last if dash else first)
        if begin is None or end is None:
            return None
        found.update((begin + step) % 7 for step in range((end - begin) % 7 + 1))
    return tuple(sorted(found))


_GROUPS = {"weekdays": (1, 2, 3, 4, 5), "weekday": (1, 2, 3, 4, 5), "weekends": (0, 6), "weekend": (0, 6)}


def _weekday(text: str) -> int | None:
    if text in {"0", "1", "2", "3", "4", "5", "6", "7"}:
        return int(text) % 7
    return _named(text.strip(), _WEEKDAYS)


def _named(text: str, names: tuple[str, ...]) -> int | None:
    """Find a name by its beginning; an s at its end does not count."""
    word = text if len(text) <= _SHORTEST_NAME else text.removesuffix("s")
    places = [place for place, name in enumerate(names) if name.startswith(word)]
    return places[0] if len(word) >= _SHORTEST_NAME and len(places) == 1 else None


def _parts(text: str) -> list[str]:
    return [part.strip() for part in re.split(r",| and ", text) if part.strip()] or [""]


def _refuse_on(phrase: Phrase) -> None:
    if phrase.on:
        raise ConfigError(
            f"{phrase.every!r} is on no chosen day.", hint="Leave out on, or say weekly or monthly."
        )


_NAMED: dict[str, Callable[[Phrase], Fields]] = {
    **dict.fromkeys(("hourly", "hour"), _hourly),
    **dict.fromkeys(("daily", "day"), _daily),
    **dict.fromkeys(("weekly", "week"), _weekly),
    **dict.fromkeys(("monthly", "month"), _monthly),
    **dict.fromkeys(("yearly", "year", "annually"), _yearly),
}
