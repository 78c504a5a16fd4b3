"""What is remembered between two questions never hides what came meanwhile."""

from __future__ import annotations

import pytest

from tests.unit.web.oai.holdings import Holdings, live, other
from windrow.store import sources
from windrow.store.records.set_hierarchy import name_sets
from windrow.web.oai import oai_context


def test_a_source_harvested_for_the_first_time_is_there_at_the_next_question(library: Holdings) -> None:
    assert library.listed(at="hay") == []
    library.write(live("oai:x:1"))
    assert library.listed(at="hay") == ["oai:x:1"]


def test_a_new_format_is_there_at_the_next_question(library: Holdings) -> None:
    library.write(live("oai:x:1"))
    assert library.listed("ListRecords") == ["oai:x:1"]
    library.write(live("oai:x:1", other()), prefix="barn")
    assert library.listed("ListRecords", metadataPrefix="barn") == ["oai:x:1"]
    library.write(live("oai:y:1", other()), source="oats", prefix="barn")
    assert library.listed("ListRecords", metadataPrefix="barn") == ["oai:x:1", "oai:y:1"]


def test_a_new_set_is_there_at_the_next_question(library: Holdings) -> None:
    library.write(live("oai:x:1"))
    assert library.ask("ListSets", at="hay").errors == ["noSetHierarchy"]
    library.write(live("oai:x:1", sets=("a",)))
    assert library.listed(at="hay", set="a") == ["oai:x:1"]


def test_a_count_is_that_of_now(library: Holdings) -> None:
    library.configure("[oai]\nrecords_per_page = 1\n")
    for count in range(2, 5):
        library.write(*(live(f"oai:x:{number}") for number in range(count)))
        assert next(library.pages()).place == (0, count)


def test_sources_that_follow_each_other_under_one_number_are_told_apart(library: Holdings) -> None:
    library.write(live("oai:x:1", sets=("old",)))
    assert library.ask("ListSets").texts("setSpec") == ["hay", "hay:old"]
    with library.store.writing() as connection:
        sources.forget(connection, library.shelves.pop("hay").source_id)
    library.write(live("oai:y:1", sets=("new",)), source="oats")
    assert library.ask("ListSets").texts("setSpec") == ["oats", "oats:new"]
    assert library.ask("ListRecords", metadataPrefix="oai_dc").headers[0].sets == ("oats", "oats:new")


def test_a_name_that_changed_is_seen_a_little_later_even_if_nothing_else_happens(
    library: Holdings, monkeypatch: pytest.MonkeyPatch
) -> None:
    library.write(live("oai:x:1", sets=("a",)))
    library.ask("ListSets", at="hay")
    with library.store.writing() as connection:
        name_sets(connection, library.shelves["hay"].source_id, [("a", "Art")])
    library.ask("ListSets", at="hay")
    monkeypatch.setattr(oai_context, "STATE_SECONDS", 0)
    assert library.ask("ListSets", at="hay").texts("setName") == ["Art"]


def test_an_index_that_is_missing_is_made(library: Holdings) -> None:
    library.write(live("oai:x:1", sets=("a",)))
    library.repository.prepare()
    query = "SELECT COUNT(*) FROM sqlite_master WHERE name = 'record_shelf'"
    with library.store.reading() as connection:
        assert connection.execute(query).scalar_one() == 1
