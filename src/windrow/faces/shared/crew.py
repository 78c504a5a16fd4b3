"""Blocking work of pages in threads: some at once, others wait, and beyond that nobody is let in."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

from windrow.faces.shared.refusal import Refused

T = TypeVar("T")
AT_ONCE = 8
MOST_WAITING = 100


class Crew:
    """Runs work for the requests of one process."""

    def __init__(self, *, at_once: int = AT_ONCE, most_waiting: int = MOST_WAITING) -> None:
        self._turns = asyncio.Semaphore(at_once)
        self._most = at_once + most_waiting
        self._inside = 0

    async def run(self, work: Callable[[], T]) -> T:
        """Do the work in a thread; Refused where too many wait already."""
        if self._inside >= self._most:
            raise Refused(
                503,
                "There is much to do at the moment. Try again in a few seconds.",
                headers=[(b"retry-after", b"5")],
            )
        self._inside += 1
        try:
            async with self._turns:
                return await asyncio.to_thread(work)
        finally:
            self._inside -= 1
