"""The application over its budget of pages, and what it counts of who came by."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.servers.asgi import AsgiServer
from tests.unit.web.shared.test_gate import Clock
from tests.unit.web.stage import BROWSER, home, look
from windrow.store import visit_counts as stored
from windrow.store.store import create_store
from windrow.web.app import FrontEnd, ServerOptions, WebApplication
from windrow.web.front_ends import HealthCheck
from windrow.web.http.http_request import HttpRefusal, Request
from windrow.web.http.http_response import Response, text_response
from windrow.web.http.rate_limits import GoodCrawler, PageRateLimits, RateLimit
from windrow.web.http.visitors import VisitCounter
from windrow.web.layout.error_responses import problem_of_exception
from windrow.web.layout.site import SiteAddress, serve_asset
from windrow.web.robots_txt import RobotsTxt

GOOGLEBOT = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0"
TIGHT = PageRateLimits(
    client=RateLimit(0.5, 3),
    network=RateLimit(0, 1),
    good=[GoodCrawler("google", "Googlebot", ("192.0.2.0/24",), RateLimit(0, 0))],
)


class Pages:
    """A face with pages, which notes what reaches it; a status can be asked for."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def __call__(self, request: Request, rest: str) -> Response:
        self.asked.append(rest)
        status = rest.strip("/")
        if status == "404":
            raise HttpRefusal(404, "There is nothing.")
        if status == "304":
            return Response(304, b"")
        return text_response(int(status) if status.isdecimal() else 200, "page")


class Programs(Pages):
    """A face that tells of failures in its own way, as the API does."""

    def tell(self, exc: Exception, request: Request) -> Response:
        return problem_of_exception(exc, request)


@contextmanager
def staged(
    *, manners: ServerOptions | None = None, visits: VisitCounter | None = None, clock: Clock | None = None
) -> Iterator[tuple[AsgiServer, Pages]]:
    site = SiteAddress("https://library.example", "Hay")
    pages = Pages()
    faces: dict[str, FrontEnd] = {
        "": home,
        "record": pages,
        "oai": Pages(),
        "api": Programs(),
        "suggest": Pages(),
        "static": serve_asset,
        "health": HealthCheck(look),
        "robots.txt": RobotsTxt(f"{site.url}/oai"),
    }
    manners = manners or ServerOptions(budget=TIGHT)
    with AsgiServer(
        WebApplication(faces, site=site, manners=manners, visits=visits, clock=clock or Clock())
    ) as server:
        yield server, pages


def ask(
    server: AsgiServer, path: str = "/record/hay", *, client: str = "203.0.113.7", agent: str = "x"
) -> int:
    return server.ask(path, headers={"X-Forwarded-For": client, "User-Agent": agent}).status


def test_a_client_that_asks_for_too_many_pages_is_told_when_to_come_back_before_any_work() -> None:
    clock = Clock()
    with staged(clock=clock) as (server, pages):
        assert [ask(server) for _ in range(4)] == [200, 200, 200, 429]
        got = server.ask("/record/hay", headers={"X-Forwarded-For": "203.0.113.7"})
        assert (got.status, got.headers["retry-after"]) == (429, "2")
        assert got.headers["content-type"].startswith("text/plain")
        assert "Try again in 2 seconds." in got.text
        assert len(pages.asked) == 3
        clock.now += int(got.headers["retry-after"])
        assert ask(server) == 200


def test_people_get_a_page_that_says_so() -> None:
    with staged() as (server, _):
        for _ in range(3):
            ask(server)
        got = server.ask("/record/hay", headers={**BROWSER, "X-Forwarded-For": "203.0.113.7"})
    assert got.status == 429
    assert "<h1>A little slower, please</h1>" in got.text
    assert got.headers["x-robots-tag"] == "noindex"


@pytest.mark.parametrize(
    ("language", "title", "words"),
    [
        ("sv", "Lite långsammare, tack", "Försök igen om 2 sekunder."),
        ("fi", "Hieman hitaammin, kiitos", "Yritä uudelleen 2 sekunnin kuluttua."),
    ],
)
def test_that_page_is_in_the_language_of_its_reader(language: str, title: str, words: str) -> None:
    with staged(clock=Clock()) as (server, _):
        for _ in range(3):
            ask(server)
        sent = {**BROWSER, "X-Forwarded-For": "203.0.113.7", "Accept-Language": language}
        got = server.ask("/record/hay", headers=sent)
    assert got.status == 429
    assert f'<html lang="{language}">' in got.text
    assert f"<h1>{title}</h1>" in got.text
    assert words in got.text
    assert "accept-language" in got.headers["vary"]


