"""The crawl: takes addresses from the frontier, asks for them politely, stores what they say.

One process runs one event loop with some requests under way. What came back is stored together with the next
claim in one transaction, in a thread of its own; a request keeps its place until its answer is stored, so a
process that is killed repeats no more requests than it had places.
"""

from __future__ import annotations

import asyncio
import re
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing, suppress
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from windrow.errors import WindrowError
from windrow.formats.wir.events import page_deviations
from windrow.harvest.stopping import Stopper
from windrow.harvest.web.records import RecordKeeper
from windrow.harvest.web.report import Report
from windrow.harvest.web.settings import METADATA, PAGES, CrawlSettings
from windrow.model.record_tally import RecordTally
from windrow.model.run import Counters
from windrow.model.web_page import FETCHED_KINDS, Page
from windrow.sources.web.fetch import REDIRECTS, Answer, Fetcher, FetchFailure
from windrow.sources.web.page import PageWants
from windrow.sources.web.parser_pool import ParseFailure, ParserPool
from windrow.sources.web.robots import (
    LONGEST_REST_SECONDS,
    RobotsAnswer,
    RobotsPolicy,
    RobotsState,
    fetch_robots,
)
from windrow.sources.web.urls import FAMILY_END, BadUrl, WebAddress, is_number_host, web_address
from windrow.store import frontier, leases
from windrow.store.connection import Connection
from windrow.store.frontier import NEVER, Found, Frontier, PageState, Visit
from windrow.store.store import Store

if TYPE_CHECKING:
    from windrow.harvest.web.documents import DocumentReader
    from windrow.sources.web.warc import WarcWriter

_POLL_SECONDS = 0.4  # how soon what another process changed is noticed: control, ordering, new addresses
_GATHER_SECONDS = 0.01  # answers that come so soon after one another are stored in one transaction …
_GATHERED_SHARE = 0.5  # … until so many places have one: the others keep the wire and the parsers at work
_BEAT_SECONDS = 5.0
_MARGIN_SECONDS = 0.02  # added to every pause: the server's clock and ours may tick apart
_PROMOTE_SECONDS = 30.0
_LONGEST_PAUSE_SECONDS = 60.0  # between redirects of one robots.txt
_MOST_POLICIES = 2_000
_HTML = frozenset({"text/html", "application/xhtml+xml", "application/vnd.wap.xhtml+xml"})
_LISTINGS = frozenset({"application/xml", "text/xml", "application/rss+xml", "application/atom+xml"})
_GONE = frozenset({404, 410})
_LATER = frozenset({408, 425, 429})
_CONTENT = frozenset({200, 203})  # 203: a proxy on the way has changed it
_HOST_FAILURES = frozenset({"dns", "connect", "tls"})  # of the host, not of one page
_HOST_TROUBLES = _HOST_FAILURES | {"private"}
_LONGEST_RETRY_SECONDS = 30 * 86_400.0
_MOST_HOST_FAILURES = 3  # in a row
_MOST_WAITS = 3  # of one page in one run, where its host asks to be left alone for a while
_HOST_REST_SECONDS = 3600.0
_CUTS = frozenset(
    {"meta", "items", "microdata", "json-ld", "headings", "depth"}
)  # what a page lost to a limit
_UNAVAILABLE = frozenset({PageState.RETRY, PageState.DROPPED, PageState.EXCLUDED, PageState.ROBOTS})
_NOT_HAD = frozenset({"gone", "refused", "redirect-nowhere", "redirect-loop", "redirect-chain"})
_MOST_REPEATS = 100  # pages in a row whose content was seen before: a trap
_MOST_BARREN = 1_000  # pages without metadata under one prefix, where only metadata is wanted
_BINARY_NAMES = """
7z aac aif aiff apk asf avi avif bin bmp bz2 cab class css csv dat deb djvu dmg doc docx dwg eot eps epub
exe flac flv gif gz ico iso jar jpeg jpg js json m4a m4v mid midi mkv mov mp3 mp4 mpeg mpg msi odp ods odt
ogg ogv otf pdf png ppt pptx ps psd rar rpm rtf svg swf tar tgz tif tiff ttf wav webm webp wma wmv woff
woff2 xls xlsx xml xz zip
"""
_BINARY_ENDINGS = frozenset(_BINARY_NAMES.split())
_WITH_HOST = re.compile(r"https?://[^/?#\s]", re.IGNORECASE)


class Ending(StrEnum):
    """How a crawl ended."""

    DONE = "done"  # nothing is left to be asked for now
    STOPPED = "stopped"
    CLOSED = "closed"  # by the operator
    LIMIT = "limit"  # as many pages as were asked for


class _DefectError(Exception):
    """Storing a result has failed, and nothing of its transaction is stored."""

    def __init__(self, cause: Exception) -> None:
        super().__init__(str(cause))
        self.cause = cause


@dataclass(slots=True)
class _Result:
    """What one request brought."""

    row: frontier.Page
    address: WebAddress | None
    answer: Answer | None = None
    failure: FetchFailure | None = None
    is_head: bool = False
    page: Page | None = None
    parse_failure: ParseFailure | None = None
    listed: Sequence[str] = ()  # pages that a sitemap or a feed names
    listings: Sequence[str] = ()  # and further such lists
    is_bad_listing: bool = False
    robots: tuple[str, RobotsAnswer] | None = None  # what was asked for was the robots.txt of this origin
    robots_hosts: Sequence[str] = ()  # other hosts that it redirected to
    verdict: str = ""  # "robots", "excluded", "bounded": nothing was asked for
    message: str = ""
    requests: int = 0
    is_archived: bool = False  # an archive is outside of the transaction


@dataclass(slots=True)
class _Rest:
    """When a host may be asked again, after all results of a transaction."""

    next_at: float = 0.0
    was_asked: bool = False
    closed_until: float | None = None  # by its robots.txt, for this source


