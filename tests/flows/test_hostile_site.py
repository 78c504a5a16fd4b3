"""A crawl of a site full of traps: it ends, tells them apart, and brings in what is good."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.flows.crawling import Site
from tests.servers.hostile_site import GOOD, SLOW, TRAPS, hostile_site
from tests.servers.website import Asked, Reply, Route, Website, page, redirect
from windrow.harvest.web.crawl import Ending
from windrow.store.frontier import Limits, PageState

QUICK = [path for path in TRAPS if path not in SLOW]
# Long enough for all of them, however busy the machine is.
FETCH = {
    "timeout_seconds": 120.0,
    "deadline_seconds": 240.0,
    "wire_bytes": 3_000_000,
    "body_bytes": 6_000_000,
}


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with hostile_site(QUICK) as website:
        site = Site(tmp_path_factory.mktemp("hostile"), website)
        limits = Limits(pages_per_host=20_000, pages_per_prefix=2_000)
        site.crawl(fetch=FETCH, connections=16, connections_per_host=16, limits=limits, patience_seconds=1.0)
        yield site


@pytest.fixture(scope="module")
def slow(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with hostile_site(SLOW) as website:
        site = Site(tmp_path_factory.mktemp("slow"), website)
        site.crawl(fetch={"timeout_seconds": 8.0, "deadline_seconds": 10.0})
        yield site


def test_the_crawl_ends_with_everything_good(crawled: Site) -> None:
    assert crawled.ending is Ending.DONE
    good = {f"good-{path.rpartition('/')[2]}-1" for path in [*GOOD, "/good/frames", "/good/base"]}
    assert good <= set(crawled.records())


@pytest.mark.parametrize("path", SLOW)
def test_what_is_slow_is_left_after_its_time(slow: Site, path: str) -> None:
    assert slow.page(path).outcome == TRAPS[path][1] == "timeout"
    assert {"timeout"} <= slow.problems.keys()


@pytest.mark.parametrize("path", QUICK)
def test_each_trap_is_told_apart(crawled: Site, path: str) -> None:
    _, expected = TRAPS[path]
    if expected.startswith("!"):
        assert expected[1:] in crawled.problems, crawled.problems
    else:
        assert crawled.page(path).outcome == expected, crawled.page(path)


def test_no_trap_takes_more_than_its_share(crawled: Site) -> None:
    families: dict[str, int] = {}
    for path in crawled.website.paths():
        family = path.split("?")[0].split("/")[1]
        families[family] = families.get(family, 0) + 1
    assert {family: count for family, count in families.items() if count > 2_000} == {}


def test_no_address_is_left_behind(crawled: Site) -> None:
    with crawled.store.reading() as connection:
        counts = crawled.frontier.counts(connection)
    assert PageState.QUEUED not in counts


def test_sites_with_odd_robots_txt_do_not_keep_the_others(tmp_path: Path) -> None:
    async def hang(_writer: asyncio.StreamWriter, _asked: Asked) -> None:
        await asyncio.sleep(30)

    endless = b"User-agent: *\nDisallow: /private\n" + b"# filler\n" * 200_000
    odd: list[tuple[Route, bool]] = [  # the answer, and whether pages are asked for
        (Reply(b"", 503), False),
        (hang, False),
        (redirect("/robots.txt"), False),
        (Reply(endless, 200), True),
        (Reply(b"\xef\xbb\xbfUser-agent: *\rDisallow: /private\r"), True),
        (Reply(b"<!doctype html><html>not found</html>"), True),
        (Reply(b"", 403), True),
        (Reply(b"\0\xff" * 1000), True),
        (Reply(b"User-agent: *\nDisallow: /\n"), False),
    ]
    with Website(len(odd) + 1) as website:
        site = Site(tmp_path, website)
        starts = [f"{website.address(number)}/" for number in range(len(odd) + 1)]
        site.starts = starts

        website.routes["/"] = page("Start", "/private", meta="start-1")
        website.routes["/private"] = page("Private", meta="private-1")
        website.robots = {
            f"127.0.0.1:{website.ports[number]}": answer for number, (answer, _) in enumerate(odd)
        }
        site.crawl(fetch={"timeout_seconds": 8.0, "deadline_seconds": 10.0})
        asked = {each.host for each in website.requests if each.path == "/"}
        for number, (_, is_asked) in enumerate(odd):
            assert (f"127.0.0.1:{website.ports[number]}" in asked) is is_asked, number
        private = {each.host for each in website.requests if each.path == "/private"}
        assert f"127.0.0.1:{website.ports[3]}" not in private
        assert f"127.0.0.1:{website.ports[4]}" not in private
        assert f"127.0.0.1:{website.ports[5]}" in private
