"""Claiming of jobs in the store: a runner takes, keeps and finishes them, each in one transaction."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

from windrow.config.job_settings import QUEUE
from windrow.errors import NotFound, SourceBusy
from windrow.model.job_state import JobOutcome, JobRun, JobState
from windrow.schedule.scheduled_job import MAX_COUNTED_TIMES, Job
from windrow.store import jobs
from windrow.store.connection import Connection
from windrow.store.jobs import ClaimedJob, ClockBounds, NextAttempt, ScheduledJob
from windrow.store.leases import Claim
from windrow.store.store import Store

# The retry policy: another attempt, or the next due time. Pure functions.

MAX_BACKOFF_SECONDS = 86400.0


@dataclass(frozen=True, slots=True)
class NextRun:
    """What happens next to a job.

    `left_out` due times passed meanwhile, the last of them at `last_left_out`.
    """

    next_attempt: NextAttempt
    retry_at: float | None = None  # None: this was the last attempt
    left_out: int = 0
    last_left_out: float = 0.0

    @property
    def is_final(self) -> bool:
        return self.retry_at is None


def plan_next_run(
    job: Job,
    taken: ClaimedJob,
    outcome: JobOutcome,
    *,
    now: float,
    is_cut: bool = False,
    is_named: bool = False,
    is_patient: bool = False,
) -> NextRun:
    """Return what happens next.

    `is_cut`: the runner stops, or could not keep the lease, so an interrupted run continues at once, with any
    runner. `is_named`: a user requested this run, so it is not retried, and a future due time stays.
    `is_patient`: the requesting process retries the run itself if the source was busy.
    """
    wait = retry_seconds(job, taken, outcome)
    is_time = wait is not None and now + wait < job.after(now)
    if is_named:
        plan = _after_named(job, taken, now)
        is_again = is_patient and is_time and outcome is JobOutcome.SKIPPED and not is_cut
        return replace(plan, retry_at=now + wait) if is_again and wait is not None else plan
    if outcome is JobOutcome.INTERRUPTED and is_cut:
        return NextRun(NextAttempt(taken.due, now, taken.attempt - 1, taken.tries - 1), retry_at=now)
    if wait is not None and is_time:
        counted = taken.attempt - (outcome is JobOutcome.SKIPPED)
        return NextRun(NextAttempt(taken.due, now + wait, counted, taken.tries), retry_at=now + wait)
    return next_due(job, taken.due, now)


def retry_seconds(job: Job, taken: ClaimedJob, outcome: JobOutcome) -> float | None:
    """Return the seconds until the next attempt; None if there is none.

    A busy source (exit code 75) is no failure, so it is retried as often as there is time before the next
    run.
    """
    is_failed = outcome is JobOutcome.FAILED and taken.attempt < job.attempts
    if not is_failed and outcome is not JobOutcome.SKIPPED:
        return None
    doubled = job.backoff_seconds * 2.0 ** min(taken.tries - 1, 30)
    return float(min(max(doubled, 1.0), MAX_BACKOFF_SECONDS))


def next_due(job: Job, due: float, now: float) -> NextRun:
    """Return the next due time; times that passed during the run are skipped, or run once more at once."""
    coming = job.after(due)
    if coming > now:
        return NextRun(_at(job, coming))
    latest, before = job.last_before(coming, now)
    if job.overlap == QUEUE:
        return NextRun(NextAttempt(latest, now), left_out=before, last_left_out=coming)
    return NextRun(_at(job, job.after(now)), left_out=before + 1, last_left_out=latest)


def _after_named(job: Job, taken: ClaimedJob, now: float) -> NextRun:
    return NextRun(_at(job, taken.due)) if taken.due > now else NextRun(_at(job, job.after(now)))


def _at(job: Job, due: float) -> NextAttempt:
    return NextAttempt(due, job.begin_at(due))


LATE_SECONDS = 300.0  # a due time that no runner took for this long was missed
MAX_LOSSES = 5  # runners that may be killed at one due time before it counts as failed
WHILE_RUNNING = "the run before was still under way"
WHILE_OFF = "nothing ran"


class JobClaims:
    """Claims jobs for one runner. `clock` returns Unix seconds."""

    def __init__(
        self, store: Store, claim: Claim, *, clock: Callable[[], float], lease_seconds: float
    ) -> None:
        self._store = store
        self._claim = claim
        self._clock = clock
        self.lease_seconds = lease_seconds

    def sync(self, wanted: Mapping[str, Job]) -> None:
        """Update the store to the settings and the clock; writes only if something is new."""
        now = self._clock()
        rows = [job.scheduled(now) for job in wanted.values()]
        bounds = ClockBounds(
            [(row, _latest_due(wanted[row.name], row)) for row in rows], now + self.lease_seconds
        )
        with self._store.reading() as connection:
            if jobs.is_in_step(connection, rows) and not jobs.is_due_too_far(connection, bounds):
                return
        with self._store.writing() as connection:
            jobs.sync(connection, rows)
            jobs.correct_due_times(connection, bounds)

    def next_at(self) -> float | None:
        with self._store.reading() as connection:
            return jobs.next_at(connection)

    def take(
        self, known: Mapping[str, Job], most: int, *, may_take_over: bool = True
    ) -> list[ClaimedJob | FinishedRun]:
        """Take up to `most` due jobs, the longest waiting first; some may already be finished."""
        found: list[ClaimedJob | FinishedRun] = []
        with self._store.writing() as connection:
            now = self._clock()
            while len(found) < most:
                taken = jobs.take(
                    connection,
                    claim=self._claim,
                    now=now,
                    lease_seconds=self.lease_seconds,
                    may_take_over=may_take_over,
                )
                if taken is None:
                    break
                kept = self._consider(connection, known.get(taken.job), taken, now)
                if kept is not None:
                    found.append(kept)
        return found

    def take_named(self, name: str) -> ClaimedJob:
        """Take a job whether it is due or not. Raises SourceBusy with the name of the holder."""
        with self._store.writing() as connection:
            now = self._clock()
            return jobs.take_named(
                connection, name, claim=self._claim, now=now, lease_seconds=self.lease_seconds
            )

    def note_log(self, taken: ClaimedJob, log: str) -> None:
        with self._store.writing() as connection:
            jobs.note_run_log(connection, taken.run, log)

    def beat(self, held: Iterable[ClaimedJob]) -> list[ClaimedJob]:
        """Renew the leases; return the jobs whose leases were lost."""
        with self._store.writing() as connection:
            now = self._clock()
            return [
                taken
                for taken in held
                if not jobs.beat(connection, taken, now=now, lease_seconds=self.lease_seconds)
            ]

    def finish(
        self,
        job: Job,
        taken: ClaimedJob,
        outcome: JobOutcome,
        *,
        code: int | None,
        summary: str,
        is_cut: bool = False,
        is_named: bool = False,
        is_patient: bool = False,
    ) -> FinishedRun | None:
        """Store the end of a run and what happens next.

        Returns None, and changes nothing, if the job was taken over.
        """
        with self._store.writing() as connection:
            now = self._clock()
            plan = plan_next_run(
                job, taken, outcome, now=now, is_cut=is_cut, is_named=is_named, is_patient=is_patient
            )
            is_ours = jobs.finish(
                connection,
                taken,
                outcome,
                plan.next_attempt,
                now=now,
                code=code,
                summary=summary,
                is_final=plan.is_final,
                retry_at=plan.retry_at,
            )
            if not is_ours:
                return None
            self._leave_out(connection, taken.job, plan, WHILE_RUNNING, now)
            jobs.prune_runs(connection, taken.job)
            return FinishedRun(connection, taken.run, taken.job, now=now)

    def skip(self, job: Job, busy: SourceBusy) -> FinishedRun:
        """Store that a run was not started because the job was already running, and by whom."""
        with self._store.writing() as connection:
            now = self._clock()
            run_id = jobs.note_skipped_run(
                connection, job.name, summary=str(busy), code=busy.exit_code, claim=self._claim, now=now
            )
            jobs.prune_runs(connection, job.name)
            return FinishedRun(connection, run_id, job.name, now=now)

    def give_up(self, finished: FinishedRun) -> FinishedRun:
        """Store that a run is not retried after all, because its runner is asked to stop."""
        with self._store.writing() as connection:
            run, now = finished.run, self._clock()
            jobs.give_up_run(connection, run.job, run.id, now=now)
            return FinishedRun(connection, run.id, run.job, now=now)

    def _consider(
        self, connection: Connection, job: Job | None, taken: ClaimedJob, now: float
    ) -> ClaimedJob | FinishedRun | None:
        """Decide about a job that was taken: run it, fail it, or (None) skip it."""
        if job is None:  # no longer in the settings
            jobs.forget(connection, taken)
            return None
        latest, passed = job.last_before(taken.due, now)
        if taken.losses >= MAX_LOSSES:
            summary = f"given up: {taken.losses} runners in a row were gone before it ended"
            return self._settle(connection, job, taken, JobOutcome.FAILED, summary, now)
        is_first = taken.tries == 1 and not taken.losses
        if is_first and not job.catches_up and now - job.begin_at(taken.due) > LATE_SECONDS:
            summary = f"{count_due_times(passed + 1)} passed while {WHILE_OFF}; left out"
            self._settle(
                connection, job, jobs.redate(connection, taken, latest), JobOutcome.MISSED, summary, now
            )
            return None
        if passed:
            words = f"{count_due_times(passed)} passed while {WHILE_OFF}; caught up once"
            last_missed = taken.due
            taken = jobs.redate(connection, taken, latest)
            jobs.note_missed(connection, job.name, due=last_missed, summary=words, claim=self._claim, now=now)
        return taken

    def _settle(
        self,
        connection: Connection,
        job: Job,
        taken: ClaimedJob,
        outcome: JobOutcome,
        summary: str,
        now: float,
    ) -> FinishedRun:
        plan = next_due(job, taken.due, now)
        jobs.finish(connection, taken, outcome, plan.next_attempt, now=now, summary=summary)
        return FinishedRun(connection, taken.run, taken.job, now=now)

    def _leave_out(self, connection: Connection, name: str, plan: NextRun, why: str, now: float) -> None:
        if plan.left_out:
            summary = f"{count_due_times(plan.left_out)} passed while {why}"
            jobs.note_missed(
                connection, name, due=plan.last_left_out, summary=summary, claim=self._claim, now=now
            )


class FinishedRun:
    """A finished run as stored."""

    def __init__(self, connection: Connection, run_id: int, job: str, *, now: float) -> None:
        run = jobs.get_run(connection, run_id)
        if run is None:
            raise NotFound(f"there is no run {run_id}")
        self.run: JobRun = run
        self.state: JobState | None = jobs.get_state(connection, job, now=now)

    @property
    def is_final(self) -> bool:
        return self.run.retry_at is None


def _latest_due(job: Job, coming: ScheduledJob) -> float:
    """Return the latest due time a job can have now: the one after the next, if the clock went back a bit.

    A job that ran at 03:30 must not run again because the clock was set back by a minute.
    """
    return math.inf if coming.due is None else job.after(coming.due)


def count_due_times(times: int) -> str:
    """Return "1 due time", "7 due times", "1,000 or more due times"."""
    if times == 1:
        return "1 due time"
    return f"{MAX_COUNTED_TIMES:,} or more due times" if times >= MAX_COUNTED_TIMES else f"{times} due times"
