"""A vocabulary as a database of Zthes records for SRU and Z39.50.

Words are searched without their other forms, in labels of all kinds and languages and in notations. The
indexes of the Zthes context set are mapped to fields of the query language (`INDEXES`); a field that terms do
not have matches nothing. Every search reads the store, so that an update takes effect immediately; the order
of the terms and the latest results are cached for one revision.
"""

from __future__ import annotations

import io
import threading
from array import array
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import TypeVar

from windrow.errors import NotFound, QueryTooCostly, Unscannable, Unsortable
from windrow.index.protocol import FacetCounts, FacetRequest, ScanTerm, ValueCount
from windrow.model.counted_fields import counted_value
from windrow.model.document import Document, Identifier, Link, LinkKind, Text
from windrow.model.document_view import DocumentView
from windrow.model.matching import compile_query
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
    is_exact,
)
from windrow.model.text.folding import fold, folded_words, pattern_pieces
from windrow.model.text.language_codes import language_spellings
from windrow.model.text.wildcards import compile_pattern, is_near
from windrow.model.thesaurus import Concept, Vocabulary, value_key
from windrow.search.databases import MAX_RECORDS, Hits, MissingRecord, Records, ScanTerms
from windrow.store.connection import Connection
from windrow.store.records.record_reader import StoredPayload
from windrow.store.store import Store
from windrow.store.vocabulary import concept_search as sets
from windrow.store.vocabulary import concepts as rows
from windrow.vocabularies.vocabulary_view import VocabularyView, concept_code
from windrow.vocabularies.zthes import write_zthes

SCHEMAS = ("zthes", "dc", "windrow")
TOP, OTHER = "TT", "PT"  # types of terms, as the records have them
START = "start"  # admin=start: the starting points for browsing
# Conditions on the neighbours of a term have no fields of their own in queries for records. These fields,
# which replace them, are compared whole, like identifiers.
_NARROWER, _BROADER, _RELATED, _ADMIN = "set", "folder", "affiliation", "missing"
# The context set http://zthes.z3950.org/cql/1.0.1, and element names for clients that use those.
INDEXES: Mapping[str, str] = {
    "zthes.termName": "title",
    "zthes.termId": "identifier",
    "zthes.termType": "type",
    "zthes.type": "type",
    "zthes.termLanguage": "language",
    "zthes.termNote": "notes",
    "zthes.nt": _NARROWER,
    "zthes.bt": _BROADER,
    "zthes.rt": _RELATED,
    "zthes.relatedTermId": "relation",
    "zthes.admin": _ADMIN,
}
_NEIGHBOURS: Mapping[str, tuple[Callable[..., set[int]], ...]] = {
    _NARROWER: (sets.below,),
    _BROADER: (sets.above,),
    _RELATED: (sets.related,),
    "relation": (sets.below, sets.above, sets.related),
}
MOST_ROWS = 3_000_000  # rows of the store that one search may read: about a second
_BODY_ROWS = 20  # reading a whole concept takes as long as this many rows
_KEPT_RESULTS = 16  # of one revision
_BEYOND = "\U0010ffff"

Row = TypeVar("Row")
_Leaf = Word | Phrase | Value | Range


class _Order:
    """The concepts of one revision: their URIs by number, and their order by name."""

    def __init__(self, connection: Connection, name: str, state: tuple[int, int]) -> None:
        self.state = state
        self.number = state[0]
        self.vocabulary = rows.find_vocabulary(connection, name)
        self.uris = sets.uris(connection, self.number)
        self.results: OrderedDict[tuple[Query, tuple[SortKey, ...]], array[int]] = OrderedDict()
        found = {number: (len(self.uris), fold(uri), uri) for number, uri in self.uris.items()}
        known = self.vocabulary.languages if self.vocabulary else ()
        ranks = {language: rank for rank, language in enumerate(known)}
        for number, language, place, text in sets.labels(connection, self.number):
            mine = (ranks.get(language, len(ranks)), place, text)
            found[number] = min(found[number], mine)
        self.places = {
            number: place
            for place, number in enumerate(sorted(found, key=lambda each: (found[each][1:], each)))
        }

    @property
    def base(self) -> str:
        return self.vocabulary.base if self.vocabulary else ""


