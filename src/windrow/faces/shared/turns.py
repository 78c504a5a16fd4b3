"""Turns at something costly: so many at once, and whoever stops using one loses it to the next.

Without that, a few clients that do not read what they asked for would keep everybody else waiting.
"""

from __future__ import annotations

import math
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
        most_of_one: int | None = None,
        most_open: int | None = None,
        slow_seconds: float | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """At most `most` at once, and of one client `most_of_one`, where that is known.

        With `most_open`, what has waited for its reader for `slow_seconds` no longer counts among `most`, and
        goes on when it is read: only when there are `most_open` in all, an idle one is broken off.
        """
        self._most = most
        self._most_open = most if most_open is None else most_open
        self._slow_seconds = idle_seconds if slow_seconds is None else slow_seconds
        self._most_of_one = most_of_one
        self._idle_seconds = idle_seconds
        self._clock = clock
        self._lock = threading.Lock()
        self._used_at: dict[Taken, float] = {}

    def take(self, pieces: Iterator[bytes], client: str = "") -> Taken | None:
        """Give the pieces with a turn, which they have until they are closed; None where there is none."""
        with self._lock:
            if self._has_enough(client) or not self._has_room():
                return None
            taken = Taken(pieces, self, client)
            self._used_at[taken] = self._clock()
            return taken

    def use(self, taken: Taken, *, is_made: bool) -> bool:
        """Note that the next piece is being made, or is made; False where the turn was taken away."""
        with self._lock:
            if taken in self._used_at:
                # However long a piece takes to make, that is not its reader's doing.
                self._used_at[taken] = self._clock() if is_made else math.inf
            return taken in self._used_at

    def give_back(self, taken: Taken) -> None:
        """Let somebody else have the turn."""
        with self._lock:
            self._used_at.pop(taken, None)

    def _has_enough(self, client: str) -> bool:
        if self._most_of_one is None or not client:
            return False
        return sum(taken.client == client for taken in self._used_at) >= self._most_of_one

    def _has_room(self) -> bool:
        now = self._clock()
        busy = sum(now - used_at < self._slow_seconds for used_at in self._used_at.values())
        return busy < self._most and (len(self._used_at) < self._most_open or self._take_away())

    def _take_away(self) -> bool:
        idlest = min(self._used_at, key=lambda taken: self._used_at[taken])
        if self._clock() - self._used_at[idlest] < self._idle_seconds:
            return False
        del self._used_at[idlest]
        return True


class Taken:
    """Pieces that have a turn until they are closed."""

    def __init__(self, pieces: Iterator[bytes], turns: Turns, client: str = "") -> None:
        self._pieces = pieces
        self._turns = turns
        self.client = client
        self._is_whole = False

    def __next__(self) -> bytes:
        if self._is_whole:
            raise StopIteration
        # Half a file must not look like a whole one: the connection breaks off.
        if not self._turns.use(self, is_made=False):
            raise ConnectionAbortedError("nothing was read for too long, and somebody else wanted the turn")
        try:
            piece = next(self._pieces)
        except (
            StopIteration
        ):  # before the last of it is sent: whoever has it all may ask for the next at once
            self._is_whole = True
            self._turns.give_back(self)
            raise
        self._turns.use(self, is_made=True)
        return piece

    def close(self) -> None:
        """Give the turn back."""
        close = getattr(self._pieces, "close", None)
        if close is not None:
            close()
        self._turns.give_back(self)
