"""The budget of pages: how often one client and one network may ask, and the crawlers that may ask for more.

`app` asks it before any work is done. Each worker process has a budget of its own.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from windrow.faces.shared.clients import Networks, neighbourhood, network_of
from windrow.faces.shared.crawlers import LONGEST_AGENT
from windrow.faces.shared.pace import Pace

MOST_CLIENTS = 20_000  # remembered at a time, and so for networks


@dataclass(frozen=True, slots=True)
class Rate:
    """How often in the long run, and how many at once before that. 0 of either is without limit."""

    per_second: float
    burst: int

    def pace(self, *, most: int = MOST_CLIENTS) -> Pace:
        """Give what keeps count of it."""
        return Pace(self.per_second if self.burst else 0, self.burst, most=most)


@dataclass(frozen=True, slots=True)
class GoodCrawler:
    """A crawler with a rate of its own. Without networks, a word in its User-Agent is enough."""

    name: str
    agent: str
    networks: tuple[str, ...]
    rate: Rate


@dataclass(frozen=True, slots=True)
class Allowances:
    """What a budget lets through."""

    client: Rate = Rate(10, 200)
    network: Rate = Rate(40, 800)
    good: Sequence[GoodCrawler] = ()


class Budget:
    """Lets requests pass, or says for how many seconds not."""

    def __init__(self, allowances: Allowances, *, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._clients = allowances.client.pace()
        self._networks = allowances.network.pace()
        self._good = [_Known(each) for each in allowances.good]
        self._find = lru_cache(maxsize=4096)(self._find_good)

    def wait(self, client: str, agent: bytes) -> int:
        """Count a request and give 0, or give the seconds after which it would pass; then it costs nothing.

        The empty client is this machine's own people, for whom there is no limit.
        """
        if not client:
            return 0
        now = self._clock()
        good = self._find(client, agent[:LONGEST_AGENT]) if self._good else None
        if good is not None:
            return good.wait(now)
        one, network = neighbourhood(client), network_of(client)
        early = max(self._clients.early(one, now), self._networks.early(network, now))
        if early:
            return math.ceil(early)
        self._clients.spend(one, now)
        self._networks.spend(network, now)
        return 0

    def _find_good(self, client: str, agent: bytes) -> _Known | None:
        words = agent.decode("latin-1")
        return next((each for each in self._good if each.is_it(client, words)), None)


class _Known:
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
        """Say whether a client with this User-Agent is the crawler."""
        if not self._word.search(agent):
            return False
        return self._networks is None or client in self._networks
