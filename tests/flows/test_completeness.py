"""Is it all there? What was promised against what came, and what the identifiers say about the difference."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tests.flows.harvesting import asked, make_shelf, problems, words
from tests.servers.fault import Asked, Fault, Page
from tests.servers.faults import lists
from tests.servers.items import Item, make_items
from tests.servers.oai import OaiServer
from windrow.model.run import Outcome


@dataclass
class Forgetful(Fault):
    """ListRecords leaves records out; ListIdentifiers has them, and so has the size where it is told."""

    missing: tuple[str, ...] = ("oai:test.example:7", "oai:test.example:19")

    def select(self, items: list[Item], asked: Asked) -> list[Item]:
        if asked.verb != "ListRecords":
            return items
        return [item for item in items if item.identifier not in self.missing]


def test_records_that_the_list_forgot_are_fetched_one_by_one(tmp_path: Path) -> None:
    with OaiServer(make_items(25), Forgetful(), lists.WrongSize("25")) as server:
        shelf = make_shelf(tmp_path, server)
        run = shelf.harvest()
        assert run.outcome == Outcome.OK, words(run)
        assert "ended after 23 of 25 records" in words(run)
        assert "2 have been fetched one by one" in words(run)
        assert len(shelf.records()) == 25
        assert [each["identifier"] for each in asked(server, "GetRecord")] == list(Forgetful.missing)


def test_a_difference_that_nothing_explains_is_told(tmp_path: Path) -> None:
    with OaiServer(make_items(25), lists.WrongSize("40")) as server:
        shelf = make_shelf(tmp_path, server)
        run = shelf.harvest()
        assert run.outcome == Outcome.PARTIAL
        assert "40 records were promised; both lists end after 25" in words(run)
        assert run.claimed == 40
        assert run.counters.seen == 25
        assert len(server.requests) < 15
        assert shelf.next_from() is not None, "everything that there is has come"


def test_verifying_finds_what_nobody_promised(tmp_path: Path) -> None:
    forgetful = Forgetful(("oai:test.example:17", "oai:test.example:19"))
    with OaiServer(make_items(25), forgetful, lists.NoSizes()) as server:
        shelf = make_shelf(tmp_path, server)
        assert shelf.harvest().outcome == Outcome.OK
        assert len(shelf.records()) == 23
        run = shelf.harvest(is_verifying=True)
        assert run.outcome == Outcome.OK
        assert "2 were missing here and 2 have been fetched" in words(run)
        assert len(shelf.records()) == 25


@dataclass
class Ghost(Fault):
    """ListIdentifiers has one that there is not."""

    def select(self, items: list[Item], asked: Asked) -> list[Item]:
        if asked.verb != "ListIdentifiers" or asked.start is not None:
            return items
        return [*items, Item("oai:test.example:ghost", items[0].stamp, (), "<x/>")]


def test_a_record_that_is_listed_but_cannot_be_had_is_told(tmp_path: Path) -> None:
    with OaiServer(make_items(25), Ghost(), lists.WrongSize("26")) as server:
        shelf = make_shelf(tmp_path, server)
        run = shelf.harvest()
        assert run.outcome == Outcome.PARTIAL
        assert "1 listed identifiers have no record" in problems(run)[0].message
        assert len(shelf.records()) == 25


@dataclass
class Remaining(Fault):
    """completeListSize is what is left of the list."""

    def page(self, page: Page) -> Page:
        return replace(page, size=str(25 - page.asked.offset))


def test_a_list_that_counts_down_what_is_left_is_whole(tmp_path: Path) -> None:
    with OaiServer(make_items(25), Remaining()) as server:
        shelf = make_shelf(tmp_path, server)
        run = shelf.harvest()
        assert run.outcome == Outcome.OK
        assert run.problems == ()
        assert len(server.requests) == 6


def test_a_round_number_of_records_on_one_page_is_checked_with_two_small_requests(tmp_path: Path) -> None:
    with OaiServer(make_items(20), page_size=50) as server:
        shelf = make_shelf(tmp_path, server)
        run = shelf.harvest()
        assert run.outcome == Outcome.OK
        assert run.problems == ()
        assert len(asked(server, "ListRecords")) == 1
        assert len(asked(server, "ListIdentifiers")) == 3, "the halves, and the size of the list"


def test_more_lacking_records_than_one_wants_to_fetch_singly_are_had_by_splitting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("windrow.harvest.oai.list_harvest.MAX_MISSING_RECORDS", 5)
    with OaiServer(make_items(40), lists.BreaksOn("oai:test.example:20")) as server:
        shelf = make_shelf(tmp_path, server)
        run = shelf.harvest()
        assert run.outcome == Outcome.OK, words(run)
        assert len(shelf.records()) == 40
        assert len(asked(server, "GetRecord")) <= 10
