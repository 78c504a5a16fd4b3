"""Management of jobs: add, change, remove, pause, resume and list them, for the command line and for pages.

Every method either does all it promises, or raises and changes nothing. windrow.toml defines a job, the store
holds its state, and the host's scheduler its entry there.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from windrow.config import editor
from windrow.config.editor import edit_lock, replace_file
from windrow.config.fields import shorten, suggest
from windrow.config.job_settings import OWN_RUNNER, JobSettings
from windrow.config.loader import load
from windrow.config.schema import FILE_NAME
from windrow.errors import ConfigError, NotFound, WindrowError
from windrow.model.job_state import JobRun, JobState
from windrow.schedule.cadence import Cadence, next_times, parse_cadence
from windrow.schedule.hosts.host_scheduler import HostScheduler, command_line, find_host_scheduler
from windrow.schedule.job_runner import readable_jobs
from windrow.schedule.scheduled_job import Job, build_jobs
from windrow.store import jobs
from windrow.store import jobs as table
from windrow.store.store import Store


@dataclass(frozen=True, slots=True)
class JobEntry:
    """One job: its settings, cadence and state."""

    settings: JobSettings
    cadence: Cadence | None  # None: its times cannot be read; see `problem`
    state: JobState | None  # None: not in the store yet
    problem: str = ""

    @property
    def name(self) -> str:
        return self.settings.name

    @property
    def is_paused(self) -> bool:
        return self.state is not None and self.state.is_paused

    def times(self, now: float, count: int) -> list[datetime]:
        """Return the next due times; [] if they cannot be read."""
        return next_times(self.cadence, datetime.fromtimestamp(now, UTC), count) if self.cadence else []

    def following(self, now: float) -> datetime | None:
        """Return the next start; None if the job is paused, or its times cannot be read."""
        if self.cadence is None or self.is_paused:
            return None
        if self.state is not None and self.state.at is not None and not self.state.is_hosted:
            return datetime.fromtimestamp(self.state.at, UTC)
        return self.cadence.after(datetime.fromtimestamp(now, UTC))


class JobManager:
    """The jobs of one library. `clock` returns Unix seconds, `find_host` a scheduler of the machine."""

    def __init__(
        self,
        folder: Path,
        store: Store,
        *,
        environ: Mapping[str, str],
        clock: Callable[[], float] = time.time,
        find_host: Callable[[str], HostScheduler] = find_host_scheduler,
    ) -> None:
        self._folder = folder
        self._store = store
        self._environ = environ
        self._clock = clock
        self._find_host = find_host

    def entries(self) -> list[JobEntry]:
        """Return all jobs, sorted by name."""
        with self._store.reading() as connection:
            states = {state.name: state for state in table.list_states(connection, now=self._clock())}
        return [_job_entry(each, states.get(name)) for name, each in sorted(self._settings().items())]

    def entry(self, name: str) -> JobEntry:
        """Return one job; raises NotFound."""
        settings = self._find(name)
        with self._store.reading() as connection:
            return _job_entry(settings, table.get_state(connection, name, now=self._clock()))

    def runs(self, name: str, *, limit: int) -> list[JobRun]:
        with self._store.reading() as connection:
            return jobs.list_runs(connection, name, limit=limit)

    def add(self, name: str, settings: Mapping[str, object]) -> tuple[JobEntry, str]:
        """Add a job; return it, with the host scheduler's message if it runs there.

        Settings have the names and the notation of windrow.toml ("30s"); None is omitted.
        """
        with self._undone_on_failure():
            editor.add_job(self._folder, name, settings, environ=self._environ)
            made = self._find(name)
            words = self._install(made, _read_job(made))
        self._sync()
        return self.entry(name), words

    def change(self, name: str, changes: Mapping[str, object]) -> tuple[JobEntry, str]:
        """Change settings of a job; None restores a default. Returns the same as `add`."""
        before = self._find(name)
        with self._undone_on_failure():
            editor.change_job(self._folder, name, changes, environ=self._environ)
            after = self._find(name)
            words = self._install(after, _read_job(after))
            if before.host not in (OWN_RUNNER, after.host):
                self._take_away(before, instead=after)
        self._sync()
        return self.entry(name), words

    def remove(self, name: str, *, is_record_left: bool = False) -> bool:
        """Remove a job and its entry in the host's scheduler; return whether there was such an entry."""
        going = self._find(name)
        had_record = False
        with self._undone_on_failure():
            editor.remove_job(self._folder, name, environ=self._environ)
            if going.host != OWN_RUNNER and not is_record_left:
                had_record = self._find_host(going.host).remove(name, self._folder)
        self._sync()
        return had_record

    def pause(self, name: str) -> JobEntry:
        """Pause a job until it is resumed; a current run continues."""
        self._know(name)
        with self._store.writing() as connection:
            table.pause(connection, name)
        return self.entry(name)

    def resume(self, name: str) -> JobEntry:
        """Resume a job from its next due time on; no effect on a job that is not paused."""
        job = self._know(name)
        due = job.after(self._clock())
        with self._store.writing() as connection:
            table.resume(connection, name, due=due, at=job.begin_at(due))
        return self.entry(name)

    def _settings(self) -> Mapping[str, JobSettings]:
        return load(self._folder, environ=self._environ).jobs

    def _find(self, name: str) -> JobSettings:
        known = self._settings()
        if name not in known:
            hint = f"The jobs of this library: {', '.join(sorted(known)) or 'none yet'}."
            raise NotFound(f"there is no job {shorten(name)}.{suggest(name, known)}", hint=hint)
        return known[name]

    def _know(self, name: str) -> Job:
        """Ensure that the store has a job, so that its state can be stored."""
        settings = self._find(name)
        job = build_jobs({name: settings})[name]
        with self._store.reading() as connection:
            is_known = table.get_state(connection, name, now=self._clock()) is not None
        if not is_known:
            self._sync()
        return job

    def _sync(self) -> None:
        """Update the store as a runner would, so that due times are available at once."""
        now = self._clock()
        # otherwise a job that is being added concurrently would be removed
        with edit_lock(self._folder / FILE_NAME):
            rows = [job.scheduled(now) for job in readable_jobs(self._settings()).values()]
            with self._store.writing() as connection:
                table.sync(connection, rows)

    def _install(self, job: JobSettings, cadence: Cadence) -> str:
        if job.host == OWN_RUNNER:
            return ""
        command = command_line(job.name, self._folder)
        return self._find_host(job.host).install(job.name, cadence, command, self._folder)

    def _take_away(self, before: JobSettings, *, instead: JobSettings) -> None:
        """Remove the entry from the former scheduler; if that fails, remove the new entry."""
        try:
            self._find_host(before.host).remove(before.name, self._folder)
        except WindrowError:
            if instead.host != OWN_RUNNER:
                self._find_host(instead.host).remove(instead.name, self._folder)
            raise

    @contextmanager
    def _undone_on_failure(self) -> Iterator[None]:
        """Restore windrow.toml if anything inside fails; the lock excludes other editors."""
        path = self._folder / FILE_NAME
        with edit_lock(path):
            before = path.read_bytes()
            try:
                yield
            except BaseException:
                if path.read_bytes() != before:
                    replace_file(path, before)
                raise


def _job_entry(settings: JobSettings, state: JobState | None) -> JobEntry:
    try:
        return JobEntry(settings, _read_job(settings), state)
    except ConfigError as exc:
        return JobEntry(settings, None, state, f"{exc} {exc.hint}".strip())


def _read_job(job: JobSettings) -> Cadence:
    return parse_cadence(job.every, at=job.at, on=job.on, timezone=job.timezone)
