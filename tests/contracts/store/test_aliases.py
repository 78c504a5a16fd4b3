"""Merged identifiers: where they lead, how far, and never in a circle."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import pairwise

from tests.contracts.store.shelf import Shelf, gone, live
from windrow.store.records import record_reader
from windrow.store.records.record_reader import MAX_ALIAS_STEPS
from windrow.store.store import Store


def merge(shelf: Shelf, old: str, new: str, *, now: int = 5) -> None:
    number = shelf.find(new).id
    with shelf.store.writing() as connection:
        record_reader.add_alias(connection, shelf.source_id, old, number, now=now)


def find(shelf: Shelf, identifier: str) -> str | None:
    with shelf.store.reading() as connection:
        return record_reader.resolve_alias(connection, shelf.source_id, identifier)


def test_a_merged_identifier_leads_to_the_other(shelf: Shelf) -> None:
    shelf.write(live("a"), live("b"))
    merge(shelf, "a", "b")
    assert find(shelf, "a") == "b"
    assert find(shelf, "b") is None
    assert find(shelf, "nothing") is None


def test_what_was_merged_twice_leads_to_the_end_at_once(shelf: Shelf) -> None:
    shelf.write(live("a"), live("b"), live("c"))
    merge(shelf, "a", "b")
    merge(shelf, "b", "c")
    assert find(shelf, "a") == "c"


def test_a_circle_leads_nowhere(shelf: Shelf) -> None:
    shelf.write(live("a"), live("b"), live("c"))
    merge(shelf, "a", "b")
    merge(shelf, "b", "c")
    merge(shelf, "c", "b")
    assert [find(shelf, name) for name in "abc"] == [None, None, None]


def test_a_long_way_is_gone_in_stretches(shelf: Shelf) -> None:
    names = [f"n{number}" for number in range(MAX_ALIAS_STEPS + 4)]
    shelf.write(*map(live, names))
    for old, new in pairwise(names):
        merge(shelf, old, new)
    reached = find(shelf, names[0])
    assert reached == names[MAX_ALIAS_STEPS]
    assert find(shelf, reached) == names[-1]


def test_the_same_identifier_in_another_source_is_another(store: Store) -> None:
    hay, straw = Shelf(store, "hay"), Shelf(store, "straw")
    for shelf in (hay, straw):
        shelf.write(live("a"), live("b"))
    merge(hay, "a", "b")
    assert (find(hay, "a"), find(straw, "a")) == ("b", None)
    with store.reading() as connection:
        assert record_reader.list_alias_names(connection, hay.source_id) == {"a"}
        assert record_reader.list_alias_names(connection, straw.source_id) == frozenset()


def test_merging_again_changes_where_it_leads(shelf: Shelf) -> None:
    shelf.write(live("a"), live("b"), live("c"))
    merge(shelf, "a", "b")
    merge(shelf, "a", "c")
    assert find(shelf, "a") == "c"


def test_a_merge_that_is_taken_back_is_gone(shelf: Shelf) -> None:
    shelf.write(live("a"), live("b"))
    merge(shelf, "a", "b")
    with shelf.store.writing() as connection:
        assert record_reader.remove_alias(connection, shelf.source_id, "a")
        assert not record_reader.remove_alias(connection, shelf.source_id, "a")
    assert find(shelf, "a") is None


def test_the_list_says_where_each_leads_now_and_which_end_at_a_tombstone(store: Store) -> None:
    hay, straw = Shelf(store, "hay"), Shelf(store, "straw")
    hay.write(live("a"), live("b"), live("c"), live("x"), live("y"))
    straw.write(live("a"), live("b"))
    merge(hay, "a", "b")
    merge(hay, "b", "c", now=60)
    merge(hay, "x", "y")
    merge(straw, "a", "b")
    hay.write(gone("b"), gone("y"))
    with store.reading() as connection:
        found = record_reader.list_aliases(connection, "hay")
        assert [(each.identifier, each.into, each.leads_to, each.is_dead_end) for each in found] == [
            ("a", "b", "c", False),
            ("b", "c", "c", False),
            ("x", "y", "y", True),
        ]
        assert found[1].at == datetime(1970, 1, 1, 0, 1, tzinfo=UTC)
        assert {each.source for each in record_reader.list_aliases(connection)} == {"hay", "straw"}
