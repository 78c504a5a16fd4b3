from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.oracle.memory_index import MemoryIndex
from tests.unit.vocabularies.library import BELOW_310, BELOW_400, Expanding, index_of
from tests.unit.vocabularies.shelf import table, vocabulary
from windrow.index.protocol import Index
from windrow.index.tantivy.rows import Entry
from windrow.model.document import Document, Event, Subject, Text
from windrow.model.query import Query
from windrow.model.thesaurus import Concept, Expansion, Label
from windrow.protocols.query.query_parser import parse_query
from windrow.search.request import read_request
from windrow.store.store import Store
from windrow.store.vocabulary.concepts import NOTATION, PREFERRED, URI, FoundConcept
from windrow.vocabularies import vocabulary_expansion
from windrow.vocabularies.vocabulary_expansion import Bindings, expand
from windrow.vocabularies.vocabulary_view import NarrowerConcepts, VocabularyView


def records(index: Index, query: Query) -> set[int]:
    return {hit.card.number for hit in index.search(query, limit=100).hits}


def asked(text: str, bindings: Bindings) -> Query:
    return expand(parse_query(text).query, bindings).query


@pytest.mark.parametrize(
    "text",
    [
        "subject:310",
        "subject:klimatförändring",
        'subject:"global warming"',
        'subject:"CLIMATIC change"',
        "subject:ilmastonmuutos",
        'subject="vocabulary://topics/310"',
    ],
)
def test_a_concept_in_its_field_finds_everything_at_and_below_it(
    topics: VocabularyView, index: Index, text: str
) -> None:
    found = records(index, asked(text, {"subject": [topics]}))
    assert found - {10} == BELOW_310  # the tenth has the words side by side among others


def test_a_notation_finds_records_with_labels_notations_and_addresses(
    topics: VocabularyView, index: Index
) -> None:
    assert records(index, asked("subject:400", {"subject": [topics]})) == BELOW_400


def test_a_label_in_another_language_finds_the_records_of_the_concept(
    topics: VocabularyView, index: Index
) -> None:
    found = records(index, asked("klimatförändring", {"subject": [topics]}))
    assert {1, 3, 4} <= found
    assert not found & {2, 5, 6, 9}  # nothing from below: nobody asked for the subject


def test_several_words_in_a_row_are_one_label(topics: VocabularyView, index: Index) -> None:
    found = records(index, asked("global warming", {"subject": [topics]}))
    assert {1, 3, 4} <= found
    assert records(index, asked("record global warming", {"subject": [topics]})) == found


def test_a_word_without_a_field_is_no_notation(topics: VocabularyView) -> None:
    query = parse_query("310").query
    assert expand(query, {"subject": [topics]}).query == query


def test_what_is_negated_is_left_out_with_all_below_it(topics: VocabularyView, index: Index) -> None:
    assert records(index, asked("-subject:310", {"subject": [topics]})) == {6, 7, 8, 9, 10}


@pytest.mark.parametrize(
    "text", ["subject:haystack", "title:310", "subject:31*", "subject:310~1", 'subject="Climate change"', "*"]
)
def test_what_no_vocabulary_knows_stays_as_it_is(topics: VocabularyView, text: str) -> None:
    query = parse_query(text).query
    assert expand(query, {"subject": [topics]}) == Expansion(query)


def test_without_bindings_nothing_is_looked_at() -> None:
    query = parse_query("subject:310").query
    assert expand(query, {}).query is query


def test_an_addition_reports_what_was_added(topics: VocabularyView) -> None:
    (addition,) = expand(parse_query("subject:310").query, {"subject": [topics]}).additions
    assert addition.written == "subject:310"
    assert addition.vocabulary == "topics"
    assert addition.uri == "vocabulary://topics/310"
    assert Label("Klimatförändring", "sv") in addition.labels
    assert "Global warming" in addition.names
    assert addition.below == 2
    assert addition.is_whole


def test_a_concept_with_too_much_below_it_says_so(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vocabulary_expansion, "MOST_BELOW", 10)
    wide = vocabulary(store, tmp_path, table({"0": (), **{str(n): ("0",) for n in range(1, 30)}}), "wide")
    (addition,) = expand(parse_query("subject:0").query, {"subject": [wide]}).additions
    assert not addition.is_whole


def test_the_switch_of_an_address_leaves_words_as_they_are(topics: VocabularyView, index: Index) -> None:
    expander = Expanding({"theses": {"subject": [topics]}})
    on = read_request([("q", "subject:400")], expander=expander)
    off = read_request([("q", "subject:400"), ("vocabulary", "off")], expander=expander)
    assert records(index, on.query) == BELOW_400
    assert on.additions
    assert records(index, off.query) == set()
    assert not off.additions
    assert ("vocabulary", "off") in off.pairs()
    assert "vocabulary" not in dict(on.pairs())


