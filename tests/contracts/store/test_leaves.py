"""The leaves of a source: a record never changes its place, and what a leaf says is always true."""

from __future__ import annotations

import random

import pytest

from tests.contracts.store.shelf import BackEnd, Shelf, gone, live
from windrow.model.record import Record
from windrow.store import leaves, sequence, sources
from windrow.store.guards import guard_set
from windrow.store.leaves import LEAF, Leaf, follow
from windrow.store.store import Store

GUARDED = (guard_set("staff"),)
_RECORDS = "SELECT id, is_deleted, seq, group_id FROM record WHERE source_id = ? ORDER BY id"
_GUARDS = "SELECT m.group_id FROM set_member m JOIN source_set s ON s.id = m.set_id WHERE s.spec = ?"


def names(first: int, last: int) -> list[str]:
    return [f"n{number:05d}" for number in range(first, last + 1)]


def fill(shelf: Shelf, first: int, last: int) -> None:
    shelf.write(*[live(name) for name in names(first, last)])


def held(shelf: Shelf) -> list[Leaf]:
    with shelf.store.reading() as connection:
        return leaves.leaves(connection, shelf.source_id)


def seen(shelf: Shelf, first: int = 1, last: int | None = None) -> list[str]:
    """The identifiers that everybody may see on leaves, in order."""
    with shelf.store.reading() as connection:
        run = leaves.leaves(connection, shelf.source_id, first, -1 if last is None else last - first + 1)
        return [identifier for _, identifier, _ in leaves.entries(connection, run)]


def counted(shelf: Shelf) -> list[Leaf]:
    """The leaves as they must be: counted from the records, in no clever way."""
    with shelf.store.reading() as connection:
        rows = connection.exec_driver_sql(_RECORDS, (shelf.source_id,)).all()
        hidden = set(connection.exec_driver_sql(_GUARDS, GUARDED).scalars())
    parts = [rows[start : start + LEAF] for start in range(0, len(rows), LEAF)]
    return [
        Leaf(
            shelf.source_id,
            number,
            part[0][0],
            part[-1][0],
            len(part),
            sum(not row[1] and row[3] not in hidden for row in part),
            max(row[2] for row in part),
        )
        for number, part in enumerate(parts, 1)
    ]


def test_records_lie_on_leaves_in_the_order_in_which_they_came(shelf: Shelf) -> None:
    fill(shelf, 1, 2 * LEAF + 3)
    assert follow(shelf.store) == 2 * LEAF + 3
    assert held(shelf) == counted(shelf)
    assert [leaf.total for leaf in held(shelf)] == [LEAF, LEAF, 3]
    assert seen(shelf, 2, 2) == names(LEAF + 1, 2 * LEAF)
    assert seen(shelf) == names(1, 2 * LEAF + 3)


def test_nothing_new_is_nothing_to_do(shelf: Shelf) -> None:
    assert follow(shelf.store) == 0
    fill(shelf, 1, 5)
    follow(shelf.store)
    assert follow(shelf.store) == 0


def test_new_records_go_behind_the_others_and_change_no_full_leaf(shelf: Shelf) -> None:
    fill(shelf, 1, LEAF + 1)
    follow(shelf.store)
    before = held(shelf)
    fill(shelf, LEAF + 2, 2 * LEAF + 1)
    follow(shelf.store)
    assert held(shelf)[0] == before[0]
    assert [leaf.total for leaf in held(shelf)] == [LEAF, LEAF, 1]
    assert held(shelf) == counted(shelf)


def test_a_deleted_record_keeps_its_place_and_is_not_shown(shelf: Shelf) -> None:
    fill(shelf, 1, LEAF + 1)
    follow(shelf.store)
    before = held(shelf)
    shelf.write(gone("n00007"))
    follow(shelf.store)
    first, second = held(shelf)
    assert (first.total, first.live) == (LEAF, LEAF - 1)
    assert first.seq == shelf.last_seq() > before[0].seq
    assert second == before[1]
    assert "n00007" not in seen(shelf)


def test_a_record_that_comes_back_is_where_it_was(shelf: Shelf) -> None:
    fill(shelf, 1, LEAF + 1)
    shelf.write(gone("n00007"))
    follow(shelf.store)
    shelf.write(live("n00007", b"<again/>"))
    follow(shelf.store)
    assert seen(shelf, 1, 1) == names(1, LEAF)
    assert held(shelf) == counted(shelf)


def test_what_a_guard_protects_is_on_its_leaf_and_not_shown(shelf: Shelf) -> None:
    fill(shelf, 1, 4)
    shelf.write(live("n00005", sets=("open", *GUARDED)))
    follow(shelf.store)
    assert [(leaf.total, leaf.live) for leaf in held(shelf)] == [(5, 4)]
    assert seen(shelf) == names(1, 4)
    shelf.write(live("n00005", sets=("open",)), live("n00002", sets=GUARDED))
    follow(shelf.store)
    assert seen(shelf) == ["n00001", "n00003", "n00004", "n00005"]
    assert held(shelf) == counted(shelf)


def test_a_source_forgotten_and_harvested_again_begins_with_leaf_one(shelf: Shelf) -> None:
    other = Shelf(shelf.store, "straw")
    fill(shelf, 1, LEAF + 5)
    fill(other, 1, 3)
    follow(shelf.store)
    beside = held(other)
    with shelf.store.writing() as connection:
        sources.forget(connection, shelf.source_id)
    follow(shelf.store)
    again = Shelf(shelf.store)
    assert held(again) == []
    fill(again, 3, 9)
    follow(shelf.store)
    assert seen(again) == names(3, 9)
    assert held(again) == counted(again)
    assert held(other) == beside == counted(other)


