"""A job as the runner sees it: a command line, its due times, and what happens when it goes otherwise.

Made from the settings by `jobs_of`; every time is Unix seconds from here on, as in the store.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import blake2b
from typing import TYPE_CHECKING, Protocol

from windrow.config.jobs import HERE, SKIP
from windrow.schedule.cadence import parse_cadence
from windrow.store.jobs import Scheduled

if TYPE_CHECKING:
    from windrow.config.jobs import JobSettings

MOST_COUNTED = 1000  # due times that passed; nobody wants to know how many more
# How far back the last due time is looked for: from a moment to more than a leap year's eight.
_BACK_SECONDS = (120.0, 3600.0, 86400.0, 32 * 86400.0, 366 * 86400.0, 9 * 366 * 86400.0)


class Times(Protocol):
    """All that the runner asks of a cadence."""

    def after(self, moment: datetime) -> datetime:
        """Give the next time strictly later than a moment, in UTC."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What to run and when. `mark` is any text that changes when its times do."""

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
        """Give the first due time later than this moment."""
        return self.times.after(datetime.fromtimestamp(moment, UTC)).timestamp()

    def begin_at(self, due: float) -> float:
        """Give when a due time is begun: later by a jitter that is always the same for the same time.

        Thus all runners agree on it, and jobs due in the same minute do not all set out together.
        """
        if not self.jitter_seconds:
            return due
        digest = blake2b(f"{self.name}\0{due}".encode(), digest_size=8).digest()
        return due + self.jitter_seconds * int.from_bytes(digest) / 2**64

    def last_before(self, due: float, now: float) -> tuple[float, int]:
        """Give the last due time up to now, and how many passed before it, beginning with this one."""
        latest = due
        for back in _BACK_SECONDS:
            found = self.after(max(due, now - back))
            if found <= now:
                latest = self._walk(found, now)
                break
            if now - back <= due:
                break
        return latest, self._count(due, latest)

    def scheduled(self, now: float) -> Scheduled:
        """Give the row that the store should have for it, if it is new there."""
        due = self.after(now)
        return Scheduled(self.name, self.mark, due, self.begin_at(due), self.is_hosted)

    def _walk(self, due: float, now: float) -> float:
        while (following := self.after(due)) <= now:
            due = following
        return due

    def _count(self, due: float, latest: float) -> int:
        passed = 0
        while due < latest and passed < MOST_COUNTED:
            due, passed = self.after(due), passed + 1
        return passed


def jobs_of(settings: Mapping[str, JobSettings]) -> dict[str, Job]:
    """Make the jobs that the settings describe, by their names."""
    return {name: _job(found) for name, found in settings.items()}


def _job(settings: JobSettings) -> Job:
    times = parse_cadence(settings.every, at=settings.at, on=settings.on, timezone=settings.timezone)
    told = (settings.every, settings.at, settings.on, settings.timezone, settings.jitter)
    return Job(
        name=settings.name,
        command=settings.words,
        times=times,
        mark=" | ".join(str(each or "") for each in told),
        is_hosted=settings.host != HERE,
        overlap=settings.overlap,
        jitter_seconds=settings.jitter,
        limit_seconds=settings.time_limit,
        attempts=settings.attempts,
        backoff_seconds=settings.backoff,
        catches_up=settings.catch_up,
    )
