"""Flow control: how often, and how much at once, one client and all of them may ask.

Each worker process has a gate of its own. How many requests of all clients may wait is up to the pools they
wait for. Answers wait for their readers in memory, and when there are too many of them, the one that waited
the longest is broken off: slow readers do not keep others out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from windrow.faces.shared.clients import neighbourhood
from windrow.faces.shared.pace import Pace


@dataclass(frozen=True, slots=True)
class Limits:
    """What a gate lets through. `per_second` 0 is without limit."""

    per_second: float = 20.0
    burst: int = 100
    at_once: int = 16  # of one client, in work or being sent
    answers_in_all: int = 1000  # large ones, that wait for their readers
    bytes_in_all: int = 256_000_000  # of these
    most_clients: int = 20_000  # remembered at a time
    slow_seconds: float = 2.0  # without a piece taken, after which an answer may be broken off


class Delivery:
    """An answer on its way to a reader: how large it is, and since when it waits to be read."""

    def __init__(self, gate: Gate, size: int, break_off: Callable[[], object]) -> None:
        self._gate = gate
        self.size = size
        self.break_off = break_off
        self.waits_since = gate.clock()

    def get_on(self) -> None:
        """Another piece was taken."""
        self.waits_since = self._gate.clock()


class Gate:
    """Lets requests in, or says for how many seconds not. What is let in must `leave`."""

    def __init__(self, limits: Limits, *, clock: Callable[[], float]) -> None:
        self._limits = limits
        self.clock = clock
        self._pace = Pace(limits.per_second, limits.burst, most=limits.most_clients)
        self._inside: dict[str, int] = {}
        self._deliveries: set[Delivery] = set()
        self.waiting_bytes = 0

    def enter(self, client: str) -> int:
        """Let a client in and give 0, or give the seconds after which it should try again.

        The empty client is nobody in particular: only the limits for all hold for it.
        """
        seconds = self.pass_by(client)
        if not seconds and client:
            client = neighbourhood(client)
            self._inside[client] = self._inside.get(client, 0) + 1
        return seconds

    def pass_by(self, client: str) -> int:
        """As `enter`, for what is done in no time: it need not `leave`."""
        while self.waiting_bytes >= self._limits.bytes_in_all:
            if not self._break_off():
                return 5
        if not client:
            return 0
        client = neighbourhood(client)
        return 1 if self._inside.get(client, 0) >= self._limits.at_once else self._wait(client)

    @contextmanager
    def delivering(self, size: int, break_off: Callable[[], object]) -> Iterator[Delivery]:
        """Count an answer that is in memory until its reader has it; `break_off` ends it early."""
        delivery = Delivery(self, size, break_off)
        if len(self._deliveries) >= self._limits.answers_in_all:
            self._break_off()
        self._deliveries.add(delivery)
        self.waiting_bytes += size
        try:
            yield delivery
        finally:
            if delivery in self._deliveries:
                self._forget(delivery)

    def take_back(self, client: str) -> None:
        """Count what a client was let `pass_by` for as not asked for."""
        if client:
            self._pace.take_back(neighbourhood(client))

    def leave(self, client: str) -> None:
        """A request is done, its answer sent or its client gone."""
        if client:
            client = neighbourhood(client)
            left = self._inside[client] - 1
            if left:
                self._inside[client] = left
            else:
                del self._inside[client]

    def _break_off(self) -> bool:
        """Break off the answer that has waited longest for its reader; return whether there was one."""
        slowest = min(self._deliveries, key=lambda each: each.waits_since, default=None)
        if slowest is None or self.clock() - slowest.waits_since < self._limits.slow_seconds:
            return False
        self._forget(slowest)
        slowest.break_off()
        return True

    def _forget(self, delivery: Delivery) -> None:
        self._deliveries.discard(delivery)
        self.waiting_bytes -= delivery.size

    def _wait(self, client: str) -> int:
        """Count a request of a client; give how many seconds too early it is."""
        now = self.clock()
        early = self._pace.early(client, now)
        if early:
            return max(1, math.ceil(early))
        self._pace.spend(client, now)
        return 0
