from __future__ import annotations

from datetime import UTC, datetime

from lxml import etree

from tests.contracts.store.shelf import NOW
from tests.unit.search.catalogue import Catalogue
from windrow.model.run import Outcome
from windrow.search.record_view import (
    MAX_CHANGES,
    DeletedRecord,
    RecordView,
    find_record,
    find_small,
    find_state,
)
from windrow.store import runs
from windrow.store.records.set_hierarchy import guard_set

ONE = "oai:hay.example:1/2"


def view(catalogue: Catalogue, identifier: str = ONE, source: str = "hay") -> RecordView:
    found = find_record(catalogue.store, source, identifier)
    assert isinstance(found, RecordView)
    return found


def test_a_record_has_its_document_and_its_metadata_as_it_came(catalogue: Catalogue) -> None:
    catalogue.add(ONE, title="Hay & straw", creator="Mower, Ann", sets=("theses",))
    found = view(catalogue)
    assert found.document.title == "Hay & straw"
    assert [(each.spec, each.name) for each in found.sets] == [("theses", "theses")]
    raw = found.raw("oai_dc")
    assert raw is not None
    assert etree.fromstring(raw.data).findtext("{*}title") == "Hay & straw"
    assert found.raw("marcxml") is None


def test_of_several_formats_the_richest_is_shown_and_all_can_be_had(catalogue: Catalogue) -> None:
    catalogue.add(ONE, title="Hay")
    catalogue.add(ONE, title="Hay", institution="Field University", prefix="uketd_dc")
    found = view(catalogue)
    assert found.document.institution == "Field University"
    assert sorted(each.prefix for each in found.raws) == ["oai_dc", "uketd_dc"]


def test_a_record_of_another_source_or_none_at_all_is_not_found(catalogue: Catalogue) -> None:
    catalogue.add(ONE, title="Hay", source="hay")
    assert find_record(catalogue.store, "oats", ONE) is None
    assert find_record(catalogue.store, "hay", "oai:hay.example:2") is None


def test_its_history_begins_when_it_came_and_tells_the_latest_first(catalogue: Catalogue) -> None:
    catalogue.add(ONE, title="Hay")
    catalogue.add(ONE, title="Hay, second edition")
    found = view(catalogue)
    assert [each.kind for each in found.history] == ["changed", "added"]
    assert found.changed == datetime.fromtimestamp(1_007_200, UTC)
    assert found.added == NOW


def test_it_was_last_seen_when_its_source_was_last_harvested_well(catalogue: Catalogue) -> None:
    catalogue.add(ONE, title="Hay")
    assert view(catalogue).seen == view(catalogue).changed
    shelf = catalogue.shelf("hay")
    for outcome, day in ((Outcome.PARTIAL, 2), (Outcome.FAILED, 3)):
        with catalogue.store.writing() as connection:
            started = NOW.replace(day=day)
            run = runs.start(connection, shelf.source_id, "harvest", now=started, arguments={})
            runs.end(connection, run, outcome=outcome, now=started)
    assert view(catalogue).seen == NOW.replace(day=2)


def test_a_withdrawn_record_is_gone_since_then(catalogue: Catalogue) -> None:
    catalogue.add(ONE, title="Hay")
    catalogue.withdraw(ONE)
    found = find_record(catalogue.store, "hay", ONE)
    assert isinstance(found, DeletedRecord)
    assert found.since == datetime.fromtimestamp(1_007_200, UTC)
    assert [each.kind for each in found.history] == ["deleted", "added"]


def test_a_record_that_came_as_withdrawn_is_gone(catalogue: Catalogue) -> None:
    catalogue.withdraw(ONE)
    found = find_record(catalogue.store, "hay", ONE)
    assert isinstance(found, DeletedRecord)
    assert [each.kind for each in found.history] == ["deleted"]


def test_a_record_that_is_not_for_everybody_is_not_found(catalogue: Catalogue) -> None:
    catalogue.add(ONE, title="Secret", sets=(guard_set("/private"),))
    assert find_record(catalogue.store, "hay", ONE) is None


def test_a_payload_that_cannot_be_read_is_a_problem_and_still_shown(catalogue: Catalogue) -> None:
    catalogue.add(ONE, payload=b"<broken>")
    found = view(catalogue)
    assert found.problem
    assert found.document.title is None
    assert found.raws[0].data


def test_of_a_long_history_the_latest_is_told(catalogue: Catalogue) -> None:
    for number in range(MAX_CHANGES + 5):
        catalogue.add(ONE, title=f"Hay {number}")
    found = view(catalogue)
    assert len(found.history) == MAX_CHANGES
    assert [each.at for each in found.history] == sorted((each.at for each in found.history), reverse=True)
    assert (found.history[0].at, found.added) == (found.changed, NOW)


def test_a_record_that_came_as_withdrawn_and_was_restored_was_never_added(catalogue: Catalogue) -> None:
    catalogue.withdraw(ONE)
    catalogue.add(ONE, title="Hay")
    found = view(catalogue)
    assert [each.kind for each in found.history] == ["restored", "deleted"]
    assert found.added is None


def test_at_a_glance_a_record_is_as_it_is_when_one_looks_closely(catalogue: Catalogue) -> None:
    catalogue.add("oai:hay.example:9", title="Straw")
    catalogue.add(ONE, title="Hay")
    catalogue.add(ONE, title="Hay, dried")
    found, state = view(catalogue), find_state(catalogue.store, "hay", ONE)
    assert state is not None
    assert (state.number, state.seq, state.at) == (found.number, found.seq, found.changed.timestamp())
    assert not state.is_deleted
    catalogue.withdraw(ONE)
    state = find_state(catalogue.store, "hay", ONE)
    assert state is not None
    assert state.is_deleted
    assert state.seq > found.seq
    assert find_state(catalogue.store, "oats", ONE) is None


def test_at_a_glance_a_record_that_is_not_for_everybody_is_not_there(catalogue: Catalogue) -> None:
    catalogue.add(ONE, title="Secret", sets=("theses", guard_set("/private")))
    assert find_state(catalogue.store, "hay", ONE) is None
    catalogue.add(ONE, title="Secret", sets=("theses",))
    assert find_state(catalogue.store, "hay", ONE) is not None


def test_a_small_record_is_found_as_any_other(catalogue: Catalogue) -> None:
    catalogue.add(ONE, title="Hay", sets=("theses",))
    catalogue.add(ONE, title="Straw")
    assert find_small(catalogue.store, "hay", ONE, most_bytes=10_000) == view(catalogue)


def test_what_is_larger_gone_or_not_there_is_no_small_record(catalogue: Catalogue) -> None:
    catalogue.add(ONE, title="Hay")
    catalogue.add(ONE, title="Hay", prefix="uketd_dc", institution="Field University")
    sizes = [len(raw.payload) for raw in view(catalogue).raws]
    assert find_small(catalogue.store, "hay", ONE, most_bytes=sum(sizes)) is not None
    assert find_small(catalogue.store, "hay", ONE, most_bytes=sum(sizes) - 1) is None
    catalogue.withdraw(ONE)
    assert find_small(catalogue.store, "hay", ONE, most_bytes=10_000) is None
    assert find_small(catalogue.store, "hay", "oai:hay.example:2", most_bytes=10_000) is None
