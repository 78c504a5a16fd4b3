"""Jobs: when each is due, who runs it under which lease, and its state. Times are Unix seconds.

A runner takes a job in a transaction, extends the lease while it works and reports the outcome. The number of
the run is the fencing token: when a lease expires, the job can be taken over, its run is recorded as lost,
and later updates by the former holder have no effect. Cadences and the delay after a failure are decided by
`schedule`; this module only stores them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from windrow.errors import NotFound, SourceBusy
from windrow.model.job_state import GOOD_OUTCOMES, JobOutcome, JobRun, JobState
from windrow.store import outbox
from windrow.store.connection import Connection
from windrow.store.leases import Claim, is_local_process_alive

# Runs of jobs, including those that were missed or skipped.

MAX_RUN_SUMMARY_CHARACTERS = 1000  # the log has the rest
RUNS_KEPT = 500  # per job

_COLUMNS = "id, job, due, started, ended, outcome, code, attempt, owner, pid, host, summary, log, retry_at"
_START_RUN = """
    INSERT INTO job_run (job, due, started, attempt, owner, pid, host, birth, summary, log)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, '', '')
"""
_LOG = "UPDATE job_run SET log = ? WHERE id = ?"
_REDATE_RUN = "UPDATE job_run SET due = ? WHERE id = ?"
# Only the current holder may end a run: one that was taken over has an outcome already.
_END_RUN = (
    "UPDATE job_run SET ended = ?, outcome = ?, code = ?, summary = ?, retry_at = ?"
    " WHERE id = ? AND outcome IS NULL"
)
_GIVE_UP = "UPDATE job_run SET retry_at = NULL WHERE id = ?"
_LEFT_OUT = """
    INSERT INTO job_run
      (job, due, started, ended, outcome, attempt, owner, pid, host, birth, summary, log)
    VALUES (?, ?, ?, ?, 'missed', 0, ?, ?, ?, ?, ?, '')
