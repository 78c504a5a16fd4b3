"""Identifiers first, then each record by itself: chosen, or fallen back to."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.flows.faulting import check_payloads
from tests.flows.harvesting import asked, make_shelf, words
from tests.servers.fault import Asked, Fault, Instead, Refused
from tests.servers.faults import lists, records, tokens, transport
from tests.servers.http import Reply
from tests.servers.items import Item, make_items
from tests.servers.oai import NOW, OaiServer
from windrow.model.run import Outcome


@pytest.mark.parametrize("is_configured", [True, False])
def test_records_can_be_fetched_one_by_one(tmp_path: Path, is_configured: bool) -> None:
    with OaiServer(make_items(25)) as server:
        shelf = make_shelf(tmp_path, server, **({"mode": "one-by-one"} if is_configured else {}))
        run = shelf.harvest(is_one_by_one=not is_configured)
        assert run.outcome == Outcome.OK
        assert len(asked(server, "ListIdentifiers")) == 4, "three pages, and the size of the list"
        assert len(asked(server, "GetRecord")) == 25
        assert asked(server, "ListRecords") == []
        check_payloads(shelf.records(), server.items)
        assert shelf.next_from() == "2024-06-01T12:00:00Z"


def test_the_next_harvest_one_by_one_asks_for_what_is_new(tmp_path: Path) -> None:
    with OaiServer(make_items(25)) as server:
        shelf = make_shelf(tmp_path, server, mode="one-by-one")
        shelf.harvest()
        sent = len(server.requests)
        shelf.harvest()
        assert len(server.requests) == sent + 2
        server.put(Item("oai:test.example:3", NOW, (), "<changed/>"))
        server.delete("oai:test.example:4", NOW)
        run = shelf.harvest()
        assert (run.counters.changed, run.counters.deleted) == (1, 1)
        assert len(asked(server, "GetRecord")) == 26


def test_a_list_that_breaks_on_one_page_is_had_whole_by_its_records(tmp_path: Path) -> None:
    with OaiServer(make_items(40), lists.BreaksOn()) as server:
        shelf = make_shelf(tmp_path, server)
        run = shelf.harvest()
        assert run.outcome == Outcome.OK, words(run)
        assert "the window's records are fetched one by one" in words(run)
        assert len(asked(server, "GetRecord")) == 20, "only what the pages before did not bring"
        check_payloads(shelf.records(), server.items)
        assert len(shelf.records()) == 40
        assert shelf.next_from() == "2024-06-01T12:00:00Z"


def test_a_list_that_breaks_on_its_first_page_is_had_as_well(tmp_path: Path) -> None:
    with OaiServer(make_items(25), lists.BreaksOn("oai:test.example:0")) as server:
        shelf = make_shelf(tmp_path, server)
        assert shelf.harvest().outcome == Outcome.OK
        assert len(shelf.records()) == 25


@dataclass
class Crashes(Fault):
    """GetRecord fails for one record, as ListRecords does for its page."""

    name: str = "oai:test.example:12"
    status: int = 500

    def reinterpret(self, asked: Asked) -> Asked:
        if asked.arguments.get("identifier") == self.name:
            raise Instead(Reply(self.status, b"Internal error", content_type="text/plain"))
        return asked


def test_a_record_that_cannot_be_had_either_way_is_quarantined_and_had_later(tmp_path: Path) -> None:
    with OaiServer(make_items(25), lists.BreaksOn(), Crashes()) as server:
        shelf = make_shelf(tmp_path, server)
        run = shelf.harvest()
        assert run.outcome == Outcome.PARTIAL
        assert len(shelf.records()) == 24
        (case,) = shelf.quarantined()
        assert case.identifier == "oai:test.example:12"
        assert case.reason == "GetRecord: HTTP 500 Internal Server Error (3 tries)"
        server.faults = []
        assert shelf.harvest().outcome == Outcome.OK
        assert shelf.quarantined() == []
        assert len(shelf.records()) == 25


def test_a_repository_where_every_record_fails_is_given_up_soon(tmp_path: Path) -> None:
    fault = transport.Failing(500, times=None, verbs=("ListRecords", "GetRecord"))
    with OaiServer(make_items(200), fault) as server:
        shelf = make_shelf(tmp_path, server, attempts=1)
        run = shelf.harvest()
        assert run.outcome == Outcome.FAILED
        assert "records in a row could not be fetched" in words(run)
        assert len(server.requests) < 80
        server.faults = []
        assert shelf.harvest().outcome == Outcome.OK
        assert len(shelf.records()) == 200
        assert shelf.quarantined() == []


def test_a_server_that_dies_on_the_way_is_not_asked_for_every_record(tmp_path: Path) -> None:
    fault = transport.Resetting(times=None, verbs=("ListRecords", "GetRecord"))
    with OaiServer(make_items(200), fault) as server:
        shelf = make_shelf(tmp_path, server, attempts=1)
        run = shelf.harvest()
        assert run.outcome == Outcome.FAILED
        assert len(asked(server, "GetRecord")) == 3
        assert shelf.next_from() is None


def test_a_server_that_gives_another_record_is_not_believed(tmp_path: Path) -> None:
    @dataclass
    class Stubborn(Fault):
        def item(self, item: Item) -> Item:
            is_single = self.server.requests[-1].arguments["verb"] == "GetRecord"
            return self.server.items[0] if is_single else item

    with OaiServer(make_items(5), Stubborn()) as server:
        shelf = make_shelf(tmp_path, server, mode="one-by-one")
        run = shelf.harvest()
        assert run.outcome == Outcome.PARTIAL
        assert set(shelf.records()) == {"oai:test.example:0"}
        assert {case.reason for case in shelf.quarantined()} == {"GetRecord brought another record"}
        assert len(shelf.quarantined()) == 4


def test_a_token_that_expires_among_the_identifiers_splits_their_window(tmp_path: Path) -> None:
    with OaiServer(make_items(45), tokens.Expiring()) as server:
        shelf = make_shelf(tmp_path, server, mode="one-by-one")
        run = shelf.harvest()
        assert run.outcome == Outcome.OK, words(run)
        assert len(shelf.records()) == 45


def test_bare_tokens_are_found_out_among_the_identifiers_as_well(tmp_path: Path) -> None:
    with OaiServer(make_items(25), tokens.UnescapedTokens()) as server:
        shelf = make_shelf(tmp_path, server, mode="one-by-one")
        assert shelf.harvest().outcome == Outcome.OK
        assert len(shelf.records()) == 25


def test_a_page_of_identifiers_that_came_cut_is_asked_for_again(tmp_path: Path) -> None:
    with OaiServer(make_items(25), transport.HalfBody(skip=1, times=2)) as server:
        shelf = make_shelf(tmp_path, server, mode="one-by-one")
        assert shelf.harvest().outcome == Outcome.OK
        assert len(shelf.records()) == 25


def test_a_limit_holds_one_by_one(tmp_path: Path) -> None:
    with OaiServer(make_items(25)) as server:
        shelf = make_shelf(tmp_path, server, mode="one-by-one")
        assert shelf.harvest(limit=7).outcome == Outcome.OK
        assert 7 <= len(shelf.records()) <= 10
        assert shelf.next_from() is None


def test_identifiers_without_a_record_in_the_format_are_no_problem(tmp_path: Path) -> None:
    @dataclass
    class Partly(Fault):
        def reinterpret(self, asked: Asked) -> Asked:
            if asked.arguments.get("identifier", "").endswith("3"):
                raise Refused("cannotDisseminateFormat", "not in this one")
            return asked

    with OaiServer(make_items(25), Partly()) as server:
        shelf = make_shelf(tmp_path, server, mode="one-by-one")
        assert shelf.harvest().outcome == Outcome.OK
        assert len(shelf.records()) == 22


def test_a_damaged_single_record_is_repaired_and_told(tmp_path: Path) -> None:
    with OaiServer(make_items(25), "bare ampersand") as server:
        shelf = make_shelf(tmp_path, server, mode="one-by-one")
        run = shelf.harvest()
        assert run.outcome == Outcome.PARTIAL
        assert "oai:test.example:12 was not well-formed" in words(run)
        assert len(shelf.records()) == 25


def test_a_header_without_identifier_is_quarantined(tmp_path: Path) -> None:
    with OaiServer(make_items(25), records.NoIdentifier()) as server:
        shelf = make_shelf(tmp_path, server, mode="one-by-one")
        assert shelf.harvest().outcome == Outcome.PARTIAL
        assert [case.reason for case in shelf.quarantined()] == ["the header has no identifier"]
