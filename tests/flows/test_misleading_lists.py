"""Lists that look right and are not: pages in the place of others, ends without an end, sets left late.

Each server here really behaves so; what it holds is the oracle.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

import pytest

from tests.flows.harvesting import make_shelf, words
from tests.flows.test_ends_of_lists import Capped, NoIdentifiers
from tests.flows.test_everything_arrives import LATER, ForgetsTheSet, NamesNoSets, check_honest, names
from tests.servers.fault import Asked, Fault, Page
from tests.servers.faults import lists
from tests.servers.items import Item, make_items
from tests.servers.oai import OaiServer
from windrow.harvest.oai.windows import LONG_AGO
from windrow.model.run import Outcome

# Sizes


@dataclass
class Withheld(Fault):
    """Lists of records leave some out, and state the size of what they list."""

    names: tuple[str, ...]

    def select(self, items: list[Item], asked: Asked) -> list[Item]:
        return items if asked.verb != "ListRecords" else [i for i in items if i.identifier not in self.names]


def test_a_round_size_of_records_does_not_hide_that_more_are_listed(tmp_path: Path) -> None:
    withheld = tuple(f"oai:test.example:{number}" for number in range(3, 13))
    with OaiServer(make_items(160), Withheld(withheld), page_size=20) as server:  # 150 of them in the list
        shelf = make_shelf(tmp_path, server)
        run = shelf.harvest()
        assert shelf.live() == names(server), words(run)
        assert run.outcome == Outcome.OK


def test_a_limit_is_noticed_by_its_size_where_dates_are_ignored(tmp_path: Path) -> None:
    @dataclass
    class Limited(Capped):
        def select(self, items: list[Item], asked: Asked) -> list[Item]:
            return super().select(items, asked) if asked.verb == "ListRecords" else items

    with OaiServer(make_items(160), Limited(100), lists.DatesIgnored(), page_size=20) as server:
        shelf = make_shelf(tmp_path, server)
        check_honest(shelf, server, shelf.harvest())


@pytest.mark.parametrize("limit", [60, 99, 101, 255, 256, 257])  # full pages, or next to a round number
@pytest.mark.parametrize("order", ["date", "newest", "mixed"])
def test_a_limit_next_to_a_round_number_is_noticed(tmp_path: Path, limit: int, order: str) -> None:
    with OaiServer(make_items(300), Capped(limit, order), page_size=20) as server:
        shelf = make_shelf(tmp_path, server)
        run = shelf.harvest()
        assert shelf.live() == names(server), words(run)
        assert run.outcome == Outcome.OK, words(run)


def test_a_size_that_is_too_small_from_the_beginning_hides_nothing(tmp_path: Path) -> None:
    @dataclass
    class TooSmall(Fault):
        def page(self, page: Page) -> Page:
            return replace(page, size=str(int(page.size or 0) - 3))

    withheld = tuple(f"oai:test.example:{number}" for number in (30, 31, 32))
    with OaiServer(make_items(87), Withheld(withheld), TooSmall(), page_size=20) as server:
        shelf = make_shelf(tmp_path, server)
        run = shelf.harvest()
        assert shelf.live() == names(server), words(run)
        sent = len(server.requests)
        server.now = LATER
        assert shelf.harvest().outcome == Outcome.OK
        assert len(server.requests) - sent == 2, "the size is known to be too small"


@pytest.mark.parametrize("is_sized", [True, False])
def test_a_gap_comes_to_light_where_identifiers_cannot_be_listed(tmp_path: Path, is_sized: bool) -> None:
    items = make_items(87)
    faults = [NoIdentifiers()] if is_sized else [NoIdentifiers(), lists.NoSizes()]
    held = items[:70] if is_sized else items[10:]  # without sizes, the first page is all there is to go by
    with OaiServer(held, *faults, page_size=20) as server:
        shelf = make_shelf(tmp_path, server)
        assert shelf.harvest().outcome == Outcome.OK
        server.items = items
        server.now = LATER
        run = shelf.harvest()
        assert shelf.live() == names(server), words(run)
        assert run.outcome == Outcome.OK
        assert "the whole list was read again" in words(run)
        sent = len(server.requests)
        assert shelf.harvest().outcome == Outcome.OK
        assert len(server.requests) - sent == 2


# Pages


@dataclass
class LastIsFirst(Fault):
    """The last page of a list of several is its first one again: its own records never come."""

    verbs: tuple[str, ...]

    def select(self, items: list[Item], asked: Asked) -> list[Item]:
        self.first = tuple(items[: self.server.page_size])
        return items

    def page(self, page: Page) -> Page:
        is_last = page.token == "" and page.asked.verb in self.verbs
        return replace(page, items=self.first) if is_last else page


@pytest.mark.parametrize("verbs", [("ListRecords",), ("ListRecords", "ListIdentifiers")])
@pytest.mark.parametrize("faults", [(), (lists.NoSizes(),)])
@pytest.mark.parametrize("step", [timedelta(days=1), timedelta()])
def test_a_page_that_takes_the_place_of_another_is_noticed(
    tmp_path: Path, verbs: tuple[str, ...], faults: tuple[Fault, ...], step: timedelta
) -> None:
    with OaiServer(make_items(90, step=step), LastIsFirst(verbs), *faults, page_size=20) as server:
        shelf = make_shelf(tmp_path, server)
        run = shelf.harvest()
        check_honest(shelf, server, run)
        if step or len(verbs) == 1:
            assert shelf.live() == names(server), words(run)
            assert run.outcome == Outcome.OK, words(run)


@dataclass
class GoesOn(Fault):
    """Behind the end of a list, old records come under ever new tokens, each page in another order."""

    verbs: tuple[str, ...]
    only: int | None = None  # so many records come at all

    def select(self, items: list[Item], asked: Asked) -> list[Item]:
        self.mine = items[: self.only]
        return items

    def page(self, page: Page) -> Page:
        if page.asked.verb not in self.verbs or not self.mine:
            return page
        size = self.server.page_size
        start = page.asked.offset % len(self.mine)
        found = self.mine[start - start % size :][:size]
        random.Random(page.asked.offset).shuffle(found)
        token = self.server.token_for(page.asked, page.asked.offset + size)
        return replace(page, items=tuple(found), token=token)


@pytest.mark.parametrize("verbs", [("ListRecords",), ("ListRecords", "ListIdentifiers")])
@pytest.mark.parametrize("faults", [(), (lists.NoSizes(),)])
def test_a_list_that_goes_on_with_old_records_is_ended_by_what_it_brings(
    tmp_path: Path, verbs: tuple[str, ...], faults: tuple[Fault, ...]
) -> None:
    with OaiServer(make_items(50), GoesOn(verbs), *faults) as server:
        shelf = make_shelf(tmp_path, server)
        run = shelf.harvest()
        assert shelf.live() == names(server), words(run)
        assert len(server.requests) < 1000
        if not faults:
            assert run.outcome == Outcome.OK, words(run)


@pytest.mark.parametrize("faults", [(), (lists.NoSizes(),)])
def test_records_that_come_again_do_not_make_up_for_those_that_never_come(
    tmp_path: Path, faults: tuple[Fault, ...]
) -> None:
    with OaiServer(make_items(50), GoesOn(("ListRecords",), only=30), *faults) as server:
        shelf = make_shelf(tmp_path, server)
        run = shelf.harvest()
        assert shelf.live() == names(server), words(run)
        assert len(server.requests) < 500


@dataclass
class EmptyPage(Fault):
    """The page with this number of each list is empty, and has a token for the next one."""

    number: int
    order: str = "date"

    def select(self, items: list[Item], asked: Asked) -> list[Item]:
        if self.order == "mixed":
            return sorted(items, key=lambda item: random.Random(item.identifier).random())
        return items[::-1] if self.order == "newest" else items

    def page(self, page: Page) -> Page:
        page = replace(page, size=None, cursor=None)
        is_struck = page.index == self.number and page.token and page.asked.verb in self.verbs
        return replace(page, items=()) if is_struck else page

    verbs: tuple[str, ...] = ("ListRecords", "ListIdentifiers")


@pytest.mark.parametrize(
    ("order", "verbs"),
    [
        ("date", ("ListRecords", "ListIdentifiers")),
        ("newest", ("ListRecords", "ListIdentifiers")),
        ("mixed", ("ListRecords",)),
    ],
)
def test_what_an_empty_page_in_the_middle_of_a_list_hides_is_had(
    tmp_path: Path, order: str, verbs: tuple[str, ...]
) -> None:
    with OaiServer(make_items(100), EmptyPage(2, order, verbs), page_size=20) as server:
        shelf = make_shelf(tmp_path, server)
        run = shelf.harvest()
        assert shelf.live() == names(server), words(run)
        assert run.outcome == Outcome.OK, words(run)


def test_a_cut_list_with_the_newest_first_is_split_in_halves(tmp_path: Path) -> None:
    @dataclass
    class Ends(Fault):
        def select(self, items: list[Item], asked: Asked) -> list[Item]:
            return items[::-1]

        def page(self, page: Page) -> Page:
            return replace(page, size=None, cursor=None, token=None if page.index == 1 else page.token)

    with OaiServer(make_items(200), Ends(), NoIdentifiers(), page_size=20) as server:
        shelf = make_shelf(tmp_path, server)
        run = shelf.harvest()
        assert shelf.live() == names(server), words(run)
        assert len(server.requests) < 200, "728 where halves were slivers"


def test_a_limit_without_an_order_a_size_or_identifiers_is_noticed(tmp_path: Path) -> None:
    faults = [Capped(60, "mixed"), NoIdentifiers(), lists.NoSizes()]
    with OaiServer(make_items(200), *faults, page_size=20) as server:
        shelf = make_shelf(tmp_path, server)
        run = shelf.harvest()
        assert shelf.live() == names(server), words(run)


# Many records of one datestamp, such as those of a bulk import


@pytest.mark.parametrize("limit", [20, 60, 100])  # one page, or several
@pytest.mark.parametrize("order", ["date", "newest", "mixed"])
@pytest.mark.parametrize("is_sized", [True, False])
@pytest.mark.parametrize("bulk", [55, 130])
def test_a_limit_within_a_bulk_import_is_noticed_by_what_is_beside_it(
    tmp_path: Path, limit: int, order: str, is_sized: bool, bulk: int
) -> None:
    items = make_items(bulk, step=timedelta())
    later = make_items(40, start=items[0].stamp + timedelta(days=5))
    items += [replace(item, identifier=f"{item.identifier}-later") for item in later]
    faults = [Capped(limit, order)] if is_sized else [Capped(limit, order), lists.NoSizes()]
    with OaiServer(items, *faults, page_size=20) as server:
        shelf = make_shelf(tmp_path, server)
        run = shelf.harvest()
        check_honest(shelf, server, run)
        assert {item.identifier for item in items[bulk:]} <= shelf.live(), words(run)
        if bulk < limit:
            assert run.outcome == Outcome.OK, words(run)


# Sets that are left later than on the second page


@dataclass
class ForgetsLate(ForgetsTheSet):
    """The set is forgotten from a later page on."""

    number: int = 2
    is_size_kept: bool = False

    def reinterpret(self, asked: Asked) -> Asked:
        self.spec = asked.spec
        is_late = asked.offset >= self.number * self.server.page_size
        return super().reinterpret(asked) if is_late else asked

    def page(self, page: Page) -> Page:
        if not self.is_size_kept:
            return page
        start, end, spec = page.asked.start or LONG_AGO, page.asked.end or LATER, self.spec
        mine = [item for item in self.server.items if spec is None or spec in item.sets]
        return replace(page, size=str(sum(start <= item.stamp <= end for item in mine)))


@pytest.mark.parametrize("number", [1, 2, 4])
@pytest.mark.parametrize("step", [timedelta(days=1), timedelta(minutes=1)])
@pytest.mark.parametrize("size", ["none", "kept"])
def test_a_set_that_headers_do_not_name_is_not_left_on_a_later_page(
    tmp_path: Path, number: int, step: timedelta, size: str
) -> None:
    faults: list[Fault] = [ForgetsLate(number=number, is_size_kept=size == "kept"), NamesNoSets()]
    faults += [lists.NoSizes()] if size == "none" else []
    with OaiServer(make_items(400, step=step), *faults, page_size=20) as server:
        shelf = make_shelf(tmp_path, server, sets=["law"])
        wanted = {item.identifier for item in server.items if "law" in item.sets}
        for _ in range(2):
            run = shelf.harvest()
            assert shelf.live() == wanted, words(run)
            assert run.outcome == Outcome.OK, words(run)


def test_records_of_a_set_that_come_in_any_order_are_of_the_set(tmp_path: Path) -> None:
    @dataclass
    class Mixed(Fault):
        def select(self, items: list[Item], asked: Asked) -> list[Item]:
            return sorted(items, key=lambda item: random.Random(item.identifier).random())

    with OaiServer(make_items(300), Mixed(), NamesNoSets(), lists.NoSizes(), page_size=20) as server:
        shelf = make_shelf(tmp_path, server, sets=["law"])
        run = shelf.harvest()
        assert run.outcome == Outcome.OK, words(run)
        assert shelf.live() == {item.identifier for item in server.items if "law" in item.sets}
        assert len(server.requests) < 80
