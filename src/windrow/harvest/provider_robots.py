"""The robots.txt of a source, asked for once a day and remembered in between. Refreshes heed it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from windrow.net.client import HttpClient
from windrow.net.robots import Rules, fetch_robots, robots_address
from windrow.store.robots import RobotsMemory

DAY_SECONDS = 24 * 3600
LARGEST_BYTES = 4 * 1024 * 1024  # of a file that is fetched at all; only its beginning is read


class ProviderRobots:
    """Gives the rules for an address; for one thread at a time."""

    def __init__(self, http: HttpClient, memory: RobotsMemory, *, now: Callable[[], datetime]) -> None:
        self._http = http
        self._memory = memory
        self._now = now

    def rules(self, url: str) -> Rules:
        """Give what the robots.txt for an address lets us do; UpstreamError where it cannot be had now."""
        now = int(self._now().timestamp())
        address = robots_address(url)
        text = self._memory.find(address, since=now - DAY_SECONDS + 1)
        if text is None:
            text = fetch_robots(self._http, url)
            self._memory.remember(address, text, now=now)
        return Rules(text)

    def close(self) -> None:
        """Let go of the connection."""
        self._http.close()
