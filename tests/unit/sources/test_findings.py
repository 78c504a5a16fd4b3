"""What single answers mean: identity, formats, sets, pages, delivery."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from tests.servers.fault import Fault, Page
from tests.servers.items import make_items
from tests.servers.oai import OaiServer
from tests.unit.sources.probing import about, probe, probe_with, topics
from windrow.net.client import Answer
from windrow.protocols.oai.repository_info import Identity, MetadataFormat, SetEntry
from windrow.sources.repository_findings import (
    Grade,
    judge_delivery,
    judge_earliest,
    judge_formats,
    judge_identity,
    judge_overlap,
    judge_sets,
    judge_speed,
    reader_name,
)

URL = "https://repository.example/oai"
NOW = datetime(2024, 6, 1, 12, tzinfo=UTC)
IDENTITY = Identity(
    name="A repository",
    base_url=URL,
    protocol="2.0",
    earliest="2020-01-01",
    deletion="persistent",
    granularity="YYYY-MM-DD",
    admins=("someone@repository.example",),
    response_date="2024-06-01T12:00:30Z",
)


def found_in(identity: Identity, *, asked: str = URL, arrived: str = URL) -> dict[str, tuple[Grade, str]]:
    findings = judge_identity(identity, asked=asked, arrived=arrived, now=NOW)
    return {finding.topic: (finding.grade, finding.found) for finding in findings}


def test_a_proper_identity_is_good_throughout() -> None:
    found = found_in(IDENTITY)
    assert {grade for grade, _ in found.values()} == {Grade.GOOD}
    assert found["identify"][1] == "“A repository”, OAI-PMH 2.0, run by someone@repository.example"
    assert "address" not in found


@pytest.mark.parametrize(
    ("topic", "identity", "words"),
    [
        ("identify", replace(IDENTITY, protocol="1.1"), "gives version '1.1'"),
        ("identify", replace(IDENTITY, protocol=""), "gives no version"),
        ("deletions", replace(IDENTITY, deletion="transient"), "not remembered for ever"),
        ("deletions", replace(IDENTITY, deletion="no"), "deletions are not reported"),
        ("deletions", replace(IDENTITY, deletion=""), "no word on deletions"),
        ("deletions", replace(IDENTITY, deletion="maybe"), "it says 'maybe' of deletions"),
        ("clock", replace(IDENTITY, response_date=None), "no responseDate"),
        ("clock", replace(IDENTITY, response_date="2024-06-01T10:00:00Z"), "2 h 0 min behind ours"),
        ("clock", replace(IDENTITY, response_date="2024-06-04T12:00:00Z"), "3 days ahead of ours"),
        ("clock", replace(IDENTITY, response_date="2024-06-01T12:05:00Z"), "5 min ahead of ours"),
        ("address", replace(IDENTITY, base_url="https://old.example/oai"), "https://old.example/oai"),
    ],
)
def test_what_is_odd_in_an_identity_is_noted(topic: str, identity: Identity, words: str) -> None:
    grade, found = found_in(identity)[topic]
    assert grade is Grade.NOTE
    assert words in found


@pytest.mark.parametrize("told", ["http://repository.example/oai/", "https://REPOSITORY.example/oai"])
def test_an_address_that_differs_only_in_spelling_is_the_same(told: str) -> None:
    assert "address" not in found_in(replace(IDENTITY, base_url=told))


def test_a_redirect_is_told_without_its_arguments() -> None:
    found = found_in(IDENTITY, arrived="https://new.example/oai2?verb=Identify")
    assert found["address"][1] == "it sends us on to https://new.example/oai2"


@pytest.mark.parametrize(
    ("earliest", "grade", "words"),
    [
        ("2020-01-01", Grade.GOOD, "is 2020-01-01"),
        ("", Grade.NOTE, "no earliest datestamp"),
        ("long ago", Grade.NOTE, "is no date ('long ago')"),
        ("0001-01-01", Grade.NOTE, "not plausible"),
        ("2023-01-01", Grade.NOTE, "is wrong: a record has 2022-02-03"),
    ],
)
def test_the_earliest_datestamp_is_held_against_the_records(earliest: str, grade: Grade, words: str) -> None:
    stamps = [datetime(2022, 2, 3, tzinfo=UTC), datetime(2023, 5, 6, tzinfo=UTC)]
    found = judge_earliest(replace(IDENTITY, earliest=earliest), stamps, NOW)
    assert found.grade is grade
    assert words in found.found


def test_an_earliest_datestamp_in_the_future_is_not_plausible() -> None:
    found = judge_earliest(replace(IDENTITY, earliest="2030-01-01"), [], NOW)
    assert found.grade is Grade.NOTE


@pytest.mark.parametrize(
    ("offered", "reader"),
    [
        (MetadataFormat("oai_dc"), "oai_dc"),
        (MetadataFormat("marc21", namespace="http://www.loc.gov/MARC21/slim"), "marcxml"),
        (MetadataFormat("whatever", namespace="http://www.loc.gov/mods/v3"), "mods"),
        (MetadataFormat("private", namespace="http://private.example/"), None),
        (MetadataFormat("private"), None),
    ],
)
def test_a_format_is_known_by_its_prefix_or_its_namespace(
    offered: MetadataFormat, reader: str | None
) -> None:
    assert reader_name(offered) == reader


def test_formats_without_a_reader_are_named() -> None:
    found = judge_formats([MetadataFormat("oai_dc"), MetadataFormat("private")])
    assert found.found == "2 formats: oai_dc, private"
    assert found.action == "reads oai_dc; keeps private as it comes and picks out the fields it can"


def test_a_long_list_of_formats_is_cut() -> None:
    found = judge_formats([MetadataFormat(f"private{number}") for number in range(100)])
    assert found.grade is Grade.NOTE
    assert found.found.endswith("private11 and 88 more")


def test_sets_are_counted_with_their_depth() -> None:
    found = judge_sets(
        [SetEntry("a", "A"), SetEntry("a:b", "B"), SetEntry("a:b:c", "C")], is_whole=True, size=None
    )
    assert (found.grade, found.found) == (Grade.GOOD, "3 sets, 3 levels deep")


@pytest.mark.parametrize(("size", "words"), [(None, "more than 1 sets"), (900, "900 sets")])
def test_sets_that_were_not_all_read_are_not_claimed_to_be(size: int | None, words: str) -> None:
    assert judge_sets([SetEntry("a", "A")], is_whole=False, size=size).found == words


def test_faculties_of_one_name_in_several_universities_are_different_sets() -> None:
    entries = [SetEntry("com_10024_1", "Law"), SetEntry("com_10024_2", "Law"), SetEntry("col_10024_3", "Law")]
    assert judge_sets(entries, is_whole=True, size=None).grade is Grade.GOOD
    same = [SetEntry("col_10024_3", "Law"), SetEntry("hdl_10024_3", "Law")]
    assert judge_sets(same, is_whole=True, size=None).grade is Grade.NOTE


def test_a_name_twice_under_one_parent_is_a_set_listed_twice() -> None:
    entries = [
        SetEntry("col_1", "Law"),
        SetEntry("hdl_1", "Law"),
        SetEntry("x:y", "Law"),
        SetEntry("x:y", "Law"),
    ]
    found = judge_sets(entries, is_whole=True, size=None)
    assert found.grade is Grade.NOTE
    assert found.found == "3 sets, 2 levels deep; 1 shares a name with another, 1 listed twice"


def test_long_lists_of_sets_are_not_read_to_the_end() -> None:
    sets = [(f"s{number}", f"Set {number}") for number in range(100)]
    with OaiServer(make_items(5), sets=sets) as server:
        report = probe(server)
        assert sum(request.arguments["verb"] == "ListSets" for request in server.requests) == 3
    assert about(report, "sets").found == "100 sets"


@pytest.mark.parametrize(
    ("fault", "topic", "words"),
    [
        ("bare ampersand", "xml", "bare ampersands escaped"),
        ("mismatched tags", "records", "1 of 20 records seen cannot be read: not well-formed"),
        ("no header", "records", "the record has no header"),
        ("XML as text/html", "media-type", "XML is sent as text/html"),
        ("datestamps without Z", "datestamps", "'2020-01-01T00:00:00'"),
        ("duplicate identifiers", "duplicates", "came twice on one page"),
        ("no sizes", "size", "is not said"),
        ("half the XML", "cut", "a page came cut short"),
        ("429 with seconds", "retry-after", "it asked us once to wait, for 1 s at most"),
        ("500 once", "retries", "1 request had to be tried again"),
        ("no sets", "sets", "there are no sets"),
    ],
)
def test_what_pages_show_is_found(fault: str, topic: str, words: str) -> None:
    assert words in about(probe_with(fault), topic).found


def test_a_list_that_ends_before_its_size_is_a_problem() -> None:
    class _EndsEarly(Fault):
        def page(self, page: Page) -> Page:
            return replace(page, token="")

    found = about(probe_with(_EndsEarly()), "size")
    assert (found.grade, found.found) == (Grade.PROBLEM, "the list ends after 10 of 25 records")


def test_tombstones_on_the_first_page_are_counted() -> None:
    with OaiServer(make_items(25)) as server:
        server.delete("oai:test.example:0", datetime(2020, 1, 1, tzinfo=UTC))
        report = probe(server)
    assert about(report, "tombstones").found == "1 of 10 records on the first page are deleted"
    assert about(report, "record").grade is Grade.GOOD


def test_a_size_that_identifiers_contradict_is_noted() -> None:
    class _OtherSize(Fault):
        def page(self, page: Page) -> Page:
            return replace(page, size="99") if page.asked.verb == "ListIdentifiers" else page

    assert (
        about(probe_with(_OtherSize()), "identifiers").found == "ListIdentifiers promises 99, ListRecords 25"
    )


@pytest.mark.parametrize(("fault", "coding"), [("gzip", "gzip"), ("gzip without a word", "unannounced")])
def test_compression_is_told(fault: str, coding: str) -> None:
    found = about(probe_with(fault), "compression")
    assert found.grade is Grade.GOOD
    assert f"({coding})" in found.found


def test_the_speed_gives_an_estimate_for_everything() -> None:
    page = Answer(URL, 200, {}, b"", 0, 0.5, 0)
    found = judge_speed([page, page], page_size=100, claimed=100_000, delay=1.0)
    assert found.found == "500 ms a page, 200 records/s"
    assert found.action == "needs about 25 min for everything"
    assert found.facts["estimate_seconds"] == 1500


def test_a_speed_without_a_size_estimates_nothing() -> None:
    found = judge_speed([Answer(URL, 200, {}, b"", 0, 0.1, 0)], page_size=10, claimed=None, delay=0)
    assert found.action == ""


def test_small_answers_that_are_not_compressed_are_not_spoken_of() -> None:
    answer = Answer(URL, 200, {"content-type": "text/xml"}, b"<x/>", 4, 0.1, 0)
    assert list(judge_delivery([answer], [])) == []


def test_a_repository_of_one_record_is_counted_in_the_singular() -> None:
    report = probe_with(count=1)
    assert about(report, "size").found == "1 record as oai_dc, all on one page"
    assert "tokens" not in topics(report)


SECONDS = replace(IDENTITY, granularity="YYYY-MM-DDThh:mm:ssZ")


@pytest.mark.parametrize(
    ("identity", "specs", "late_days", "overlap"),
    [
        (replace(IDENTITY, granularity="YYYY-MM-DDThh:mm:ssZ"), [], None, "auto"),
        (replace(IDENTITY, granularity="YYYY-MM-DDThh:mm:ssZ"), ["art", "com_1234_5"], None, "2d"),
        (IDENTITY, ["art"], None, "1d"),
        (IDENTITY, ["col_1234_5"], 5, "5d"),
        (replace(SECONDS, software="Windrow"), ["col_1234_5"], None, "auto"),  # sets that are passed on
        (replace(SECONDS, software="XOAI for DSpace"), ["col_1234_5"], None, "2d"),
    ],
)
def test_an_overlap_is_recommended(
    identity: Identity, specs: list[str], late_days: int | None, overlap: str
) -> None:
    found = judge_overlap(identity, specs, late_days=late_days)
    assert found.facts["overlap"] == overlap
    assert (found.grade is Grade.GOOD) is (overlap == "auto")
