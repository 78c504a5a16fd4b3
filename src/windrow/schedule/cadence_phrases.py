"""Cadences in everyday English, parsed and described: daily, weekdays at 03:30, monthly on the last."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from windrow.errors import ConfigError
from windrow.schedule.clock_fields import (
    DAYS,
    HOURS,
    LONGEST_MONTHS,
    MINUTES,
    MONTH_NAMES,
    MONTHS,
    WEEKDAY_NAMES,
    WEEKDAYS,
    Fields,
    render_cron,
    shortest,
)

MAX_PHRASE_CHARACTERS = 200
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
_MIN_NAME_CHARACTERS = 3  # letters: mon, tues, thurs
_DAY_MINUTES = 24 * 60
_MAX_MINUTES = 366 * _DAY_MINUTES


@dataclass(frozen=True, slots=True)
class Phrase:
    """The three parts of a phrase, in lower case; None if missing."""

    every: str
    at: str | None
    on: str | None


def read_phrase(every: str, *, at: str | None, on: str | None) -> Phrase:
    """Split a phrase such as "weekdays at 03:30" and merge it with the separate "at" and "on"."""
    texts = [text for text in (every, at, on) if text is not None]
    if any(len(text) > MAX_PHRASE_CHARACTERS for text in texts):
        raise ConfigError(
            f"When a job runs is said in at most {MAX_PHRASE_CHARACTERS} characters.", hint=EXAMPLES
        )
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
    """Return the minutes of an interval that does not divide an hour or a day, else None.

    Examples are 45 minutes and 7 hours.
    """
    minutes = _counted_minutes(phrase.every)
    if minutes is None or minutes % _DAY_MINUTES == 0 or _fits_hour(minutes) or _fits_day(minutes):
        return None
    if phrase.at or phrase.on:
        raise ConfigError(
            f"{phrase.every!r} has no time of day: it goes on from one day into the next.",
            hint="Leave out at and on, or choose hours that divide a day: 2, 3, 4, 6, 8 or 12.",
        )
    return minutes


def phrase_fields(phrase: Phrase) -> Fields:
    """Return the clock fields of a phrase that follows the clock."""
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
    return _normalize_steps(fields)


def _normalize_steps(fields: Fields) -> Fields:
    """Mark what cron would treat as "every so often", so that cron and Windrow agree."""
    expression = render_cron(replace(fields, on_last_day=False, every_days=1, every_weeks=1))
    minute, hour = (expression or "0 0").split()[:2]
    return replace(fields, follows_clock=minute.startswith("*") or hour.startswith("*"))


def _counted_minutes(every: str) -> int | None:
    match = _COUNTED.fullmatch(every)
    if match is None:
        return None
    unit = {"m": 1, "h": 60, "d": _DAY_MINUTES, "w": 7 * _DAY_MINUTES}[match["unit"][0]]
    minutes = int(match["number"]) * unit
    if not 0 < minutes <= _MAX_MINUTES:
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
    """Parse the times of day; midnight by default."""
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
    """Parse days of the week, 0 for Sunday; None if the text is something else."""
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
    """Find a name by its prefix; a final s is ignored."""
    word = text if len(text) <= _MIN_NAME_CHARACTERS else text.removesuffix("s")
    places = [place for place, name in enumerate(names) if name.startswith(word)]
    return places[0] if len(word) >= _MIN_NAME_CHARACTERS and len(places) == 1 else None


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

# Number lists for people: 1, 2 and 5 to 9.

_SHORTEST_RUN = 3  # numbers; "5 and 6" is shorter than "5 to 6"


def join_words(words: Sequence[str]) -> str:
    """Join words as in a sentence: a, b and c."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def common_step(values: Sequence[int]) -> int | None:
    """Return the constant difference between at least three numbers; None if it varies."""
    if len(values) < _SHORTEST_RUN:
        return None
    steps = {second - first for first, second in pairwise(values)}
    return steps.pop() if len(steps) == 1 else None


