"""One visit of an address: whether it may be requested, the request, and parsing the response.

Nothing is stored here; `outcomes` stores the `Result`.
"""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from windrow.errors import WindrowError
from windrow.harvest.web.settings import PAGES, CrawlSettings
from windrow.model.web_page import Page
from windrow.sources.web.fetch import Answer, Fetcher, FetchFailure
from windrow.sources.web.page import PageWants
from windrow.sources.web.parser_pool import ParseFailure, ParserPool
from windrow.sources.web.robots import RobotsAnswer, RobotsPolicy, fetch_robots
from windrow.sources.web.urls import BadUrl, WebAddress, web_address
from windrow.store import frontier

if TYPE_CHECKING:
    from windrow.harvest.web.documents import DocumentReader

HTML_TYPES = frozenset({"text/html", "application/xhtml+xml", "application/vnd.wap.xhtml+xml"})
LISTING_TYPES = frozenset({"application/xml", "text/xml", "application/rss+xml", "application/atom+xml"})
WITH_CONTENT = frozenset({200, 203})  # 203: a proxy has modified it
_MOST_POLICIES = 2_000
_BINARY_NAMES = """
7z aac aif aiff apk asf avi avif bin bmp bz2 cab class css csv dat deb djvu dmg doc docx dwg eot eps epub
exe flac flv gif gz ico iso jar jpeg jpg js json m4a m4v mid midi mkv mov mp3 mp4 mpeg mpg msi odp ods odt
ogg ogv otf pdf png ppt pptx ps psd rar rpm rtf svg swf tar tgz tif tiff ttf wav webm webp wma wmv woff
woff2 xls xlsx xml xz zip
"""
_BINARY_ENDINGS = frozenset(_BINARY_NAMES.split())


@dataclass(slots=True)
class Result:
    """The result of one request."""

    row: frontier.Page
    address: WebAddress | None
    answer: Answer | None = None
    failure: FetchFailure | None = None
    is_head: bool = False
    page: Page | None = None
    parse_failure: ParseFailure | None = None
    listed: Sequence[str] = ()  # pages that a sitemap or a feed names
    listings: Sequence[str] = ()  # further sitemaps that it names
    is_bad_listing: bool = False
    robots: tuple[str, RobotsAnswer] | None = None  # the request was for the robots.txt of this origin
    robots_hosts: Sequence[str] = ()  # other hosts that it redirected to
    verdict: str = ""  # "robots", "excluded", "bounded": no request was made
    message: str = ""
    requests: int = 0
    is_archived: bool = False  # the archive is not part of the transaction


