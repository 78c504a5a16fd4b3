"""Every source in a few numbers, how its runs stand, and counts that are not made twice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta

import pytest

from tests.contracts.store.shelf import NOW, Shelf, gone, live
from windrow.model.record import Reject
from windrow.model.run import Outcome, Run
from windrow.store import leases, runs, sources, store
from windrow.store.harvests import quarantine_cases
from windrow.store.overview import SourceOverview, list_overviews, outcome_word
from windrow.store.store import CountCache, Store


def begin(shelf: Shelf, kind: str = "harvest") -> Run:
    with shelf.store.writing() as connection:
        number = runs.start(connection, shelf.source_id, kind, now=NOW, arguments={})
    return get(shelf, number)


def end(shelf: Shelf, outcome: Outcome, *, kind: str = "harvest", minutes: int = 0) -> Run:
    run = begin(shelf, kind)
    with shelf.store.writing() as connection:
        runs.end(connection, run.id, outcome=outcome, now=NOW + timedelta(minutes=minutes))
    return get(shelf, run.id)


def get(shelf: Shelf, number: int) -> Run:
    with shelf.store.reading() as connection:
        found = runs.get(connection, number)
    assert found is not None
    return found


def word(shelf: Shelf, run: Run | None) -> str:
    with shelf.store.reading() as connection:
        return outcome_word(connection, run)


def claim(shelf: Shelf, kind: str = "harvest") -> None:
    with shelf.store.writing() as connection:
        leases.take(connection, leases.lease_name("hay", kind), leases.own_claim("a test"))


def test_a_source_is_told_in_its_numbers(shelf: Shelf) -> None:
    shelf.write(live("a"), live("b"), gone("c"))
    with shelf.store.writing() as connection:
        sources.note(connection, shelf.source_id, identity={"name": "A barn"})
        reject = Reject("no end", b"<x>", "d")
        quarantine_cases.put(connection, shelf.source_id, shelf.run_id, "oai_dc", [reject], now=NOW)
    last = end(shelf, Outcome.PARTIAL, minutes=3)
    (found,) = list_overviews(shelf.store)
    assert (found.name, found.title, found.url) == ("hay", "A barn", "https://hay.example/oai")
    assert (found.records, found.tombstones, found.quarantined) == (2, 1, 1)
    assert (found.last, found.outcome, found.last_good) == (last, "partial", NOW + timedelta(minutes=3))


def test_sources_come_by_name_and_one_without_a_harvest_has_only_that(shelf: Shelf) -> None:
    found = list_overviews(shelf.store, ["oats", "barley"])
    assert [each.name for each in found] == ["barley", "hay", "oats"]
    assert found[0] == SourceOverview("barley")
    assert found[0].outcome == "never"


@pytest.mark.parametrize("kind", ["rebuild", "reconcile", "retry"])
def test_only_harvests_that_did_not_fail_are_good(shelf: Shelf, kind: str) -> None:
    good = end(shelf, Outcome.OK, minutes=1)
    end(shelf, Outcome.FAILED, minutes=2)
    end(shelf, Outcome.OK, kind=kind, minutes=3)
    Shelf(shelf.store, "oats")
    hay, oats = list_overviews(shelf.store)
    assert (hay.last_good, oats.last_good) == (good.ended, None)
    with shelf.store.reading() as connection:
        assert runs.last_good(connection, "hay") == good
        assert runs.last_good(connection, "oats") is None


def test_a_run_without_an_end_is_running_while_its_process_lives(shelf: Shelf) -> None:
    run = begin(shelf)
    assert word(shelf, run) == "killed"
    claim(shelf)
    assert word(shelf, run) == "running"
    begin(shelf)
    assert word(shelf, run) == "killed"


@pytest.mark.parametrize("kind", ["rebuild", "refresh"])
def test_mapping_a_source_and_refreshing_its_records_have_claims_of_their_own(
    shelf: Shelf, kind: str
) -> None:
    first = begin(shelf, kind)
    claim(shelf, kind)
    harvest = begin(shelf)
    assert (word(shelf, first), word(shelf, harvest)) == ("running", "killed")


@pytest.mark.parametrize("kind", ["refresh", "merge"])
def test_what_is_done_to_single_records_does_not_hide_a_harvest_that_failed(shelf: Shelf, kind: str) -> None:
    failed = end(shelf, Outcome.FAILED)
    end(shelf, Outcome.OK, kind=kind)
    (found,) = list_overviews(shelf.store)
    assert (found.last, found.outcome) == (failed, "failed")


def test_a_name_is_free_unless_somebody_who_lives_holds_it(shelf: Shelf) -> None:
    name = leases.lease_name("hay")
    with shelf.store.writing() as connection:
        assert leases.is_free(connection, name)
        leases.take(connection, name, leases.own_claim("a test"))
        assert not leases.is_free(connection, name)
        leases.release(connection, name, leases.own_claim("a test"))
        leases.take(connection, name, replace(leases.own_claim("a test"), birth="another"))
        assert leases.is_free(connection, name)


def test_no_run_at_all_is_a_word_too(shelf: Shelf) -> None:
    assert word(shelf, None) == "never"


class Counting:
    """Counts how often it was asked to count."""

    def __init__(self, rows: int) -> None:
        self.times = 0
        self._rows = rows

    def __call__(self) -> Mapping[str, int]:
        self.times += 1
        return {"rows": self._rows}


def ask(store: Store, counts: CountCache, counting: Counting) -> int:
    with store.reading() as connection:
        counts.get(connection, "these", counting)
    return counting.times


def test_what_was_counted_stands_until_something_changes(shelf: Shelf) -> None:
    counts, counting = CountCache(clock=lambda: 0.0), Counting(1)
    assert [ask(shelf.store, counts, counting) for _ in range(3)] == [1, 1, 1]
    shelf.write(live("a"))
    assert ask(shelf.store, counts, counting) == 2
    Shelf(shelf.store, "oats")
    assert ask(shelf.store, counts, counting) == 3


def test_many_rows_are_not_counted_again_within_seconds(shelf: Shelf) -> None:
    now = 0.0
    counts, counting = CountCache(clock=lambda: now), Counting(store.MANY)
    assert ask(shelf.store, counts, counting) == 1
    shelf.write(live("a"))
    assert ask(shelf.store, counts, counting) == 1
    now = store.COUNT_CACHE_SECONDS
    assert ask(shelf.store, counts, counting) == 2


def test_without_a_format_the_payload_is_the_one_that_says_most(shelf: Shelf) -> None:
    shelf.write(live("a", b"<plain/>"), prefix="oai_dc")
    shelf.write(live("a", b"<rich/>"), prefix="kk")
    record = shelf.find("a")
    assert [each.prefix for each in record.payloads] == ["oai_dc", "kk"]
    chosen, plain = record.payload(), record.payload("oai_dc")
    assert chosen is not None
    assert plain is not None
    assert (chosen.data, plain.data) == (b"<rich/>", b"<plain/>")
    assert record.payload("lido") is None