@dataclass(frozen=True, slots=True)
class _Fetched:
    """A page that was stored, as far as it may belong to a trap."""

    url: str
    has_record: bool
    is_repeat: bool  # another address has shown the same


@dataclass(slots=True)
class Progress:
    """How far a crawl is."""

    counters: Counters = field(default_factory=Counters)
    queued: int = 0
    control: frontier.Control = field(default_factory=frontier.Control)


class Crawl:
    """One process's part in the crawl of one source."""

    def __init__(
        self,
        settings: CrawlSettings,
        *,
        store: Store,
        source_id: int,
        run_id: int,
        stopper: Stopper,
        counters: Counters,
        on_progress: Callable[[Progress], None] | None = None,
        on_stored: Callable[[Connection], None] | None = None,
        documents: DocumentReader | None = None,
        most_pages: int | None = None,
        is_full: bool = False,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._settings = settings
        self._store = store
        self._stopper = stopper
        self._clock = clock
        self._on_progress = on_progress or (lambda _: None)
        self._on_stored = on_stored or (lambda _: None)
        self.progress = Progress(counters)
        self.report = Report()
        self.frontier = Frontier(source_id, clock=clock)
        self._tally = RecordTally()
        self._records = RecordKeeper(self.frontier, settings, run_id, tally=self._tally, clock=clock)
        self._worker = 0
        self._store_thread: ThreadPoolExecutor | None = None
        self._asked = 0
        self._under_way: dict[int, set[int]] = {}
        self._policies: dict[str, RobotsPolicy] = {}
        self._delays: dict[str, float] = {}
        self._documents = documents
        self._document_places = asyncio.Semaphore(2)
        self._most_pages = most_pages
        self._is_full = is_full
        self._waits: Counter[int] = Counter()
        self._asking_robots: dict[str, asyncio.Event] = {}
        self._had = 0  # pages that were answered with content, or have not changed
        self._headed: set[int] = set()  # pages whose type was asked for, and is wanted
        self._closed_prefixes: dict[str, str] = {}  # with the limit or the trap that closed each
        self._fetched: dict[str, list[_Fetched]] = {}  # by prefix, in the transaction under way
        self._long_waits: Counter[str] = Counter()  # by host, in a row
        self._host_failures: Counter[str] = Counter()
        self._reserved: set[str] = set()
        self._known: dict[str, None] = {}  # addresses seen lately, so that the database is not asked again
        self._began_at = self._promoted_at = self._beaten_at = 0.0
        self._ended: list[asyncio.Task[_Result]] = []  # requests whose answers are not stored yet
        self._has_ended, self._has_gathered = asyncio.Event(), asyncio.Event()
        self._warc: WarcWriter | None = None

    async def run(self) -> Ending:
        """Crawl until nothing is left to be asked for now, or until stopped."""
        settings = self._settings
        store_thread = self._store_thread = ThreadPoolExecutor(1, thread_name_prefix="crawl-store")
        loop = asyncio.get_running_loop()
        # Names are looked up in these threads: slow ones must not keep those of other hosts.
        loop.set_default_executor(ThreadPoolExecutor(settings.connections + 8))
        if settings.warc_folder is not None:
            from windrow.sources.web.warc import WarcWriter  # noqa: PLC0415 - an extra

            self._warc = WarcWriter(settings.warc_folder)
        # Pages of a crawl without pauses are parsed in other processes, of which one is always at work while
        # the other waits for its next page; else a process is only started for pages that may be costly.
        has_pauses = settings.interval_seconds > 0
        pool = ParserPool() if has_pauses else ParserPool(2, inline_bytes=0)
        try:
            async with aclosing(pool):
                if not has_pauses:
                    pool.start()
                async with Fetcher(settings.fetch) as fetcher:
                    await loop.run_in_executor(store_thread, self._join)
                    try:
                        return await self._loop(fetcher, pool, store_thread)
                    finally:
                        await loop.run_in_executor(store_thread, self._leave)
        finally:
            if self._warc is not None:
                self._warc.close()
            store_thread.shutdown()

    async def _loop(self, fetcher: Fetcher, pool: ParserPool, thread: ThreadPoolExecutor) -> Ending:
        loop = asyncio.get_running_loop()
        tasks: set[asyncio.Task[_Result]] = set()
        try:
            while True:
                done, self._ended = self._ended, []
                self._has_ended.clear()
                self._has_gathered.clear()
                tasks.difference_update(done)
                free = self._settings.connections - len(tasks)
                is_ending = self._is_ending()
                results = [task.result() for task in done]
                claimed, ready_at = await loop.run_in_executor(
                    thread, self._step, results, 0 if is_ending else free
                )
                self._on_progress(self.progress)
                for row in claimed:
                    task = asyncio.create_task(self._attempt(row, fetcher, pool))
                    task.add_done_callback(self._note_end)
                    tasks.add(task)
                if not tasks and is_ending:
                    return Ending.STOPPED if self._stopper.is_stopping else Ending.CLOSED
                if not tasks and self._is_at_limit():
                    return Ending.LIMIT
                if (
                    not tasks
                    and self._is_finished(ready_at)
                    and await loop.run_in_executor(thread, self._is_over)
                ):
                    return Ending.DONE
                await self._pause(tasks, ready_at)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _pause(self, tasks: set[asyncio.Task[_Result]], ready_at: float) -> None:
        """Wait until a request ends, a host may be asked, or it is time to look at the controls."""
        wait = _POLL_SECONDS
        if self._is_open() and not self._is_ending() and len(tasks) < self._settings.connections:
            wait = min(wait, max(0.0, ready_at - self._clock()))
        with suppress(TimeoutError):
            async with asyncio.timeout(wait):
                await self._has_ended.wait()
        if self._ended and len(self._ended) < len(tasks):
            with suppress(TimeoutError):
                async with asyncio.timeout(_GATHER_SECONDS):
                    await self._has_gathered.wait()

    def _note_end(self, task: asyncio.Task[_Result]) -> None:
        self._ended.append(task)
        self._has_ended.set()
        if len(self._ended) >= _GATHERED_SHARE * self._settings.connections:
            self._has_gathered.set()

    def _is_ending(self) -> bool:
        return self._stopper.is_stopping or self.progress.control.state is frontier.ControlState.CLOSED

    def _is_at_limit(self) -> bool:
        return self._most_pages is not None and self._asked >= self._most_pages

    def _is_paused(self) -> bool:
        return self.progress.control.state is frontier.ControlState.PAUSED

    def _is_finished(self, ready_at: float) -> bool:
        """Return True if nothing may be asked for within the time that a run waits for a host."""
        longest = max(self._settings.interval_seconds, *self._delays.values(), 0.0)
        patience = max(self._settings.patience_seconds, 2 * longest)
        return not self._is_paused() and ready_at > self._clock() + patience

    # Requests

    async def _attempt(self, row: frontier.Page, fetcher: Fetcher, pool: ParserPool) -> _Result:
        """Visit a page; a defect that it brings to light is a failure of that page only."""
        try:
            return await self._visit(row, fetcher, pool)
        except WindrowError:
            raise
        except Exception as exc:  # noqa: BLE001 - the worker loop of the crawl
            return _Result(row, None, failure=FetchFailure("unexpected", _defect(exc)), requests=1)

    async def _visit(self, row: frontier.Page, fetcher: Fetcher, pool: ParserPool) -> _Result:
        """Ask for one page, or for the robots.txt that decides about it."""
        try:
            address = web_address(row.url)
        except BadUrl as exc:
            return _Result(row, None, verdict="excluded", message=str(exc))
        verdict = self._verdict(row, address)
        if verdict:
            return _Result(row, address, verdict=verdict[0], message=verdict[1])
        policy = self._policy(address.origin)
        if policy is None and address.origin in self._asking_robots:
            await self._asking_robots[address.origin].wait()
            policy = self._policy(address.origin)
        if policy is None:
            return await self._learn_robots(row, address, fetcher)
        if policy.is_closed:
            return _Result(row, address, verdict="closed", message=policy.answer.reason)
        if not policy.allows(row.url):
            return _Result(row, address, verdict="robots", message=policy.line_for(row.url))
        result = _Result(row, address, requests=1)
        try:
            if self._is_probably_binary(row, address):
                result.is_head = True
                result.answer = await fetcher.fetch(row.url, method="HEAD")
            else:
                result.answer = await fetcher.fetch(
                    row.url,
                    etag=row.etag,
                    last_modified=row.last_modified,
                    reads=None if row.kind == frontier.LISTING else self._is_readable,
                )
        except FetchFailure as exc:
            result.failure = exc
            return result
        await self._read(result, pool)
        return result

    def _verdict(self, row: frontier.Page, address: WebAddress) -> tuple[str, str] | None:
        """Return why an address is not asked for after all, without a request; None if it is."""
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
            and not (row.etag or row.last_modified or row.digest)  # which is asked for if it has changed
            and row.id not in self._headed
        )

    def _is_readable(self, media_type: str) -> bool:
        """Return True if a body of a type is to be read at all."""
        known = _HTML | _LISTINGS | self._settings.media_types
        return not media_type or media_type in known or media_type.endswith("+xml")

    def _policy(self, origin: str) -> RobotsPolicy | None:
        """Return what the robots.txt of an origin lets us do; None where it has to be asked for."""
        found = self._policies.get(origin)
        return found if found is not None and found.answer.until > self._clock() else None

    async def _learn_robots(self, row: frontier.Page, address: WebAddress, fetcher: Fetcher) -> _Result:
        """Ask for a robots.txt, once for all pages that wait for it."""
        learnt = self._asking_robots[address.origin] = asyncio.Event()
        try:
            visited: list[str] = []
            answer, asked = await fetch_robots(
                fetcher,
                address.origin,
                clock=self._clock,
                pause=lambda host: self._pause_before(host, address.host, visited),
            )
            self._take_policy(address.origin, answer)
            robots = address.origin, answer
            return _Result(row, address, robots=robots, requests=asked, robots_hosts=tuple(visited))
        finally:
            del self._asking_robots[address.origin]
            learnt.set()

    async def _pause_before(self, host: str, own: str, visited: list[str]) -> bool:
        """Wait until the host to which a robots.txt redirects may be asked; False where that takes long."""
        pause = self._interval(host)
        if host == own or host in visited:
            if pause > _LONGEST_PAUSE_SECONDS:
                return False
            await asyncio.sleep(pause + _MARGIN_SECONDS if pause else 0.0)
            return True
        until = self._clock() + _LONGEST_PAUSE_SECONDS
        while not await asyncio.get_running_loop().run_in_executor(self._store_thread, self._reserve, host):
            if self._clock() > until:
                return False
            await asyncio.sleep(_POLL_SECONDS)
        visited.append(host)
        return True

    def _reserve(self, host: str) -> bool:
        with self._store.writing() as connection:
            if not self.frontier.reserve(connection, self._worker, host, interval=self._interval(host)):
                return False
        self._reserved.add(host)  # for this one request: no page is claimed meanwhile
        return True

    async def _read(self, result: _Result, pool: ParserPool) -> None:
        """Read the body of an answer, in a process of its own."""
        answer = result.answer
        assert answer is not None
        if answer.status not in _CONTENT or answer.method == "HEAD" or not answer.body:
            return
        if self._is_listing(result.row, answer):
            is_feed = not any(mark in answer.body[:2048] for mark in (b"<urlset", b"<sitemapindex"))
            parse = pool.parse_feed if is_feed and result.row.kind == frontier.PAGE else pool.parse_sitemap
            listing = await parse(answer.body, url=result.row.url)
            if isinstance(listing, ParseFailure):
                result.parse_failure = listing
                return
            result.listed = [each.url for each in listing.urls]
            result.listings = [each.url for each in listing.sitemaps]
            result.is_bad_listing = not (result.listed or result.listings)
            return
        if answer.media_type and answer.media_type not in _HTML | self._settings.media_types:
            return
        if answer.media_type in self._settings.media_types and answer.media_type not in _HTML:
            await self._read_document(result, answer)
            return
        settings = self._settings
        wants = PageWants(
            rdfa=settings.rdfa,
            main_text=settings.content == PAGES,
            require=None if settings.content == PAGES else settings.require,
        )
        parsed = await pool.parse(answer.body, url=result.row.url, headers=answer.headers, wants=wants)
        if isinstance(parsed, Page):
            result.page = parsed
        else:
            result.parse_failure = parsed

    async def _read_document(self, result: _Result, answer: Answer) -> None:
        """Read a PDF, an office file or the like; a few at a time."""
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
            and (answer.media_type in _LISTINGS or answer.media_type.endswith("+xml"))
            and answer.media_type not in _HTML
            and any(mark in start for mark in (b"<urlset", b"<sitemapindex", b"<rss", b"<feed", b"<rdf:RDF"))
        )

    # The store, in a thread of its own

    def _join(self) -> None:
        claim = leases.ourselves("windrow crawl")
        starts = (self._found(web_address(start), is_start=True) for start in self._settings.space.starts)
        with self._store.writing() as connection:
            self.frontier.add(connection, starts)
            self._worker = self.frontier.join(connection, claim, interval=self._interval)
            while self.frontier.promote(connection, NEVER if self._is_full else None):
                pass
        self._began_at = self._promoted_at = self._beaten_at = self._clock()

    def _leave(self) -> None:
        with self._store.writing() as connection:
            self.frontier.leave(connection, self._worker, interval=self._interval)
            self._note_waiting(connection)
            self._note_starts(connection)

    def _step(self, results: Sequence[_Result], free: int) -> tuple[list[frontier.Page], float]:
        """Store what came back and claim what comes next; return it, and when the next host is ready.

        A defect that a result brings to light is a failure of its page, not of the crawl: the results are
        then stored again, each in a transaction of its own. A savepoint for each page would cost a copy of
        every page of the database that it changes, twice as many bytes as are written otherwise.
        """
        try:
            return self._store_and_claim(results, free)
        except _DefectError:
            for result in results:
                try:
                    self._store_and_claim([result], 0)
                except _DefectError as exc:
                    failure = FetchFailure("unexpected", _defect(exc.cause))
                    failed = _Result(result.row, None, failure=failure, requests=result.requests)
                    self._store_and_claim([failed], 0)
            return self._store_and_claim([], free)

    def _store_and_claim(self, results: Sequence[_Result], free: int) -> tuple[list[frontier.Page], float]:
        now = self._clock()
        counters = self.progress.counters
        is_beat_due = abs(now - self._beaten_at) >= _BEAT_SECONDS
        if not results and not self._is_open() and not is_beat_due:
            return [], self._look()
        before, asked = replace(counters), self._asked
        self._tally.begin()
        self._records.begin()
        self.report.begin()
        try:
            with self._store.writing() as connection:
                rests: dict[int, _Rest | None] = {}
                for result in results:
                    self._settle(connection, result, rests)
                self._release(connection, rests)
                self._count_prefixes(connection)
                self._records.flush(connection)
                self.progress.control = self.frontier.control(connection)
                if is_beat_due:
                    self._beaten_at = now
                    self.frontier.beat(connection, self._worker, leases.ourselves("windrow crawl"))
                    self.frontier.heed_clock(connection)
                    self.frontier.take_back(connection, interval=self._interval)
                    self.progress.queued = self.frontier.queued(connection)
                if abs(now - self._promoted_at) >= _PROMOTE_SECONDS:  # a clock may be set back
                    self._promoted_at = now
                    self.frontier.promote(connection, began=self._began_at)
                claimed = self._claim(connection, free) if self._is_open() else []
                ready_at = self.frontier.next_ready(connection)
                self._tally.write_to(counters)
                counters.seen = self._records.entries + self._records.unchanged
                counters.unchanged += self._records.unchanged
                self._on_stored(connection)
        except BaseException:
            for result in results:
                self._under_way.setdefault(result.row.host_id, set()).add(result.row.id)
            self._fetched.clear()
            self._known.clear()
            self.frontier.forget()
            self._records.roll_back()
            self._tally.roll_back()
            self.report.roll_back()
            self._asked = asked
            counters.assign(before)
            raise
        return claimed, ready_at

    def _look(self) -> float:
        """Look at what the operator wants, while nothing may be asked for."""
        with self._store.reading() as connection:
            self.progress.control = self.frontier.control(connection)
            return self.frontier.next_ready(connection)

    def _is_open(self) -> bool:
        return self.progress.control.state is frontier.ControlState.OPEN

    def _claim(self, connection: Connection, free: int) -> list[frontier.Page]:
        if self._most_pages is not None:
            free = min(free, self._most_pages - self._asked)
        if free <= 0:
            return []
        claimed = self.frontier.claim(
            connection,
            self._worker,
            free,
            ordering=self.progress.control.ordering,
            under_way=self._under_way,
            per_host=self._parallel,
            interval=self._rest,
        )
        self._asked += len(claimed)
        for row in claimed:
            self._under_way.setdefault(row.host_id, set()).add(row.id)
            self._load_policy(connection, row)
        return claimed

    def _load_policy(self, connection: Connection, row: frontier.Page) -> None:
        """Have at hand what is remembered of the robots.txt that decides about a page."""
        try:
            origin = web_address(row.url).origin
        except BadUrl:
            return
        if self._policy(origin) is not None:
            return
        found = frontier.robots_of(connection, origin)
        if found is not None and found[2] > self._clock():
            self._take_policy(origin, RobotsAnswer(RobotsState(found[0]), *found[1:]))

    def _take_policy(self, origin: str, answer: RobotsAnswer) -> None:
        while len(self._policies) >= _MOST_POLICIES:
            del self._policies[next(iter(self._policies))]
        policy = self._policies[origin] = RobotsPolicy(answer)
        self._delays[origin.partition("://")[2]] = policy.delay_seconds

    def _interval(self, host: str) -> float:
        """Return the pause after a request to a host: as configured, or as robots.txt asks for."""
        return max(self._settings.interval(host), self._delays.get(host, 0.0))

    def _rest(self, host: str) -> float:
        """Return the interval with what clocks may differ by; 0 where there is none."""
        interval = self._interval(host)
        return interval + _MARGIN_SECONDS if interval else 0.0

    def _parallel(self, host: str) -> int:
        """Return how many requests to a host may be under way at the same time."""
        if host in self._reserved:
            return 0
        return self._settings.connections_per_host if self._interval(host) == 0 else 1

    def _settle(self, connection: Connection, result: _Result, rests: dict[int, _Rest | None]) -> None:
        """Store what one request brought, and note in `rests` when its host may be asked again."""
        row = result.row
        under_way = self._under_way.get(row.host_id, set())
        under_way.discard(row.id)
        if not under_way:
            self._under_way.pop(row.host_id, None)
        if row.host_id not in rests:
            is_owner = self.frontier.is_owner(connection, self._worker, row.host_id)
            rests[row.host_id] = _Rest() if is_owner else None
        rest = rests[row.host_id]
        if rest is None:
            return  # this process stalled, and another one has taken the host over
        counters = self.progress.counters
        counters.requests += result.requests
        if result.robots is not None or result.verdict:
            self._asked -= 1  # no page was asked for
        for host in result.robots_hosts:
            self._reserved.discard(host)
            self.frontier.give_back(connection, self._worker, host, interval=self._interval(host))
        next_at = self._clock() + (self._rest(row.host) if result.requests else 0.0)
        if result.answer is not None:
            counters.bytes += result.answer.size
            if self._warc is not None and not result.is_archived:
                self._warc.write(result.answer)
                result.is_archived = True
        wait = self._store_safely(connection, result)
        if wait:
            next_at = max(next_at, self._clock() + wait)
        rest.next_at = max(rest.next_at, next_at)
        rest.was_asked |= bool(result.requests)
        if result.verdict == "closed" or (
            result.robots and result.robots[1].state is RobotsState.UNAVAILABLE
        ):
            origin = result.robots[0] if result.robots else (result.address.origin if result.address else "")
            answer = result.robots[1] if result.robots else self._policies[origin].answer
            rest.closed_until = answer.until
            kind = answer.code if answer.code in _HOST_TROUBLES else "robots-unavailable"
            if answer.code not in _HOST_TROUBLES or result.robots is None:
                self.report.count(kind, row.host, url=f"{origin}/robots.txt")

    def _release(self, connection: Connection, rests: Mapping[int, _Rest | None]) -> None:
        """Give the hosts back whose results were stored, once each."""
        for host_id, rest in rests.items():
            if rest is None:
                continue
            self.frontier.release(
                connection,
                self._worker,
                host_id,
                next_at=rest.next_at,
                is_idle=host_id not in self._under_way,
                was_asked=rest.was_asked,
            )
            if rest.closed_until is not None:
                self.frontier.put_off(connection, host_id, rest.closed_until)

    def _store_safely(self, connection: Connection, result: _Result) -> float:
        """Store a result; raise _DefectError for what is no error of the library's own."""
        try:
            return self._store_result(connection, result)
        except WindrowError:
            raise
        except Exception as exc:
            if result.failure is not None and result.failure.code == "unexpected":
                raise  # the store itself fails
            raise _DefectError(exc) from exc

    def _store_result(self, connection: Connection, result: _Result) -> float:
        """Store what became of a page; return how long its host asks to be left alone."""
        row = result.row
        if result.robots is not None:
            self._store_robots(connection, result)
            return 0.0
        if result.verdict == "closed":
            return 0.0
        if result.verdict:
            self._store_refusal(connection, result)
            return 0.0
        if result.failure is not None and result.is_head and result.failure.code not in _HOST_TROUBLES:
            self._headed.add(row.id)  # some servers hang or break off where they are asked for HEAD
            self._requeue(connection, row)
            return 0.0
        if result.failure is not None:
            return self._store_failure(connection, row, result.failure.code, str(result.failure))
        assert result.answer is not None
        return self._store_answer(connection, result, result.answer)

    def _store_robots(self, connection: Connection, result: _Result) -> None:
        """Remember a robots.txt; the page that it decides about stays in the queue."""
        assert result.robots is not None
        origin, answer = result.robots
        frontier.remember_robots(
            connection,
            origin,
            state=answer.state.value,
            body=answer.text,
            until=answer.until,
            reason=answer.reason,
        )
        if answer.code in _HOST_TROUBLES:  # the host itself is out of reach, and with it this page
            self._store_failure(connection, result.row, answer.code, answer.reason)
        if self._settings.follows_listings:
            sitemaps = RobotsPolicy(answer).sitemaps()
            self._add(connection, sitemaps, result.row, kind=frontier.LISTING, is_named=True)

    def _store_refusal(self, connection: Connection, result: _Result) -> None:
        """Store that a page is not asked for: by a rule, by robots.txt, or because its prefix is a trap."""
        row = result.row
        self._records.lose(connection, row)
        state = PageState.ROBOTS if result.verdict == "robots" else PageState.EXCLUDED
        if result.verdict == "robots":
            self.report.count("robots", row.host, url=row.url)
        if result.verdict == "bounded":
            kind = self._closed_prefixes.get(result.message, "")
            kind = kind if kind.startswith("limit-") else "limit-closed"
            self.report.count(kind, result.message, url=row.url)
        self._finish(
            connection,
            row,
            state=state,
            outcome=result.verdict,
            message=result.message,
            due_at=self._clock() + self._settings.revisit(row.host),
            is_visited=False,
        )

    def _store_failure(
        self, connection: Connection, row: frontier.Page, code: str, message: str, *, wait: float = 0.0
    ) -> float:
        """Store that a page could not be had: tried again with growing pauses, dropped in the end."""
        settings, failures, asked = self._settings, row.failures + 1, wait
        status = int(code.removeprefix("status-")) if code.removeprefix("status-").isdecimal() else None
        kind = "status-5xx" if status is not None and status >= 500 else code
        kind = "status-429" if kind in ("status-408", "status-425") else kind
        if status is not None and status < 500 and kind != "status-429":
            kind = "status-4xx"
        if code in _HOST_FAILURES:
            self._host_failures[row.host] += 1
            if self._host_failures[row.host] >= _MOST_HOST_FAILURES:
                self.report.count("host-down", row.host, url=row.url)
                wait = _HOST_REST_SECONDS
        else:
            self._host_failures.pop(row.host, None)
        if wait > settings.patience_seconds and code not in _HOST_FAILURES:
            wait = self._long_wait(row.host, wait)
        is_short = 0 < wait <= settings.patience_seconds and not self._long_waits[row.host]
        if is_short and self._waits[row.id] < _MOST_WAITS:
            self._waits[row.id] += 1
            self.progress.counters.retries += 1
            self._requeue(connection, row, outcome=code, message=message, status=status)
            return wait
        self.report.count(kind, row.host, url=row.url)
        is_dropped = failures >= settings.attempts
        if is_dropped:
            self.report.count("dropped", row.host, url=row.url)
            self._records.lose(connection, row)
        pause = max(asked, min(settings.retry_seconds * 4.0 ** min(failures - 1, 20), _LONGEST_RETRY_SECONDS))
        self._finish(
            connection,
            row,
            state=PageState.DROPPED if is_dropped else PageState.RETRY,
            outcome=code,
            message=message,
            status=status,
            due_at=self._clock() + pause,
            failures=failures,
            keeps=not is_dropped,
        )
        return wait

    def _long_wait(self, host: str, wait: float) -> float:
        """Return how long a host rests that asks for more than a run waits.

        The first time that is as long as a run waits, as only one address may be meant. If the next address
        says the same, it is all of it.
        """
        self._long_waits[host] += 1
        return wait if self._long_waits[host] > 1 else self._settings.patience_seconds

    def _finish(
        self,
        connection: Connection,
        row: frontier.Page,
        *,
        state: PageState,
        outcome: str,
        due_at: float,
        message: str = "",
        status: int | None = None,
        failures: int = 0,
        target: str | None = None,
        keeps: bool = False,
        is_visited: bool = True,
    ) -> None:
        """Store a visit that brought no content; with `keeps`, what is known of the content stays."""
        self.frontier.finish(
            connection,
            [
                Visit(
                    row.id,
                    state,
                    due_at,
                    outcome,
                    message,
                    status=status,
                    failures=failures,
                    etag=row.etag if keeps else None,
                    last_modified=row.last_modified if keeps else None,
                    media_type=row.media_type,
                    digest=row.digest if keeps else "",
                    payload_digest=row.payload_digest if keeps else "",
                    identifier=row.identifier if keeps else None,
                    target=target,
                    is_visited=is_visited,
                )
            ],
        )

    def _store_answer(self, connection: Connection, result: _Result, answer: Answer) -> float:
        row, status = result.row, answer.status
        self._host_failures.pop(row.host, None)
        if status not in _LATER and status < 500:
            self._long_waits.pop(row.host, None)
        revisit = self._clock() + self._settings.revisit(row.host)
        if status in REDIRECTS:
            self._store_redirect(connection, row, answer)
        elif status == 304 and (row.etag or row.last_modified):
            self._had += 1
            self._finish(
                connection,
                row,
                state=PageState.DONE,
                outcome="unchanged",
                status=status,
                due_at=revisit,
                keeps=True,
            )
            if row.id in self._records.asked_again:  # which was decided while this request was under way
                self.frontier.force_pages(connection, [row.id])
        elif status == 304:
            return self._store_failure(connection, row, "unexpected-304", "304 without a condition")
        elif status in _GONE:
            self._records.lose(connection, row)
            self.report.count("gone", row.host, url=row.url)
            self._finish(connection, row, state=PageState.DONE, outcome="gone", status=status, due_at=revisit)
        elif answer.method == "HEAD" and status >= 400 and status not in _LATER and status != 503:
            self._headed.add(row.id)  # some servers refuse HEAD only
            self._requeue(connection, row)
        elif status in _LATER or status >= 500:
            wait = min(answer.wait_seconds() or 0.0, LONGEST_REST_SECONDS)
            code = f"status-{status}"
            return self._store_failure(connection, row, code, f"status {status} {answer.reason}", wait=wait)
        elif status >= 400:
            self.report.count("refused", row.host, url=row.url)
            if row.identifier is not None:
                return self._store_failure(connection, row, f"status-{status}", f"status {status}")
            self._finish(
                connection, row, state=PageState.DONE, outcome="refused", status=status, due_at=revisit
            )
        elif status not in _CONTENT:
            outcome = f"status-{status}"
            self.report.count("odd-status", row.host, url=row.url)
            if row.identifier is not None:
                return self._store_failure(connection, row, outcome, f"status {status}")
            self._finish(
                connection, row, state=PageState.DONE, outcome=outcome, status=status, due_at=revisit
            )
        elif answer.method == "HEAD":
            self._store_head(connection, row, answer, revisit)
        else:
            self._store_content(connection, result, answer, revisit)
        return 0.0

    def _requeue(
        self,
        connection: Connection,
        row: frontier.Page,
        *,
        outcome: str = "head",
        message: str = "",
        status: int | None = None,
    ) -> None:
        """Leave a page in the queue: it is to be asked for again in this run."""
        self._finish(
            connection,
            row,
            state=PageState.QUEUED,
            outcome=outcome,
            message=message,
            status=status,
            due_at=self._clock(),
            failures=row.failures,
            keeps=True,
            is_visited=False,
        )

    def _store_head(self, connection: Connection, row: frontier.Page, answer: Answer, revisit: float) -> None:
        """Ask for the whole of an address whose ending looks binary only if its type can be read."""
        if answer.media_type in _HTML | _LISTINGS | self._settings.media_types:
            self._headed.add(row.id)
            self._requeue(connection, row)
            return
        self._finish(
            connection,
            row,
            state=PageState.DONE,
            outcome="other-type",
            message=answer.media_type,
            status=answer.status,
            due_at=revisit,
        )

    def _store_redirect(self, connection: Connection, row: frontier.Page, answer: Answer) -> None:
        """Store where an address leads: to another one, which is checked like any link."""
        self._records.lose(connection, row)
        target, outcome = None, "redirect"
        try:
            target = web_address(answer.headers.get("location", ""), row.url).url
        except BadUrl:
            self.report.count("redirect-nowhere", row.host, url=row.url)
            outcome = "redirect-nowhere"
        if "location" not in answer.headers:
            target, outcome = None, "redirect-nowhere"
        if target is not None and self._leads_back(connection, row, target):
            self.report.count("redirect-loop", row.host, url=row.url)
            outcome = "redirect-loop"
        elif target is not None and row.hops + 1 > self._settings.most_hops:
            self.report.count("redirect-chain", row.host, url=row.url)
            outcome = "redirect-chain"
        elif target is not None:
            self._add(connection, [target], row, hops=row.hops + 1, depth=row.depth, kind=row.kind)
            if row.is_start and not self._settings.space.decide(target).is_allowed:
                outcome = "redirect-outside"
        self._finish(
            connection,
            row,
            state=PageState.DONE,
            outcome=outcome,
            status=answer.status,
            due_at=self._clock() + self._settings.revisit(row.host),
            target=target,
        )

    def _leads_back(self, connection: Connection, row: frontier.Page, target: str) -> bool:
        """Return True if a chain of redirects comes back to where it began."""
        seen = {row.url}
        for _ in range(self._settings.most_hops + 1):
            if target in seen:
                return True
            seen.add(target)
            following = self.frontier.find(connection, target)
            if following is None or following.target is None:
                return False
            target = following.target
        return True

    def _store_content(self, connection: Connection, result: _Result, answer: Answer, revisit: float) -> None:
        row, page, address = result.row, result.page, result.address
        assert address is not None
        counters = self.progress.counters
        counters.pages += 1
        self._had += 1
        identifier, digest, payload_digest, outcome, message = None, "", "", "ok", ""
        if page is not None:
            kept = self._records.keep(connection, row, page, answer)
            identifier, digest, payload_digest = kept.identifier, kept.digest, kept.payload_digest
            self._report_page(row, page, is_record=identifier is not None)
            if not page.is_nofollow:
                self._follow(connection, row, page)
            outcome = "record" if identifier is not None else "ok"
        else:
            self._records.lose(connection, row)
            if result.parse_failure is not None:
                outcome, message = f"parse-{result.parse_failure.code}", result.parse_failure.message
                self.report.count(outcome, row.host, url=row.url)
            elif result.is_bad_listing:
                outcome = "listing"
                self.report.count("listing", row.host, url=row.url)
            elif result.listed or result.listings:
                outcome = "listing-read"
                self._add(connection, result.listed, row)
                self._add(connection, result.listings, row, kind=row.kind)
            elif answer.media_type not in _HTML:
                outcome, message = "other-type", answer.media_type
        self.frontier.finish(
            connection,
            [
                Visit(
                    row.id,
                    PageState.DONE,
                    revisit,
                    outcome,
                    message,
                    status=answer.status,
                    etag=answer.validator("etag"),
                    last_modified=answer.validator("last-modified"),
                    media_type=answer.media_type,
                    digest=digest,
                    payload_digest=payload_digest,
                    identifier=identifier,
                )
            ],
        )
        if page is not None and row.visited_at is None:  # one asked for every day is still one page
            fetched = _Fetched(address.url, identifier is not None, kept.is_repeat)
            for prefix in dict.fromkeys((address.prefix, address.family)):
                self._fetched.setdefault(prefix, []).append(fetched)

    def _report_page(self, row: frontier.Page, page: Page, *, is_record: bool) -> None:
        """Report what a page forbids, which limits it reached, and what is wrong with its events."""
        if page.is_noindex:
            self.report.count("noindex", row.host, url=row.url)
        for remark in page.remarks:
            if remark.code in ("links", "urls"):
                self.report.count("limit-links", row.url)
            elif remark.code in _CUTS:
                self.report.count("limit-page", row.host, url=row.url)
        for deviation in page_deviations(page.tags) if is_record else ():
            self.report.count(f"event-{deviation.name.lower()}", row.host, url=row.url)

    def _count_prefixes(self, connection: Connection) -> None:
        """Notice traps: families of addresses whose pages repeat each other, or have no metadata."""
        for prefix, pages in self._fetched.items():
            fetched, records, repeats, closed = self.frontier.count_prefix(
                connection,
                prefix,
                has_record=[page.has_record for page in pages],
                is_repeat=[page.is_repeat for page in pages],
            )
            if closed:
                self._closed_prefixes[prefix] = closed
                continue
            is_folder = not prefix.endswith(FAMILY_END)
            is_barren = self._settings.content == METADATA and not records and fetched >= _MOST_BARREN
            kind = ""
            if repeats >= _MOST_REPEATS:
                kind = "trap-repeats"
            elif is_folder and fetched >= self._settings.limits.pages_per_prefix:
                kind = "limit-prefix"
            elif is_folder and is_barren:
                kind = "trap-barren"
            if kind:
                self.frontier.close_prefix(connection, prefix, kind)
                self._closed_prefixes[prefix] = kind
                if kind != "limit-prefix":
                    self.report.count(kind, prefix, url=pages[-1].url)
        self._fetched.clear()

    def _follow(self, connection: Connection, row: frontier.Page, page: Page) -> None:
        urls = [link.url for link in page.links if link.kind in FETCHED_KINDS and not link.nofollow]
        self._add(connection, urls, row)

    def _add(
        self,
        connection: Connection,
        urls: Iterable[str],
        row: frontier.Page,
        *,
        depth: int | None = None,
        hops: int = 0,
        kind: str = frontier.PAGE,
        is_named: bool = False,
    ) -> None:
        """Add the addresses that a page leads to, as far as the rules and the limits allow.

        A sitemap may be on another host only where a robots.txt names it (sitemaps.org).
        """
        depth = row.depth + 1 if depth is None else depth
        if depth > self._settings.most_depth:
            self.report.count("limit-depth", web_address(row.url).prefix, url=row.url)
            return
        found: dict[str, Found] = {}
        for url in urls:
            if url in self._known:  # in its one spelling already, as most are
                continue
            try:
                address = web_address(url) if _WITH_HOST.match(url) else web_address(url, row.url)
            except BadUrl as exc:
                self._count_bad(exc, row, url)
                continue
            if address.url in self._known or address.url in found:
                continue
            if kind == frontier.PAGE and not self._settings.space.decide_address(address).is_allowed:
                continue
            if kind == frontier.LISTING and not is_named and address.host != row.host:
                continue
            found[address.url] = self._found(address, depth=depth, hops=hops, found_on=row.id, kind=kind)
        added = self.frontier.add(connection, found.values(), self._settings.limits)
        for (limit, name), times in (added.refused or {}).items():
            place = _domain(name) if limit == "hosts" else name
            self.report.count(f"limit-{limit}", place, url=row.url, times=times)
        if not added.refused:
            self._remember(found)

    def _remember(self, urls: Iterable[str]) -> None:
        if len(self._known) > 50_000:
            for url in list(self._known)[:25_000]:
                del self._known[url]
        self._known.update(dict.fromkeys(urls))

    def _count_bad(self, exc: BadUrl, row: frontier.Page, url: str) -> None:
        kind = {"long": "limit-long", "segments": "limit-segments", "repeats": "limit-path-repeats"}.get(
            exc.code
        )
        if kind is not None:
            self.report.count(kind, web_address(row.url).prefix, url=url)

    def _found(
        self,
        address: WebAddress,
        *,
        depth: int = 0,
        hops: int = 0,
        is_start: bool = False,
        found_on: int | None = None,
        kind: str = frontier.PAGE,
    ) -> Found:
        return Found(address.url, address.host, address.prefix, depth, hops, is_start, found_on, kind)

    def _is_over(self) -> bool:
        """Return True if nothing waits, and no other process asks for what may lead to further addresses."""
        with self._store.writing() as connection:
            if self.frontier.promote(connection, began=self._began_at):
                return False
            if not self._is_finished(self.frontier.next_ready(connection)):
                return False  # another process has stored a page since, and its host rests
            if self.frontier.workers(connection) <= 1:
                return True
            return not self.frontier.is_anything_under_way(connection)

    def _note_starts(self, connection: Connection) -> None:
        """Report start pages that cannot be had: the crawl is not whole, and without any it has failed."""
        missing = []
        for url in self._settings.space.starts:
            page = self.frontier.find(connection, url)
            is_waiting = page is not None and page.state is PageState.QUEUED
            if is_waiting and (self._is_ending() or self._is_at_limit()):
                continue
            if page is None or is_waiting or page.state in _UNAVAILABLE or page.outcome in _NOT_HAD:
                missing.append(url)
                self.report.count("start", url, url=url)
            elif page.outcome == "redirect-outside":
                missing.append(url)
                self.report.count("start-outside", url, url=page.target)
        if missing and len(missing) == len(self._settings.space.starts) and not self._had:
            self.report.count("start-none", missing[0], url=missing[0])

    def _note_waiting(self, connection: Connection) -> None:
        """Report what waits for hosts that may not be asked now, and what a rule was too slow for."""
        for rule in self._settings.space.slow_rules:
            self.report.count("slow-rule", rule.pattern)
        for host in self.frontier.hosts(connection):
            queued = host.states.get(PageState.QUEUED, 0)
            if queued and not (self._is_ending() or self._is_at_limit()):
                self.report.count("waiting", host.name, times=queued)
            failing = host.states.get(PageState.RETRY, 0)
            if failing:
                self.report.count("unavailable", host.name, times=failing)


def _defect(exc: Exception) -> str:
    place = traceback.extract_tb(exc.__traceback__)[-1]
    words = f"{type(exc).__name__}: {exc} ({Path(place.filename).name}, line {place.lineno})"
    return words.encode("utf-8", "replace").decode()


def _domain(host: str) -> str:
    """Return the domain that a host belongs to: the name of a trap that has a host for every name."""
    domain = host.partition(".")[2]
    return host if is_number_host(host) or "." not in domain else domain
