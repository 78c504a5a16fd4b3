"""Runs of jobs: every one that was begun, and what was left out; newest first, old ones forgotten."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from windrow.model.job import JobOutcome, JobRun
from windrow.store import outbox
from windrow.store.connection import Connection
from windrow.store.leases import Claim

LONGEST_SUMMARY = 1000  # characters; the log has the rest
RUNS_KEPT = 500  # of each job

_COLUMNS = "id, job, due, started, ended, outcome, code, attempt, owner, pid, host, summary, log, retry_at"
_START = """
    INSERT INTO job_run (job, due, started, attempt, owner, pid, host, birth, summary, log)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, '', '')
"""
_LOG = "UPDATE job_run SET log = ? WHERE id = ?"
_REDATE = "UPDATE job_run SET due = ? WHERE id = ?"
# Only who is still at it may end it: a run that was taken over has an outcome already.
_END = (
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


def start(connection: Connection, job: str, *, due: float, now: float, attempt: int, claim: Claim) -> int:
    """Note that a run begins; give its number."""
    who = (claim.owner, claim.pid, claim.host, claim.birth)
    return connection.exec_driver_sql(_START, (job, due, now, attempt, *who)).number


def note_log(connection: Connection, run_id: int, log: str) -> None:
    """Note where the output of a run goes."""
    connection.exec_driver_sql(_LOG, (log, run_id))


def redate(connection: Connection, run_id: int, due: float) -> None:
    """Note that a run is for another due time than it was begun for."""
    connection.exec_driver_sql(_REDATE, (due, run_id))


def end(
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
    values = (now, outcome.value, code, summary[:LONGEST_SUMMARY], retry_at, run_id)
    return connection.exec_driver_sql(_END, values).rowcount == 1


def leave_out(
    connection: Connection, job: str, *, due: float, summary: str, claim: Claim, now: float
) -> None:
    """Note that due times up to this one passed without a run, and why."""
    who = (claim.owner, claim.pid, claim.host, claim.birth)
    connection.exec_driver_sql(_LEFT_OUT, (job, due, now, now, *who, summary[:LONGEST_SUMMARY]))


def skip(connection: Connection, job: str, *, summary: str, code: int, claim: Claim, now: float) -> int:
    """Note a run that was not begun because the job was under way already; return its number."""
    run_id = start(connection, job, due=now, now=now, attempt=0, claim=claim)
    end(connection, run_id, JobOutcome.SKIPPED, now=now, code=code, summary=summary)
    outbox.add(connection, job, run_id, now=now)
    return run_id


def give_up(connection: Connection, job: str, run_id: int, *, now: float) -> None:
    """Note that a run is not tried again after all."""
    connection.exec_driver_sql(_GIVE_UP, (run_id,))
    outbox.add(connection, job, run_id, now=now)


def run(connection: Connection, run_id: int) -> JobRun | None:
    """Give a run by its number."""
    return next(_runs(connection.exec_driver_sql(_ONE, (run_id,))), None)


def runs(connection: Connection, job: str | None = None, *, limit: int = 20) -> list[JobRun]:
    """Give runs of a job, or of all, newest first."""
    return list(_runs(connection.exec_driver_sql(_LATEST, {"job": job, "limit": limit})))


def last(connection: Connection, job: str, *, is_good: bool = False) -> JobRun | None:
    """Give the newest run of a job that ended, or that ended well."""
    return next(_runs(connection.exec_driver_sql(_LAST_GOOD if is_good else _LAST, (job,))), None)


def prune(connection: Connection, job: str, *, keep: int = RUNS_KEPT) -> None:
    """Forget the oldest runs of a job."""
    connection.exec_driver_sql(_DROP_OLD, (job, job, keep - 1))


def _runs(rows: Iterable[tuple[Any, ...]]) -> Iterator[JobRun]:
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
            in_words(*who),
            summary,
            log,
            retry_at,
        )


def in_words(owner: str, pid: int, host: str) -> str:
    """Say who runs something."""
    return f"process {pid} on {host} ({owner})"
