"""Pages parsed in worker processes, within limits of time and memory."""

from __future__ import annotations

import asyncio
import os
import select
import signal
from collections.abc import Awaitable, Callable, Mapping
from typing import TypeVar

import pytest

from windrow.errors import WindrowError
from windrow.extract.reading_job import Limits
from windrow.sources.web.listing import Listing, parse_feed, parse_sitemap
from windrow.sources.web.page import Page, PageWants, parse_page
from windrow.sources.web.parser_pool import CHEAP_BYTES, ParseFailure, ParserPool, is_cheap

URL = "http://www.example.edu/"
HEADERS: Mapping[str, str] = {
    "content-type": "text/html; charset=utf-8",
    "x-robots-tag": "noindex",
    "etag": '"1"',
}
PLAIN = b"<html lang=sv><title>A</title><a href=x>y</a>"
NO_LANGUAGE = PageWants(language=False)
UNDECLARED = b"<title>A</title><p>" + b"The quick brown fox jumps over the lazy dog. " * 10
ITEM = b"<html lang=sv><div itemscope itemtype=https://schema.org/Course><b itemprop=name>Geometry</b></div>"
# What only a limit ends: the attributes of a tag are compared with one another.
ENDLESS = b"<p " + b" ".join(b"a%d" % number for number in range(1_000_000)) + b">"


T = TypeVar("T")


def with_pool(use: Callable[[ParserPool], Awaitable[T]], limits: Limits | None = None, workers: int = 1) -> T:
    async def run() -> T:
        pool = ParserPool(workers, limits=limits or Limits(time_seconds=20.0))
        try:
            return await use(pool)
        finally:
            await pool.aclose()

    return asyncio.run(run())


def test_a_worker_returns_the_page_that_parsing_here_would() -> None:
    async def use(pool: ParserPool) -> Page | ParseFailure:
        return await pool.parse(ITEM, url=URL, headers=HEADERS)

    page = with_pool(use)
    assert page == parse_page(ITEM, url=URL, headers=HEADERS)
    assert isinstance(page, Page)
    assert page.items == ({"@type": "Course", "name": "Geometry"},)
    assert page.is_noindex


@pytest.mark.parametrize(
    ("body", "wants", "cheap"),
    [
        (PLAIN, PageWants(), True),
        (ITEM, PageWants(), False),
        (b"<p>no language", PageWants(), True),
        (PLAIN, PageWants(main_text=True), False),
        (PLAIN, PageWants(rdfa=True), False),
        (PLAIN + b" " * CHEAP_BYTES, PageWants(), False),
    ],
)
def test_only_small_and_plain_pages_are_parsed_in_the_caller(
    body: bytes, wants: PageWants, cheap: bool
) -> None:
    assert is_cheap(body, wants) is cheap


def test_a_page_that_takes_too_long_is_given_up_and_the_next_is_parsed() -> None:
    async def use(pool: ParserPool) -> list[Page | ParseFailure]:
        return [await pool.parse(body, url=URL, headers=HEADERS) for body in (ENDLESS, ITEM)]

    failure, page = with_pool(use, Limits(time_seconds=1.0))
    assert isinstance(failure, ParseFailure)
    assert failure.code == "time"
    assert "1 s" in failure.message
    assert isinstance(page, Page)


def test_a_page_that_needs_too_much_memory_is_given_up_and_the_next_is_parsed() -> None:
    async def use(pool: ParserPool) -> list[Page | ParseFailure]:
        return [
            await pool.parse(body, url=URL, headers=HEADERS, wants=NO_LANGUAGE)
            for body in (b"<a href=/x>y</a>" * 1_000_000, ITEM)
        ]

    failure, page = with_pool(use, Limits(time_seconds=20.0, memory_bytes=100_000_000))
    assert isinstance(failure, ParseFailure)
    assert failure.code == "memory"
    assert isinstance(page, Page)


