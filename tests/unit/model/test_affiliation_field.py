"""The field `affiliation` of queries: institutions that took part, each as a whole."""

from __future__ import annotations

import pytest

from windrow.model.document import Agent, Document
from windrow.model.matching import matches
from windrow.protocols.query.query_parser import parse_query

DOCUMENT = Document(
    institution="Field University",
    creators=(Agent("Mower, Ann", affiliations=("Barn  Polytechnic", "Äng; South")),),
    contributors=(Agent("Rake, Bo", affiliations=('Institute of "Hay"',)),),
)


@pytest.mark.parametrize(
    "text",
    [
        'affiliation="Field University"',
        'affiliation="Barn Polytechnic" affiliation="Äng; South"',
        'affiliation="Institute of \\"Hay\\""',
        'affiliation:"barn polytechnic"',
        "affiliation:barn*",
        "affiliation:*",
    ],
)
def test_a_document_is_found_by_each_institution_that_took_part(text: str) -> None:
    parsed = parse_query(text)
    assert not parsed.mistakes
    assert matches(parsed.query, DOCUMENT)


@pytest.mark.parametrize("text", ["affiliation:barn", 'affiliation="barn polytechnic"', 'affiliation="Äng"'])
def test_an_institution_is_compared_as_a_whole(text: str) -> None:
    assert not matches(parse_query(text).query, DOCUMENT)


def test_a_word_of_an_affiliation_is_found_without_a_field() -> None:
    assert matches(parse_query("Barn").query, DOCUMENT)
    assert matches(parse_query("notes:Polytechnic").query, DOCUMENT)