class VocabularyDatabase:
    """The concepts of one vocabulary."""

    schemas: Sequence[str] = SCHEMAS
    indexes: Mapping[str, str] = INDEXES

    def __init__(self, store: Store, name: str) -> None:
        self.name = name
        self.view = VocabularyView(store, name)
        self._store = store
        self._lock = threading.Lock()
        self._order: _Order | None = None

    @property
    def title(self) -> str:
        found = self._vocabulary()
        return found.label() if found else self.name

    @property
    def description(self) -> str:
        found = self._vocabulary()
        return f"A vocabulary of {found.concepts:,} concepts, as Zthes records." if found else ""

    @property
    def generation(self) -> str:
        return self.view.mark

    def search(self, query: Query, sort: Sequence[SortKey] = (), *, expected: int = 0) -> Hits:  # noqa: ARG002
        keys = tuple(sort)
        for key in keys:
            if key.field != "title":
                raise Unsortable(
                    f"the terms of a vocabulary cannot be sorted by {key.field}",
                    hint="They can be by their names.",
                )
        with self._store.reading() as connection:
            order = self._current(connection)
            found = self._kept(order, (query, keys[:1]))
            if found is None:
                chosen = _Search(connection, order).find(query)
                is_descending = bool(keys) and not keys[0].is_ascending
                found = array("q", sorted(chosen, key=order.places.__getitem__, reverse=is_descending))
                self._keep(order, (query, keys[:1]), found)
        return _ConceptHits(self.view, order, found)

    def scan(
        self, name: str | None, term: str, *, before: int = 0, size: int = 20, is_whole: bool = False
    ) -> ScanTerms:
        """Return terms of a field: words or whole names, identifiers, languages, types."""
        with self._store.reading() as connection:
            order = self._current(connection)
            if name in ("language", "type"):
                return _around(_values(connection, order, name), fold(" ".join(term.split())), before, size)
            is_words = name in (None, "title") and not is_whole
            if not is_words and name not in ("title", "identifier"):
                raise Unscannable(f"the terms of {name or 'all fields'} cannot be listed in a vocabulary")

            def listed(start: str, limit: int, *, is_before: bool) -> list[sets.CountedTerm]:
                if is_words:
                    return sets.list_words(connection, order.number, start, limit=limit, is_before=is_before)
                kinds = sets.NAMES if name == "title" else sets.IDENTIFIERS
                return sets.list_names(
                    connection, order.number, kinds, start, limit=limit, is_before=is_before
                )

            start = next(iter(folded_words(term)), fold(term.strip())) if is_words else value_key(term)
            found = listed(start, before, is_before=True) if before > 0 else []
            found += listed(start, size, is_before=False) if size > 0 else []
        return [ScanTerm(key, total, text) for key, text, total in found]

    def tally(self, query: Query, tallies: Sequence[FacetRequest]) -> tuple[FacetCounts, ...]:
        """Count languages and types of terms; other fields have no values."""
        with self._store.reading() as connection:
            order = self._current(connection)
            chosen = _Search(connection, order).find(query)
            return tuple(_counted(connection, order, chosen, each) for each in tallies)

    def _vocabulary(self) -> Vocabulary | None:
        with self._store.reading() as connection:
            return rows.find_vocabulary(connection, self.name)

    def _current(self, connection: Connection) -> _Order:
        state = rows.list_revisions(connection).get(self.name, (-1, 0))
        with self._lock:
            if self._order is None or self._order.state != state:
                self._order = _Order(connection, self.name, state)
            return self._order

    def _kept(self, order: _Order, key: tuple[Query, tuple[SortKey, ...]]) -> array[int] | None:
        with self._lock:
            found = order.results.get(key)
            if found is not None:
                order.results.move_to_end(key)
            return found

    def _keep(self, order: _Order, key: tuple[Query, tuple[SortKey, ...]], found: array[int]) -> None:
        with self._lock:
            order.results[key] = found
            while len(order.results) > _KEPT_RESULTS:
                order.results.popitem(last=False)