def test_a_worker_that_dies_costs_one_page() -> None:
    async def use(pool: ParserPool) -> list[Page | ParseFailure]:
        await pool.parse(ITEM, url=URL, headers=HEADERS)
        process = pool._workers[0]._process
        assert process is not None
        under_way = asyncio.create_task(pool.parse(ENDLESS, url=URL, headers=HEADERS))
        await asyncio.sleep(0)
        os.kill(process.pid, signal.SIGKILL)
        return [await under_way, await pool.parse(ITEM, url=URL, headers=HEADERS)]

    failure, page = with_pool(use)
    assert isinstance(failure, ParseFailure)
    assert failure.code == "crash"
    assert isinstance(page, Page)


def test_a_worker_that_died_idle_costs_no_page() -> None:
    async def use(pool: ParserPool) -> Page | ParseFailure:
        await pool.parse(ITEM, url=URL, headers=HEADERS)
        process = pool._workers[0]._process
        assert process is not None
        process.kill()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        return await pool.parse(ITEM, url=URL, headers=HEADERS)

    assert isinstance(with_pool(use), Page)


def test_a_worker_that_was_started_and_died_before_its_first_page_costs_none() -> None:
    async def use(pool: ParserPool) -> Page | ParseFailure:
        pool.start()
        worker = pool._workers[0]
        assert worker._process is not None
        line = worker._socket
        assert line is not None
        await asyncio.to_thread(lambda: select.select([line], [], [], 60))  # until it is ready
        worker._process.kill()
        os.waitid(os.P_PID, worker._process.pid, os.WEXITED | os.WNOWAIT)
        return await pool.parse(ITEM, url=URL, headers=HEADERS)

    assert isinstance(with_pool(use), Page)


def test_workers_that_were_started_take_the_first_pages() -> None:
    async def use(pool: ParserPool) -> tuple[bool, bool]:
        pool.start()
        before = [worker._process for worker in pool._workers]
        pages = await asyncio.gather(*(pool.parse(ITEM, url=URL, headers=HEADERS) for _ in range(4)))
        is_same = [worker._process for worker in pool._workers] == before
        return is_same, None not in before and all(isinstance(page, Page) for page in pages)

    assert with_pool(use, workers=2) == (True, True)


def test_the_answer_to_a_cancelled_call_is_not_taken_for_the_next() -> None:
    async def use(pool: ParserPool) -> Page | ParseFailure:
        await pool.parse(ITEM, url=URL, headers=HEADERS)
        big = b"<html lang=sv><title>Cancelled</title>" + b"<p>word" * 100_000
        call = asyncio.create_task(pool.parse(big, url=URL, headers=HEADERS))
        await asyncio.sleep(0)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        return await pool.parse(ITEM, url=URL, headers=HEADERS)

    page = with_pool(use)
    assert isinstance(page, Page)
    assert page.title == ""


def test_many_tasks_share_the_workers() -> None:
    bodies = [ITEM + b"<title>%d</title>" % number for number in range(40)]

    async def use(pool: ParserPool) -> list[Page | ParseFailure]:
        return await asyncio.gather(*(pool.parse(body, url=URL, headers=HEADERS) for body in bodies))

    pages = with_pool(use, workers=2)
    assert [page.title for page in pages if isinstance(page, Page)] == [str(number) for number in range(40)]


def test_closing_ends_a_worker_that_is_at_work() -> None:
    async def run() -> tuple[Page | ParseFailure, int]:
        pool = ParserPool(limits=Limits(time_seconds=60.0))
        await pool.parse(ITEM, url=URL, headers=HEADERS)
        process = pool._workers[0]._process
        assert process is not None
        under_way = asyncio.create_task(pool.parse(ENDLESS, url=URL, headers=HEADERS))
        await asyncio.sleep(0)
        await pool.aclose()
        return await under_way, process.pid

    failure, pid = asyncio.run(run())
    assert isinstance(failure, ParseFailure)
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_no_worker_is_left_after_closing() -> None:
    async def use(pool: ParserPool) -> int:
        await pool.parse(ITEM, url=URL, headers=HEADERS)
        process = pool._workers[0]._process
        assert process is not None
        await pool.aclose()
        with pytest.raises(WindrowError):
            await pool.parse(ITEM, url=URL, headers=HEADERS)
        return process.pid

    with pytest.raises(ProcessLookupError):
        os.kill(with_pool(use), 0)


