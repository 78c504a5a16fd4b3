"""Crawlers on a library of twenty thousand records: every live one is reached once, and nothing else is.

With links alone, robots.txt obeyed, it is at most four steps from the entry of the gateway to any record,
however large the library is: repository, group of pages, page, record. The sitemaps lead to the same records.
"""

from __future__ import annotations

import gzip
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

import pytest
from lxml import etree, html
from protego import Protego

from tests.fixtures import missing
from tests.flows.crawled import Stock, more, path_of, stocked
from tests.flows.serving import Served, serving
from tests.flows.test_resume import until
from tests.servers.asgi import AsgiServer
from windrow.asgi import library_app

HOPS = 4
LIMIT_SECONDS = 600  # nobody waits for ever
_FETCHED = re.compile(r"URL:(\S+) \[")
_SPACE = {"s": "http://www.sitemaps.org/schemas/sitemap/0.9"}
_NOT_WALKED = re.compile(
    r"/statistics/.+|/oai"
)  # charts and lists for harvesters: slow, and tested elsewhere
Crawled = tuple[Stock, Served]


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crawled]:
    stock = stocked(tmp_path_factory.mktemp("crawled") / "library", hay=16_000, oats=4_000)
    with ready(stock) as server:
        yield stock, server


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Crawled]:
    stock = stocked(tmp_path_factory.mktemp("crawled") / "library", hay=250, oats=10)
    with ready(stock) as server:
        yield stock, server


@contextmanager
def ready(stock: Stock) -> Iterator[Served]:
    """Serve a library, and wait until its lists and its index are whole."""
    with serving(stock.folder) as server:
        until(lambda: all(server.ask(path).status == 200 for path in ("/sitemap.xml", "/browse/")))
        yield server


def paths(urls: Iterable[str]) -> Counter[str]:
    """Count records by their decoded paths."""
    return Counter(path for path in (f"/{path_of(url)}" for url in urls) if path.startswith("/record/"))


def wanted(stock: Stock) -> Counter[str]:
    return Counter(unquote(path) for path in stock.live)


def test_wget_reaches_every_live_record_once_and_no_other(large: Crawled, tmp_path: Path) -> None:
    stock, server = large
    if shutil.which("wget") is None:
        missing("there is no wget on this machine")
    assert len(stock.live) > 19_000
    words = ["wget", "--recursive", "--level=inf", "--no-verbose", "--delete-after", "--no-host-directories"]
    words += [
        "--include-directories=/gateway,/record",
        "--reject-regex=[?]",
        f"--output-file={tmp_path / 'log'}",
    ]
    done = subprocess.run(
        [*words, f"{server.url}/gateway/"],
        cwd=tmp_path,
        timeout=LIMIT_SECONDS,
        check=False,
        capture_output=True,
    )
    assert done.returncode == 0, done.stderr
    assert paths(_FETCHED.findall((tmp_path / "log").read_text())) == wanted(stock)


def test_wget_that_is_told_nothing_asks_for_one_page_a_record_and_few_others(
    small: Crawled, tmp_path: Path
) -> None:
    stock, server = small
    if shutil.which("wget") is None:
        missing("there is no wget on this machine")
    words = ["wget", "--recursive", "--level=inf", "--tries=1", "--no-verbose", "--delete-after"]
    done = subprocess.run(
        [*words, "--no-host-directories", f"--output-file={tmp_path / 'log'}", f"{server.url}/"],
        cwd=tmp_path,
        timeout=LIMIT_SECONDS,
        check=False,
        capture_output=True,
    )
    assert done.returncode in (0, 8), done.stderr  # 8: an address was answered with an error
    asked = [urlsplit(url) for url in _FETCHED.findall((tmp_path / "log").read_text())]
    records = [url for url in asked if url.path.startswith("/record/")]
    assert paths(url.geturl() for url in records) == wanted(stock)
    assert not [url for url in records if url.query]
    # The first page, lists, statistics and their files: as many, however many records there are.
    assert len(asked) - len(records) < 100
    assert len(asked) < 2 * len(records)


