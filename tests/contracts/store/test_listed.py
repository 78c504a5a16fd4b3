"""What a full pass has seen, and what vanished."""

from __future__ import annotations

from tests.contracts.store.shelf import Shelf, gone, live
from windrow.store import listed


def test_what_was_not_listed_has_vanished(shelf: Shelf) -> None:
    shelf.write(live("a"), live("b"), gone("c"), live("d"))
    Shelf(shelf.store, "straw").write(live("x"))
    with shelf.store.writing() as connection:
        listed.add(connection, shelf.run_id, ["b", "new", "b"])
        listed.add(connection, shelf.run_id, [])
    with shelf.store.reading() as connection:
        assert listed.count(connection, shelf.run_id) == 2
        assert listed.vanished(connection, shelf.source_id, shelf.run_id, []) == ["a", "d"]
        assert listed.vanished(connection, shelf.source_id, shelf.run_id, [], limit=1) == ["a"]
        assert listed.live(connection, shelf.source_id, []) == 3


def test_a_pass_over_some_sets_says_nothing_of_the_others(shelf: Shelf) -> None:
    shelf.write(
        live("a", sets=("s",)), live("b", sets=("s:sub",)), live("c", sets=("st",)), live("d", sets=("s%",))
    )
    with shelf.store.reading() as connection:
        assert listed.vanished(connection, shelf.source_id, shelf.run_id, ["s"]) == ["a", "b"]
        assert listed.vanished(connection, shelf.source_id, shelf.run_id, ["st", "s%"]) == ["c", "d"]
        assert listed.live(connection, shelf.source_id, ["s"]) == 2


def test_one_pass_does_not_see_with_another_s_eyes(shelf: Shelf) -> None:
    shelf.write(live("a"))
    with shelf.store.writing() as connection:
        listed.add(connection, 1, ["a"])
    with shelf.store.reading() as connection:
        assert listed.vanished(connection, shelf.source_id, 1, []) == []
        assert listed.vanished(connection, shelf.source_id, 2, []) == ["a"]


def test_a_pass_is_forgotten_with_those_before_it(shelf: Shelf) -> None:
    with shelf.store.writing() as connection:
        for number in (1, 2, 3):
            listed.add(connection, number, ["a"])
        listed.clear(connection, 2)
    with shelf.store.reading() as connection:
        assert [listed.count(connection, number) for number in (1, 2, 3)] == [0, 0, 1]
