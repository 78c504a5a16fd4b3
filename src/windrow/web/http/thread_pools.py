"""Thread pools for the blocking work of requests: bounded, and fair to clients.

Each pool has threads of its own, so that work of one kind never waits behind another: searches cannot keep
health checks, OAI-PMH lists or record pages waiting. Tantivy releases the GIL while it searches; everything
else a request does (rendering, highlighting, mapping records) holds it, which is why pools are small.

What waits is served in the order of start-time fair queueing: every request of a client begins one round
after the one before it, so a client with many requests delays its own, and a newcomer waits for one request
of each of the others at most. A network counts as `CLIENTS_OF_NETWORK` clients, however many addresses it
has. When a queue is full, its last request is refused, which is rarely the newcomer's.

Work whose client closes the connection before its turn is not done: a client that sends requests and closes
at once would otherwise keep the pools busy without waiting for anything itself.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from typing import Protocol, TypeVar

from windrow.faces.shared.catalogues import message
from windrow.faces.shared.clients import neighbourhood, network_of
from windrow.faces.shared.refusal import Refused
from windrow.faces.shared.request import never
from windrow.index.deferral import Deferred, hurrying

T = TypeVar("T")
AT_ONCE = 8
MOST_WAITING = 200
MOST_OF_ONE = 60  # running and waiting: a class behind one address may ask at the same time
CLIENTS_OF_NETWORK = 8
SEARCHES_AT_ONCE = max(2, os.cpu_count() or 1)  # more would only take turns on the same processors
SEARCHES_WAITING = 200  # a waiting search costs little
SEARCHES_OF_ONE = MOST_OF_ONE
BUSY_SECONDS = 5
BUSY = message("There is much to do at the moment. Try again in a few seconds.")
BUSY_FOR_ONE = message(
    "Many requests from your network are being worked on already. Try again in a few seconds, one at a time."
)


class ClientGone(Exception):
    """The client closed its side of the connection while its request waited."""


class Pool(Protocol):
    """Where work is done for requests."""

    async def run(self, work: Callable[[], T], *, client: str = "", is_gone: Callable[[], bool] = never) -> T:
        """Run the work in a thread and return its result; raise Refused where too many wait already."""
        ...


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
        self._at_once = at_once
        self._most_waiting = most_waiting
        self._most_of_one = min(most_of_one, max(1, (at_once + most_waiting) // 2))
        self._running = 0
        self._waiting: list[_Place] = []
        self._clients: dict[str, _Client] = {}
        self._networks: dict[str, _Network] = {}
        self._round = 0.0  # that the latest request to be served began in
        self._arrivals = count()

    async def run(self, work: Callable[[], T], *, client: str = "", is_gone: Callable[[], bool] = never) -> T:
        """Run the work in a thread and return its result; raise Refused where too many wait already.

        The empty client is nobody in particular. Work that had to wait is not done if `is_gone`: ClientGone.
        """
        found = self._enter(client)
        try:
            await self._wait(found, is_gone)
            try:
                return await asyncio.get_running_loop().run_in_executor(self._threads, work)
            finally:
                self._release(found)
        finally:
            self._leave(found)

    def _enter(self, address: str) -> _Client:
        """Count a request of a client."""
        name = neighbourhood(address) if address else ""
        found = self._clients.get(name)
        if found is None:
            place = network_of(address) if address else ""
            network = self._networks.setdefault(place, _Network(place))
            # Nobody in particular is many, of whom each may have what one client may.
            at_once = max(1, self._at_once - 1) if name else self._at_once
            found = self._clients[name] = _Client(name, network, at_once)
            network.clients += 1
        if name and found.inside >= self._most_of_one:
            raise _busy(BUSY_FOR_ONE)
        found.inside += 1
        return found

    def _leave(self, client: _Client) -> None:
        client.inside -= 1
        if not client.inside:
            del self._clients[client.name]
            client.network.clients -= 1
            if not client.network.clients:
                del self._networks[client.network.name]

    async def _wait(self, client: _Client, is_gone: Callable[[], bool]) -> None:
        """Take a thread; raise ClientGone where the client went away before there was one."""
        start = self._start_of(client)
        if self._running < self._at_once and client.running < client.at_once:
            client.count(start)
            self._take(client, start)
            return
        place = _Place(start, next(self._arrivals), client, asyncio.get_running_loop().create_future())
        self._make_room(place)
        self._waiting.append(place)
        client.count(start)
        try:
            await place.turn
        except BaseException:
            if place in self._waiting:
                self._waiting.remove(place)
            elif not place.turn.cancelled() and place.turn.exception() is None:
                self._release(client)  # it was cancelled just when its turn came
            raise
        if is_gone():
            self._release(client)
            raise ClientGone

    def _start_of(self, client: _Client) -> float:
        """Return the round in which the next request of a client begins."""
        return max(self._round, client.next_round, client.network.next_round)

    def _make_room(self, newcomer: _Place) -> None:
        """Refuse the request that would be served last, where too many wait."""
        if len(self._waiting) < self._most_waiting:
            return
        last = max(self._waiting, key=_Place.order, default=newcomer)
        if last.start <= newcomer.start or last.turn.done():
            raise _busy(BUSY)
        self._waiting.remove(last)
        last.turn.set_exception(_busy(BUSY_FOR_ONE))

    def _take(self, client: _Client, start: float) -> None:
        self._running += 1
        client.running += 1
        self._round = max(self._round, start)

    def _release(self, client: _Client) -> None:
        """Return a thread, which the next one takes."""
        self._running -= 1
        client.running -= 1
        able = (each for each in self._waiting if each.is_able())
        following = min(able, key=_Place.order, default=None)
        if following is not None:
            self._waiting.remove(following)
            self._take(following.client, following.start)
            following.turn.set_result(None)


@dataclass(slots=True)
class _Network:
    """The clients of one network in a pool."""

    name: str
    clients: int = 0
    next_round: float = 0.0


@dataclass(slots=True)
class _Client:
    """The requests of one client in a pool."""

    name: str
    network: _Network
    at_once: int  # how many of them may run
    inside: int = 0  # running and waiting
    running: int = 0
    next_round: float = 0.0

    def count(self, start: float) -> None:
        """Note that a request begins in this round: the next one begins later."""
        if self.name:
            self.next_round = start + 1
            self.network.next_round = start + 1 / CLIENTS_OF_NETWORK


@dataclass(slots=True, eq=False)
class _Place:
    """A request that waits."""

    start: float  # the round in which it begins
    arrival: int
    client: _Client
    turn: asyncio.Future[None] = field(repr=False)

    def is_able(self) -> bool:
        """Return whether it can be served now, as far as its client is concerned."""
        return self.client.running < self.client.at_once and not self.turn.done()  # done: it was cancelled

    def order(self) -> tuple[float, int]:
        """Return what the queue is sorted by."""
        return self.start, self.arrival


class SearchCrew:
    """Two pools for what asks the index questions of strangers: a quick one never waits for slow ones.

    Every request begins among the quick ones. One that is found to take long, before it does, is begun again
    among the slow ones, of which there are as few at a time as there are processors.
    """

    def __init__(self) -> None:
        size = {"at_once": SEARCHES_AT_ONCE, "most_waiting": SEARCHES_WAITING, "most_of_one": SEARCHES_OF_ONE}
        self._quick = Crew(name="search", **size)
        self._slow = Crew(name="slow-search", **size)

    async def run(self, work: Callable[[], T], *, client: str = "", is_gone: Callable[[], bool] = never) -> T:
        """Run the work in a thread and return its result; raise Refused where too many wait already."""
        with suppress(Deferred):
            return await self._quick.run(partial(_hurry, work), client=client, is_gone=is_gone)
        return await self._slow.run(work, client=client, is_gone=is_gone)


def _hurry(work: Callable[[], T]) -> T:
    with hurrying():
        return work()


def _busy(words: str) -> Refused:
    return Refused(503, words, headers=[(b"retry-after", str(BUSY_SECONDS).encode())])
