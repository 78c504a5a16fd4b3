"""Dates: granularity that is not what Identify says, datestamps in other shapes, no dates at all."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.flows.faulting import Expected, check_fault
from tests.flows.harvesting import Shelf, asked, make_shelf, words
from tests.servers.fault import Asked, Fault, Refused
from tests.servers.faults import dates, lists, transport
from tests.servers.items import Item, dublin_core, make_items
from tests.servers.oai import DAYS, NOW, OaiServer
from windrow.model.run import Outcome, Run
from windrow.store import sources

FAULTS = {
    "claims seconds, refuses them": Expected(),
    "claims days, refuses them": Expected(),
    "dates fail with 500": Expected(requests=20, settings={"window": "year"}),
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
        assert len(server.requests) == sent + 2, "what was found out was not remembered"


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
        assert shelf.harvest().counters.requests == 2, "a wrong guess at the granularity must not stick"


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


NEW = Item("oai:test.example:new", NOW, (), dublin_core("New"))


def incremental(tmp_path: Path, server: OaiServer, fault: Fault, **settings: object) -> tuple[Shelf, Run]:
    """A harvest of what is new, with the fault there since the first harvest."""
    shelf = make_shelf(tmp_path, server, **settings)
    assert shelf.harvest().outcome == Outcome.OK
    server.faults = [fault]
    server.put(NEW)
    server.requests.clear()
    return shelf, shelf.harvest()


@pytest.mark.parametrize("status", [500, 502, 400, 404, 200])
@pytest.mark.parametrize("mode", ["auto", "one-by-one"])
def test_a_repository_that_fails_at_dates_is_asked_for_everything_and_remembered(
    tmp_path: Path, status: int, mode: str
) -> None:
    with OaiServer(make_items(25)) as server:
        shelf, run = incremental(tmp_path, server, dates.DatesFail(status), mode=mode)
        assert run.outcome == Outcome.OK, words(run)
        assert "requests without `from` are answered, so everything is asked for" in words(run)
        assert len(shelf.records()) == 26
        server.requests.clear()
        again = shelf.harvest()
        assert again.outcome == Outcome.OK, words(again)
        assert "requests with dates failed here lately" in words(again)
        assert not [each for each in asked(server) if "from" in each], "what was found out was forgotten"
        assert shelf.harvest(is_full=True).outcome == Outcome.OK


def test_dates_that_failed_are_tried_again_after_a_week(tmp_path: Path) -> None:
    with OaiServer(make_items(25)) as server:
        shelf, _ = incremental(tmp_path, server, dates.DatesFail())
        server.faults = []
        library = shelf.open()
        with library.store.writing() as connection:
            state = sources.find(connection, "test")
            assert state is not None
            moment = datetime.fromisoformat(str(state.identity["refused_from"])) - timedelta(days=8)
            sources.note(
                connection, state.id, identity={**state.identity, "refused_from": moment.isoformat()}
            )
        library.close()
        server.requests.clear()
        assert shelf.harvest().outcome == Outcome.OK
        assert [each.get("from") for each in asked(server, "ListRecords")] == ["2024-06-01T12:00:00Z"]


def test_a_repository_that_fails_at_seconds_is_asked_by_the_day(tmp_path: Path) -> None:
    with OaiServer(make_items(25)) as server:
        fault = dates.DatesFail(length=len("2024-06-01T12:00:00Z"))
        shelf, run = incremental(tmp_path, server, fault)
        assert run.outcome == Outcome.OK, words(run)
        assert asked(server, "ListRecords")[-1]["from"] == "2024-06-01"
        assert len(shelf.records()) == 26
        server.requests.clear()
        assert shelf.harvest().outcome == Outcome.OK
        assert len(server.requests) == 2, "what was found out was forgotten"


@pytest.mark.parametrize("argument", ["from", "until"])
def test_windows_of_a_repository_that_fails_at_one_end_of_them_become_one_list(
    tmp_path: Path, argument: str
) -> None:
    items = make_items(25, start=datetime(2022, 1, 15, tzinfo=UTC), step=timedelta(days=30))
    with OaiServer(items, dates.DatesFail(arguments=(argument,))) as server:
        shelf = make_shelf(tmp_path, server, window="year")
        run = shelf.harvest()
        assert run.outcome == Outcome.OK, words(run)
        assert len(shelf.records()) == 25
        server.put(NEW)
        server.requests.clear()
        again = shelf.harvest()
        assert again.outcome == Outcome.OK, words(again)
        assert len(shelf.records()) == 26
        asks_from = any("from" in each for each in asked(server))
        assert asks_from is (argument == "until"), "what works is used, what fails is not"


@pytest.mark.parametrize("options", [{"since": "2020-01-05"}, {"until": "2020-01-05"}])
def test_a_part_that_a_person_asked_for_is_not_replaced_by_everything(
    tmp_path: Path, options: dict[str, Any]
) -> None:
    with OaiServer(make_items(25)) as server:
        shelf, _ = incremental(tmp_path, server, dates.DatesFail())
        run = shelf.harvest(**options)
        assert run.outcome == Outcome.FAILED
        assert "fail here, those without are answered: harvest it without dates" in words(run)


def test_a_server_that_is_down_is_not_taken_for_one_that_fails_at_dates(tmp_path: Path) -> None:
    with OaiServer(make_items(25)) as server:
        shelf, run = incremental(tmp_path, server, transport.Failing(500, times=None))
        assert run.outcome == Outcome.FAILED
        server.faults = []
        server.requests.clear()
        assert shelf.harvest().outcome == Outcome.OK
        assert asked(server)[0]["from"] == "2024-06-01T12:00:00Z"


def test_a_record_that_breaks_its_page_does_not_cost_the_dates(tmp_path: Path) -> None:
    with OaiServer(make_items(25)) as server:
        fault = transport.Failing(500, times=None, verbs=("ListRecords",))
        shelf, run = incremental(tmp_path, server, fault)
        assert run.outcome == Outcome.OK, words(run)
        assert all("from" in each for each in asked(server, "ListRecords"))
        assert len(asked(server, "GetRecord")) == 1
    assert len(shelf.records()) == 26


def test_a_repository_whose_connection_breaks_at_dates_is_asked_for_everything(tmp_path: Path) -> None:
    with OaiServer(make_items(25)) as server:
        shelf, run = incremental(tmp_path, server, dates.DatesFail(is_reset=True))
        assert run.outcome == Outcome.OK, words(run)
        assert "requests without `from` are answered, so everything is asked for" in words(run)
    assert len(shelf.records()) == 26


def test_a_host_that_is_gone_is_asked_one_question_more_and_keeps_its_dates(tmp_path: Path) -> None:
    gone = transport.Resetting(times=None, verbs=("Identify", "ListRecords", "ListIdentifiers"))
    with OaiServer(make_items(25)) as server:
        shelf, run = incremental(tmp_path, server, gone, attempts=2)
        assert run.outcome == Outcome.FAILED
        assert [each["verb"] for each in asked(server)] == ["ListRecords"] * 2 + ["Identify"] * 2
        server.faults = []
        server.requests.clear()
        assert shelf.harvest().outcome == Outcome.OK
        assert asked(server)[0]["from"] == "2024-06-01T12:00:00Z"
