"""The change sequence: one ever-growing number that orders every change to the library.

Numbers are reserved in a transaction, and `seal` records the time just before it commits. The changes since a
time are therefore the numbers from there on: no change is visible before its recorded time.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from datetime import UTC, datetime

from windrow.store.connection import Connection
from windrow.store.records.payloads import Queries

_TAKE = "UPDATE setting SET value = CAST(CAST(value AS BIGINT) + ? AS TEXT) WHERE key = 'seq' RETURNING value"
_LAST = "SELECT value FROM setting WHERE key = 'seq'"
_LAST_AT = "SELECT at FROM moment ORDER BY seq DESC LIMIT 1"
_OPEN = "INSERT INTO moment VALUES (?, 0, ?)"
_BEFORE = "SELECT at FROM moment WHERE seq < ? ORDER BY seq DESC LIMIT 1"
_SEAL = "UPDATE moment SET at = ? WHERE seq >= ?"
_UNSEALED = "windrow.unsealed"


def reserve(connection: Connection, count: int, *, run_id: int) -> int:
    """Reserve `count` numbers in the current transaction for a run (0: none) and return the first."""
    last = int(connection.execute(_TAKE, (count,)).scalar_one())
    connection.execute(_OPEN, (last, run_id))
    connection.info.setdefault(_UNSEALED, last)
    return last - count + 1


def last(connection: Connection) -> int:
    return int(connection.execute(_LAST).scalar_one())


def changed_at(connection: Connection) -> datetime:
    """Return when the newest change became visible; 1970-01-01 if nothing has ever changed."""
    return datetime.fromtimestamp(connection.execute(_LAST_AT).scalar() or 0, UTC)


def unseal(connection: Connection) -> None:
    """Forget the numbers of a transaction on this connection that was rolled back."""
    connection.info.pop(_UNSEALED, None)


def seal(connection: Connection, *, now: int) -> None:
    """Record when the numbers of this transaction become visible: now, but never before an earlier change."""
    first = connection.info.pop(_UNSEALED, None)
    if first is not None:
        before = connection.execute(_BEFORE, (first,)).scalar() or 0
        connection.execute(_SEAL, (max(now, before), first))


_NEWER = "SELECT seq, at, run_id FROM moment WHERE seq > ? ORDER BY seq"


class ChangeLog:
    """The time and run of each change, read once and then incrementally.

    Not thread-safe. A number newer than the last `refresh` raises IndexError.
    """

    def __init__(self) -> None:
        self._seqs = array("q")
        self._times = array("q")
        self._runs = array("q")

    def refresh(self, connection: Queries) -> None:
        last = self._seqs[-1] if self._seqs else 0
        for seq, at, run_id in connection.execute(_NEWER, (last,)):
            self._seqs.append(seq)
            self._times.append(at)
            self._runs.append(run_id)

    @property
    def last(self) -> int:
        """The newest number; 0 if there is none."""
        return self._seqs[-1] if self._seqs else 0

    @property
    def earliest(self) -> int | None:
        """The time of the first change, in Unix seconds."""
        return self._times[0] if self._times else None

    def at(self, seq: int) -> int:
        """Return when a change became visible, in Unix seconds."""
        return self._times[bisect_left(self._seqs, seq)]

    def stretch(self, seq: int) -> tuple[int, int, int]:
        """Return the numbers that became visible together with this one, and when.

        The result is the number before the first, the last number, and the time in Unix seconds.
        """
        place = bisect_left(self._seqs, seq)
        return self._seqs[place - 1] if place else 0, self._seqs[place], self._times[place]

    def run(self, seq: int) -> int:
        """Return the run that made a change; 0 if none did."""
        return self._runs[bisect_left(self._seqs, seq)]

    def before(self, at: int) -> int:
        """Return the number of the last change visible before a time; 0 if there is none."""
        position = bisect_left(self._times, at)
        return self._seqs[position - 1] if position else 0

    def stretches(self, run_id: int) -> list[tuple[int, int]]:
        """Return the numbers a run took, as pairs of the one before the first and the last."""
        return [
            (self._seqs[position - 1] if position else 0, self._seqs[position])
            for position, run in enumerate(self._runs)
            if run == run_id
        ]
