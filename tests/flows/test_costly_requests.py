"""Requests that would take much of a server: bounded, refused with a sentence, and never in others' way."""

from __future__ import annotations

import json
import socket
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from tests.servers.asgi import WAIT_SECONDS, AsgiServer, Got
from tests.unit.search.catalogue import Catalogue
from windrow.index.feeder import follow
from windrow.index.generations import Generations
from windrow.index.protocol import FoundDocuments, is_quick_answer_wanted
from windrow.index.tantivy.live_index import LiveIndex
from windrow.index.tantivy.query_costs import PUBLIC, CostBudget
from windrow.model.query import Query
from windrow.serve.http_protocol import BoundedProtocol
from windrow.web.http.thread_pools import DEFAULT_THREADS, MAX_SEARCHES_WAITING, MAX_WAITING, SEARCH_THREADS
from windrow.web.layout.site import fingerprinted_name
from windrow.wiring.library import Library, open_library
from windrow.wiring.web_application import web_app

BROWSER = {"Accept": "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8"}
SETTINGS = """\
[library]
name = "The barn"
[portal]
export_records = 3
[crawlers]
requests_per_second = 0
network_requests_per_second = 0
[sources.hay]
url = "https://hay.example/oai"
"""
RECORDS = 8
# What a page links to with the whole search in it must not multiply what was sent.
LARGEST_PAGE = 300_000


COSTLY = " OR ".join(f"*{first}{second}*" for first in "aeiou" for second in "hstr")


