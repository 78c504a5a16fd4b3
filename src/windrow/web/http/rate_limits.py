"""Flow control: how often, and how much at once, one client and all of them may ask.

Each worker process has a gate of its own. How many requests of all clients may wait is up to the pools they
wait for. Answers wait for their readers in memory, and when there are too many of them, the one that waited
the longest is broken off: slow readers do not keep others out.
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

# How fast something may go: a steady rate with a burst before it, for any number of those who ask.
# `gate` and `budget` ask it. Each is remembered as one number, the time at which it will have used up
# what it asked for so far; one that is not remembered has its whole burst left.

_TOLERANCE_SECONDS = 1e-9  # sums of floats are never exact


class RateLimiter:
    """Counts by key. `per_second` 0 is without limit; `most` keys are remembered at a time."""

    def __init__(self, per_second: float, burst: int, *, most: int) -> None:
        self._interval = 1 / per_second if per_second else 0.0
        self._allowance = self._interval * (burst - 1)
        self._most = most
        self._due: dict[str, float] = {}

    def __len__(self) -> int:
        """How many are remembered."""
        return len(self._due)

    def early(self, key: str, now: float) -> float:
        """Return how many seconds too early somebody comes; 0 or less is in time. Costs nothing."""
        early = self._due.get(key, now) - now - self._allowance
        return early if early > _TOLERANCE_SECONDS else 0.0

    def spend(self, key: str, now: float) -> None:
        """Count one request that was let in."""
        if not self._interval:
            return
        self._due[key] = max(self._due.get(key, now), now) + self._interval
        if len(self._due) > self._most:
            self._forget(now)

    def take_back(self, key: str) -> None:
        """Count one request less."""
        if key in self._due:
            self._due[key] -= self._interval

    def _forget(self, now: float) -> None:
        """Forget those with nothing against them; if many are left, all: rather too kind than too large."""
        self._due = {key: due for key, due in self._due.items() if due > now}
        if len(self._due) > self._most // 2:
            self._due.clear()


@dataclass(frozen=True, slots=True)
class RequestLimits:
    """What a gate lets through. `per_second` 0 is without limit."""

    per_second: float = 20.0
    burst: int = 100
    at_once: int = 16  # of one client, in work or being sent
    answers_in_all: int = 1000  # large ones, that wait for their readers
    bytes_in_all: int = 256_000_000  # of these
    most_clients: int = 20_000  # remembered at a time
    slow_seconds: float = 2.0  # without a piece taken, after which an answer may be broken off


class PendingDelivery:
    """An answer on its way to a reader: how large it is, and since when it waits to be read."""

    def __init__(self, gate: RequestLimiter, size: int, break_off: Callable[[], object]) -> None:
        self._gate = gate
        self.size = size
        self.break_off = break_off
        self.waits_since = gate.clock()

    def get_on(self) -> None:
        """Another piece was taken."""
        self.waits_since = self._gate.clock()


class RequestLimiter:
    """Lets requests in, or says for how many seconds not. What is let in must `leave`."""

    def __init__(self, limits: RequestLimits, *, clock: Callable[[], float]) -> None:
        self._limits = limits
        self.clock = clock
        self._pace = RateLimiter(limits.per_second, limits.burst, most=limits.most_clients)
        self._inside: dict[str, int] = {}
        self._deliveries: set[PendingDelivery] = set()
        self.waiting_bytes = 0

    def enter(self, client: str) -> int:
        """Let a client in and give 0, or give the seconds after which it should try again.

        The empty client is nobody in particular: only the limits for all hold for it.
        """
        seconds = self.pass_by(client)
        if not seconds and client:
            client = client_prefix(client)
            self._inside[client] = self._inside.get(client, 0) + 1
        return seconds

    def pass_by(self, client: str) -> int:
        """As `enter`, for what is done in no time: it need not `leave`."""
        while self.waiting_bytes >= self._limits.bytes_in_all:
            if not self._break_off():
                return 5
        if not client:
            return 0
        client = client_prefix(client)
        return 1 if self._inside.get(client, 0) >= self._limits.at_once else self._wait(client)

    @contextmanager
    def delivering(self, size: int, break_off: Callable[[], object]) -> Iterator[PendingDelivery]:
        """Count an answer that is in memory until its reader has it; `break_off` ends it early."""
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

    def take_back(self, client: str) -> None:
        """Count what a client was let `pass_by` for as not asked for."""
        if client:
            self._pace.take_back(client_prefix(client))

    def leave(self, client: str) -> None:
        """A request is done, its answer sent or its client gone."""
        if client:
            client = client_prefix(client)
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

    def _forget(self, delivery: PendingDelivery) -> None:
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


# The budget of pages: how often one client and one network may ask, and the crawlers that may ask for
# more.
# `app` asks it before any work is done. Each worker process has a budget of its own.

MAX_CLIENTS = 20_000  # remembered at a time, and so for networks


@dataclass(frozen=True, slots=True)
class RateLimit:
    """How often in the long run, and how many at once before that. 0 of either is without limit."""

    per_second: float
    burst: int

    def pace(self, *, most: int = MAX_CLIENTS) -> RateLimiter:
        """Return what keeps count of it."""
        return RateLimiter(self.per_second if self.burst else 0, self.burst, most=most)


@dataclass(frozen=True, slots=True)
class GoodCrawler:
    """A crawler with a rate of its own. Without networks, a word in its User-Agent is enough."""

    name: str
    agent: str
    networks: tuple[str, ...]
    rate: RateLimit


@dataclass(frozen=True, slots=True)
class PageRateLimits:
    """What a budget lets through."""

    client: RateLimit = RateLimit(10, 200)
    network: RateLimit = RateLimit(40, 800)
    good: Sequence[GoodCrawler] = ()


class PageRateLimiter:
    """Lets requests pass, or says for how many seconds not."""

    def __init__(self, allowances: PageRateLimits, *, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._clients = allowances.client.pace()
        self._networks = allowances.network.pace()
        self._good = [_RecognisedCrawler(each) for each in allowances.good]
        self._find = lru_cache(maxsize=4096)(self._find_good)

    def wait(self, client: str, agent: bytes) -> int:
        """Count a request and give 0, or give the seconds after which it would pass; then it costs nothing.

        The empty client is this machine's own people, for whom there is no limit.
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
    """A good crawler that can be told from others."""

    def __init__(self, crawler: GoodCrawler) -> None:
        self._name = crawler.name
        self._pace = crawler.rate.pace(most=1)
        self._networks = Networks(crawler.networks) if crawler.networks else None
        # A whole word: "bot" is not to be every robot.
        word = re.escape(crawler.agent)
        self._word = re.compile(rf"(?<![a-z0-9]){word}(?![a-z0-9])", re.IGNORECASE)

    def wait(self, now: float) -> int:
        """Count a request, or give the seconds after which it would pass."""
        early = self._pace.early(self._name, now)
        if early:
            return math.ceil(early)
        self._pace.spend(self._name, now)
        return 0

    def is_it(self, client: str, agent: str) -> bool:
        """Return whether a client with this User-Agent is the crawler."""
        if not self._word.search(agent):
            return False
        return self._networks is None or client in self._networks
