"""The test repository without faults is right by the protocol."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import pairwise

import pytest

from tests.servers.items import Item, make_items
from tests.servers.oai import DAYS, OaiServer
from tests.unit.servers.asking import ask, code, harvest, list_records, numbers, parse, texts


def test_a_harvest_gives_every_record_once() -> None:
    with OaiServer(make_items(25), page_size=10) as server:
        pages = harvest(server)
    assert [len(texts(page, "identifier")) for page in pages] == [10, 10, 5]
    assert numbers(pages) == list(range(25))


def test_the_last_page_of_several_has_an_empty_token_and_a_single_page_none() -> None:
    with OaiServer(make_items(15), page_size=10) as server:
        assert texts(harvest(server)[-1], "resumptionToken") == [""]
    with OaiServer(make_items(10), page_size=10) as server:
        assert texts(harvest(server)[-1], "resumptionToken") == []


def test_a_window_selects_by_datestamp_and_includes_both_ends() -> None:
    with OaiServer(make_items(10)) as server:
        body = list_records(server, from_="2020-01-03", until="2020-01-05")
        assert numbers([body]) == [2, 3, 4]


def test_a_window_goes_on_in_its_tokens() -> None:
    with OaiServer(make_items(30), page_size=2) as server:
        first = list_records(server, until="2020-01-05", set="art")
        second = ask(server, verb="ListRecords", resumptionToken="".join(texts(first, "resumptionToken")))[1]
    assert numbers([first, second]) == [0, 1, 3, 4]


def test_the_set_above_has_what_the_sets_below_have() -> None:
    with OaiServer(make_items(9)) as server:
        assert numbers([list_records(server, set="art")]) == [0, 1, 3, 4, 6, 7]
        assert numbers([list_records(server, set="art:music")]) == [1, 4, 7]


def test_a_deleted_record_is_a_tombstone() -> None:
    with OaiServer(make_items(3)) as server:
        server.delete("oai:test.example:1", datetime(2021, 1, 1, tzinfo=UTC))
        body = list_records(server, from_="2021-01-01")
    assert numbers([body]) == [1]
    assert b'status="deleted"' in body
    assert b"<metadata>" not in body


def test_a_deleted_record_leaves_no_trace_where_deletions_are_not_told() -> None:
    with OaiServer(make_items(3), deleted="no") as server:
        server.delete("oai:test.example:1", datetime(2021, 1, 1, tzinfo=UTC))
        assert numbers(harvest(server)) == [0, 2]


def test_a_record_put_again_replaces_the_old_one() -> None:
    with OaiServer(make_items(3)) as server:
        server.put(Item("oai:test.example:0", datetime(2021, 1, 1, tzinfo=UTC), (), "<new/>"))
        assert numbers(harvest(server)) == [1, 2, 0]


def test_day_granularity_refuses_seconds() -> None:
    with OaiServer(make_items(3), granularity=DAYS) as server:
        assert texts(list_records(server), "datestamp")[0] == "2020-01-01"
        assert code(list_records(server, from_="2020-01-01T00:00:00Z")) == "badArgument"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"verb": "Nothing"}, "badVerb"),
        ({"verb": "ListRecords"}, "badArgument"),
        ({"verb": "ListRecords", "metadataPrefix": "oai_dc", "from": "yesterday"}, "badArgument"),
        ({"verb": "ListRecords", "metadataPrefix": "mods"}, "cannotDisseminateFormat"),
        ({"verb": "ListRecords", "metadataPrefix": "oai_dc", "from": "2090-01-01"}, "noRecordsMatch"),
        ({"verb": "ListRecords", "resumptionToken": "what"}, "badResumptionToken"),
        ({"verb": "ListRecords", "resumptionToken": "90~oai_dc~~~"}, "badResumptionToken"),
        ({"verb": "GetRecord", "metadataPrefix": "oai_dc", "identifier": "no"}, "idDoesNotExist"),
    ],
)
def test_errors_have_their_code(arguments: dict[str, str], expected: str) -> None:
    with OaiServer(make_items(3)) as server:
        assert code(ask(server, **arguments)[1]) == expected


def test_sets_are_those_of_the_records_and_come_in_pages() -> None:
    with OaiServer(make_items(6), page_size=2) as server:
        body = ask(server, verb="ListSets")[1]
        assert texts(body, "setSpec") == ["art", "art:music"]
        token = "".join(texts(body, "resumptionToken"))
        assert texts(ask(server, verb="ListSets", resumptionToken=token)[1], "setSpec") == ["law"]


def test_identify_formats_and_single_records_are_answered() -> None:
    with OaiServer(make_items(3), formats=("oai_dc", "mods")) as server:
        assert texts(ask(server, verb="Identify")[1], "earliestDatestamp") == ["2020-01-01T00:00:00Z"]
        formats = ask(server, verb="ListMetadataFormats")[1]
        assert texts(formats, "metadataPrefix") == ["oai_dc", "mods"]
        one = ask(server, verb="GetRecord", metadataPrefix="mods", identifier="oai:test.example:2")[1]
        assert numbers([one]) == [2]


def test_datestamps_rise_through_the_list() -> None:
    with OaiServer(reversed(make_items(12)), page_size=5) as server:
        stamps = [stamp for page in harvest(server) for stamp in texts(page, "datestamp")]
    assert len(stamps) == 12
    assert all(before < after for before, after in pairwise(stamps))


def test_headers_alone_have_no_metadata() -> None:
    with OaiServer(make_items(3)) as server:
        pages = harvest(server, verb="ListIdentifiers")
    assert numbers(pages) == [0, 1, 2]
    assert parse(pages[0]).find(".//{*}metadata") is None
