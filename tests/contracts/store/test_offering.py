"""Records as a repository offers them: the right ones, each once, in order, whatever way they are found."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import text

from tests.contracts.store.offered import PREFIXES, Library, Step, changes, sizes, steps, truth, walk, writes
from tests.contracts.store.shelf import BackEnd, Shelf, gone, live
from tests.thorough import tries
from windrow.errors import StoreError
from windrow.store import sources
from windrow.store.published.record_listing import RecordListing, Row, prepare_index
from windrow.store.published.selection import Selection
from windrow.store.records.record_reader import RecordReader
from windrow.store.store import Store

# The back end is made once for all examples, and holds nothing.
EXAMPLES = settings(
    max_examples=tries(25), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def never(_data: bytes) -> bool:
    return True


@contextmanager
def library_of(back_end: BackEnd, history: Sequence[Step]) -> Iterator[tuple[Library, RecordListing]]:
    """A library after a history, and somebody who reads in it."""
    with tempfile.TemporaryDirectory() as folder:
        store = back_end.create(Path(folder))
        offering = RecordListing(store, is_suspect=lambda _: False)
        try:
            library = Library(store)
            library.live(history)
            yield library, offering
        finally:
            offering.close()
            store.close()


@pytest.fixture
def offering(store: Store) -> Iterator[RecordListing]:
    prepare_index(store)
    made = RecordListing(store, is_suspect=lambda _: False)
    yield made
    made.close()


class TestSelections:
    @EXAMPLES
    @given(data=st.data(), history=st.lists(steps, min_size=1, max_size=10))
    def test_every_way_gives_what_looking_at_each_record_gives(
        self, back_end: BackEnd, data: st.DataObject, history: list[Step]
    ) -> None:
        with library_of(back_end, history) as (library, offering):
            for _ in range(8):
                selection = data.draw(library.selections())
                expected = truth(library, selection)
                with offering.reading():
                    assert offering.count(selection) == len(expected)
                for size in sizes(selection):
                    rows = walk(offering, selection, limit=data.draw(st.integers(1, 7)), size=size)
                    assert [row[0] for row in rows] == expected

    @EXAMPLES
    @given(data=st.data(), history=st.lists(steps, min_size=1, max_size=6))
    def test_a_reader_that_stays_sees_what_changed_meanwhile(
        self, back_end: BackEnd, data: st.DataObject, history: list[Step]
    ) -> None:
        with library_of(back_end, history) as (library, offering):
            for step in data.draw(st.lists(steps, max_size=5)):
                for prefix in range(1, len(PREFIXES) + 1):
                    known = tuple(row[0] for row in library.rows("SELECT id FROM source"))
                    selection = Selection(known, library.top(), format_id=prefix)
                    for row in walk(offering, selection, limit=5, size=0):
                        with offering.reading():
                            assert payload_of(offering, row) == stored_payload(library, row[0], prefix)
                            assert offering.moments.at(row[3]) <= library.now
                library.live([step])

    @EXAMPLES
    @given(data=st.data(), history=st.lists(writes, min_size=2, max_size=8))
    def test_what_belongs_to_a_list_from_its_first_page_to_its_last_comes_once(
        self, back_end: BackEnd, data: st.DataObject, history: list[Step]
    ) -> None:
        with library_of(back_end, history) as (library, offering):
            selection, limit = data.draw(library.selections()), data.draw(st.integers(1, 4))
            size = data.draw(st.sampled_from(sizes(selection)))
            throughout = set(truth(library, selection))
            given: list[int] = []
            while True:
                with offering.reading():
                    rows = offering.page(selection, after=given[-1] if given else 0, limit=limit, size=size)
                if not rows:
                    break
                given += [row[0] for row in rows]
                library.live(data.draw(st.lists(changes, max_size=2)))
                throughout.intersection_update(truth(library, selection))
            assert given == sorted(set(given))
            assert throughout <= set(given)

    def test_a_selection_of_no_source_is_empty_whatever_else_it_asks(
        self, shelf: Shelf, offering: RecordListing
    ) -> None:
        shelf.write(live("a"), live("b"))
        shelf.write(live("a", b"<y/>"))
        selection = Selection((), 10, after_seq=2, sets=(1,))
        with offering.reading():
            assert offering.count(selection) == 0
            assert [offering.page(selection, after=0, limit=5, size=size) for size in (0, 10)] == [[], []]

    def test_of_two_sources_with_one_identifier_the_first_one_answers_for_it(
        self, store: Store, offering: RecordListing
    ) -> None:
        first, second = Shelf(store, "hay"), Shelf(store, "oats")
        second.write(live("both"), live("own"))
        first.write(live("both"))
        mine, others = first.source_id, second.source_id
        with offering.reading():
            (row,) = offering.page(Selection((others,), 9, rivals=(mine, others)), after=0, limit=9, size=9)
            found = offering.one("both", (others, mine))
        assert row[2] == "own"
        assert found is not None
        assert found[1] == mine


class Explaining(RecordListing):
    """Notes how the database goes about each statement."""

    def __init__(self, store: Store) -> None:
        super().__init__(store, is_suspect=lambda _: False)
        self.plan = ""

    def execute(self, statement: str, values: Sequence[object] = ()) -> list[Any]:
        explained = super().execute(f"EXPLAIN QUERY PLAN {statement}", values)
        self.plan += "".join(f"{row[3]}\n" for row in explained)
        return super().execute(statement, values)

    def plan_of(self, selection: Selection, *, size: int) -> str:
        with self.reading():
            self.plan = ""
            self.page(selection, after=10, limit=100, size=size)
        return self.plan


class TestPlans:
    """On a store of some thousand records: what is read, and what is sorted."""

    @pytest.fixture
    def explaining(self, store: Store) -> Iterator[Explaining]:
        prepare_index(store)
        for name in ("hay", "oats"):
            shelf = Shelf(store, name)
            many = [live(f"{name}:{n}", sets=(f"s{n % 50}",)) for n in range(1500)]
            shelf.write(*many, now=1000)
            shelf.write(*(live(f"{name}:{n}", b"<y/>") for n in range(0, 1500, 100)), now=2000)
        made = Explaining(store)
        yield made
        made.close()

    @pytest.mark.parametrize(
        "conditions",
        [
            {},
            {"sets": (1, 2)},
            {"after_seq": 1500},
            {"format_id": 1, "format_needed": (1,)},
            {"rivals": (1, 2)},
        ],
        ids=["all", "sets", "since", "format", "rivals"],
    )
    def test_many_matches_are_met_in_passing_and_never_sorted(
        self, explaining: Explaining, conditions: dict[str, Any]
    ) -> None:
        plan = explaining.plan_of(Selection((1, 2), 3030, **conditions), size=3000)
        assert "SEARCH r USING INTEGER PRIMARY KEY" in plan
        assert "ORDER BY" not in plan

    def test_few_matches_in_a_set_are_looked_up(self, explaining: Explaining) -> None:
        plan = explaining.plan_of(Selection((1, 2), 3030, sets=(3,)), size=40)
        assert "record_shelf (source_id=? AND group_id=?" in plan

    def test_few_changes_are_looked_up_by_their_numbers(self, explaining: Explaining) -> None:
        plan = explaining.plan_of(Selection((1, 2), 3030, after_seq=3000), size=30)
        assert "record_moved (seq>?)" in plan
        assert "SEARCH r USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)" in plan

    def test_members_of_a_virtual_set_are_met_in_their_order(self, explaining: Explaining) -> None:
        plan = explaining.plan_of(Selection((1, 2), 3030, sets=(), virtual_sets=(1,)), size=30)
        assert "SEARCH v USING PRIMARY KEY (set_id=?" in plan
        assert "ORDER BY" not in plan

    def test_a_rival_is_looked_up_by_its_identifier(self, explaining: Explaining) -> None:
        plan = explaining.plan_of(Selection((2,), 3030, rivals=(1, 2)), size=3000)
        assert "record_identifier (identifier=? AND source_id" in plan

    def test_one_record_is_looked_up_by_its_identifier(self, explaining: Explaining) -> None:
        with explaining.reading():
            explaining.plan = ""
            assert explaining.one("oats:7", (1, 2), 1) is not None
        assert "record_identifier (identifier=?" in explaining.plan


class TestPayloads:
    def test_a_payload_comes_back_to_the_byte_with_what_was_around_it(
        self, shelf: Shelf, offering: RecordListing
    ) -> None:
        shelf.write(live("a", b"<x>\xc3\xa9\r\n</x>", about=b"<about>1</about>", declarations=b' xmlns="u"'))
        assert read(offering, "a") == (b"<x>\xc3\xa9\r\n</x>", b' xmlns="u"', b"<about>1</about>")

    def test_a_tombstone_has_none(self, shelf: Shelf, offering: RecordListing) -> None:
        shelf.write(gone("a"))
        assert read(offering, "a") is None

    def test_numbers_given_again_after_a_source_went_lead_to_what_is_there_now(
        self, store: Store, offering: RecordListing
    ) -> None:
        Shelf(store, "hay").write(live("kept", b"<kept/>"))
        oats = Shelf(store, "oats")
        oats.write(live("a", b"<oats/>", declarations=b' xmlns="old"'))
        assert read(offering, "a") == (b"<oats/>", b' xmlns="old"', b"")
        with store.writing() as connection:
            sources.forget(connection, oats.source_id)
            connection.execute(text("DELETE FROM envelope WHERE declarations = :d"), {"d": b' xmlns="old"'})
        Shelf(store, "rye").write(live("a", b"<rye-new/>", declarations=b' xmlns="new"'))
        assert read(offering, "a") == (b"<rye-new/>", b' xmlns="new"', b"")

    @pytest.mark.parametrize(
        "damage",
        [
            "UPDATE block SET data = CAST(x'00' || data AS BLOB) WHERE id = 1",
            "UPDATE block SET data = substr(data, 1, 10) WHERE id = 1",
            "UPDATE block SET data = (SELECT data FROM block WHERE id = 3) WHERE id = 1",
            "UPDATE block SET dictionary_id = 77 WHERE id = 1",
            "DELETE FROM block WHERE id = 1",
            "UPDATE payload SET start = 1000000 WHERE block_id = 1",
            "UPDATE payload SET envelope_id = 1000000 WHERE block_id = 1",
        ],
    )
    def test_what_is_damaged_costs_no_other_record(
        self, shelf: Shelf, offering: RecordListing, damage: str
    ) -> None:
        large = b"<x>" + b"hay and oats " * 4000 + b"</x>"
        for name in "abc":
            shelf.write(live(name, b"<small/>" if name == "c" else large))
        with shelf.store.writing() as connection:
            connection.execute(text(damage))
        with offering.reading():
            rows = offering.page(Selection((1,), 9, format_id=1), after=0, limit=9, size=9)
            found = offering.payloads(rows)
        assert [row[2] for row in rows] == ["a", "b", "c"]
        assert {number: payload for number, (payload, _, _) in found.items()} == {2: large, 3: b"<small/>"}

    def test_of_large_records_only_so_many_are_read_at_once(
        self, shelf: Shelf, offering: RecordListing
    ) -> None:
        large = b"<x>%s</x>" % (b"a" * 9_000_000)
        shelf.write(live("a", large), live("b", large), live("c"))
        with offering.reading():
            assert list(offering.held((1, 2, 3))) == [1]
            assert list(offering.held((2, 3))) == [2, 3]

    def test_a_block_is_sound_when_nothing_unsound_was_found_in_it(self, shelf: Shelf) -> None:
        prepare_index(shelf.store)
        offering = RecordListing(shelf.store, is_suspect=lambda data: b"\x01" in data)
        shelf.write(live("a"), live("b"))
        shelf.write(live("c", b"<x>\x01</x>"))
        with offering.reading():
            assert [offering.is_doubtful(block) for block in (1, 2, 70_000)] == [True, True, True]
            for _ in range(2):
                rows = offering.page(Selection((1,), 9, format_id=1), after=0, limit=9, size=9)
                assert len(offering.payloads(rows)) == 3
                assert [offering.is_doubtful(block) for block in (1, 2, 70_000)] == [False, True, True]
        offering.close()

    def test_one_record_does_not_make_a_block_sound(self, shelf: Shelf) -> None:
        prepare_index(shelf.store)
        offering = RecordListing(shelf.store, is_suspect=lambda _: False)
        shelf.write(live("a"), live("b"))
        assert read(offering, "a") is not None
        with offering.reading():
            assert offering.is_doubtful(1)
        offering.close()


class TestReading:
    def test_a_state_does_not_change_while_it_is_held(self, shelf: Shelf, offering: RecordListing) -> None:
        shelf.write(live("a"))
        with offering.reading():
            shelf.write(live("b"))
            assert offering.one("b", (1,)) is None
        with offering.reading() as is_news:
            assert is_news
            assert offering.one("b", (1,)) is not None

    def test_without_changes_there_is_no_news(self, shelf: Shelf, offering: RecordListing) -> None:
        news = []
        for _ in range(3):
            with offering.reading() as is_news:
                news.append(is_news)
        assert news == [True, False, False]

    def test_between_readings_a_writer_can_clear_its_log(self, shelf: Shelf, offering: RecordListing) -> None:
        shelf.write(live("a"))
        for _ in range(3):
            assert read(offering, "a") is not None
            assert is_log_free(shelf)
        with offering.reading():
            assert offering.one("a", (1,)) is not None
            assert not is_log_free(shelf)

    def test_a_library_that_cannot_be_read_is_an_error_of_the_store_and_may_be_read_again_later(
        self, shelf: Shelf, offering: RecordListing
    ) -> None:
        shelf.write(live("a"))
        with shelf.store.writing() as connection:
            connection.execute(text("ALTER TABLE payload RENAME TO away"))
        with pytest.raises(StoreError), offering.reading():
            offering.one("a", (1,))
        with shelf.store.writing() as connection:
            connection.execute(text("ALTER TABLE away RENAME TO payload"))
        assert read(offering, "a") == (b"<x/>", b' xmlns:dc="urn:dc"', b"")


def is_log_free(shelf: Shelf) -> bool:
    """Write, and return whether what was written can be moved out of the log: nobody reads an older state."""
    with shelf.store.writing() as connection:
        connection.execute(text("UPDATE source SET url = url || '/'"))
    raw = shelf.store.database.connect_to_read()
    try:
        raw.execute("PRAGMA busy_timeout = 0")
        raw.execute("PRAGMA query_only = 0")
        return not raw.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
    finally:
        raw.close()


def read(offering: RecordListing, identifier: str) -> tuple[bytes, bytes, bytes] | None:
    with offering.reading():
        row = offering.one(identifier, (1, 2, 3, 4), 1)
        assert row is not None
        return offering.payloads((row,)).get(row[0])


def payload_of(offering: RecordListing, row: Row) -> bytes | None:
    return offering.payloads((row,)).get(row[0], (None,))[0]


def stored_payload(library: Library, record_id: int, format_id: int) -> bytes | None:
    """What the library's own reader of records says."""
    prefixes = dict(library.rows("SELECT id, prefix FROM format"))
    with library.store.reading() as connection:
        record = RecordReader().get(connection, [record_id])[record_id]
    found = record.payload(prefixes.get(format_id, "none yet"))
    return found.data if found else None
