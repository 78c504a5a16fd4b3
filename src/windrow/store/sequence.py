"""The one ever-growing number that orders every change to the library.

Numbers are taken in a transaction; when it is about to be kept, `seal` notes the moment. Whoever asks
what changed since a time gets the numbers from there on: nothing is visible before its moment.
"""

from __future__ import annotations

from datetime import UTC, datetime

from windrow.store.connection import Connection

# Literals, because once a page is often enough for what SQLAlchemy does around a statement to count.
_TAKE = "UPDATE setting SET value = CAST(CAST(value AS BIGINT) + ? AS TEXT) WHERE key = 'seq' RETURNING value"
_LAST = "SELECT value FROM setting WHERE key = 'seq'"
_LAST_AT = "SELECT at FROM moment ORDER BY seq DESC LIMIT 1"
_OPEN = "INSERT INTO moment VALUES (?, 0, ?)"
_BEFORE = "SELECT at FROM moment WHERE seq < ? ORDER BY seq DESC LIMIT 1"
_SEAL = "UPDATE moment SET at = ? WHERE seq >= ?"
_UNSEALED = "windrow.unsealed"


def take(connection: Connection, count: int, *, run_id: int) -> int:
    """Reserve so many numbers in the transaction at hand, for a run (0: for none); give the first of them."""
    last = int(connection.exec_driver_sql(_TAKE, (count,)).scalar_one())
    connection.exec_driver_sql(_OPEN, (last, run_id))
    connection.info.setdefault(_UNSEALED, last)
    return last - count + 1


def last(connection: Connection) -> int:
    """Give the number of the newest change."""
    return int(connection.exec_driver_sql(_LAST).scalar_one())


def changed_at(connection: Connection) -> datetime:
    """Give when the newest change became visible; the beginning of 1970 where nothing has ever changed."""
    return datetime.fromtimestamp(connection.exec_driver_sql(_LAST_AT).scalar() or 0, UTC)


def unseal(connection: Connection) -> None:
    """Forget what a transaction on this connection took that was never kept."""
    connection.info.pop(_UNSEALED, None)


def seal(connection: Connection, *, now: int) -> None:
    """Note when the numbers of this transaction become visible: now, or as late as any before them."""
    first = connection.info.pop(_UNSEALED, None)
    if first is not None:
        before = connection.exec_driver_sql(_BEFORE, (first,)).scalar() or 0
        connection.exec_driver_sql(_SEAL, (max(now, before), first))
