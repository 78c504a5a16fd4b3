"""The one ever-growing number that orders every change to the library.

Numbers are taken in a transaction; when it is about to be kept, `seal` notes the moment. Whoever asks
what changed since a time gets the numbers from there on: nothing is visible before its moment.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from datetime import UTC, datetime

from windrow.store.connection import Connection
from windrow.store.records.payloads import Queries

# Literals, because once a page is often enough for what SQLAlchemy does around a statement to count.
_TAKE = "UPDATE setting SET value = CAST(CAST(value AS BIGINT) + ? AS TEXT) WHERE key = 'seq' RETURNING value"
_LAST = "SELECT value FROM setting WHERE key = 'seq'"
_LAST_AT = "SELECT at FROM moment ORDER BY seq DESC LIMIT 1"
_OPEN = "INSERT INTO moment VALUES (?, 0, ?)"
_BEFORE = "SELECT at FROM moment WHERE seq < ? ORDER BY seq DESC LIMIT 1"
_SEAL = "UPDATE moment SET at = ? WHERE seq >= ?"
_UNSEALED = "windrow.unsealed"


def reserve(connection: Connection, count: int, *, run_id: int) -> int:
    """Reserve so many numbers in the transaction at hand, for a run (0: for none); give the first of them."""
    last = int(connection.exec_driver_sql(_TAKE, (count,)).scalar_one())
    connection.exec_driver_sql(_OPEN, (last, run_id))
    connection.info.setdefault(_UNSEALED, last)
    return last - count + 1


def last(connection: Connection) -> int:
    """Return the number of the newest change."""
    return int(connection.exec_driver_sql(_LAST).scalar_one())


def changed_at(connection: Connection) -> datetime:
    """Return when the newest change became visible; the beginning of 1970 where nothing has ever changed."""
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


# When a change became visible and which run made it, by its number. Read once, then only what is new.

_NEWER = "SELECT seq, at, run_id FROM moment WHERE seq > ? ORDER BY seq"


class ChangeLog:
    """All moments of a library, in the order of their numbers and so of their times.

    For one thread at a time. A number newer than the last `refresh` belongs to no moment: IndexError.
    """

    def __init__(self) -> None:
        self._seqs = array("q")
        self._times = array("q")
        self._runs = array("q")

    def refresh(self, connection: Queries) -> None:
        """Read what came since."""
        last = self._seqs[-1] if self._seqs else 0
        for seq, at, run_id in connection.exec_driver_sql(_NEWER, (last,)):
            self._seqs.append(seq)
            self._times.append(at)
            self._runs.append(run_id)

    @property
    def last(self) -> int:
        """The newest number; 0 before the first."""
        return self._seqs[-1] if self._seqs else 0

    @property
    def earliest(self) -> int | None:
        """The time of the first change, Unix seconds."""
        return self._times[0] if self._times else None

    def at(self, seq: int) -> int:
        """When this change became visible, Unix seconds."""
        return self._times[bisect_left(self._seqs, seq)]

    def stretch(self, seq: int) -> tuple[int, int, int]:
        """Return the stretch of numbers that became visible with this one, and when: before, last, time."""
        place = bisect_left(self._seqs, seq)
        return self._seqs[place - 1] if place else 0, self._seqs[place], self._times[place]

    def run(self, seq: int) -> int:
        """Return the run that made this change; 0: none."""
        return self._runs[bisect_left(self._seqs, seq)]

    def before(self, at: int) -> int:
        """Return the number of the last change that was visible before this time; 0: none was."""
        position = bisect_left(self._times, at)
        return self._seqs[position - 1] if position else 0

    def stretches(self, run_id: int) -> list[tuple[int, int]]:
        """Return the numbers a run took, as pairs of the one before the first and the last."""
        return [
            (self._seqs[position - 1] if position else 0, self._seqs[position])
            for position, run in enumerate(self._runs)
            if run == run_id
        ]
