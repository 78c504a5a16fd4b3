"""The portal as people meet it: `windrow serve` on a library that was harvested and indexed."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urljoin

import pytest
from lxml import etree, html

from tests.flows.serving import NAME, Served, serving, stocked
from tests.servers.asgi import Got
from windrow.wiring.indexing import follow_index

RECORDS = 150
BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
MOST_VISITED = 150
_LARGE = re.compile(r"/statistics/.*\.(?:png|svg)|/oai")  # tested elsewhere, and slow to make


@pytest.fixture(scope="module")
def portal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder: Path = tmp_path_factory.mktemp("portal") / "library"
    shelf = stocked(folder, records=RECORDS)
    library = shelf.open()
    follow_index(library)
    library.close()
    with serving(folder) as served:
        yield served


def ask(portal: Served, path: str, language: str = "en") -> Got:
    return portal.ask(path, headers={**BROWSER, "Accept-Language": language})


def root_of(got: Got) -> html.HtmlElement:
    return html.fromstring(got.body)


def total(root: html.HtmlElement) -> int:
    """How many results a page of them says there are."""
    return int(re.findall(r"[0-9,]+", root.xpath("string(//p[@class='total'])"))[-1].replace(",", ""))


def test_from_the_first_page_to_a_citation(portal: Served) -> None:
    home = root_of(ask(portal, "/"))
    (action,) = home.xpath("//form[@role='search']/@action")
    results = root_of(ask(portal, f"{action}?q=opinn*"))
    assert total(results) > 20
    first = results.xpath("//ol[contains(@class,'results')]//h2/a")[0]
    record = root_of(ask(portal, first.get("href")))
    assert record.xpath("string(//h1)").strip() == first.text_content().strip()
    bibtex = ask(portal, record.xpath("//a[.='BibTeX']/@href")[0])
    assert bibtex.text.startswith("@")


def test_a_facet_narrows_the_result_to_what_it_counted(portal: Served) -> None:
    page = root_of(ask(portal, "/search?q=opinn*"))
    for pick in page.xpath("//aside//a[contains(@class,'pick')]")[:12]:
        counted = re.findall(r"[0-9,]+", pick.text_content())[-1]
        assert total(root_of(ask(portal, pick.get("href")))) == int(counted.replace(",", ""))


def test_what_is_saved_is_exactly_what_was_found(portal: Served) -> None:
    path = "?q=opinn*&year=2015..2020"
    expected = total(root_of(ask(portal, f"/search{path}")))
    rows = list(csv.DictReader(io.StringIO(portal.ask(f"/search.csv{path}").text)))
    lines = [json.loads(line) for line in portal.ask(f"/search.jsonl{path}").text.splitlines()]
    assert len(rows) == len(lines) == len(json.loads(portal.ask(f"/search.csl.json{path}").body)) == expected
    assert portal.ask(f"/search.ris{path}").text.count("TY  - ") == expected
    feed = etree.fromstring(portal.ask(f"/search.atom{path}").body)
    assert len(feed.findall("{http://www.w3.org/2005/Atom}entry")) == min(expected, 50)


def test_every_link_on_the_pages_leads_somewhere(portal: Served) -> None:
    """Followed from the first page on, as far as the bound allows; addresses of each kind come early."""
    waiting = ["/", "/status", "/about", "/browse/"]
    seen: dict[str, str] = {}  # path to kind
    dead: list[tuple[str, int]] = []
    while waiting and len(seen) < MOST_VISITED:
        path = waiting.pop(0)
        kind = re.sub(r"=[^&]*|[0-9]+", "", path)
        if path in seen or _LARGE.match(path) or sum(kind == each for each in seen.values()) > 3:
            continue
        seen[path] = kind
        got = ask(portal, path)
        if got.status not in (200, 303):
            dead.append((path, got.status))
        if got.headers.get("content-type", "").startswith("text/html"):
            found = [urljoin(path, str(each)) for each in root_of(got).xpath("//@href | //@src")]
            waiting += [each.partition("#")[0] for each in found if each.startswith("/")]
    assert not dead
    assert len(seen) > 60


@pytest.mark.parametrize(
    "path", ["/", "/search?q=opinn*", "/browse/institutions", f"/status/{NAME}", "/about"]
)
@pytest.mark.parametrize("language", ["en", "sv", "fi"])
def test_every_page_is_whole_in_every_language(portal: Served, path: str, language: str) -> None:
    root = root_of(ask(portal, path, language))
    assert root.get("lang") == language
    assert root.xpath("string(//title)").strip()
    assert root.xpath("//main//h1")
    assert root.xpath("//header//nav")
    assert root.xpath("//footer")
    for field in root.xpath("//input[not(@type='hidden')]"):
        assert root.xpath("//label[@for=$name]", name=field.get("id")), field.get("name")
    names = root.xpath("//@id")
    assert len(names) == len(set(names))


def test_no_page_loads_anything_from_elsewhere(portal: Served) -> None:
    for path in ("/", "/search", "/about", "/status"):
        root = root_of(ask(portal, path))
        loaded = root.xpath("//script/@src | //img/@src | //link[@rel='stylesheet' or @rel='icon']/@href")
        assert loaded
        assert all(str(each).startswith("/static/") for each in loaded)


def test_a_record_that_nobody_has_is_not_there_for_people_and_programs(portal: Served) -> None:
    got, plain = ask(portal, f"/record/{NAME}/none"), portal.ask(f"/record/{NAME}/none")
    assert (got.status, plain.status) == (404, 404)
    assert 'role="search"' in got.text
    assert plain.headers["content-type"].startswith("text/plain")
