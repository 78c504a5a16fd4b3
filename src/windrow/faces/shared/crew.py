"""Thread pools for the blocking work of requests: bounded, and fair to clients.

Each pool has threads of its own, so that work of one kind never waits behind another: searches cannot keep
health checks, OAI-PMH lists or record pages waiting. Tantivy releases the GIL while it searches; everything
else a request does (rendering, highlighting, mapping records) holds it, which is why pools are small.

Work whose client closes the connection before its turn is not done: a client that sends requests and closes
at once would otherwise keep the pools busy without waiting for anything itself.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from windrow.faces.shared.catalogues import message
from windrow.faces.shared.clients import neighbourhood
from windrow.faces.shared.refusal import Refused
from windrow.faces.shared.request import never

T = TypeVar("T")
AT_ONCE = 8
MOST_WAITING = 200
MOST_OF_ONE = 60  # running and waiting: a class behind one address may ask at the same time
SEARCHES_AT_ONCE = max(2, os.cpu_count() or 1)  # more would only take turns on the same processors
# A waiting search costs little, and a client's searches never keep those of others waiting: they run in fewer
# threads than there are.
SEARCHES_WAITING = 200
SEARCHES_OF_ONE = MOST_OF_ONE
BUSY_SECONDS = 5
BUSY = message("There is much to do at the moment. Try again in a few seconds.")
BUSY_FOR_ONE = message(
    "Many requests from your network are being worked on already. Try again in a few seconds, one at a time."
)


class ClientGone(Exception):
    """The client closed its side of the connection while its request waited."""


class Crew:
    """Runs work for the requests of one process in a pool of threads.

    One client has at most `most_of_one` requests running or waiting, at most half of all that there may be,
    and never all threads.
    """

    def __init__(
        self,
        *,
        at_once: int = AT_ONCE,
        most_waiting: int = MOST_WAITING,
        most_of_one: int = MOST_OF_ONE,
        name: str = "page",
    ) -> None:
        self._threads = ThreadPoolExecutor(at_once, thread_name_prefix=name)
        self._turns = asyncio.Semaphore(at_once)
        self._at_once = at_once
        self._most = at_once + most_waiting
        self._most_of_one = min(most_of_one, max(1, self._most // 2))
        self._inside = 0
        self._clients: dict[str, _Client] = {}

    async def run(self, work: Callable[[], T], *, client: str = "", is_gone: Callable[[], bool] = never) -> T:
        """Run the work in a thread and return its result; raise Refused where too many wait already.

        The empty client is nobody in particular. Work that had to wait is not done if `is_gone`: ClientGone.
        """
        if self._inside >= self._most:
            raise _busy(BUSY)
        self._inside += 1
        try:
            if not client:
                return await self._run(work, is_gone)
            return await self._run_for(neighbourhood(client), work, is_gone)
        finally:
            self._inside -= 1

    async def _run_for(self, client: str, work: Callable[[], T], is_gone: Callable[[], bool]) -> T:
        found = self._clients.setdefault(client, _Client(max(1, self._at_once - 1)))
        if found.inside >= self._most_of_one:
            raise _busy(BUSY_FOR_ONE)
        found.inside += 1
        try:
            await _wait(found.turns, is_gone)
            try:
                return await self._run(work, is_gone)
            finally:
                found.turns.release()
        finally:
            found.inside -= 1
            if not found.inside:
                del self._clients[client]

    async def _run(self, work: Callable[[], T], is_gone: Callable[[], bool]) -> T:
        await _wait(self._turns, is_gone)
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, work)
        finally:
            self._turns.release()


async def _wait(turns: asyncio.Semaphore, is_gone: Callable[[], bool]) -> None:
    """Take a turn; raise ClientGone where the client went away before there was one."""
    has_waited = turns.locked()
    await turns.acquire()
    if has_waited and is_gone():
        turns.release()
        raise ClientGone


class _Client:
    """The requests of one client in a pool."""

    __slots__ = ("inside", "turns")

    def __init__(self, at_once: int) -> None:
        self.turns = asyncio.Semaphore(at_once)
        self.inside = 0


def search_crew() -> Crew:
    """Make the pool for everything that asks the index questions of strangers."""
    return Crew(
        at_once=SEARCHES_AT_ONCE,
        most_waiting=SEARCHES_WAITING,
        most_of_one=SEARCHES_OF_ONE,
        name="search",
    )


def _busy(words: str) -> Refused:
    return Refused(503, words, headers=[(b"retry-after", str(BUSY_SECONDS).encode())])
