"""Sets: listed twice, in any order, many to a record, none at all; harvested one by one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.flows.faulting import Expected, check_fault
from tests.flows.harvesting import asked, make_shelf, words
from tests.servers.faults import sets, transport
from tests.servers.items import Item, dublin_core, make_items
from tests.servers.oai import NOW, OaiServer
from windrow.model.run import Outcome

FAULTS = {
    "a set twice": Expected(says="copy_of_art is art listed again"),
    "sets reversed": Expected(),
    "nineteen sets": Expected(),
    "no sets": Expected(),
    "endless sets": Expected(says="ListSets does not end"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_no_fault_of_sets_loses_a_record_without_a_word(tmp_path: Path, name: str) -> None:
    check_fault(tmp_path, name, FAULTS[name])


def test_a_set_listed_twice_under_two_specs_is_one(tmp_path: Path) -> None:
    with OaiServer(make_items(25), "a set twice") as server:
        shelf = make_shelf(tmp_path, server)
        shelf.harvest()
    found = {each.spec: each for each in shelf.sets()}
    assert found["copy_of_art"].merged_into == "art"
    assert found["art"].merged_into is None


@pytest.mark.parametrize("fault", ["sets reversed", "a set twice"])
def test_the_hierarchy_does_not_depend_on_the_order_of_the_list(tmp_path: Path, fault: str) -> None:
    with OaiServer(make_items(25), fault) as server:
        shelf = make_shelf(tmp_path, server)
        shelf.harvest()
    found = {each.spec: (each.name, each.parent) for each in shelf.sets()}
    assert found["art:music"] == ("The set art:music", "art")
    assert found["law"] == ("The set law", None)


def test_a_record_keeps_all_of_its_nineteen_sets(tmp_path: Path) -> None:
    with OaiServer(make_items(25), "nineteen sets") as server:
        shelf = make_shelf(tmp_path, server)
        shelf.harvest()
    assert set(shelf.records()["oai:test.example:12"].sets) == {f"com_{number}" for number in range(19)}


def test_a_set_that_is_new_on_a_record_is_asked_for_by_name(tmp_path: Path) -> None:
    with OaiServer(make_items(25)) as server:
        shelf = make_shelf(tmp_path, server)
        shelf.harvest()
        assert len(asked(server, "ListSets")) == 1
        server.put(Item("oai:test.example:new", NOW, ("novel",), dublin_core("New")))
        shelf.harvest()
        assert len(asked(server, "ListSets")) == 2
        shelf.harvest()
        assert len(asked(server, "ListSets")) == 2
    assert {each.spec: each.name for each in shelf.sets()}["novel"] == "The set novel"


def test_list_sets_that_failed_is_asked_again_the_next_time(tmp_path: Path) -> None:
    with OaiServer(make_items(25), transport.Failing(500, times=3, verbs=("ListSets",))) as server:
        shelf = make_shelf(tmp_path, server)
        run = shelf.harvest()
        assert run.outcome == Outcome.OK
        assert "ListSets failed" in words(run)
        assert {each.name for each in shelf.sets()} == {""}
        shelf.harvest()
        assert len(asked(server, "ListSets")) == 4
    assert {each.name for each in shelf.sets()} == {"The set art", "The set art:music", "The set law"}


def test_several_sets_are_lists_of_their_own_and_a_record_in_two_is_one(tmp_path: Path) -> None:
    items = [*make_items(24), Item("oai:test.example:both", NOW, ("art", "law"), dublin_core("Both"))]
    with OaiServer(items) as server:
        shelf = make_shelf(tmp_path, server, sets=["art", "law"])
        run = shelf.harvest()
        assert run.outcome == Outcome.OK
        firsts = [each for each in asked(server, "ListRecords") if "resumptionToken" not in each]
        assert [each["set"] for each in firsts] == ["art", "law"]
        assert len(shelf.records()) == 25
        assert shelf.next_from(spec="art") == shelf.next_from(spec="law") == "2024-06-01T12:00:00Z"
        assert shelf.next_from(spec="") is None
        sent = len(server.requests)
        assert shelf.harvest().outcome == Outcome.OK
        assert len(server.requests) == sent + 4, "what is new, and the size, of each"


def test_a_set_that_does_not_exist_leaves_the_others_be(tmp_path: Path) -> None:
    with OaiServer(make_items(25), transport.ErrorStatus(404)) as server:
        shelf = make_shelf(tmp_path, server, sets=["nothing", "law"])
        run = shelf.harvest()
        assert run.outcome == Outcome.PARTIAL
        assert len(shelf.records()) == 8


def test_a_set_added_to_the_configuration_is_harvested_from_its_beginning(tmp_path: Path) -> None:
    with OaiServer(make_items(24)) as server:
        shelf = make_shelf(tmp_path, server, sets=["law"])
        shelf.harvest()
        assert len(shelf.records()) == 8
        shelf.change(sets=["law", "art"])
        assert shelf.harvest().outcome == Outcome.OK
        assert len(shelf.records()) == 24


def test_records_that_came_by_their_set_before_do_not_make_the_whole_list_doubtful(tmp_path: Path) -> None:
    with OaiServer(make_items(25)) as server:
        shelf = make_shelf(tmp_path, server, sets=["law"])
        shelf.harvest()
        shelf.change(sets=None)
        before = len(asked(server))
        run = shelf.harvest()
    assert run.outcome == Outcome.OK
    assert "twice" not in words(run)
    assert {request["verb"] for request in asked(server)[before:]} == {
        "ListRecords",
        "ListIdentifiers",
    }


@pytest.mark.parametrize(
    ("fault", "most"),
    [
        (sets.EndlessSets(), 2),
        (sets.EndlessSets(lambda _: ("art",)), 2),
        (sets.EndlessSets(lambda _: ()), 1),
        (sets.EndlessSets(lambda number: (f"{number}",), lambda number: f"page-{number % 3 + 1}"), 4),
        (sets.EndlessSets(lambda number: ("art", f"made-up:{number}")), 50),
    ],
)
def test_a_list_of_sets_without_end_is_ended_by_what_it_brings(
    tmp_path: Path, fault: sets.EndlessSets, most: int
) -> None:
    with OaiServer(make_items(5), fault) as server:
        shelf = make_shelf(tmp_path, server)
        run = shelf.harvest()
        assert run.outcome == Outcome.OK, words(run)
        assert "ListSets does not end" in words(run)
        assert len(asked(server, "ListSets")) == most
        server.put(Item("oai:test.example:new", NOW, ("novel",), dublin_core("New")))
        shelf.harvest()
        assert len(asked(server, "ListSets")) == most, "it is not asked at every harvest"


def test_a_long_list_of_sets_is_read_to_its_end_without_a_word(tmp_path: Path) -> None:
    named = [(f"set{number}", f"Set {number}") for number in range(995)]
    with OaiServer(make_items(5), sets=named) as server:
        shelf = make_shelf(tmp_path, server)
        run = shelf.harvest()
        assert "ListSets" not in words(run)
        assert len(asked(server, "ListSets")) == 100
    assert len(shelf.sets()) >= 995
