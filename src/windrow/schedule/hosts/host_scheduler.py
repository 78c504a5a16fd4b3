"""The interface of the host's schedulers, and the calls of their programs.

The programs are crontab, systemctl, launchctl and schtasks.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Protocol, cast

from windrow.errors import ConfigError, HostError
from windrow.schedule.cadence import Cadence, find_zone, hours_apart, machine_zone

# Each scheduler keeps one entry per job, which calls `windrow schedule run JOB`. All have the same interface,
# and refuse cadences that they cannot express.

_MAKERS = {
    "cron": "windrow.schedule.hosts.cron:Cron",
    "systemd": "windrow.schedule.hosts.systemd:Systemd",
    "launchd": "windrow.schedule.hosts.launchd:Launchd",
    "schtasks": "windrow.schedule.hosts.schtasks:Schtasks",
}
HOSTS = tuple(_MAKERS)


class HostScheduler(Protocol):
    """A scheduler of the machine. If a method raises, nothing has changed."""

    def install(self, job: str, cadence: Cadence, command: Sequence[str], library: Path) -> str:
        """Write or replace the entry of a job; return a message with its place."""

    def remove(self, job: str, library: Path) -> bool:
        """Remove the entry of a job; return False if there was none."""

    def installed(self, job: str, library: Path) -> bool:
        """Return whether there is an entry of this job of this library."""


def find_host_scheduler(name: str) -> HostScheduler:
    """Return a scheduler by name, without calling it yet."""
    if name not in _MAKERS:
        raise ConfigError(f"There is no scheduler {name!r}.", hint=f"There are {', '.join(HOSTS)}.")
    module, _, maker = _MAKERS[name].partition(":")
    return cast("HostScheduler", getattr(import_module(module), maker)())


def command_line(job: str, library: Path) -> tuple[str, ...]:
    """Return the command of an entry.

    Paths are absolute, because schedulers have another working directory.
    """
    return (sys.executable, "-m", "windrow", "--library", str(library.resolve()), "schedule", "run", job)


_TIMEOUT_SECONDS = 30
_MAX_OUTPUT_CHARACTERS = 400
_NOTHING: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class CommandOutput:
    """The result of a program."""

    code: int
    output: bytes
    words: str  # of its error output, on one line


def run_command(
    arguments: Sequence[str], given: bytes = b"", *, told: Mapping[str, str] = _NOTHING
) -> CommandOutput:
    """Run a program to its end; raises HostError if it is missing or does not end.

    `told` is added to its environment.
    """
    try:
        done = subprocess.run(
            arguments,
            input=given,
            capture_output=True,
            check=False,
            timeout=_TIMEOUT_SECONDS,
            env={**os.environ, "LC_ALL": "C", **told},  # its messages are parsed
        )
    except FileNotFoundError as exc:
        raise HostError(f"There is no {arguments[0]} on this machine.") from exc
    except (OSError, subprocess.TimeoutExpired) as exc:
        raise HostError(f"{arguments[0]} could not be run: {exc}.") from exc
    words = " ".join(done.stderr.decode("utf-8", "replace").split())[:_MAX_OUTPUT_CHARACTERS]
    return CommandOutput(done.returncode, done.stdout, words)


def run_checked(arguments: Sequence[str]) -> None:
    """Run a program; raises HostError if it fails."""
    answer = run_command(arguments)
    if answer.code:
        raise HostError(f"{arguments[0]} failed ({answer.code}): {answer.words or 'it did not say why'}.")


# Entries are identified by the job and a short mark of the library.

_MARK_LENGTH = 12  # hexadecimal digits


def library_mark(library: Path) -> str:
    """Return the mark of a library, which is the same for every spelling of its path."""
    return hashlib.sha256(os.fsencode(library.resolve())).hexdigest()[:_MARK_LENGTH]


# Some schedulers support only the machine's time zone.


def require_local(cadence: Cadence, host: str) -> None:
    """Refuse a cadence in another time zone than the machine's.

    Hourly cadences are allowed, because they are the same in both.
    """
    local = machine_zone()
    apart = hours_apart(find_zone(cadence.timezone), find_zone(local))
    if apart == {0}:
        return
    is_hourly = cadence.fields is not None and cadence.fields.is_every_hour
    if is_hourly and all(hours == int(hours) for hours in apart):
        return
    raise ConfigError(
        f"{host} goes by this machine's clock ({local}), and this job by {cadence.timezone}.",
        hint=f"Give the job --timezone {local}, or use --host systemd, or leave out --host.",
    )
