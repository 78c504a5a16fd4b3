"""Sets that queries define, from the settings to what a harvester is told."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.flows.harvesting import Shelf
from tests.flows.serving import NAME, stocked
from windrow.errors import ConfigError
from windrow.store import runs
from windrow.web.oai.oai_provider import OaiRepository
from windrow.wiring.sets import follow_sets

RECENT = '\n[oai.sets.recent]\nname = "Recent"\nquery = "year:2015.."\n'


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return stocked(tmp_path / "library", records=60)


def define(shelf: Shelf, text: str) -> None:
    path = shelf.folder / "windrow.toml"
    path.write_text(path.read_text(encoding="utf-8") + text, encoding="utf-8")


def identifiers(shelf: Shelf, **arguments: str) -> list[str]:
    library = shelf.open()
    try:
        follow_sets(library)
        repository = OaiRepository(library.store, library.config, base_url="https://x.example")
        pairs = [("verb", "ListRecords"), ("metadataPrefix", "oai_dc"), *arguments.items()]
        answer = repository.answer("", pairs).decode()
    finally:
        library.close()
    return re.findall(r"<record><header><identifier>([^<]+)</identifier>", answer)


def test_a_set_holds_the_records_that_its_query_matches_and_no_others(shelf: Shelf) -> None:
    define(shelf, RECENT)
    found = set(identifiers(shelf, set="recent"))
    live = {name: record for name, record in shelf.records(name=NAME).items() if not record.is_deleted}
    years = {name: re.findall(rb"<dc:date>(\d{4})", record.payloads[0].data) for name, record in live.items()}
    assert found == {name for name, told in years.items() if min(map(int, told)) >= 2015}
    assert 0 < len(found) < len(live)


def test_a_set_of_an_academic_year_has_the_days_of_that_year(shelf: Shelf) -> None:
    academic = '\n[oai.sets.academic]\nquery = "year:2015/16"\n'
    define(shelf, academic)
    assert identifiers(shelf, set="academic") == []  # no such years without the setting
    define(shelf, '\n[portal]\nyear_starts = "08-01"\n[oai.sets.days]\nquery = "issued:20150801..20160731"\n')
    found = identifiers(shelf, set="academic")
    assert found == identifiers(shelf, set="days")
    assert found


def test_a_definition_that_is_taken_away_empties_its_set(shelf: Shelf) -> None:
    before = (shelf.folder / "windrow.toml").read_text(encoding="utf-8")
    define(shelf, RECENT)
    assert identifiers(shelf, set="recent")
    (shelf.folder / "windrow.toml").write_text(before, encoding="utf-8")
    assert identifiers(shelf, set="recent") == []


def test_a_query_with_a_mistake_is_refused_before_anything_is_harvested(shelf: Shelf) -> None:
    with shelf.open().store.reading() as connection:
        before = len(runs.latest(connection, limit=100))
    define(shelf, '\n[oai.sets.odd]\nquery = "typ:(thesis"\n')
    with pytest.raises(ConfigError, match="odd"):
        shelf.harvest(name=NAME)
    with shelf.open().store.reading() as connection:
        assert len(runs.latest(connection, limit=100)) == before
