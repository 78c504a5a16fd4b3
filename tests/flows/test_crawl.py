"""Whole crawls of small sites: what is asked for, what becomes a record, what a second crawl costs."""

from __future__ import annotations

import asyncio
import itertools
import re
import shutil
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote

import pytest

from tests.fixtures import Place, missing, own, own_and_shared, shared, studera
from tests.flows.crawling import Site
from tests.flows.test_worker import until
from tests.servers.website import Asked, Reply, Website, page, redirect
from windrow.errors import StoreError
from windrow.formats.registry import read
from windrow.harvest.options import Stopper
from windrow.harvest.web.crawl import Ending
from windrow.model.document import Subject
from windrow.model.web_page import Page
from windrow.sources.web.urls import BadUrl, web_address
from windrow.store import leases
from windrow.store.connection import Connection
from windrow.store.crawl_workers import CrawlWorkers
from windrow.store.frontier import (
    NEVER,
    Control,
    ControlState,
    Found,
    Frontier,
    Limits,
    Ordering,
    PageState,
    Visit,
)


@pytest.fixture
def website() -> Iterator[Website]:
    with Website() as made:
        yield made


@pytest.fixture
def site(tmp_path: Path, website: Website) -> Site:
    return Site(tmp_path, website)


def with_tag(reply: Reply, tag: str) -> Reply:
    return replace(reply, etag=f'"{tag}"')


def test_every_page_is_followed_and_those_with_metadata_become_records(site: Site) -> None:
    site.website.routes |= {
        "/": page("Start", "/a", "/b"),
        "/a": page("A", "/c", meta="id-a1"),
        "/b": page("B"),
        "/c": page("C", meta="id-c1"),
    }
    counters = site.crawl()
    assert sorted(site.website.paths()) == ["/", "/a", "/b", "/c"]
    assert set(site.records()) == {"id-a1", "id-c1"}
    assert (counters.pages, counters.added, site.ending, site.problems) == (4, 2, Ending.DONE, {})


def test_links_of_all_kinds_are_found(site: Site) -> None:
    head = '<base href="/sub/"><link rel="next" href="n"><meta http-equiv="refresh" content="5; url=r">'
    body = '<map><area href="m"></map><iframe src="i"></iframe><a href="skipped" rel="nofollow">x</a>'
    site.website.routes["/"] = page("Start", "a", head=head, body=body)
    site.crawl()
    assert set(site.website.paths()) == {"/", "/sub/a", "/sub/n", "/sub/r", "/sub/m", "/sub/i"}


def test_pages_that_ask_for_it_are_neither_indexed_nor_followed(site: Site) -> None:
    site.website.routes |= {
        "/": page("Start", "/a", "/b"),
        "/a": page("A", "/hidden", meta="id-a1", head='<meta name="robots" content="nofollow">'),
        "/b": page("B", "/c", meta="id-b1", head='<meta name="robots" content="noindex">'),
        "/c": page("C", meta="id-c1"),
    }
    site.crawl()
    assert "/hidden" not in site.website.paths()
    assert set(site.records()) == {"id-a1", "id-c1"}
    assert "noindex" in site.problems


def test_the_rules_hold_for_links_and_redirects(site: Site) -> None:
    site.website.routes |= {
        "/": page("Start", "/in/a", "/out/b", "/in/away"),
        "/in/a": page("A"),
        "/in/away": redirect("/out/c"),
    }
    site.crawl(allow=("/in/",), exclude=("/out/",))
    assert set(site.website.paths()) == {"/", "/in/a", "/in/away"}


def test_robots_txt_holds_and_its_sitemaps_are_read(site: Site) -> None:
    url = site.website.url
    sitemap = (
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>{url}/s</loc></url></urlset>'
    )
    site.website.routes |= {
        "/robots.txt": Reply(f"User-agent: *\nDisallow: /no\nSitemap: {url}/map.xml".encode()),
        "/map.xml": Reply(sitemap.encode(), 200, (("Content-Type", "application/xml"),)),
        "/": page("Start", "/no/a", "/yes"),
        "/yes": page("Yes"),
        "/s": page("S"),
    }
    site.crawl()
    assert set(site.website.paths()) == {"/", "/yes", "/map.xml", "/s"}
    assert site.page("/no/a").state is PageState.ROBOTS
    assert site.page("/no/a").message == "Disallow: /no"
    assert "robots" in site.problems


def test_nothing_is_asked_for_while_robots_txt_cannot_be_had(site: Site) -> None:
    site.website.routes |= {"/robots.txt": Reply(b"", 503), "/": page("Start")}
    site.crawl()
    assert site.website.paths() == []
    assert {"robots-unavailable", "waiting"} <= site.problems.keys()
    assert site.page("/").state is PageState.QUEUED


def test_a_second_crawl_asks_for_nothing_before_it_is_due(site: Site) -> None:
    site.website.routes["/"] = page("Start", meta="id-1")
    site.crawl()
    number = len(site.website.requests)
    assert site.crawl().requests == 0
    assert site.asked_since(number) == []


def test_pages_of_a_host_with_its_own_time_are_due_sooner(tmp_path: Path) -> None:
    with Website(2) as website:
        site = Site(tmp_path, website)
        website.fallback = lambda asked: page(asked.host)
        website.routes["/"] = page("Start", f"{website.address(1)}/other")
        for _ in range(2):
            site.crawl(allow=(r"127\.0\.0\.1",), host_revisits={f"127.0.0.1:{website.ports[1]}": 0.0})
        assert website.paths() == ["/", "/other", "/other"]


