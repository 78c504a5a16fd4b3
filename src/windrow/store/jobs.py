"""Jobs: what is due when, who is at it under which lease, and how it stands. Times are Unix seconds.

Whoever runs jobs takes one in a transaction, beats while it runs and says how it ended. The number of the run
is the fencing token: a job whose lease ran out is taken over, its run is noted as lost, and what the former
holder says from then on changes nothing. What a cadence is, and what follows after a failure, is decided by
`schedule`; this keeps it.
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

# Runs of jobs: every one that was begun, and what was left out; newest first, old ones forgotten.

MAX_RUN_SUMMARY_CHARACTERS = 1000  # characters; the log has the rest
RUNS_KEPT = 500  # of each job

_COLUMNS = "id, job, due, started, ended, outcome, code, attempt, owner, pid, host, summary, log, retry_at"
_START_RUN = """
    INSERT INTO job_run (job, due, started, attempt, owner, pid, host, birth, summary, log)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, '', '')
"""
_LOG = "UPDATE job_run SET log = ? WHERE id = ?"
_REDATE_RUN = "UPDATE job_run SET due = ? WHERE id = ?"
# Only who is still at it may end it: a run that was taken over has an outcome already.
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
    """Note that a run begins; give its number."""
    who = (claim.owner, claim.pid, claim.host, claim.birth)
    return connection.exec_driver_sql(_START_RUN, (job, due, now, attempt, *who)).number


def note_run_log(connection: Connection, run_id: int, log: str) -> None:
    """Note where the output of a run goes."""
    connection.exec_driver_sql(_LOG, (log, run_id))


def redate_run(connection: Connection, run_id: int, due: float) -> None:
    """Note that a run is for another due time than it was begun for."""
    connection.exec_driver_sql(_REDATE_RUN, (due, run_id))


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
    """Note how a run ended; False, and nothing is changed, where that was said already."""
    values = (now, outcome.value, code, summary[:MAX_RUN_SUMMARY_CHARACTERS], retry_at, run_id)
    return connection.exec_driver_sql(_END_RUN, values).rowcount == 1


def note_missed(
    connection: Connection, job: str, *, due: float, summary: str, claim: Claim, now: float
) -> None:
    """Note that due times up to this one passed without a run, and why."""
    who = (claim.owner, claim.pid, claim.host, claim.birth)
    connection.exec_driver_sql(_LEFT_OUT, (job, due, now, now, *who, summary[:MAX_RUN_SUMMARY_CHARACTERS]))


def note_skipped_run(
    connection: Connection, job: str, *, summary: str, code: int, claim: Claim, now: float
) -> int:
    """Note a run that was not begun because the job was under way already; return its number."""
    run_id = start_run(connection, job, due=now, now=now, attempt=0, claim=claim)
    end_run(connection, run_id, JobOutcome.SKIPPED, now=now, code=code, summary=summary)
    outbox.add(connection, job, run_id, now=now)
    return run_id


def give_up_run(connection: Connection, job: str, run_id: int, *, now: float) -> None:
    """Note that a run is not tried again after all."""
    connection.exec_driver_sql(_GIVE_UP, (run_id,))
    outbox.add(connection, job, run_id, now=now)


def get_run(connection: Connection, run_id: int) -> JobRun | None:
    """Return a run by its number."""
    return next(_read_runs(connection.exec_driver_sql(_ONE, (run_id,))), None)


def list_runs(connection: Connection, job: str | None = None, *, limit: int = 20) -> list[JobRun]:
    """Return runs of a job, or of all, newest first."""
    return list(_read_runs(connection.exec_driver_sql(_LATEST, {"job": job, "limit": limit})))


def find_last_runs(connection: Connection, job: str, *, is_good: bool = False) -> JobRun | None:
    """Return the newest run of a job that ended, or that ended well."""
    return next(_read_runs(connection.exec_driver_sql(_LAST_GOOD if is_good else _LAST, (job,))), None)


def prune_runs(connection: Connection, job: str, *, keep: int = RUNS_KEPT) -> None:
    """Forget the oldest runs of a job."""
    connection.exec_driver_sql(_DROP_OLD, (job, job, keep - 1))


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
    """Return who runs something."""
    return f"process {pid} on {host} ({owner})"


LOST = "whoever ran it was gone before it ended"
_CANDIDATES = 64  # looked at in one take; more than that many expired leases of living holders never are

_KNOWN = "SELECT name, cadence, is_hosted, run_id FROM job"
_ADD = "INSERT INTO job VALUES (?, ?, ?, FALSE, ?, ?, 0, 0, 0, NULL, NULL, NULL, 0)"
_CHANGE = "UPDATE job SET cadence = ?, is_hosted = ?, due = ?, at = ?, attempt = 0, tries = 0 WHERE name = ?"
_DROP = "DELETE FROM job WHERE name = ? AND run_id IS NULL"
# One that is under way keeps its lease, so that it cannot be begun a second time under the same name.
# Nothing else of it stays: a job that gets the name next is another one.
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
# A due time that was changed in windrow.toml meanwhile stands.
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
    """A job as it should be in the table. `cadence` is any text that changes when its times do."""

    name: str
    cadence: str
    due: float | None
    at: float | None
    is_hosted: bool = False


@dataclass(frozen=True, slots=True)
class ClaimedJob:
    """A job that is ours until its lease ends. `run` is its number, and the fencing token."""

    run: int
    job: str
    due: float
    attempt: int  # 1 for the first
    tries: int  # as attempts, but with those that do not count
    losses: int  # how many runners in a row were killed at it before us
    until: float


@dataclass(frozen=True, slots=True)
class NextAttempt:
    """What is next after a run: when it is due, when it is begun, how often it was tried for that already."""

    due: float | None
    at: float | None
    attempt: int = 0
    tries: int = 0


def sync(connection: Connection, wanted: Iterable[ScheduledJob]) -> None:
    """Bring the table in step with the settings.

    A job with the same cadence keeps its state, one with another gets its new due time; the runs of one that
    is gone stay.
    """
    known = {name: (cadence, is_hosted, run) for name, cadence, is_hosted, run in _all(connection)}
    for job in wanted:
        cadence, is_hosted, _ = known.pop(job.name, (None, None, None))
        if cadence is None:
            connection.exec_driver_sql(_ADD, (job.name, job.cadence, job.is_hosted, job.due, job.at))
        elif (cadence, is_hosted) != (job.cadence, job.is_hosted):
            connection.exec_driver_sql(_CHANGE, (job.cadence, job.is_hosted, job.due, job.at, job.name))
    for name, (_, _, run) in known.items():
        connection.exec_driver_sql(_DROP if run is None else _SHELVE, (name,))


def is_in_step(connection: Connection, wanted: Iterable[ScheduledJob]) -> bool:
    """Return whether `sync` would change nothing, so that nobody writes without need."""
    known = {(name, cadence, bool(is_hosted)) for name, cadence, is_hosted, _ in _all(connection) if cadence}
    return known == {(job.name, job.cadence, job.is_hosted) for job in wanted}


def next_at(connection: Connection) -> float | None:
    """Return the first moment when there may be something to take; None: nothing is ever due."""
    found: float | None = connection.exec_driver_sql(_NEXT).scalar()
    return found


def take(
    connection: Connection, *, claim: Claim, now: float, lease_seconds: float, may_take_over: bool = True
) -> ClaimedJob | None:
    """Take the job that has been due the longest, under a lease; None where nothing is due.

    Unless `may_take_over`, one whose lease ran out is left to others.
    """
    values = {"now": now, "limit": _CANDIDATES, "over": may_take_over}
    for row in connection.exec_driver_sql(_DUE_NOW, values).all():
        if row[5] is None or _may_take_over(row, now=now, lease_seconds=lease_seconds):
            return _hold(connection, row, claim=claim, now=now, lease_seconds=lease_seconds)
    return None


def take_named(
    connection: Connection, name: str, *, claim: Claim, now: float, lease_seconds: float
) -> ClaimedJob:
    """Take a job whether it is due or not; SourceBusy says who is at it, NotFound that there is none."""
    row = connection.exec_driver_sql(_NAMED, (name,)).first()
    if row is None:
        raise NotFound(f"there is no job {name!r}", hint="`windrow schedule list` shows those there are.")
    if row[5] is not None and not (
        row[6] <= now and _may_take_over(row, now=now, lease_seconds=lease_seconds)
    ):
        raise SourceBusy(f"{name} is being run by {describe_owner(*row[7:10])}")
    return _hold(connection, row, claim=claim, now=now, lease_seconds=lease_seconds)


def redate(connection: Connection, taken: ClaimedJob, due: float) -> ClaimedJob:
    """Let a run be for another due time than it was taken for: the last one of several that were missed."""
    connection.exec_driver_sql(_REDATE, (due, taken.job, taken.run))
    redate_run(connection, taken.run, due)
    return replace(taken, due=due)


def forget(connection: Connection, taken: ClaimedJob) -> None:
    """Drop a job that was taken but that the settings have no more, as if it had not been taken."""
    connection.exec_driver_sql(_FORGET_RUN, (taken.run,))
    connection.exec_driver_sql(_FORGET, (taken.job, taken.run))


def beat(connection: Connection, taken: ClaimedJob, *, now: float, lease_seconds: float) -> bool:
    """Say that a run goes on; False where the job is no longer ours."""
    values = (now + lease_seconds, taken.job, taken.run)
    return connection.exec_driver_sql(_BEAT, values).rowcount == 1


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
    """Note how a run ended and what is next; False, and nothing is changed, where the job is no longer ours.

    Without `is_final` it is tried again, at `retry_at` or when it is begun next, and a failure does not
    count yet.
    """
    retry_at = None if is_final else retry_at or onward.at
    if not end_run(connection, taken.run, outcome, now=now, code=code, summary=summary, retry_at=retry_at):
        return False
    values = {"was": taken.due, "due": onward.due, "at": onward.at, "name": taken.job, "run": taken.run}
    connection.exec_driver_sql(_LET_GO, values | {"attempt": onward.attempt, "tries": onward.tries})
    if outcome in GOOD_OUTCOMES:
        connection.exec_driver_sql(_WELL, (taken.job,))
    elif outcome is JobOutcome.FAILED and is_final:
        connection.exec_driver_sql(_BADLY, (now, taken.job))
    if is_final and outcome is not JobOutcome.MISSED:
        outbox.add(connection, taken.job, taken.run, now=now)
    return True


def pause(connection: Connection, name: str) -> bool:
    """Let a job rest; what runs goes on. False where there is no such job."""
    return connection.exec_driver_sql(_PAUSE, (name,)).rowcount == 1


def resume(connection: Connection, name: str, *, due: float | None, at: float | None) -> bool:
    """Let a job be due again, from this time on; False where it does not rest."""
    return connection.exec_driver_sql(_RESUME, (due, at, name)).rowcount == 1


def list_states(connection: Connection, *, now: float, name: str | None = None) -> list[JobState]:
    """Return how each job stands, or the one that is named, in the order of their names."""
    return [_state(connection, row, now) for row in connection.exec_driver_sql(_STATES, (name,)).all()]


def get_state(connection: Connection, name: str, *, now: float) -> JobState | None:
    """Return how a job stands; None where there is none."""
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
    return connection.exec_driver_sql(_KNOWN).all()


def _hold(
    connection: Connection, row: tuple[Any, ...], *, claim: Claim, now: float, lease_seconds: float
) -> ClaimedJob:
    name, due, attempt, tries, losses, former = row[:6]
    if former is not None and end_run(connection, former, JobOutcome.LOST, now=now, summary=LOST):
        losses += 1
    due = now if due is None else due
    # One that somebody asked for before its time is for now, and the time to come stays as it is.
    run = start_run(connection, name, due=min(due, now), now=now, attempt=attempt + 1, claim=claim)
    until = now + lease_seconds
    connection.exec_driver_sql(_HOLD, (run, until, losses, due, name))
    return ClaimedJob(run, name, due, attempt + 1, tries + 1, losses, until)


def _may_take_over(row: tuple[Any, ...], *, now: float, lease_seconds: float) -> bool:
    """Return whether a lease that ran out is given up.

    A holder that lives on this machine gets as long again: the clock was put forward, or the machine slept,
    and it did not have its turn yet.
    """
    until, *who = row[6:]
    return now >= until + lease_seconds or who[0] is None or not is_local_process_alive(Claim(*who))


# Jobs after the clock was put back: due times and leases that lie further ahead than any could.
# A machine that starts with a wrong year, and gets the right one a minute later, would otherwise leave
# its jobs waiting for the wrong one to come.

_DUE_TIMES = "SELECT name, due FROM job WHERE due IS NOT NULL"
_LONGEST = "SELECT MAX(until) FROM job WHERE run_id IS NOT NULL"
_REDATE_TOO_FAR = "UPDATE job SET due = ?, at = ?, attempt = 0, tries = 0 WHERE name = ? AND due > ?"
_SHORTEN = "UPDATE job SET until = ? WHERE run_id IS NOT NULL AND until > ?"


@dataclass(frozen=True, slots=True)
class ClockBounds:
    """How far ahead is possible: of each job its row and its latest due time, and the end of leases."""

    jobs: Iterable[tuple[ScheduledJob, float]]
    until: float


def is_due_too_far(connection: Connection, bounds: ClockBounds) -> bool:
    """Return whether `bring_back` would change anything."""
    latest = {job.name: due for job, due in bounds.jobs}
    found = connection.exec_driver_sql(_DUE_TIMES).all()
    longest = connection.exec_driver_sql(_LONGEST).scalar()
    is_due_too_far = any(due > latest.get(name, due) for name, due in found)
    return is_due_too_far or (longest is not None and longest > bounds.until)


def correct_due_times(connection: Connection, bounds: ClockBounds) -> None:
    """Let jobs that are due too far ahead be due as if they were new, and leases end in their time."""
    for job, latest in bounds.jobs:
        connection.exec_driver_sql(_REDATE_TOO_FAR, (job.due, job.at, job.name, latest))
    connection.exec_driver_sql(_SHORTEN, (bounds.until, bounds.until))
