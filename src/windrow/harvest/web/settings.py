"""The settings of a crawl, made from the settings of its source."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from windrow.sources.web.fetch import FetchSettings
from windrow.sources.web.space import UrlSpace
from windrow.store.frontier import Limits

DAY_SECONDS = 86_400.0
METADATA, PAGES = "metadata", "pages"  # which pages become records


@dataclass(frozen=True, slots=True)
class CrawlSettings:
    """Where a crawl may go, how politely, and what it makes of the pages."""

    space: UrlSpace
    fetch: FetchSettings
    interval_seconds: float = 60.0  # from the end of a request to a host to the next request
    host_intervals: Mapping[str, float] = field(default_factory=dict)
    revisit_seconds: float = 30 * DAY_SECONDS
    host_revisits: Mapping[str, float] = field(default_factory=dict)
    retry_seconds: float = (
        3600.0  # the pause after the first failure, multiplied by four after each further one
    )
    attempts: int = 5  # consecutive failures of one address until it is dropped
    patience_seconds: float = 300.0  # how long a run waits for a host that asks to be left alone
    connections: int = 16
    connections_per_host: int = 1  # more than one only if the interval is 0
    limits: Limits = field(default_factory=Limits)
    most_depth: int = 500
    most_hops: int = 10
    content: str = METADATA
    require: tuple[str, ...] = ()
    media_types: frozenset[str] = frozenset()  # read as documents besides HTML
    rdfa: bool = False
    follows_listings: bool = True  # sitemaps and feeds
    warc_folder: Path | None = None

    def interval(self, host: str) -> float:
        return _of_host(self.host_intervals, host, self.interval_seconds)

    def revisit(self, host: str) -> float:
        """Return after how many seconds a page of a host is requested again."""
        return _of_host(self.host_revisits, host, self.revisit_seconds)


def _of_host(own: Mapping[str, float], host: str, usual: float) -> float:
    """Return the value for a host: by its name with the port, by its name, or the default."""
    return own.get(host, own.get(host.rpartition(":")[0], usual))
