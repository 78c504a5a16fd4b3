"""Rate limits: how often, and how many at a time, one client and all clients may make requests.

Each worker process has limiters of its own. `RequestLimiter` is for programs, `PageRateLimiter` for pages and
crawlers. How many requests may wait is limited by the pools they wait for. Responses that wait for slow
readers are held in memory; when there are too many, the one that has waited longest is aborted, so that slow
readers cannot shut others out.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache

from windrow.web.http.clients import Networks, client_prefix, site_network
from windrow.web.http.visitors import MAX_USER_AGENT_LENGTH

# Each client is kept as one number, the time at which it will have used up what it requested so far (the
# generic cell rate algorithm); a client that is not kept has its whole burst left.

_TOLERANCE_SECONDS = 1e-9  # sums of floats are not exact


class RateLimiter:
    """A steady rate after a burst, per key. `per_second` 0 means no limit; `most` keys are kept at a time."""

    def __init__(self, per_second: float, burst: int, *, most: int) -> None:
        self._interval = 1 / per_second if per_second else 0.0
        self._allowance = self._interval * (burst - 1)
        self._most = most
        self._due: dict[str, float] = {}

    def __len__(self) -> int:
        return len(self._due)

    def early(self, key: str, now: float) -> float:
        """Return how many seconds too early a request is; 0 or less is in time. Does not count it."""
        early = self._due.get(key, now) - now - self._allowance
        return early if early > _TOLERANCE_SECONDS else 0.0

    def spend(self, key: str, now: float) -> None:
        if not self._interval:
            return
        self._due[key] = max(self._due.get(key, now), now) + self._interval
        if len(self._due) > self._most:
            self._forget(now)

    def _forget(self, now: float) -> None:
        """Drop keys with nothing counted; if many are left, drop all, to bound memory."""
        self._due = {key: due for key, due in self._due.items() if due > now}
        if len(self._due) > self._most // 2:
            self._due.clear()


@dataclass(frozen=True, slots=True)
class RequestLimits:
    """The limits of a RequestLimiter. `per_second` 0 means no limit."""

    per_second: float = 20.0
    burst: int = 100
    at_once: int = 16  # of one client, in progress or being sent
    answers_in_all: int = 1000  # large responses that wait for their readers
    bytes_in_all: int = 256_000_000  # of these
    most_clients: int = 20_000  # kept at a time
    slow_seconds: float = 2.0  # without a piece read, after which a response may be aborted


class PendingDelivery:
    """A response being sent: its size, and since when its reader has read nothing."""

    def __init__(self, gate: RequestLimiter, size: int, break_off: Callable[[], object]) -> None:
        self._gate = gate
        self.size = size
        self.break_off = break_off
        self.waits_since = gate.clock()

    def get_on(self) -> None:
        """Note that the client has read another piece."""
        self.waits_since = self._gate.clock()


class RequestLimiter:
    """Admits requests, or returns after how many seconds to retry. Each admitted request must `leave`."""

    def __init__(self, limits: RequestLimits, *, clock: Callable[[], float]) -> None:
        self._limits = limits
        self.clock = clock
        self._pace = RateLimiter(limits.per_second, limits.burst, most=limits.most_clients)
        self._inside: dict[str, int] = {}
        self._deliveries: set[PendingDelivery] = set()
        self.waiting_bytes = 0

    def enter(self, client: str) -> int:
        """Admit a request and return 0, or return the seconds after which to retry.

        The empty client is exempt from the limits per client.
        """
        while self.waiting_bytes >= self._limits.bytes_in_all:
            if not self._break_off():
                return 5
        if not client:
            return 0
        client = client_prefix(client)
        inside = self._inside.get(client, 0)
        seconds = 1 if inside >= self._limits.at_once else self._wait(client)
        if not seconds:
            self._inside[client] = inside + 1
        return seconds

    @contextmanager
    def delivering(self, size: int, break_off: Callable[[], object]) -> Iterator[PendingDelivery]:
        """Count a response held in memory while it is sent; `break_off` aborts it."""
        delivery = PendingDelivery(self, size, break_off)
        if len(self._deliveries) >= self._limits.answers_in_all:
            self._break_off()
        self._deliveries.add(delivery)
        self.waiting_bytes += size
        try:
            yield delivery
        finally:
            if delivery in self._deliveries:
                self._forget(delivery)

    def leave(self, client: str) -> None:
        """End a request: its response was sent or its client has disconnected."""
        if client:
            client = client_prefix(client)
            left = self._inside[client] - 1
            if left:
                self._inside[client] = left
            else:
                del self._inside[client]

    def _break_off(self) -> bool:
        """Abort the delivery that has waited longest for its reader; return whether there was one."""
        slowest = min(self._deliveries, key=lambda each: each.waits_since, default=None)
        if slowest is None or self.clock() - slowest.waits_since < self._limits.slow_seconds:
            return False
        self._forget(slowest)
        slowest.break_off()
        return True

    def _forget(self, delivery: PendingDelivery) -> None:
        self._deliveries.discard(delivery)
        self.waiting_bytes -= delivery.size

    def _wait(self, client: str) -> int:
        now = self.clock()
        early = self._pace.early(client, now)
        if early:
            return max(1, math.ceil(early))
        self._pace.spend(client, now)
        return 0


# Limits of page views by client and network, with higher limits for known crawlers. `app` applies them before
# any work is done.

MAX_CLIENTS = 20_000  # kept at a time, and as many networks


@dataclass(frozen=True, slots=True)
class RateLimit:
    """A steady rate and the burst before it. 0 for either means no limit."""

    per_second: float
    burst: int

    def pace(self, *, most: int = MAX_CLIENTS) -> RateLimiter:
        return RateLimiter(self.per_second if self.burst else 0, self.burst, most=most)


@dataclass(frozen=True, slots=True)
class GoodCrawler:
    """A crawler with a rate of its own. Without networks, a word in its User-Agent identifies it."""

    name: str
    agent: str
    networks: tuple[str, ...]
    rate: RateLimit


@dataclass(frozen=True, slots=True)
class PageRateLimits:
    """The limits of a PageRateLimiter."""

    client: RateLimit = RateLimit(10, 200)
    network: RateLimit = RateLimit(40, 800)
    good: Sequence[GoodCrawler] = ()


class PageRateLimiter:
    """Admits page views, or returns after how many seconds to retry."""

    def __init__(self, allowances: PageRateLimits, *, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._clients = allowances.client.pace()
        self._networks = allowances.network.pace()
        self._good = [_RecognisedCrawler(each) for each in allowances.good]
        self._find = lru_cache(maxsize=4096)(self._find_good)

    def wait(self, client: str, agent: bytes) -> int:
        """Count a request and return 0, or return the seconds after which to retry, without counting it.

        The empty client is this machine itself, which is not limited.
        """
        if not client:
            return 0
        now = self._clock()
        good = self._find(client, agent[:MAX_USER_AGENT_LENGTH]) if self._good else None
        if good is not None:
            return good.wait(now)
        one, network = client_prefix(client), site_network(client)
        early = max(self._clients.early(one, now), self._networks.early(network, now))
        if early:
            return math.ceil(early)
        self._clients.spend(one, now)
        self._networks.spend(network, now)
        return 0

    def _find_good(self, client: str, agent: bytes) -> _RecognisedCrawler | None:
        words = agent.decode("latin-1")
        return next((each for each in self._good if each.is_it(client, words)), None)


class _RecognisedCrawler:
    """A crawler with its limiter."""

    def __init__(self, crawler: GoodCrawler) -> None:
        self._name = crawler.name
        self._pace = crawler.rate.pace(most=1)
        self._networks = Networks(crawler.networks) if crawler.networks else None
        # Match a whole word: "bot" must not match every robot.
        word = re.escape(crawler.agent)
        self._word = re.compile(rf"(?<![a-z0-9]){word}(?![a-z0-9])", re.IGNORECASE)

    def wait(self, now: float) -> int:
        """Count a request, or return the seconds after which to retry."""
        early = self._pace.early(self._name, now)
        if early:
            return math.ceil(early)
        self._pace.spend(self._name, now)
        return 0

    def is_it(self, client: str, agent: str) -> bool:
        if not self._word.search(agent):
            return False
        return self._networks is None or client in self._networks
