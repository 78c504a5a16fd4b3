"""Politeness towards hosts: one request at a time, pauses, backoff and Retry-After.

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
    """A pause about to begin. `attempt` is the number of the failed try, 0 if nothing failed."""

    seconds: float
    reason: str
    attempt: int
    url: str


class Memory(Protocol):
    """Storage for Retry-After across runs."""

    def not_before(self, host: str) -> datetime | None:
        """Return the time before which `host` (name:port) accepts no request, or None."""

    def remember(self, host: str, until: datetime) -> None:
        """Store that time; a shorter wait never replaces a longer one."""

    def forget(self, host: str, until: datetime) -> None:
        """Delete the host's time if it is not later than `until`, which has been waited for."""


@dataclass(frozen=True, slots=True)
class HostRest:
    """How long a host is left alone: in seconds, and as the time to pass to `wake`."""

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
    """Limits each host (`name:port`) to one request at a time across threads."""

    def __init__(self, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._gates: dict[str, _HostLock] = {}
        self._lock = threading.Lock()

    @contextmanager
    def turn(self, host: str, *, delay: float, pause: Callable[[float, bool], None]) -> Iterator[None]:
        """Hold the host for one request. `pause` gets the seconds due and whether the host asked for them.

        The pause is made while holding the host: queued threads would have to wait as long anyway.
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
        """Block requests to a host for this long, at its request.

        Return the wait in force: an earlier, longer one remains.
        """
        gate, now = self._gate(host), self._monotonic()
        if gate.rest_until > now + seconds:
            return HostRest(gate.rest_until - now, gate.rest_until)
        gate.rest_until = now + seconds
        return HostRest(seconds, gate.rest_until)

    def wake(self, host: str, until: float) -> None:
        """End the wait until this time after it has been served."""
        self._gate(host).wake(until)

    def _gate(self, host: str) -> _HostLock:
        with self._lock:
            gate = self._gates.get(host)
            if gate is None:
                gate = self._gates[host] = _HostLock()
            return gate


# Retries: which statuses are tried again, and after how long.

RETRIED_STATUSES = frozenset({202, 408, 429, 500, 502, 503, 504})
JITTER = 0.25  # fraction of the pause, either way: clients that failed together do not retry together


def backoff_seconds(tries: int, settings: HttpSettings) -> float:
    """Return the pause in seconds after this many failed tries: doubled each time, up to the longest wait."""
    pause = settings.backoff_seconds * 2.0 ** min(tries - 1, 30)
    jitter = random.uniform(1 - JITTER, 1 + JITTER)  # noqa: S311 - not for cryptography
    return min(pause * jitter, settings.max_wait_seconds)


# Dates in HTTP headers are in GMT, with or without a time zone.


def parse_http_date(text: str) -> datetime | None:
    """Return the time as aware UTC; None for an invalid date."""
    from email.utils import parsedate_to_datetime  # noqa: PLC0415 - slow to load, and few headers are dates

    try:
        moment = parsedate_to_datetime(text)
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, IndexError, OverflowError):
        return None


# Retry-After in both of its forms (RFC 9110 §10.2.3), and in the forms that servers actually send.

MAX_HEADER_CHARACTERS = 100
MAX_RETRY_AFTER_SECONDS = 10 * 366 * 86_400.0  # larger values are mistakes, and would overflow datetime

_RETRY_AFTER_SECONDS = re.compile(r"\+?[0-9]{1,15}(\.[0-9]{0,9})?")


def parse_retry_after(value: str | None, *, now: datetime) -> float | None:
    """Return the seconds to wait from `now`; None if the header is absent, past or invalid.

    Two headers joined by a comma (one added by a proxy) count as the longer wait.
    """
    if value is None or len(value) > MAX_HEADER_CHARACTERS:
        return None
    waits = [_retry_after_seconds(part.strip(), now) for part in _retry_after_values(value)]
    longest = max((wait for wait in waits if wait is not None), default=0.0)
    return min(longest, MAX_RETRY_AFTER_SECONDS) if longest > 0 else None


def _retry_after_values(value: str) -> list[str]:
    """Split joined headers; a date contains a comma, so only numbers are split."""
    parts = value.split(",")
    return parts if all(_RETRY_AFTER_SECONDS.fullmatch(part.strip()) for part in parts) else [value]


def _retry_after_seconds(text: str, now: datetime) -> float | None:
    if _RETRY_AFTER_SECONDS.fullmatch(text):
        return float(text)
    moment = parse_http_date(text)
    return None if moment is None else (moment - now).total_seconds()