def test_a_filter_by_address_has_what_is_below_even_where_words_are_not_expanded(
    topics: VocabularyView, index: Index
) -> None:
    expander = Expanding({"theses": {"subject": [topics]}})
    pairs = [("subject", "vocabulary://topics/400"), ("vocabulary", "off")]
    assert records(index, read_request(pairs, expander=expander).query) == BELOW_400


def test_a_collection_expands_by_its_own_vocabularies_alone(topics: VocabularyView) -> None:
    expander = Expanding({"theses": {"subject": [topics]}, "maps": {}})
    query = parse_query("subject:400").query
    assert expander.expand(query, "maps").query == query
    assert expander.expand(query, "theses").query != query
    assert expander.expand(query).query != query


class Graph:
    """Concepts by numbers, in memory: what the expansion of a query is compared with."""

    name = "graph"

    def __init__(self, edges: Mapping[int, frozenset[int]]) -> None:
        self._under = edges

    def named(self, texts: Sequence[str]) -> dict[str, list[FoundConcept]]:
        known = [text for text in texts if text.isdecimal() and int(text) in self._under]
        return {text: [FoundConcept(f"urn:{text}", NOTATION, "", text)] for text in known}

    def below(self, uris: Sequence[str], *, limit: int) -> NarrowerConcepts:
        return NarrowerConcepts(tuple(f"urn:{each}" for each in self.walk(int(uris[0][4:]))), True)

    def concepts(self, uris: Sequence[str]) -> list[Concept]:
        return [Concept(uri, (uri[4:],), (Label(f"label {uri[4:]}"),)) for uri in uris]

    def parents(self, uris: Sequence[str]) -> dict[str, list[str]]:
        return {}

    def walk(self, start: int) -> set[int]:
        seen, left = {start}, [start]
        while left:
            for each in self._under[left.pop()]:
                if each not in seen:
                    seen.add(each)
                    left.append(each)
        return seen


NUMBERS = st.integers(0, 9)
GRAPHS = st.dictionaries(NUMBERS, st.frozensets(NUMBERS, max_size=4)).map(
    lambda found: {number: found.get(number, frozenset()) for number in range(10)}
)


@given(edges=GRAPHS, start=NUMBERS)
def test_narrower_concepts_are_those_of_a_plain_walk_whatever_circles_there_are(
    tmp_path_factory: pytest.TempPathFactory, edges: dict[int, frozenset[int]], start: int
) -> None:
    from windrow.store.store import create_store

    folder = tmp_path_factory.mktemp("graph")
    store = create_store(folder)
    try:
        parents = {str(one): [str(n) for n in edges if one in edges[n]] for one in edges}
        view = vocabulary(store, folder, table(parents), "graph")
        expected = Graph(edges).walk(start)
        found = view.below([f"vocabulary://graph/{start}"])
        assert found.is_whole
        assert set(found.uris) == {f"vocabulary://graph/{number}" for number in expected}
        index = MemoryIndex(
            Entry(n + 1, "s", f"r{n}", (), Document(subjects=(Subject(f"LABEL {n}"),))) for n in range(10)
        )
        query = asked(f"subject:{start}", {"subject": [view]})
        plain = asked(f"subject:{start}", {"subject": [Graph(edges)]})
        assert records(index, query) >= {number + 1 for number in expected}
        assert records(index, query) == records(index, plain)
    finally:
        store.close()


def test_kinds_of_names_are_what_the_graph_of_this_test_takes_them_for() -> None:
    assert (URI, NOTATION, PREFERRED) == (0, 1, 2)


PLACES = "code,parent,label@sv\n22,,Västernorrland\n2280,22,Härnösand\n2281,22,Sundsvall\n"


@pytest.mark.parametrize("is_real", [False, True])
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("event:(place:22)", {1, 2, 3}),
        ("place:22", {1, 2, 3}),
        ("event:(place:härnösand)", {1, 2}),
        ("event:(place:2280 period:2002p1)", {1}),
        ("event:(place:sundsvall)", {3}),
        ("event:(period:2002p1 -place:22)", {4}),
    ],
)
def test_codes_of_places_find_their_names_in_the_same_event(
    store: Store, tmp_path: Path, text: str, expected: set[int], *, is_real: bool
) -> None:
    places = vocabulary(store, tmp_path, PLACES, "places")
    events = {
        1: (Event(place="2280", period="2002p1"), Event(place="Oslo", period="2003p1")),
        2: (Event(place="Härnösand", period="2003p1"),),
        3: (Event(place="2281", period="2003p1"),),
        4: (Event(place="Oslo", period="2002p1"),),
    }
    made = [
        Entry(number, "s", f"r{number}", (), Document(titles=(Text(f"Course {number}"),), events=each))
        for number, each in events.items()
    ]
    index = index_of(made, tmp_path / "index", is_real=is_real)
    assert records(index, asked(text, {"place": [places]})) == expected
