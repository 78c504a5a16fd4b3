"""Flow control: how often, and how much at once, one client and all of them may ask.

Each worker process has a gate of its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from windrow.faces.shared.clients import neighbourhood
from windrow.faces.shared.pace import Pace


@dataclass(frozen=True, slots=True)
class Limits:
    """What a gate lets through. `per_second` 0 is without limit."""

    per_second: float = 20.0
    burst: int = 100
    at_once: int = 16  # of one client, in work or being sent
    at_once_in_all: int = 1000
    bytes_in_all: int = 256_000_000  # of bodies waiting to be sent to slow readers
    most_clients: int = 20_000  # remembered at a time


class Gate:
    """Lets requests in, or says for how many seconds not. What is let in must `leave`."""

    def __init__(self, limits: Limits, *, clock: Callable[[], float]) -> None:
        self._limits = limits
        self._clock = clock
        self._pace = Pace(limits.per_second, limits.burst, most=limits.most_clients)
        self._inside: dict[str, int] = {}
        self._count = 0
        self.waiting_bytes = 0

    def enter(self, client: str) -> int:
        """Let a client in and give 0, or give the seconds after which it should try again.

        The empty client is nobody in particular: only the limits for all hold for it.
        """
        seconds = self.pass_by(client)
        if not seconds:
            self._count += 1
            if client:
                client = neighbourhood(client)
                self._inside[client] = self._inside.get(client, 0) + 1
        return seconds

    def pass_by(self, client: str) -> int:
        """As `enter`, for what is done in no time: it need not `leave`."""
        if self._count >= self._limits.at_once_in_all or self.waiting_bytes >= self._limits.bytes_in_all:
            return 5
        if not client:
            return 0
        client = neighbourhood(client)
        return 1 if self._inside.get(client, 0) >= self._limits.at_once else self._wait(client)

    def take_back(self, client: str) -> None:
        """Count what a client was let `pass_by` for as not asked for."""
        if client:
            self._pace.take_back(neighbourhood(client))

    def leave(self, client: str) -> None:
        """A request is done, its answer sent or its client gone."""
        self._count -= 1
        if client:
            client = neighbourhood(client)
            left = self._inside[client] - 1
            if left:
                self._inside[client] = left
            else:
                del self._inside[client]

    def _wait(self, client: str) -> int:
        """Count a request of a client; give how many seconds too early it is."""
        now = self._clock()
        early = self._pace.early(client, now)
        if early:
            return max(1, math.ceil(early))
        self._pace.spend(client, now)
        return 0