def test_a_program_is_told_in_the_form_of_its_face() -> None:
    with staged() as (server, _):
        for _ in range(3):
            ask(server)
        got = server.ask("/api/v1/search", headers={"X-Forwarded-For": "203.0.113.7"})
    assert (got.status, got.headers["content-type"]) == (429, "application/problem+json")
    assert json.loads(got.body)["status"] == 429
    assert got.headers["retry-after"] == "2"


@pytest.mark.parametrize("path", ["/static/nothing.css", "/health", "/robots.txt", "/oai"])
def test_what_costs_nothing_or_has_limits_of_its_own_is_outside_the_budget(path: str) -> None:
    with staged() as (server, _):
        statuses = [ask(server, path) for _ in range(10)]
    assert 429 not in statuses


@pytest.mark.parametrize("path", ["/", "/record/hay", "/nothing", "/api/v1/", "/suggest?q=a"])
def test_every_other_address_is_inside_it_also_where_nothing_is(path: str) -> None:
    with staged() as (server, _):
        statuses = [ask(server, path) for _ in range(4)]
    assert statuses[-1] == 429


def test_a_good_crawler_is_let_through_and_one_that_pretends_is_not() -> None:
    with staged() as (server, _):
        true = {ask(server, client="192.0.2.9", agent=GOOGLEBOT) for _ in range(20)}
        spoofed = [ask(server, client="198.51.100.9", agent=GOOGLEBOT) for _ in range(4)]
    assert true == {200}
    assert spoofed == [200, 200, 200, 429]


def test_nobody_becomes_a_good_crawler_by_a_header_of_his_own() -> None:
    with staged(manners=ServerOptions(budget=TIGHT, trusted_proxies=())) as (server, _):
        statuses = [ask(server, client="192.0.2.9", agent=GOOGLEBOT) for _ in range(4)]
    assert statuses[-1] == 429


def test_this_machines_own_people_are_limited_only_where_somebody_said_so() -> None:
    with staged() as (server, _):
        assert {server.ask("/record/hay").status for _ in range(10)} == {200}
    with staged(manners=ServerOptions(budget=TIGHT, budgets_own=True)) as (server, _):
        assert [server.ask("/record/hay").status for _ in range(4)][-1] == 429


def counted(folder: Path, requests: list[tuple[str, str, str]]) -> dict[tuple[str, str], int]:
    """Ask for paths with agents and referers; give what was counted."""
    store = create_store(folder)
    visits = VisitCounter(store, own_host="library.example", keep_days=400)
    with staged(visits=visits) as (server, _):
        for path, agent, referer in requests:
            server.ask(path, headers={"User-Agent": agent, "Referer": referer})
    visits.close()
    with store.reading() as connection:
        found = {(each.kind, each.family): each.count for each in stored.since(connection, "")}
    store.close()
    return found


def test_pages_that_were_given_are_counted_by_who_got_them(tmp_path: Path) -> None:
    asked = [
        ("/record/hay", GOOGLEBOT, ""),
        ("/", GOOGLEBOT, ""),
        ("/record/304", GOOGLEBOT, ""),
        ("/record/hay", FIREFOX, "https://www.google.com/"),
        ("/record/hay", FIREFOX, "https://library.example/search?q=google"),
    ]
    assert counted(tmp_path, asked) == {("crawler", "Google"): 3, ("search", "Google"): 1}


@pytest.mark.parametrize(
    "path", ["/record/404", "/nothing", "/oai", "/robots.txt", "/health", "/api/v1/", "/suggest"]
)
def test_what_is_no_page_or_was_not_given_is_not_counted(tmp_path: Path, path: str) -> None:
    assert counted(tmp_path, [(path, GOOGLEBOT, "")]) == {}


def test_a_refused_request_is_not_counted(tmp_path: Path) -> None:
    store = create_store(tmp_path)
    visits = VisitCounter(store, own_host="library.example", keep_days=400)
    with staged(visits=visits) as (server, _):
        statuses = [ask(server, agent=GOOGLEBOT) for _ in range(5)]
    visits.close()
    assert statuses == [200, 200, 200, 429, 429]
    with store.reading() as connection:
        assert [each.count for each in stored.since(connection, "")] == [3]
    store.close()
