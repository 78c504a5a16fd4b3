"""What happened to records: by run, by record, and what was there before."""

from __future__ import annotations

from tests.contracts.store.shelf import Shelf, gone, live
from windrow.store.records.record_reader import RecordReader


def test_the_payload_before_a_change_is_given_back(shelf: Shelf) -> None:
    shelf.write(live("a", b"<x>1</x>", about=b"<about/>", declarations=b' xmlns="urn:1"'))
    shelf.write(live("a", b"<x>2</x>"))
    shelf.write(live("a", b"<x>3</x>"))
    first, second = shelf.history("a")
    assert first.before is not None
    assert (first.before.data, first.before.declarations) == (b"<x>1</x>", b' xmlns="urn:1"')
    assert second.before is not None
    assert (second.before.data, second.before.prefix) == (b"<x>2</x>", "oai_dc")


def test_the_payload_before_a_deletion_is_given_back_whichever_list_told_of_it(shelf: Shelf) -> None:
    shelf.write(live("a", b"<x>1</x>"), live("b", b"<x>2</x>"))
    shelf.write(gone("a"))
    shelf.write(gone("b"), prefix="marcxml")
    for name, payload in (("a", b"<x>1</x>"), ("b", b"<x>2</x>")):
        (change,) = shelf.history(name)
        assert change.kind == "deleted"
        assert change.before is not None
        assert change.before.data == payload


def test_what_took_the_place_of_a_payload_is_found(shelf: Shelf) -> None:
    for payload in (b"<x>1</x>", b"<x>2</x>", b"<x>3</x>"):
        shelf.write(live("a", payload))
    shelf.write(gone("a"))
    shelf.write(live("a", b"<x>4</x>"))
    with shelf.store.reading() as connection:
        reader = RecordReader()
        changes = reader.history(connection, shelf.find("a").id)
        after = [reader.after(connection, change) for change in changes]
    assert [change.kind for change in changes] == ["changed", "changed", "deleted", "restored"]
    assert [item.data if item else None for item in after] == [b"<x>2</x>", b"<x>3</x>", None, None]


def test_a_run_tells_what_it_did_in_the_order_it_did_it(shelf: Shelf) -> None:
    shelf.write(live("a", b"<x>1</x>"), live("b"), live("c", sets=("s",)))
    first = shelf.run_id
    writer = shelf.writer()
    with shelf.store.writing() as connection:
        writer.write(connection, [live("a", b"<x>2</x>")])
        writer.write(connection, [live("new"), gone("never"), gone("b")])
        writer.write(connection, [live("c", sets=("t",)), live("b")])
    told = shelf.changes()
    assert told[0] == ("changed", "a")
    assert sorted(told[1:4]) == [("added", "new"), ("deleted", "b"), ("deleted", "never")]
    assert sorted(told[4:]) == [("restored", "b"), ("sets", "c")]
    assert shelf.changes(first) == [("added", "a"), ("added", "b"), ("added", "c")]


def test_a_tombstone_that_came_first_is_no_addition_whatever_became_of_it(shelf: Shelf) -> None:
    shelf.write(gone("a"), gone("b"))
    first = shelf.run_id
    shelf.write(live("a"), gone("b", sets=("s",)))
    assert shelf.changes(first) == [("deleted", "a"), ("deleted", "b")]
    assert sorted(shelf.changes()) == [("restored", "a"), ("sets", "b")]


def test_a_record_deleted_later_was_added_all_the_same(shelf: Shelf) -> None:
    shelf.write(live("a"))
    first = shelf.run_id
    shelf.write(gone("a"))
    assert shelf.changes(first) == [("added", "a")]
    assert shelf.changes() == [("deleted", "a")]
