"""Turns at something costly: so many at once, and whoever stops using one loses it to the next.

Without that, a few clients that do not read what they asked for would keep everybody else waiting.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator

IDLE_SECONDS = 20.0  # without another piece, after which a turn may be taken away


class Turns:
    """Turns for pieces that are made while they are sent."""

    def __init__(
        self,
        most: int,
        *,
        idle_seconds: float = IDLE_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._most = most
        self._idle_seconds = idle_seconds
        self._clock = clock
        self._lock = threading.Lock()
        self._used_at: dict[Taken, float] = {}

    def take(self, pieces: Iterator[bytes]) -> Taken | None:
        """Give the pieces with a turn, which they have until they are closed; None where there is none."""
        with self._lock:
            if len(self._used_at) >= self._most and not self._take_away():
                return None
            taken = Taken(pieces, self)
            self._used_at[taken] = self._clock()
            return taken

    def use(self, taken: Taken) -> bool:
        """Note that a turn is in use; False where it was taken away."""
        with self._lock:
            if taken in self._used_at:
                self._used_at[taken] = self._clock()
            return taken in self._used_at

    def give_back(self, taken: Taken) -> None:
        """Let somebody else have the turn."""
        with self._lock:
            self._used_at.pop(taken, None)

    def _take_away(self) -> bool:
        idlest = min(self._used_at, key=lambda taken: self._used_at[taken])
        if self._clock() - self._used_at[idlest] < self._idle_seconds:
            return False
        del self._used_at[idlest]
        return True


class Taken:
    """Pieces that have a turn until they are closed."""

    def __init__(self, pieces: Iterator[bytes], turns: Turns) -> None:
        self._pieces = pieces
        self._turns = turns

    def __next__(self) -> bytes:
        if not self._turns.use(self):  # half a file must not look like a whole one: the connection breaks off
            raise ConnectionAbortedError("nothing was read for too long, and somebody else wanted the turn")
        piece = next(self._pieces)
        self._turns.use(self)
        return piece

    def close(self) -> None:
        """Give the turn back."""
        close = getattr(self._pieces, "close", None)
        if close is not None:
            close()
        self._turns.give_back(self)
