"""A check of a web site before it is crawled: the robots.txt of the hosts where the crawl begins."""

from __future__ import annotations

import asyncio
import time

from windrow.harvest.web.settings import CrawlSettings
from windrow.sources.web.fetch import Fetcher
from windrow.sources.web.robots import RobotsPolicy, fetch_robots
from windrow.sources.web.urls import web_address

_PAUSE_SECONDS = 1.0  # between redirects of one robots.txt


async def ask_robots(crawl: CrawlSettings, most: int) -> list[tuple[str, str, bool, str]]:
    """Return (host, state of robots.txt, is allowed, reason) for the hosts of the first start pages."""
    starts: dict[str, str] = {}
    for url in crawl.space.starts:
        starts.setdefault(web_address(url).origin, url)
    found = []
    async with Fetcher(crawl.fetch) as fetcher:
        for origin, url in list(starts.items())[:most]:
            answer, _ = await fetch_robots(fetcher, origin, clock=time.time, pause=_pause)
            policy = RobotsPolicy(answer)
            reason = policy.answer.reason or policy.line_for(url)
            found.append((web_address(url).host, policy.answer.state.value, policy.allows(url), reason))
    return found


async def _pause(_host: str) -> bool:
    await asyncio.sleep(_PAUSE_SECONDS)
    return True
