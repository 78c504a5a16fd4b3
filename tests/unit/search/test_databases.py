"""The library, its collections and its sources as databases."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.unit.search.catalogue import Catalogue
from windrow.errors import NotFound
from windrow.index.feeder import follow
from windrow.index.generations import Generations
from windrow.index.protocol import ScanTerm, SortKey
from windrow.index.tantivy.live_index import LiveIndex
from windrow.model.query import Everything, Word
from windrow.search.databases import DEFAULT, Databases, FoundRecord, LibraryDatabase, MissingRecord, Records
from windrow.store.records.set_hierarchy import guard_set


@pytest.fixture
def shelves(catalogue: Catalogue) -> Catalogue:
    for place in range(1, 8):
        catalogue.add(f"oai:hay:{place}", title=f"Hay {place}", creator="Mower, Ann", date=str(2000 + place))
    catalogue.add("oai:oat:1", source="oat", title="Oats and hay", creator="Äng, Bo", date="1999")
    return catalogue


def _database(
    catalogue: Catalogue, sources: Sequence[str] | None = None, name: str = DEFAULT
) -> LibraryDatabase:
    return LibraryDatabase(name, "Hay", catalogue.index(), catalogue.store, sources=sources)


def _identifiers(found: Records) -> list[str]:
    return [record.identifier for record in found if isinstance(record, FoundRecord)]


def test_any_range_of_a_result_can_be_had(shelves: Catalogue) -> None:
    hits = _database(shelves).search(Word("hay"))
    assert hits.total == 8
    everything = hits.records(1, 100)
    assert [record.place for record in everything] == list(range(1, 9))
    titles = [record.document.title for record in everything if isinstance(record, FoundRecord)]
    later = hits.records(3, 2)
    assert [record.document.title for record in later if isinstance(record, FoundRecord)] == titles[2:4]
    assert hits.records(9, 5) == []


@pytest.mark.parametrize("expected", [1, 3, 100])
def test_records_that_are_expected_to_be_asked_for_are_those_that_are_found(
    shelves: Catalogue, expected: int
) -> None:
    database = _database(shelves)
    plain, prepared = database.search(Word("hay")), database.search(Word("hay"), expected=expected)
    assert prepared.total == plain.total
    for start, count in ((1, 1), (1, 3), (2, 2), (1, 100), (4, 3), (9, 5)):
        found, wanted = prepared.records(start, count), plain.records(start, count)
        assert [record.place for record in found] == [record.place for record in wanted]
        assert _identifiers(found) == _identifiers(wanted)


def test_schemas_are_looked_up_again_when_the_index_has_changed(shelves: Catalogue, tmp_path: Path) -> None:
    generations = Generations(tmp_path / "index")
    follow(shelves.store, generations)
    index, schemas = LiveIndex(tmp_path / "index"), ["dc"]
    database = LibraryDatabase(DEFAULT, "", index, shelves.store, schemas=lambda: tuple(schemas))
    before = database.schemas
    schemas.append("marcxml")
    shelves.add("oai:rye:1", title="Rye")
    follow(shelves.store, generations)
    index.look()
    assert (before, database.schemas) == (("dc",), ("dc", "marcxml"))


def test_a_source_is_searched_and_scanned_alone(shelves: Catalogue) -> None:
    oats = _database(shelves, ["oat"], "oat")
    assert oats.search(Word("hay")).total == 1
    assert oats.scan("title", "h", size=5) == [ScanTerm("hay", 1, "hay"), ScanTerm("oats", 1, "oats")]
    assert _database(shelves, []).search(Everything()).total == 0


def test_results_are_sorted_before_they_are_cut(shelves: Catalogue) -> None:
    hits = _database(shelves).search(Everything(), [SortKey("year", is_ascending=False)])
    years = [record.document.year for record in hits.records(1, 3) if isinstance(record, FoundRecord)]
    assert years == [2007, 2006, 2005]


def test_a_record_that_was_withdrawn_since_leaves_its_place_empty(shelves: Catalogue) -> None:
    hits = _database(shelves).search(Everything(), [SortKey("year")])
    shelves.withdraw("oai:oat:1", source="oat")
    first, second = hits.records(1, 2)
    assert first == MissingRecord(1)
    assert isinstance(second, FoundRecord)
    assert second.place == 2


def test_databases_are_found_whatever_the_case_of_their_names(shelves: Catalogue) -> None:
    library, oats = _database(shelves), _database(shelves, ["oat"], "oat")
    databases = Databases([library, oats, _database(shelves, [], "oat")])
    assert databases.names() == (DEFAULT, "oat")
    assert databases.get("default") is library
    assert databases.get("OAT") is oats
    with pytest.raises(NotFound, match="no database 'hay'"):
        databases.get("hay")


def test_a_result_stays_what_it_was_while_the_index_goes_on(shelves: Catalogue, tmp_path: Path) -> None:
    generations = Generations(tmp_path / "index")
    follow(shelves.store, generations)
    index = LiveIndex(tmp_path / "index")
    library = LibraryDatabase(DEFAULT, "Hay", index, shelves.store)
    hits = library.search(Word("hay"))
    shelves.add("oai:hay:9", title="Hay once more")
    follow(shelves.store, generations)
    index.look()
    assert library.search(Word("hay")).total == 9
    assert hits.total == 8
    assert len(hits.records(1, 20)) == 8
    assert hits.generation != library.generation


def test_what_is_not_for_everybody_is_not_among_the_records(shelves: Catalogue) -> None:
    hits = _database(shelves).search(Everything(), [SortKey("year")])
    shelves.add("oai:oat:1", source="oat", title="Oats and hay", date="1999", sets=(guard_set("secret"),))
    assert hits.records(1, 1) == [MissingRecord(1)]
