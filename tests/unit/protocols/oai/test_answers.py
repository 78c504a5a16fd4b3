"""Identify, ListMetadataFormats and ListSets, as servers really answer them."""

from __future__ import annotations

import pytest

from tests.unit.protocols.oai.pages import answer
from windrow.errors import BadXml, NotOai, OaiError
from windrow.protocols.oai.oai_page import Fault, Token
from windrow.protocols.oai.repository_info import (
    Identity,
    MetadataFormat,
    SetEntry,
    faults_in,
    parse_formats,
    parse_identity,
    parse_sets,
)

IDENTIFY = """<Identify>
  <repositoryName> Hay &amp;
    Straw </repositoryName><baseURL>https://repository.example/oai</baseURL>
  <protocolVersion>2.0</protocolVersion>
  <adminEmail>one@repository.example</adminEmail><adminEmail/><adminEmail>two@repository.example</adminEmail>
  <earliestDatestamp>2001-01-01</earliestDatestamp><deletedRecord>Persistent</deletedRecord>
  <granularity>YYYY-MM-DD</granularity><compression>gzip</compression>
  <description><repositoryName>not this one</repositoryName></description>
</Identify>"""


def test_what_a_repository_says_of_itself_is_read() -> None:
    assert parse_identity(answer(IDENTIFY)) == Identity(
        name="Hay & Straw",
        base_url="https://repository.example/oai",
        protocol="2.0",
        earliest="2001-01-01",
        deletion="persistent",
        granularity="YYYY-MM-DD",
        admins=("one@repository.example", "two@repository.example"),
        compressions=("gzip",),
        response_date="2024-06-01T12:00:00Z",
    )


def test_an_identity_may_lack_everything() -> None:
    bare = b"<OAI-PMH><Identify/></OAI-PMH>"
    assert parse_identity(bare) == Identity()


def test_prefixed_and_namespaceless_answers_are_read() -> None:
    inside = "<o:Identify><o:repositoryName>x</o:repositoryName></o:Identify>"
    assert parse_identity(f"<o:OAI-PMH xmlns:o='urn:any'>{inside}</o:OAI-PMH>".encode()).name == "x"
    assert parse_identity(f"<OAI-PMH>{inside}</OAI-PMH>".replace("o:", "").encode()).name == "x"


def test_formats_are_read_each_prefix_once() -> None:
    one = "<metadataFormat><metadataPrefix>{}</metadataPrefix><schema>s</schema></metadataFormat>"
    listed = "".join(one.format(prefix) for prefix in ("oai_dc", "", "kk", "oai_dc"))
    found = parse_formats(answer(f"<ListMetadataFormats>{listed}</ListMetadataFormats>"))
    assert found == (MetadataFormat("oai_dc", "s"), MetadataFormat("kk", "s"))


def test_sets_are_read_with_the_token_to_go_on_by() -> None:
    listed = "<set><setSpec>a:b</setSpec><setName> A  b </setName></set><set><setSpec>c</setSpec></set><set/>"
    token = '<resumptionToken cursor="0" completeListSize="7">n&amp;m</resumptionToken>'
    found = parse_sets(answer(f"<ListSets>{listed}{token}</ListSets>"))
    assert found.entries == (SetEntry("a:b", "A b"), SetEntry("c", ""))
    assert found.token == Token("n&m", 0, 7)


def test_the_last_page_of_sets_has_no_token_or_an_empty_one() -> None:
    assert parse_sets(answer("<ListSets/>")).token is None
    assert parse_sets(answer("<ListSets><resumptionToken/></ListSets>")).token == Token("")


@pytest.mark.parametrize("parse", [parse_identity, parse_formats, parse_sets])
def test_an_error_is_raised_with_its_code(parse: object) -> None:
    assert callable(parse)
    with pytest.raises(OaiError) as caught:
        parse(answer('<error code="noSetHierarchy">No <b>sets</b> here</error>'))
    assert caught.value.code == "noSetHierarchy"
    assert str(caught.value) == "noSetHierarchy: No sets here"


def test_an_answer_to_another_question_is_not_oai() -> None:
    with pytest.raises(NotOai, match="no <ListSets>"):
        parse_sets(answer(IDENTIFY))


def test_a_damaged_answer_is_mended() -> None:
    assert parse_identity(answer(IDENTIFY.replace("&amp;", "&"))).name == "Hay & Straw"


def test_an_answer_beyond_repair_is_refused_with_its_bytes() -> None:
    body = answer(IDENTIFY.replace("</baseURL>", "</baseUrl>"))
    with pytest.raises(BadXml) as caught:
        parse_identity(body)
    assert caught.value.body == body


def test_a_namespace_with_a_brace_in_it_is_refused_in_our_words() -> None:
    with pytest.raises(BadXml, match="cannot be read"):
        parse_identity(b"<OAI-PMH xmlns='urn:}'><Identify/></OAI-PMH>")


def test_errors_are_found_in_any_answer() -> None:
    errors = '<error code="badVerb">x</error><error>y</error>'
    assert faults_in(answer(errors)) == (Fault("badVerb", "x"), Fault("", "y"))


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>OAI-PMH error</html>",
        answer(IDENTIFY),
        b"<OAI-PMH><error></OAI-PMH>",
        b"<OAI-PMH><error",
        b"error",
    ],
)
def test_no_errors_are_found_where_there_are_none(body: bytes) -> None:
    assert faults_in(body) == ()
