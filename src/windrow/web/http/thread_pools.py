"""Thread pools for the blocking work of requests: bounded, and fair to clients.

Each kind of work has its own pool: searches cannot delay health checks, OAI-PMH lists or record pages.
Tantivy releases the GIL while it searches; everything else a request does (rendering, highlighting, mapping
records) holds it, which is why pools are small.

Waiting requests are served by start-time fair queueing: each request of a client begins one round after the
one before it, so a client with many requests delays only its own, and a new client waits for at most one
request of each of the others. A network counts as `CLIENTS_PER_NETWORK` clients, however many addresses it
has. When a queue is full, the request that would be served last is refused.

Work is skipped if its client disconnects while waiting: otherwise a client that sends requests and closes at
once could keep the pools busy at no cost to itself.
"""

from __future__ import annotations

import asyncio
import math
import os
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from typing import Protocol, TypeVar

from windrow.index.protocol import Deferred, quick_answers_only
from windrow.web.http.clients import client_prefix, site_network
from windrow.web.http.http_request import HttpRefusal, never_disconnected
from windrow.web.i18n.translation import message

T = TypeVar("T")
DEFAULT_THREADS = 8
MAX_WAITING = 200
MAX_PER_CLIENT = 60  # running and waiting: a class of students behind one address may search at the same time
CLIENTS_PER_NETWORK = 8
SEARCH_THREADS = max(2, os.cpu_count() or 1)  # more would only share the same processors
MAX_SEARCHES_WAITING = 200  # a waiting search costs little
MAX_SEARCHES_PER_CLIENT = MAX_PER_CLIENT
POOL_BUSY_SECONDS = 5
POOL_BUSY = message("There is much to do at the moment. Try again in a few seconds.")
CLIENT_BUSY = message(
    "Many requests from your network are being worked on already. Try again in a few seconds, one at a time."
)


class ClientGone(Exception):
    """The client closed its side of the connection while its request waited."""


class RequestPool(Protocol):
    """A pool that runs the blocking work of requests."""

    async def run(
        self, work: Callable[[], T], *, client: str = "", is_gone: Callable[[], bool] = never_disconnected
    ) -> T:
        """Run the work in a thread and return its result; raise HttpRefusal if too many requests wait."""
        ...


