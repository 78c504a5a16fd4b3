"""The host's own schedulers: each keeps one record that calls `windrow schedule run JOB`.

`find_host` gives one by its name. All of them take the same words; what they cannot say they refuse.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Protocol, cast

from windrow.errors import ConfigError
from windrow.schedule.cadence import Cadence

_MAKERS = {
    "cron": "windrow.schedule.hosts.cron:Cron",
    "systemd": "windrow.schedule.hosts.systemd:Systemd",
    "launchd": "windrow.schedule.hosts.launchd:Launchd",
    "schtasks": "windrow.schedule.hosts.schtasks:Schtasks",
}
HOSTS = tuple(_MAKERS)


class Host(Protocol):
    """A scheduler of the machine. When a method raises, nothing has changed."""

    def install(self, job: str, cadence: Cadence, command: Sequence[str], library: Path) -> str:
        """Write the record of a job, or replace the one that is there; give words that say where it is."""

    def remove(self, job: str, library: Path) -> bool:
        """Take the record of a job away; False when there was none."""

    def installed(self, job: str, library: Path) -> bool:
        """Whether there is a record of this job of this library."""


def find_host(name: str) -> Host:
    """Give a scheduler by its name. Nothing is asked of it yet."""
    if name not in _MAKERS:
        raise ConfigError(f"There is no scheduler {name!r}.", hint=f"There are {', '.join(HOSTS)}.")
    module, _, maker = _MAKERS[name].partition(":")
    return cast("Host", getattr(import_module(module), maker)())


def command_line(job: str, library: Path) -> tuple[str, ...]:
    """Give the command that a record calls, with whole paths: a scheduler knows no others."""
    return (sys.executable, "-m", "windrow", "--library", str(library.resolve()), "schedule", "run", job)
