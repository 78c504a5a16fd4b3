"""A cadence in words: every day at 03:30 (Europe/Helsinki). Every cron expression has some."""

from __future__ import annotations

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
from windrow.schedule.series import in_runs, listed, step_of

_MOST_NAMED = 8  # times of day or days of the month; more are no sentence


def words_for(fields: Fields, timezone: str, *, is_cron: bool = False) -> str:
    """Say when, with the zone. What people named is named one by one; a cron expression is drawn together."""
    most = _MOST_NAMED if is_cron else len(MINUTES) * len(HOURS)
    days, times = _days(fields, most), _times(fields, most)
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


def _times(fields: Fields, most: int) -> str:
    if fields.hours == HOURS:
        return _past_the_hour(fields.minutes, most)
    if len(fields.times) <= _MOST_NAMED:
        return _at_times(fields)
    step, apart = _step(fields.minutes, MINUTES), _step(fields.hours, HOURS)
    if step and _is_unbroken(fields.hours):
        often = "every minute" if step == 1 else f"every {step} minutes"
        return f"{often} from {_clock(fields.times[0])} to {_clock(fields.times[-1])}"
    if len(fields.minutes) == 1 and apart:
        return f"every {apart} hours from {_clock(fields.times[0])}"
    return _at_times(fields) if len(fields.times) <= most else _in_hours(fields)


def _in_hours(fields: Fields) -> str:
    """Say many times of day: the minutes, then the hours that they are of."""
    apart = step_of(fields.hours)
    if len(fields.minutes) == 1 and apart:
        often = "every hour" if apart == 1 else f"every {apart} hours"
        return f"{often} from {_clock(fields.times[0])} to {_clock(fields.times[-1])}"
    if len(fields.hours) == 1:
        hours = f"in the hour from {fields.hours[0]:02}:00"
    elif apart == 1:
        hours = f"each hour from {fields.hours[0]:02} to {fields.hours[-1]:02}"
    else:
        hours = f"in the hours {in_runs(fields.hours, _two_digits)}"
    return f"{_minutes(fields.minutes)}, {hours}"


def _past_the_hour(minutes: tuple[int, ...], most: int) -> str:
    if minutes == (0,):
        return "every hour, on the hour"
    if len(minutes) <= most and not _step(minutes, MINUTES):
        return f"every hour at {listed([_two_digits(minute) for minute in minutes])} past"
    said = _minutes(minutes)
    return said if said.startswith("every") else f"every hour {said}"


def _minutes(minutes: tuple[int, ...]) -> str:
    """Say minutes of an hour."""
    step = _step(minutes, MINUTES)
    if step:
        return "every minute" if step == 1 else f"every {step} minutes"
    apart = step_of(minutes) if len(minutes) > _MOST_NAMED else None
    if apart is None:
        return f"at {in_runs(minutes, _two_digits)} past"
    often = "every minute" if apart == 1 else f"every {apart} minutes"
    return f"{often} from {minutes[0]:02} to {minutes[-1]:02} past the hour"


def _at_times(fields: Fields) -> str:
    clocks = listed([_clock(minutes) for minutes in fields.times])
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
    said = named or f"on {listed([f'{WEEKDAY_NAMES[day]}s' for day in monday_first])}"
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
    return f"on the {listed(named)} of {months}"


def _many_days(days: tuple[int, ...]) -> str:
    apart = step_of(days)
    if apart is None or apart == 1:
        return f"on the {in_runs(days, _ordinal)}"
    return f"on every {_ordinal(apart)} day from the {_ordinal(days[0])} to the {_ordinal(days[-1])}"


def _in_months(fields: Fields) -> str:
    named = _listed_months(fields)
    return f" in {named}" if named else ""


def _listed_months(fields: Fields) -> str:
    return "" if fields.months == MONTHS else listed([MONTH_NAMES[month - 1] for month in fields.months])


def _left_out(fields: Fields) -> str:
    """Say which days there are not always."""
    if fields.days == DAYS or len(fields.days) > _MOST_NAMED:
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
