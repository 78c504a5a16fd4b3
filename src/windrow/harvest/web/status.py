"""How far a crawl is: per host and overall, with an estimate that follows from the slowest host."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from windrow.net.robots_rules import RobotsRules
from windrow.store import frontier
from windrow.store.connection import Connection
from windrow.store.crawl_workers import CrawlWorkers
from windrow.store.frontier import ControlState, Frontier, HostCounts, Ordering, PageState


@dataclass(frozen=True, slots=True)
class HostStatus:
    """How far a crawl is with one host."""

    name: str
    queued: int
    done: int
    failed: int  # to be tried again
    dropped: int
    refused: int  # by robots.txt or the rules
    next_at: float  # Unix seconds; 0 where it may be asked at once
    interval_seconds: float
    robots: str  # "rules", "none", "unavailable", "" where it was not asked for yet

    @property
    def seconds_left(self) -> float:
        """How long the pauses between its queued addresses take together, at the least."""
        return self.queued * self.interval_seconds


@dataclass(frozen=True, slots=True)
class CrawlStatus:
    """How far a crawl is."""

    state: ControlState
    ordering: Ordering
    workers: int
    hosts: Sequence[HostStatus]
    counts: Mapping[PageState, int]

    @property
    def known(self) -> int:
        """How many addresses are known."""
        return sum(self.counts.values())

    @property
    def queued(self) -> int:
        """How many addresses wait."""
        return self.counts.get(PageState.QUEUED, 0)

    @property
    def seconds_left(self) -> float:
        """How long it takes at the least until no address waits: as long as the slowest host does."""
        return max((host.seconds_left for host in self.hosts), default=0.0)

    @property
    def slowest(self) -> HostStatus | None:
        """The host that the crawl waits for the longest; None where no address waits."""
        waiting = [host for host in self.hosts if host.queued]
        return max(waiting, key=lambda host: (host.seconds_left, host.queued), default=None)


def crawl_status(
    connection: Connection,
    source_id: int,
    interval: Callable[[str], float],
    *,
    clock: Callable[[], float] = time.time,
) -> CrawlStatus:
    """Return how far the crawl of a source is; `interval` is the configured pause for a host."""
    addresses = Frontier(source_id, clock=clock)
    control = addresses.control(connection)
    hosts = [_host(connection, each, interval, clock()) for each in addresses.hosts(connection)]
    return CrawlStatus(
        control.state,
        control.ordering,
        CrawlWorkers(source_id, clock=clock).count(connection),
        hosts,
        addresses.counts(connection),
    )


def _host(
    connection: Connection, counts: HostCounts, interval: Callable[[str], float], now: float
) -> HostStatus:
    states = counts.states
    pause = max(interval(counts.name), _crawl_delay(connection, counts.name))
    return HostStatus(
        counts.name,
        states.get(PageState.QUEUED, 0),
        states.get(PageState.DONE, 0),
        states.get(PageState.RETRY, 0),
        states.get(PageState.DROPPED, 0),
        states.get(PageState.ROBOTS, 0) + states.get(PageState.EXCLUDED, 0),
        counts.next_at if counts.next_at > now else 0.0,
        pause,
        counts.robots,
    )


def _crawl_delay(connection: Connection, host: str) -> float:
    """Return the Crawl-delay that a remembered robots.txt asks for."""
    found = [frontier.robots_of(connection, f"{scheme}://{host}") for scheme in ("https", "http")]
    return max(
        (RobotsRules(each[1]).delay_seconds for each in found if each is not None and each[1]), default=0.0
    )
