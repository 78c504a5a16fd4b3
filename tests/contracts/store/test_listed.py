"""What a full pass has seen, and what vanished."""

from __future__ import annotations

from tests.contracts.store.shelf import NOW, Shelf, gone, live
from windrow.model.record import Reject
from windrow.store import sources
from windrow.store.connection import Connection
from windrow.store.harvests import list_comparison, quarantine_cases


def test_what_was_not_listed_has_vanished(shelf: Shelf) -> None:
    shelf.write(live("a"), live("b"), gone("c"), live("d"))
    Shelf(shelf.store, "straw").write(live("x"))
    with shelf.store.writing() as connection:
        list_comparison.add(connection, shelf.run_id, ["b", "new", "b"])
        list_comparison.add(connection, shelf.run_id, [])
    with shelf.store.reading() as connection:
        assert list_comparison.count(connection, shelf.run_id) == 2
        assert list_comparison.find_vanished(connection, shelf.source_id, shelf.run_id, []) == ["a", "d"]
        assert list_comparison.find_vanished(connection, shelf.source_id, shelf.run_id, [], limit=1) == ["a"]
        assert list_comparison.count_live(connection, shelf.source_id, []) == 3


def test_a_pass_over_some_sets_says_nothing_of_the_others(shelf: Shelf) -> None:
    shelf.write(
        live("a", sets=("s",)), live("b", sets=("s:sub",)), live("c", sets=("st",)), live("d", sets=("s%",))
    )
    with shelf.store.reading() as connection:
        assert list_comparison.find_vanished(connection, shelf.source_id, shelf.run_id, ["s"]) == ["a", "b"]
        assert list_comparison.find_vanished(connection, shelf.source_id, shelf.run_id, ["st", "s%"]) == [
            "c",
            "d",
        ]
        assert list_comparison.count_live(connection, shelf.source_id, ["s"]) == 2


def test_one_pass_does_not_see_with_another_s_eyes(shelf: Shelf) -> None:
    shelf.write(live("a"))
    with shelf.store.writing() as connection:
        list_comparison.add(connection, 1, ["a"])
    with shelf.store.reading() as connection:
        assert list_comparison.find_vanished(connection, shelf.source_id, 1, []) == []
        assert list_comparison.find_vanished(connection, shelf.source_id, 2, []) == ["a"]


def test_what_a_source_s_runs_have_noted_is_forgotten_together(shelf: Shelf) -> None:
    other = Shelf(shelf.store, "straw")
    numbers = [shelf.start_run(), shelf.start_run(), other.start_run()]
    with shelf.store.writing() as connection:
        for number in numbers:
            assert list_comparison.add(connection, number, ["a", "b", "a"]) == 2
            assert list_comparison.add(connection, -number, ["a"]) == 1
        list_comparison.clear(connection, -numbers[0])
        assert list_comparison.count(connection, numbers[0]) == 2
        list_comparison.clear_source(connection, shelf.source_id)
    with shelf.store.reading() as connection:
        assert [list_comparison.count(connection, number) for number in numbers] == [0, 0, 2]
        assert list_comparison.count(connection, -numbers[2]) == 1


def test_what_is_held_of_a_list_counts_what_the_source_would_list(shelf: Shelf) -> None:
    shelf.write(
        live("a", sets=("s",)), live("b", sets=("t",)), gone("c", sets=("s",)), gone("d", sets=("s",))
    )
    shelf.write(live("a"), live("e", sets=("s",)), prefix="mods")
    with shelf.store.writing() as connection:
        list_comparison.mark_tombstones(connection, shelf.source_id, ["d"], at="2024-06-01T00:00:00+00:00")
        formats = {name: sources.format_id(connection, name) for name in ("oai_dc", "mods")}
        reject = Reject("broken", b"", "q")
        quarantine_cases.put(connection, shelf.source_id, shelf.run_id, "oai_dc", [reject, reject], now=NOW)

        def count(prefix: str, spec: str = "") -> list_comparison.ListHoldings:
            return list_comparison.count_holdings(connection, shelf.source_id, prefix, formats[prefix], spec)

        assert count("oai_dc") == list_comparison.ListHoldings(live=2, tombstones=1, quarantined=1, merged=0)
        assert count("mods") == list_comparison.ListHoldings(live=2, tombstones=1, quarantined=0, merged=0)
        assert count("mods", "s").live == 1
        assert count("oai_dc").listed(lists_tombstones=True) == 4
        assert count("oai_dc").listed(lists_tombstones=False) == 3


def test_suspects_are_those_that_a_comparison_missed(shelf: Shelf) -> None:
    shelf.write(live("a"), live("b"), live("c"))
    with shelf.store.writing() as connection:
        key: tuple[Connection, int, int, list[str]] = (connection, shelf.source_id, shelf.run_id, [])
        assert list_comparison.get_suspected_at(connection, shelf.source_id) is None
        list_comparison.add(connection, shelf.run_id, ["a"])
        list_comparison.note_suspects(*key, at="2024-06-01T00:00:00+00:00")
        assert list_comparison.get_suspected_at(connection, shelf.source_id) == "2024-06-01T00:00:00+00:00"
        assert list_comparison.find_vanished(*key, is_new=True) == []
        list_comparison.clear(connection, shelf.run_id)
        assert list_comparison.find_vanished(*key, is_new=True) == ["a"]
        list_comparison.forget_suspects(connection, shelf.source_id)
        assert list_comparison.get_suspected_at(connection, shelf.source_id) is None
