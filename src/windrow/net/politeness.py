"""Manners towards a host: one request at a time, a pause between two, rest when it asks for rest.

`Hosts` is shared by the clients of all sources in the process; `Memory` outlives the process.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Wait:
    """A pause about to begin. `attempt` is the try that failed, 0 where nothing failed."""

    seconds: float
    reason: str
    attempt: int
    url: str


class Memory(Protocol):
    """What is remembered across runs: until when a host asked to be left alone."""

    def not_before(self, host: str) -> datetime | None:
        """Give the time before which `host` (name:port) wants no request; None where it never said."""

    def remember(self, host: str, until: datetime) -> None:
        """Keep that time, unless a later one is kept already: a shorter wait never replaces a longer one."""

    def forget(self, host: str, until: datetime) -> None:
        """Forget the host's time if it is not later than `until`, which somebody has waited for."""


@dataclass(frozen=True, slots=True)
class Rest:
    """How long a host is left alone: seconds from now, and the moment to pass to `wake`."""

    seconds: float
    until: float


@dataclass(slots=True)
class _Gate:
    lock: threading.Lock = field(default_factory=threading.Lock)
    ended_at: float = -math.inf
    rest_until: float = -math.inf

    def wake(self, until: float) -> None:
        if self.rest_until <= until:  # otherwise the host has asked for more in the meantime
            self.rest_until = -math.inf


class Hosts:
    """Lets one request at a time through to each host (`name:port`), in any number of threads."""

    def __init__(self, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._gates: dict[str, _Gate] = {}
        self._lock = threading.Lock()

    @contextmanager
    def turn(self, host: str, *, delay: float, pause: Callable[[float, bool], None]) -> Iterator[None]:
        """Hold the host for one request. `pause` is told the seconds still due, and whether they are rest.

        The pause is made with the host held: whoever queues behind would have to wait as long anyway.
        """
        gate = self._gate(host)
        with gate.lock:
            now = self._monotonic()
            rest, gap = gate.rest_until - now, gate.ended_at + delay - now
            if rest > 0 or gap > 0:
                until = gate.rest_until
                pause(max(rest, gap), rest > gap)
                gate.wake(until)
            try:
                yield
            finally:
                gate.ended_at = self._monotonic()

    def rest(self, host: str, seconds: float) -> Rest:
        """Let nobody through for so long, because the host asked for it.

        Return the rest that now holds: where the host has asked for a longer one before, that one.
        """
        gate, now = self._gate(host), self._monotonic()
        if gate.rest_until > now + seconds:
            return Rest(gate.rest_until - now, gate.rest_until)
        gate.rest_until = now + seconds
        return Rest(seconds, gate.rest_until)

    def wake(self, host: str, until: float) -> None:
        """End the rest that was to last until then: somebody has waited for it."""
        self._gate(host).wake(until)

    def _gate(self, host: str) -> _Gate:
        with self._lock:
            gate = self._gates.get(host)
            if gate is None:
                gate = self._gates[host] = _Gate()
            return gate
