"""Dates tried out: windows that are honoured, ignored, refused; what "nothing new" looks like."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta

import pytest

from tests.servers.fault import Asked, Fault, Refused
from tests.servers.faults.dates import DatesFail
from tests.servers.items import Item, make_items
from tests.servers.oai import DAYS, OaiServer
from tests.unit.sources.probing import about, probe, probe_with, topics
from windrow.sources.repository_findings import Grade


def test_dates_by_the_second_are_asked_for_by_the_second() -> None:
    with OaiServer(make_items(25)) as server:
        found = about(probe(server), "dates")
        asked = [request.arguments["from"] for request in server.requests if "from" in request.arguments]
    assert found.found == "dates by the second are honoured"
    assert asked == ["2020-01-11T00:00:00Z", "2024-06-01T12:00:00Z"]


def test_dates_by_the_day_are_asked_for_by_the_day() -> None:
    with OaiServer(make_items(25), granularity=DAYS) as server:
        found = about(probe(server), "dates")
    assert found.found == "dates by the day are honoured"


@pytest.mark.parametrize(
    ("fault", "told", "taken"),
    [("claims seconds, refuses them", "second", "day"), ("claims days, refuses them", "day", "second")],
)
def test_a_granularity_that_is_not_taken_gives_way_to_the_other(fault: str, told: str, taken: str) -> None:
    found = about(probe_with(fault), "dates")
    assert found.grade is Grade.NOTE
    assert found.found == f"Identify says dates by the {told}, but only dates by the {taken} are taken"
    assert found.facts["granularity"] == taken


def test_dates_that_are_ignored_are_a_problem_and_nothing_more_is_asked_with_them() -> None:
    with OaiServer(make_items(25), "dates ignored") as server:
        found = about(probe(server), "dates")
        assert sum("from" in request.arguments for request in server.requests) == 1
    assert found.grade is Grade.PROBLEM
    assert "ignored" in found.found


@dataclass
class _Refusing(Fault):
    """No request with dates is right."""

    code: str = "badArgument"

    def reinterpret(self, asked: Asked) -> Asked:
        if "from" in asked.arguments:
            raise Refused(self.code, "no dates here")
        return asked


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("badArgument", "it takes no dates (badArgument: no dates here)"),
        ("noRecordsMatch", "asked for 2020-01-11T00:00:00Z, when it has a record, it says there is none"),
        ("badVerb", "a request with dates is refused (badVerb: no dates here)"),
    ],
)
def test_dates_that_are_refused_are_a_problem(code: str, words: str) -> None:
    found = about(probe_with(_Refusing(code)), "dates")
    assert found.grade is Grade.PROBLEM
    assert found.found == words


@dataclass
class _WholeDays(Fault):
    """Takes seconds and looks only at the day."""

    def reinterpret(self, asked: Asked) -> Asked:
        if asked.start is None or asked.end is None:
            return asked
        day = asked.start.replace(hour=0, minute=0, second=0)
        return replace(asked, start=day, end=day + timedelta(days=1, seconds=-1))


def test_seconds_that_count_as_days_are_noted() -> None:
    with OaiServer(make_items(25, step=timedelta(hours=1)), _WholeDays()) as server:
        found = about(probe(server), "dates")
    assert found.grade is Grade.NOTE
    assert "count as whole days" in found.found


@dataclass
class _AllIsNew(Fault):
    """An open window brings everything."""

    def select(self, items: list[Item], asked: Asked) -> list[Item]:
        return items if asked.end is not None or asked.start is None else self.server.items


def test_old_records_in_answer_to_what_is_new_are_a_problem() -> None:
    found = about(probe_with(_AllIsNew()), "new")
    assert found.grade is Grade.PROBLEM


def test_an_empty_list_for_nothing_new_is_noted() -> None:
    assert "empty list" in about(probe_with("empty list for an empty window"), "new").found


def test_errors_with_a_status_are_noted() -> None:
    found = about(probe_with("errors as 422"), "error-status")
    assert found.facts["status"] == 422


def test_new_records_are_nothing_to_speak_of() -> None:
    items = make_items(25)
    with OaiServer(items, now=items[-1].stamp) as server:
        report = probe(server, now=items[-1].stamp)
    assert "new" not in topics(report)
    assert report.failure is None


def test_datestamps_that_cannot_be_read_leave_dates_untried() -> None:
    class _Undated(Fault):
        def stamp(self, text: str) -> str:
            return "yesterday"

    with OaiServer(make_items(25), _Undated()) as server:
        report = probe(server)
        assert not any("from" in request.arguments for request in server.requests)
    assert report.failure is None
    assert "not written as the protocol says ('yesterday')" in about(report, "datestamps").found


@pytest.mark.parametrize("status", [500, 404, 200])
def test_dates_at_which_it_fails_are_a_problem(status: int) -> None:
    found = about(probe_with(DatesFail(status)), "dates")
    assert found.grade is Grade.PROBLEM
    assert found.found.startswith("requests with dates fail: ")
    assert "asks for everything at every harvest" in found.action


def test_a_granularity_at_which_it_fails_gives_way_to_the_other() -> None:
    found = about(probe_with(DatesFail(length=len("2020-01-11T00:00:00Z"))), "dates")
    assert found.found == "Identify says dates by the second, but only dates by the day are taken"