def test_a_source_forgotten_before_its_records_were_laid_out_leaves_nothing(shelf: Shelf) -> None:
    fill(shelf, 1, 9)
    with shelf.store.writing() as connection:
        sources.forget(connection, shelf.source_id)
    assert follow(shelf.store) == 0
    assert shelf.count("leaf") == 0


def test_sources_that_come_at_the_same_time_have_leaves_of_their_own(shelf: Shelf) -> None:
    other = Shelf(shelf.store, "straw")
    for start in range(1, 3 * LEAF, 100):
        fill(shelf, start, start + 99)
        fill(other, start, start + 49)
    follow(shelf.store)
    assert held(shelf) == counted(shelf)
    assert held(other) == counted(other)
    with shelf.store.reading() as connection:
        told = [(each.name, each.leaves, each.live) for each in leaves.shelves(connection)]
        assert told == [("hay", 3, 3 * LEAF), ("straw", 2, 300)]
        assert leaves.shelf(connection, "straw") == leaves.shelves(connection)[1]
        assert leaves.shelf(connection, "oats") is None


@pytest.mark.parametrize("seed", range(4))
def test_however_much_is_taken_at_once_the_leaves_are_true(
    shelf: Shelf, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(seed)
    monkeypatch.setattr(leaves, "BATCH", chance.choice((1, 7, 150, 1000)))
    both = (shelf, Shelf(shelf.store, "straw"))
    for _ in range(12):
        where = chance.choice(both)
        some = [f"n{chance.randrange(900):05d}" for _ in range(chance.choice((1, 20, 120)))]
        kinds = (live, gone, lambda name: live(name, b"<%d/>" % chance.randrange(9)), guarded)
        where.write(*[chance.choice(kinds)(name) for name in some])
        if chance.random() < 0.5:
            follow(shelf.store)
    follow(shelf.store)
    for each in both:
        assert held(each) == counted(each)
        assert len(seen(each)) == sum(leaf.live for leaf in held(each))


def guarded(name: str) -> Record:
    return live(name, sets=GUARDED)


def test_work_that_is_ended_early_goes_on_where_it_was(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leaves, "BATCH", 50)
    fill(shelf, 1, 2 * LEAF)

    def end() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        follow(shelf.store, heed=end)
    assert [leaf.total for leaf in held(shelf)] == [50]
    with shelf.store.reading() as connection:
        assert not leaves.is_whole(connection)
    assert follow(shelf.store) == 2 * LEAF - 50
    assert held(shelf) == counted(shelf)


def test_the_leaves_are_kept_with_the_library(back_end: BackEnd, store: Store, shelf: Shelf) -> None:
    fill(shelf, 1, LEAF + 1)
    follow(store)
    store.close()
    again = back_end.open(store.database._path.parent)
    try:
        assert follow(again) == 0
        with again.reading() as connection:
            assert leaves.is_whole(connection)
            assert len(leaves.leaves(connection, shelf.source_id)) == 2
    finally:
        again.close()


def test_a_leaf_that_is_not_there_is_none(shelf: Shelf) -> None:
    fill(shelf, 1, LEAF + 1)
    follow(shelf.store)
    with shelf.store.reading() as connection:
        assert leaves.leaf(connection, shelf.source_id, 2) == held(shelf)[1]
        assert leaves.leaf(connection, shelf.source_id, 3) is None
        assert leaves.leaf(connection, shelf.source_id, 0) is None
        assert leaves.entries(connection, []) == []


def test_the_way_to_the_next_leaf_passes_those_on_which_nothing_is_left(shelf: Shelf) -> None:
    fill(shelf, 1, 3 * LEAF)
    shelf.write(*[gone(name) for name in names(LEAF + 1, 2 * LEAF)])
    follow(shelf.store)
    with shelf.store.reading() as connection:
        assert leaves.neighbours(connection, shelf.source_id, 1) == (None, 3)
        assert leaves.neighbours(connection, shelf.source_id, 2) == (1, 3)
        assert leaves.neighbours(connection, shelf.source_id, 3) == (1, None)


def test_a_leaf_spread_over_a_large_library_is_found_by_its_source(shelf: Shelf) -> None:
    fill(shelf, 1, 5)
    follow(shelf.store)
    asked: list[str] = []
    with shelf.store.reading() as connection:
        run = leaves.leaves(connection, shelf.source_id)
        connection.raw.set_trace_callback(asked.append)
        leaves.entries(connection, run)
        connection.raw.set_trace_callback(None)
        plan = str(connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {asked[0]}").all())
    assert "record_leaf (source_id=? AND id>? AND id<?)" in plan


def test_sections_say_what_changed_on_any_of_their_leaves(shelf: Shelf) -> None:
    other = Shelf(shelf.store, "barley")
    fill(shelf, 1, 3 * LEAF)
    fill(other, 1, 1)
    follow(shelf.store)
    shelf.write(gone("n00001"), now=5000)
    follow(shelf.store)
    with shelf.store.reading() as connection:
        found = leaves.sections(connection, 2)
        assert [(each.name, each.number, each.live) for each in found] == [
            ("barley", 1, 1),
            ("hay", 1, 2 * LEAF - 1),
            ("hay", 2, LEAF),
        ]
        assert found[1].seq == sequence.last(connection)
        assert [leaves.changed_at(connection, each.seq) for each in found] == [1000, 5000, 1000]


def test_following_takes_no_number_of_the_sequence(shelf: Shelf) -> None:
    fill(shelf, 1, 5)
    before = shelf.last_seq()
    follow(shelf.store)
    with shelf.store.reading() as connection:
        assert sequence.last(connection) == before
