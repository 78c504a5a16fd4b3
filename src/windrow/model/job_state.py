"""Jobs as the store remembers them: what is due, what runs, how it went. Times are Unix seconds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class JobOutcome(StrEnum):
    """How a run of a job ended. Where a harvest has a word for the same, it is the same word."""

    OK = "ok"
    PARTIAL = "partial"
    FAILED = "failed"
    SKIPPED = "skipped"  # it was asked to come back later
    INTERRUPTED = "interrupted"
    LOST = "lost"  # whoever ran it was gone; somebody took over
    MISSED = "missed"  # its time passed and it was left out


GOOD_OUTCOMES = frozenset({JobOutcome.OK, JobOutcome.PARTIAL})
_OUTCOMES: Mapping[int, JobOutcome] = {
    0: JobOutcome.OK,
    3: JobOutcome.PARTIAL,
    75: JobOutcome.SKIPPED,
    130: JobOutcome.INTERRUPTED,
}


def outcome_of_exit_code(code: int) -> JobOutcome:
    """Return what an exit code of Windrow means; any that it never ends with is a failure."""
    return _OUTCOMES.get(code, JobOutcome.FAILED)


@dataclass(frozen=True, slots=True)
class JobRun:
    """One run of a job. Its number is its fencing token too: numbers only grow."""

    id: int
    job: str
    due: float  # the time that it was for
    started: float
    ended: float | None  # None: still running, or killed
    outcome: JobOutcome | None
    code: int | None  # the exit code; None where there was none, negative: the signal that ended it
    attempt: int  # 1 for the first
    holder: str  # who ran it, in words
    summary: str
    log: str  # the file with its output, from the library folder on; empty: none
    retry_at: float | None  # when it is tried again; None: this was the last word

    @property
    def is_good(self) -> bool:
        """Did it do what it was for?"""
        return self.outcome in GOOD_OUTCOMES


@dataclass(frozen=True, slots=True)
class JobState:
    """How a job stands."""

    name: str
    due: float | None  # when it is due next; None: never
    at: float | None  # when it will be begun: a little later than due, or when it is tried again
    attempt: int  # attempts already made for the time at hand
    is_paused: bool
    is_hosted: bool  # the host's own scheduler begins it
    running: JobRun | None
    last: JobRun | None  # the newest that ended; what was missed does not count
    last_good: JobRun | None
    failing_since: float | None  # None: the last one that counts was good
    failures: int  # in a row, not counting what is tried again

    @property
    def running_since(self) -> float | None:
        """When the run under way began; None where none is."""
        return self.running.started if self.running else None

    @property
    def holder(self) -> str:
        """Who runs it at this moment, in words; empty where nobody does."""
        return self.running.holder if self.running else ""
