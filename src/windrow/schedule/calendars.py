"""Cadences as systemd says them: OnCalendar with a zone. `hosts/systemd` writes them down."""

from __future__ import annotations

from dataclasses import replace

from windrow.schedule.fields import DAYS, HOURS, MINUTES, MONTHS, WEEKDAY_NAMES, WEEKDAYS, Fields


def render_calendars(fields: Fields, timezone: str) -> tuple[str, ...]:
    """Give the expressions that together say it; none when systemd cannot."""
    if fields.every_days > 1 or fields.every_weeks > 1:
        return ()
    return tuple(_render(part, timezone) for part in _parts(fields))


def _parts(fields: Fields) -> list[Fields]:
    """Take apart what needs an expression of its own: days or weekdays, dates or the last day."""
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