"""
_ONE = f"SELECT {_COLUMNS} FROM job_run WHERE id = ?"
_LATEST = f"SELECT {_COLUMNS} FROM job_run WHERE job = COALESCE(:job, job) ORDER BY id DESC LIMIT :limit"
_ENDED = "outcome IS NOT NULL AND outcome NOT IN ('missed', 'lost')"
_LAST = f"SELECT {_COLUMNS} FROM job_run WHERE job = ? AND {_ENDED} ORDER BY id DESC LIMIT 1"
_LAST_GOOD = (
    f"SELECT {_COLUMNS} FROM job_run WHERE job = ? AND outcome IN ('ok', 'partial') ORDER BY id DESC LIMIT 1"
)
_OLD = "job = ? AND id < (SELECT id FROM job_run WHERE job = ? ORDER BY id DESC LIMIT 1 OFFSET ?)"
_DROP_OLD = f"DELETE FROM job_run WHERE {_OLD} AND outcome IS NOT NULL"


def start_run(connection: Connection, job: str, *, due: float, now: float, attempt: int, claim: Claim) -> int:
    who = (claim.owner, claim.pid, claim.host, claim.birth)
    return connection.execute(_START_RUN, (job, due, now, attempt, *who)).number


def note_run_log(connection: Connection, run_id: int, log: str) -> None:
    connection.execute(_LOG, (log, run_id))


def redate_run(connection: Connection, run_id: int, due: float) -> None:
    connection.execute(_REDATE_RUN, (due, run_id))


def end_run(
    connection: Connection,
    run_id: int,
    outcome: JobOutcome,
    *,
    now: float,
    code: int | None = None,
    summary: str = "",
    retry_at: float | None = None,
) -> bool:
    """Record the outcome of a run; return False, and change nothing, if it already has one."""
    values = (now, outcome.value, code, summary[:MAX_RUN_SUMMARY_CHARACTERS], retry_at, run_id)
    return connection.execute(_END_RUN, values).rowcount == 1


def note_missed(
    connection: Connection, job: str, *, due: float, summary: str, claim: Claim, now: float
) -> None:
    """Record that the due times up to `due` passed without a run, and why."""
    who = (claim.owner, claim.pid, claim.host, claim.birth)
    connection.execute(_LEFT_OUT, (job, due, now, now, *who, summary[:MAX_RUN_SUMMARY_CHARACTERS]))


def note_skipped_run(
    connection: Connection, job: str, *, summary: str, code: int, claim: Claim, now: float
) -> int:
    """Record a run that was not started because the job was already running; return its number."""
    run_id = start_run(connection, job, due=now, now=now, attempt=0, claim=claim)
    end_run(connection, run_id, JobOutcome.SKIPPED, now=now, code=code, summary=summary)
    outbox.add(connection, job, run_id, now=now)
    return run_id


def give_up_run(connection: Connection, job: str, run_id: int, *, now: float) -> None:
    """Record that a run will not be retried after all."""
    connection.execute(_GIVE_UP, (run_id,))
    outbox.add(connection, job, run_id, now=now)


def get_run(connection: Connection, run_id: int) -> JobRun | None:
    return next(_read_runs(connection.execute(_ONE, (run_id,))), None)


def list_runs(connection: Connection, job: str | None = None, *, limit: int = 20) -> list[JobRun]:
    """Return the runs of one job, or of all jobs, newest first."""
    return list(_read_runs(connection.execute(_LATEST, {"job": job, "limit": limit})))


def find_last_runs(connection: Connection, job: str, *, is_good: bool = False) -> JobRun | None:
    """Return the newest finished run of a job, or the newest successful one."""
    return next(_read_runs(connection.execute(_LAST_GOOD if is_good else _LAST, (job,))), None)


def prune_runs(connection: Connection, job: str, *, keep: int = RUNS_KEPT) -> None:
    connection.execute(_DROP_OLD, (job, job, keep - 1))


def _read_runs(rows: Iterable[tuple[Any, ...]]) -> Iterator[JobRun]:
    for number, job, due, started, ended, outcome, code, attempt, *who, summary, log, retry_at in rows:
        yield JobRun(
            number,
            job,
            due,
            started,
            ended,
            JobOutcome(outcome) if outcome else None,
            code,
            attempt,
            describe_owner(*who),
            summary,
            log,
            retry_at,
        )


def describe_owner(owner: str, pid: int, host: str) -> str:
    """Return a description of the process that runs a job."""
    return f"process {pid} on {host} ({owner})"


LOST = "whoever ran it was gone before it ended"
_CANDIDATES = 64  # rows examined in one call; there are never more expired leases whose holders are alive

_KNOWN = "SELECT name, cadence, is_hosted, run_id FROM job"
_ADD = "INSERT INTO job VALUES (?, ?, ?, FALSE, ?, ?, 0, 0, 0, NULL, NULL, NULL, 0)"
_CHANGE = "UPDATE job SET cadence = ?, is_hosted = ?, due = ?, at = ?, attempt = 0, tries = 0 WHERE name = ?"
_DROP = "DELETE FROM job WHERE name = ? AND run_id IS NULL"
# A job that is running keeps its row and lease, so that a new job of the same name cannot be started at the
# same time. The rest is reset: a job that gets this name later is a different one.
_SHELVE = """
    UPDATE job SET cadence = '', due = NULL, at = NULL, is_paused = FALSE, failing_since = NULL, failures = 0
    WHERE name = ?
"""
_DUE_JOBS = """
    SELECT j.name, j.due, j.attempt, j.tries, j.losses, j.run_id, j.until, r.owner, r.pid, r.host, r.birth
    FROM job j LEFT JOIN job_run r ON r.id = j.run_id