def test_a_crawl_ends_where_pages_are_due_again_at_once(site: Site) -> None:
    site.website.routes |= {
        "/": page("Start", "/a", "/kept"),
        "/a": page("A"),
        "/robots.txt": Reply(b"User-agent: *\nDisallow: /kept"),
    }
    for crawls in (1, 2):
        site.crawl(revisit_seconds=0.0)
        assert sorted(site.website.paths()) == sorted(["/", "/a"] * crawls)


def test_only_pages_that_changed_come_whole(site: Site) -> None:
    site.website.routes["/"] = with_tag(page("Start", *(f"/p{n}" for n in range(40))), "0")
    for n in range(40):
        site.website.routes[f"/p{n}"] = with_tag(page(f"P{n}", f"/deep{n}", meta=f"id-{n}"), "0")
        site.website.routes[f"/deep{n}"] = with_tag(page(f"Deep {n}", meta=f"deep-{n}"), "0")
    site.crawl()
    for n in range(0, 40, 4):
        site.website.routes[f"/p{n}"] = with_tag(page(f"P{n} new", meta=f"id-{n}"), "1")
    number = len(site.website.requests)
    counters = site.crawl(is_full=True)
    asked = site.asked_since(number)
    assert len(asked) == 81
    assert {path for path, status in asked if status == 200} == {f"/p{n}" for n in range(0, 40, 4)}
    assert {status for _, status in asked} == {200, 304}
    assert (counters.changed, counters.added, counters.deleted) == (10, 0, 0)
    assert len(site.records()) == 80


def test_a_page_that_says_the_same_is_no_change(site: Site) -> None:
    count = iter(range(1000))

    def nonce(_: Asked) -> Reply:
        return page("Same", meta="id-1", head=f'<meta name="csrf-token" content="{next(count)}">')

    site.website.routes["/"] = nonce
    site.crawl()
    counters = site.crawl(is_full=True)
    assert (counters.unchanged, counters.changed) == (1, 0)


def test_what_is_gone_becomes_a_tombstone_and_may_come_back(site: Site) -> None:
    site.website.routes |= {
        "/": page("Start", "/gone", "/bare", "/moved"),
        "/gone": page("Gone", meta="gone-1"),
        "/bare": page("Bare", meta="bare-1"),
        "/moved": page("Moved", meta="moved-1"),
    }
    site.crawl()
    before = dict(site.website.routes)
    site.website.routes |= {"/gone": Reply(b"", 410), "/bare": page("Bare"), "/moved": redirect("/")}
    counters = site.crawl(is_full=True)
    assert site.tombstones() == {"gone-1", "bare-1", "moved-1"}
    assert counters.deleted == 3
    site.website.routes |= before
    site.crawl(is_full=True)
    assert set(site.records()) == {"gone-1", "bare-1", "moved-1"}


def test_the_same_content_is_one_record_with_several_addresses(site: Site) -> None:
    same = page("Same words", body="<p>the very same</p>", meta="")
    same = Reply(same.body.replace(b"<title>", b'<meta name="DC.Title" content="Same"><title>'))
    site.website.routes |= {"/": page("Start", "/one", "/two"), "/one": same, "/two": same}
    site.crawl()
    ((identifier, payload),) = site.records().items()
    assert identifier.endswith(("/one", "/two"))
    assert f"{site.website.url}/one" in payload
    assert f"{site.website.url}/two" in payload
    site.website.routes[identifier.removeprefix(site.website.url)] = Reply(b"", 404)
    site.crawl(is_full=True)
    assert list(site.records()) == [identifier]  # the other address still shows it


def test_an_identifier_that_two_pages_claim_is_that_of_the_first_only(site: Site) -> None:
    site.website.routes |= {
        "/": page("Start", "/one", "/two"),
        "/one": page("One", meta="same-1"),
        "/two": page("Two", meta="same-1"),
    }
    site.crawl()
    assert len(site.records()) == 2
    assert "same-1" in site.records()


def test_redirects_are_links_and_end(site: Site) -> None:
    def chain(asked: Asked) -> Reply:
        return (
            redirect(f"/chain{int(asked.path[6:]) + 1}")
            if asked.path.startswith("/chain")
            else Reply(b"", 404)
        )

    site.website.fallback = chain
    site.website.routes |= {
        "/": page("Start", "/go", "/loop1", "/self", "/chain0", "/nowhere"),
        "/go": redirect("/there", 301),
        "/there": page("There", meta="there-1"),
        "/loop1": redirect("/loop2"),
        "/loop2": redirect("/loop1"),
        "/self": redirect("/self"),
        "/nowhere": redirect("http://[bad"),
    }
    site.crawl()
    assert "there-1" in site.records()
    assert {"redirect-loop", "redirect-chain", "redirect-nowhere"} <= site.problems.keys()
    assert len([path for path in site.website.paths() if path.startswith("/chain")]) == 11


def test_a_page_that_fails_is_tried_again_and_dropped_in_the_end(site: Site) -> None:
    site.website.routes |= {"/": page("Start", "/bad"), "/bad": Reply(b"", 500)}
    settings = site.settings(attempts=3, retry_seconds=3600.0)
    site.crawl(settings)
    assert (site.page("/bad").state, site.page("/bad").failures) == (PageState.RETRY, 1)
    assert {"status-5xx", "unavailable"} <= site.problems.keys()
    site.crawl(settings)
    assert site.website.paths().count("/bad") == 1  # it is not due yet
    assert "unavailable" in site.problems  # and the run does not hide it
    site.crawl(settings, is_full=True)
    site.crawl(settings, is_full=True)
    assert site.page("/bad").state is PageState.DROPPED
    assert "dropped" in site.problems


