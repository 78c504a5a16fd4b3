"""The stored state of scheduled jobs: due times, runs and outcomes. Times are Unix seconds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class JobOutcome(StrEnum):
    """The outcome of a job's run. The names are those of harvest outcomes where both exist."""

    OK = "ok"
    PARTIAL = "partial"
    FAILED = "failed"
    SKIPPED = "skipped"  # the server asked to be contacted later
    INTERRUPTED = "interrupted"
    LOST = "lost"  # its process disappeared and another one took over
    MISSED = "missed"  # its time passed and it was skipped


GOOD_OUTCOMES = frozenset({JobOutcome.OK, JobOutcome.PARTIAL})
_OUTCOMES: Mapping[int, JobOutcome] = {
    0: JobOutcome.OK,
    3: JobOutcome.PARTIAL,
    75: JobOutcome.SKIPPED,
    130: JobOutcome.INTERRUPTED,
}


def outcome_of_exit_code(code: int) -> JobOutcome:
    """Return the outcome of an exit code; an unknown code counts as failed."""
    return _OUTCOMES.get(code, JobOutcome.FAILED)


@dataclass(frozen=True, slots=True)
class JobRun:
    """One run of a job. Its number only grows and is also its fencing token."""

    id: int
    job: str
    due: float  # the scheduled time
    started: float
    ended: float | None  # None: still running, or killed
    outcome: JobOutcome | None
    code: int | None  # the exit code; None if there was none, negative: the signal that ended it
    attempt: int  # 1 for the first
    holder: str  # the process that ran it, for people
    summary: str
    log: str  # the file with its output, relative to the library folder; empty: none
    retry_at: float | None  # time of the next attempt; None: there is none

    @property
    def is_good(self) -> bool:
        return self.outcome in GOOD_OUTCOMES


@dataclass(frozen=True, slots=True)
class JobState:
    """The current state of a job."""

    name: str
    due: float | None  # when it is due next; None: never
    at: float | None  # time of the next start: a little after it is due, or at the next attempt
    attempt: int  # attempts already made for the current due time
    is_paused: bool
    is_hosted: bool  # started by the host's own scheduler
    running: JobRun | None
    last: JobRun | None  # the newest that ended, missed ones excluded
    last_good: JobRun | None
    failing_since: float | None  # None: the last run that counts was good
    failures: int  # in a row, not counting runs that are retried

    @property
    def running_since(self) -> float | None:
        return self.running.started if self.running else None

    @property
    def holder(self) -> str:
        """The process of the current run, for people; empty if there is none."""
        return self.running.holder if self.running else ""
