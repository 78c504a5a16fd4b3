"""From a look at a page to a record that is fresh again: the view itself asks nobody."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest

from tests.flows.harvesting import Shelf
from tests.flows.test_refresh import FIRST, SECOND, Robots, ask_store, stocked, waiting
from tests.servers.asgi import AsgiServer
from tests.servers.items import dublin_core, make_items
from tests.servers.oai import OaiServer
from tests.unit.web.stage import BROWSER
from windrow.wiring import Library
from windrow.wiring.single_records import merge_identifiers
from windrow.wiring.upkeep_threads import refresh_rounds
from windrow.wiring.web_application import web_app

PAGE, GATEWAY = f"/record/test/{FIRST}", f"/gateway/getrecord/oai_dc/{FIRST}"


def age(shelf: Shelf) -> None:
    """Let the last harvest be long ago."""

    def put_back(library: Library) -> None:
        with library.store.writing() as connection:
            connection.execute("UPDATE run SET started = '2020-01-01T00:00:00+00:00'")

    ask_store(shelf, put_back)


@contextmanager
def shown(shelf: Shelf) -> Iterator[AsgiServer]:
    """The library's pages; when it is closed, what was noted is written."""
    library = shelf.open()
    try:
        with AsgiServer() as server:
            server.application = web_app(library, server.url)
            yield server
    finally:
        library.close()


def look(server: AsgiServer, path: str) -> int:
    return server.ask(path, headers=BROWSER).status


def look_twice(server: AsgiServer, path: str) -> int:
    """Look as a crawler does that has been here before."""
    first = server.ask(path, headers=BROWSER)
    return server.ask(path, headers={**BROWSER, "If-None-Match": first.headers["etag"]}).status


@pytest.mark.parametrize(
    ("path", "ask", "status"), [(PAGE, look, 200), (PAGE, look_twice, 304), (GATEWAY, look, 200)]
)
def test_a_look_at_a_stale_record_lets_it_wait_and_asks_nobody(
    tmp_path: Path, path: str, ask: Callable[[AsgiServer, str], int], status: int
) -> None:
    with OaiServer(make_items(3)) as provider:
        shelf = stocked(tmp_path, provider)
        with shown(shelf) as server:
            assert ask(server, path) == status
        assert waiting(shelf) == 0
        age(shelf)
        with shown(shelf) as server:
            assert ask(server, path) == status
        assert waiting(shelf) == 1
        assert provider.requests == []


def test_whoever_keeps_the_library_refreshes_what_waits(tmp_path: Path) -> None:
    with OaiServer(make_items(3), Robots()) as provider:
        shelf = stocked(tmp_path, provider)
        age(shelf)
        with shown(shelf) as server:
            look(server, PAGE)
        provider.put(replace(provider.items[0], payload=dublin_core("Now better")))

        def keep(library: Library) -> None:
            rounds = refresh_rounds(library, Event())
            assert rounds is not None
            rounds.run_due()

        ask_store(shelf, keep)
        assert waiting(shelf) == 0
        with shown(shelf) as server:
            assert "Now better" in server.ask(PAGE, headers=BROWSER).text


def test_nobody_refreshes_where_no_source_wants_it(tmp_path: Path) -> None:
    with OaiServer(make_items(3)) as provider:
        shelf = stocked(tmp_path, provider)
        shelf.change(refresh_after="never")

        def keep(library: Library) -> None:
            assert refresh_rounds(library, Event()) is None

        ask_store(shelf, keep)


@pytest.mark.parametrize("page", ["/record/test/{}", "/gateway/getrecord/oai_dc/{}"])
def test_the_page_of_a_merged_identifier_sends_people_on(tmp_path: Path, page: str) -> None:
    with OaiServer(make_items(3)) as provider:
        shelf = stocked(tmp_path, provider)
        ask_store(shelf, lambda library: merge_identifiers(library, "test", FIRST, SECOND))
        with shown(shelf) as server:
            answer = server.ask(page.format(FIRST), headers=BROWSER)
            assert answer.status == 301
            assert answer.headers["location"].endswith(page.format(SECOND))
            assert look(server, page.format(SECOND)) == 200
