"""Pages as bytes: what they say, that they are valid, and that any text can stand in them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.oai_schema import is_uri, validate
from tests.thorough import tries
from tests.unit.protocols.oai.answering.answers import DC, NOON, answer, entry, harvest, page
from windrow.protocols.oai.oai_page import Fault, Token
from windrow.protocols.oai.page_parser import parse_page, peek_token
from windrow.protocols.oai.payload_xml import ROOT_DECLARATIONS
from windrow.protocols.oai.provider_request import OaiError
from windrow.protocols.oai.provider_response import (
    about_container,
    envelope,
    errors,
    header,
    listing,
    record,
    render_datestamp,
    resumption_token,
    set_specs,
)
from windrow.protocols.oai.well_formedness import find_flaw

CODES = [
    "cannotDisseminateFormat",
    "idDoesNotExist",
    "badArgument",
    "badVerb",
    "noMetadataFormats",
    "noRecordsMatch",
    "badResumptionToken",
    "noSetHierarchy",
]


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, b"1970-01-01T00:00:00Z"),
        (-1, b"1969-12-31T23:59:59Z"),
        (NOON, b"2024-06-01T12:00:00Z"),
        (-62_135_596_800, b"0001-01-01T00:00:00Z"),
        (253_402_300_799, b"9999-12-31T23:59:59Z"),
    ],
)
def test_a_second_is_stamped_as_the_protocol_writes_it(seconds: int, text: bytes) -> None:
    assert render_datestamp(seconds) == text


def test_an_answer_names_the_protocol_the_time_and_the_request() -> None:
    rendered = envelope(
        errors([OaiError("badResumptionToken", "No & <never>")]),
        base_url="https://library.example/oai?a=1&b=2",
        response_date=NOON,
        echo=[("verb", "ListSets"), ("resumptionToken", "a\"b'<&>")],
    )
    assert rendered == (
        b'<?xml version="1.0" encoding="UTF-8"?>\n'
        b'<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"'
        b' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
        b' xsi:schemaLocation="http://www.openarchives.org/OAI/2.0/'
        b' http://www.openarchives.org/OAI/2.0/OAI-PMH.xsd">'
        b"<responseDate>2024-06-01T12:00:00Z</responseDate>"
        b'<request verb="ListSets" resumptionToken="a&quot;b\'&lt;&amp;&gt;">'
        b"https://library.example/oai?a=1&amp;b=2</request>\n"
        b'<error code="badResumptionToken">No &amp; &lt;never&gt;</error>\n'
        b"</OAI-PMH>\n"
    )
    validate(rendered)


def test_a_page_of_records_is_harvested_as_it_was_rendered() -> None:
    sets = set_specs(["a", "a:b"])
    head = header("oai:x:1&2", render_datestamp(0), sets, is_deleted=False)
    gone = header("oai:x:3", render_datestamp(NOON), sets, is_deleted=True)
    about = b'<r:rights xmlns:r="urn:r">&#169;</r:rights>'
    token = resumption_token("abc-_", cursor=100, size=250)
    abouts = about_container(about)
    body = page(record(head, DC, ROOT_DECLARATIONS, abouts), record(gone, None, b"", abouts), token=token)
    validate(body)
    harvested = parse_page(body)
    first, second = harvested.records
    assert (first.identifier, first.stamp, first.sets) == ("oai:x:1&2", "1970-01-01T00:00:00Z", ("a", "a:b"))
    assert (first.payload, first.about) == (DC, b"<about>" + about + b"</about>")
    assert (second.identifier, second.is_deleted, second.sets) == ("oai:x:3", True, ("a", "a:b"))
    assert (second.payload, second.about) == (None, None)
    assert harvested.token == Token("abc-_", 100, 250)
    assert peek_token(body) == "abc-_"


def test_a_page_of_headers_is_harvested_as_it_was_rendered() -> None:
    heads = [
        header(f"oai:x:{number}", render_datestamp(number), b"", is_deleted=number == 2)
        for number in range(3)
    ]
    body = page(*heads, verb="ListIdentifiers", token=resumption_token("", cursor=0, size=3))
    validate(body)
    harvested = parse_page(body)
    assert [(each.identifier, each.is_deleted) for each in harvested.records] == [
        ("oai:x:0", False),
        ("oai:x:1", False),
        ("oai:x:2", True),
    ]
    assert harvested.token == Token("", 0, 3)


def test_one_record_is_an_answer_to_get_record() -> None:
    body = page(entry(), verb="GetRecord")
    validate(body)
    assert [each.payload for each in parse_page(body).records] == [DC]


def test_empty_abouts_are_left_out() -> None:
    assert b"about" not in entry(abouts=[b""])


def test_sets_that_the_protocol_cannot_spell_are_left_out() -> None:
    assert set_specs(["a", "b c", "", "å", "a:b", "a:"]) == b"<setSpec>a</setSpec><setSpec>a:b</setSpec>"


def test_a_size_of_nothing_is_not_said() -> None:
    # completeListSize is a positive number in the schema.
    assert resumption_token("", cursor=0, size=0) == b'<resumptionToken cursor="0"></resumptionToken>\n'


@pytest.mark.parametrize("code", CODES)
def test_every_error_of_the_protocol_is_valid(code: str) -> None:
    body = answer(errors([OaiError(code, "Why"), OaiError(code, "")]))
    validate(body)
    assert parse_page(body).faults == (Fault(code, "Why"), Fault(code, ""))


_ANY = st.text(st.characters(codec=None), max_size=12)


@settings(deadline=None, max_examples=tries(200))
@given(st.lists(st.tuples(_ANY, st.lists(_ANY, max_size=2)), min_size=1, max_size=3), _ANY)
def test_whatever_text_stands_in_a_page_it_parses_and_is_valid(
    named: list[tuple[str, list[str]]], text: str
) -> None:
    heads = [
        header(f"oai:{identifier}", render_datestamp(NOON), set_specs(sets), is_deleted=False)
        for identifier, sets in named
    ]
    token = resumption_token(text, cursor=0, size=9)
    body = page(*(record(head, DC, ROOT_DECLARATIONS) for head in heads), token=token)
    assert find_flaw(body) is None
    if all(is_uri(each.identifier) for each in parse_page(body).records):
        validate(body)
    validate(answer(errors([OaiError("badArgument", text)])))


@settings(deadline=None)
@given(_ANY)
def test_an_identifier_comes_back_with_only_what_xml_cannot_carry_replaced(text: str) -> None:
    identifier = f"oai:{text}."
    (harvested,) = harvest(entry(identifier=identifier))
    illegal = {*map(chr, range(32)), *map(chr, range(0xD800, 0xE000)), "\ufffe", "\uffff"} - {
        "\t",
        "\n",
        "\r",
    }
    expected = "".join("\ufffd" if each in illegal else each for each in identifier)
    assert harvested.identifier == expected


def test_listing_puts_the_token_last() -> None:
    assert listing("ListSets", [b"a", b"b"], b"t") == [b"<ListSets>\n", b"a", b"b", b"t", b"</ListSets>\n"]
