"""Jobs as the runner uses them: a command line, due times and failure policy. Also job templates.

Built from the settings by `build_jobs`; all times are Unix seconds, as in the store.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from windrow.config.fields import suggest
from windrow.config.job_settings import OWN_RUNNER, SKIP
from windrow.errors import NotFound, UsageError
from windrow.schedule.cadence import parse_cadence
from windrow.store.jobs import ScheduledJob

if TYPE_CHECKING:
    from windrow.config.job_settings import JobSettings

MAX_COUNTED_TIMES = 1000  # due times that passed; a larger number is of no interest
# How far back the last due time is searched: up to more than the eight years between some leap years.
_BACK_SECONDS = (120.0, 3600.0, 86400.0, 32 * 86400.0, 366 * 86400.0, 9 * 366 * 86400.0)


class Times(Protocol):
    """The part of a cadence that the runner uses."""

    def after(self, moment: datetime) -> datetime:
        """Return the next time strictly later than a moment, in UTC."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What to run and when. `mark` is a text that changes whenever its times do."""

    name: str
    command: tuple[str, ...]
    times: Times
    mark: str
    is_hosted: bool = False
    overlap: str = SKIP
    jitter_seconds: float = 0.0
    limit_seconds: float | None = None
    attempts: int = 1
    backoff_seconds: float = 60.0
    catches_up: bool = True

    def after(self, moment: float) -> float:
        """Return the first due time later than this moment."""
        return self.times.after(datetime.fromtimestamp(moment, UTC)).timestamp()

    def begin_at(self, due: float) -> float:
        """Return when a due time is started: after a jitter that depends only on the job and the time.

        So all runners agree on it, and jobs due in the same minute do not all start together.
        """
        if not self.jitter_seconds:
            return due
        digest = blake2b(f"{self.name}\0{due}".encode(), digest_size=8).digest()
        return due + self.jitter_seconds * int.from_bytes(digest) / 2**64

    def last_before(self, due: float, now: float) -> tuple[float, int]:
        """Return the last due time up to now, and how many passed before it, including this one."""
        latest = due
        for back in _BACK_SECONDS:
            found = self.after(max(due, now - back))
            if found <= now:
                latest = self._walk(found, now)
                break
            if now - back <= due:
                break
        return latest, self._count(due, latest)

    def scheduled(self, now: float) -> ScheduledJob:
        """Return the row for the store, if the job is new there."""
        due = self.after(now)
        return ScheduledJob(self.name, self.mark, due, self.begin_at(due), self.is_hosted)

    def _walk(self, due: float, now: float) -> float:
        while (following := self.after(due)) <= now:
            due = following
        return due

    def _count(self, due: float, latest: float) -> int:
        passed = 0
        while due < latest and passed < MAX_COUNTED_TIMES:
            due, passed = self.after(due), passed + 1
        return passed


def build_jobs(settings: Mapping[str, JobSettings]) -> dict[str, Job]:
    return {name: _build_job(found) for name, found in settings.items()}


def _build_job(settings: JobSettings) -> Job:
    times = parse_cadence(settings.every, at=settings.at, on=settings.on, timezone=settings.timezone)
    told = (settings.every, settings.at, settings.on, settings.timezone, settings.jitter)
    return Job(
        name=settings.name,
        command=settings.words,
        times=times,
        mark=" | ".join(str(each or "") for each in told),
        is_hosted=settings.host != OWN_RUNNER,
        overlap=settings.overlap,
        jitter_seconds=settings.jitter,
        limit_seconds=settings.time_limit,
        attempts=settings.attempts,
        backoff_seconds=settings.backoff,
        catches_up=settings.catch_up,
    )


# The current jobs of windrow.toml: read again when the file has changed.

log = logging.getLogger("windrow.schedule")


class JobsFile:
    """Returns the jobs when called; the same mapping as long as the file is unchanged.

    A file that is invalid, or half written by an editor, is logged once, and the previous jobs remain.
    """

    def __init__(self, path: Path, read: Callable[[], Mapping[str, Job]]) -> None:
        self._path = path
        self._read = read
        self._seen: tuple[int, int, int] | None = None
        self._jobs: Mapping[str, Job] | None = None

    def __call__(self) -> Mapping[str, Job]:
        """Return the jobs. Raises ConfigError only if no valid jobs were ever read."""
        looks = self._look()
        if self._jobs is not None and looks == self._seen:
            return self._jobs
        try:
            self._jobs = self._read()
        except (UsageError, OSError) as exc:
            if self._jobs is None:
                raise
            log.error("the jobs stay as they were: %s", exc)
        self._seen = looks
        return self._jobs

    def _look(self) -> tuple[int, int, int] | None:
        try:
            found = os.stat(self._path)
        except OSError:
            return None
        return found.st_mtime_ns, found.st_size, found.st_ino


# Job templates: sets of related jobs, added by one command and edited like any job.


@dataclass(frozen=True, slots=True)
class TemplateJob:
    """One job of a template; `{source}` in its name and its command is replaced."""

    name: str
    command: str
    cadence: str  # a cron expression
    purpose: str


# The five jobs that kept Studera.NU current for years, at their original times.
ROBOT = (
    TemplateJob("{source}-index", "index", "10,40 0-4,6-23 * * *", "bring the index up to date"),
    TemplateJob("{source}-reindex", "index --rebuild", "10 5 * * *", "build the whole index again"),
    TemplateJob(
        "{source}-harvest",
        "harvest {source} --no-index",
        "20,50 0-4,6-23 * * *",
        "ask for the addresses found since the last time, and for those that are due",
    ),
    TemplateJob(
        "{source}-reload",
        "harvest {source} --full --no-index",
        "10 0 * * 1,3,5",
        "ask for all known pages again; those that have not changed cost an answer without content",
    ),
    TemplateJob(
        "{source}-retry",
        "crawl load {source} --start --missing --since 14d --force --harvest",
        "10 0 * * 0,2,4,6",
        "try all start pages again, and the addresses of the last fortnight that are not in the library",
    ),
)
TEMPLATES: Mapping[str, Sequence[TemplateJob]] = {"robot": ROBOT}


def template_jobs(template: str, source: str) -> list[TemplateJob]:
    if template not in TEMPLATES:
        known = ", ".join(sorted(TEMPLATES))
        raise NotFound(
            f"there is no job template {template!r}.{suggest(template, TEMPLATES)}",
            hint=f"There is: {known}.",
        )
    return [
        TemplateJob(
            job.name.format(source=source), job.command.format(source=source), job.cadence, job.purpose
        )
        for job in TEMPLATES[template]
    ]