def join_ranges(values: Sequence[int], name: Callable[[int], str]) -> str:
    """Join numbers, with consecutive ones as ranges: 01, 05 to 09 and 30."""
    return join_words(list(_find_ranges(values, name)))


def _find_ranges(values: Sequence[int], name: Callable[[int], str]) -> Iterator[str]:
    first = 0
    for place in range(1, len(values) + 1):
        if place < len(values) and values[place] == values[place - 1] + 1:
            continue
        if place - first >= _SHORTEST_RUN:
            yield f"{name(values[first])} to {name(values[place - 1])}"
        else:
            yield from map(name, values[first:place])
        first = place


# Descriptions of cadences: every day at 03:30 (Europe/Helsinki). Every cron expression has one.

_MAX_NAMED = 8  # times of day or days of the month; more are unreadable


def describe_fields(fields: Fields, timezone: str, *, is_cron: bool = False) -> str:
    """Describe clock fields with the zone. Phrases list every value; cron expressions are condensed."""
    most = _MAX_NAMED if is_cron else len(MINUTES) * len(HOURS)
    days, times = _days(fields, most), _times(fields, most)
    if fields.is_every_hour:
        return times  # the zone makes no difference
    if times.startswith("every"):
        said = times if days == "every day" else f"{days}, {times}"
    else:
        said = f"{days} {times}"
    return f"{said} ({timezone}){_left_out(fields)}"