class VocabularyDatabases:
    """The vocabularies of a library as databases; a call returns the current list."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._known: dict[str, VocabularyDatabase] = {}

    def __call__(self) -> Sequence[VocabularyDatabase]:
        with self._store.reading() as connection:
            names = sorted(rows.list_revisions(connection))
        with self._lock:
            self._known = {
                name: self._known.get(name) or VocabularyDatabase(self._store, name) for name in names
            }
            return tuple(self._known.values())


@dataclass(frozen=True)
class ConceptRecord:
    """A concept in the results of a search."""

    place: int
    source: str  # the vocabulary
    concept: Concept
    view: VocabularyView
    base: str
    stamp: str
    payloads: Sequence[StoredPayload] = ()

    @property
    def identifier(self) -> str:
        """The identifier of the term: the code of the concept, or its URI."""
        return concept_code(self.concept.uri, self.base)

    @property
    def changed(self) -> datetime | None:
        return datetime.fromisoformat(self.stamp) if self.stamp else None

    @cached_property
    def rendered(self) -> Mapping[str, bytes]:
        file = io.BytesIO()
        write_zthes([self.concept], file, neighbours=self.view.neighbours)
        return {"zthes": file.getvalue()}

    @cached_property
    def document(self) -> Document:
        concept, around = self.concept, self.view.neighbours(self.concept)
        first = concept.label()
        labels = sorted(concept.preferred, key=lambda each: each.text != first)
        neighbours = [each.label() for found in around.relations.values() for each in found]
        is_address = concept.uri.startswith(("http://", "https://"))
        return Document(
            titles=tuple(
                Text(text, language or None)
                for text, language in dict.fromkeys((*labels, *concept.alternative))
            )
            or (Text(first),),
            descriptions=tuple(Text(note.text, note.language or None) for note in concept.notes),
            types=(OTHER if around.relations["BT"] else TOP,),
            languages=tuple(dict.fromkeys(each.language for each in labels if each.language)),
            links=(Link(concept.uri, LinkKind.LANDING),) if is_address else (),
            names=tuple(
                Identifier("local", each) for each in dict.fromkeys((self.identifier, *concept.notations))
            ),
            relations=tuple(dict.fromkeys(neighbours)),
        )


class _ConceptHits:
    """The results in one revision. After an update, concepts that still exist can be retrieved."""

    def __init__(self, view: VocabularyView, order: _Order, numbers: array[int]) -> None:
        self._view = view
        self._order = order
        self._numbers = numbers
        self.total = len(numbers)

    @property
    def generation(self) -> str:
        return "-".join(map(str, (self._view.name, *self._order.state)))

    def records(self, start: int, count: int) -> Records:
        first = max(1, start)
        chosen = self._numbers[first - 1 : first - 1 + max(0, min(count, MAX_RECORDS))]
        uris = [self._order.uris[number] for number in chosen]
        try:
            vocabulary = self._view.vocabulary
            found = {concept.uri: concept for concept in self._view.concepts(uris)}
        except NotFound:  # removed since the search
            return [MissingRecord(place) for place in range(first, first + len(uris))]
        return [
            ConceptRecord(place, vocabulary.name, found[uri], self._view, vocabulary.base, vocabulary.updated)
            if uri in found
            else MissingRecord(place)
            for place, uri in enumerate(uris, first)
        ]


class _Search:
    """One search in one transaction."""

    def __init__(self, connection: Connection, order: _Order) -> None:
        self._connection = connection
        self._order = order
        self._number = order.number
        self._rows = 0

    def find(self, query: Query) -> set[int]:
        match query:
            case Everything():
                return set(self._order.uris)
            case And(parts):
                found = self.find(parts[0])
                for part in parts[1:]:
                    if not found:
                        break
                    found &= self.find(part)
                return found
            case Or(parts):
                return set().union(*map(self.find, parts))
            case AtLeast(number, parts):
                counts = Counter(each for part in parts for each in self.find(part))
                return {each for each, count in counts.items() if count >= number}
            case Not(part):
                return self._order.uris.keys() - self.find(part)
            case SameEvent():
                return set()  # concepts have no events
        return self._spend(self._leaf(query))

    def _leaf(self, leaf: _Leaf) -> set[int]:
        field = leaf.field
        if isinstance(leaf, Word) and leaf.is_pattern and not leaf.text.strip("*"):
            return self._having(field)
        if field in (None, "title"):
            found = self._named(leaf)
            return found if field else found | self._identified(leaf)
        if field == "identifier":
            return self._identified(leaf)
        if field in _NEIGHBOURS:
            targets = self._targets(leaf)
            return set().union(
                *(each(self._connection, self._number, targets) for each in _NEIGHBOURS[field])
            )
        if field == "notes":
            return self._noted(leaf)
        return self._valued(leaf)

    def _having(self, field: str | None) -> set[int]:
        run, number, everything = self._connection, self._number, set(self._order.uris)
        if field in (None, "title", "identifier", "type", "source"):
            return everything
        if field == "language":
            return sets.labelled_in(run, number, tuple(sets.languages(run, number)))
        if field == "notes":
            return self._filtered(everything, lambda concept: bool(concept.notes))
        if field in _NEIGHBOURS:
            return set().union(*(each(run, number, everything) for each in _NEIGHBOURS[field]))
        return set()

    # Names

    def _named(self, leaf: _Leaf) -> set[int]:
        match leaf:
            case Value(text):
                key, wanted = value_key(text), counted_value(text)
                return self._keyed(sets.NAMES, key, key, lambda each: counted_value(each.text) == wanted)
            case Range():
                return self._between(leaf, sets.NAMES)
            case Phrase(texts):
                words = [word for text in texts for word in folded_words(text)]
                return self._verified(
                    leaf, [self._with_word(word) for word in dict.fromkeys(words)], len(words)
                )
            case Word(text, is_pattern=True):
                pieces = pattern_pieces(text)
                found = [self._with_pattern(piece) for piece in pieces if piece.strip("*")]
                return self._verified(leaf, found, len(pieces))
            case Word() if leaf.edits:
                words = folded_words(leaf.text)
                return self._verified(leaf, [self._with_near(word, leaf.edits) for word in words], len(words))
        words = folded_words(leaf.text)
        return self._verified(_as_written(leaf), [self._with_word(word) for word in words], len(words))

    def _with_word(self, word: str) -> set[int]:
        return self._spend(sets.with_words(self._connection, self._number, (word,)))

    def _with_pattern(self, piece: str) -> set[int]:
        start = next((place for place, letter in enumerate(piece) if letter in "*?"), len(piece))
        return self._with_fitting(piece[:start], compile_pattern(piece).fits)

    def _with_near(self, word: str, edits: int) -> set[int]:
        return self._with_fitting("", lambda each: is_near(word, each, edits))

    def _with_fitting(self, prefix: str, fits: Callable[[str], bool]) -> set[int]:
        words = self._counted(sets.words(self._connection, self._number, prefix))
        fitting = [word for word in words if fits(word)]
        return self._spend(sets.with_words(self._connection, self._number, fitting))

    def _verified(self, leaf: Word | Phrase, found: Sequence[set[int]], length: int) -> set[int]:
        """Return the concepts in all of these sets that have several words in the right order."""
        if not found:
            return set()
        both = set.intersection(*found)
        if length < 2:
            return both
        judge = compile_query(replace(leaf, field="title"))

        def fits(concept: Concept) -> bool:
            labels = (*concept.preferred, *concept.alternative, *concept.hidden)
            texts = (*(label.text for label in labels), *concept.notations)
            return judge(DocumentView(Document(titles=tuple(map(Text, texts)))))

        return self._filtered(both, fits)

    def _keyed(
        self,
        kinds: Sequence[int],
        low: str,
        high: str,
        fits: Callable[[sets.Name], bool] = lambda _name: True,
    ) -> set[int]:
        names = self._counted(sets.names(self._connection, self._number, kinds, low, high))
        return {each.number for each in names if fits(each)}

    def _between(self, leaf: Range, kinds: Sequence[int]) -> set[int]:
        low = None if leaf.low is None else value_key(leaf.low)
        high = None if leaf.high is None else value_key(leaf.high)

        def is_inside(name: sets.Name) -> bool:
            return (leaf.is_low_inside or name.key != low) and (leaf.is_high_inside or name.key != high)

        return self._keyed(kinds, low or "", _BEYOND if high is None else high, is_inside)

    # Identifiers and neighbours

    def _identified(self, leaf: _Leaf) -> set[int]:
        match leaf:
            case Range() if not is_exact(leaf):
                return self._between(leaf, sets.IDENTIFIERS)
            case Word() if leaf.is_pattern or leaf.edits:
                fits, base = _fitting(leaf), value_key(self._order.base)

                def is_meant(name: sets.Name) -> bool:
                    return fits(name.key) or (bool(base) and fits(name.key.removeprefix(base)))

                return self._keyed(sets.IDENTIFIERS, "", _BEYOND, is_meant)
        return self._exactly(_text_of(leaf))

    def _exactly(self, text: str) -> set[int]:
        found: set[int] = set()
        for each in (text, f"{self._order.base}{text}"):
            key = value_key(each)
            if key:
                found |= self._keyed(sets.IDENTIFIERS, key, key)
        return found

    def _targets(self, leaf: _Leaf) -> set[int]:
        """Return the concepts whose neighbours are requested; a phrase may be the words of a URI."""
        text = _text_of(leaf)
        found = self._exactly(text)
        words = folded_words(text)
        if not found and isinstance(leaf, Phrase) and len(words) > 1:
            found = self._keyed(sets.IDENTIFIERS, "", _BEYOND, lambda each: folded_words(each.key) == words)
        return found

    # Other fields

    def _valued(self, leaf: _Leaf) -> set[int]:
        fits, number = _fitting(leaf), self._number
        if leaf.field == "language":
            known = sets.languages(self._connection, number)
            return sets.labelled_in(self._connection, number, tuple(filter(fits, known)))
        if leaf.field == "type":
            return _of_types(self._connection, self._order, fits)
        if leaf.field == "source":
            return (
                set(self._order.uris)
                if self._order.vocabulary and fits(self._order.vocabulary.name)
                else set()
            )
        return sets.tops(self._connection, number) if leaf.field == _ADMIN and fits(START) else set()

    def _noted(self, leaf: _Leaf) -> set[int]:
        if isinstance(leaf, Value | Range):
            return set()
        judge = compile_query(replace(_as_written(leaf), field="title"))

        def fits(concept: Concept) -> bool:
            return any(judge(DocumentView(Document(titles=(Text(note.text),)))) for note in concept.notes)

        return self._filtered(set(self._order.uris), fits)

    def _filtered(self, numbers: set[int], fits: Callable[[Concept], bool]) -> set[int]:
        self._count(len(numbers) * _BODY_ROWS)
        found = sets.bodies(self._connection, self._number, sorted(numbers))
        return {number for number, concept in found if fits(concept)}

    def _counted(self, found: Iterable[Row]) -> Iterator[Row]:
        for row in found:
            self._count(1)
            yield row

    def _spend(self, found: set[int]) -> set[int]:
        self._count(len(found))
        return found

    def _count(self, number: int) -> None:
        self._rows += number
        if self._rows > MOST_ROWS:
            raise QueryTooCostly("patterns")


def _as_written(leaf: Word | Phrase) -> Word | Phrase:
    """Return the condition on words without their other forms."""
    is_plain = isinstance(leaf, Word) and not leaf.is_pattern and not leaf.edits
    return Phrase((leaf.text,), leaf.field) if isinstance(leaf, Word) and is_plain else leaf


def _text_of(leaf: _Leaf) -> str:
    match leaf:
        case Phrase(words):
            return " ".join(words)
        case Range(_, low, high):
            return low or high or ""
    return leaf.text


def _fitting(leaf: _Leaf) -> Callable[[str], bool]:
    """Return a test whether a value, compared whole, matches a leaf."""
    if isinstance(leaf, Range):
        low = None if leaf.low is None else fold(leaf.low)
        high = None if leaf.high is None else fold(leaf.high)

        def is_inside(value: str) -> bool:
            key = fold(value)
            if low is not None and (key < low or (key == low and not leaf.is_low_inside)):
                return False
            return high is None or key < high or (key == high and leaf.is_high_inside)

        return is_inside
    wanted = fold(_text_of(leaf).strip())
    if isinstance(leaf, Word) and leaf.is_pattern:
        pattern = compile_pattern(wanted)
        return lambda value: pattern.fits(fold(value))
    if isinstance(leaf, Word) and leaf.edits:
        edits = leaf.edits
        return lambda value: is_near(wanted, fold(value), edits)
    ways = {wanted, *(language_spellings(wanted) if leaf.field == "language" else ())}
    return lambda value: fold(value) in ways


def _of_types(connection: Connection, order: _Order, fits: Callable[[str], bool]) -> set[int]:
    below = sets.below_any(connection, order.number)
    found: set[int] = set()
    if fits(TOP):
        found |= order.uris.keys() - below
    if fits(OTHER):
        found |= below
    return found


def _values(connection: Connection, order: _Order, field: str) -> list[ScanTerm]:
    """Return the values of a field that has few, with their numbers of concepts."""
    if field == "language":
        return [
            ScanTerm(fold(each), total, each)
            for each, total in sets.languages(connection, order.number).items()
        ]
    totals = {each: len(_of_types(connection, order, each.__eq__)) for each in (OTHER, TOP)}
    return [ScanTerm(fold(each), total, each) for each, total in totals.items() if total]


def _around(terms: Sequence[ScanTerm], start: str, before: int, size: int) -> ScanTerms:
    place = sum(each.term < start for each in terms)
    return list(terms[max(0, place - max(0, before)) : place + max(0, size)])


def _counted(connection: Connection, order: _Order, chosen: set[int], tally: FacetRequest) -> FacetCounts:
    if tally.field not in ("language", "type"):
        return FacetCounts(())
    totals: dict[str, int] = {}
    for _, _, value in _values(connection, order, tally.field):
        if tally.field == "language":
            having = sets.labelled_in(connection, order.number, (value,))
        else:
            having = _of_types(connection, order, value.__eq__)
        if total := len(having & chosen):
            totals[value] = total
    by_value = sorted(totals.items())
    listed = by_value if tally.is_by_value else sorted(by_value, key=lambda each: -each[1])
    return FacetCounts(tuple(ValueCount(*each) for each in listed[: tally.limit]))