class ThreadPool:
    """Runs work for the requests of one process in a pool of threads.

    One client has at most `most_of_one` requests running or waiting, at most half of all allowed, and never
    all threads.
    """

    def __init__(
        self,
        *,
        at_once: int = DEFAULT_THREADS,
        most_waiting: int = MAX_WAITING,
        most_of_one: int = MAX_PER_CLIENT,
        name: str = "page",
    ) -> None:
        self._threads = ThreadPoolExecutor(at_once, thread_name_prefix=name)
        self._at_once = at_once
        self._most_waiting = most_waiting
        self._most_of_one = min(most_of_one, max(1, (at_once + most_waiting) // 2))
        self._running = 0
        self._waiting: list[_WaitingRequest] = []
        self._clients: dict[str, _ClientQueue] = {}
        self._networks: dict[str, _NetworkQueue] = {}
        self._round = 0.0  # of the request served last
        self._arrivals = count()

    async def run(
        self, work: Callable[[], T], *, client: str = "", is_gone: Callable[[], bool] = never_disconnected
    ) -> T:
        """Run the work in a thread and return its result; raise HttpRefusal if too many requests wait.

        The empty client stands for many clients and has no limit of its own. If work had to wait and its
        client `is_gone`, it is skipped and ClientGone raised.
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

    def _enter(self, address: str) -> _ClientQueue:
        """Count a request of a client and return its queue."""
        name = client_prefix(address) if address else ""
        found = self._clients.get(name)
        if found is None:
            place = site_network(address) if address else ""
            network = self._networks.setdefault(place, _NetworkQueue(place))
            # The empty client stands for many, of whom each may have what one client may.
            at_once = max(1, self._at_once - 1) if name else self._at_once
            found = self._clients[name] = _ClientQueue(name, network, at_once)
            network.clients += 1
        if name and found.inside >= self._most_of_one:
            raise _busy_refusal(CLIENT_BUSY)
        found.inside += 1
        return found

    def _leave(self, client: _ClientQueue) -> None:
        client.inside -= 1
        if not client.inside:
            del self._clients[client.name]
            client.network.clients -= 1
            if not client.network.clients:
                del self._networks[client.network.name]

    async def _wait(self, client: _ClientQueue, is_gone: Callable[[], bool]) -> None:
        """Wait for a thread; raise ClientGone if the client disconnects first."""
        start = self._start_of(client)
        if self._running < self._at_once and client.running < client.at_once:
            client.count(start)
            self._take(client, start)
            return
        place = _WaitingRequest(
            start, next(self._arrivals), client, asyncio.get_running_loop().create_future()
        )
        self._make_room(place)
        self._waiting.append(place)
        client.count(start)
        try:
            await place.turn
        except BaseException:
            if place in self._waiting:
                self._waiting.remove(place)
            elif not place.turn.cancelled() and place.turn.exception() is None:
                self._release(client)  # cancelled at the moment its turn came
            raise
        if is_gone():
            self._release(client)
            raise ClientGone

    def _start_of(self, client: _ClientQueue) -> float:
        return max(self._round, client.next_round, client.network.next_round)

    def _make_room(self, newcomer: _WaitingRequest) -> None:
        """Refuse the request that would be served last, if too many wait."""
        if len(self._waiting) < self._most_waiting:
            return
        last = max(self._waiting, key=_WaitingRequest.order, default=newcomer)
        if last.start <= newcomer.start or last.turn.done():
            raise _busy_refusal(POOL_BUSY)
        self._waiting.remove(last)
        last.turn.set_exception(_busy_refusal(CLIENT_BUSY))

    def _take(self, client: _ClientQueue, start: float) -> None:
        self._running += 1
        client.running += 1
        self._round = max(self._round, start)

    def _release(self, client: _ClientQueue) -> None:
        self._running -= 1
        client.running -= 1
        able = (each for each in self._waiting if each.is_able())
        following = min(able, key=_WaitingRequest.order, default=None)
        if following is not None:
            self._waiting.remove(following)
            self._take(following.client, following.start)
            following.turn.set_result(None)


@dataclass(slots=True)
class _NetworkQueue:
    name: str
    clients: int = 0
    next_round: float = 0.0


@dataclass(slots=True)
class _ClientQueue:
    name: str
    network: _NetworkQueue
    at_once: int  # how many of them may run
    inside: int = 0  # running and waiting
    running: int = 0
    next_round: float = 0.0

    def count(self, start: float) -> None:
        """Note that a request begins in this round: the next one begins later."""
        if self.name:
            self.next_round = start + 1
            self.network.next_round = start + 1 / CLIENTS_PER_NETWORK


@dataclass(slots=True, eq=False)
class _WaitingRequest:
    start: float  # the round in which it begins
    arrival: int
    client: _ClientQueue
    turn: asyncio.Future[None] = field(repr=False)

    def is_able(self) -> bool:
        return self.client.running < self.client.at_once and not self.turn.done()  # done: it was cancelled

    def order(self) -> tuple[float, int]:
        return self.start, self.arrival


class SearchPools:
    """Two pools for searches, so that a quick one never waits for slow ones.

    Every search starts in the quick pool. One that turns out to be expensive is abandoned before the
    expensive part and restarted in the slow pool, which has as many threads as there are processors.
    """

    def __init__(self) -> None:
        size = {
            "at_once": SEARCH_THREADS,
            "most_waiting": MAX_SEARCHES_WAITING,
            "most_of_one": MAX_SEARCHES_PER_CLIENT,
        }
        self._quick = ThreadPool(name="search", **size)
        self._slow = ThreadPool(name="slow-search", **size)

    async def run(
        self, work: Callable[[], T], *, client: str = "", is_gone: Callable[[], bool] = never_disconnected
    ) -> T:
        """Run the work in a thread and return its result; raise HttpRefusal if too many requests wait."""
        with suppress(Deferred):
            return await self._quick.run(partial(_run_quickly, work), client=client, is_gone=is_gone)
        return await self._slow.run(work, client=client, is_gone=is_gone)


def _run_quickly(work: Callable[[], T]) -> T:
    with quick_answers_only():
        return work()


def _busy_refusal(words: str) -> HttpRefusal:
    return HttpRefusal(503, words, headers=[(b"retry-after", str(POOL_BUSY_SECONDS).encode())])


# Slots for expensive streams: the number is limited, and a reader that stalls loses its slot to the next.
# Otherwise a few clients that do not read what they requested would keep all others waiting.

IDLE_SLOT_SECONDS = 20.0  # without another piece read, after which a slot may be taken away


class StreamSlots:
    """A limited number of slots for bodies that are generated while they are sent."""

    def __init__(
        self,
        most: int,
        *,
        idle_seconds: float = IDLE_SLOT_SECONDS,
        most_of_one: int | None = None,
        most_open: int | None = None,
        slow_seconds: float | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Allow at most `most` at a time, and `most_of_one` of one client, if set.

        With `most_open`, a stream whose reader has been idle for `slow_seconds` no longer
        counts towards `most`, and goes on when it is read. Only when there are `most_open`
        streams in all is an idle one aborted.
        """
        self._most = most
        self._most_open = most if most_open is None else most_open
        self._slow_seconds = idle_seconds if slow_seconds is None else slow_seconds
        self._most_of_one = most_of_one
        self._idle_seconds = idle_seconds
        self._clock = clock
        self._lock = threading.Lock()
        self._used_at: dict[SlottedStream, float] = {}

    def take(self, pieces: Iterator[bytes], client: str = "") -> SlottedStream | None:
        """Return the pieces with a slot, which is held until they are closed; None if no slot is free."""
        with self._lock:
            if self._has_enough(client) or not self._has_room():
                return None
            taken = SlottedStream(pieces, self, client)
            self._used_at[taken] = self._clock()
            return taken

    def use(self, taken: SlottedStream, *, is_made: bool) -> bool:
        """Note that the next piece is being made, or is made; return False if the slot is lost."""
        with self._lock:
            if taken in self._used_at:
                # The time it takes to make a piece must not count as the reader's idle time.
                self._used_at[taken] = self._clock() if is_made else math.inf
            return taken in self._used_at

    def give_back(self, taken: SlottedStream) -> None:
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


class SlottedStream:
    """Pieces that hold a slot until they are closed."""

    def __init__(self, pieces: Iterator[bytes], turns: StreamSlots, client: str = "") -> None:
        self._pieces = pieces
        self._turns = turns
        self.client = client
        self._is_whole = False

    def __next__(self) -> bytes:
        if self._is_whole:
            raise StopIteration
        # Half a file must not look like a whole one: the connection is aborted.
        if not self._turns.use(self, is_made=False):
            raise ConnectionAbortedError("nothing was read for too long, and somebody else wanted the turn")
        try:
            piece = next(self._pieces)
        except StopIteration:
            # Before the last piece is sent: a client that has all of it may send its next request at once.
            self._is_whole = True
            self._turns.give_back(self)
            raise
        self._turns.use(self, is_made=True)
        return piece

    def close(self) -> None:
        close = getattr(self._pieces, "close", None)
        if close is not None:
            close()
        self._turns.give_back(self)
