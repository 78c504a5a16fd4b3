"""What people were told of jobs that fail, so that nobody hears the same every hour."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from windrow.store.connection import Connection

_FIND = "SELECT value FROM setting WHERE key = ?"
_KEEP = "INSERT INTO setting VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value"
_FORGET = "DELETE FROM setting WHERE key = ?"


@dataclass(frozen=True, slots=True)
class Told:
    """A row of failures: since when, how many, and when people last heard of it. Times are Unix seconds."""

    since: float
    failures: int
    at: float | None  # None: nobody could be reached yet


def find(connection: Connection, job: str) -> Told | None:
    """Give what was told of a job; None where it did not fail of late."""
    found = connection.exec_driver_sql(_FIND, (_key(job),)).scalar()
    return Told(**json.loads(found)) if found else None


def keep(connection: Connection, job: str, told: Told) -> None:
    """Remember what was told."""
    connection.exec_driver_sql(_KEEP, (_key(job), json.dumps(asdict(told))))


def forget(connection: Connection, job: str) -> None:
    """Let a job be as if it had never failed."""
    connection.exec_driver_sql(_FORGET, (_key(job),))


def _key(job: str) -> str:
    return f"told of job {job}"
