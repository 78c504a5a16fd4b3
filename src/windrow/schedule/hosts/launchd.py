"""launchd (macOS): a user agent for each job, as a property list in ~/Library/LaunchAgents."""

from __future__ import annotations

import os
import plistlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path

from windrow.errors import ConfigError, HostError
from windrow.schedule.cadence import Cadence
from windrow.schedule.clock_fields import DAYS, HOURS, MINUTES, MONTHS, WEEKDAYS, Fields
from windrow.schedule.hosts.host_scheduler import library_mark, require_local, run_checked, run_command

MAX_ENTRIES = 500  # launchd iterates over all of them
_CANNOT = "launchd can say what cron can; for all else, leave out --host."


class Launchd:
    """The agents of the current user. `folder` is their directory."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder or Path.home() / "Library" / "LaunchAgents"

    def install(self, job: str, cadence: Cadence, command: Sequence[str], library: Path) -> str:
        """Write or replace the agent of a job, and load it; return a message with its place."""
        require_local(cadence, "launchd")
        label = agent_label(job, library)
        text = render_agent(label, cadence, command)
        path = self._path(label)
        before = path.read_bytes() if path.exists() else None
        try:
            run_command(("launchctl", "bootout", f"{_domain()}/{label}"))  # not loaded is fine
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text)
            run_checked(("launchctl", "bootstrap", _domain(), str(path)))
        except (HostError, OSError) as exc:
            path.unlink(missing_ok=True) if before is None else path.write_bytes(before)
            raise (
                exc if isinstance(exc, HostError) else HostError(f"{path} cannot be written: {exc}.")
            ) from exc
        return f"{path} runs {job} {cadence.words}."

    def remove(self, job: str, library: Path) -> bool:
        """Unload and remove the agent; return False if there was none."""
        label = agent_label(job, library)
        if not self._path(label).exists():
            return False
        run_command(("launchctl", "bootout", f"{_domain()}/{label}"))
        self._path(label).unlink()
        return True

    def installed(self, job: str, library: Path) -> bool:
        return self._path(agent_label(job, library)).exists()

    def _path(self, label: str) -> Path:
        return self._folder / f"{label}.plist"


def agent_label(job: str, library: Path) -> str:
    """Return the label of an agent, which is also the name of its file."""
    return f"windrow.{job}.{library_mark(library)}"


def render_agent(label: str, cadence: Cadence, command: Sequence[str]) -> bytes:
    fields = cadence.fields
    if fields is None or cadence.cron is None:
        raise ConfigError(f"launchd cannot say {cadence.words}.", hint=_CANNOT)
    entries = list(_entries(fields))
    agent = {"Label": label, "ProgramArguments": list(command), "StartCalendarInterval": entries}
    return plistlib.dumps(agent)


def _entries(fields: Fields) -> Iterator[dict[str, int]]:
    """Yield one entry for each combination of values; an omitted key matches any value."""
    if fields.is_either:
        yield from _entries(replace(fields, is_either=False, weekdays=WEEKDAYS))
        yield from _entries(replace(fields, is_either=False, days=DAYS))
        return
    if fields.days != DAYS and fields.weekdays != WEEKDAYS:
        raise ConfigError("launchd cannot ask for a date and a weekday at once.", hint=_CANNOT)
    named = {
        "Month": (fields.months, MONTHS),
        "Day": (fields.days, DAYS),
        "Weekday": (fields.weekdays, WEEKDAYS),
        "Hour": (fields.hours, HOURS),
        "Minute": (fields.minutes, MINUTES),
    }
    chosen = {name: values for name, (values, every) in named.items() if values != every}
    combinations = list(product(*chosen.values()))
    if len(combinations) > MAX_ENTRIES:
        raise ConfigError(
            f"That would be {len(combinations)} entries for launchd.",
            hint="Choose fewer times, or leave out --host.",
        )
    for values in combinations:
        yield dict(zip(chosen, values, strict=True))


def _domain() -> str:
    return f"gui/{os.getuid()}"
