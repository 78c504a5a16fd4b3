"""What CQL asks for, as a query; what it cannot ask for, as a diagnostic; queries written and read back."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.contracts.index import chance
from tests.oracle.memory_index import MemoryIndex
from tests.thorough import tries
from windrow.errors import NotExpressible
from windrow.index.protocol import TALLIED
from windrow.model.query import (
    FIELDS,
    Everything,
    FieldKind,
    Missing,
    Not,
    Phrase,
    Query,
    Range,
    SameEvent,
    SortKey,
    Value,
    Word,
    all_of,
    any_of,
)
from windrow.protocols.cql.cql_conversion import WHOLE_FIELDS, render_cql, to_query, to_sort
from windrow.protocols.cql.cql_indexes import CONTEXT_SETS, Indexes, listed_indexes
from windrow.protocols.cql.cql_syntax import parse_cql
from windrow.protocols.sru.sru_diagnostics import SruError


def read(text: str) -> Query:
    return to_query(parse_cql(text))


_OSLO, _AUTUMN = Word("Oslo", "place"), Word("autumn", "period")
UNDERSTOOD: dict[str, Query] = {
    "cat": Word("cat"),
    '"black cat"': Phrase(("black", "cat")),
    "cql.allRecords = 1": Everything(),
    "cql.allRecords = 1 not cat": Not(Word("cat")),
    "dc.title = cat": Word("cat", "title"),
    "title = c?t*": Word("c?t*", "title", is_pattern=True),
    'title = "c?t* dog"': Word("c?t* dog", "title", is_pattern=True),
    r"title = c\*t": Word("c*t", "title"),
    "title =/unmasked c*t": Word("c*t", "title"),
    'dc.creator any "mower rake"': any_of([Word("mower", "creator"), Word("rake", "creator")]),
    'dc.creator all "mower rake"': all_of([Word("mower", "creator"), Word("rake", "creator")]),
    'dc.title adj "black cat"': Phrase(("black", "cat"), "title"),
    "dc.title adj cat": Phrase(("cat",), "title"),
    'dc.title == "Black cat"': Range("title", "Black cat", "Black cat"),
    'dc.title exact "Black cat"': Range("title", "Black cat", "Black cat"),
    'dc.title = "^Black cat^"': Range("title", "Black cat", "Black cat"),
    'dc.creator == "Mower*"': Range("creator", "Mower", "Mowes", is_high_inside=False),
    'type ==/respectCase "Thesis"': Value("Thesis", "type"),
    "title =/fuzzy meadow": Word("meadow", "title", edits=2),
    "title =/windrow.edits=1 meadow": Word("meadow", "title", edits=1),
    "title =/stem/relevant/ignoreCase cat": Word("cat", "title"),
    "title =/regexp c.t.*": Word("c?t*", "title", is_pattern=True),
    "year > 2010": Range("year", "2010", None, is_low_inside=False),
    "year >= 2010 and year < 2014": all_of(
        [Range("year", "2010", None), Range("year", None, "2014", is_high_inside=False)]
    ),
    'dc.date within "2010 2012-05"': Range("date", "2010", "2012-05"),
    "year <> 2010": Not(Word("2010", "year")),
    "dc.date =/isoDate 2010-05": Word("2010-05", "date"),
    "language = swe": Word("swe", "language"),
    "cat or dog and fish": all_of([any_of([Word("cat"), Word("dog")]), Word("fish")]),
    "cat prox dog": any_of([Phrase(("cat", "dog")), Phrase(("dog", "cat"))]),
    "cat prox/distance=1/ordered dog": Phrase(("cat", "dog")),
    "title = cat prox/distance<=3 title = dog": Phrase(("cat", "dog"), "title", slop=2),
    "title = cat prox/unit=word/distance<4 title = dog": Phrase(("cat", "dog"), "title", slop=2),
    "place = Oslo prox/unit=event period = autumn": SameEvent(all_of([_OSLO, _AUTUMN])),
    "place = Oslo prox/unit=windrow.event period = autumn prox/unit=event intensity = full": SameEvent(
        all_of([_OSLO, _AUTUMN, Word("full", "intensity")])
    ),
    "(place = Oslo or place = Bergen) prox/unit=event period = autumn": SameEvent(
        all_of([any_of([_OSLO, Word("Bergen", "place")]), _AUTUMN])
    ),
    "windrow.eventLanguage = sv": SameEvent(Word("sv", "language")),
    "windrow.eventLanguage = sv prox/unit=event place = Oslo": SameEvent(
        all_of([Word("sv", "language"), _OSLO])
    ),
    "bath.personalName = mower": any_of([Word("mower", "creator"), Word("mower", "contributor")]),
    "bath.isbn = 9789515100001": Word("9789515100001", "identifier"),
    "rec.identifier = oai:1": Word("oai:1", "identifier"),
    '> x = "info:srw/cql-context-set/1/dc-v1.1" x.title = cat': Word("cat", "title"),
    '> "info:srw/cql-context-set/1/dc-v1.1" source = cat': Word("cat", "journal"),
    "source = barn": Word("barn", "source"),
    "author = mower": Word("mower", "creator"),
    "TITLE = cat AND Dc.Title = dog": all_of([Word("cat", "title"), Word("dog", "title")]),
}
NOT_UNDERSTOOD = {
    "nosuch.title = cat": (15, "nosuch"),
    '> x = "urn:nosuch" x.title = cat': (15, "urn:nosuch"),
    "dc.nosuch = cat": (16, "dc.nosuch"),
    "nosuch = cat": (16, "nosuch"),
    "dc.coverage = Oslo": (16, "dc.coverage"),
    "title sounds cat": (19, "sounds"),
    "title =/phonetic cat": (20, "phonetic"),
    'title =/regexp "(a|b)"': (20, "regexp"),
    "creator =/stem cat": (20, "stem"),
    "title =/respectCase cat": (20, "respectcase"),
    "title =/masked/unmasked cat": (21, "masked"),
    'title =/stem "black cat"': (21, "stem"),
    "dc.description == cat": (22, "description"),
    "dc.description > cat": (22, "description"),
    "date encloses 2010": (22, "encloses"),
    "anywhere > cat": (22, "anywhere"),
    r"title = \d": (26, r"\d"),
    'title = ""': (27, ""),
    "year > 20*": (28, "20*"),
    r"title = a\*b*": (28, "a"),
    "title = " + "?" * 30: (30, "?"),
    "title = ^cat": (31, "^cat"),
    "title = c^t": (32, "c^t"),
    "cat* prox dog": (33, "cat*"),
    "year = soon": (36, "soon"),
    "date > soon": (36, "soon"),
    "year within 2010": (36, "within"),
    "(a or b) prox c": (39, "prox"),
    "title = a prox creator = b": (18, "creator"),
    "place = Oslo prox/unit=event title = cat": (18, "title"),
    "a prox/distance>3 b": (40, "distance>3"),
    "a prox/distance<=500 b": (41, "word"),
    "a prox/distance<=x b": (41, "x"),
    "a prox/unit=paragraph b": (42, "paragraph"),
    "a prox/ordered/distance<=3 b": (43, "ordered"),
    '"a b" prox/distance<=3 c': (44, "operand"),
    "place = a prox/unit=event/ordered period = b": (44, "event"),
    "a and/rel.combine=sum b": (46, "combine"),
    "a prox/rel.combine=sum b": (46, "combine"),
    "creator == a*b": (49, "a*b"),
    "cql.resultSetId = x": (50, "x"),
}


@pytest.mark.parametrize(("text", "query"), UNDERSTOOD.items())
def test_what_cql_asks_for(text: str, query: Query) -> None:
    assert read(text) == query


@pytest.mark.parametrize(("text", "expected"), NOT_UNDERSTOOD.items())
def test_what_cannot_be_expressed_is_named(text: str, expected: tuple[int, str]) -> None:
    with pytest.raises(SruError) as raised:
        read(text)
    number, part = expected
    assert raised.value.diagnostic.number == number
    assert part in raised.value.diagnostic.details


def test_keys_to_sort_by() -> None:
    keys = to_sort(parse_cql("cat sortBy dc.date/sort.descending title/missingOmit year/missingValue=2000"))
    assert keys == (
        SortKey("date", is_ascending=False),
        SortKey("title", missing=Missing.OMIT),
        SortKey("year", missing="2000"),
    )
    assert to_sort(parse_cql("cat")) == ()
    assert to_sort(parse_cql("cat sortBy creator/respectCase")) == (SortKey("creator", respects_case=True),)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("description", 82),
        ("nosuch", 16),
        ("title/sort.sideways", 82),
        ("title/missingNever", 92),
        ("title " * 6, 84),
    ],
)
def test_keys_that_nothing_can_be_sorted_by(text: str, number: int) -> None:
    with pytest.raises(SruError) as raised:
        to_sort(parse_cql(f"cat sortBy {text}"))
    assert raised.value.diagnostic.number == number


def test_a_database_may_have_indexes_of_its_own() -> None:
    indexes = Indexes({"zthes.termName": "title"})
    assert to_query(parse_cql("zthes.TERMNAME = hay"), indexes) == Word("hay", "title")
    with pytest.raises(SruError):
        to_query(parse_cql("zthes.termName = hay"))


def test_fields_with_whole_values_are_those_of_the_index() -> None:
    words = {name for name, field in FIELDS.items() if field.kind is FieldKind.WORDS}
    assert set(WHOLE_FIELDS) == (words & set(TALLIED)) | {"title"}


def test_every_listed_index_can_be_searched() -> None:
    for context_set, name, _ in listed_indexes():
        if name not in ("allRecords", "resultSetId"):
            read(f'{context_set.name}.{name} = "2010"')
    assert {each.name for each in CONTEXT_SETS} == {"cql", "dc", "bath", "rec", "sort", "windrow"}


@settings(deadline=None, max_examples=tries(200), suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_a_query_is_written_as_cql_and_asks_for_the_same(data: st.DataObject) -> None:
    entries = data.draw(chance.libraries(most=4))
    query = data.draw(chance.queries(entries))
    try:
        again = read(render_cql(query))
    except NotExpressible:
        return
    except SruError as refused:  # a term that CQL refuses, such as a year of letters
        if refused.diagnostic.number not in (18, 27, 30, 36):
            raise
        return
    if again != query:
        index = MemoryIndex(entries)
        found = [known.card.number for known in index.found(again)]
        assert found == [known.card.number for known in index.found(query)], render_cql(query)
