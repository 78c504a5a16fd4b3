"""A vocabulary as a database: its searches beside a plain walk, scans, records, updates."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from tests.unit.vocabularies.library import BELOW_310, Expanding
from tests.unit.vocabularies.shelf import vocabulary
from windrow.errors import NotFound, QueryTooCostly, Unscannable, Unsortable
from windrow.index.protocol import FacetRequest, Index
from windrow.model.document import Document
from windrow.model.query import (
    And,
    AtLeast,
    Everything,
    Not,
    Or,
    Phrase,
    Query,
    Range,
    SameEvent,
    SortKey,
    Value,
    Word,
)
from windrow.model.text.folding import fold, folded_words
from windrow.model.thesaurus import Concept
from windrow.protocols.query.query_parser import parse_query
from windrow.search.databases import Databases, Hits, LibraryDatabase, MissingRecord
from windrow.search.record_schemas import render_record
from windrow.store.store import Store, create_store
from windrow.store.vocabulary import concepts as rows
from windrow.vocabularies import zthes_database as module
from windrow.vocabularies.vocabulary_files import import_vocabulary
from windrow.vocabularies.vocabulary_view import VocabularyView
from windrow.vocabularies.zthes_database import INDEXES, VocabularyDatabase, VocabularyDatabases

FRUIT = """\
code,parent,label@en,label@sv,alt@en,hidden@en,note@en,related
A,,Plants,Växter,Flora,,All that grows,
B,,Food,Mat,,fodd,What is eaten,
C,A|B,Fruit,Frukt,Fruit and berries,,Of plants,E
D,C,Red apple,Rött äpple,Apple (red),,,
E,B,Cider,Cider,Apple cider,,Pressed from apples,C
F,C|E,Apple wine,Äppelvin,Red wine of apples,,,D
G,,Äpple,,,,An orphan,
"""
CODES = "ABCDEFG"


@pytest.fixture(scope="module")
def fruit(tmp_path_factory: pytest.TempPathFactory) -> Iterator[VocabularyDatabase]:
    folder = tmp_path_factory.mktemp("fruit") / "library"
    folder.mkdir()
    store = create_store(folder)
    vocabulary(store, folder, FRUIT, "fruit")
    yield VocabularyDatabase(store, "fruit")
    store.close()


@pytest.fixture(scope="module")
def walk(fruit: VocabularyDatabase) -> Walk:
    return Walk(fruit)


def found(hits: Hits) -> list[str]:
    return [record.identifier for record in hits.records(1, 1000) if not isinstance(record, MissingRecord)]


class Walk:
    """Every concept, looked at for every query: slow, and plainly right."""

    def __init__(self, database: VocabularyDatabase) -> None:
        view = database.view
        self.base = view.vocabulary.base
        self.concepts = list(view.walk())
        self.below = {each.uri: {other.uri for other in view.narrower(each.uri)} for each in self.concepts}
        self.above = {
            each.uri: {uri for uri, below in self.below.items() if each.uri in below}
            for each in self.concepts
        }
        self.fields: dict[str, Callable[[Concept], list[str]]] = {
            "title": lambda each: [text for text in each.names if text != each.uri],
            "identifier": lambda each: [each.uri, *each.notations, each.uri.removeprefix(self.base)],
            "language": lambda each: [
                label.language for label in (*each.preferred, *each.alternative, *each.hidden)
            ],
            "type": lambda each: ["PT" if self.above[each.uri] else "TT"],
            "notes": lambda each: [note.text for note in each.notes],
            "set": lambda each: self._codes(self.above[each.uri]),
            "folder": lambda each: self._codes(self.below[each.uri]),
            "affiliation": lambda each: self._codes(
                {other.uri for other in self.concepts if each.uri in other.related}
            ),
        }

    def _codes(self, uris: set[str]) -> list[str]:
        return [uri.removeprefix(self.base) for uri in uris]

    def find(self, query: Query) -> set[str]:
        return {each.uri.removeprefix(self.base) for each in self.concepts if self._fits(query, each)}

    def _fits(self, query: Query, concept: Concept) -> bool:
        match query:
            case Everything():
                return True
            case And(parts):
                return all(self._fits(part, concept) for part in parts)
            case Or(parts):
                return any(self._fits(part, concept) for part in parts)
            case AtLeast(number, parts):
                return sum(self._fits(part, concept) for part in parts) >= number
            case Not(part):
                return not self._fits(part, concept)
            case Word(text, field, True) if field in ("title", "notes"):
                start = fold(text).removesuffix("*")
                return any(
                    word.startswith(start)
                    for value in self._values(field, concept)
                    for word in folded_words(value)
                )
            case Word(text, field) | Phrase((text,), field) if field in ("title", "notes"):
                wanted = f" {' '.join(folded_words(text))} "
                return any(
                    wanted in f" {' '.join(folded_words(value))} " for value in self._values(field, concept)
                )
            case Word(text, str() as field):
                return fold(text) in map(fold, self._values(field, concept))
            case Range(field, low, high, low_inside, high_inside):
                keys = [fold(value) for value in self._values(field, concept)]
                return any(
                    (low is None or key > fold(low) or (low_inside and key == fold(low)))
                    and (high is None or key < fold(high) or (high_inside and key == fold(high)))
                    for key in keys
                )
            case Value(text, field):
                return text in self._values(field, concept)
        raise AssertionError(query)

    def _values(self, field: str | None, concept: Concept) -> list[str]:
        assert field is not None
        return self.fields[field](concept)


WORDS = (
    "apple",
    "Äpple",
    "red",
    "wine",
    "fruit",
    "berries",
    "frukt",
    "flora",
    "fodd",
    "of",
    "plants",
    "nothing",
)
PHRASES = (
    "red apple",
    "apple red",
    "apple wine",
    "fruit and berries",
    "Rött äpple",
    "of apples",
    "all that grows",
)
WHOLE = ("Fruit", "fruit", "Red apple", "äpple", "Cider", "A", "nothing")
texts = st.sampled_from(("title", "notes"))
leaves = st.one_of(
    st.builds(Word, st.sampled_from(WORDS), texts),
    st.builds(Phrase, st.sampled_from(PHRASES).map(lambda text: (text,)), texts),
    st.builds(Word, st.sampled_from(("app*", "f*", "ä*", "zz*")), st.just("title"), st.just(True)),
    st.builds(Word, st.sampled_from(CODES), st.sampled_from(("identifier", "set", "folder", "affiliation"))),
    st.builds(Word, st.sampled_from(("TT", "pt", "ND")), st.just("type")),
    st.builds(Word, st.sampled_from(("sv", "EN", "fi")), st.just("language")),
    st.builds(Value, st.sampled_from(WHOLE), st.just("title")),
    st.builds(
        Range, st.just("title"), st.none() | st.sampled_from(WHOLE), st.none() | st.sampled_from(WHOLE),
        st.booleans(), st.booleans(),
    ),
    st.just(Everything()),
)  # fmt: skip
queries: st.SearchStrategy[Query] = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: And(tuple(parts))),
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: Or(tuple(parts))),
        st.lists(inner, min_size=3, max_size=3).map(lambda parts: AtLeast(2, tuple(parts))),
        inner.map(Not),
    ),
    max_leaves=6,
)


@given(query=queries)
def test_a_search_finds_what_a_walk_through_all_concepts_finds(
    fruit: VocabularyDatabase, walk: Walk, query: Query
) -> None:
    hits = fruit.search(query)
    assert set(found(hits)) == walk.find(query)
    assert hits.total == len(found(hits))


@pytest.mark.parametrize(
    ("query", "codes"),
    [
        (Word("äpple"), "DEFG"),  # a word of any label, without accents
        (Word("a"), "A"),  # or an identifier
        (Word("aple", "title", edits=1), "DEFG"),
        (Word("*ider", "title", is_pattern=True), "E"),
        (Word("red app*", "title", is_pattern=True), "D"),
        (Word("?", "identifier", is_pattern=True), "ABCDEFG"),
        (Phrase(("red", "apples"), "title", slop=2), "F"),
        (Word("C", "set"), "DF"),  # narrower terms of C
        (Word("F", "folder"), "CE"),  # its broader terms: two
        (Word("C", "affiliation"), "E"),
        (Word("C", "relation"), "ABDEF"),
        (Phrase(("C",), "relation"), "ABDEF"),
        (Word("start", "missing"), "ABG"),
        (Word("*", "set", is_pattern=True), "CDEF"),
        (Word("*", "notes", is_pattern=True), "ABCEG"),
        (Word("*", "language", is_pattern=True), "ABCDEFG"),
        (Word("swe", "language"), "ABCDEF"),
        (Word("fruit", "source"), "ABCDEFG"),
        (Word("apples", "creator"), ""),
        (SameEvent(Everything()), ""),
        (Word("--", "title"), ""),
    ],
    ids=str,
)
def test_what_is_found(fruit: VocabularyDatabase, query: Query, codes: str) -> None:
    assert "".join(sorted(found(fruit.search(query)))) == codes


def test_neighbours_are_found_by_a_uri_of_which_a_client_sends_the_words(
    fruit: VocabularyDatabase,
) -> None:
    concept = fruit.view.find("C")
    assert concept is not None
    words = tuple(folded_words(concept.uri))
    assert len(words) > 1
    assert sorted(found(fruit.search(Phrase(words, "relation")))) == list("ABDEF")
    assert sorted(found(fruit.search(Word(concept.uri, "set")))) == list("DF")


def test_results_are_in_the_order_of_names(fruit: VocabularyDatabase) -> None:
    rising = found(fruit.search(Everything()))
    assert rising == ["G", "F", "E", "B", "C", "A", "D"]  # Äpple, Apple wine, Cider, Food, Fruit …
    assert found(fruit.search(Everything(), [SortKey("title")])) == rising
    assert found(fruit.search(Everything(), [SortKey("title", is_ascending=False)])) == rising[::-1]
    assert [each.place for each in fruit.search(Everything()).records(3, 2)] == [3, 4]
    assert fruit.search(Everything()).records(8, 2) == []
    with pytest.raises(Unsortable):
        fruit.search(Everything(), [SortKey("year")])


@pytest.mark.parametrize(("name", "is_whole"), [("title", False), (None, False), ("title", True)])
def test_every_term_of_a_scan_finds_as_many_as_it_counts(
    fruit: VocabularyDatabase, name: str | None, is_whole: bool
) -> None:
    terms = fruit.scan(name, "", size=1000, is_whole=is_whole)
    assert [each.term for each in terms] == sorted({each.term for each in terms})
    for term in terms:
        query: Query = Range("title", term.term, term.term) if is_whole else Word(term.term, "title")
        assert fruit.search(query).total == term.count
    middle = len(terms) // 2
    for before in (0, 2, 100):
        wanted = list(terms[max(0, middle - before) : middle + 3])
        around = fruit.scan(name, terms[middle].display, before=before, size=3, is_whole=is_whole)
        assert list(around) == wanted


def test_identifiers_languages_and_types_are_listed(fruit: VocabularyDatabase) -> None:
    listed = fruit.scan("identifier", "c", size=3, is_whole=True)
    assert [each.display for each in listed] == ["C", "D", "E"]
    assert [(each.term, each.count) for each in fruit.scan("language", "", is_whole=True)] == [
        ("en", 7),
        ("sv", 6),
    ]
    assert [(each.display, each.count) for each in fruit.scan("type", "pt", is_whole=True)] == [
        ("PT", 4),
        ("TT", 3),
    ]
    assert [each.display for each in fruit.scan("type", "tt", before=1, size=0, is_whole=True)] == ["PT"]
    for name in (None, "creator"):
        with pytest.raises(Unscannable):
            fruit.scan(name, "", is_whole=True)
    counts = fruit.tally(
        Word("C", "set"), [FacetRequest("type"), FacetRequest("language"), FacetRequest("creator")]
    )
    assert [[tuple(each[:2]) for each in count.values] for count in counts] == [
        [("PT", 2)],
        [("en", 2), ("sv", 2)],
        [],
    ]


def test_a_record_has_its_neighbours_in_zthes_and_its_labels_in_every_schema(
    fruit: VocabularyDatabase,
) -> None:
    (record,) = fruit.search(Word("C", "identifier")).records(1, 10)
    assert not isinstance(record, MissingRecord)
    term = etree.fromstring(record.rendered["zthes"]).find("term")
    assert term is not None
    assert (term.findtext("termId"), term.findtext("termName")) == ("C", "Fruit")
    relations = [(each.findtext("relationType"), each.findtext("termId")) for each in term.iter("relation")]
    assert [each for each in relations if each[0] in ("BT", "NT", "RT")] == [
        ("BT", "A"),
        ("BT", "B"),
        ("NT", "D"),
        ("NT", "F"),
        ("RT", "E"),
    ]
    assert isinstance(record.document, Document)
    assert {text.value for text in record.document.titles} == {"Fruit", "Frukt", "Fruit and berries"}
    assert record.document.types == ("PT",)
    assert record.changed is not None
    for schema in fruit.schemas:
        made = render_record(record, schema)
        assert made is not None
        etree.fromstring(made)
        assert b"Fruit" in made


def test_a_search_that_would_look_at_too_much_is_refused(
    fruit: VocabularyDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_ROWS", 10)
    with pytest.raises(QueryTooCostly):
        fruit.search(Word("*unheard*", "title", is_pattern=True))


def test_vocabularies_come_change_and_go(store: Store, tmp_path: Path) -> None:
    databases = Databases((), VocabularyDatabases(store))
    assert databases.names() == ()
    vocabulary(store, tmp_path, FRUIT, "fruit")
    assert databases.names() == ("fruit",)
    fruit = databases.get("FRUIT")
    old = fruit.search(Everything())
    before = fruit.generation
    newer = tmp_path / "newer.csv"
    newer.write_text(FRUIT.replace("G,,Äpple,,,,An orphan,\n", "H,,Hay,,,,,\n"), encoding="utf-8")
    import_vocabulary(store, "fruit", newer, is_new=False)
    assert fruit.generation != before
    assert found(fruit.search(Word("hay"))) == ["H"]
    shown = old.records(1, 7)
    assert [place for place, each in enumerate(shown, 1) if isinstance(each, MissingRecord)] == [1]
    assert set(found(old)) == set("ABCDEF")
    with store.writing() as connection:
        rows.remove_vocabulary(connection, "fruit")
    assert databases.names() == ()
    assert fruit.search(Everything()).total == 0
    assert all(isinstance(each, MissingRecord) for each in old.records(1, 7))
    with pytest.raises(NotFound):
        databases.get("fruit")


def test_the_first_database_of_a_name_has_it(fruit: VocabularyDatabase, store: Store) -> None:
    other = VocabularyDatabase(store, "fruit")
    databases = Databases([fruit], lambda: [other])
    assert databases.names() == ("fruit",)
    assert databases.get("fruit") is fruit


def test_every_index_is_of_a_field_that_is_answered(fruit: VocabularyDatabase) -> None:
    for field in set(INDEXES.values()) - {"missing"}:
        assert fruit.search(Word("*", field, is_pattern=True)).total


@pytest.mark.parametrize(("is_wanted", "found"), [(True, len(BELOW_310)), (False, 1)])
def test_parts_of_the_library_are_searched_with_the_vocabularies_bound_to_them(
    store: Store,
    topics: VocabularyView,
    index: Index,
    monkeypatch: pytest.MonkeyPatch,
    is_wanted: bool,
    found: int,
) -> None:
    monkeypatch.setattr(Expanding, "is_usual", is_wanted)
    bound = Expanding({"climate": {"subject": [topics]}, "others": {}})
    query = parse_query("subject:310").query
    part = LibraryDatabase("climate", "Climate", index, store, expander=bound, collection="climate")
    other = LibraryDatabase("others", "Others", index, store, expander=bound, collection="others")
    assert (part.search(query).total, other.search(query).total) == (found, 1)
