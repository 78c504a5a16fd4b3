"""Calls the programs of the host's schedulers: crontab, systemctl, launchctl, schtasks."""

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

# The host's own schedulers: each keeps one record that calls `windrow schedule run JOB`.
# `find_host` gives one by its name. All of them take the same words; what they cannot say they refuse.

_MAKERS = {
    "cron": "windrow.schedule.hosts.cron:Cron",
    "systemd": "windrow.schedule.hosts.systemd:Systemd",
    "launchd": "windrow.schedule.hosts.launchd:Launchd",
    "schtasks": "windrow.schedule.hosts.schtasks:Schtasks",
}
HOSTS = tuple(_MAKERS)


class HostScheduler(Protocol):
    """A scheduler of the machine. When a method raises, nothing has changed."""

    def install(self, job: str, cadence: Cadence, command: Sequence[str], library: Path) -> str:
        """Write the record of a job, or replace the one that is there; give words that say where it is."""

    def remove(self, job: str, library: Path) -> bool:
        """Take the record of a job away; False when there was none."""

    def installed(self, job: str, library: Path) -> bool:
        """Return whether there is a record of this job of this library."""


def find_host_scheduler(name: str) -> HostScheduler:
    """Return a scheduler by its name. Nothing is asked of it yet."""
    if name not in _MAKERS:
        raise ConfigError(f"There is no scheduler {name!r}.", hint=f"There are {', '.join(HOSTS)}.")
    module, _, maker = _MAKERS[name].partition(":")
    return cast("HostScheduler", getattr(import_module(module), maker)())


def command_line(job: str, library: Path) -> tuple[str, ...]:
    """Return the command that a record calls, with whole paths: a scheduler knows no others."""
    return (sys.executable, "-m", "windrow", "--library", str(library.resolve()), "schedule", "run", job)


_TIMEOUT_SECONDS = 30
_MAX_OUTPUT_CHARACTERS = 400
_NOTHING: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class CommandOutput:
    """What a program said."""

    code: int
    output: bytes
    words: str  # of its error output, on one line


def run_command(
    arguments: Sequence[str], given: bytes = b"", *, told: Mapping[str, str] = _NOTHING
) -> CommandOutput:
    """Run a program to its end; a `HostError` when it is not there, or does not end.

    `told` is set in its environment besides.
    """
    try:
        done = subprocess.run(
            arguments,
            input=given,
            capture_output=True,
            check=False,
            timeout=_TIMEOUT_SECONDS,
            env={**os.environ, "LC_ALL": "C", **told},  # its words are looked at
        )
    except FileNotFoundError as exc:
        raise HostError(f"There is no {arguments[0]} on this machine.") from exc
    except (OSError, subprocess.TimeoutExpired) as exc:
        raise HostError(f"{arguments[0]} could not be run: {exc}.") from exc
    words = " ".join(done.stderr.decode("utf-8", "replace").split())[:_MAX_OUTPUT_CHARACTERS]
    return CommandOutput(done.returncode, done.stdout, words)


def run_checked(arguments: Sequence[str]) -> None:
    """Run a program that must end well."""
    answer = run_command(arguments)
    if answer.code:
        raise HostError(f"{arguments[0]} failed ({answer.code}): {answer.words or 'it did not say why'}.")


# How our records are told from all others: by the job, and by a short mark of the library.

_MARK_LENGTH = 12  # hexadecimal digits


def library_mark(library: Path) -> str:
    """Return the mark of a library: the same for each way to write its path."""
    return hashlib.sha256(os.fsencode(library.resolve())).hexdigest()[:_MARK_LENGTH]


# Schedulers that know one clock only, that of the machine: may this cadence be given to them?


def require_local(cadence: Cadence, host: str) -> None:
    """Refuse a cadence whose clock is not the machine's; what comes each hour is the same on both."""
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
