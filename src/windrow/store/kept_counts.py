"""Counts that read every row of a table, kept for whoever asks again: pages and the API ask often."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable, Mapping
from typing import Any, NamedTuple

from windrow.store import sequence, sources
from windrow.store.connection import Connection

KEPT_SECONDS = 15.0
MANY = 100_000  # rows; fewer are counted within some milliseconds


class _Kept(NamedTuple):
    state: tuple[object, ...]
    at: float
    counts: Mapping[Any, int]


class KeptCounts:
    """What was counted in one store. Used by many threads at once.

    Counts stand until a record changes or a source goes; where there are many rows, for some seconds longer,
    as a harvest changes records all the time.
    """

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._kept: dict[Hashable, _Kept] = {}
        self._turn = threading.Lock()

    def get(
        self, connection: Connection, what: Hashable, count: Callable[[], Mapping[Any, int]]
    ) -> Mapping[Any, int]:
        """Give the counts of this name, made by `count` where they are not known or too old."""
        state = (sequence.last(connection), *sources.addresses(connection))
        with self._turn:  # whoever wants them meanwhile waits, and need not count
            kept = self._kept.get(what)
            if kept is None or not self._stands(kept, state):
                kept = self._kept[what] = _Kept(state, self._clock(), count())
        return kept.counts

    def _stands(self, kept: _Kept, state: tuple[object, ...]) -> bool:
        if kept.state == state:
            return True
        return sum(kept.counts.values()) >= MANY and self._clock() - kept.at < KEPT_SECONDS