def test_a_record_survives_failures_until_its_page_is_dropped(site: Site) -> None:
    site.website.routes["/"] = page("Start", meta="id-1")
    site.crawl(attempts=2)
    site.website.routes["/"] = Reply(b"", 500)
    site.crawl(attempts=2, is_full=True)
    assert list(site.records()) == ["id-1"]
    site.crawl(attempts=2, is_full=True)
    assert site.tombstones() == {"id-1"}


def test_a_server_that_asks_for_a_pause_gets_it_in_the_same_run(site: Site) -> None:
    answers = iter([Reply(b"", 503, (("Retry-After", "1"),)), page("Late", meta="late-1")])
    site.website.routes |= {"/": page("Start", "/late"), "/late": lambda _: next(answers)}
    counters = site.crawl()
    assert "late-1" in site.records()
    assert (counters.retries, site.problems) == (1, {})
    first, second = [each for each in site.website.requests if each.path == "/late"]
    assert second.started - first.ended >= 1.0


def test_a_host_that_asks_for_a_long_pause_keeps_its_addresses(site: Site) -> None:
    site.website.routes |= {
        "/": page("Start", "/busy", "/other"),
        "/busy": Reply(b"", 429, (("Retry-After", "86400"),)),
        "/other": page("Other"),
    }
    site.crawl(connections_per_host=1, connections=1, patience_seconds=1.0)
    assert site.problems.keys() >= {"status-429"}
    assert site.page("/busy").state is PageState.RETRY
    assert site.page("/busy").due_at - (site.page("/busy").visited_at or 0) >= 86_000


def test_binary_files_are_asked_about_before_they_are_asked_for(site: Site) -> None:
    site.website.routes |= {
        "/": page("Start", "/a.zip", "/b.pdf", "/c.php"),
        "/a.zip": Reply(b"PK", 200, (("Content-Type", "application/zip"),)),
        "/b.pdf": page("A page, whatever its name", meta="pdf-1"),
        "/c.php": page("C"),
    }
    site.crawl()
    methods = {(each.path, each.method) for each in site.website.requests}
    assert ("/a.zip", "HEAD") in methods
    assert ("/a.zip", "GET") not in methods
    assert {("/b.pdf", "HEAD"), ("/b.pdf", "GET")} <= methods
    assert ("/c.php", "HEAD") not in methods
    assert "pdf-1" in site.records()


def test_binary_files_are_asked_about_first_at_every_visit(site: Site) -> None:
    kind = (("Content-Type", "video/mp4"),)
    site.website.routes |= {"/": page("Start", "/film.mp4"), "/film.mp4": Reply(b"x" * 1000, 200, kind)}
    for _ in range(2):
        site.crawl(is_full=True)
    methods = [each.method for each in site.website.requests if each.path == "/film.mp4"]
    assert methods == ["HEAD", "HEAD"]


def test_the_body_of_a_type_that_is_not_read_is_not_waited_for(site: Site) -> None:
    async def endless(writer: asyncio.StreamWriter, _: Asked) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\n\r\n")
        while True:
            writer.write(b"x" * 100_000)
            await writer.drain()

    site.website.routes |= {"/": page("Start", "/film"), "/film": endless}
    site.crawl()
    assert site.page("/film").outcome == "other-type"
    assert site.counters.bytes < 10_000


@pytest.mark.parametrize("status", [204, 206, 300])
def test_a_status_without_a_page_leaves_the_record_for_another_try(site: Site, status: int) -> None:
    site.website.routes |= {"/": page("Start", "/a"), "/a": page("A", meta="id-a1")}
    site.crawl()
    site.website.routes["/a"] = Reply(b"", status)
    site.crawl(is_full=True)
    assert set(site.records()) == {"id-a1"}
    assert (site.page("/a").state, site.page("/a").outcome) == (PageState.RETRY, f"status-{status}")
    assert "odd-status" in site.problems
    site.crawl(is_full=True, attempts=2)
    assert site.tombstones() == {"id-a1"}


def test_a_domain_with_a_host_for_every_name_ends(tmp_path: Path) -> None:
    with Website(12) as website:
        site = Site(tmp_path, website)

        def answer(asked: Asked) -> Reply:
            number = website.ports.index(int(asked.host.partition(":")[2]))
            further = [website.address(each) for each in range(number + 1, min(number + 3, 12))]
            return page(asked.host, *further, meta=f"host-{number}-x")

        website.fallback = answer
        site.crawl(allow=(r"127\.0\.0\.1",), limits=Limits(hosts=5))
    assert len({each.host for each in website.requests}) == 5
    assert len(site.records()) == 5
    assert "more hosts than the limit" in site.problems["limit-hosts"]


def test_all_pages_are_kept_where_that_is_wanted(site: Site) -> None:
    site.website.routes |= {"/": page("Start", "/a"), "/a": page("A", body="<p>some words</p>")}
    site.crawl(content="pages")
    assert set(site.records()) == {f"{site.website.url}/", f"{site.website.url}/a"}
    assert "some words" in site.records()[f"{site.website.url}/a"]


def test_only_pages_with_the_required_tags_become_records(site: Site) -> None:
    site.website.routes |= {
        "/": page("Start", "/a"),
        "/a": page(
            "A", head='<meta name="dc:title" content="A"><meta name="STUDERA.identifier" content="x-1">'
        ),
    }
    site.crawl(require=("DC.Title", "studera.identifier"))
    assert list(site.records()) == ["x-1"]


def test_the_pause_between_requests_is_kept_across_crawls(site: Site) -> None:
    site.website.routes |= {"/": page("Start", "/a", "/b"), "/a": page("A"), "/b": page("B")}
    site.crawl(interval_seconds=0.3)
    site.crawl(interval_seconds=0.3, is_full=True)
    assert len(site.website.requests) == 7  # three pages twice, and robots.txt once
    assert site.website.shortest_gap() >= 0.3


