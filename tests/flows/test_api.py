"""From a harvest to the API: what came is found, counted and given out again, all of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.flows.serving import NAME, stocked
from tests.servers.asgi import AsgiServer
from windrow.search.request import read_request
from windrow.search.result_export import export
from windrow.web.api.api_context import ApiContext
from windrow.web.api.api_front_end import ApiFrontEnd
from windrow.web.app import WebApplication
from windrow.web.layout.page_layout import PageLayouts
from windrow.web.layout.site import SiteAddress
from windrow.web.layout.theme import Themes
from windrow.wiring import Library
from windrow.wiring.indexing import follow_index

RECORDS = 150


@contextmanager
def answering(library: Library) -> Iterator[AsgiServer]:
    with AsgiServer() as server:
        desk = ApiContext(library.config, library.index, library.store, server.url)
        site = SiteAddress(server.url, "Theses")
        frames = PageLayouts(site, Themes(library.config))
        server.application = WebApplication({"api": ApiFrontEnd(desk, frames)}, site=site)
        yield server


def get(server: AsgiServer, address: str) -> Any:
    got = server.ask(address.removeprefix(server.url))
    assert got.status == 200, got.text
    return json.loads(got.body)


def walked(server: AsgiServer, address: str) -> list[Any]:
    """Everything that a list has, page after page."""
    items, following = [], address
    while following:
        page = get(server, following)
        items += page["items"]
        following = page["next"]
    return items


def test_everything_that_was_harvested_is_found_and_can_be_read(tmp_path: Path) -> None:
    shelf = stocked(tmp_path / "library", records=RECORDS)
    live = shelf.live(name=NAME)
    library = shelf.open()
    try:
        follow_index(library)
        with answering(library) as server:
            items = walked(server, "/api/v1/search?per_page=40")
            assert {item["identifier"] for item in items} == live
            assert len(items) == len(live)
            facets = get(server, "/api/v1/facets?field=institution&limit=1000")["facets"]
            assert sum(value["count"] for value in facets[0]["values"]) == len(live)
            record = get(server, items[0]["record"])
            assert record["document"]["titles"][0]["value"] == items[0]["title"]
            assert {each["prefix"] for each in record["formats"]} == {"oai_dc", "kk"}
            (source,) = get(server, "/api/v1/sources")["items"]
            assert (source["records"], source["last_run"]["outcome"]) == (len(live), "ok")
    finally:
        library.close()


def test_every_institution_finds_as_many_as_were_counted_and_exports_the_same(tmp_path: Path) -> None:
    shelf = stocked(tmp_path / "library", records=RECORDS)
    library = shelf.open()
    try:
        follow_index(library)
        with answering(library) as server:
            for counted in get(server, "/api/v1/browse/institutions")["items"]:
                question = read_request([("institution", counted["value"])])
                found = walked(server, question.address("/api/v1/search"))
                assert len(found) == counted["count"]
                lines = b"".join(export(question, library.index, library.store, "jsonl").pieces).splitlines()
                assert {json.loads(line)["identifier"] for line in lines} == {
                    item["identifier"] for item in found
                }
    finally:
        library.close()
