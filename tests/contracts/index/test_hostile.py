"""Queries that nobody would ask in good faith: answered, or refused in words, and never for long."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.contracts.index.back_ends import in_one_segment
from tests.contracts.index.hay import LIBRARY
from tests.oracle.entries import sample_entries
from tests.thorough import tries
from tests.unit.model.queries import queries
from windrow.errors import UsageError
from windrow.index.protocol import FacetRequest, Index
from windrow.index.tantivy.rows import Entry
from windrow.model.query import And, Not, Or, Phrase, Query, Range, SameEvent, Value, Word
from windrow.protocols.query.query_parser import parse_query

INDEX = in_one_segment([*LIBRARY, *sample_entries(50)])
LONG = "x" * 5000

HOSTILE: list[Query] = [
    Word("?" * 300, is_pattern=True),
    Word("*a" + "?" * 40, is_pattern=True),
    Word("*a*" * 200, is_pattern=True),
    Word("a-" * 500, is_pattern=False),
    Word("*-" * 100 + "*", is_pattern=True),
    Word(LONG),
    Word(LONG + "*", is_pattern=True),
    Word(LONG, edits=2),
    Word(LONG, "identifier"),
    Word(LONG + "?", "identifier", is_pattern=True),
    Word(LONG, "set"),
    Word(LONG + "*", "language", is_pattern=True),
    Word("9" * 5000, "year"),
    Word(".*(a|b)[c]{9}\\", "identifier", is_pattern=True),
    Word("\x00\x1f\x01\ud7ff\U0010ffff"),
    Phrase(("hay",) * 2000),
    Phrase(("hay", "straw") * 200, slop=100),
    Value(LONG, "institution"),
    Value('" OR fact_year:*', "subject"),
    Range("title", LONG, LONG + "z"),
    Range("title", "\x00", "\U0010ffff"),
    Range("year", "-" + "9" * 400, "9" * 400),
    Range("date", "x" * 400, None),
    Range("identifier", "a" * 400, None, is_low_inside=False),
    Or(tuple(Word(f"hay{number}") for number in range(2000))),
    And(tuple(Word(f"h{number}*", is_pattern=True) for number in range(50))),
    SameEvent(And(tuple(Or((Word(f"o{number}", "place"), Word("a", "period"))) for number in range(12)))),
    SameEvent(Not(And(tuple(Word(f"o{number}") for number in range(200))))),
]


def ask(index: Index, query: Query) -> None:
    with suppress(UsageError):
        total = index.search(query, limit=3).total
        assert index.count(query) == total
        index.tally(query, [FacetRequest("subject", 3)])


@pytest.mark.parametrize("query", HOSTILE, ids=lambda query: str(query)[:30])
def test_a_hostile_query_is_answered_or_refused_in_words(query: Query) -> None:
    ask(INDEX, query)


@settings(max_examples=tries(100), deadline=None)
@given(queries())
def test_any_tree_at_all_is_answered_or_refused_in_words(query: Query) -> None:
    ask(INDEX, query)


@settings(max_examples=tries(60), deadline=None)
@given(st.text(max_size=60))
def test_whatever_somebody_writes_is_answered(text: str) -> None:
    ask(INDEX, parse_query(text).query)
    INDEX.complete(text)
    INDEX.correct(text)
    INDEX.values("creator", prefix=text, after=text)


@pytest.mark.parametrize("text", ["", LONG, "\x1f", '"', "\\", ".*", "[", "ä" * 40, "\U0010ffff"])
def test_beginnings_and_places_may_be_anything(
    make_index: Callable[[Sequence[Entry]], Index], text: str
) -> None:
    index = make_index(LIBRARY)
    assert isinstance(index.values("creator", prefix=text), list)
    assert isinstance(index.values("creator", after=text), list)
    assert isinstance(index.complete(text), list)
    assert isinstance(index.complete(text, query=Value("barn", "source")), list)
