"""Manners towards a host: one request at a time, a pause between two, rest when it asks for rest.

`Hosts` is shared by the clients of all sources in the process; `Memory` outlives the process.
"""

from __future__ import annotations

import math
import random
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Protocol

from windrow.net.http_settings import HttpSettings


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
        """Return the time before which `host` (name:port) wants no request; None where it never said."""

    def remember(self, host: str, until: datetime) -> None:
        """Keep that time, unless a later one is kept already: a shorter wait never replaces a longer one."""

    def forget(self, host: str, until: datetime) -> None:
        """Forget the host's time if it is not later than `until`, which somebody has waited for."""


@dataclass(frozen=True, slots=True)
class HostRest:
    """How long a host is left alone: seconds from now, and the moment to pass to `wake`."""

    seconds: float
    until: float


@dataclass(slots=True)
class _HostLock:
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
        self._gates: dict[str, _HostLock] = {}
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

    def rest(self, host: str, seconds: float) -> HostRest:
        """Let nobody through for so long, because the host asked for it.

        Return the rest that now holds: where the host has asked for a longer one before, that one.
        """
        gate, now = self._gate(host), self._monotonic()
        if gate.rest_until > now + seconds:
            return HostRest(gate.rest_until - now, gate.rest_until)
        gate.rest_until = now + seconds
        return HostRest(seconds, gate.rest_until)

    def wake(self, host: str, until: float) -> None:
        """End the rest that was to last until then: somebody has waited for it."""
        self._gate(host).wake(until)

    def _gate(self, host: str) -> _HostLock:
        with self._lock:
            gate = self._gates.get(host)
            if gate is None:
                gate = self._gates[host] = _HostLock()
            return gate


# What is worth another try, and how long to wait before it.

RETRIED_STATUSES = frozenset({202, 408, 429, 500, 502, 503, 504})
JITTER = 0.25  # of the pause, either way: clients that failed together do not come back together


def backoff_seconds(tries: int, settings: HttpSettings) -> float:
    """Return the seconds to pause after so many failed tries: doubled each time, up to the longest wait."""
    pause = settings.backoff_seconds * 2.0 ** min(tries - 1, 30)
    jitter = random.uniform(1 - JITTER, 1 + JITTER)  # noqa: S311 - manners, not secrets
    return min(pause * jitter, settings.max_wait_seconds)


# Dates in HTTP headers, which are GMT whether they say so or not.


def parse_http_date(text: str) -> datetime | None:
    """Return the moment as aware UTC, None where the text is no date."""
    from email.utils import parsedate_to_datetime  # noqa: PLC0415 - slow to load, and few headers are dates

    try:
        moment = parsedate_to_datetime(text)
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, IndexError, OverflowError):
        return None


# The Retry-After header in both its forms (RFC 9110, 10.2.3), and in the forms servers really send.

MAX_HEADER_CHARACTERS = 100
MAX_RETRY_AFTER_SECONDS = (
    10 * 366 * 86_400.0
)  # beyond this it is a number gone wrong, and datetime would overflow

_RETRY_AFTER_SECONDS = re.compile(r"\+?[0-9]{1,15}(\.[0-9]{0,9})?")


def parse_retry_after(value: str | None, *, now: datetime) -> float | None:
    """Return the seconds to wait from `now`; None where the header is absent, past or makes no sense.

    Two headers joined by a comma (a proxy added its own) count as the longer wait.
    """
    if value is None or len(value) > MAX_HEADER_CHARACTERS:
        return None
    waits = [_retry_after_seconds(part.strip(), now) for part in _retry_after_values(value)]
    longest = max((wait for wait in waits if wait is not None), default=0.0)
    return min(longest, MAX_RETRY_AFTER_SECONDS) if longest > 0 else None


def _retry_after_values(value: str) -> list[str]:
    """Part joined headers; a date has a comma of its own, so only numbers are parted."""
    parts = value.split(",")
    return parts if all(_RETRY_AFTER_SECONDS.fullmatch(part.strip()) for part in parts) else [value]


def _retry_after_seconds(text: str, now: datetime) -> float | None:
    if _RETRY_AFTER_SECONDS.fullmatch(text):
        return float(text)
    moment = parse_http_date(text)
    return None if moment is None else (moment - now).total_seconds()
