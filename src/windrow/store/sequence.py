"""The one ever-growing number that orders every change to the library.

Numbers are taken in a transaction; when it is about to be kept, `seal` notes the moment. Whoever asks
what changed since a time gets the numbers from there on: nothing is visible before its moment.
"""

from __future__ import annotations

from sqlalchemy import Connection, text

_TAKE = text(
    "UPDATE setting SET value = CAST(CAST(value AS BIGINT) + :n AS TEXT) WHERE key = 'seq' RETURNING value"
)
_LAST = text("SELECT value FROM setting WHERE key = 'seq'")
_OPEN = text("INSERT INTO moment VALUES (:seq, 0, :run)")
_BEFORE = text("SELECT at FROM moment WHERE seq < :seq ORDER BY seq DESC LIMIT 1")
_SEAL = text("UPDATE moment SET at = :at WHERE seq >= :seq")
_UNSEALED = "windrow.unsealed"


def take(connection: Connection, count: int, *, run_id: int) -> int:
    """Reserve so many numbers in the transaction at hand, for a run (0: for none); give the first of them."""
    last = int(connection.execute(_TAKE, {"n": count}).scalar_one())
    connection.execute(_OPEN, {"seq": last, "run": run_id})
    connection.info.setdefault(_UNSEALED, last)
    return last - count + 1


def last(connection: Connection) -> int:
    """Give the number of the newest change."""
    return int(connection.execute(_LAST).scalar_one())


def unseal(connection: Connection) -> None:
    """Forget what a transaction on this connection took that was never kept."""
    connection.info.pop(_UNSEALED, None)


def seal(connection: Connection, *, now: int) -> None:
    """Note when the numbers of this transaction become visible: now, or as late as any before them."""
    first = connection.info.pop(_UNSEALED, None)
    if first is not None:
        before = connection.execute(_BEFORE, {"seq": first}).scalar() or 0
        connection.execute(_SEAL, {"at": max(now, before), "seq": first})
