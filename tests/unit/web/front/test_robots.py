"""robots.txt as a crawler reads it: records and lists are open, what can be combined without end is not."""

from __future__ import annotations

import asyncio
from typing import Literal
from urllib.robotparser import RobotFileParser

import pytest
from protego import Protego

from windrow.search.record_addresses import form_path, record_path
from windrow.web.http.http_request import Request
from windrow.web.robots_txt import RobotsTxt

OPEN = [
    "/",
    "/about",
    "/record/hay/oai:hay.example:1",
    "/record/hay/oai:hay.example:a%3Fb",
    "/record/hay/https:%2F%2Fhay.example%2Findex.php%3Fid=1",
    "/record/hay/search",
    "/gateway/",
    "/gateway/hay/",
    "/gateway/hay/17",
    "/gateway/hay/pages/3",
    "/gateway/getrecord/oai_dc/oai:hay.example:1",
    "/gateway/getrecord/oai_dc/oai:hay.example:a%3Fb",
    "/browse/",
    "/browse/years",
    "/collection/fields",
    "/statistics/",
    "/status",
    "/sitemap.xml",
    "/sitemaps/hay-1.xml.gz",
    "/oai",
    "/static/windrow.css",
]
CLOSED = [
    "/search",
    "/search?q=hay",
    "/search.csv?q=hay",
    "/suggest?q=h",
    "/language?to=sv&back=/",
    "/api/v1/search?q=hay",
    "/statistics/growth?collection=fields",
    "/statistics?from=2010",
    "/browse/creators?letter=A",
    "/browse?collection=fields",
    "/record/hay/oai:hay.example:1?format=oai_dc",
    "/record/hay/oai:hay.example:1?as=bibtex",
    "/form/as/bib/hay/oai:hay.example:1",
    "/form/format/oai_dc/hay/oai:hay.example:1",
    "/collection/fields?x=1",
    "/oai?verb=ListRecords&metadataPrefix=oai_dc",
    "/oai/hay?verb=Identify",
    "/oai/-/anything",
]


def told(base_url: str, delay_seconds: float = 0.0) -> str:
    async def nothing() -> dict[str, object]:
        return {}

    request = Request("GET", "/robots.txt", b"", {}, "127.0.0.1", nothing)
    return asyncio.run(RobotsTxt(base_url, delay_seconds=delay_seconds)(request, "")).body.decode()


@pytest.mark.parametrize("site", ["https://library.example", "https://library.example/windrow"])
def test_a_crawler_may_read_records_and_lists_and_no_searches(site: str) -> None:
    rules = Protego.parse(told(f"{site}/oai"))
    closed = [path for path in OPEN if not rules.can_fetch(f"{site}{path}", "anybot")]
    assert not closed
    opened = [path for path in CLOSED if rules.can_fetch(f"{site}{path}", "anybot")]
    assert not opened


@pytest.mark.parametrize("site", ["https://library.example", "https://library.example/windrow"])
def test_a_crawler_that_knows_no_wildcards_is_kept_to_the_page_of_a_record(site: str) -> None:
    rules = RobotFileParser()  # as the standard of 1994 has it
    rules.parse([line for line in told(f"{site}/oai").splitlines() if "*?" not in line])
    record = ("hay", "oai:hay.example:a/1")
    assert rules.can_fetch("anybot", site + record_path(*record))
    assert rules.can_fetch("anybot", f"{site}/gateway/hay/1")
    forms: list[tuple[Literal["as", "format"], str]] = [
        ("as", "bib"),
        ("as", "similar"),
        ("format", "oai_dc"),
    ]
    for kind, name in forms:
        assert not rules.can_fetch("anybot", site + form_path(kind, name, *record))


def test_another_windrow_may_ask_the_repository() -> None:
    rules = Protego.parse(told("https://library.example/oai"))
    assert rules.can_fetch("https://library.example/oai?verb=Identify", "Windrow")
    assert rules.can_fetch("https://library.example/oai/hay?verb=GetRecord&identifier=1", "Windrow")
    assert not rules.can_fetch("https://library.example/search?q=hay", "Windrow")


def test_the_sitemaps_are_named_with_their_whole_address() -> None:
    rules = Protego.parse(told("https://library.example/windrow/oai"))
    assert list(rules.sitemaps) == ["https://library.example/windrow/sitemap.xml"]


def test_crawlers_are_asked_to_wait_where_that_is_set() -> None:
    assert Protego.parse(told("https://library.example/oai", 2.5)).crawl_delay("anybot") == 2.5
    assert Protego.parse(told("https://library.example/oai", 30.0)).crawl_delay("anybot") == 30
    assert "Crawl-delay" not in told("https://library.example/oai")
