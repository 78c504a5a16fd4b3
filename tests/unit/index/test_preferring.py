"""The obvious answer comes first: the title or the name that somebody wrote."""

from __future__ import annotations

import pytest

from tests.contracts.index.back_ends import in_one_segment
from tests.contracts.index.hay import entry
from windrow.index.tantivy.word_rendering import MAX_WORDS
from windrow.model.document import Agent, Document, Subject, Text
from windrow.protocols.query.query_parser import parse_query

LONG = "Drying of hay in barns and the barns in which hay is dried"
DOCUMENTS = [
    Document(titles=(Text("Hay: more hay, and hay again, for hay lovers"),), subjects=(Subject("Hay"),)),
    Document(titles=(Text("Hay"),)),
    Document(
        titles=(Text("John on Smith: the Johns and the Smiths"),),
        creators=(Agent("John, Ann"), Agent("Smith, Bo")),
        subjects=(Subject("John"), Subject("Smith")),
    ),
    Document(titles=(Text("Rakes"),), creators=(Agent("Smith, John"),)),
    Document(
        titles=(Text("Barns of the past"), Text("Hay of the barns")),
        subjects=(Subject("Hay barns"), Subject("Past"), Subject("Barns")),
    ),
    Document(titles=(Text("The barns, past hay"),)),
    Document(titles=(Text(LONG),)),
]


@pytest.mark.parametrize(
    ("written", "first"),
    [
        ("hay", "Hay"),
        ("Smith, John", "Rakes"),
        ("john smith", "Rakes"),
        ("the barns past hay", "The barns, past hay"),
        (LONG, LONG),
    ],
)
def test_what_was_written_as_it_stands_comes_first(written: str, first: str) -> None:
    index = in_one_segment([entry(number, each) for number, each in enumerate(DOCUMENTS, start=1)])
    assert index.search(parse_query(written).query).hits[0].card.title == first


def test_words_that_stand_apart_are_found_all_the_same() -> None:
    index = in_one_segment([entry(number, each) for number, each in enumerate(DOCUMENTS, start=1)])
    query = parse_query("john smith").query
    assert index.search(query).total == index.count(query) == 2
    many = parse_query(" ".join(["hay", "barns"] * MAX_WORDS)).query
    assert index.search(many).total == index.count(many)
