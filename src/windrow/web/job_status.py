"""The status of scheduled jobs, for the status page and the API: only what may be public.

A job's command line may name folders of the server, and the output of its runs may contain anything. So only
the beginning of the command is shown, and of a run only its outcome and two numbers of its progress.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from windrow.config.job_sources import current_config, sources_of
from windrow.config.schema import Config
from windrow.model.job_state import JobState
from windrow.model.run import Run
from windrow.store import jobs, runs
from windrow.store.connection import Connection
from windrow.store.overview import RUNNING, outcome_word
from windrow.store.store import Store

# Progress is read from the last line that a run printed. Only numbers are taken from it.

_TAIL_BYTES = 512
_PROGRESS = re.compile(r"[a-z ]{1,40}: (\d[\d,]{0,14}) of (\d[\d,]{0,14}) \(.*", re.ASCII)


def read_progress(library: Path, log: str) -> tuple[int, int] | None:
    """Return (done, total) from the last line of a log; None if it is not a progress line."""
    lines = _tail(library / log).splitlines() if log else []
    found = _PROGRESS.fullmatch(lines[-1]) if lines else None
    return (_number(found[1]), _number(found[2])) if found else None


def _number(digits: str) -> int:
    return int(digits.replace(",", ""))


def _tail(path: Path) -> str:
    """Return the end of a file; empty if it cannot be read."""
    with suppress(OSError), path.open("rb") as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - _TAIL_BYTES))
        return file.read(_TAIL_BYTES).decode("utf-8", "replace")
    return ""


PAUSED_OUTCOME = "paused"
LATE_SECONDS = 300.0  # after its due time, a job that was not started is overdue
_PLAIN = re.compile(r"(?:--?)?[A-Za-z0-9][A-Za-z0-9._-]*")


@dataclass(frozen=True, slots=True)
class JobStatus:
    """One job. If `next` is in the past, the job has been due since then."""

    name: str
    what: str  # the public part of its command line
    sources: frozenset[str]  # that it harvests
    state: JobState | None  # None: the runner has not seen it yet
    next: datetime | None  # None: paused, running, or unknown
    is_overdue: bool
    progress: tuple[Run, ...] = ()  # running harvests of its sources
    reached: tuple[int, int] | None = None  # of its other work: done and total, where it reports them

    @property
    def is_paused(self) -> bool:
        return self.state is not None and self.state.is_paused

    @property
    def outcome(self) -> str:
        """Return the outcome of its last run, or "never"."""
        last = self.state.last if self.state else None
        return last.outcome.value if last and last.outcome else "never"

    @property
    def ended(self) -> datetime | None:
        return _from_unix_seconds(self.state.last.ended) if self.state and self.state.last else None

    @property
    def last_good(self) -> datetime | None:
        return _from_unix_seconds(self.state.last_good.ended) if self.state and self.state.last_good else None

    @property
    def running_since(self) -> datetime | None:
        """Return when the current run began; None if it is not running."""
        return _from_unix_seconds(self.state.running_since) if self.state else None

    @property
    def failing_since(self) -> datetime | None:
        """Return when it began to fail; None if its last relevant run succeeded."""
        return _from_unix_seconds(self.state.failing_since) if self.state else None

    @property
    def failures(self) -> int:
        return self.state.failures if self.state else 0


def job_statuses(store: Store, config: Config) -> list[JobStatus]:
    """Return every job that is currently configured, or known to the runner, by name."""
    config, now = current_config(config), store.clock()
    with store.reading() as connection:
        states = {state.name: state for state in jobs.list_states(connection, now=now)}
        is_any_running = any(state.running for state in states.values())
        running = _running(connection) if is_any_running else {}
    return [
        _job_status(name, config, states.get(name), running, now) for name in sorted({*config.jobs, *states})
    ]


def next_harvests(standings: Iterable[JobStatus]) -> dict[str, datetime | str]:
    """Return when each source is next harvested, by name; sources without a job are absent.

    The value is RUNNING for a running harvest, and PAUSED if all its jobs are paused.
    """
    found: dict[str, datetime | str] = {}
    for standing in standings:
        coming = (
            RUNNING if standing.running_since else PAUSED_OUTCOME if standing.is_paused else standing.next
        )
        if coming is not None:
            for source in standing.sources:
                found[source] = _earlier(coming, found.get(source, coming))
    return found


def _earlier(one: datetime | str, other: datetime | str) -> datetime | str:
    if isinstance(one, datetime) and isinstance(other, datetime):
        return min(one, other)
    if RUNNING in (one, other):
        return RUNNING
    return one if isinstance(one, datetime) else other


def _job_status(
    name: str, config: Config, state: JobState | None, running: Mapping[str, Run], now: float
) -> JobStatus:
    settings = config.jobs.get(name)
    sources = sources_of(settings, config) if settings else frozenset()
    is_waiting = state is not None and not state.is_paused and state.running is None
    at = state.at if state is not None and is_waiting else None
    run = state.running if state is not None else None
    harvests = tuple(running[source] for source in sorted(sources) if source in running) if run else ()
    return JobStatus(
        name,
        _public_command(settings.words) if settings else "",
        sources,
        state,
        _from_unix_seconds(at),
        at is not None and at + LATE_SECONDS < now,
        harvests,
        read_progress(config.path, run.log) if run and not harvests else None,
    )


def _public_command(words: Sequence[str]) -> str:
    """Return the beginning of a command line: verbs, names and options, up to a path or the like."""
    kept = []
    for word in words:
        if not _PLAIN.fullmatch(word):
            break
        kept.append(word)
    return " ".join(kept)


def _running(connection: Connection) -> dict[str, Run]:
    newest = runs.newest(connection)
    return {name: run for name, run in newest.items() if outcome_word(connection, run) == RUNNING}


def _from_unix_seconds(seconds: float | None) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)
