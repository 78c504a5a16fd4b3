"""Between the runner and the store: jobs taken, kept and given back, each in one transaction."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping

from windrow.errors import NotFound, SourceBusy
from windrow.model.job import JobOutcome, JobRun, JobState
from windrow.schedule.job import MOST_COUNTED, Job
from windrow.schedule.onward import Plan, following, plan
from windrow.store import job_clock, job_runs, jobs
from windrow.store.connection import Connection
from windrow.store.job_clock import Bounds
from windrow.store.jobs import Scheduled, Taken
from windrow.store.leases import Claim
from windrow.store.store import Store

LATE_SECONDS = 300.0  # a due time that nobody took for so long was missed
MOST_LOSSES = 5  # runners that may be killed at one due time before it counts as failed
WHILE_RUNNING = "the run before was still under way"
WHILE_OFF = "nothing ran"


class Desk:
    """Where one runner takes jobs. `clock` gives Unix seconds."""

    def __init__(
        self, store: Store, claim: Claim, *, clock: Callable[[], float], lease_seconds: float
    ) -> None:
        self._store = store
        self._claim = claim
        self._clock = clock
        self.lease_seconds = lease_seconds

    def sync(self, wanted: Mapping[str, Job]) -> None:
        """Bring the store in step with the settings and the clock; writes only where something is new."""
        now = self._clock()
        rows = [job.scheduled(now) for job in wanted.values()]
        bounds = Bounds([(row, _latest(wanted[row.name], row)) for row in rows], now + self.lease_seconds)
        with self._store.reading() as connection:
            if jobs.is_in_step(connection, rows) and not job_clock.is_too_far(connection, bounds):
                return
        with self._store.writing() as connection:
            jobs.sync(connection, rows)
            job_clock.bring_back(connection, bounds)

    def next_at(self) -> float | None:
        """Give when there may be something to take."""
        with self._store.reading() as connection:
            return jobs.next_at(connection)

    def take(
        self, known: Mapping[str, Job], most: int, *, may_take_over: bool = True
    ) -> list[Taken | Finished]:
        """Take up to so many jobs that are due, the longest waiting first; some may be over already."""
        found: list[Taken | Finished] = []
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

    def take_named(self, name: str) -> Taken:
        """Take a job whether it is due or not; SourceBusy says who is at it."""
        with self._store.writing() as connection:
            now = self._clock()
            return jobs.take_named(
                connection, name, claim=self._claim, now=now, lease_seconds=self.lease_seconds
            )

    def note_log(self, taken: Taken, log: str) -> None:
        """Note where the output of a run goes."""
        with self._store.writing() as connection:
            job_runs.note_log(connection, taken.run, log)

    def beat(self, held: Iterable[Taken]) -> list[Taken]:
        """Make the leases longer; give those that are no longer ours."""
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
        taken: Taken,
        outcome: JobOutcome,
        *,
        code: int | None,
        summary: str,
        is_cut: bool = False,
        is_named: bool = False,
        is_patient: bool = False,
    ) -> Finished | None:
        """Note how a run ended and what is next; None where it was taken over, and nothing is changed."""
        with self._store.writing() as connection:
            now = self._clock()
            made = plan(job, taken, outcome, now=now, is_cut=is_cut, is_named=is_named, is_patient=is_patient)
            is_ours = jobs.finish(
                connection,
                taken,
                outcome,
                made.onward,
                now=now,
                code=code,
                summary=summary,
                is_final=made.is_final,
                retry_at=made.retry_at,
            )
            if not is_ours:
                return None
            self._leave_out(connection, taken.job, made, WHILE_RUNNING, now)
            job_runs.prune(connection, taken.job)
            return Finished(connection, taken.run, taken.job, now=now)

    def skip(self, job: Job, busy: SourceBusy) -> Finished:
        """Note that a run was not begun because the job was under way already, and by whom."""
        with self._store.writing() as connection:
            now = self._clock()
            run_id = job_runs.skip(
                connection, job.name, summary=str(busy), code=busy.exit_code, claim=self._claim, now=now
            )
            job_runs.prune(connection, job.name)
            return Finished(connection, run_id, job.name, now=now)

    def give_up(self, finished: Finished) -> Finished:
        """Note that a run is not tried again after all: whoever was to do it is asked to stop."""
        with self._store.writing() as connection:
            run, now = finished.run, self._clock()
            job_runs.give_up(connection, run.job, run.id, now=now)
            return Finished(connection, run.id, run.job, now=now)

    def _consider(
        self, connection: Connection, job: Job | None, taken: Taken, now: float
    ) -> Taken | Finished | None:
        """See what a job that was taken is worth: a run, or it is given up; None where it is left out."""
        if job is None:  # the settings have it no more
            jobs.forget(connection, taken)
            return None
        latest, passed = job.last_before(taken.due, now)
        if taken.losses >= MOST_LOSSES:
            summary = f"given up: {taken.losses} runners in a row were gone before it ended"
            return self._settle(connection, job, taken, JobOutcome.FAILED, summary, now)
        is_first = taken.tries == 1 and not taken.losses
        if is_first and not job.catches_up and now - job.begin_at(taken.due) > LATE_SECONDS:
            summary = f"{counted(passed + 1)} passed while {WHILE_OFF}; left out"
            self._settle(
                connection, job, jobs.redate(connection, taken, latest), JobOutcome.MISSED, summary, now
            )
            return None
        if passed:
            words = f"{counted(passed)} passed while {WHILE_OFF}; caught up once"
            last_missed = taken.due
            taken = jobs.redate(connection, taken, latest)
            job_runs.leave_out(
                connection, job.name, due=last_missed, summary=words, claim=self._claim, now=now
            )
        return taken

    def _settle(
        self, connection: Connection, job: Job, taken: Taken, outcome: JobOutcome, summary: str, now: float
    ) -> Finished:
        made = following(job, taken.due, now)
        jobs.finish(connection, taken, outcome, made.onward, now=now, summary=summary)
        return Finished(connection, taken.run, taken.job, now=now)

    def _leave_out(self, connection: Connection, name: str, made: Plan, why: str, now: float) -> None:
        if made.left_out:
            summary = f"{counted(made.left_out)} passed while {why}"
            job_runs.leave_out(
                connection, name, due=made.last_left_out, summary=summary, claim=self._claim, now=now
            )


class Finished:
    """A run that ended and was accepted, as the store has it."""

    def __init__(self, connection: Connection, run_id: int, job: str, *, now: float) -> None:
        run = job_runs.run(connection, run_id)
        if run is None:
            raise NotFound(f"there is no run {run_id}")
        self.run: JobRun = run
        self.state: JobState | None = jobs.state(connection, job, now=now)

    @property
    def is_final(self) -> bool:
        """Was this the last attempt for its due time?"""
        return self.run.retry_at is None


def _latest(job: Job, coming: Scheduled) -> float:
    """Give the last due time that a job can have now: the one after the next, if the clock went back a bit.

    Who runs at 03:30 and has the clock put back by a minute is not to run again.
    """
    return math.inf if coming.due is None else job.after(coming.due)


def counted(times: int) -> str:
    """Give "1 due time", "7 due times", "1,000 or more due times"."""
    if times == 1:
        return "1 due time"
    return f"{MOST_COUNTED:,} or more due times" if times >= MOST_COUNTED else f"{times} due times"
