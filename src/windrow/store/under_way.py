"""What is being done at this moment, by whichever process: harvests, runs of jobs, and how far they are."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from windrow.model.job import JobRun
from windrow.model.run import Run
from windrow.store import job_runs, jobs, runs
from windrow.store.connection import Connection
from windrow.store.outcomes import RUNNING, outcome_word

HARVEST, JOB = "harvest", "job"
Key = tuple[str, int]  # harvests and jobs number their runs apart


@dataclass(frozen=True, slots=True)
class Work:
    """One thing that is being done, or was until a moment ago. `total` is what was promised, if anything."""

    kind: str  # HARVEST or JOB
    number: int
    name: str  # of the source, or of the job
    what: str  # harvest, rebuild …; of a job nothing
    since: datetime
    outcome: str = RUNNING
    done: int = 0
    total: int | None = None
    added: int = 0
    changed: int = 0
    deleted: int = 0
    quarantined: int = 0
    words: str = ""
    log: str = ""

    @property
    def key(self) -> Key:
        """What tells it from all others."""
        return self.kind, self.number

    @property
    def is_running(self) -> bool:
        """Does it go on?"""
        return self.outcome == RUNNING


def under_way(connection: Connection, *, now: float) -> list[Work]:
    """Give all that is being done: jobs first, each list with the oldest first."""
    running = [state.running for state in jobs.states(connection, now=now) if state.running is not None]
    found = [_of_job(run) for run in sorted(running, key=lambda run: run.started)]
    open_runs = [(run, outcome_word(connection, run)) for run in runs.unfinished(connection)]
    return found + [_of_harvest(run, word) for run, word in reversed(open_runs) if word == RUNNING]


def look_again(connection: Connection, work: Work) -> Work:
    """Give what became of something that was under way."""
    if work.kind == JOB:
        job_run = job_runs.run(connection, work.number)
        return _of_job(job_run) if job_run else work
    run = runs.get(connection, work.number)
    return _of_harvest(run, outcome_word(connection, run)) if run else work


def _of_job(run: JobRun) -> Work:
    return Work(
        JOB,
        run.id,
        run.job,
        "",
        datetime.fromtimestamp(run.started, UTC),
        run.outcome.value if run.outcome else RUNNING,
        words=run.summary,
        log=run.log,
    )


def _of_harvest(run: Run, word: str) -> Work:
    counters = run.counters
    return Work(
        HARVEST,
        run.id,
        run.source,
        run.kind,
        run.started,
        word,
        counters.seen,
        run.claimed,
        counters.added,
        counters.changed,
        counters.deleted,
        counters.quarantined,
    )
