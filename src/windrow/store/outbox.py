"""The outbox: runs of jobs that people are still to be told of. Times are Unix seconds.

An entry is written in the transaction that ends the run, so that no message is lost with the process that was
to send it. Whoever sends takes an entry first; one that was taken by a process that is gone is taken again.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from windrow.store.connection import Connection
from windrow.store.leases import Claim, is_local_process_alive

CLAIM_SECONDS = 900.0  # after which an entry that a process on another machine took is taken again
RETENTION_SECONDS = 30 * 86400.0  # how long what could not be delivered is remembered

_COLUMNS = "id, job, run_id, created, attempts, message, ways, problem, given_up"
_ADD = "INSERT INTO outbox (job, run_id, created, next_at, attempts, problem) VALUES (?, ?, ?, ?, 0, '')"
_DUE = f"""
    SELECT {_COLUMNS}, owner, pid, host, birth, taken_at FROM outbox
    WHERE given_up IS NULL AND next_at <= ? ORDER BY id LIMIT 100
"""
_TAKE = "UPDATE outbox SET owner = ?, pid = ?, host = ?, birth = ?, taken_at = ? WHERE id = ?"
_COMPOSE = "UPDATE outbox SET message = ?, ways = ? WHERE id = ?"
_POSTPONE = """
    UPDATE outbox SET attempts = attempts + 1, next_at = ?, ways = ?, problem = ?, given_up = ?, owner = NULL,
      taken_at = NULL WHERE id = ?
"""
_RELEASE = "UPDATE outbox SET next_at = ?, owner = NULL, taken_at = NULL WHERE id = ?"
_REMOVE = "DELETE FROM outbox WHERE id = ?"
_FORGET_OLD = "DELETE FROM outbox WHERE given_up < ?"
_FORGET_JOB = "DELETE FROM outbox WHERE given_up IS NOT NULL AND job = ?"
_NEXT = "SELECT MIN(next_at) FROM outbox WHERE given_up IS NULL"
_LATER = f"SELECT {_COLUMNS} FROM outbox WHERE job = ? AND id > ? AND given_up IS NULL ORDER BY id"
_ALL = f"SELECT {_COLUMNS} FROM outbox ORDER BY id"


@dataclass(frozen=True, slots=True)
class OutboxEntry:
    """A run that people are to be told of, and how far that is."""

    id: int
    job: str
    run_id: int
    created: float
    attempts: int  # that failed
    message: str | None  # JSON, without secrets; None: not composed yet
    ways: tuple[str, ...]  # by which it still has to be sent
    problem: str  # of the last attempt
    given_up: float | None  # when; None: it is tried again


def add(connection: Connection, job: str, run_id: int, *, now: float) -> None:
    """Let people be told of a run, in the transaction at hand."""
    connection.exec_driver_sql(_ADD, (job, run_id, now, now))


def take(connection: Connection, claim: Claim, *, now: float) -> OutboxEntry | None:
    """Take the oldest entry that is due, of a job that no living process sends anything of."""
    connection.exec_driver_sql(_FORGET_OLD, (now - RETENTION_SECONDS,))
    held: set[str] = set()  # what is told of a run depends on what arrived of those before it
    for row in connection.exec_driver_sql(_DUE, (now,)).all():
        *who, taken_at = row[9:]
        if taken_at is not None and _is_held(Claim(*who), taken_at, now):
            held.add(row[1])
        elif row[1] not in held:
            values = (claim.owner, claim.pid, claim.host, claim.birth, now, row[0])
            connection.exec_driver_sql(_TAKE, values)
            return _entry(row[:9])
    return None


def release(connection: Connection, entry: OutboxEntry, *, next_at: float) -> None:
    """Give an entry back that was not tried to the end."""
    connection.exec_driver_sql(_RELEASE, (next_at, entry.id))


def compose(connection: Connection, entry: OutboxEntry, message: str, ways: Sequence[str]) -> None:
    """Keep the message of an entry, and by which ways it is to be sent."""
    connection.exec_driver_sql(_COMPOSE, (message, json.dumps(list(ways)), entry.id))


def postpone(
    connection: Connection,
    entry: OutboxEntry,
    *,
    next_at: float,
    ways: Sequence[str],
    problem: str,
    given_up: float | None = None,
) -> None:
    """Note that an attempt failed, by which ways and why; it is made again at `next_at`, or given up."""
    connection.exec_driver_sql(_POSTPONE, (next_at, json.dumps(list(ways)), problem, given_up, entry.id))


def remove(connection: Connection, entry: OutboxEntry, *, has_arrived: bool = False) -> None:
    """Take an entry out; one that arrived ends what is remembered of those of its job that did not."""
    connection.exec_driver_sql(_REMOVE, (entry.id,))
    if has_arrived:
        connection.exec_driver_sql(_FORGET_JOB, (entry.job,))


def next_at(connection: Connection) -> float | None:
    """Return when the next entry is due; None if there is none."""
    found: float | None = connection.exec_driver_sql(_NEXT).scalar()
    return found


def list_later_entries(connection: Connection, entry: OutboxEntry) -> list[OutboxEntry]:
    """Return the entries of the same job that came after this one."""
    return [_entry(row) for row in connection.exec_driver_sql(_LATER, (entry.job, entry.id))]


def list_entries(connection: Connection) -> list[OutboxEntry]:
    """Return all entries, those that were given up as well."""
    return [_entry(row) for row in connection.exec_driver_sql(_ALL)]


def _is_held(claim: Claim, taken_at: float, now: float) -> bool:
    if is_local_process_alive(claim):
        return True
    return claim.host != socket.gethostname() and now < taken_at + CLAIM_SECONDS


def _entry(row: tuple[Any, ...]) -> OutboxEntry:
    number, job, run_id, created, attempts, message, ways, problem, given_up = row
    names = tuple(json.loads(ways)) if ways else ()
    return OutboxEntry(number, job, run_id, created, attempts, message, names, problem, given_up)


# What people were told of jobs that fail, so that nobody hears the same every hour.

_FIND_STATE = "SELECT value FROM setting WHERE key = ?"
_SAVE_STATE = "INSERT INTO setting VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value"
_FORGET_STATE = "DELETE FROM setting WHERE key = ?"


@dataclass(frozen=True, slots=True)
class NotificationState:
    """A row of failures: since when, how many, and when people last heard of it. Times are Unix seconds."""

    since: float
    failures: int
    at: float | None  # None: nobody could be reached yet


def find_state(connection: Connection, job: str) -> NotificationState | None:
    """Return what was told of a job; None where it did not fail of late."""
    found = connection.exec_driver_sql(_FIND_STATE, (_state_key(job),)).scalar()
    return NotificationState(**json.loads(found)) if found else None


def save_state(connection: Connection, job: str, told: NotificationState) -> None:
    """Remember what was told."""
    connection.exec_driver_sql(_SAVE_STATE, (_state_key(job), json.dumps(asdict(told))))


def forget_state(connection: Connection, job: str) -> None:
    """Let a job be as if it had never failed."""
    connection.exec_driver_sql(_FORGET_STATE, (_state_key(job),))


def _state_key(job: str) -> str:
    return f"told of job {job}"
