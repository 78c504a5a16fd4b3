"""The leaves of a source: a record never changes its place, and what a leaf says is always true."""

from __future__ import annotations

import random

import pytest

from tests.contracts.store.shelf import BackEnd, Shelf, gone, live
from windrow.model.record import Record
from windrow.store import sequence, sources
from windrow.store.published import list_pages
from windrow.store.published.list_pages import PAGE_RECORDS, ListPage, update_list_pages
from windrow.store.records.set_hierarchy import guard_set
from windrow.store.store import Store

GUARDED = (guard_set("staff"),)
_RECORDS = "SELECT id, is_deleted, seq, group_id FROM record WHERE source_id = ? ORDER BY id"
_GUARDS = "SELECT m.group_id FROM set_member m JOIN source_set s ON s.id = m.set_id WHERE s.spec = ?"


def names(first: int, last: int) -> list[str]:
    return [f"n{number:05d}" for number in range(first, last + 1)]


def fill(shelf: Shelf, first: int, last: int) -> None:
    shelf.write(*[live(name) for name in names(first, last)])


def held(shelf: Shelf) -> list[ListPage]:
    with shelf.store.reading() as connection:
        return list_pages.list_pages(connection, shelf.source_id)


def seen(shelf: Shelf, first: int = 1, last: int | None = None) -> list[str]:
    """The identifiers that everybody may see on leaves, in order."""
    with shelf.store.reading() as connection:
        run = list_pages.list_pages(
            connection, shelf.source_id, first, -1 if last is None else last - first + 1
        )
        return [identifier for _, identifier, _ in list_pages.list_entries(connection, run)]


