"""A cadence in words: every day at 03:30 (Europe/Helsinki). What no sentence says is given as it was."""

from __future__ import annotations

from collections.abc import Sequence

from windrow.schedule.fields import (
    DAYS,
    HOURS,
    LONGEST_MONTHS,
    MINUTES,
    MONTH_NAMES,
    MONTHS,
    WEEKDAY_NAMES,
    WEEKDAYS,
    Fields,
    shortest,
)

_MOST_NAMED = 8  # times of day or days of the month; more are no sentence


def words_for(fields: Fields, timezone: str, expression: str | None) -> str:
    """Say when, with the zone; what cannot be said so is named by its expression."""
    most = _MOST_NAMED if expression else len(MINUTES) * len(HOURS)
    days, times = _days(fields, most), _times(fields, most)
    if days is None or times is None:
        return f"by the cron expression {expression} ({timezone})"
    if fields.is_every_hour:
        return times  # no zone makes it come earlier or later
    if times.startswith("every"):
        said = times if days == "every day" else f"{days}, {times}"
    else:
        said = f"{days} {times}"
    return f"{said} ({timezone}){_left_out(fields)}"


def words_for_minutes(minutes: int) -> str:
    """Say an interval: every 45 minutes, every 7 hours."""
    number, unit = (minutes // 60, "hours") if minutes % 60 == 0 else (minutes, "minutes")
    return f"every {number} {unit}, counted without a break"


def _times(fields: Fields, most: int) -> str | None:
    if fields.hours == HOURS:
        return _past_the_hour(fields.minutes, most)
    if len(fields.times) <= _MOST_NAMED:
        return _at_times(fields)
    step = _step(fields.minutes, MINUTES)
    if step and fields.hours == tuple(range(fields.hours[0], fields.hours[-1] + 1)):
        often = "every minute" if step == 1 else f"every {step} minutes"
        return f"{often} from {_clock(fields.times[0])} to {_clock(fields.times[-1])}"
    apart = _step(fields.hours, HOURS)
    if len(fields.minutes) == 1 and apart:
        return f"every {apart} hours from {_clock(fields.times[0])}"
    return _at_times(fields) if len(fields.times) <= most else None


def _past_the_hour(minutes: tuple[int, ...], most: int) -> str | None:
    step = _step(minutes, MINUTES)
    if minutes == (0,):
        return "every hour, on the hour"
    if step:
        return "every minute" if step == 1 else f"every {step} minutes"
    if len(minutes) > most:
        return None
    return f"every hour at {_listed([f'{minute:02}' for minute in minutes])} past"


def _at_times(fields: Fields) -> str:
    clocks = _listed([_clock(minutes) for minutes in fields.times])
    apart = _step(fields.hours, HOURS, first=fields.hours[0])
    if apart and len(fields.minutes) == 1 and len(fields.hours) > 2:
        return f"every {apart} hours, at {clocks}"
    return f"at {clocks}"


def _step(values: tuple[int, ...], every: tuple[int, ...], *, first: int = 0) -> int | None:
    """Give the step when the values go evenly round the clock; None when they do not."""
    if len(values) < 2 or len(every) % len(values) or values[0] != first:
        return None
    step = len(every) // len(values)
    return step if first < step and values == every[first::step] else None


def _days(fields: Fields, most: int) -> str | None:
    if fields.every_days > 1:
        return f"every {fields.every_days} days"
    by_week, by_month = _of_week(fields), _of_month(fields, most)
    if by_month is None:
        return None
    if fields.is_either:
        return f"{by_month} and also {by_week}"
    if fields.weekdays == WEEKDAYS:
        return by_month
    if fields.days != DAYS or fields.on_last_day:
        return None  # both must hold: no short words for that
    return by_week


def _of_week(fields: Fields) -> str:
    named = {(1, 2, 3, 4, 5): "on weekdays", (0, 6): "at weekends", WEEKDAYS: "every day"}.get(
        fields.weekdays
    )
    monday_first = sorted(fields.weekdays, key=lambda day: (day - 1) % 7)
    said = named or f"on {_listed([f'{WEEKDAY_NAMES[day]}s' for day in monday_first])}"
    if fields.every_weeks > 1:
        said += f" of every {_ordinal(fields.every_weeks)} week"
    return said + _in_months(fields)


def _of_month(fields: Fields, most: int) -> str | None:
    if fields.days == DAYS:
        return "every day" + _in_months(fields)
    if len(fields.days) > most:
        return None
    if len(fields.months) == 1 and len(fields.days) == 1 and not fields.on_last_day:
        return f"every year on {fields.days[0]} {MONTH_NAMES[fields.months[0] - 1]}"
    named = [_ordinal(day) for day in fields.days] + (["last day"] if fields.on_last_day else [])
    return f"on the {_listed(named)} of {_listed_months(fields) or 'each month'}"


def _in_months(fields: Fields) -> str:
    named = _listed_months(fields)
    return f" in {named}" if named else ""


def _listed_months(fields: Fields) -> str:
    return "" if fields.months == MONTHS else _listed([MONTH_NAMES[month - 1] for month in fields.months])


def _left_out(fields: Fields) -> str:
    """Say which days there are not always."""
    if fields.days == DAYS:
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


def _listed(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