"""
_DUE_NOW = _DUE_JOBS + (
    "WHERE j.at <= :now AND NOT j.is_paused AND NOT j.is_hosted"
    " AND (j.run_id IS NULL OR (:over AND j.until <= :now)) ORDER BY j.at, j.name LIMIT :limit"
)
_NAMED = _DUE_JOBS + "WHERE j.name = ?"
_HOLD = "UPDATE job SET run_id = ?, until = ?, losses = ?, due = ? WHERE name = ?"
_NEXT = """
    SELECT MIN(CASE WHEN run_id IS NULL OR until < at THEN at ELSE until END) FROM job
    WHERE at IS NOT NULL AND NOT is_paused AND NOT is_hosted
"""
_BEAT = "UPDATE job SET until = ? WHERE name = ? AND run_id = ?"
_REDATE = "UPDATE job SET due = ? WHERE name = ? AND run_id = ?"
# A due time that was changed in windrow.toml during the run is kept.
_LET_GO = """
    UPDATE job SET run_id = NULL, until = NULL, losses = 0,
      attempt = CASE WHEN due = :was THEN :attempt ELSE attempt END,
      tries = CASE WHEN due = :was THEN :tries ELSE tries END,
      at = CASE WHEN due = :was THEN :at ELSE at END,
      due = CASE WHEN due = :was THEN :due ELSE due END
    WHERE name = :name AND run_id = :run
"""
_FORGET_RUN = "DELETE FROM job_run WHERE id = ?"
_FORGET = "DELETE FROM job WHERE name = ? AND run_id = ?"
_WELL = "UPDATE job SET failing_since = NULL, failures = 0 WHERE name = ?"
_BADLY = "UPDATE job SET failing_since = COALESCE(failing_since, ?), failures = failures + 1 WHERE name = ?"
_PAUSE = "UPDATE job SET is_paused = TRUE WHERE name = ?"
_RESUME = (
    "UPDATE job SET is_paused = FALSE, due = ?, at = ?, attempt = 0, tries = 0 WHERE name = ? AND is_paused"
)
_STATES = """
    SELECT name, due, at, attempt, is_paused, is_hosted, run_id, until, failing_since, failures
    FROM job WHERE cadence <> '' AND name = COALESCE(?, name) ORDER BY name
