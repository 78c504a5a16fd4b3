"""The progress of a crawl, per host and overall, with an estimate based on the slowest host."""

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
    """The progress of a crawl with one host."""

    name: str
    queued: int
    done: int
    failed: int  # waiting for a retry
    dropped: int
    refused: int  # by robots.txt or the rules
    next_at: float  # Unix seconds; 0 if it may be requested at once
    interval_seconds: float
    robots: str  # "rules", "none", "unavailable", or "" if not yet requested

    @property
    def seconds_left(self) -> float:
        """The minimum time for its queued addresses, from the pauses between them."""
        return self.queued * self.interval_seconds


@dataclass(frozen=True, slots=True)
class CrawlStatus:
    """The progress of a crawl."""

    state: ControlState
    ordering: Ordering
    workers: int
    hosts: Sequence[HostStatus]
    counts: Mapping[PageState, int]

    @property
    def known(self) -> int:
        return sum(self.counts.values())

    @property
    def queued(self) -> int:
        return self.counts.get(PageState.QUEUED, 0)

    @property
    def seconds_left(self) -> float:
        """The minimum time until no address waits, which is that of the slowest host."""
        return max((host.seconds_left for host in self.hosts), default=0.0)

    @property
    def slowest(self) -> HostStatus | None:
        """The host that the crawl waits for the longest; None if no address waits."""
        waiting = [host for host in self.hosts if host.queued]
        return max(waiting, key=lambda host: (host.seconds_left, host.queued), default=None)


def crawl_status(
    connection: Connection,
    source_id: int,
    interval: Callable[[str], float],
    *,
    clock: Callable[[], float] = time.time,
) -> CrawlStatus:
    """Return the progress of the crawl of a source; `interval` returns the configured pause of a host."""
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
    found = [frontier.robots_of(connection, f"{scheme}://{host}") for scheme in ("https", "http")]
    return max(
        (RobotsRules(each[1]).delay_seconds for each in found if each is not None and each[1]), default=0.0
    )