def test_people_and_programs_still_find_the_other_forms_of_a_record(small: Crawled) -> None:
    stock, server = small
    path = min(path for path in stock.live if path.startswith("/record/hay/"))
    answer = server.ask(path)
    page = html.fromstring(answer.text)
    links = (each.get("href", "") for each in page.iter("a", "link"))
    forms = [link for link in links if link.startswith("/form/")]
    for name in ("as/bib", "as/ris", "as/csl.json", "as/json", "as/citations", "as/similar", "format/oai_dc"):
        link = f"/form/{name}{path.removeprefix('/record')}"
        assert link in forms
        if name != "as/similar":
            kind, _, form = name.partition("/")
            assert server.ask(link).body == server.ask(f"{path}?{kind}={form}").body
    signs = answer.headers["link"]
    for parameters in ("?as=bib", "?format=oai_dc", "?as=linkset"):
        assert parameters in signs
    assert server.ask(f"/form/as/nonsense{path.removeprefix('/record')}").status == 404
    assert server.ask("/form/nonsense/bib/hay/x").status == 404


def test_the_sitemaps_alone_lead_to_the_same_records(large: Crawled) -> None:
    stock, server = large
    rules = Protego.parse(server.ask("/robots.txt").text)
    (index,) = rules.sitemaps
    found: list[str] = []
    for url in locations(server.ask(urlsplit(index).path).body, "s:sitemap/s:loc"):
        body = gzip.decompress(server.ask(urlsplit(url).path).body)
        assert len(body) < 50 * 1024 * 1024
        found += locations(body, "s:url/s:loc")
    assert all(rules.can_fetch(url, "anybot") for url in found)
    assert paths(found) == wanted(stock)
    assert {urlsplit(url).path for url in found if "/record/" in url} == stock.live


def locations(body: bytes, path: str) -> list[str]:
    return [str(each.text) for each in etree.fromstring(body).iterfind(path, _SPACE)]


def test_what_is_harvested_while_a_library_is_served_is_listed_without_a_restart(tmp_path: Path) -> None:
    stock = stocked(tmp_path / "library", hay=5, oats=1)
    with ready(stock) as server:
        more(stock, "oats", ["oai:oats.example:new"])
        until(lambda: b"oai:oats.example:new" in server.ask("/sitemaps/oats-1.xml").body)
        assert b"oai:oats.example:new" in server.ask("/gateway/oats/1").body


def test_a_library_in_another_application_lays_its_lists_out_when_it_is_first_used(tmp_path: Path) -> None:
    stock = stocked(tmp_path / "library", hay=5, oats=1)
    with AsgiServer() as server:
        server.application = library_app(stock.folder, url=server.url)
        until(lambda: server.ask("/sitemap.xml").status == 200)
        assert b"oai:hay.example:10024/3" in server.ask("/gateway/hay/1").body


def test_no_record_is_more_than_four_links_away_from_the_entry(large: Crawled) -> None:
    stock, server = large
    steps = walk(server, is_lists_only=True)
    found = {url: hops for url, hops in steps.items() if "/record/" in url}
    assert paths(found) == wanted(stock)
    assert max(found.values()) <= HOPS


def test_whoever_follows_every_link_that_robots_may_follow_meets_each_record_at_one_address(
    small: Crawled,
) -> None:
    stock, server = small
    found = walk(server, is_lists_only=False)
    assert paths(found) == wanted(stock)
    assert {urlsplit(url).path for url in found if "/record/" in url} == stock.live
    assert f"{server.url}/gateway/hay/2" in found


def walk(server: Served, *, is_lists_only: bool) -> dict[str, int]:
    """Follow links, nearest first, as robots.txt lets everybody; give what was met, with the steps to it."""
    rules = Protego.parse(server.ask("/robots.txt").text)
    start = f"{server.url}/gateway/"
    found, queue = {start: 0}, [start]
    for url in queue:  # it grows meanwhile
        path = url.removeprefix(server.url)
        if is_lists_only and not path.startswith("/gateway/"):
            continue
        if _NOT_WALKED.match(path):
            continue
        got = server.ask(path)
        assert got.status == 200, path
        if got.headers["content-type"].startswith("text/html"):
            for each in links(got.body, url):
                if (
                    each.startswith(f"{server.url}/")
                    and each not in found
                    and rules.can_fetch(each, "anybot")
                ):
                    found[each] = found[url] + 1
                    queue.append(each)
    return found


def links(body: bytes, base: str) -> list[str]:
    anchors = html.fromstring(body).iter("a")
    return [urldefrag(urljoin(base, each.get("href", ""))).url for each in anchors]
