"""What is next after a run of a job: another attempt, or which due time. Pure; `taking` writes it down."""

from __future__ import annotations

from dataclasses import dataclass, replace

from windrow.config.jobs import QUEUE
from windrow.model.job import JobOutcome
from windrow.schedule.job import Job
from windrow.store.jobs import Onward, Taken

LONGEST_BACKOFF_SECONDS = 86400.0


@dataclass(frozen=True, slots=True)
class Plan:
    """What becomes of a job. `left_out` due times, the last of them at `last_left_out`, passed meanwhile."""

    onward: Onward
    retry_at: float | None = None  # None: this was the last attempt
    left_out: int = 0
    last_left_out: float = 0.0

    @property
    def is_final(self) -> bool:
        """Was this the last attempt for the time at hand?"""
        return self.retry_at is None


def plan(
    job: Job,
    taken: Taken,
    outcome: JobOutcome,
    *,
    now: float,
    is_cut: bool = False,
    is_named: bool = False,
    is_patient: bool = False,
) -> Plan:
    """Say what is next.

    `is_cut`: the runner ends, or could not keep the lease, so what was interrupted goes on at once, with
    whoever takes it. `is_named`: somebody asked for this run, so it is not tried again, and a due time that
    is still to come stays. `is_patient`: who asked for it tries again, in the same process, where the source
    was busy.
    """
    wait = retry_seconds(job, taken, outcome)
    is_time = wait is not None and now + wait < job.after(now)
    if is_named:
        made = _after_named(job, taken, now)
        is_again = is_patient and is_time and outcome is JobOutcome.SKIPPED and not is_cut
        return replace(made, retry_at=now + wait) if is_again and wait is not None else made
    if outcome is JobOutcome.INTERRUPTED and is_cut:
        return Plan(Onward(taken.due, now, taken.attempt - 1, taken.tries - 1), retry_at=now)
    if wait is not None and is_time:
        counted = taken.attempt - (outcome is JobOutcome.SKIPPED)
        return Plan(Onward(taken.due, now + wait, counted, taken.tries), retry_at=now + wait)
    return following(job, taken.due, now)


def retry_seconds(job: Job, taken: Taken, outcome: JobOutcome) -> float | None:
    """Give how long to wait before the next attempt; None where there is none.

    To be asked to come back later is no failure: that is done as often as there is time before the next run.
    """
    is_failed = outcome is JobOutcome.FAILED and taken.attempt < job.attempts
    if not is_failed and outcome is not JobOutcome.SKIPPED:
        return None
    doubled = job.backoff_seconds * 2.0 ** min(taken.tries - 1, 30)
    return float(min(max(doubled, 1.0), LONGEST_BACKOFF_SECONDS))


def following(job: Job, due: float, now: float) -> Plan:
    """Give the due time after this one; what passed while it ran is left out, or run once more right away."""
    coming = job.after(due)
    if coming > now:
        return Plan(_at(job, coming))
    latest, before = job.last_before(coming, now)
    if job.overlap == QUEUE:
        return Plan(Onward(latest, now), left_out=before, last_left_out=coming)
    return Plan(_at(job, job.after(now)), left_out=before + 1, last_left_out=latest)


def _after_named(job: Job, taken: Taken, now: float) -> Plan:
    return Plan(_at(job, taken.due)) if taken.due > now else Plan(_at(job, job.after(now)))


def _at(job: Job, due: float) -> Onward:
    return Onward(due, job.begin_at(due))
