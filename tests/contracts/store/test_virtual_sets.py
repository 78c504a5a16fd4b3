"""Sets that queries define, as the store keeps them."""

from __future__ import annotations

from collections.abc import Iterable

from tests.contracts.store.shelf import Shelf, gone, live
from windrow.store import sources
from windrow.store.published import selection
from windrow.store.records import derived_sets
from windrow.store.records.derived_sets import MembershipChange, UnseenChanges, VirtualSet

HAY = VirtualSet("hay", "Hay", "hay")
STRAW = VirtualSet("straw", "Straw", "straw")


def define(shelf: Shelf, *definitions: VirtualSet) -> dict[str, int]:
    with shelf.store.writing() as connection:
        derived_sets.define_virtual_sets(connection, definitions)
        return {each.spec: number for each, number in derived_sets.list_virtual_sets(connection).items()}


def join(shelf: Shelf, number: int, *names: str) -> None:
    change = MembershipChange(frozenset((number,)), frozenset())
    with shelf.store.writing() as connection:
        derived_sets.change_membership(
            connection, dict.fromkeys((shelf.find(name).id for name in names), change)
        )


def specs(shelf: Shelf, name: str) -> list[int]:
    number = shelf.find(name).id
    with shelf.store.reading() as connection:
        return selection.find_virtual_sets(connection, [number]).get(number, [])


def seen(shelf: Shelf) -> int:
    with shelf.store.reading() as connection:
        return derived_sets.get_seen_number(connection)


def note_seen(shelf: Shelf, seq: int) -> None:
    with shelf.store.writing() as connection:
        derived_sets.save_seen_number(connection, seq)


def batches(shelf: Shelf, *, after: int, limit: int) -> Iterable[list[int]]:
    news = UnseenChanges(after)
    with shelf.store.reading() as connection:
        while batch := news.batch(connection, limit=limit):
            yield [record for _, record in batch]


def test_a_record_that_joins_or_leaves_a_set_gets_a_new_number_and_a_line_in_its_history(
    shelf: Shelf,
) -> None:
    shelf.write(live("a"), live("b"))
    sets = define(shelf, HAY)
    before = shelf.find("a").seq
    join(shelf, sets["hay"], "a")
    assert (specs(shelf, "a"), specs(shelf, "b")) == ([sets["hay"]], [])
    assert shelf.find("a").seq > before
    (line,) = shelf.history("a")
    assert (line.kind, line.run, line.seq) == ("sets", 0, shelf.find("a").seq)
    assert shelf.find("b").seq == shelf.find("b").id


def test_the_change_is_dated_by_its_transaction(shelf: Shelf) -> None:
    shelf.write(live("a"), now=1000)
    sets = define(shelf, HAY)
    shelf.store.clock = lambda: 5000
    join(shelf, sets["hay"], "a")
    assert shelf.find("a").changed_at.timestamp() == 5000


def test_a_new_or_another_query_makes_everything_unseen_and_another_name_does_not(shelf: Shelf) -> None:
    shelf.write(live("a"))
    define(shelf, HAY)
    note_seen(shelf, 7)
    define(shelf, HAY._replace(name="Good hay"))
    assert seen(shelf) == 7
    define(shelf, HAY._replace(query="good hay"))
    assert seen(shelf) == 0
    note_seen(shelf, 7)
    define(shelf, STRAW)
    assert seen(shelf) == 0


def test_a_set_is_emptied_some_at_a_time_and_then_goes(shelf: Shelf) -> None:
    shelf.write(*(live(name) for name in "abc"))
    sets = define(shelf, HAY, STRAW)
    join(shelf, sets["hay"], "a", "b", "c")
    join(shelf, sets["straw"], "a")
    before = shelf.find("c").seq
    with shelf.store.writing() as connection:
        assert derived_sets.empty_virtual_set(connection, sets["hay"], limit=2) == 2
        assert len(derived_sets.list_virtual_sets(connection)) == 2
    assert (specs(shelf, "a"), specs(shelf, "c")) == ([sets["straw"]], [sets["hay"]])
    with shelf.store.writing() as connection:
        assert derived_sets.empty_virtual_set(connection, sets["hay"], limit=2) == 1
        assert list(derived_sets.list_virtual_sets(connection)) == [STRAW]
    assert specs(shelf, "c") == []
    assert shelf.find("c").seq > before


def test_a_source_that_is_forgotten_leaves_no_members(shelf: Shelf) -> None:
    shelf.write(live("a"))
    join(shelf, define(shelf, HAY)["hay"], "a")
    with shelf.store.writing() as connection:
        sources.forget(connection, shelf.source_id)
    assert shelf.count("virtual_member") == 0


def test_news_come_in_the_order_of_their_changes_whatever_the_size_of_a_batch(shelf: Shelf) -> None:
    shelf.write(*(live(name) for name in "abcdef"))
    middle = shelf.last_seq()
    shelf.write(live("e", b"<y/>"), live("b", b"<y/>"), gone("c"))
    shelf.write(live("g"), live("a", b"<y/>"))
    numbers = {name: shelf.find(name).id for name in "abcdefg"}
    in_order = sorted(
        numbers.values(),
        key=lambda number: next(shelf.find(name).seq for name, each in numbers.items() if each == number),
    )
    for limit in (1, 2, 3, 100):
        found = [record for batch in batches(shelf, after=0, limit=limit) for record in batch]
        assert found == in_order
    late = [record for batch in batches(shelf, after=middle, limit=2) for record in batch]
    assert sorted(late) == sorted(numbers[name] for name in "abceg")


def test_only_live_records_have_a_current_number(shelf: Shelf) -> None:
    shelf.write(live("a"), live("b"))
    shelf.write(gone("b"))
    a, b = shelf.find("a"), shelf.find("b")
    with shelf.store.reading() as connection:
        assert derived_sets.find_newest_changes(connection, [a.id, b.id, 999]) == {a.id: a.seq}
