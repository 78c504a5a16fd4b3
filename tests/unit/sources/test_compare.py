"""Formats side by side: on the same records, with what each of them fills."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.servers.fault import Asked, Fault, Page, Refused
from tests.servers.faults.transport import Failing
from tests.servers.items import Item, make_items
from tests.servers.oai import OaiServer
from tests.unit.sources.probing import asking
from windrow.demo.thesis_repository import Repository
from windrow.demo.thesis_server import DemoServer
from windrow.errors import NotFound, Unreachable
from windrow.sources.format_comparison import MAX_FAILURES, OTHER, Comparison, FormatCoverage, compare_formats


def compared(url: str, *, sample: int = 5, formats: tuple[str, ...] = ()) -> Comparison:
    with asking(url, []) as client:
        return compare_formats(client, sample=sample, formats=formats)


def by_prefix(found: Comparison) -> dict[str, FormatCoverage]:
    return {portrait.prefix: portrait for portrait in found.portraits}


def test_all_formats_are_compared_on_the_same_records() -> None:
    with DemoServer(Repository(40)) as server:
        found = compared(server.url, sample=7)
    assert [portrait.prefix for portrait in found.portraits] == ["oai_dc", "kk", "marcxml", "qdc"]
    assert {portrait.records for portrait in found.portraits} == {7} == {len(found.identifiers)}


def test_the_format_that_fills_most_is_the_best() -> None:
    with DemoServer(Repository(40)) as server:
        found = compared(server.url)
    portraits = by_prefix(found)
    assert found.best is portraits["kk"]
    assert portraits["kk"].fills["department"].share == 1
    assert portraits["oai_dc"].fills["department"].share == 0


def test_shares_and_means_are_counted_over_the_records() -> None:
    with OaiServer(make_items(8)) as server:
        portrait = by_prefix(compared(server.url))["oai_dc"]
    assert (portrait.fills["title"].share, portrait.fills["title"].mean) == (1, 1)
    assert (portrait.fills["pages"].share, portrait.fills["pages"].mean) == (0, 0)
    assert portrait.score == 3  # a title, a creator and a year
    assert portrait.mean_bytes == len((server.items[0].payload or "").encode())
    assert portrait.fills[OTHER].share == 0


def test_two_formats_cost_two_lists_where_their_pages_agree() -> None:
    with OaiServer(make_items(8), formats=("oai_dc", "mods")) as server:
        compared(server.url)
        assert [request.arguments["verb"] for request in server.requests] == [
            *("ListMetadataFormats", "ListRecords", "ListRecords")
        ]


class _OtherPage(Fault):
    """The list of one format begins elsewhere."""

    def select(self, items: list[Item], asked: Asked) -> list[Item]:
        return items[::-1] if asked.prefix == "mods" else items


def test_records_that_a_first_page_lacks_are_fetched_one_by_one() -> None:
    with OaiServer(make_items(30), _OtherPage(), formats=("oai_dc", "mods")) as server:
        found = compared(server.url, sample=4)
        asked = [request.arguments.get("identifier") for request in server.requests]
    assert [name for name in asked if name] == list(found.identifiers)
    assert by_prefix(found)["mods"].records == 4


def test_a_list_that_fails_gives_way_to_single_records() -> None:
    class _NoMods(Fault):
        def page(self, page: Page) -> Page:
            if page.asked.prefix == "mods":
                raise Refused("badArgument", "not as a list")
            return page

    with OaiServer(make_items(30), _NoMods(), formats=("oai_dc", "mods")) as server:
        portrait = by_prefix(compared(server.url, sample=3))["mods"]
    assert (portrait.records, portrait.trouble) == (3, "")


def test_a_format_that_cannot_be_had_is_left_out_with_its_reason() -> None:
    class _NoMods(Fault):
        def reinterpret(self, asked: Asked) -> Asked:
            if asked.prefix == "mods":
                raise Refused("cannotDisseminateFormat", "not today")
            return asked

    with OaiServer(make_items(30), _NoMods(), formats=("oai_dc", "mods")) as server:
        found = compared(server.url, sample=20)
        single = [request for request in server.requests if request.arguments["verb"] == "GetRecord"]
    assert len(single) == MAX_FAILURES
    portrait = by_prefix(found)["mods"]
    assert (portrait.records, portrait.trouble) == (0, "cannotDisseminateFormat: not today")
    assert found.best is by_prefix(found)["oai_dc"]


def test_a_page_of_tombstones_leaves_the_choice_of_records_to_the_next_format() -> None:
    class _AllGone(Fault):
        def page(self, page: Page) -> Page:
            if page.asked.prefix != "oai_dc":
                return page
            return replace(page, items=tuple(replace(item, payload=None) for item in page.items))

    with OaiServer(make_items(5), _AllGone(), formats=("oai_dc", "mods")) as server:
        found = compared(server.url)
    assert len(found.identifiers) == by_prefix(found)["mods"].records == 5


def test_an_empty_repository_has_no_best_format() -> None:
    with OaiServer([]) as server:
        found = compared(server.url)
    assert found.best is None
    assert found.portraits[0].trouble == "noRecordsMatch: nothing here"


def test_only_the_formats_named_are_compared() -> None:
    with DemoServer(Repository(10)) as server:
        found = compared(server.url, formats=("qdc", "kk"))
    assert set(by_prefix(found)) == {"qdc", "kk"}


def test_a_format_that_is_not_offered_cannot_be_compared() -> None:
    with (
        DemoServer(Repository(10)) as server,
        pytest.raises(NotFound, match="does not offer mods") as refused,
    ):
        compared(server.url, formats=("mods", "kk"))
    assert refused.value.hint == "It offers: oai_dc, kk, marcxml, qdc."


def test_a_server_that_goes_away_ends_the_comparison() -> None:
    with OaiServer(make_items(5)) as server:
        url = server.url
    with pytest.raises(Unreachable):
        compared(url)


def test_a_record_that_cannot_be_read_is_left_out_of_the_sample() -> None:
    with OaiServer(make_items(4), Failing(500, times=None, verbs=("GetRecord",))) as server:
        server.put(replace(server.items[0], payload='<x xmlns="urn:x"><y z="1" z="2"/></x>'))
        found = compared(server.url, sample=4)
    assert by_prefix(found)["oai_dc"].records == 3
