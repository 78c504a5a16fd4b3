"""The outbox: notifications about job runs that have not been delivered yet. Times are Unix seconds.

An entry is written in the transaction that ends the run, so that no message is lost if the process dies
before sending it. A sender claims an entry first; an entry claimed by a process that is gone can be claimed
again.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from windrow.store.connection import Connection
from windrow.store.leases import Claim, is_local_process_alive

CLAIM_SECONDS = 900.0  # after which an entry claimed by a process on another machine can be claimed again
RETENTION_SECONDS = 30 * 86400.0  # of entries that could not be delivered

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
    """A run to be notified about, and the state of its delivery."""

    id: int
    job: str
    run_id: int
    created: float
    attempts: int  # failed ones
    message: str | None  # JSON, without secrets; None: not composed yet
    ways: tuple[str, ...]  # the channels still to be used
    problem: str  # of the last attempt
    given_up: float | None  # when delivery was abandoned; None: it will be retried


def add(connection: Connection, job: str, run_id: int, *, now: float) -> None:
    """Queue a notification about a run, in the current transaction."""
    connection.execute(_ADD, (job, run_id, now, now))


def take(connection: Connection, claim: Claim, *, now: float) -> OutboxEntry | None:
    """Claim the oldest due entry of a job for which no live process is sending."""
    connection.execute(_FORGET_OLD, (now - RETENTION_SECONDS,))
    held: set[str] = set()  # later messages of a job depend on which earlier ones arrived
    for row in connection.execute(_DUE, (now,)).all():
        *who, taken_at = row[9:]
        if taken_at is not None and _is_held(Claim(*who), taken_at, now):
            held.add(row[1])
        elif row[1] not in held:
            values = (claim.owner, claim.pid, claim.host, claim.birth, now, row[0])
            connection.execute(_TAKE, values)
            return _entry(row[:9])
    return None


def release(connection: Connection, entry: OutboxEntry, *, next_at: float) -> None:
    """Return an entry whose delivery was not completed."""
    connection.execute(_RELEASE, (next_at, entry.id))


def compose(connection: Connection, entry: OutboxEntry, message: str, ways: Sequence[str]) -> None:
    """Store the message of an entry and the channels it goes to."""
    connection.execute(_COMPOSE, (message, json.dumps(list(ways)), entry.id))


def postpone(
    connection: Connection,
    entry: OutboxEntry,
    *,
    next_at: float,
    ways: Sequence[str],
    problem: str,
    given_up: float | None = None,
) -> None:
    """Record a failed attempt. It is repeated at `next_at`, or abandoned if `given_up` is set."""
    connection.execute(_POSTPONE, (next_at, json.dumps(list(ways)), problem, given_up, entry.id))


def remove(connection: Connection, entry: OutboxEntry, *, has_arrived: bool = False) -> None:
    """Remove an entry. If it arrived, also forget abandoned entries of the same job."""
    connection.execute(_REMOVE, (entry.id,))
    if has_arrived:
        connection.execute(_FORGET_JOB, (entry.job,))


def next_at(connection: Connection) -> float | None:
    """Return when the next entry is due; None if there is none."""
    found: float | None = connection.execute(_NEXT).scalar()
    return found


def list_later_entries(connection: Connection, entry: OutboxEntry) -> list[OutboxEntry]:
    return [_entry(row) for row in connection.execute(_LATER, (entry.job, entry.id))]


def list_entries(connection: Connection) -> list[OutboxEntry]:
    """Return all entries, including abandoned ones."""
    return [_entry(row) for row in connection.execute(_ALL)]


def _is_held(claim: Claim, taken_at: float, now: float) -> bool:
    if is_local_process_alive(claim):
        return True
    return claim.host != socket.gethostname() and now < taken_at + CLAIM_SECONDS


def _entry(row: tuple[Any, ...]) -> OutboxEntry:
    number, job, run_id, created, attempts, message, ways, problem, given_up = row
    names = tuple(json.loads(ways)) if ways else ()
    return OutboxEntry(number, job, run_id, created, attempts, message, names, problem, given_up)


# Notification state per failing job, so that people are not notified of the same failure every hour.

_FIND_STATE = "SELECT value FROM setting WHERE key = ?"
_SAVE_STATE = "INSERT INTO setting VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value"
_FORGET_STATE = "DELETE FROM setting WHERE key = ?"


@dataclass(frozen=True, slots=True)
class NotificationState:
    """A series of failures: start (Unix seconds), length, and time of the last notification."""

    since: float
    failures: int
    at: float | None  # None: no notification arrived yet


def find_state(connection: Connection, job: str) -> NotificationState | None:
    """Return the notification state of a job; None if it is not failing."""
    found = connection.execute(_FIND_STATE, (_state_key(job),)).scalar()
    return NotificationState(**json.loads(found)) if found else None


def save_state(connection: Connection, job: str, told: NotificationState) -> None:
    connection.execute(_SAVE_STATE, (_state_key(job), json.dumps(asdict(told))))


def forget_state(connection: Connection, job: str) -> None:
    connection.execute(_FORGET_STATE, (_state_key(job),))


def _state_key(job: str) -> str:
    return f"told of job {job}"
