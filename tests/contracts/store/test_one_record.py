"""One record for its page: the same as the reader of many gives, in fewer questions."""

from __future__ import annotations

from datetime import UTC, datetime

from tests.contracts.store.shelf import NOW, Shelf, gone, live
from windrow.model.run import Outcome
from windrow.store import runs
from windrow.store.published.public_records import PublicRecord, RecordGlance, find_glance, find_public_record
from windrow.store.records.record_reader import RecordReader, StoredRecord
from windrow.store.records.set_hierarchy import guard_set

ONE = "oai:hay.example:1"


def found(shelf: Shelf, identifier: str = ONE, *, most_past: int = 10) -> PublicRecord:
    with shelf.store.reading() as connection:
        one = find_public_record(connection, "hay", identifier, most_past=most_past)
    assert one is not None
    return one


def glanced(shelf: Shelf, identifier: str = ONE, source: str = "hay") -> RecordGlance | None:
    with shelf.store.reading() as connection:
        return find_glance(connection, source, identifier)


def read(shelf: Shelf, identifier: str = ONE) -> StoredRecord:
    with shelf.store.reading() as connection:
        (record,) = RecordReader().find(connection, identifier, source="hay")
    return record


def test_a_record_is_as_the_reader_of_many_gives_it(shelf: Shelf) -> None:
    shelf.write(live("oai:hay.example:0"), live(ONE, b"<a/>", sets=("x", "y"), about=b"<about/>"), now=1000)
    shelf.write(live(ONE, b"<b/>", sets=("x", "y")), prefix="mods", now=2000)
    shelf.write(live("oai:hay.example:2"), now=3000)
    for identifier in ("oai:hay.example:0", ONE, "oai:hay.example:2"):
        assert found(shelf, identifier).record == read(shelf, identifier)


def test_its_past_is_its_history_the_latest_first_and_bounded(shelf: Shelf) -> None:
    for second in range(5):
        shelf.write(live(ONE, b"<x>%d</x>" % second), now=1000 + second)
    shelf.write(gone(ONE), now=2000)
    with shelf.store.reading() as connection:
        history = RecordReader().history(connection, read(shelf).id)
    told = [(each.kind, each.changed_at, each.run) for each in reversed(history)]
    assert list(found(shelf).past) == told
    assert list(found(shelf, most_past=2).past) == told[:2]
    assert told[0][:2] == ("deleted", datetime.fromtimestamp(2000, UTC))


def test_it_began_with_its_run_as_what_it_first_was(shelf: Shelf) -> None:
    shelf.write(live(ONE), gone("oai:hay.example:2"), now=1000)
    shelf.write(gone(ONE), live("oai:hay.example:2"), now=2000)
    assert (found(shelf).began, found(shelf).came_deleted) == (NOW, False)
    assert (found(shelf, "oai:hay.example:2").began, found(shelf, "oai:hay.example:2").came_deleted) == (
        NOW,
        True,
    )


def test_it_knows_the_last_harvest_that_did_not_fail(shelf: Shelf) -> None:
    shelf.write(live(ONE), now=1000)
    assert found(shelf).last_good is None
    for outcome, day in ((Outcome.OK, 2), (Outcome.FAILED, 3)):
        with shelf.store.writing() as connection:
            run = runs.start(connection, shelf.source_id, "harvest", now=NOW.replace(day=day), arguments={})
            runs.end(connection, run, outcome=outcome, now=NOW)
    assert found(shelf).last_good == NOW.replace(day=2)


def test_at_a_glance_it_has_its_newest_change_and_when_that_was(shelf: Shelf) -> None:
    shelf.write(live(ONE), live("oai:hay.example:2"), now=1000)
    first = glanced(shelf)
    shelf.write(live(ONE, b"<b/>"), now=2000)
    record = read(shelf)
    assert first is not None
    assert (first.at, first.is_deleted) == (1000, False)
    assert glanced(shelf) == (record.id, shelf.source_id, record.seq, False, 2000, len(b"<b/>"))
    shelf.write(gone(ONE), now=3000)
    last = glanced(shelf)
    assert last is not None
    assert (last.is_deleted, last.at) == (True, 3000)


def test_what_is_guarded_or_elsewhere_is_not_found(shelf: Shelf) -> None:
    shelf.write(live(ONE, sets=("a", guard_set("/private"), "z")), now=1000)
    assert glanced(shelf) is None
    with shelf.store.reading() as connection:
        assert find_public_record(connection, "hay", ONE, most_past=1) is None
    assert glanced(shelf, "oai:hay.example:none") is None
    assert glanced(shelf, source="oats") is None