def counted(shelf: Shelf) -> list[ListPage]:
    """The leaves as they must be: counted from the records, in no clever way."""
    with shelf.store.reading() as connection:
        rows = connection.execute(_RECORDS, (shelf.source_id,)).all()
        hidden = set(connection.execute(_GUARDS, GUARDED).scalars())
    parts = [rows[start : start + PAGE_RECORDS] for start in range(0, len(rows), PAGE_RECORDS)]
    return [
        ListPage(
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
    fill(shelf, 1, 2 * PAGE_RECORDS + 3)
    assert update_list_pages(shelf.store) == 2 * PAGE_RECORDS + 3
    assert held(shelf) == counted(shelf)
    assert [leaf.total for leaf in held(shelf)] == [PAGE_RECORDS, PAGE_RECORDS, 3]
    assert seen(shelf, 2, 2) == names(PAGE_RECORDS + 1, 2 * PAGE_RECORDS)
    assert seen(shelf) == names(1, 2 * PAGE_RECORDS + 3)


def test_nothing_new_is_nothing_to_do(shelf: Shelf) -> None:
    assert update_list_pages(shelf.store) == 0
    fill(shelf, 1, 5)
    update_list_pages(shelf.store)
    assert update_list_pages(shelf.store) == 0


def test_new_records_go_behind_the_others_and_change_no_full_leaf(shelf: Shelf) -> None:
    fill(shelf, 1, PAGE_RECORDS + 1)
    update_list_pages(shelf.store)
    before = held(shelf)
    fill(shelf, PAGE_RECORDS + 2, 2 * PAGE_RECORDS + 1)
    update_list_pages(shelf.store)
    assert held(shelf)[0] == before[0]
    assert [leaf.total for leaf in held(shelf)] == [PAGE_RECORDS, PAGE_RECORDS, 1]
    assert held(shelf) == counted(shelf)


def test_a_deleted_record_keeps_its_place_and_is_not_shown(shelf: Shelf) -> None:
    fill(shelf, 1, PAGE_RECORDS + 1)
    update_list_pages(shelf.store)
    before = held(shelf)
    shelf.write(gone("n00007"))
    update_list_pages(shelf.store)
    first, second = held(shelf)
    assert (first.total, first.live) == (PAGE_RECORDS, PAGE_RECORDS - 1)
    assert first.seq == shelf.last_seq() > before[0].seq
    assert second == before[1]
    assert "n00007" not in seen(shelf)


def test_a_record_that_comes_back_is_where_it_was(shelf: Shelf) -> None:
    fill(shelf, 1, PAGE_RECORDS + 1)
    shelf.write(gone("n00007"))
    update_list_pages(shelf.store)
    shelf.write(live("n00007", b"<again/>"))
    update_list_pages(shelf.store)
    assert seen(shelf, 1, 1) == names(1, PAGE_RECORDS)
    assert held(shelf) == counted(shelf)


def test_what_a_guard_protects_is_on_its_leaf_and_not_shown(shelf: Shelf) -> None:
    fill(shelf, 1, 4)
    shelf.write(live("n00005", sets=("open", *GUARDED)))
    update_list_pages(shelf.store)
    assert [(leaf.total, leaf.live) for leaf in held(shelf)] == [(5, 4)]
    assert seen(shelf) == names(1, 4)
    shelf.write(live("n00005", sets=("open",)), live("n00002", sets=GUARDED))
    update_list_pages(shelf.store)
    assert seen(shelf) == ["n00001", "n00003", "n00004", "n00005"]
    assert held(shelf) == counted(shelf)


def test_a_source_forgotten_and_harvested_again_begins_with_leaf_one(shelf: Shelf) -> None:
    other = Shelf(shelf.store, "straw")
    fill(shelf, 1, PAGE_RECORDS + 5)
    fill(other, 1, 3)
    update_list_pages(shelf.store)
    beside = held(other)
    with shelf.store.writing() as connection:
        sources.forget(connection, shelf.source_id)
    update_list_pages(shelf.store)
    again = Shelf(shelf.store)
    assert held(again) == []
    fill(again, 3, 9)
    update_list_pages(shelf.store)
    assert seen(again) == names(3, 9)
    assert held(again) == counted(again)
    assert held(other) == beside == counted(other)


def test_a_source_forgotten_before_its_records_were_laid_out_leaves_nothing(shelf: Shelf) -> None:
    fill(shelf, 1, 9)
    with shelf.store.writing() as connection:
        sources.forget(connection, shelf.source_id)
    assert update_list_pages(shelf.store) == 0
    assert shelf.count("leaf") == 0


def test_sources_that_come_at_the_same_time_have_leaves_of_their_own(shelf: Shelf) -> None:
    other = Shelf(shelf.store, "straw")
    for start in range(1, 3 * PAGE_RECORDS, 100):
        fill(shelf, start, start + 99)
        fill(other, start, start + 49)
    update_list_pages(shelf.store)
    assert held(shelf) == counted(shelf)
    assert held(other) == counted(other)
    with shelf.store.reading() as connection:
        told = [(each.name, each.leaves, each.live) for each in list_pages.list_source_pages(connection)]
        assert told == [("hay", 3, 3 * PAGE_RECORDS), ("straw", 2, 300)]
        assert (
            list_pages.find_source_pages(connection, "straw") == list_pages.list_source_pages(connection)[1]
        )
        assert list_pages.find_source_pages(connection, "oats") is None


@pytest.mark.parametrize("seed", range(4))
def test_however_much_is_taken_at_once_the_leaves_are_true(
    shelf: Shelf, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(seed)
    monkeypatch.setattr(list_pages, "BATCH_RECORDS", chance.choice((1, 7, 150, 1000)))
    both = (shelf, Shelf(shelf.store, "straw"))
    for _ in range(12):
        where = chance.choice(both)
        some = [f"n{chance.randrange(900):05d}" for _ in range(chance.choice((1, 20, 120)))]
        kinds = (live, gone, lambda name: live(name, b"<%d/>" % chance.randrange(9)), guarded)
        where.write(*[chance.choice(kinds)(name) for name in some])
        if chance.random() < 0.5:
            update_list_pages(shelf.store)
    update_list_pages(shelf.store)
    for each in both:
        assert held(each) == counted(each)
        assert len(seen(each)) == sum(leaf.live for leaf in held(each))


def guarded(name: str) -> Record:
    return live(name, sets=GUARDED)


def test_work_that_is_ended_early_goes_on_where_it_was(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(list_pages, "BATCH_RECORDS", 50)
    fill(shelf, 1, 2 * PAGE_RECORDS)

    def end() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        update_list_pages(shelf.store, heed=end)
    assert [leaf.total for leaf in held(shelf)] == [50]
    with shelf.store.reading() as connection:
        assert not list_pages.is_complete(connection)
    assert update_list_pages(shelf.store) == 2 * PAGE_RECORDS - 50
    assert held(shelf) == counted(shelf)


def test_the_leaves_are_kept_with_the_library(back_end: BackEnd, store: Store, shelf: Shelf) -> None:
    fill(shelf, 1, PAGE_RECORDS + 1)
    update_list_pages(store)
    store.close()
    again = back_end.open(store.database._path.parent)
    try:
        assert update_list_pages(again) == 0
        with again.reading() as connection:
            assert list_pages.is_complete(connection)
            assert len(list_pages.list_pages(connection, shelf.source_id)) == 2
    finally:
        again.close()


def test_a_leaf_that_is_not_there_is_none(shelf: Shelf) -> None:
    fill(shelf, 1, PAGE_RECORDS + 1)
    update_list_pages(shelf.store)
    with shelf.store.reading() as connection:
        assert list_pages.get_page(connection, shelf.source_id, 2) == held(shelf)[1]
        assert list_pages.get_page(connection, shelf.source_id, 3) is None
        assert list_pages.get_page(connection, shelf.source_id, 0) is None
        assert list_pages.list_entries(connection, []) == []


def test_the_way_to_the_next_leaf_passes_those_on_which_nothing_is_left(shelf: Shelf) -> None:
    fill(shelf, 1, 3 * PAGE_RECORDS)
    shelf.write(*[gone(name) for name in names(PAGE_RECORDS + 1, 2 * PAGE_RECORDS)])
    update_list_pages(shelf.store)
    with shelf.store.reading() as connection:
        assert list_pages.find_neighbours(connection, shelf.source_id, 1) == (None, 3)
        assert list_pages.find_neighbours(connection, shelf.source_id, 2) == (1, 3)
        assert list_pages.find_neighbours(connection, shelf.source_id, 3) == (1, None)


def test_a_leaf_spread_over_a_large_library_is_found_by_its_source(shelf: Shelf) -> None:
    fill(shelf, 1, 5)
    update_list_pages(shelf.store)
    asked: list[str] = []
    with shelf.store.reading() as connection:
        run = list_pages.list_pages(connection, shelf.source_id)
        connection.raw.set_trace_callback(asked.append)
        list_pages.list_entries(connection, run)
        connection.raw.set_trace_callback(None)
        plan = str(connection.execute(f"EXPLAIN QUERY PLAN {asked[0]}").all())
    assert "record_leaf (source_id=? AND id>? AND id<?)" in plan


def test_sections_say_what_changed_on_any_of_their_leaves(shelf: Shelf) -> None:
    other = Shelf(shelf.store, "barley")
    fill(shelf, 1, 3 * PAGE_RECORDS)
    fill(other, 1, 1)
    update_list_pages(shelf.store)
    shelf.write(gone("n00001"), now=5000)
    update_list_pages(shelf.store)
    with shelf.store.reading() as connection:
        found = list_pages.list_sections(connection, 2)
        assert [(each.name, each.number, each.live) for each in found] == [
            ("barley", 1, 1),
            ("hay", 1, 2 * PAGE_RECORDS - 1),
            ("hay", 2, PAGE_RECORDS),
        ]
        assert found[1].seq == sequence.last(connection)
        assert [list_pages.changed_at(connection, each.seq) for each in found] == [1000, 5000, 1000]


def test_following_takes_no_number_of_the_sequence(shelf: Shelf) -> None:
    fill(shelf, 1, 5)
    before = shelf.last_seq()
    update_list_pages(shelf.store)
    with shelf.store.reading() as connection:
        assert sequence.last(connection) == before