class HeldIndex(LiveIndex):
    """The index of the library, whose searches end only when they are let go."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.begun = threading.Semaphore(0)
        self.gate = threading.Event()
        self.holds_suggestions = False

    def search(self, query: Query, **options: Any) -> FoundDocuments:
        self.begun.release()
        assert self.gate.wait(WAIT_SECONDS)
        return super().search(query, **options)

    def complete(self, *arguments: Any, **options: Any) -> Any:
        assert not self.holds_suggestions or self.gate.wait(WAIT_SECONDS)
        return super().complete(*arguments, **options)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("library")
    catalogue = Catalogue(made)
    for number in range(RECORDS):
        catalogue.add(
            f"oai:hay.example:{number}",
            title=f"Hay and straw {number}",
            creator=f"Mower {number}, Ann",
            subject=("meadows", f"barn {number}"),
            date=str(2010 + number),
            language="en",
        )
    follow(catalogue.store, Generations(made / "index"))
    catalogue.close()
    (made / "windrow.toml").write_text(SETTINGS, encoding="utf-8")
    return made


@pytest.fixture(scope="module")
def library(folder: Path) -> Iterator[Library]:
    opened = open_library(str(folder), environ={})
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def server(library: Library) -> Iterator[AsgiServer]:
    with AsgiServer(web_app(library, "https://library.example")) as made:
        yield made


@pytest.fixture
def frugal(library: Library, server: AsgiServer) -> Iterator[AsgiServer]:
    """A server with so small a budget that eight records are many."""
    library.index.limit_costs(CostBudget(250, 250))
    yield server
    library.index.limit_costs(PUBLIC)


@pytest.fixture
def held(folder: Path) -> Iterator[tuple[HeldIndex, AsgiServer]]:
    """A server whose searches are held up, and what lets them go."""
    opened = open_library(str(folder), environ={})
    index = HeldIndex(folder / "index")
    opened.__dict__["index"] = index
    with AsgiServer(web_app(opened, "https://library.example")) as made:
        yield index, made
    opened.close()


def ask(server: AsgiServer, path: str, *, client: int = 1) -> Got:
    """Ask as one of many programs behind the web server on this machine."""
    return server.ask(path, headers={"X-Forwarded-For": f"203.0.113.{client}"})


def browse(server: AsgiServer, path: str, *, client: int = 1, language: str = "en") -> Got:
    """Ask as one of many browsers."""
    sent = {**BROWSER, "X-Forwarded-For": f"203.0.113.{client}", "Accept-Language": language}
    return server.ask(path, headers=sent)


def test_nothing_else_waits_for_searches_and_those_beyond_the_most_are_sent_away(
    held: tuple[HeldIndex, AsgiServer],
) -> None:
    index, server = held
    most, more = SEARCH_THREADS + MAX_SEARCHES_WAITING, 5
    with ThreadPoolExecutor(most + more) as people:
        try:
            asked = [
                people.submit(ask, server, f"/search?q=hay+{number}", client=number + 1)
                for number in range(most + more)
            ]
            for _ in range(SEARCH_THREADS):
                assert index.begun.acquire(timeout=WAIT_SECONDS)
            for path in (
                "/health",
                "/oai?verb=Identify",
                "/oai?verb=ListIdentifiers&metadataPrefix=oai_dc",
                "/oai?verb=GetRecord&metadataPrefix=oai_dc&identifier=oai:hay.example:1",
                f"/static/{fingerprinted_name('windrow.css')}",
                "/record/hay/oai:hay.example:1",
                "/suggest?q=ha",
            ):
                assert ask(server, path, client=99).status == 200, path
            assert browse(server, "/oai?verb=Identify", client=99).status == 200
        finally:
            index.gate.set()
        statuses = Counter(each.result(WAIT_SECONDS).status for each in asked)
        refused = [each.result() for each in asked if each.result().status == 503]
    assert statuses == {200: most, 503: more}
    assert all(each.headers["retry-after"] and "Try again" in each.text for each in refused)


def test_a_class_behind_one_address_can_search_at_the_same_time(held: tuple[HeldIndex, AsgiServer]) -> None:
    index, server = held
    students = 50
    with ThreadPoolExecutor(students) as people:
        try:
            asked = [people.submit(browse, server, f"/search?q=hay+{number}") for number in range(students)]
            assert index.begun.acquire(timeout=WAIT_SECONDS)
        finally:
            index.gate.set()
        statuses = Counter(each.result(WAIT_SECONDS).status for each in asked)
    assert statuses == {200: students}


def test_one_client_leaves_room_for_the_searches_of_others(held: tuple[HeldIndex, AsgiServer]) -> None:
    index, server = held
    with ThreadPoolExecutor(64) as people:
        try:
            many = [
                people.submit(ask, server, f"/search?q=hay+{number}", client=1)
                for number in range(SEARCH_THREADS + MAX_SEARCHES_WAITING)
            ]
            for _ in range(SEARCH_THREADS - 1):
                assert index.begun.acquire(timeout=WAIT_SECONDS)
            other = people.submit(ask, server, "/search?q=straw", client=2)
            assert index.begun.acquire(timeout=WAIT_SECONDS), "there was no thread for anybody else"
        finally:
            index.gate.set()
        assert other.result(WAIT_SECONDS).status == 200
        statuses = Counter(each.result(WAIT_SECONDS).status for each in many)
    assert set(statuses) == {200, 503}


def test_one_client_leaves_room_for_what_others_ask(held: tuple[HeldIndex, AsgiServer]) -> None:
    index, server = held
    index.holds_suggestions = True
    path = "/suggest?q=ha"
    count = DEFAULT_THREADS + MAX_WAITING + 20
    with ThreadPoolExecutor(count + 1) as people:
        try:
            many = [people.submit(browse, server, path, client=1) for _ in range(count)]
            refused = next(as_completed(many, WAIT_SECONDS)).result()
            other = people.submit(browse, server, path, client=2)
        finally:
            index.gate.set()
        assert refused.status == 503
        assert other.result(WAIT_SECONDS).status == 200


class SlowIndex(HeldIndex):
    """The index of the library, whose slow searches end only when they are let go."""

    def search(self, query: Query, **options: Any) -> FoundDocuments:
        return (
            LiveIndex.search(self, query, **options)
            if is_quick_answer_wanted()
            else super().search(query, **options)
        )


def test_plain_words_are_found_while_slow_searches_fill_their_queue(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "windrow.index.tantivy.searching.QUICK_MICROSECONDS", 250
    )  # eight records are many, as above
    opened, index = open_library(str(folder), environ={}), SlowIndex(folder / "index")
    opened.__dict__["index"] = index
    count = SEARCH_THREADS + 50
    with (
        AsgiServer(web_app(opened, "https://library.example")) as server,
        ThreadPoolExecutor(count) as people,
    ):
        try:
            path = f"/search?q={quote(COSTLY)}&page="
            asked = [
                people.submit(ask, server, f"{path}{number}", client=number) for number in range(1, count)
            ]
            for _ in range(SEARCH_THREADS):
                assert index.begun.acquire(timeout=WAIT_SECONDS)
            for path in ("/search?q=hay", "/api/v1/search?q=straw", "/browse/creators"):
                assert ask(server, path, client=99).status == 200, path
        finally:
            index.gate.set()
        assert {each.result(WAIT_SECONDS).status for each in asked} == {200}
    opened.close()


def test_searches_whose_clients_have_gone_are_not_made(folder: Path) -> None:
    called, left = threading.Semaphore(0), threading.Semaphore(0)
    opened, index = open_library(str(folder), environ={}), HeldIndex(folder / "index")
    opened.__dict__["index"] = index
    app = web_app(opened, "https://library.example")

    async def counting(scope: Any, receive: Any, send: Any) -> None:
        called.release()
        await app(scope, receive, send)

    class Watched(BoundedProtocol):
        def eof_received(self) -> bool:  # type: ignore[override]  # as in BoundedProtocol
            left.release()
            return super().eof_received()

    with AsgiServer(counting, protocol=Watched) as server, ThreadPoolExecutor(64) as people:
        try:
            held = [
                people.submit(ask, server, f"/search?q=hay+{number}", client=number + 1)
                for number in range(SEARCH_THREADS)
            ]
            for _ in held:
                assert called.acquire(timeout=WAIT_SECONDS)
                assert index.begun.acquire(timeout=WAIT_SECONDS)
            for number in range(20):
                path = ("/search", "/api/v1/search", "/search.csv")[number % 3]
                with socket.create_connection(("127.0.0.1", server.port)) as client:
                    client.sendall(f"GET {path}?q=left+{number} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
                    assert called.acquire(timeout=WAIT_SECONDS)
                assert left.acquire(timeout=WAIT_SECONDS)
            half = socket.create_connection(("127.0.0.1", server.port))
            half.sendall(b"GET /search?q=half HTTP/1.1\r\nHost: x\r\n\r\n")
            half.shutdown(socket.SHUT_WR)
            assert left.acquire(timeout=WAIT_SECONDS)
            last = people.submit(ask, server, "/search?q=straw", client=99)
            assert called.acquire(timeout=WAIT_SECONDS)  # of `half`
            assert called.acquire(timeout=WAIT_SECONDS)
        finally:
            index.gate.set()
        assert [each.result(WAIT_SECONDS).status for each in (*held, last)] == [200] * (len(held) + 1)
        with half:
            told = half.makefile("rb").read()
        assert told.startswith(b"HTTP/1.1 503 ")
        assert b"Keep it open" in told
    opened.close()
    assert index.begun.acquire(timeout=WAIT_SECONDS)  # the last one
    assert not index.begun.acquire(blocking=False)


@pytest.mark.parametrize(
    "path",
    [
        "/search?q={}",
        "/search?q={}&sort=title",
        "/search?q={}&sort=newest&page=3",
        "/search/values?field=subject&q={}",
        "/search.csv?q={}",
        "/search.bib?q={}",
        "/search.atom?q={}",
        "/browse/creators?q={}",
        "/browse/subjects?letter=B&q={}",
        "/browse/institutions?q={}",
        "/browse/newest?q={}",
        "/statistics/?q={}",
        "/statistics/keywords?q={}",
        "/statistics/subjects.csv?q={}",
        "/statistics/institutions.svg?q={}",
        "/api/v1/search?q={}",
        "/api/v1/facets?field=subject&q={}",
        "/api/v1/browse/creators?q={}",
        "/api/v1/browse/years?q={}",
        "/api/v1/statistics/subjects?q={}",
    ],
)
def test_a_search_over_the_budget_is_refused_before_it_is_begun_wherever_it_is_asked(
    frugal: AsgiServer, path: str
) -> None:
    got = ask(frugal, path.format(quote(COSTLY)))
    assert got.status == 400, got.text
    assert "would take too long" in got.text
    assert "more letters before the first *" in got.text
    assert ask(frugal, path.format("hay")).status in (200, 404)  # 404: nothing to draw


@pytest.mark.parametrize(
    "query",
    [
        COSTLY,
        " OR ".join(f"title:*{letter}*" for letter in "aehiorst"),
        " OR ".join(f"identifier:*{letter}" for letter in "adehilmnorst"),
        " OR ".join(f"title:[a TO {letter}]" for letter in "hijklmnopqrstuvwxyz"),
        " OR ".join(f"-*{letter}h*" for letter in "aehiorst"),
        "?*?*?* OR ?*??*?",
        '"hay hay"~100 OR "straw straw"~100',
        "((((*a* OR *e*) *h*) OR *s*) -*t*)",
        " OR ".join(f"h{letter}y-str{letter}w~2" for letter in "aeiou"),
        " OR ".join(f"word{number}" for number in range(150)),
    ],
)
def test_every_kind_of_costly_search_has_a_price(frugal: AsgiServer, query: str) -> None:
    got = ask(frugal, f"/api/v1/search?q={quote(query)}")
    assert got.status == 400, got.text
    assert "would take too long" in json.loads(got.body)["detail"]


@pytest.mark.parametrize(
    ("language", "words"),
    [("en", "would take too long"), ("sv", "skulle ta för lång tid"), ("fi", "kestäisi liian kauan")],
)
def test_the_page_of_a_refused_search_is_in_the_readers_language(
    frugal: AsgiServer, language: str, words: str
) -> None:
    got = browse(frugal, f"/search?q={quote(COSTLY)}", language=language)
    assert got.status == 400
    assert words in got.text
    assert 'name="q"' in got.text, "there is no box to put it right in"


@pytest.mark.parametrize(
    "query", ["mead*", "*ows", "ha*y", "straw~", "title:h*", '"hay straw"~5', "year:201*"]
)
def test_ordinary_patterns_are_within_the_budget_of_strangers(server: AsgiServer, query: str) -> None:
    assert json.loads(ask(server, f"/api/v1/search?q={quote(query)}").body)["total"] == RECORDS


HOSTILE = [
    '"' * 5000,
    '"' * 1900,
    "'" * 1900,
    "<" * 1900,
    "é" * 1000,
    "漢" * 400,
    "((" * 900,
    "year:x " * 250,
    "titel:hay " * 190,
    "-" * 1900,
    "hay " * 480,
    "%" * 1900,
]


@pytest.mark.parametrize("query", HOSTILE, ids=lambda text: f"{text[:3]}×{len(text)}")
@pytest.mark.parametrize(
    "path",
    ["/search?q=", "/search?per_page=100&q=", "/search/values?field=subject&q=", "/browse/creators?q="],
)
def test_no_page_is_out_of_proportion_to_its_request(server: AsgiServer, path: str, query: str) -> None:
    got = browse(server, path + quote(query))
    assert got.status in (200, 400, 414)
    assert len(got.body) < LARGEST_PAGE
    if got.status == 414:
        assert "too long" in got.text


@pytest.mark.parametrize("path", ["/search", "/browse/creators", "/statistics/", "/search/values"])
def test_filters_are_not_multiplied_either(server: AsgiServer, path: str) -> None:
    filters = "&".join(f"subject={quote('ä' * 60)}{number}" for number in range(38))
    got = browse(server, f"{path}?field=subject&{filters}")
    assert got.status in (200, 414)
    assert len(got.body) < LARGEST_PAGE


@pytest.mark.parametrize(
    ("language", "words"), [("en", "too long"), ("sv", "för lång"), ("fi", "liian pitkä")]
)
def test_a_search_that_is_too_long_is_refused_with_a_sentence(
    server: AsgiServer, language: str, words: str
) -> None:
    got = browse(server, f"/search?q={quote('漢' * 1000)}", language=language)
    assert got.status == 414
    assert words in got.text


def test_a_long_search_has_its_results_but_no_filters(server: AsgiServer) -> None:
    got = browse(server, f"/search?q={quote(' '.join(['hay'] * 400))}")
    assert got.status == 200
    assert "too long to be narrowed" in got.text
    assert "Hay and straw" in got.text.replace("<mark>", "").replace("</mark>", "")


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "bib", "ris", "csl.json"])
def test_an_export_that_is_cut_says_so_in_every_format(server: AsgiServer, suffix: str) -> None:
    got = ask(server, f"/search.{suffix}")
    assert got.status == 200
    assert f'filename="results-first-3-of-{RECORDS}.{suffix}"' in got.headers["content-disposition"]
    assert (got.headers["x-exported-records"], got.headers["x-total-records"]) == ("3", str(RECORDS))
    if suffix != "csl.json":  # JSON has no comments, and an entry more would be a reference to nothing
        assert f"the first 3 of {RECORDS} records" in got.text
        assert "https://library.example/oai" in got.text


def test_an_export_that_is_whole_says_nothing_of_the_kind(server: AsgiServer) -> None:
    got = ask(server, "/search.csv?year=2010..2012")
    assert 'filename="results.csv"' in got.headers["content-disposition"]
    assert got.headers["x-exported-records"] == got.headers["x-total-records"] == "3"
    assert "the first" not in got.text


def test_the_page_says_before_the_download_that_files_are_cut(server: AsgiServer) -> None:
    page = browse(server, "/search?q=hay").text
    assert f"the first 3 of {RECORDS} records" in page
    assert "https://library.example/oai" in page
    assert "the first 3" not in browse(server, "/search?year=2010..2012").text


def test_exports_are_few_at_once_and_one_a_client(held: tuple[HeldIndex, AsgiServer]) -> None:
    index, server = held
    with ThreadPoolExecutor(8) as people:
        try:
            first = people.submit(ask, server, "/search.csv", client=1)
            assert index.begun.acquire(timeout=WAIT_SECONDS)
            again = ask(server, "/search.bib", client=1)
            second = people.submit(ask, server, "/search.ris", client=2)
            assert index.begun.acquire(timeout=WAIT_SECONDS)
            third = browse(server, "/search.csv", client=3, language="fi")
            assert ask(server, "/health", client=4).status == 200
        finally:
            index.gate.set()
        assert {first.result(WAIT_SECONDS).status, second.result(WAIT_SECONDS).status} == {200}
    for refused, words in ((again, "Try again in half a minute"), (third, "puolen minuutin")):
        assert (refused.status, refused.headers["retry-after"]) == (503, "30")
        assert words in refused.text


INVALID = [
    "year:abc",
    "year:>abc",
    "year:..",
    "institution:",
    'title:""',
    "date:2020-13-45",
    "-year:abc",
    "size:big",
    "hay year:abc",
    '""',
]


@pytest.mark.parametrize("query", INVALID)
def test_what_was_not_understood_lists_nothing_anywhere(server: AsgiServer, query: str) -> None:
    asked = quote(query)
    page = browse(server, f"/search?q={asked}")
    assert page.status == 200
    assert "Nothing was found" in page.text
    assert "could be understood" in page.text
    found = json.loads(ask(server, f"/api/v1/search?q={asked}").body)
    assert (found["total"], found["items"]) == (0, [])
    assert found["mistakes"]
    statistics = browse(server, f"/statistics/keywords?q={asked}").text
    assert "could be understood" in statistics
    assert "meadows" not in statistics
    assert "Mower" not in browse(server, f"/browse/creators?q={asked}").text


@pytest.mark.parametrize("query", [each for each in INVALID if each != '""'])
@pytest.mark.parametrize(
    "path",
    [
        "/search.csv?q={}",
        "/search.atom?q={}",
        "/statistics/subjects.csv?q={}",
        "/api/v1/facets?field=subject&q={}",
        "/api/v1/statistics/subjects?q={}",
    ],
)
def test_a_file_of_what_was_not_understood_is_refused_with_the_explanation(
    server: AsgiServer, path: str, query: str
) -> None:
    got = ask(server, path.format(quote(query)))
    assert got.status == 400
    assert "it finds nothing" in got.text


@pytest.mark.parametrize("filters", ["year=soon", "year=..", "year=a..b", "size=big", "collection=none"])
def test_a_filter_that_makes_no_sense_lists_nothing(server: AsgiServer, filters: str) -> None:
    page = browse(server, f"/search?q=hay&{filters}")
    assert page.status == 200
    assert "Nothing was found" in page.text
    assert ask(server, f"/search.csv?{filters}").status == 400
    assert ask(server, f"/api/v1/search?{filters}").status == 400
    assert "meadows" not in browse(server, f"/statistics/keywords?{filters}").text
