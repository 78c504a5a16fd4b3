"""Lists that are too long: split by date, down to what can be had, with no record between two windows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.flows.faulting import Expected, check_fault
from tests.flows.harvesting import asked, make_shelf, words
from tests.servers.fault import Asked, Fault
from tests.servers.faults import dates, lists, tokens
from tests.servers.items import Item, make_items
from tests.servers.oai import DAYS, OaiServer
from windrow.model.run import Outcome

FAULTS = {
    "no sizes": Expected(),
    "wrong size": Expected(requests=10, says="promised 7 records and sent 25"),
    "size zero": Expected(requests=10, says="promised 0 records and sent 25"),
    "size is no number": Expected(),
    "page numbers as cursor": Expected(),
    "too many records": Expected(requests=30, says="Too many records"),
    "too many records as 413": Expected(requests=30, says="HTTP 413"),
    "dates ignored": Expected(),
    "duplicate identifiers": Expected(requests=25, says="came twice", is_mended=True),
    "empty list for an empty window": Expected(),
    "ListRecords breaks with 500": Expected(requests=30, says="fetched one by one"),
    "ListRecords breaks with bad XML": Expected(
        Outcome.PARTIAL, stored=24, quarantined=1, says="oai:test.example:12", keeps_page=True
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_no_fault_of_lists_loses_a_record_without_a_word(tmp_path: Path, name: str) -> None:
    check_fault(tmp_path, name, FAULTS[name])


@pytest.mark.parametrize("granularity", ["YYYY-MM-DDThh:mm:ssZ", DAYS])
@pytest.mark.parametrize("status", [200, 413])
def test_a_window_that_is_too_much_is_split_until_it_is_not(
    tmp_path: Path, granularity: str, status: int
) -> None:
    items = make_items(40, step=timedelta(hours=9))
    with OaiServer(items, lists.TooMany(limit=5, status=status), granularity=granularity) as server:
        shelf = make_shelf(tmp_path, server)
        run = shelf.harvest()
        assert run.outcome == Outcome.OK, words(run)
        assert shelf.live() == {item.identifier for item in items}
        assert len(server.requests) < 80
        assert shelf.windows() == 0


@pytest.mark.parametrize("earliest", [None, "2020-02-09T00:00:00Z", "0001-01-01T00:00:00Z", "2030-01-01"])
def test_splitting_does_not_rely_on_the_earliest_datestamp(tmp_path: Path, earliest: str | None) -> None:
    lie: Fault = dates.NoEarliest() if earliest is None else dates.WrongEarliest(earliest)
    items = make_items(40)
    with OaiServer(items, lists.TooMany(limit=5), lie) as server:
        shelf = make_shelf(tmp_path, server)
        run = shelf.harvest()
        assert run.outcome == Outcome.OK, words(run)
        assert shelf.live() == {item.identifier for item in items}
        assert len(server.requests) < 150


def test_records_older_than_unix_time_are_split_as_well(tmp_path: Path) -> None:
    items = make_items(20, start=datetime(1905, 3, 1, tzinfo=UTC))
    with OaiServer(items, lists.TooMany(limit=5), dates.NoEarliest()) as server:
        shelf = make_shelf(tmp_path, server)
        run = shelf.harvest()
        assert run.outcome == Outcome.OK, words(run)
        assert len(shelf.records()) == 20


@dataclass
class Fractions(Fault):
    """Datestamps have fractions of a second that the protocol does not know; `until` cuts them off."""

    def select(self, items: list[Item], asked: Asked) -> list[Item]:
        if asked.end is None:
            return items
        return [item for item in items if item.stamp + timedelta(milliseconds=500) <= asked.end]


def test_no_record_falls_between_two_windows_where_stamps_have_fractions(tmp_path: Path) -> None:
    items = make_items(30, step=timedelta(seconds=1))
    with OaiServer(items, lists.TooMany(limit=5), Fractions()) as server:
        shelf = make_shelf(tmp_path, server)
        shelf.harvest()
        assert shelf.live() == {item.identifier for item in items}


def test_a_second_with_too_many_records_is_fetched_one_by_one_or_told(tmp_path: Path) -> None:
    items = [replace(item, stamp=datetime(2020, 1, 1, tzinfo=UTC)) for item in make_items(12)]
    with OaiServer(items, lists.TooMany(limit=5)) as server:
        shelf = make_shelf(tmp_path, server)
        run = shelf.harvest()
        assert run.outcome == Outcome.FAILED
        assert "Too many records" in words(run)
        assert len(server.requests) < 150
        server.faults = []
        assert shelf.harvest().outcome == Outcome.OK
        assert len(shelf.records()) == 12


@pytest.mark.parametrize("window", ["year", "month", "day"])
@pytest.mark.parametrize("granularity", ["YYYY-MM-DDThh:mm:ssZ", DAYS])
def test_a_history_fetched_in_slices_is_whole(tmp_path: Path, window: str, granularity: str) -> None:
    items = make_items(12, start=datetime(2024, 1, 1, tzinfo=UTC), step=timedelta(days=3, hours=7))
    with OaiServer(items, granularity=granularity) as server:
        shelf = make_shelf(tmp_path, server, window=window, until="2024-03-01")
        run = shelf.harvest()
        assert run.outcome == Outcome.OK, words(run)
        assert shelf.live() == {item.identifier for item in items}
        windows = [each for each in asked(server, "ListRecords") if "resumptionToken" not in each]
        assert len(windows) == {"year": 1, "month": 3, "day": 61}[window]
        assert "from" not in windows[0], "the first slice must stay open: the earliest datestamp may be wrong"


def test_slices_end_where_no_records_match(tmp_path: Path) -> None:
    items = make_items(3, start=datetime(2024, 1, 1, tzinfo=UTC), step=timedelta(days=40))
    with OaiServer(items) as server:
        shelf = make_shelf(tmp_path, server, window="month", until="2024-05-31")
        assert shelf.harvest().outcome == Outcome.OK
        assert len(shelf.records()) == 3


def test_slices_of_a_server_that_ignores_dates_are_given_up(tmp_path: Path) -> None:
    items = make_items(25, start=datetime(2010, 1, 1, tzinfo=UTC), step=timedelta(days=100))
    with OaiServer(items, lists.DatesIgnored()) as server:
        shelf = make_shelf(tmp_path, server, window="month")
        run = shelf.harvest()
        assert run.outcome == Outcome.OK, words(run)
        assert "ignores from and until" in words(run)
        assert len(shelf.records()) == 25
        assert len(server.requests) < 20


def test_splitting_ends_where_dates_are_ignored_and_what_lacks_is_told(tmp_path: Path) -> None:
    with OaiServer(make_items(45), lists.DatesIgnored(), tokens.Expiring()) as server:
        shelf = make_shelf(tmp_path, server)
        run = shelf.harvest()
        assert run.outcome == Outcome.FAILED
        assert "ignores from and until" in words(run)
        assert len(server.requests) < 30
        server.faults = []
        assert shelf.harvest().outcome == Outcome.OK
        assert len(shelf.records()) == 45


def test_the_next_harvest_of_a_server_that_ignores_dates_is_whole_and_ends(tmp_path: Path) -> None:
    with OaiServer(make_items(25), lists.DatesIgnored()) as server:
        shelf = make_shelf(tmp_path, server)
        shelf.harvest()
        run = shelf.harvest()
        assert run.outcome == Outcome.OK
        assert run.counters.unchanged == 25
        assert len(asked(server, "ListRecords")) == 6


def test_what_was_harvested_of_a_split_list_is_not_fetched_again_after_a_failure(tmp_path: Path) -> None:
    with OaiServer(make_items(40), lists.TooMany(limit=5), lists.BreaksOn("oai:test.example:3")) as server:
        shelf = make_shelf(tmp_path, server, mode="list")
        assert shelf.harvest().outcome == Outcome.FAILED
        stored = len(shelf.records())
        assert 0 < stored < 40
        server.faults = server.faults[:1]
        sent = len(server.requests)
        run = shelf.harvest()
        assert run.outcome == Outcome.OK, words(run)
        assert len(shelf.records()) == 40
        assert run.counters.unchanged <= 5, "windows that were done are done"
        assert len(server.requests) - sent < 15
