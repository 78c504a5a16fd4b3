"""The Task Scheduler of Windows: a task for each job, registered from XML with `schtasks /Create`."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from xml.etree import ElementTree as ET

from windrow.errors import ConfigError
from windrow.schedule.cadence import Cadence
from windrow.schedule.clock_fields import (
    DAYS,
    FIRST_DAY,
    FIRST_MONDAY,
    HOURS,
    MONTH_NAMES,
    WEEKDAY_NAMES,
    WEEKDAYS,
    Fields,
)
from windrow.schedule.hosts.host_scheduler import library_mark, require_local, run_checked, run_command

NAMESPACE = "http://schemas.microsoft.com/windows/2004/02/mit/task"
MAX_TRIGGERS = 48  # the limit of the Task Scheduler
_CANNOT = "Choose fewer times of day, or leave out --host."


class Schtasks:
    """The tasks of the current user."""

    def install(self, job: str, cadence: Cadence, command: Sequence[str], library: Path) -> str:
        """Register or replace the task of a job; return a message with its name."""
        require_local(cadence, "The Task Scheduler")
        text = render_task(job, cadence, command)
        with tempfile.TemporaryDirectory(prefix="windrow-") as folder:
            path = Path(folder) / "task.xml"
            path.write_bytes(text)
            run_checked(create_arguments(job, library, path))
        return f"The task {task_name(job, library)} runs {job} {cadence.words}."

    def remove(self, job: str, library: Path) -> bool:
        """Delete the task; return False if there was none."""
        if not self.installed(job, library):
            return False
        run_checked(("schtasks", "/Delete", "/TN", task_name(job, library), "/F"))
        return True

    def installed(self, job: str, library: Path) -> bool:
        return run_command(("schtasks", "/Query", "/TN", task_name(job, library))).code == 0


def task_name(job: str, library: Path) -> str:
    """Return the name of a task, in Windrow's own task folder."""
    return f"\\Windrow\\{job}-{library_mark(library)}"


def create_arguments(job: str, library: Path, path: Path) -> tuple[str, ...]:
    """Return the command that registers or replaces a task."""
    return ("schtasks", "/Create", "/TN", task_name(job, library), "/XML", str(path), "/F")


def render_task(job: str, cadence: Cadence, command: Sequence[str]) -> bytes:
    """Render a task as XML in UTF-16, which schtasks requires."""
    if cadence.fields is None:
        raise ConfigError(f"The Task Scheduler cannot say {cadence.words}.", hint=_CANNOT)
    task = ET.Element("Task", {"version": "1.2", "xmlns": NAMESPACE})
    _text(ET.SubElement(task, "RegistrationInfo"), "Description", f"The Windrow job {job}: {cadence.words}")
    triggers = ET.SubElement(task, "Triggers")
    for part in _split_fields(cadence.fields):
        _add_triggers(triggers, part)
    if len(triggers) > MAX_TRIGGERS:
        raise ConfigError(f"That would be {len(triggers)} triggers; a task has {MAX_TRIGGERS}.", hint=_CANNOT)
    _add_settings(task)
    execute = ET.SubElement(ET.SubElement(task, "Actions"), "Exec")
    _text(execute, "Command", command[0])
    _text(execute, "Arguments", subprocess.list2cmdline(command[1:]))
    text: bytes = ET.tostring(task, encoding="utf-16", xml_declaration=True)
    return text


def _split_fields(fields: Fields) -> list[Fields]:
    if fields.is_either:
        return [
            replace(fields, is_either=False, weekdays=WEEKDAYS),
            replace(fields, is_either=False, days=DAYS),
        ]
    if fields.weekdays != WEEKDAYS and (fields.days != DAYS or len(fields.months) != len(MONTH_NAMES)):
        raise ConfigError("The Task Scheduler cannot ask for a date and a weekday at once.", hint=_CANNOT)
    return [fields]


def _add_triggers(triggers: ET.Element, fields: Fields) -> None:
    """Add a trigger for each time of day, or a repeating one if the times divide the clock evenly."""
    step = _even_step(fields)
    for minutes in fields.times[:1] if step else fields.times[: MAX_TRIGGERS + 1]:
        trigger = ET.SubElement(triggers, "CalendarTrigger")
        if step:
            repetition = ET.SubElement(trigger, "Repetition")
            _text(repetition, "Interval", f"PT{step}M")
            _text(repetition, "Duration", "P1D")
        first = date.fromordinal(FIRST_MONDAY if fields.every_weeks > 1 else FIRST_DAY)
        _text(trigger, "StartBoundary", f"{first.isoformat()}T{minutes // 60:02}:{minutes % 60:02}:00")
        _add_days(trigger, fields)


def _even_step(fields: Fields) -> int | None:
    """Return the constant number of minutes between two times; None if it varies."""
    times, day = fields.times, len(HOURS) * 60
    if len(times) < 2 or day % len(times):
        return None
    step = day // len(times)
    return step if times == tuple(range(times[0], day, step)) else None


def _add_days(trigger: ET.Element, fields: Fields) -> None:
    if fields.weekdays != WEEKDAYS or fields.every_weeks > 1:
        schedule = ET.SubElement(trigger, "ScheduleByWeek")
        _text(schedule, "WeeksInterval", str(fields.every_weeks))
        _add_names(schedule, "DaysOfWeek", [WEEKDAY_NAMES[day] for day in fields.weekdays])
    elif fields.is_every_day or fields.every_days > 1:
        _text(ET.SubElement(trigger, "ScheduleByDay"), "DaysInterval", str(fields.every_days))
    else:
        schedule = ET.SubElement(trigger, "ScheduleByMonth")
        days = ET.SubElement(schedule, "DaysOfMonth")
        for day in (*map(str, fields.days), *(["Last"] if fields.on_last_day else [])):
            _text(days, "Day", day)
        _add_names(schedule, "Months", [MONTH_NAMES[month - 1] for month in fields.months])


def _add_settings(task: ET.Element) -> None:
    settings = ET.SubElement(task, "Settings")
    _text(settings, "MultipleInstancesPolicy", "IgnoreNew")
    _text(settings, "DisallowStartIfOnBatteries", "false")
    _text(settings, "StartWhenAvailable", "true")  # after a time when the machine was off
    _text(settings, "ExecutionTimeLimit", "PT0S")  # Windrow has its own


def _add_names(parent: ET.Element, name: str, children: Sequence[str]) -> None:
    element = ET.SubElement(parent, name)
    for child in children:
        ET.SubElement(element, child)


def _text(parent: ET.Element, name: str, text: str) -> None:
    ET.SubElement(parent, name).text = text