def describe_interval(minutes: int) -> str:
    """Describe an interval: every 45 minutes, every 7 hours."""
    number, unit = (minutes // 60, "hours") if minutes % 60 == 0 else (minutes, "minutes")
    return f"every {number} {unit}, counted without a break"


def _times(fields: Fields, most: int) -> str:
    if fields.hours == HOURS:
        return _past_the_hour(fields.minutes, most)
    if len(fields.times) <= _MAX_NAMED:
        return _at_times(fields)
    step, apart = _step(fields.minutes, MINUTES), _step(fields.hours, HOURS)
    if step and _is_unbroken(fields.hours):
        often = "every minute" if step == 1 else f"every {step} minutes"
        return f"{often} from {_clock(fields.times[0])} to {_clock(fields.times[-1])}"
    if len(fields.minutes) == 1 and apart:
        return f"every {apart} hours from {_clock(fields.times[0])}"
    return _at_times(fields) if len(fields.times) <= most else _in_hours(fields)


def _in_hours(fields: Fields) -> str:
    apart = common_step(fields.hours)
    if len(fields.minutes) == 1 and apart:
        often = "every hour" if apart == 1 else f"every {apart} hours"
        return f"{often} from {_clock(fields.times[0])} to {_clock(fields.times[-1])}"
    if len(fields.hours) == 1:
        hours = f"in the hour from {fields.hours[0]:02}:00"
    elif apart == 1:
        hours = f"each hour from {fields.hours[0]:02} to {fields.hours[-1]:02}"
    else:
        hours = f"in the hours {join_ranges(fields.hours, _two_digits)}"
    return f"{_minutes(fields.minutes)}, {hours}"


def _past_the_hour(minutes: tuple[int, ...], most: int) -> str:
    if minutes == (0,):
        return "every hour, on the hour"
    if len(minutes) <= most and not _step(minutes, MINUTES):
        return f"every hour at {join_words([_two_digits(minute) for minute in minutes])} past"
    said = _minutes(minutes)
    return said if said.startswith("every") else f"every hour {said}"


def _minutes(minutes: tuple[int, ...]) -> str:
    step = _step(minutes, MINUTES)
    if step:
        return "every minute" if step == 1 else f"every {step} minutes"
    apart = common_step(minutes) if len(minutes) > _MAX_NAMED else None
    if apart is None:
        return f"at {join_ranges(minutes, _two_digits)} past"
    often = "every minute" if apart == 1 else f"every {apart} minutes"
    return f"{often} from {minutes[0]:02} to {minutes[-1]:02} past the hour"


def _at_times(fields: Fields) -> str:
    clocks = join_words([_clock(minutes) for minutes in fields.times])
    apart = _step(fields.hours, HOURS, first=fields.hours[0])
    if apart and len(fields.minutes) == 1 and len(fields.hours) > 2:
        return f"every {apart} hours, at {clocks}"
    return f"at {clocks}"


def _step(values: tuple[int, ...], every: tuple[int, ...], *, first: int = 0) -> int | None:
    """Return the step if the values divide the clock evenly, else None."""
    if len(values) < 2 or len(every) % len(values) or values[0] != first:
        return None
    step = len(every) // len(values)
    return step if first < step and values == every[first::step] else None


def _days(fields: Fields, most: int) -> str:
    if fields.every_days > 1:
        return f"every {fields.every_days} days"
    by_month = _of_month(fields, most)
    if fields.is_either:
        return f"{by_month} and also {_of_week(fields)}{_in_months(fields)}"
    if fields.weekdays == WEEKDAYS:
        return by_month
    if fields.days != DAYS or fields.on_last_day:
        return f"{_of_week(fields)}, but only {by_month},"
    return _of_week(fields) + _in_months(fields)


def _of_week(fields: Fields) -> str:
    named = {(1, 2, 3, 4, 5): "on weekdays", (0, 6): "at weekends", WEEKDAYS: "every day"}.get(
        fields.weekdays
    )
    monday_first = sorted(fields.weekdays, key=lambda day: (day - 1) % 7)
    said = named or f"on {join_words([f'{WEEKDAY_NAMES[day]}s' for day in monday_first])}"
    return said + (f" of every {_ordinal(fields.every_weeks)} week" if fields.every_weeks > 1 else "")


def _of_month(fields: Fields, most: int) -> str:
    if fields.days == DAYS:
        return "every day" + _in_months(fields)
    if len(fields.months) == 1 and len(fields.days) == 1 and not fields.on_last_day:
        return f"every year on {fields.days[0]} {MONTH_NAMES[fields.months[0] - 1]}"
    months = _listed_months(fields) or "each month"
    if len(fields.days) > most:
        return f"{_many_days(fields.days)} of {months}"
    named = [_ordinal(day) for day in fields.days] + (["last day"] if fields.on_last_day else [])
    return f"on the {join_words(named)} of {months}"


def _many_days(days: tuple[int, ...]) -> str:
    apart = common_step(days)
    if apart is None or apart == 1:
        return f"on the {join_ranges(days, _ordinal)}"
    return f"on every {_ordinal(apart)} day from the {_ordinal(days[0])} to the {_ordinal(days[-1])}"


def _in_months(fields: Fields) -> str:
    named = _listed_months(fields)
    return f" in {named}" if named else ""


def _listed_months(fields: Fields) -> str:
    return "" if fields.months == MONTHS else join_words([MONTH_NAMES[month - 1] for month in fields.months])


def _left_out(fields: Fields) -> str:
    """Describe the months and years that lack the day."""
    if fields.days == DAYS or len(fields.days) > _MAX_NAMED:
        return ""
    wanted = [(month, day) for month in fields.months for day in fields.days]
    if any(day > LONGEST_MONTHS[month - 1] for month, day in wanted):
        return "; months without one are left out"
    if any(day > shortest(month) for month, day in wanted):
        return "; only in leap years" if len(wanted) == 1 else "; 29 February only in leap years"
    return ""


def _clock(minutes: int) -> str:
    return f"{minutes // 60:02}:{minutes % 60:02}"


def _ordinal(number: int) -> str:
    ending = "th" if number % 100 in {11, 12, 13} else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def _is_unbroken(values: tuple[int, ...]) -> bool:
    return values[-1] - values[0] == len(values) - 1


def _two_digits(number: int) -> str:
    return f"{number:02}"
