"""Dates: granularity that is not what Identify says, datestamps in other shapes, no dates at all."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.flows.faulting import Expected, check_fault
from tests.flows.harvesting import asked, make_shelf, words
from tests.servers.fault import Asked, Fault, Refused
from tests.servers.faults import dates, lists
from tests.servers.items import dublin_core, make_items
from tests.servers.oai import DAYS, OaiServer
from windrow.model.run import Outcome

FAULTS = {
    "claims seconds, refuses them": Expected(),
    "claims days, refuses them": Expected(),
    "odd granularity": Expected(),
    "datestamps without Z": Expected(),
    "compact datestamps": Expected(),
    "datestamps with newlines": Expected(),
    "no earliestDatestamp": Expected(),
    "late earliestDatestamp": Expected(),
    "early earliestDatestamp": Expected(),
}


@pytest.mark.parametrize("name", FAULTS)
def test_no_fault_of_dates_loses_a_record_without_a_word(tmp_path: Path, name: str) -> None:
    check_fault(tmp_path, name, FAULTS[name])


@pytest.mark.parametrize(
    ("fault", "taken"), [(dates.ClaimsSeconds(), "2024-06-01"), (dates.ClaimsDays(), "2024-06-01T00:00:00Z")]
)
def test_a_refused_granularity_is_negotiated_and_remembered(tmp_path: Path, fault: Fault, taken: str) -> None:
    with OaiServer(make_items(25), fault) as server:
        shelf = make_shelf(tmp_path, server)
        shelf.harvest()
        new = make_items(26)[-1].__class__("oai:test.example:new", server.now, (), dublin_core("New"))
        server.put(new)
        second = shelf.harvest()
        assert second.outcome == Outcome.OK, words(second)
        assert "oai:test.example:new" in shelf.records()
        assert asked(server, "ListRecords")[-1]["from"] == taken
        sent = len(server.requests)
        assert shelf.harvest().outcome == Outcome.OK
        assert len(server.requests) == sent + 1, "what was found out was not remembered"


@pytest.mark.parametrize("window", ["year", "month"])
def test_a_refused_granularity_is_negotiated_once_for_all_slices(tmp_path: Path, window: str) -> None:
    items = make_items(25, start=datetime(2023, 1, 15, tzinfo=UTC), step=timedelta(days=20))
    with OaiServer(items, dates.ClaimsSeconds()) as server:
        shelf = make_shelf(tmp_path, server, window=window)
        run = shelf.harvest()
        assert run.outcome == Outcome.OK, words(run)
        assert len(shelf.records()) == 25
        assert words(run).count("trying again with dates by the day") == 1


@dataclass
class NoDates(Fault):
    """Any date is refused."""

    def reinterpret(self, asked: Asked) -> Asked:
        if {"from", "until"} & asked.arguments.keys():
            raise Refused("badArgument", "selective harvesting is not supported")
        return asked


def test_a_repository_that_takes_no_dates_is_asked_for_everything(tmp_path: Path) -> None:
    with OaiServer(make_items(25), NoDates()) as server:
        shelf = make_shelf(tmp_path, server)
        assert shelf.harvest().outcome == Outcome.OK
        second = shelf.harvest()
        assert second.outcome == Outcome.OK, words(second)
        assert second.counters.unchanged == 25
        assert "takes no dates" in words(second)
        assert len(asked(server, "ListRecords")) == 3 + 2 + 3
        server.faults = []
        assert shelf.harvest().counters.requests == 1, "a wrong guess at the granularity must not stick"


def test_a_list_too_long_for_a_repository_that_takes_no_dates_ends_and_is_told(tmp_path: Path) -> None:
    with OaiServer(make_items(25), NoDates(), lists.TooMany(limit=5)) as server:
        shelf = make_shelf(tmp_path, server)
        run = shelf.harvest()
        assert run.outcome == Outcome.FAILED
        assert "Too many records" in words(run)
        assert len(server.requests) < 20


@pytest.mark.parametrize(
    ("granularity", "asked_from"), [(DAYS, "2024-06-01"), ("YYYY-MM-DDThh:mm:ssZ", "2024-06-01T12:00:00Z")]
)
def test_dates_are_asked_for_as_finely_as_the_repository_tells_them(
    tmp_path: Path, granularity: str, asked_from: str
) -> None:
    with OaiServer(make_items(25), granularity=granularity) as server:
        shelf = make_shelf(tmp_path, server)
        shelf.harvest()
        shelf.harvest()
        assert asked(server, "ListRecords")[-1]["from"] == asked_from


def test_the_last_day_of_an_until_is_whole_where_seconds_are_told(tmp_path: Path) -> None:
    with OaiServer(make_items(10, step=timedelta(hours=6))) as server:
        shelf = make_shelf(tmp_path, server, until="2020-01-01")
        shelf.harvest()
        assert asked(server, "ListRecords")[0]["until"] == "2020-01-01T23:59:59Z"
        assert len(shelf.records()) == 4


@pytest.mark.parametrize("fault", [dates.NakedStamps, dates.CompactStamps, dates.StampsWithNewlines])
def test_datestamps_are_kept_as_they_came_but_for_white_space(tmp_path: Path, fault: type[Fault]) -> None:
    with OaiServer(make_items(1), fault()) as server:
        shelf = make_shelf(tmp_path, server)
        shelf.harvest()
        sent = fault().stamp("2020-01-01T00:00:00Z").strip()
    assert [record.stamp for record in shelf.records().values()] == [sent]
