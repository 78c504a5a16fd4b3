"""When a change became visible and which run made it, by its number. Read once, then only what is new."""

from __future__ import annotations

from array import array
from bisect import bisect_left

from windrow.store.payloads import Queries

_NEWER = "SELECT seq, at, run_id FROM moment WHERE seq > ? ORDER BY seq"


class Moments:
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
        """Give the stretch of numbers that became visible with this one, and when: before, last, time."""
        place = bisect_left(self._seqs, seq)
        return self._seqs[place - 1] if place else 0, self._seqs[place], self._times[place]

    def run(self, seq: int) -> int:
        """Give the run that made this change; 0: none."""
        return self._runs[bisect_left(self._seqs, seq)]

    def before(self, at: int) -> int:
        """Give the number of the last change that was visible before this time; 0: none was."""
        position = bisect_left(self._times, at)
        return self._seqs[position - 1] if position else 0

    def stretches(self, run_id: int) -> list[tuple[int, int]]:
        """Give the numbers a run took, as pairs of the one before the first and the last."""
        return [
            (self._seqs[position - 1] if position else 0, self._seqs[position])
            for position, run in enumerate(self._runs)
            if run == run_id
        ]
