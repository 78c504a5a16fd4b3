"""SRU under load: costly queries are diagnostics, and nothing else waits for its searches."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from lxml import etree

from tests.flows.test_costly_requests import SETTINGS
from tests.servers.asgi import WAIT_SECONDS, AsgiServer, Got
from tests.unit.search.catalogue import Catalogue
from tests.unit.web.sru.stage import numbers, stock
from windrow.index.feeder import follow
from windrow.index.generations import Generations
from windrow.index.tantivy.query_costs import PUBLIC, CostBudget
from windrow.index.tantivy.searching import TantivyIndex
from windrow.web.http.thread_pools import MAX_SEARCHES_WAITING, SEARCH_THREADS
from windrow.wiring.library import Library, open_library
from windrow.wiring.web_application import web_app


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    folder: Path = tmp_path_factory.mktemp("library")
    catalogue = Catalogue(folder)
    stock(catalogue)
    follow(catalogue.store, Generations(folder / "index"))
    catalogue.close()
    (folder / "windrow.toml").write_text(SETTINGS, encoding="utf-8")
    opened = open_library(str(folder), environ={})
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def server(library: Library) -> Iterator[AsgiServer]:
    with AsgiServer(web_app(library, "https://library.example")) as made:
        yield made


def ask(server: AsgiServer, query: str, client: int = 1) -> Got:
    path = f"/sru?{urlencode({'query': query})}"
    return server.ask(path, headers={"X-Forwarded-For": f"203.0.113.{client}", "Accept": "*/*"})


def test_a_query_that_would_take_too_long_is_a_diagnostic_with_what_to_change(
    library: Library, server: AsgiServer
) -> None:
    library.index.limit_costs(CostBudget(250, 250))
    try:
        costly = " or ".join(f"*{first}{second}*" for first in "aeiou" for second in "hstr")
        root = etree.fromstring(ask(server, costly).body)
    finally:
        library.index.limit_costs(PUBLIC)
    assert numbers(root) == [47]
    assert b"would take too long" in etree.tostring(root)


def test_nothing_else_waits_for_searches_of_sru(server: AsgiServer, monkeypatch: pytest.MonkeyPatch) -> None:
    begun, gate = threading.Semaphore(0), threading.Event()
    search = TantivyIndex.first_numbers

    def held(self: TantivyIndex, *arguments: Any, **options: Any) -> tuple[int, list[int]]:
        begun.release()
        assert gate.wait(WAIT_SECONDS)
        return search(self, *arguments, **options)

    monkeypatch.setattr(TantivyIndex, "first_numbers", held)
    most, more = SEARCH_THREADS + MAX_SEARCHES_WAITING, 5
    with ThreadPoolExecutor(most + more) as people:
        try:
            asked = [
                people.submit(ask, server, f"hay or {number}", number % 250 + 1)
                for number in range(most + more)
            ]
            for _ in range(SEARCH_THREADS):
                assert begun.acquire(timeout=WAIT_SECONDS)
            for path in ("/health", "/oai?verb=Identify", "/record/hay/oai:hay:1"):
                got = server.ask(path, headers={"X-Forwarded-For": "198.51.100.1"})
                assert got.status == 200, path
        finally:
            gate.set()
        answers = [each.result(WAIT_SECONDS) for each in asked]
    assert Counter(each.status for each in answers) == {200: most, 503: more}
    refused = [each for each in answers if each.status == 503]
    assert all(numbers(etree.fromstring(each.body)) == [2] for each in refused)
    assert all(each.headers["retry-after"] for each in refused)