class KnownRobots:
    """The robots.txt policies of recently visited hosts."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._policies: dict[str, RobotsPolicy] = {}
        self._delays: dict[str, float] = {}

    def policy(self, origin: str) -> RobotsPolicy | None:
        """Return the policy of an origin; None if its robots.txt has to be fetched."""
        found = self._policies.get(origin)
        return found if found is not None and found.answer.until > self._clock() else None

    def answer(self, origin: str) -> RobotsAnswer:
        """Return the last robots.txt of an origin, even if it is outdated."""
        return self._policies[origin].answer

    def take(self, origin: str, answer: RobotsAnswer) -> None:
        while len(self._policies) >= _MOST_POLICIES:
            del self._policies[next(iter(self._policies))]
        policy = self._policies[origin] = RobotsPolicy(answer)
        self._delays[origin.partition("://")[2]] = policy.delay_seconds

    def delay(self, host: str) -> float:
        return self._delays.get(host, 0.0)

    @property
    def longest_delay(self) -> float:
        return max(self._delays.values(), default=0.0)


class Visitor:
    """Makes the visits of one crawl, any number at the same time."""

    def __init__(
        self,
        settings: CrawlSettings,
        fetcher: Fetcher,
        pool: ParserPool,
        *,
        robots: KnownRobots,
        documents: DocumentReader | None,
        headed: Collection[int],
        closed_prefixes: Mapping[str, str],
        pause_before: Callable[[str, str, list[str]], Awaitable[bool]],
        clock: Callable[[], float],
    ) -> None:
        """`headed`: pages whose media type is known to be wanted; `closed_prefixes`: prefixes of traps."""
        self._settings = settings
        self._fetcher = fetcher
        self._pool = pool
        self._robots = robots
        self._documents = documents
        self._document_places = asyncio.Semaphore(2)
        self._headed = headed
        self._closed_prefixes = closed_prefixes
        self._pause_before = pause_before
        self._clock = clock
        self._asking_robots: dict[str, asyncio.Event] = {}

    async def attempt(self, row: frontier.Page) -> Result:
        """Visit a page; a defect that it triggers is a failure of that page only."""
        try:
            return await self._visit(row)
        except WindrowError:
            raise
        except Exception as exc:  # noqa: BLE001 - the worker loop of the crawl
            return Result(row, None, failure=FetchFailure("unexpected", words_of_defect(exc)), requests=1)

    async def _visit(self, row: frontier.Page) -> Result:
        """Request one page, or the robots.txt that decides about it."""
        try:
            address = web_address(row.url)
        except BadUrl as exc:
            return Result(row, None, verdict="excluded", message=str(exc))
        verdict = self._verdict(row, address)
        if verdict:
            return Result(row, address, verdict=verdict[0], message=verdict[1])
        policy = self._robots.policy(address.origin)
        if policy is None and address.origin in self._asking_robots:
            await self._asking_robots[address.origin].wait()
            policy = self._robots.policy(address.origin)
        if policy is None:
            return await self._learn_robots(row, address)
        if policy.is_closed:
            return Result(row, address, verdict="closed", message=policy.answer.reason)
        if not policy.allows(row.url):
            return Result(row, address, verdict="robots", message=policy.line_for(row.url))
        result = Result(row, address, requests=1)
        try:
            if self._is_probably_binary(row, address):
                result.is_head = True
                result.answer = await self._fetcher.fetch(row.url, method="HEAD")
            else:
                result.answer = await self._fetcher.fetch(
                    row.url,
                    etag=row.etag,
                    last_modified=row.last_modified,
                    reads=None if row.kind == frontier.LISTING else self._is_readable,
                )
        except FetchFailure as exc:
            result.failure = exc
            return result
        await self._read(result)
        return result

    def _verdict(self, row: frontier.Page, address: WebAddress) -> tuple[str, str] | None:
        """Return why an address is not requested after all; None if it is."""
        if row.kind == frontier.PAGE:
            decision = self._settings.space.decide_address(address)
            if not decision.is_allowed:
                return "excluded", decision.reason
        if row.visited_at is None and self._closed_prefixes:
            for prefix in (address.prefix, address.family):
                if prefix in self._closed_prefixes:
                    return "bounded", prefix
        return None

    def _is_probably_binary(self, row: frontier.Page, address: WebAddress) -> bool:
        ending = address.path.rpartition("/")[2].rpartition(".")[2].lower()
        return (
            row.kind == frontier.PAGE
            and "." in address.path.rpartition("/")[2]
            and ending in _BINARY_ENDINGS
            and not (row.etag or row.last_modified or row.digest)  # a conditional request is cheap
            and row.id not in self._headed
        )

    def _is_readable(self, media_type: str) -> bool:
        known = HTML_TYPES | LISTING_TYPES | self._settings.media_types
        return not media_type or media_type in known or media_type.endswith("+xml")

    async def _learn_robots(self, row: frontier.Page, address: WebAddress) -> Result:
        """Fetch a robots.txt, once for all pages that wait for it."""
        learnt = self._asking_robots[address.origin] = asyncio.Event()
        try:
            visited: list[str] = []
            answer, asked = await fetch_robots(
                self._fetcher,
                address.origin,
                clock=self._clock,
                pause=lambda host: self._pause_before(host, address.host, visited),
            )
            self._robots.take(address.origin, answer)
            robots = address.origin, answer
            return Result(row, address, robots=robots, requests=asked, robots_hosts=tuple(visited))
        finally:
            del self._asking_robots[address.origin]
            learnt.set()

    async def _read(self, result: Result) -> None:
        """Parse the body of a response, in a separate process."""
        answer = result.answer
        assert answer is not None
        if answer.status not in WITH_CONTENT or answer.method == "HEAD" or not answer.body:
            return
        if self._is_listing(result.row, answer):
            is_feed = not any(mark in answer.body[:2048] for mark in (b"<urlset", b"<sitemapindex"))
            parse = (
                self._pool.parse_feed
                if is_feed and result.row.kind == frontier.PAGE
                else self._pool.parse_sitemap
            )
            listing = await parse(answer.body, url=result.row.url)
            if isinstance(listing, ParseFailure):
                result.parse_failure = listing
                return
            result.listed = [each.url for each in listing.urls]
            result.listings = [each.url for each in listing.sitemaps]
            result.is_bad_listing = not (result.listed or result.listings)
            return
        if answer.media_type and answer.media_type not in HTML_TYPES | self._settings.media_types:
            return
        if answer.media_type in self._settings.media_types and answer.media_type not in HTML_TYPES:
            await self._read_document(result, answer)
            return
        settings = self._settings
        wants = PageWants(
            rdfa=settings.rdfa,
            main_text=settings.content == PAGES,
            require=None if settings.content == PAGES else settings.require,
        )
        parsed = await self._pool.parse(answer.body, url=result.row.url, headers=answer.headers, wants=wants)
        if isinstance(parsed, Page):
            result.page = parsed
        else:
            result.parse_failure = parsed

    async def _read_document(self, result: Result, answer: Answer) -> None:
        """Read a PDF, an office file or the like; two at a time."""
        if self._documents is None:
            return
        async with self._document_places:
            parsed = await asyncio.to_thread(
                self._documents.read,
                answer.body,
                url=result.row.url,
                media_type=answer.media_type,
                wants_text=self._settings.content == PAGES,
            )
        if isinstance(parsed, Page):
            result.page = parsed
        else:
            result.parse_failure = parsed

    def _is_listing(self, row: frontier.Page, answer: Answer) -> bool:
        if row.kind == frontier.LISTING:
            return True
        start = answer.body[:2048].lstrip()
        return (
            self._settings.follows_listings
            and (answer.media_type in LISTING_TYPES or answer.media_type.endswith("+xml"))
            and answer.media_type not in HTML_TYPES
            and any(mark in start for mark in (b"<urlset", b"<sitemapindex", b"<rss", b"<feed", b"<rdf:RDF"))
        )


def words_of_defect(exc: Exception) -> str:
    """Describe an unexpected exception: what it is, and where."""
    place = traceback.extract_tb(exc.__traceback__)[-1]
    words = f"{type(exc).__name__}: {exc} ({Path(place.filename).name}, line {place.lineno})"
    return words.encode("utf-8", "replace").decode()
