"""The six verbs, and what the repository refuses."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from tests.unit.demo.asking import OAI, ask, error, identifiers, pages, texts
from windrow.demo.thesis_repository import Repository
from windrow.demo.universities import universities

SMALL = Repository(1000, page_size=90)


def test_identify_tells_granularity_and_tombstones() -> None:
    answer = ask(SMALL, verb="Identify")
    assert texts(answer, "granularity") == ["YYYY-MM-DDThh:mm:ssZ"]
    assert texts(answer, "deletedRecord") == ["persistent"]


def test_no_record_is_older_than_the_earliest_datestamp() -> None:
    earliest = texts(ask(SMALL, verb="Identify"), "earliestDatestamp")[0]
    assert texts(ask(SMALL, verb="ListIdentifiers", metadataPrefix="oai_dc"), "datestamp")[0] == earliest


def test_a_list_gives_every_record_once_in_the_order_of_datestamps() -> None:
    found = pages(SMALL, verb="ListRecords", metadataPrefix="oai_dc")
    numbers = [each for page in found for each in texts(page, "identifier")]
    stamps = [each for page in found for each in texts(page, "datestamp")]
    assert len(numbers) == len(set(numbers)) == 1000
    assert stamps == sorted(stamps)


def test_pages_say_where_they_are_and_how_long_the_list_is() -> None:
    ends = [page.find(f".//{OAI}resumptionToken") for page in pages(SMALL, verb="ListSets")]
    assert [end.get("cursor") for end in ends if end is not None] == [str(90 * i) for i in range(11)]
    assert {end.get("completeListSize") for end in ends if end is not None} == {"935"}


def test_a_list_of_one_page_has_no_token() -> None:
    everything = ask(Repository(50), verb="ListRecords", metadataPrefix="oai_dc")
    assert len(texts(everything, "identifier")) == 50
    assert texts(everything, "resumptionToken") == []


def test_about_one_record_in_a_hundred_is_a_tombstone_without_metadata() -> None:
    found = pages(SMALL, verb="ListRecords", metadataPrefix="oai_dc")
    records = [record for page in found for record in page.iter(OAI + "record")]
    gone = [each for each in records if each.find(f"{OAI}header[@status='deleted']") is not None]
    assert 2 <= len(gone) <= 25
    assert all(each.find(OAI + "metadata") is None for each in gone)
    assert sum(each.find(OAI + "metadata") is not None for each in records) == 1000 - len(gone)


def test_headers_of_both_lists_are_the_same() -> None:
    listed = [page.iter(OAI + "header") for page in pages(SMALL, verb="ListIdentifiers", metadataPrefix="kk")]
    recorded = [page.iter(OAI + "header") for page in pages(SMALL, verb="ListRecords", metadataPrefix="kk")]
    assert [etree.tostring(each) for page in listed for each in page] == [
        etree.tostring(each) for page in recorded for each in page
    ]


def test_windows_that_follow_one_another_add_up_to_the_whole() -> None:
    old = identifiers(SMALL, until="2015-12-31T23:59:59Z")
    young = identifiers(SMALL, from_="2016-01-01T00:00:00Z")
    assert old + young == identifiers(SMALL)


def test_both_ends_belong_to_the_window() -> None:
    stamp = texts(ask(SMALL, verb="ListIdentifiers", metadataPrefix="oai_dc"), "datestamp")[5]
    assert identifiers(SMALL)[5] in identifiers(SMALL, from_=stamp, until=stamp)


def test_a_day_as_until_means_its_last_second() -> None:
    day = "2018-06-15"
    assert identifiers(SMALL, until=day) == identifiers(SMALL, until=f"{day}T23:59:59Z")


def test_the_set_of_a_university_is_the_sum_of_its_departments() -> None:
    specs = {spec for page in pages(SMALL, verb="ListSets") for spec in texts(page, "setSpec")}
    university = next(each for each in universities() if each.key == "lumivirta")
    below = [each.spec for each in university.departments]
    assert specs >= {university.spec, *below}
    parts: Counter[str] = Counter()
    for spec in below:
        if error(ask(SMALL, verb="ListIdentifiers", metadataPrefix="oai_dc", set=spec)) is None:
            parts.update(identifiers(SMALL, set=spec))
    assert parts == Counter(identifiers(SMALL, set=university.spec))
    assert len(parts) > 20


def test_a_record_asked_for_alone_is_the_same_as_in_the_list() -> None:
    page = ask(SMALL, verb="ListRecords", metadataPrefix="marcxml")
    for record in page.iter(OAI + "record"):
        alone = ask(
            SMALL, verb="GetRecord", metadataPrefix="marcxml", identifier=texts(record, "identifier")[0]
        )
        found = alone.find(f".//{OAI}record")
        assert found is not None
        assert etree.tostring(found) == etree.tostring(record)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({}, "badVerb"),
        ({"verb": "listrecords"}, "badVerb"),
        ({"verb": "ListRecords"}, "badArgument"),
        ({"verb": "Identify", "set": "lumivirta"}, "badArgument"),
        ({"verb": "ListRecords", "metadataPrefix": "mods"}, "cannotDisseminateFormat"),
        ({"verb": "ListRecords", "metadataPrefix": "oai dc"}, "badArgument"),
        ({"verb": "ListRecords", "metadataPrefix": "oai_dc", "from": "2020-13-01"}, "badArgument"),
        ({"verb": "ListRecords", "metadataPrefix": "oai_dc", "from": "20200101"}, "badArgument"),
        ({"verb": "ListRecords", "metadataPrefix": "oai_dc", "from": "2020-01-01T00:00Z"}, "badArgument"),
        (
            {"verb": "ListRecords", "metadataPrefix": "oai_dc", "from": "2021-01-01", "until": "2020-01-01"},
            "badArgument",
        ),
        (
            {
                "verb": "ListRecords",
                "metadataPrefix": "oai_dc",
                "from": "2019-01-01",
                "until": "2020-01-01T00:00:00Z",
            },
            "badArgument",
        ),
        ({"verb": "ListRecords", "metadataPrefix": "oai_dc", "from": "2090-01-01"}, "noRecordsMatch"),
        ({"verb": "ListRecords", "metadataPrefix": "oai_dc", "set": "elsewhere"}, "noRecordsMatch"),
        ({"verb": "ListRecords", "resumptionToken": "x"}, "badResumptionToken"),
        ({"verb": "ListRecords", "resumptionToken": "ListSets////x/90/0/0"}, "badResumptionToken"),
        ({"verb": "ListRecords", "resumptionToken": "ListSets/////90/0/0"}, "badResumptionToken"),
        ({"verb": "ListSets", "resumptionToken": "ListSets/////935/0/0"}, "badResumptionToken"),
        ({"verb": "ListRecords", "resumptionToken": "x", "metadataPrefix": "oai_dc"}, "badArgument"),
        ({"verb": "GetRecord", "metadataPrefix": "oai_dc", "identifier": "oai:other:1"}, "idDoesNotExist"),
        (
            {"verb": "GetRecord", "metadataPrefix": "oai_dc", "identifier": "oai:theses.example:thesis/1000"},
            "idDoesNotExist",
        ),
        (
            {"verb": "GetRecord", "metadataPrefix": "mods", "identifier": "oai:theses.example:thesis/1"},
            "cannotDisseminateFormat",
        ),
        ({"verb": "ListMetadataFormats", "identifier": "oai:other:1"}, "idDoesNotExist"),
    ],
)
def test_what_makes_no_sense_gets_the_right_error(arguments: dict[str, str], code: str) -> None:
    answer = etree.fromstring(SMALL.answer(list(arguments.items())))
    assert error(answer) == code


def test_an_argument_given_twice_is_refused() -> None:
    pairs = [("verb", "ListRecords"), ("metadataPrefix", "oai_dc"), ("metadataPrefix", "kk")]
    assert error(etree.fromstring(SMALL.answer(pairs))) == "badArgument"


NAMES = st.sampled_from(["verb", "metadataPrefix", "identifier", "from", "until", "set", "resumptionToken"])
VALUES = st.one_of(
    st.text(max_size=40),
    st.sampled_from(["Identify", "ListRecords", "ListSets", "GetRecord", "oai_dc", "2020-01-01"]),
    st.from_regex(
        r"List(Records|Sets)/(oai_dc)?//[0-9]{0,3}/[0-9]{0,3}/-?[0-9]{1,3}/[0-9]/[0-9]", fullmatch=True
    ),
)


@given(st.lists(st.tuples(st.one_of(NAMES, st.text(max_size=5)), VALUES), max_size=5))
def test_every_question_has_a_well_formed_answer(pairs: list[tuple[str, str]]) -> None:
    answer = etree.fromstring(Repository(20, page_size=5).answer(pairs))
    assert answer.tag == OAI + "OAI-PMH"
