"""The crawl loop: take addresses from the frontier, request them politely and store the results.

One process runs one event loop with several pending requests. Results are stored together with the next claim
in one transaction, in a thread of its own. A request keeps its place until its response is stored, so a
killed process repeats no more requests than it had places.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing, suppress
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from windrow.errors import StoreError, WindrowError
from windrow.harvest.options import Stopper
from windrow.harvest.web.outcomes import HOST_TROUBLES, OutcomeWriter, found_page
from windrow.harvest.web.records import RecordKeeper
from windrow.harvest.web.report import Report
from windrow.harvest.web.settings import CrawlSettings
from windrow.harvest.web.visits import KnownRobots, Result, Visitor, words_of_defect
from windrow.model.run import Counters, RecordCounter
from windrow.sources.web.fetch import Fetcher, FetchFailure
from windrow.sources.web.parser_pool import ParserPool
from windrow.sources.web.robots import RobotsAnswer, RobotsState
from windrow.sources.web.urls import BadUrl, web_address
from windrow.store import frontier, leases, life_cycle
from windrow.store.connection import Connection
from windrow.store.crawl_workers import CrawlWorkers
from windrow.store.frontier import NEVER, Frontier, PageState
from windrow.store.store import Store

if TYPE_CHECKING:
    from windrow.harvest.web.documents import DocumentReader
    from windrow.sources.web.warc import WarcWriter

_POLL_SECONDS = 0.4  # how soon changes by other processes are noticed: control, ordering, new addresses
_GATHER_SECONDS = 0.01  # responses that arrive within this time are stored in one transaction …
# … until this share of the places has one: the others keep the network and the parsers busy
_GATHERED_SHARE = 0.5
_BEAT_SECONDS = 5.0
_MARGIN_SECONDS = 0.02  # added to every pause, because the server's clock and the local one may differ
_PROMOTE_SECONDS = 30.0
_LONGEST_PAUSE_SECONDS = 60.0  # between redirects of one robots.txt
_UNAVAILABLE = frozenset({PageState.RETRY, PageState.DROPPED, PageState.EXCLUDED, PageState.ROBOTS})
_NOT_HAD = frozenset({"gone", "refused", "redirect-nowhere", "redirect-loop", "redirect-chain"})


class Ending(StrEnum):
    """How a crawl ended."""

    DONE = "done"  # nothing is left to request for now
    STOPPED = "stopped"
    CLOSED = "closed"  # by the operator
    LIMIT = "limit"  # the requested number of pages was reached


class _DefectError(Exception):
    """Storing a result has failed, and its transaction was rolled back."""

    def __init__(self, cause: Exception) -> None:
        super().__init__(str(cause))
        self.cause = cause


@dataclass(slots=True)
class _Rest:
    """When a host may be requested again, after all results of a transaction."""

    next_at: float = 0.0
    was_asked: bool = False
    closed_until: float | None = None  # by its robots.txt, for this source


@dataclass(slots=True)
class Progress:
    """The progress of a crawl."""

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
        self._tally = RecordCounter()
        self._robots = KnownRobots(clock)
        self._records = RecordKeeper(self.frontier, settings, run_id, tally=self._tally, clock=clock)
        self._outcomes = OutcomeWriter(
            settings, self.frontier, self._records, report=self.report, counters=counters, clock=clock
        )
        self._workers = CrawlWorkers(source_id, clock=clock)
        self._worker = 0
        self._store_thread: ThreadPoolExecutor | None = None
        self._asked = 0
        self._under_way: dict[int, set[int]] = {}
        self._documents = documents
        self._most_pages = most_pages
        self._is_full = is_full
        self._reserved: set[str] = set()
        self._began_at = self._promoted_at = self._beaten_at = 0.0
        self._ended: list[asyncio.Task[Result]] = []  # requests whose responses are not stored yet
        self._has_ended, self._has_gathered = asyncio.Event(), asyncio.Event()
        self._warc: WarcWriter | None = None

    async def run(self) -> Ending:
        """Crawl until nothing is left to request for now, or until stopped."""
        settings = self._settings
        store_thread = self._store_thread = ThreadPoolExecutor(1, thread_name_prefix="crawl-store")
        loop = asyncio.get_running_loop()
        # Host names are resolved in these threads: slow lookups must not delay those of other hosts.
        loop.set_default_executor(ThreadPoolExecutor(settings.connections + 8))
        if settings.warc_folder is not None:
            from windrow.sources.web.warc import WarcWriter  # noqa: PLC0415 - an extra

            self._warc = WarcWriter(settings.warc_folder)
        # Without pauses, pages are parsed in two processes, one of which is always busy while the other waits
        # for its next page. With pauses, a process is started only for pages that may be expensive.
        has_pauses = settings.interval_seconds > 0
        pool = ParserPool() if has_pauses else ParserPool(2, inline_bytes=0)
        try:
            async with aclosing(pool):
                if not has_pauses:
                    pool.start()
                async with Fetcher(settings.fetch) as fetcher:
                    await loop.run_in_executor(store_thread, self._join)
                    try:
                        ending = await self._loop(self._visitor(fetcher, pool), store_thread)
                    except BaseException:
                        await loop.run_in_executor(store_thread, self._leave_early)
                        raise
                    await loop.run_in_executor(store_thread, self._leave)
                    return ending
        finally:
            if self._warc is not None:
                self._warc.close()
            store_thread.shutdown()

    def _visitor(self, fetcher: Fetcher, pool: ParserPool) -> Visitor:
        return Visitor(
            self._settings,
            fetcher,
            pool,
            robots=self._robots,
            documents=self._documents,
            headed=self._outcomes.headed,
            closed_prefixes=self._outcomes.closed_prefixes,
            pause_before=self._pause_before,
            clock=self._clock,
        )

    async def _loop(self, visitor: Visitor, thread: ThreadPoolExecutor) -> Ending:
        loop = asyncio.get_running_loop()
        tasks: set[asyncio.Task[Result]] = set()
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
                    task = asyncio.create_task(visitor.attempt(row))
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

    async def _pause(self, tasks: set[asyncio.Task[Result]], ready_at: float) -> None:
        """Wait until a request ends, a host may be requested, or it is time to check the controls."""
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

    def _note_end(self, task: asyncio.Task[Result]) -> None:
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
        """Return whether no request is possible within the time that a run waits for a host."""
        longest = max(self._settings.interval_seconds, self._robots.longest_delay)
        patience = max(self._settings.patience_seconds, 2 * longest)
        return not self._is_paused() and ready_at > self._clock() + patience

    async def _pause_before(self, host: str, own: str, visited: list[str]) -> bool:
        """Wait until the target host of a robots.txt redirect may be requested; False after a timeout."""
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

    # Store access, in a thread of its own

    def _join(self) -> None:
        life_cycle.claim(self._store, self._join_in)

    def _join_in(self, connection: Connection) -> None:
        claim = leases.own_claim("windrow crawl")
        starts = (found_page(web_address(start), is_start=True) for start in self._settings.space.starts)
        self.frontier.add(connection, starts)
        self.frontier.correct_clock(connection)
        self._worker = self._workers.join(connection, claim, interval=self._interval)
        while self.frontier.promote(connection, NEVER if self._is_full else None):
            pass
        self._began_at = self._promoted_at = self._beaten_at = self._clock()

    def _leave(self) -> None:
        with self._store.writing() as connection:
            self._leave_in(connection)
            self._note_rest(connection)

    def _leave_early(self) -> None:
        """Leave after an error, which an error of the store must not hide."""
        life_cycle.release(self._store, self._leave_in)
        with suppress(StoreError), self._store.reading() as connection:
            self._note_rest(connection)

    def _leave_in(self, connection: Connection) -> None:
        self._workers.leave(connection, self._worker, interval=self._interval)

    def _note_rest(self, connection: Connection) -> None:
        self._note_waiting(connection)
        self._note_starts(connection)

    def _step(self, results: Sequence[Result], free: int) -> tuple[list[frontier.Page], float]:
        """Store results and claim the next pages; return these and when the next host is ready.

        A defect that a result triggers is a failure of its page, not of the crawl: the results are then
        stored again, each in a transaction of its own. A savepoint per page would cost a copy of every
        database page that it changes, which doubles the bytes written.
        """
        try:
            return self._store_and_claim(results, free)
        except _DefectError:
            for result in results:
                try:
                    self._store_and_claim([result], 0)
                except _DefectError as exc:
                    failure = FetchFailure("unexpected", words_of_defect(exc.cause))
                    failed = Result(result.row, None, failure=failure, requests=result.requests)
                    self._store_and_claim([failed], 0)
            return self._store_and_claim([], free)

    def _store_and_claim(self, results: Sequence[Result], free: int) -> tuple[list[frontier.Page], float]:
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
                self._outcomes.count_prefixes(connection)
                self._records.flush(connection)
                self.progress.control = self.frontier.control(connection)
                if is_beat_due:
                    self._beaten_at = now
                    self._workers.beat(connection, self._worker, leases.own_claim("windrow crawl"))
                    self.frontier.correct_clock(connection)
                    self._workers.take_back(connection, interval=self._interval)
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
            self._outcomes.roll_back()
            self.frontier.forget()
            self._records.roll_back()
            self._tally.roll_back()
            self.report.roll_back()
            self._asked = asked
            counters.assign(before)
            raise
        return claimed, ready_at

    def _look(self) -> float:
        """Check the operator's controls while no request is allowed."""
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
        try:
            origin = web_address(row.url).origin
        except BadUrl:
            return
        if self._robots.policy(origin) is not None:
            return
        found = frontier.robots_of(connection, origin)
        if found is not None and found[2] > self._clock():
            self._robots.take(origin, RobotsAnswer(RobotsState(found[0]), *found[1:]))

    def _interval(self, host: str) -> float:
        """Return the pause after a request to a host: as configured, or as its robots.txt demands."""
        return max(self._settings.interval(host), self._robots.delay(host))

    def _rest(self, host: str) -> float:
        """Return the interval plus a margin for clock differences; 0 if there is no interval."""
        interval = self._interval(host)
        return interval + _MARGIN_SECONDS if interval else 0.0

    def _parallel(self, host: str) -> int:
        if host in self._reserved:
            return 0
        return self._settings.connections_per_host if self._interval(host) == 0 else 1

    def _settle(self, connection: Connection, result: Result, rests: dict[int, _Rest | None]) -> None:
        """Store the result of one request, and note in `rests` when its host may be requested again."""
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
            self._asked -= 1  # no page was requested
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
            answer = result.robots[1] if result.robots else self._robots.answer(origin)
            rest.closed_until = answer.until
            kind = answer.code if answer.code in HOST_TROUBLES else "robots-unavailable"
            if answer.code not in HOST_TROUBLES or result.robots is None:
                self.report.count(kind, row.host, url=f"{origin}/robots.txt")

    def _release(self, connection: Connection, rests: Mapping[int, _Rest | None]) -> None:
        """Release the hosts whose results were stored, each once."""
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

    def _store_safely(self, connection: Connection, result: Result) -> float:
        """Store a result; raise _DefectError for errors that are not the library's own."""
        try:
            return self._outcomes.store(connection, result)
        except WindrowError:
            raise
        except Exception as exc:
            if result.failure is not None and result.failure.code == "unexpected":
                raise  # the store itself fails
            raise _DefectError(exc) from exc

    def _is_over(self) -> bool:
        """Return whether no address waits, and no other process has a request that may lead to more."""
        with self._store.writing() as connection:
            if self.frontier.promote(connection, began=self._began_at):
                return False
            if not self._is_finished(self.frontier.next_ready(connection)):
                return False  # another process has stored a page since, and its host rests
            if self._workers.count(connection) <= 1:
                return True
            return not self.frontier.is_anything_under_way(connection)

    def _note_starts(self, connection: Connection) -> None:
        """Report start pages that failed: the crawl is incomplete, and without any of them it has failed."""
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
        if missing and len(missing) == len(self._settings.space.starts) and not self._outcomes.had:
            self.report.count("start-none", missing[0], url=missing[0])

    def _note_waiting(self, connection: Connection) -> None:
        """Report addresses that wait for their hosts, and rules that were too slow."""
        for rule in self._settings.space.slow_rules:
            self.report.count("slow-rule", rule.pattern)
        for host in self.frontier.hosts(connection):
            queued = host.states.get(PageState.QUEUED, 0)
            if queued and not (self._is_ending() or self._is_at_limit()):
                self.report.count("waiting", host.name, times=queued)
            failing = host.states.get(PageState.RETRY, 0)
            if failing:
                self.report.count("unavailable", host.name, times=failing)
