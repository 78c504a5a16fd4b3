"""Lists that end properly and too early: at a limit that their sizes hide, or behind empty pages."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

import pytest

from tests.flows.harvesting import asked, make_shelf, words
from tests.flows.test_everything_arrives import LATER, names
from tests.servers.fault import Asked, Fault, Page, Refused
from tests.servers.faults import lists, transport
from tests.servers.items import Item, dublin_core, make_items
from tests.servers.oai import DAYS, SECONDS, OaiServer
from windrow.model.run import Outcome


@dataclass
class Capped(Fault):
    """Each list ends after so many records and counts no further, as search engines do."""

    limit: int
    order: str = "date"

    def select(self, items: list[Item], asked: Asked) -> list[Item]:
        if self.order == "mixed":
            items = sorted(items, key=lambda item: random.Random(item.identifier).random())
        return (items[::-1] if self.order == "newest" else items)[: self.limit]


@pytest.mark.parametrize("order", ["date", "newest", "mixed"])
@pytest.mark.parametrize("limit", [50, 100])  # the last page is full, or not
@pytest.mark.parametrize("granularity", [SECONDS, DAYS])
def test_a_limit_that_is_stated_as_the_size_of_a_list_is_noticed(
    tmp_path: Path, order: str, limit: int, granularity: str
) -> None:
    with OaiServer(make_items(290), Capped(limit, order), page_size=20, granularity=granularity) as server:
        shelf = make_shelf(tmp_path, server)
        run = shelf.harvest()
        assert shelf.live() == names(server), words(run)
        assert run.outcome == Outcome.OK, words(run)
        assert "and more are listed" in words(run)


@pytest.mark.parametrize("sets", [[], ["art"]])
def test_a_round_size_that_is_right_costs_one_more_request_once(tmp_path: Path, sets: list[str]) -> None:
    with OaiServer(make_items(200, sets=("art",)), page_size=20) as server:
        shelf = make_shelf(tmp_path, server, sets=sets)
        run = shelf.harvest()
        assert run.outcome == Outcome.OK
        assert run.problems == ()
        assert len(server.requests) == 14, "Identify, ten pages, ListSets, what is behind the end, the size"
        server.now = LATER
        shelf.harvest()
        assert len(server.requests) == 16


def test_a_limit_is_noticed_where_the_newest_come_first_and_no_size_is_stated(tmp_path: Path) -> None:
    with OaiServer(make_items(150), Capped(50, "newest"), lists.NoSizes(), page_size=20) as server:
        shelf = make_shelf(tmp_path, server)
        run = shelf.harvest()
        assert shelf.live() == names(server), words(run)


@dataclass
class NoIdentifiers(Fault):
    """ListIdentifiers is refused."""

    def reinterpret(self, asked: Asked) -> Asked:
        if asked.verb == "ListIdentifiers":
            raise Refused("badVerb", "not here")
        return asked


@pytest.mark.parametrize(
    "fault", [NoIdentifiers(), transport.Failing(500, times=None, verbs=("ListIdentifiers",))]
)
@pytest.mark.parametrize("order", ["date", "mixed"])
@pytest.mark.parametrize("is_sized", [True, False])
def test_a_limit_is_noticed_without_lists_of_identifiers(
    tmp_path: Path, fault: Fault, order: str, is_sized: bool
) -> None:
    faults = [Capped(100, order), replace(fault)] + ([] if is_sized else [lists.NoSizes()])
    with OaiServer(make_items(290), *faults, page_size=20) as server:
        shelf = make_shelf(tmp_path, server)
        run = shelf.harvest()
        if order == "date":
            assert shelf.live() == names(server), words(run)
        assert run.outcome in (Outcome.OK, Outcome.PARTIAL)


def test_a_size_that_grows_from_page_to_page_is_none(tmp_path: Path) -> None:
    @dataclass
    class SoFar(Fault):
        """The size is how many have come so far."""

        def page(self, page: Page) -> Page:
            return replace(page, size=str(page.asked.offset + len(page.items)))

    with OaiServer(make_items(150), Capped(70), SoFar(), page_size=20) as server:
        shelf = make_shelf(tmp_path, server)
        run = shelf.harvest()
        assert shelf.live() == names(server), words(run)


@dataclass
class Hole(Fault):
    """So many pages of each list hold nothing: their records are withheld, and counted."""

    pages: int
    place: int = 0
    is_counted: bool = True
    stamp_of_hole: timedelta = timedelta()

    def select(self, items: list[Item], asked: Asked) -> list[Item]:
        start = self.place * self.server.page_size
        withheld = [replace(items[0], identifier="")] * (self.pages * self.server.page_size) if items else []
        return [*items[:start], *withheld, *items[start:]]

    def page(self, page: Page) -> Page:
        there = tuple(item for item in page.items if item.identifier)
        page = replace(page, items=there, may_be_empty=True)
        return page if self.is_counted else replace(page, size=None, cursor=None)


def test_a_long_run_of_empty_pages_is_followed_while_the_cursor_goes_on(tmp_path: Path) -> None:
    with OaiServer(make_items(95), Hole(15, 3)) as server:
        shelf = make_shelf(tmp_path, server)
        shelf.harvest()
        assert shelf.live() == names(server)


@pytest.mark.parametrize("is_counted", [True, False])
def test_windows_that_hold_nothing_but_empty_pages_are_not_split_for_ever(
    tmp_path: Path, is_counted: bool
) -> None:
    with OaiServer(make_items(95), Hole(1000, 0, is_counted)) as server:
        shelf = make_shelf(tmp_path, server)
        run = shelf.harvest()
        assert run.outcome in (Outcome.PARTIAL, Outcome.FAILED)
        assert len(server.requests) < 2000
        assert len(asked(server, "ListRecords")) > 5


@pytest.mark.parametrize("limit", [50, 20])  # several pages, or one
def test_a_limit_is_noticed_where_records_are_fetched_one_by_one(tmp_path: Path, limit: int) -> None:
    faults: list[Fault] = [Capped(limit)] + ([lists.NoSizes()] if limit == 20 else [])
    with OaiServer(make_items(110), *faults, page_size=20) as server:
        shelf = make_shelf(tmp_path, server, mode="one-by-one")
        run = shelf.harvest()
        assert shelf.live() == names(server), words(run)
        assert run.outcome == Outcome.OK, words(run)


def test_a_single_page_that_is_cut_off_is_noticed_without_lists_of_identifiers(tmp_path: Path) -> None:
    with OaiServer(make_items(90), Capped(20), NoIdentifiers(), lists.NoSizes(), page_size=20) as server:
        shelf = make_shelf(tmp_path, server)
        run = shelf.harvest()
        assert shelf.live() == names(server), words(run)


def test_what_was_added_since_a_list_was_begun_comes_in_the_run_that_ends_it(tmp_path: Path) -> None:
    resets = transport.Resetting(skip=5, times=None)  # the later half of the list is done by then
    with OaiServer(make_items(60), lists.TooMany(40), resets) as server:
        shelf = make_shelf(tmp_path, server, mode="list")
        assert shelf.harvest().outcome == Outcome.FAILED
        server.faults = []
        late = server.now + timedelta(hours=1)
        server.put(Item("oai:test.example:new", late, ("art",), dublin_core("New")))
        server.put(replace(server.items[0], stamp=late, payload=dublin_core("Else")))
        server.now += timedelta(days=3)
        run = shelf.harvest()
        assert run.outcome == Outcome.OK, words(run)
        assert shelf.live() == names(server)
        payload = shelf.records()["oai:test.example:0"].payload("oai_dc")
        assert payload is not None
        assert b"Else" in payload.data


def test_records_listed_late_behind_a_limit_come(tmp_path: Path) -> None:
    @dataclass
    class Stated(Capped):
        """The size is that of all, the list ends at its limit."""

        size: int = 0

        def select(self, items: list[Item], asked: Asked) -> list[Item]:
            self.size = len(items)
            return super().select(items, asked)

        def page(self, page: Page) -> Page:
            return replace(page, size=str(self.size))

    with OaiServer(make_items(150), Stated(50), page_size=20) as server:
        shelf = make_shelf(tmp_path, server)
        assert shelf.harvest().outcome == Outcome.OK
        late = server.now - timedelta(days=300)
        server.put(Item("oai:test.example:late", late, ("art",), dublin_core("Late")))
        server.now = LATER
        run = shelf.harvest()
        assert shelf.live() == names(server), words(run)


def test_a_limit_is_noticed_where_records_come_twice(tmp_path: Path) -> None:
    with OaiServer(make_items(150), lists.Duplicates(), Capped(100), page_size=20) as server:
        shelf = make_shelf(tmp_path, server)
        run = shelf.harvest()
        assert shelf.live() == names(server), words(run)


def test_a_round_number_of_records_of_one_datestamp_is_noted(tmp_path: Path) -> None:
    with OaiServer(make_items(100, step=timedelta()), page_size=20) as server:
        shelf = make_shelf(tmp_path, server)
        run = shelf.harvest()
        assert run.outcome == Outcome.OK
        assert "a limit of the repository would look the same" in words(run)
        server.now = LATER
        assert shelf.harvest().problems == ()