def test_answers_of_a_megabyte_come_through() -> None:
    body = b"<html lang=sv>" + b"".join(
        b"<a href='/%d'>a link with words</a>" % number for number in range(5_000)
    )

    async def use(pool: ParserPool) -> Page | ParseFailure:
        return await pool.parse(body, url=URL, headers=HEADERS)

    page = with_pool(use)
    assert isinstance(page, Page)
    assert len(page.links) == 5_000


def test_sitemaps_and_feeds_are_parsed_in_the_worker_too() -> None:
    sitemap = b"<urlset><url><loc>https://e.org/a</loc><lastmod>2026-11-18</lastmod></url></urlset>"
    feed = b"<feed><entry><link href='/b'/></entry></feed>"

    async def use(pool: ParserPool) -> list[Listing | ParseFailure]:
        return [await pool.parse_sitemap(sitemap, url=URL), await pool.parse_feed(feed, url=URL)]

    assert with_pool(use) == [parse_sitemap(sitemap, url=URL), parse_feed(feed, url=URL)]
    assert parse_sitemap(sitemap, url=URL).urls


def test_all_pages_go_to_the_workers_where_the_caller_has_better_things_to_do() -> None:
    async def run() -> bool:
        pool = ParserPool(inline_bytes=0)
        try:
            await pool.parse(PLAIN, url=URL, headers=HEADERS)
            return pool._workers[0]._process is not None
        finally:
            await pool.aclose()

    assert asyncio.run(run())


def test_only_one_worker_detects_languages_and_any_parses_pages() -> None:
    async def use(pool: ParserPool) -> tuple[list[Page | ParseFailure], list[bool]]:
        small = [pool.parse(UNDECLARED, url=URL, headers=HEADERS) for _ in range(6)]  # parsed here
        pages = await asyncio.gather(*small)
        one_started = [worker._process is not None for worker in pool._workers]
        await asyncio.gather(*(pool.parse(ITEM, url=URL, headers=HEADERS) for _ in range(6)))
        return pages, [*one_started, *(worker._process is not None for worker in pool._workers)]

    pages, started = with_pool(use, workers=2)
    assert pages == [parse_page(UNDECLARED, url=URL, headers=HEADERS)] * 6
    assert isinstance(pages[0], Page)
    assert pages[0].language == "en"
    assert started == [False, True, True, True]


def test_no_worker_is_asked_for_a_language_that_no_record_will_have() -> None:
    async def use(pool: ParserPool) -> tuple[Page | ParseFailure, bool]:
        page = await pool.parse(UNDECLARED, url=URL, headers=HEADERS, wants=PageWants(require=()))
        return page, any(worker._process is not None for worker in pool._workers)

    page, is_started = with_pool(use)
    assert isinstance(page, Page)
    assert (page.language, is_started) == (None, False)


def test_a_page_is_kept_where_the_worker_dies_that_detects_its_language() -> None:
    async def use(pool: ParserPool) -> Page | ParseFailure:
        return await pool.parse(UNDECLARED, url=URL, headers=HEADERS)

    page = with_pool(use, limits=Limits(time_seconds=20.0, memory_bytes=1))
    assert isinstance(page, Page)
    assert (page.title, page.language) == ("A", None)


def test_a_call_that_is_cancelled_while_it_waits_does_not_keep_its_worker() -> None:
    async def use(pool: ParserPool) -> Page | ParseFailure:
        first = asyncio.create_task(pool.parse(ITEM, url=URL, headers=HEADERS))
        long = b"<html lang=sv>" + b"<p>word" * 100_000  # no answer comes before it is cancelled
        waiting = asyncio.create_task(pool.parse(long, url=URL, headers=HEADERS))
        await asyncio.sleep(0)
        first.add_done_callback(lambda _: waiting.cancel())  # it has been given the worker by then
        await first
        with pytest.raises(asyncio.CancelledError):
            await waiting
        return await pool.parse(ITEM, url=URL, headers=HEADERS)

    assert isinstance(with_pool(use), Page)
