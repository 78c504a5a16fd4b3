"""systemd: a user service and a user timer for each job, managed by `systemctl --user`."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from windrow.errors import ConfigError, HostError, unwritable
from windrow.schedule.cadence import Cadence, find_zone, hours_apart
from windrow.schedule.clock_fields import Fields
from windrow.schedule.hosts.host_scheduler import library_mark, run_checked, run_command

# Times that systemd skips in the nights of clock changes are added as explicit dates for the coming years: it
# skips the second of two equal times, and a time that the clock skips is moved to the next day. With these
# dates its calendar agrees with `cadence`.

YEARS = 10
_DAY = timedelta(days=1)


def render_clock_changes(cadence: Cadence, begin: datetime) -> tuple[str, ...]:
    """Return the additional OnCalendar expressions, one for each hour."""
    if cadence.fields is None:
        return ()
    hours: defaultdict[str, list[str]] = defaultdict(list)
    for moment in _skipped_times(cadence, cadence.fields, begin):
        hours[f"{moment:%Y-%m-%d %H}"].append(f"{moment:%M}")
    return tuple(f"{hour}:{','.join(minutes)}:00 UTC" for hour, minutes in hours.items())


def _skipped_times(cadence: Cadence, fields: Fields, begin: datetime) -> Iterator[datetime]:
    zone = find_zone(cadence.timezone)
    for day in _changing_days(begin.astimezone(zone).date(), zone):
        jumps = any(_is_skipped(day, minutes, zone) for minutes in fields.times)
        moment, end = (_midnight(each, zone) for each in (day, day + _DAY))
        moment -= timedelta(seconds=1)
        while (moment := cadence.after(moment)) < end:
            if jumps or moment.astimezone(zone).fold:
                yield moment


def _is_skipped(day: date, minutes: int, zone: ZoneInfo) -> bool:
    local = datetime.combine(day, time(minutes // 60, minutes % 60))
    shown = local.replace(tzinfo=zone).astimezone(UTC).astimezone(zone)
    return shown.replace(tzinfo=None) != local


def _changing_days(first: date, zone: ZoneInfo) -> Iterator[date]:
    for number in range(YEARS * 366):
        day = first + number * _DAY
        begin, end = (datetime.combine(each, time(), tzinfo=zone) for each in (day, day + _DAY))
        if begin.utcoffset() != end.replace(fold=1).utcoffset():
            yield day


def _midnight(day: date, zone: ZoneInfo) -> datetime:
    return datetime.combine(day, time(), tzinfo=zone).astimezone(UTC)


_CANNOT = (
    "systemd can say what cron can, and the last day of a month besides; for all else, leave out --host: "
    "the runner in `windrow serve` and `windrow worker` knows every cadence."
)
_UNSAFE = re.compile(r"[\n\r\0]")


def _now() -> datetime:
    return datetime.now(UTC)


class Systemd:
    """The systemd units of the current user. `folder` is their directory."""

    def __init__(self, folder: Path | None = None, *, clock: Callable[[], datetime] = _now) -> None:
        self._folder = folder or _default_folder()
        self._clock = clock

    def install(self, job: str, cadence: Cadence, command: Sequence[str], library: Path) -> str:
        """Write or replace the units of a job, and start the timer; return a message with their place."""
        name = unit_name(job, library)
        timer, service = render_timer(job, cadence, self._clock()), render_service(job, command)
        _require_manager()
        before = self._held(name)
        self._write(name, {".service": service.encode(), ".timer": timer.encode()})
        try:
            _systemctl("daemon-reload")
            _systemctl("enable", f"{name}.timer")
            _systemctl("restart", f"{name}.timer")
        except HostError:
            self._write(name, before)
            run_command(("systemctl", "--user", "daemon-reload"))
            raise
        return f"{self._folder / name}.timer runs {job} {cadence.words}."

    def remove(self, job: str, library: Path) -> bool:
        """Stop the timer and remove the units; return False if there were none."""
        name = unit_name(job, library)
        if not any(self._held(name).values()):
            return False
        _require_manager()
        _systemctl("disable", "--now", f"{name}.timer")
        self._write(name, dict.fromkeys((".service", ".timer")))
        _systemctl("daemon-reload")
        return True

    def installed(self, job: str, library: Path) -> bool:
        return (self._folder / f"{unit_name(job, library)}.timer").exists()

    def _held(self, name: str) -> dict[str, bytes | None]:
        paths = {ending: self._folder / f"{name}{ending}" for ending in (".service", ".timer")}
        return {ending: path.read_bytes() if path.exists() else None for ending, path in paths.items()}

    def _write(self, name: str, units: dict[str, bytes | None]) -> None:
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            for ending, text in units.items():
                path = self._folder / f"{name}{ending}"
                path.unlink(missing_ok=True) if text is None else path.write_bytes(text)
        except OSError as exc:
            raise unwritable(self._folder, exc, HostError) from exc


def unit_name(job: str, library: Path) -> str:
    """Return the name of the units, without suffix."""
    return f"windrow-{job}-{library_mark(library)}"


def render_timer(job: str, cadence: Cadence, now: datetime) -> str:
    """Render the timer. A run that was missed while the machine was off is made up once."""
    calendars = _calendars(cadence, now)
    if not calendars:
        raise ConfigError(f"systemd cannot say {cadence.words}.", hint=_CANNOT)
    lines = (f"OnCalendar={each}" for each in calendars)
    return "\n".join(
        (
            "[Unit]",
            f"Description=When the Windrow job {job} is due: {cadence.words}",
            "",
            "[Timer]",
            *lines,
            "AccuracySec=1s",
            "Persistent=true",
            "",
            "[Install]",
            "WantedBy=timers.target",
            "",
        )
    )


def render_service(job: str, command: Sequence[str]) -> str:
    if any(_UNSAFE.search(word) for word in command):
        raise ConfigError("A line break in a path cannot be written into a unit of systemd.")
    return "\n".join(
        (
            "[Unit]",
            f"Description=The Windrow job {job}",
            "",
            "[Service]",
            "Type=oneshot",
            f"ExecStart={' '.join(map(_quoted, command))}",
            "# Busy or partial is no fault of the unit: Windrow keeps its own account of runs.",
            "SuccessExitStatus=3 75",
            "",
        )
    )


def _calendars(cadence: Cadence, now: datetime) -> tuple[str, ...]:
    """Return every expression that the timer needs to agree with the cadence."""
    if cadence.fields and cadence.fields.is_every_hour and _has_whole_hours(cadence.timezone):
        # An hourly job needs no zone; in UTC no night is skipped.
        return tuple(each.removesuffix(cadence.timezone) + "UTC" for each in cadence.calendars)
    if not cadence.calendars:
        return ()
    return (*cadence.calendars, *render_clock_changes(cadence, now))


def _has_whole_hours(timezone: str) -> bool:
    return all(hours == int(hours) for hours in hours_apart(find_zone(timezone), find_zone("UTC")))


def _quoted(word: str) -> str:
    """Quote a word for ExecStart, where %, $ and backslashes are special."""
    plain = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return f'"{plain}"'


def _default_folder() -> Path:
    base = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(base) / "systemd" / "user"


def _require_manager() -> None:
    """Ensure that this user has a running systemd, before anything is written."""
    answer = run_command(("systemctl", "--user", "show", "--property=Version"))
    if answer.code:
        raise HostError(
            f"There is no systemd for your user here: {answer.words}.",
            hint="`loginctl enable-linger` gives you one that stays. Or use --host cron, or none.",
        )


def _systemctl(*arguments: str) -> None:
    run_checked(("systemctl", "--user", *arguments))