def test_a_crawl_delay_is_kept(site: Site) -> None:
    site.website.routes |= {
        "/robots.txt": Reply(b"User-agent: *\nCrawl-delay: 0.4\n"),
        "/": page("Start", "/a"),
        "/a": page("A"),
    }
    site.crawl()
    assert site.website.shortest_gap() >= 0.4


def test_hosts_of_this_machine_are_refused_unless_they_are_meant(site: Site) -> None:
    site.website.routes["/"] = page("Start")
    site.crawl(fetch={"private": False})
    assert site.website.requests == []
    assert {"private", "start-none"} <= site.problems.keys()
    assert site.page("/").outcome == "private"


def test_a_trap_of_pages_that_repeat_each_other_ends(site: Site) -> None:
    def endless(asked: Asked) -> Reply:
        number = int(asked.path.rpartition("=")[2] or 0)
        return page("Always the same", f"/trap?x={2 * number + 1}", f"/trap?x={2 * number + 2}", meta="")

    site.website.fallback = lambda asked: (
        Reply(b"<title>Always the same</title>" + b"".join(
            f'<a href="/trap?x={2 * int(asked.path[8:]) + step}">next</a>'.encode() for step in (1, 2)
        ), 200) if asked.path.startswith("/trap?x=") else Reply(b"", 404)
    )  # fmt: skip
    site.website.routes |= {"/": page("Start", "/trap?x=0", "/good"), "/good": page("Good", meta="good-1")}
    site.crawl()
    assert "good-1" in site.records()
    assert "trap-repeats" in site.problems
    assert len(site.website.paths()) < 400


def test_a_trap_at_the_top_of_a_site_leaves_the_pages_beside_it(site: Site) -> None:
    names = itertools.count()

    def same(asked: Asked) -> Reply:
        if not asked.path.startswith("/trap"):
            return page(asked.path, meta="late-1")
        return Reply(f"<title>Same</title><a href='/trap?a{next(names)}=1'>x</a>".encode())

    site.website.fallback = same
    site.website.routes["/"] = page("Start", "/trap?x=1")
    site.crawl()
    assert f"{site.host}/trap?*" in site.problems["trap-repeats"]  # and not all that is beside it
    assert len(site.website.paths()) < 400
    site.website.routes["/"] = page("Start", "/trap?x=1", "/late")
    site.crawl(is_full=True)
    assert set(site.records()) == {"late-1"}


def test_limits_are_reported_with_the_place(site: Site) -> None:
    links = [f"/many/{n}" for n in range(50)]
    site.website.routes["/"] = page("Start", *links, "/ok", "/deep/" + "x/y/" * 5)
    site.website.routes["/ok"] = page("Ok", meta="ok-1")
    site.website.fallback = lambda asked: page(asked.path)
    site.crawl(limits=Limits(pages_per_host=1000, pages_per_prefix=10))
    asked = [path for path in site.website.paths() if path.startswith("/many/")]
    assert 10 <= len(asked) <= 10 + 8  # requests that were under way when the limit was reached
    assert "/many/" in site.problems["limit-prefix"]
    assert "limit-path-repeats" in site.problems
    assert "ok-1" in site.records()


def test_a_paused_crawl_waits_and_a_closed_one_ends(site: Site) -> None:
    site.website.routes["/"] = page("Start", *(f"/p{n}" for n in range(200)))
    reached, goes_on = threading.Event(), threading.Event()

    def answer(asked: Asked) -> Reply:
        if len(site.website.requests) > 20:
            reached.set()
            assert goes_on.wait(60)
        return page(asked.path)

    site.website.fallback = answer
    crawl = site.prepare(site.settings(interval_seconds=0.02))
    found: list[Ending] = []
    thread = threading.Thread(target=lambda: found.append(asyncio.run(crawl.run())))
    thread.start()
    assert reached.wait(60)
    control(site, ControlState.PAUSED)
    number = len(site.website.requests)
    goes_on.set()
    until(lambda: not is_anything_under_way(site))
    assert thread.is_alive()
    control(site, ControlState.CLOSED)
    thread.join(60)
    assert found == [Ending.CLOSED]
    assert len(site.website.requests) == number


def control(site: Site, state: ControlState) -> None:
    with site.store.writing() as connection:
        site.frontier.set_control(connection, Control(state))


def is_anything_under_way(site: Site) -> bool:
    with site.store.reading() as connection:
        return site.frontier.is_anything_under_way(connection)