"""


@dataclass(frozen=True, slots=True)
class ScheduledJob:
    """A job as configured. `cadence` is an opaque text that changes whenever its times do."""

    name: str
    cadence: str
    due: float | None
    at: float | None
    is_hosted: bool = False


@dataclass(frozen=True, slots=True)
class ClaimedJob:
    """A job held by this process until its lease ends. `run` is the run number and the fencing token."""

    run: int
    job: str
    due: float
    attempt: int  # 1 for the first
    tries: int  # as `attempt`, but including runs that do not count as attempts
    losses: int  # how many runners in a row died during this job before this one
    until: float


@dataclass(frozen=True, slots=True)
class NextAttempt:
    """The next attempt after a run: its due time, its start time, and how often it was tried already."""

    due: float | None
    at: float | None
    attempt: int = 0
    tries: int = 0


def sync(connection: Connection, wanted: Iterable[ScheduledJob]) -> None:
    """Update the job table from the settings.

    A job with an unchanged cadence keeps its state, and one whose cadence changed gets its new due time. The
    runs of a removed job are kept.
    """
    known = {name: (cadence, is_hosted, run) for name, cadence, is_hosted, run in _all(connection)}
    for job in wanted:
        cadence, is_hosted, _ = known.pop(job.name, (None, None, None))
        if cadence is None:
            connection.execute(_ADD, (job.name, job.cadence, job.is_hosted, job.due, job.at))
        elif (cadence, is_hosted) != (job.cadence, job.is_hosted):
            connection.execute(_CHANGE, (job.cadence, job.is_hosted, job.due, job.at, job.name))
    for name, (_, _, run) in known.items():
        connection.execute(_DROP if run is None else _SHELVE, (name,))


def is_in_step(connection: Connection, wanted: Iterable[ScheduledJob]) -> bool:
    """Return whether `sync` would change nothing, which avoids a needless write."""
    known = {(name, cadence, bool(is_hosted)) for name, cadence, is_hosted, _ in _all(connection) if cadence}
    return known == {(job.name, job.cadence, job.is_hosted) for job in wanted}


def next_at(connection: Connection) -> float | None:
    """Return the earliest time at which a job may be due; None if none ever will be."""
    found: float | None = connection.execute(_NEXT).scalar()
    return found


def take(
    connection: Connection, *, claim: Claim, now: float, lease_seconds: float, may_take_over: bool = True
) -> ClaimedJob | None:
    """Take the job that has been due the longest, under a lease; return None if none is due.

    Without `may_take_over`, jobs whose lease expired are left to other runners.
    """
    values = {"now": now, "limit": _CANDIDATES, "over": may_take_over}
    for row in connection.execute(_DUE_NOW, values).all():
        if row[5] is None or _may_take_over(row, now=now, lease_seconds=lease_seconds):
            return _hold(connection, row, claim=claim, now=now, lease_seconds=lease_seconds)
    return None


def take_named(
    connection: Connection, name: str, *, claim: Claim, now: float, lease_seconds: float
) -> ClaimedJob:
    """Take a job whether or not it is due; raise SourceBusy if it runs, NotFound if there is none."""
    row = connection.execute(_NAMED, (name,)).first()
    if row is None:
        raise NotFound(f"there is no job {name!r}", hint="`windrow schedule list` shows those there are.")
    if row[5] is not None and not (
        row[6] <= now and _may_take_over(row, now=now, lease_seconds=lease_seconds)
    ):
        raise SourceBusy(f"{name} is being run by {describe_owner(*row[7:10])}")
    return _hold(connection, row, claim=claim, now=now, lease_seconds=lease_seconds)


def redate(connection: Connection, taken: ClaimedJob, due: float) -> ClaimedJob:
    """Change the due time of a run, as when it stands for the last of several missed ones."""
    connection.execute(_REDATE, (due, taken.job, taken.run))
    redate_run(connection, taken.run, due)
    return replace(taken, due=due)


def forget(connection: Connection, taken: ClaimedJob) -> None:
    """Drop a job that was taken but is no longer configured, together with its run."""
    connection.execute(_FORGET_RUN, (taken.run,))
    connection.execute(_FORGET, (taken.job, taken.run))


def beat(connection: Connection, taken: ClaimedJob, *, now: float, lease_seconds: float) -> bool:
    """Extend the lease; return False if another process has taken the job over."""
    values = (now + lease_seconds, taken.job, taken.run)
    return connection.execute(_BEAT, values).rowcount == 1


def finish(
    connection: Connection,
    taken: ClaimedJob,
    outcome: JobOutcome,
    onward: NextAttempt,
    *,
    now: float,
    code: int | None = None,
    summary: str = "",
    is_final: bool = True,
    retry_at: float | None = None,
) -> bool:
    """Record the outcome of a run and its next attempt; return False if the lease was lost.

    Nothing changes in that case. Without `is_final` the job is tried again, at `retry_at` or at `onward.at`,
    and a failure does not count yet.
    """
    retry_at = None if is_final else retry_at or onward.at
    if not end_run(connection, taken.run, outcome, now=now, code=code, summary=summary, retry_at=retry_at):
        return False
    values = {"was": taken.due, "due": onward.due, "at": onward.at, "name": taken.job, "run": taken.run}
    connection.execute(_LET_GO, values | {"attempt": onward.attempt, "tries": onward.tries})
    if outcome in GOOD_OUTCOMES:
        connection.execute(_WELL, (taken.job,))
    elif outcome is JobOutcome.FAILED and is_final:
        connection.execute(_BADLY, (now, taken.job))
    if is_final and outcome is not JobOutcome.MISSED:
        outbox.add(connection, taken.job, taken.run, now=now)
    return True


def pause(connection: Connection, name: str) -> bool:
    """Pause a job without stopping a current run; return False if there is no such job."""
    return connection.execute(_PAUSE, (name,)).rowcount == 1


def resume(connection: Connection, name: str, *, due: float | None, at: float | None) -> bool:
    """Resume a paused job with these times; return False if it is not paused."""
    return connection.execute(_RESUME, (due, at, name)).rowcount == 1


def list_states(connection: Connection, *, now: float, name: str | None = None) -> list[JobState]:
    """Return the state of all jobs, or of one, ordered by name."""
    return [_state(connection, row, now) for row in connection.execute(_STATES, (name,)).all()]


def get_state(connection: Connection, name: str, *, now: float) -> JobState | None:
    return next(iter(list_states(connection, now=now, name=name)), None)


def _state(connection: Connection, row: tuple[Any, ...], now: float) -> JobState:
    name, due, at, attempt, is_paused, is_hosted, run_id, until, failing_since, failures = row
    is_running = run_id is not None and until > now
    return JobState(
        name=name,
        due=due,
        at=at,
        attempt=attempt,
        is_paused=bool(is_paused),
        is_hosted=bool(is_hosted),
        running=get_run(connection, run_id) if is_running else None,
        last=find_last_runs(connection, name),
        last_good=find_last_runs(connection, name, is_good=True),
        failing_since=failing_since,
        failures=failures,
    )


def _all(connection: Connection) -> list[tuple[str, str, bool, int | None]]:
    return connection.execute(_KNOWN).all()


def _hold(
    connection: Connection, row: tuple[Any, ...], *, claim: Claim, now: float, lease_seconds: float
) -> ClaimedJob:
    name, due, attempt, tries, losses, former = row[:6]
    if former is not None and end_run(connection, former, JobOutcome.LOST, now=now, summary=LOST):
        losses += 1
    due = now if due is None else due
    # A job that was requested early runs for now, and its scheduled time is kept.
    run = start_run(connection, name, due=min(due, now), now=now, attempt=attempt + 1, claim=claim)
    until = now + lease_seconds
    connection.execute(_HOLD, (run, until, losses, due, name))
    return ClaimedJob(run, name, due, attempt + 1, tries + 1, losses, until)


def _may_take_over(row: tuple[Any, ...], *, now: float, lease_seconds: float) -> bool:
    """Return whether an expired lease may be taken over.

    A holder that is alive on this machine gets the same time again: after a suspend, or when the clock was
    put forward, it has had no chance to extend its lease.
    """
    until, *who = row[6:]
    return now >= until + lease_seconds or who[0] is None or not is_local_process_alive(Claim(*who))


# Due times and leases after the clock was put back. A machine that boots with a wrong year and corrects it a
# minute later would otherwise keep its jobs waiting until that year.

_DUE_TIMES = "SELECT name, due FROM job WHERE due IS NOT NULL"
_LONGEST = "SELECT MAX(until) FROM job WHERE run_id IS NOT NULL"
_REDATE_TOO_FAR = "UPDATE job SET due = ?, at = ?, attempt = 0, tries = 0 WHERE name = ? AND due > ?"
_SHORTEN = "UPDATE job SET until = ? WHERE run_id IS NOT NULL AND until > ?"


@dataclass(frozen=True, slots=True)
class ClockBounds:
    """The latest plausible times: of each job, with its configured row, and of the end of leases."""

    jobs: Iterable[tuple[ScheduledJob, float]]
    until: float


def is_due_too_far(connection: Connection, bounds: ClockBounds) -> bool:
    """Return whether `correct_due_times` would change anything."""
    latest = {job.name: due for job, due in bounds.jobs}
    found = connection.execute(_DUE_TIMES).all()
    longest = connection.execute(_LONGEST).scalar()
    is_due_too_far = any(due > latest.get(name, due) for name, due in found)
    return is_due_too_far or (longest is not None and longest > bounds.until)


def correct_due_times(connection: Connection, bounds: ClockBounds) -> None:
    """Reset jobs due implausibly late to their configured times, and shorten leases to `bounds.until`."""
    for job, latest in bounds.jobs:
        connection.execute(_REDATE_TOO_FAR, (job.due, job.at, job.name, latest))
    connection.execute(_SHORTEN, (bounds.until, bounds.until))
