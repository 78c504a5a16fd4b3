"""The index compared with the library, record by record."""

from __future__ import annotations

from tests.contracts.store.shelf import gone
from tests.unit.index.grain import Grain, titled
from windrow.index import checks
from windrow.index.checks import IndexCheck, check_index
from windrow.index.feeder import update_records
from windrow.index.tantivy.index_writer import TantivyWriter
from windrow.index.tantivy.live_index import LiveIndex
from windrow.index.tantivy.rows import Entry
from windrow.model.document import Document, Text
from windrow.store.records.set_hierarchy import guard_set


def checked(grain: Grain) -> IndexCheck:
    state = grain.generations.state(grain.generations.current() or "")
    assert state is not None
    return check_index(grain.store, LiveIndex(grain.folder).newest(), cursor=state.cursor)


def test_an_index_that_is_up_to_date_agrees(grain: Grain) -> None:
    grain.shelf.write(titled("a", "Hay"), titled("b", "Secret", sets=(guard_set("x"),)), gone("c"))
    grain.follow()
    found = checked(grain)
    assert found.is_right
    assert (found.stored, found.indexed) == (1, 1)


def test_a_source_that_only_dates_its_records_anew_makes_no_difference(grain: Grain) -> None:
    grain.shelf.write(titled("a", "Hay"))
    grain.follow()
    grain.shelf.write(titled("a", "Hay")._replace(stamp="2031-01-01"))
    assert checked(grain).is_right


def test_what_is_not_yet_indexed_is_told(grain: Grain) -> None:
    grain.shelf.write(titled("a", "Hay"), titled("b", "Straw"))
    grain.follow()
    grain.shelf.write(titled("c", "Oats"), gone("b"))
    found = checked(grain)
    assert (len(found.lacking), len(found.surplus)) == (1, 1)
    assert [(each.identifier, each.reason) for each in found.named] == [
        ("b", checks.DELETED),
        ("c", checks.NOT_YET),
    ]


def test_every_kind_of_difference_is_named_and_mended(grain: Grain) -> None:
    grain.shelf.write(titled("a", "Hay"), titled("b", "Straw"), titled("c", "Oats"), titled("d", "Rye"))
    grain.follow()
    with grain.store.writing() as connection:  # behind the sequence's back
        connection.execute("UPDATE record SET is_deleted = 1 WHERE id = 2", ())
        connection.execute("DELETE FROM record WHERE id = 4", ())
    writer = TantivyWriter(grain.generations, "g-000001", is_new=False)
    writer.put([Entry(1, "hay", "a", (), Document(titles=(Text("Old hay"),)), change=0)])
    writer.remove([3])
    writer.commit(writer.state.cursor)
    writer.close()
    found = checked(grain)
    assert {each.number: each.reason for each in found.named} == {
        1: checks.OUTDATED,
        2: checks.DELETED,
        3: checks.MISSING,
        4: checks.UNKNOWN,
    }
    assert {(each.source, each.identifier) for each in found.named} == {("hay", name) for name in "abcd"}
    update_records(grain.store, grain.generations, lacking=found.lacking, surplus=found.surplus)
    assert checked(grain).is_right
    assert grain.titles() == ["Hay", "Oats"]


def test_of_many_differences_the_first_are_named(grain: Grain) -> None:
    grain.follow()
    grain.shelf.write(*(titled(f"a{number}", "Hay") for number in range(30)))
    found = checked(grain)
    assert len(found.lacking) == 30
    assert len(found.named) == checks.MAX_NAMED