def test_a_crawl_goes_on_while_another_process_finds_addresses(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other one stores a page, and lets its host rest, just before this one asks if anything is left."""
    site.website.routes |= {"/": page("Start"), "/late": page("Late")}
    crawl = site.prepare(site.settings())
    look, looks = crawl._is_over, itertools.count()
    with site.store.writing() as connection:
        site.frontier.add(connection, [Found(f"{site.website.url}/", site.host, f"{site.host}/")])
        number = CrawlWorkers(site.frontier.source_id).join(
            connection, leases.own_claim("other"), interval=lambda _: 0.0
        )
        (mine,) = site.frontier.claim(connection, number, 1, ordering=Ordering.BREADTH, under_way={})

    def meanwhile() -> None:
        with site.store.writing() as connection:
            late = Found(f"{site.website.url}/late", site.host, f"{site.host}/")
            site.frontier.add(connection, [late])
            site.frontier.finish(connection, [Visit(mine.id, PageState.DONE, NEVER, "ok")])
            rest = time.time() + 0.1
            site.frontier.release(connection, number, mine.host_id, next_at=rest, is_idle=True)

    def interrupted() -> bool:
        if next(looks) == 0:
            meanwhile()
        return look()

    monkeypatch.setattr(crawl, "_is_over", interrupted)
    assert asyncio.run(crawl.run()) is Ending.DONE
    assert site.website.paths() == ["/late"]


def test_the_order_decides_what_comes_first(site: Site) -> None:
    site.website.routes |= {
        "/": page("Start", "/a", "/b"),
        "/a": page("A", "/a/deep"),
        "/b": page("B"),
        "/a/deep": page("Deep"),
    }
    with site.store.writing() as connection:
        site.frontier.set_control(connection, Control(ordering=Ordering.DEPTH))
    site.crawl(connections=1, connections_per_host=1)
    assert site.website.paths() == ["/", "/b", "/a", "/a/deep"]


def test_a_stopped_crawl_goes_on_where_it_was(site: Site) -> None:
    site.website.routes["/"] = page("Start", *(f"/p{n}" for n in range(60)))
    stopper = Stopper()

    def answer(asked: Asked) -> Reply:
        if len(site.website.requests) > 20:
            stopper.stop()
        return page(asked.path, meta=f"id-{asked.path[2:]}1")

    site.website.fallback = answer
    crawl = site.prepare(site.settings(), stopper=stopper)
    assert asyncio.run(crawl.run()) is Ending.STOPPED
    assert len(site.website.paths()) < 60
    site.crawl()
    assert sorted(site.website.paths()) == sorted(["/", *(f"/p{n}" for n in range(60))])
    assert len(site.records()) == 60


def test_two_crawls_of_one_site_share_the_work(site: Site) -> None:
    site.website.routes["/"] = page("Start", *(f"/p{n}" for n in range(60)))
    site.website.fallback = lambda asked: page(asked.path, meta=f"id{asked.path[2:]}x")
    crawls = [site.prepare(site.settings(interval_seconds=0.02)) for _ in range(2)]
    threads = [threading.Thread(target=lambda each=each: asyncio.run(each.run())) for each in crawls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(site.website.paths()) == sorted(["/", *(f"/p{n}" for n in range(60))])
    assert site.website.shortest_gap() >= 0.02
    assert len(site.records()) == 60


def test_exchanges_are_kept_as_warc_files(site: Site, tmp_path: Path) -> None:
    from warcio.archiveiterator import ArchiveIterator

    site.website.routes |= {"/": page("Start", "/a"), "/a": page("A", meta="id-1")}
    folder = tmp_path / "warc"
    site.crawl(warc_folder=folder, fetch={"keeps_wire": True})
    (file,) = folder.iterdir()
    with file.open("rb") as stream:
        kept = [
            (
                record.rec_type,
                record.rec_headers.get_header("WARC-Target-URI"),
                record.content_stream().read(),
            )
            for record in ArchiveIterator(stream)
        ]
    bodies = {url: body for kind, url, body in kept if kind == "response"}
    assert bodies[f"{site.website.url}/a"] == site.website.routes["/a"].body  # type: ignore[union-attr]
    assert [kind for kind, _, _ in kept].count("request") == 2


def test_the_keys_of_a_site_are_not_in_its_warc_files(site: Site, tmp_path: Path) -> None:
    from warcio.archiveiterator import ArchiveIterator

    site.website.routes["/"] = page("Start")
    sent = {"X-Access": "h3ader-key", "Private-Token": "t0ken-key", "Accept-Language": "sv"}
    fetch = {
        "keeps_wire": True,
        "headers": tuple(sent.items()),
        "username": "reader",
        "password": "pa55word",
        "credential_origins": (site.website.url,),
    }
    site.crawl(warc_folder=tmp_path, fetch=fetch)
    (asked,) = [each for each in site.website.requests if each.path == "/"]
    assert sent.items() <= {name.title(): value for name, value in asked.headers.items()}.items()
    (file,) = tmp_path.glob("*.warc.gz")
    with file.open("rb") as stream:
        (kept,) = [each.http_headers for each in ArchiveIterator(stream) if each.rec_type == "request"]
    names = {name.title() for name, _ in kept.headers}
    assert {"User-Agent", "Accept-Language"} <= names
    assert not names & {"X-Access", "Private-Token", "Authorization"}


def test_pages_that_are_asked_for_again_do_not_fill_the_limit_of_their_folder(site: Site) -> None:
    site.website.routes["/"] = page("Start", *(f"/some/{n}" for n in range(5)))
    site.website.fallback = lambda asked: page(asked.path)
    limits = Limits(pages_per_host=1000, pages_per_prefix=10)
    for _ in range(3):
        site.crawl(limits=limits, is_full=True)
    site.website.routes["/"] = page("Start", "/some/new")
    site.crawl(limits=limits, is_full=True)
    assert "/some/new" in site.website.paths()
    assert site.problems == {}


def test_a_limit_counts_pages_and_not_robots_txt(site: Site) -> None:
    site.website.routes |= {"/": page("Start", "/a"), "/a": page("A")}
    crawl = site.prepare(site.settings(), most_pages=1)
    assert asyncio.run(crawl.run()) is Ending.LIMIT
    assert site.website.paths() == ["/"]


@pytest.mark.parametrize(
    "answer", [Reply(b"", 404), Reply(b"", 403), Reply(b"", 500), redirect("http://[bad")], ids=str
)
def test_a_crawl_without_any_start_page_has_failed(site: Site, answer: Reply) -> None:
    site.website.routes["/"] = answer
    site.crawl()
    assert {"start", "start-none"} <= site.problems.keys()


def test_a_crawl_without_one_of_its_start_pages_is_partial(site: Site) -> None:
    site.website.routes |= {"/": page("Start"), "/away": redirect("http://localhost:9/")}
    site.starts += [f"{site.website.url}/missing", f"{site.website.url}/away"]
    site.crawl()
    assert f"{site.website.url}/missing" in site.problems["start"]
    assert f"{site.website.url}/away" in site.problems["start-outside"]
    assert "start-none" not in site.problems


def test_a_host_that_cannot_be_reached_is_told_apart_and_its_pages_are_dropped_in_time(site: Site) -> None:
    site.website.routes["/"] = page("Start", "http://127.0.0.1:9/a", "http://no-such-host.invalid/b")
    site.crawl(allow=("",), patience_seconds=1.0)
    assert {"connect", "dns", "unavailable"} <= site.problems.keys()
    with site.store.reading() as connection:
        failed = {page.outcome for page in site.frontier.pages(connection, states=[PageState.RETRY])}
    assert failed == {"connect", "dns"}


def test_files_are_asked_for_where_a_server_does_not_answer_head(site: Site) -> None:
    async def hang(writer: asyncio.StreamWriter, asked: Asked) -> None:
        if asked.method == "HEAD":
            return
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + page("B", meta="id-2").body)
        await writer.drain()

    def refuse(asked: Asked) -> Reply:
        return Reply(b"", 501) if asked.method == "HEAD" else page("A", meta="id-1")

    site.website.routes |= {"/": page("Start", "/a.pdf", "/b.pdf"), "/a.pdf": refuse, "/b.pdf": hang}
    site.crawl()
    assert set(site.records()) == {"id-1", "id-2"}
    assert site.problems == {}


def test_sitemaps_may_be_on_another_host_where_robots_txt_names_them(tmp_path: Path) -> None:
    with Website(2) as website:
        site = Site(tmp_path, website)
        other = website.address(1)
        sitemap = f"<urlset><url><loc>{website.url}/listed</loc></url></urlset>"
        website.robots[f"127.0.0.1:{website.ports[0]}"] = Reply(f"Sitemap: {other}/map.xml".encode())
        website.routes |= {
            "/map.xml": Reply(sitemap.encode(), 200, (("Content-Type", "application/xml"),)),
            "/": page("Start"),
            "/listed": page("Listed", meta="listed-1"),
        }
        site.crawl()
        assert set(site.records()) == {"listed-1"}


def test_the_pause_of_a_source_counts_from_the_requests_of_others(site: Site) -> None:
    site.website.routes |= {"/": page("Start", "/a", "/b"), "/a": page("A"), "/b": page("B")}
    site.crawl(interval_seconds=0.05)
    site.crawl(interval_seconds=0.6, is_full=True)
    asked = site.website.requests
    assert len(asked) == 7
    assert min(after.started - before.ended for before, after in pairwise(asked[3:])) >= 0.6


def test_a_robots_txt_on_another_host_waits_for_that_host(tmp_path: Path) -> None:
    with Website(2) as website:
        site = Site(tmp_path, website)
        other = website.address(1)
        website.robots[f"127.0.0.1:{website.ports[0]}"] = redirect(f"{other}/robots.txt")
        website.robots[f"127.0.0.1:{website.ports[1]}"] = Reply(b"User-agent: *\nDisallow: /no\n")
        website.routes |= {"/": page("Start", "/no", f"{other}/a"), "/a": page("A", f"{other}/b")}
        site.starts.append(f"{other}/a")
        site.crawl(interval_seconds=0.4)
        assert sorted(website.paths()) == ["/", "/a", "/b"]
        assert website.shortest_gap() >= 0.4


def test_a_clock_that_was_set_back_does_not_stop_the_crawl(site: Site) -> None:
    site.website.routes |= {"/": page("Start", "/a"), "/a": page("A")}
    ahead = site.prepare(site.settings(interval_seconds=0.2), clock=lambda: time.time() + 30 * 86_400)
    asyncio.run(ahead.run())
    number = len(site.website.requests)
    site.crawl(interval_seconds=0.2, is_full=True)
    assert site.asked_since(number) == [("/", 200), ("/a", 200)]
    assert site.website.shortest_gap() >= 0.2


def test_credentials_go_to_the_start_pages_and_nowhere_unencrypted_where_those_are_not() -> None:
    from windrow.sources.web.space import UrlSpace
    from windrow.wiring.web_source import _origins

    assert _origins(UrlSpace(["https://a.example/x"])) == {"https://a.example"}
    assert _origins(UrlSpace(["http://a.example/x"])) == {"http://a.example", "https://a.example"}


def test_two_pages_that_swap_their_identifiers_keep_both_records(site: Site) -> None:
    site.website.routes |= {
        "/": page("Start", "/one", "/two"),
        "/one": with_tag(page("One", meta="id-1"), "0"),
        "/two": with_tag(page("Two", meta="id-2"), "0"),
    }
    site.crawl()
    site.website.routes |= {
        "/one": with_tag(page("One", meta="id-2"), "1"),
        "/two": with_tag(page("Two", meta="id-1"), "1"),
    }
    site.crawl(is_full=True)
    records = site.records()
    assert set(records) == {"id-1", "id-2"}
    assert "/two" in records["id-1"]
    assert "/one" in records["id-2"]


@pytest.mark.parametrize("old", [Reply(b"", 404), redirect("/new"), page("Bare")], ids=str)
def test_a_record_that_moves_to_another_address_in_one_crawl_stays(site: Site, old: Reply) -> None:
    site.website.routes |= {"/": page("Start", "/new", "/old"), "/new": page("Soon")}
    site.website.routes["/old"] = page("Old", meta="id-1")
    site.crawl()
    site.website.routes |= {"/old": old, "/new": page("New", meta="id-1")}
    site.crawl(is_full=True)
    assert set(site.records()) == {"id-1"}
    assert "/new" in site.records()["id-1"]


def test_a_record_does_not_name_an_address_that_is_gone(site: Site) -> None:
    same = with_tag(page("Same", meta="id-1"), "0")
    site.website.routes |= {"/": page("Start", "/one", "/two"), "/one": same, "/two": same}
    site.crawl()
    site.website.routes["/one"] = Reply(b"", 410)
    site.crawl(is_full=True)
    (payload,) = site.records().values()
    assert f"{site.website.url}/one" not in payload
    assert f"{site.website.url}/two" in payload


def test_a_page_that_no_longer_wants_to_be_indexed_becomes_a_tombstone(site: Site) -> None:
    site.website.routes["/"] = page("Start", meta="id-1")
    site.crawl()
    site.website.routes["/"] = page("Start", meta="id-1", head='<meta name="robots" content="noindex">')
    site.crawl(is_full=True)
    assert site.tombstones() == {"id-1"}


@pytest.mark.parametrize("validator", ["last-modified", "weak", "none"])
def test_unchanged_pages_keep_their_links_with_any_validator(site: Site, validator: str) -> None:
    stamp = "Mon, 01 Jan 2024 00:00:00 GMT"
    header = {"last-modified": ("Last-Modified", stamp), "weak": ("ETag", 'W/"1"'), "none": ("X-No", "y")}
    name, value = header[validator]
    condition = {"Last-Modified": "if-modified-since", "ETag": "if-none-match"}.get(name, "")

    def answer(reply: Reply) -> Callable[[Asked], Reply]:
        def made(asked: Asked) -> Reply:
            is_same = condition and asked.headers.get(condition, "").lower() == value.lower()
            return Reply(b"", 304, ()) if is_same else replace(reply, headers=(*reply.headers, (name, value)))

        return made

    site.website.routes |= {
        "/": answer(page("Start", "/a")),
        "/a": answer(page("A", "/b", meta="id-1")),
        "/b": answer(page("B", meta="id-2")),
    }
    site.crawl()
    number = len(site.website.requests)
    counters = site.crawl(is_full=True)
    status = 200 if validator == "none" else 304
    assert sorted(site.asked_since(number)) == [("/", status), ("/a", status), ("/b", status)]
    assert (counters.changed, counters.deleted, set(site.records())) == (0, 0, {"id-1", "id-2"})


@own_and_shared
def test_the_course_page_becomes_the_record_that_is_expected_of_it(site: Site, place: Place) -> None:
    expected = studera(place)
    path = expected["url"].removeprefix("http://").partition("/")[2].join(("/", ""))
    course = Reply(place("studera").joinpath("page.html").read_bytes(), 200, (("Content-Type", "text/html"),))
    site.website.routes |= {"/": page("Start", path), path: course}
    site.crawl()
    ((identifier, payload),) = site.records().items()
    made = read(payload.encode(), b"", "wir")
    assert identifier == expected["local identifier"]
    assert (made.title, made.landing) == (expected["title"], f"{site.website.url}{path}")
    assert made.subjects == (Subject(expected["controlled term"], "STUDERA"),)
    assert (made.publishers, made.types) == ((expected["publisher"],), (expected["type"],))
    assert made.prerequisites == (expected["prerequisites"],)
    assert [list(event) for event in made.events] == expected["events"]


SITES = pytest.mark.parametrize(
    ("place", "name"),
    [(own, "haymaking"), (shared, "aaronbloomfield__pdr"), (shared, "NBISweden__workshop-ngsintro")],
    ids=lambda value: value if isinstance(value, str) else value.__name__,
)


class Links(HTMLParser):
    """An independent finder of links: the parser of the standard library."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        wanted = {"a": "href", "area": "href", "frame": "src", "iframe": "src"}.get(tag)
        self.found += [value for name, value in attrs if name == wanted and value is not None]


@SITES
def test_a_whole_course_site_is_found_as_an_independent_walk_finds_it(
    site: Site, place: Place, name: str
) -> None:
    walked = walk(site, place(f"site/{name}"))
    site.crawl(exclude=(r"\.zip$",))
    assert set(site.website.paths()) == {path for path in walked if not path.endswith(".zip")}
    assert site.ending is Ending.DONE


@SITES
def test_a_whole_course_site_is_found_as_wget_finds_it(
    site: Site, tmp_path: Path, place: Place, name: str
) -> None:
    if shutil.which("wget") is None:
        missing("there is no wget on this machine")
    walk(site, place(f"site/{name}"))
    words = ["wget", "--recursive", "--level=inf", "--no-verbose", "--tries=1", "--execute=robots=off"]
    words += [
        "--follow-tags=a,area,frame,iframe",
        "--delete-after",
        f"--directory-prefix={tmp_path / 'wget'}",
    ]
    done = subprocess.run([*words, f"{site.website.url}/"], capture_output=True, check=False)
    assert done.returncode in (0, 8), done.stderr  # 8: some links lead to nothing
    found = {unquote(path) for path in site.website.paths()}
    site.website.requests.clear()
    # wget takes links out of scripts (templates of slides) and pictures out of styles as well.
    exclude = (r"\.zip$", r"\?print-pdf$", r"/assets/images/banner\.\w+$")
    site.crawl(exclude=exclude)
    assert {unquote(path) for path in site.website.paths()} == {
        path for path in found if not any(re.search(pattern, path) for pattern in exclude)
    }


def walk(site: Site, folder: Path) -> set[str]:
    """Serve a folder, and return the paths that are found from its start page without the robot."""
    start = folder / "index.html"
    text = (start if start.exists() else folder / "index.md").read_text("utf-8")
    start_page = text.replace("https://NBISweden.github.io/workshop-ngsintro/", "/").encode()

    def answer(asked: Asked) -> Reply:
        path = unquote(asked.path.partition("?")[0])
        file = folder / path.lstrip("/")
        file = file / "index.html" if path.endswith("/") else file
        if path == "/":
            return Reply(start_page)
        if file.is_dir():
            return redirect(f"{asked.path}/", 301)
        if not file.is_file():
            return Reply(b"", 404)
        kind = "text/html" if file.suffix == ".html" else "application/octet-stream"
        return Reply(file.read_bytes(), 200, (("Content-Type", kind),))

    site.website.fallback = answer
    found, waiting = {"/"}, ["/"]
    while waiting:
        path = waiting.pop()
        reply = answer(Asked("", path, "GET", {}, 0.0))
        targets = [value for key, value in reply.headers if key == "Location"]
        if reply.status == 200 and dict(reply.headers)["Content-Type"].startswith("text/html"):
            targets += Links(reply.body.decode("utf-8", "replace")).found
        for target in targets:
            try:
                address = web_address(target, f"{site.website.url}{path}")
            except BadUrl:
                continue
            following = address.url.removeprefix(site.website.url)
            if following.startswith("/") and following not in found:
                found.add(following)
                waiting.append(following)
    return found


def test_headers_with_odd_bytes_do_not_end_the_crawl_nor_come_back_as_conditions(site: Site) -> None:
    async def odd(writer: asyncio.StreamWriter, _: Asked) -> None:
        lines = b'ETag: "\xe9\xff"\r\nLast-Modified: \x01\xe4\r\nServer: \xff\x02\r\n'
        writer.write(b"HTTP/1.1 200 \xe4\r\nContent-Type: text/html\r\n" + lines + b"\r\n" + body)
        await writer.drain()

    body = page("Odd", meta="odd-1").body
    site.website.routes |= {"/": page("Start", "/odd"), "/odd": odd}
    for _ in range(2):
        site.crawl(is_full=True)
        assert (set(site.records()), site.problems) == ({"odd-1"}, {})


def test_a_defect_that_one_page_brings_to_light_leaves_the_others_be(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.website.routes |= {"/": page("Start", "/a", "/b"), "/a": page("A", meta="id-1")}
    site.website.routes["/b"] = page("B", meta="id-2")

    def fail_on_some(page: Page, require: tuple[str, ...]) -> bool:
        if page.title == "A":
            raise RuntimeError("broken")
        return page.title != "Start"

    monkeypatch.setattr("windrow.harvest.web.records.has_metadata", fail_on_some)
    site.crawl()
    assert set(site.records()) == {"id-2"}
    assert (site.page("/a").state, site.page("/a").outcome) == (PageState.RETRY, "unexpected")
    assert "unexpected" in site.problems


def test_what_was_rolled_back_with_a_defective_page_is_stored_again(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hosts, links, records and counts of the same transaction, also those that were remembered meanwhile."""
    site.website.routes |= {"/": page("Start", *(f"/{number}" for number in range(30)))}
    for number in range(30):
        site.website.routes[f"/{number}"] = page(f"P{number}", f"/deep-{number}", meta=f"id-{number}")
        site.website.routes[f"/deep-{number}"] = page(f"D{number}", meta=f"deep-{number}")
    finish = Frontier.finish

    def fail_on_some(self: Frontier, connection: Connection, visits: Sequence[Visit]) -> None:
        finish(self, connection, visits)  # what is rolled back has been written
        if any(visit.identifier in {"id-3", "id-17"} for visit in visits):
            raise RuntimeError("broken")

    monkeypatch.setattr(Frontier, "finish", fail_on_some)
    counters = site.crawl()
    broken = {"id-3", "id-17"}
    lost = {"deep-3", "deep-17"}  # pages that only those lead to, which are tried again another time
    wanted = {f"{kind}-{number}" for kind in ("id", "deep") for number in range(30)} - broken - lost
    assert set(site.records()) == wanted
    assert counters.added == len(wanted)
    assert counters.pages == 1 + len(wanted)
    assert {site.page(f"/{number}").outcome for number in (3, 17)} == {"unexpected"}
    asked = site.website.paths()
    assert len(asked) == len(set(asked))


@pytest.mark.parametrize("error", [KeyboardInterrupt(), ZeroDivisionError()])
def test_a_crawl_that_fails_gives_its_hosts_back_or_leaves_them_for_the_next(
    site: Site, error: BaseException, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An error of the store, when the worker leaves, does not hide what ended the crawl."""

    def fail(_: object) -> None:
        raise error

    def refuse(*_: object, **__: object) -> None:
        raise StoreError("the disk is full")

    def workers() -> int:
        with site.store.reading() as connection:
            return int(connection.exec_driver_sql("SELECT COUNT(*) FROM crawl_worker").scalar_one())

    site.website.routes |= {"/": page("Start", "/a"), "/a": page("A", meta="id-1")}
    for is_refused in (False, True):
        with monkeypatch.context() as patch:
            if is_refused:
                patch.setattr(CrawlWorkers, "leave", refuse)
            with pytest.raises(type(error)):
                asyncio.run(site.prepare(site.settings(), on_progress=fail).run())
        assert workers() == int(is_refused)
    site.crawl(is_full=True)
    assert "id-1" in site.records()
    assert workers() == 0
