"""A run under way and what bounds it: its time limit, the wish to stop, the loss of its lease."""

from __future__ import annotations

import math
from dataclasses import dataclass

from windrow.model.job import JobOutcome, outcome_of
from windrow.schedule.child import Child
from windrow.schedule.gist import last_words
from windrow.schedule.job import Job
from windrow.store.jobs import Taken


@dataclass(slots=True)
class Running:
    """One run, from its beginning to its end. Moments are of a clock that only goes forward."""

    job: Job
    taken: Taken
    child: Child
    began: float
    grace_seconds: float  # between asking it to stop and killing it
    is_named: bool = False
    is_patient: bool = False
    asked_at: float | None = None  # when it was asked to stop
    deadline: float = math.inf  # until when it may go on without a word from us, by `boot_time`
    was_late: bool = False  # a word came only after that: it may be about to end
    is_cut: bool = False  # it ended because of that
    is_overdue: bool = False
    is_killed: bool = False

    def bound(self, moment: float) -> None:
        """See to it that it ends: asked at its time limit, killed when it does not heed that."""
        limit = self.job.limit_seconds
        if limit is not None and self.asked_at is None and moment - self.began >= limit:
            self.is_overdue = True
            self.ask(moment)
        if self.asked_at is not None and not self.is_killed and moment - self.asked_at >= self.grace_seconds:
            self.is_killed = True
            self.child.kill()

    def ask(self, moment: float) -> None:
        """Ask it to stop; no-op where it was asked already."""
        if self.asked_at is None:
            self.asked_at = moment
            self.child.stop()

    def keep(self, deadline: float, grace_seconds: float, *, boot: float) -> None:
        """Let it go on until this moment."""
        self.was_late = self.was_late or boot >= self.deadline
        self.deadline = deadline
        self.child.keep(deadline, grace_seconds)

    def verdict(self, code: int, *, boot: float) -> tuple[JobOutcome, str]:
        """Give how it ended, and the words for it."""
        said = last_words(self.child.last_words())
        self.is_cut = code != 0 and (self.was_late or boot >= self.deadline)
        if self.is_cut:  # this machine slept, or the store could not be reached
            return JobOutcome.INTERRUPTED, "stopped because its lease was not kept in time; begun again"
        if self.is_overdue:
            return JobOutcome.FAILED, f"stopped after {self.job.limit_seconds:,.0f} s, its time limit"
        if self.asked_at is not None and code != 0 and (code < 0 or code in (130, 143)):
            return JobOutcome.INTERRUPTED, "stopped because the runner was; the next one goes on with it"
        if code < 0:
            return JobOutcome.FAILED, f"ended by signal {-code}"
        if code == 0 or said:
            return outcome_of(code), said
        return outcome_of(code), f"ended with exit code {code}"
