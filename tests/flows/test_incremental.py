"""The second harvest and those after it: what they ask for, and what may not move where they start."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.flows.harvesting import asked, make_shelf, words
from tests.servers.faults import lists, tokens, transport
from tests.servers.items import Item, dublin_core, make_items
from tests.servers.oai import DAYS, NOW, OaiServer
from windrow.model.run import Outcome

STARTED = "2024-06-01T12:00:00Z"


def new(number: int = 1, *, stamp: datetime = NOW) -> Item:
    """A record that was not there before."""
    return Item(f"oai:test.example:new-{number}", stamp, ("art",), dublin_core(f"New {number}"))


def test_the_next_harvest_starts_at_the_server_s_time_not_at_the_newest_datestamp(tmp_path: Path) -> None:
    with OaiServer(make_items(25)) as server:
        shelf = make_shelf(tmp_path, server)
        shelf.harvest()
        assert shelf.next_from() == STARTED
        shelf.harvest()
        assert asked(server, "ListRecords")[-1] == {
            "verb": "ListRecords",
            "metadataPrefix": "oai_dc",
            "from": STARTED,
        }


def test_the_next_harvest_starts_where_the_last_began_not_where_it_ended(tmp_path: Path) -> None:
    with OaiServer(make_items(25)) as server:
        shelf = make_shelf(tmp_path, server)
        honest = server.handle

        def handle(request: Any) -> Any:
            reply = honest(request)
            server.now += timedelta(hours=1)
            return reply

        server.handle = handle
        shelf.harvest()
    # Identify was the first answer, the first page of records the second.
    assert shelf.next_from() == "2024-06-01T13:00:00Z"


def test_a_record_that_changes_during_the_harvest_is_in_the_next(tmp_path: Path) -> None:
    with OaiServer(make_items(25)) as server:
        shelf = make_shelf(tmp_path, server)
        honest = server.handle

        def handle(request: Any) -> Any:
            if "resumptionToken" in request.arguments:
                server.put(Item("oai:test.example:0", NOW, ("art",), dublin_core("Changed meanwhile")))
            return honest(request)

        server.handle = handle
        shelf.harvest()
        server.handle = honest
        assert shelf.harvest().outcome == Outcome.OK
        payload = shelf.records()["oai:test.example:0"].payload()
        assert payload is not None
        assert b"Changed meanwhile" in payload.data
        assert len(shelf.records()) == 25, "the list moved under our feet, and a record fell out of it"


def test_the_start_is_cut_to_the_granularity(tmp_path: Path) -> None:
    with OaiServer(make_items(5), granularity=DAYS) as server:
        shelf = make_shelf(tmp_path, server)
        shelf.harvest()
    assert shelf.next_from() == "2024-06-01"


@pytest.mark.parametrize("formats", [["oai_dc"], ["oai_dc", "mods", "marc21"]])
def test_a_harvest_with_nothing_new_is_two_requests_a_format(tmp_path: Path, formats: list[str]) -> None:
    with OaiServer(make_items(25), formats=formats) as server:
        shelf = make_shelf(tmp_path, server, formats=formats)
        shelf.harvest()
        sent = len(server.requests)
        run = shelf.harvest()
        assert run.outcome == Outcome.OK
        assert len(server.requests) - sent == 2 * len(formats) == run.counters.requests
        assert run.counters.seen == 0


def test_what_is_new_changed_and_deleted_is_brought_in(tmp_path: Path) -> None:
    with OaiServer(make_items(25)) as server:
        shelf = make_shelf(tmp_path, server)
        shelf.harvest()
        server.put(new())
        server.put(Item("oai:test.example:3", NOW, ("law",), dublin_core("Other title")))
        server.delete("oai:test.example:4", NOW)
        run = shelf.harvest()
    counters = run.counters
    assert (counters.added, counters.changed, counters.deleted, counters.unchanged) == (1, 1, 1, 0)
    assert shelf.records()["oai:test.example:4"].is_deleted
    assert shelf.records()["oai:test.example:3"].sets == ("law",)
    assert len(shelf.live()) == 25


@pytest.mark.parametrize(
    "options",
    [
        {"since": "2020-01-20"},
        {"until": "2020-01-05"},
        {"limit": 7},
        {"since": "2020-01-03", "until": "2020-01-06"},
    ],
)
@pytest.mark.parametrize("is_first", [True, False])
def test_a_look_at_a_part_does_not_move_the_start(
    tmp_path: Path, options: dict[str, Any], is_first: bool
) -> None:
    with OaiServer(make_items(25)) as server:
        shelf = make_shelf(tmp_path, server)
        if not is_first:
            shelf.harvest()
        before = None if is_first else STARTED
        server.now += timedelta(days=3)
        assert shelf.harvest(**options).outcome == Outcome.OK
        assert shelf.next_from() == before
        assert shelf.windows() == 0
        shelf.harvest()
        assert len(shelf.records()) == 25
        starts = [each.get("from") for each in asked(server, "ListRecords") if "metadataPrefix" in each]
        assert starts[-1] == before


@pytest.mark.parametrize("limit", [1, 7, 10, 13, 25, 99])
def test_a_limit_brings_so_many_records_and_asks_for_no_more_pages(tmp_path: Path, limit: int) -> None:
    with OaiServer(make_items(25)) as server:
        shelf = make_shelf(tmp_path, server)
        shelf.harvest(limit=limit)
        assert len(shelf.records()) == min(limit, 25)
        assert len(asked(server, "ListRecords")) == min((limit + 9) // 10, 3)


def test_a_look_at_a_part_that_fails_leaves_no_window_behind(tmp_path: Path) -> None:
    with OaiServer(make_items(25), transport.Resetting(skip=1, times=None)) as server:
        shelf = make_shelf(tmp_path, server, mode="list")
        assert shelf.harvest(since="2020-01-02").outcome == Outcome.FAILED
        assert shelf.windows() == 0
        server.faults = []
        assert shelf.harvest().outcome == Outcome.OK
        assert len(shelf.records()) == 25, "the part that failed was taken for the whole"


def test_a_look_at_a_part_leaves_a_stopped_harvest_where_it_was(tmp_path: Path) -> None:
    with OaiServer(make_items(25), transport.Resetting(skip=2, times=None)) as server:
        shelf = make_shelf(tmp_path, server, mode="list")
        shelf.harvest()
        server.faults = []
        shelf.harvest(limit=3)
        sent = len(server.requests)
        assert shelf.harvest().outcome == Outcome.OK
        assert asked(server)[sent]["resumptionToken"].startswith("20~")
        assert len(shelf.records()) == 25


def test_a_failed_harvest_does_not_move_the_start(tmp_path: Path) -> None:
    with OaiServer(make_items(25)) as server:
        shelf = make_shelf(tmp_path, server, mode="list")
        shelf.harvest()
        server.now += timedelta(days=1)
        for number in range(15):
            server.put(new(number, stamp=NOW + timedelta(minutes=number)))
        server.faults = [transport.Resetting(skip=1, times=None)]
        server.faults[0].server = server
        assert shelf.harvest().outcome == Outcome.FAILED
        assert shelf.next_from() == STARTED
        server.faults = []
        server.now += timedelta(days=1)
        assert shelf.harvest().outcome == Outcome.OK
        assert len(shelf.records()) == 40
        # The list was begun a day ago, so what came since was asked for as well.
        assert shelf.next_from() == "2024-06-03T12:00:00Z"


def test_an_incomplete_list_does_not_move_the_start_and_the_next_harvest_repairs_it(tmp_path: Path) -> None:
    with OaiServer(make_items(25), tokens.RepeatingForever(), lists.DatesIgnored()) as server:
        shelf = make_shelf(tmp_path, server)
        assert shelf.harvest().outcome == Outcome.PARTIAL
        assert shelf.next_from() is None
        server.faults = []
        assert shelf.harvest().outcome == Outcome.OK
    assert len(shelf.records()) == 25


def test_a_full_harvest_starts_from_the_beginning_and_changes_nothing_that_is_the_same(
    tmp_path: Path,
) -> None:
    with OaiServer(make_items(25)) as server:
        shelf = make_shelf(tmp_path, server)
        shelf.harvest()
        run = shelf.harvest(is_full=True)
        assert run.counters.unchanged == 25
        assert run.counters.changed == run.counters.added == 0
        assert "from" not in asked(server, "ListRecords")[-3]


def test_several_formats_are_payloads_of_one_record(tmp_path: Path) -> None:
    with OaiServer(make_items(25), formats=["oai_dc", "mods"]) as server:
        shelf = make_shelf(tmp_path, server, formats=["oai_dc", "mods"])
        assert shelf.harvest().outcome == Outcome.OK
        found = shelf.records()
        assert len(found) == 25
        assert {each.prefix for each in found["oai:test.example:1"].payloads} == {"oai_dc", "mods"}
        assert shelf.next_from(prefix="mods") == STARTED


def test_a_format_that_is_not_offered_leaves_the_others_be_and_says_what_is(tmp_path: Path) -> None:
    with OaiServer(make_items(25)) as server:
        shelf = make_shelf(tmp_path, server, formats=["mods", "oai_dc"])
        run = shelf.harvest()
        assert run.outcome == Outcome.PARTIAL
        assert "cannotDisseminateFormat" in words(run)
        assert "The repository offers: oai_dc" in words(run)
        assert len(shelf.records()) == 25
        assert shelf.next_from() == STARTED
        assert shelf.next_from(prefix="mods") is None


def test_a_format_added_to_the_configuration_is_harvested_from_its_beginning(tmp_path: Path) -> None:
    with OaiServer(make_items(25), formats=["oai_dc", "mods"]) as server:
        shelf = make_shelf(tmp_path, server)
        shelf.harvest()
        shelf.change(formats=["oai_dc", "mods"])
        run = shelf.harvest()
        assert run.outcome == Outcome.OK
        assert all(len(each.payloads) == 2 for each in shelf.records().values())


def test_a_bound_moved_in_the_configuration_is_heeded(tmp_path: Path) -> None:
    with OaiServer(make_items(25)) as server:
        shelf = make_shelf(tmp_path, server, **{"from": "2020-01-20"})
        shelf.harvest()
        assert len(shelf.records()) == 6
        shelf.change(from_="2020-01-10")
        shelf.harvest()
        assert len(shelf.records()) == 16, "older records were never asked for"
        shelf.change(from_=None)
        shelf.harvest()
        assert len(shelf.records()) == 25


def test_a_bound_moved_while_a_harvest_was_stopped_is_heeded(tmp_path: Path) -> None:
    with OaiServer(make_items(25), transport.Resetting(skip=1, times=None)) as server:
        shelf = make_shelf(tmp_path, server, mode="list", **{"from": "2020-01-10"})
        assert shelf.harvest().outcome == Outcome.FAILED
        server.faults = []
        shelf.change(from_=None)
        shelf.harvest()
    assert len(shelf.records()) == 25


def test_a_history_that_ends_in_the_past_is_asked_for_once(tmp_path: Path) -> None:
    with OaiServer(make_items(25)) as server:
        shelf = make_shelf(tmp_path, server, until="2020-01-10")
        shelf.harvest()
        assert len(shelf.records()) == 10
        sent = len(server.requests)
        run = shelf.harvest()
        assert run.outcome == Outcome.OK
        assert len(server.requests) == sent
        assert shelf.next_from() == STARTED


def test_a_new_address_is_harvested_from_the_beginning(tmp_path: Path) -> None:
    with OaiServer(make_items(25)) as old, OaiServer(make_items(40)) as other:
        shelf = make_shelf(tmp_path, old)
        shelf.harvest()
        shelf.change(url=other.url)
        run = shelf.harvest()
        assert run.outcome == Outcome.OK
        assert "harvested anew" in words(run)
        assert asked(other)[0] == {"verb": "Identify"}
        assert len(shelf.records()) == 40


def test_a_token_is_not_carried_to_a_new_address(tmp_path: Path) -> None:
    with (
        OaiServer(make_items(25), transport.Resetting(skip=1, times=None)) as old,
        OaiServer(make_items(40)) as other,
    ):
        shelf = make_shelf(tmp_path, old, mode="list")
        assert shelf.harvest().outcome == Outcome.FAILED
        shelf.change(url=other.url)
        assert shelf.harvest().outcome == Outcome.OK
        assert len(shelf.records()) == 40


@pytest.mark.parametrize("told", ["", "2999-01-01T00:00:00Z", "yesterday"])
def test_a_server_whose_clock_cannot_be_believed_is_given_a_day_s_grace(tmp_path: Path, told: str) -> None:
    with OaiServer(make_items(5)) as server:
        honest = server.handle

        def handle(request: Any) -> Any:
            reply = honest(request)
            return replace(reply, body=reply.body.replace(b"2024-06-01T12:00:00Z", told.encode(), 1))

        server.handle = handle
        shelf = make_shelf(tmp_path, server)
        assert shelf.harvest().outcome == Outcome.OK
    next_from = datetime.fromisoformat(str(shelf.next_from()))
    grace = datetime.now(UTC) - next_from
    assert timedelta(hours=23) < grace < timedelta(hours=26)


def test_questions_that_are_refused_are_not_asked_at_every_harvest(tmp_path: Path) -> None:
    refusing = transport.Failing(404, times=None, verbs=("Identify", "ListSets"))
    with OaiServer(make_items(5), refusing) as server:
        shelf = make_shelf(tmp_path, server)
        assert "Identify failed" in words(shelf.harvest())
        before = len(asked(server))
        assert shelf.harvest().outcome == Outcome.OK
        assert [request["verb"] for request in asked(server)[before:]] == ["ListRecords", "ListIdentifiers"]
        server.faults = []
        shelf.harvest(is_full=True)
        assert {"Identify", "ListSets"} <= {request["verb"] for request in asked(server)[before:]}
