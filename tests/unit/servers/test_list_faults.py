"""Faults of lists, dates and sets."""

from __future__ import annotations

import re

import pytest

from tests.servers.fault import Fault
from tests.servers.faults.lists import BreaksOn, TooMany
from tests.servers.items import make_items
from tests.servers.oai import DAYS, OaiServer
from tests.unit.servers.asking import ask, code, harvest, list_records, numbers, parse, texts


def server_with(*faults: Fault | str, count: int = 12, granularity: str | None = None) -> OaiServer:
    server = OaiServer(make_items(count), *faults, page_size=5)
    server.granularity = granularity or server.granularity
    return server


def ends(pages: list[bytes]) -> list[tuple[str | None, str | None]]:
    """(completeListSize, cursor) of each page."""
    found = [parse(page).find(".//{*}resumptionToken") for page in pages]
    return [(end.get("completeListSize"), end.get("cursor")) for end in found if end is not None]


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        ("no sizes", [(None, None)] * 3),
        ("wrong size", [("7", "0"), ("7", "5"), ("7", "10")]),
        ("size zero", [("0", "0"), ("0", "5"), ("0", "10")]),
        ("size is no number", [("many", "0"), ("many", "5"), ("many", "10")]),
        ("page numbers as cursor", [("12", "1"), ("12", "2"), ("12", "3")]),
    ],
)
def test_sizes_and_cursors_say_what_the_fault_says(fault: str, expected: list[tuple[str, str]]) -> None:
    with server_with(fault) as server:
        assert ends(harvest(server)) == expected


def test_a_window_with_too_many_records_is_refused_in_words() -> None:
    with server_with(TooMany(4)) as server:
        body = list_records(server)
        assert code(body) == "badArgument"
        assert b"Too many records" in body
        assert numbers([list_records(server, until="2020-01-04")]) == [0, 1, 2, 3]


def test_a_window_with_too_many_records_is_refused_with_413() -> None:
    with server_with(TooMany(4, status=413)) as server:
        assert ask(server, verb="ListRecords", metadataPrefix="oai_dc")[0].status == 413
        assert numbers([list_records(server, until="2020-01-04")]) == [0, 1, 2, 3]


def test_dates_may_be_ignored() -> None:
    with server_with("dates ignored") as server:
        assert numbers([list_records(server, from_="2020-01-10")]) == [0, 1, 2, 3, 4]


def test_identifiers_may_come_twice() -> None:
    with server_with("duplicate identifiers") as server:
        found = numbers(harvest(server))
    assert sorted(found) == sorted([*range(12), 0, 3, 6, 9])


def test_an_empty_window_may_be_an_empty_list() -> None:
    with server_with("empty list for an empty window") as server:
        body = list_records(server, from_="2090-01-01")
    assert code(body) is None
    assert b"<ListRecords></ListRecords>" in body


@pytest.mark.parametrize("status", [500, 200])
def test_list_records_breaks_on_one_record_and_the_other_verbs_do_not(status: int) -> None:
    name = "oai:test.example:7"
    with server_with(BreaksOn(name, status)) as server:
        token = "".join(texts(list_records(server), "resumptionToken"))
        response, body = ask(server, verb="ListRecords", resumptionToken=token)
        assert response.status == status
        with pytest.raises(SyntaxError):
            parse(body)
        assert numbers(harvest(server, verb="ListIdentifiers")) == list(range(12))
        assert numbers([ask(server, verb="GetRecord", metadataPrefix="oai_dc", identifier=name)[1]]) == [7]


def test_seconds_may_be_claimed_and_refused() -> None:
    with server_with("claims seconds, refuses them", granularity=DAYS) as server:
        assert texts(ask(server, verb="Identify")[1], "granularity") == ["YYYY-MM-DDThh:mm:ssZ"]
        assert code(list_records(server, from_="2020-01-01T00:00:00Z")) == "badArgument"
        assert code(list_records(server, from_="2020-01-01")) is None


def test_days_may_be_claimed_and_refused() -> None:
    with server_with("claims days, refuses them") as server:
        assert texts(ask(server, verb="Identify")[1], "granularity") == ["YYYY-MM-DD"]
        assert code(list_records(server, from_="2020-01-01")) == "badArgument"
        assert code(list_records(server, from_="2020-01-01T00:00:00Z")) is None


def test_a_granularity_may_be_none_that_the_protocol_has() -> None:
    with server_with("odd granularity") as server:
        assert texts(ask(server, verb="Identify")[1], "granularity") == ["yyyy-mm-ddThh:mm:ssz"]


@pytest.mark.parametrize(
    ("fault", "shape"),
    [
        ("datestamps without Z", r"2020-01-01T00:00:00"),
        ("compact datestamps", r"20200101"),
        ("datestamps with newlines", r"\s+2020-01-01T00:00:00Z\s+"),
    ],
)
def test_datestamps_come_in_other_shapes(fault: str, shape: str) -> None:
    with server_with(fault) as server:
        stamps = texts(list_records(server), "datestamp")
    assert re.fullmatch(shape, stamps[0])


def test_the_earliest_datestamp_may_be_missing_or_wrong() -> None:
    with server_with("no earliestDatestamp") as server:
        assert texts(ask(server, verb="Identify")[1], "earliestDatestamp") == []
    with server_with("late earliestDatestamp") as server:
        assert texts(ask(server, verb="Identify")[1], "earliestDatestamp") == ["2020-01-12T00:00:00Z"]
    with server_with("early earliestDatestamp") as server:
        assert texts(ask(server, verb="Identify")[1], "earliestDatestamp") == ["0001-01-01T00:00:00Z"]


def test_a_set_may_be_listed_twice_under_two_specs() -> None:
    with server_with("a set twice") as server:
        body = ask(server, verb="ListSets")[1]
    assert texts(body, "setSpec") == ["art", "art:music", "law", "copy_of_art"]
    assert texts(body, "setName")[0] == texts(body, "setName")[-1]


def test_sets_may_come_in_any_order() -> None:
    with server_with("sets reversed") as server:
        assert texts(ask(server, verb="ListSets")[1], "setSpec") == ["law", "art:music", "art"]


def test_a_record_may_be_in_nineteen_sets() -> None:
    with server_with("nineteen sets") as server:
        one = ask(server, verb="GetRecord", metadataPrefix="oai_dc", identifier="oai:test.example:6")[1]
    assert len(texts(one, "setSpec")) == 19


def test_there_may_be_no_sets() -> None:
    with server_with("no sets") as server:
        assert code(ask(server, verb="ListSets")[1]) == "noSetHierarchy"
