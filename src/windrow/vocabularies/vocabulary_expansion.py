"""Queries with what vocabularies add: narrower concepts, synonyms, labels in other languages.

In a field that is bound to a vocabulary, a notation, URI or label finds every value of the concept and of all
concepts below it: `subject:400`. Words without a field that are a label of a concept find its other labels
anywhere, and its values in the bound field. Several words in a row are looked up together: `climate change`.

A value of a record is compared as a whole, without case and diacritics. What was written is always searched
as well, so an expanded query finds at least what the query itself finds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import NamedTuple, Protocol

from windrow.errors import NotFound
from windrow.model.expansion import MOST_NAMES_SHOWN, Addition, Branches, Expansion, Meaning
from windrow.model.folding import words_of
from windrow.model.query import (
    And,
    AtLeast,
    Not,
    Or,
    Phrase,
    Query,
    SameEvent,
    Value,
    Word,
    all_of,
    any_of,
    at_least,
    exactly,
)
from windrow.model.query_fields import FIELDS
from windrow.model.vocabulary import Concept, value_key
from windrow.store.vocabularies import NOTATION, URI
from windrow.vocabularies.branches import RememberedTree, Tree, branches
from windrow.vocabularies.view import Below

MOST_BELOW = 5_000  # concepts below one that a search takes in
MOST_VALUES = 20_000  # different names of these
MOST_OF_EVENT = 60  # values of a field of events, each of which is compared with every event
MOST_MEANT = 5  # concepts that one word may stand for
MOST_SYNONYMS = 30  # of a concept, searched anywhere
MOST_ROW = 6  # words of one label, where they stand without quotation marks
MOST_WORDS = 40  # of a query that are looked up
KEPT = 64  # expanded queries, of some megabytes at most
KEPT_LABELS = 20_000

Bindings = Mapping[str, Sequence["Concepts"]]  # by field


class Concepts(Tree, Protocol):
    """The part of a `VocabularyView` that expansion needs."""

    name: str

    def below(self, uris: Sequence[str], *, limit: int) -> Below:
        """Return these concepts and all below them."""

    def concepts(self, uris: Sequence[str]) -> Sequence[Concept]:
        """Return these concepts."""


class _Meant(NamedTuple):
    """What a word or phrase may stand for in one field."""

    concepts: Concepts
    uris: tuple[str, ...]


def expand(query: Query, bindings: Bindings, *, is_of_words: bool = True) -> Expansion:
    """Return a query with what the vocabularies bound to its fields add. A function of its arguments alone.

    Unless `is_of_words`, only concepts named by URI as values (`subject="http://…"`) are resolved.
    """
    if not bindings:
        return Expansion(query)
    expanding = _Expanding(bindings, is_of_words)
    return Expansion(expanding.expanded(query), tuple(dict.fromkeys(expanding.additions)))


class LibraryExpander:
    """Expands queries by the bindings of a library's collections, and remembers the expanded ones."""

    def __init__(self, bindings: Mapping[str, Bindings], revision: str = "") -> None:
        self._bindings = bindings
        self._all = _merged(bindings.values())
        self.revision = revision
        self._trees: dict[str, RememberedTree] = {}
        self._expand = lru_cache(KEPT)(self._expanded)
        self._label = lru_cache(KEPT_LABELS)(self._labelled)

    @property
    def fields(self) -> frozenset[str]:
        """The fields that are bound in any collection."""
        return frozenset(self._all)

    def bound(self, collection: str | None = None) -> Bindings:
        """Return the vocabularies of a collection by field; without one, those of all."""
        return self._all if collection is None else self._bindings.get(collection, {})

    def expand(self, query: Query, collection: str | None = None) -> Expansion:
        """Return a query with synonyms, labels in other languages and narrower concepts."""
        return self._expand(query, collection, True)

    def fields_of(self, vocabulary: str, collection: str | None = None) -> tuple[str, ...]:
        """Return the fields that a vocabulary is bound to."""
        bound = self.bound(collection).items()
        return tuple(field for field, found in bound if any(each.name == vocabulary for each in found))

    def label(self, field: str, value: str, language: str, collection: str | None = None) -> str | None:
        """Return the label of the concept that a value names by URI or notation; None for none."""
        return self._label(field, value, language, collection) if field in self._all else None

    def meanings(
        self, field: str, values: Sequence[str], collection: str | None = None
    ) -> dict[str, Meaning]:
        """Return the concept that each of these values names by any of its names; only for those that do."""
        meant: dict[str, Meaning] = {}
        for concepts in self.bound(collection).get(field, ()):
            uris = {value: found[0].uri for value, found in concepts.named(values).items()}
            known = {each.uri: each for each in concepts.concepts(list(dict.fromkeys(uris.values())))}
            for value, uri in uris.items():
                if uri in known:
                    meant.setdefault(value, Meaning(concepts.name, uri, known[uri].preferred))
        return meant

    def branches(
        self,
        field: str,
        values: Mapping[str, int],
        chosen: Sequence[str],
        *,
        limit: int,
        collection: str | None = None,
    ) -> Branches | None:
        """Return the concepts that counted values of a field belong to, as trees.

        None where several vocabularies are bound to the field: their trees would stand beside each other.
        """
        bound = self.bound(collection).get(field, ())
        with suppress(NotFound):
            if len(bound) == 1:
                tree = self._trees.setdefault(bound[0].name, RememberedTree(bound[0]))
                return branches(tree, values, chosen, limit=limit)
        return None

    def _labelled(self, field: str, value: str, language: str, collection: str | None) -> str | None:
        for concepts in self.bound(collection).get(field, ()):
            with suppress(NotFound):
                found = concepts.named([value]).get(value, ())
                uris = [each.uri for each in found if each.kind in (URI, NOTATION)][:1]
                for concept in concepts.concepts(uris):
                    return concept.label((language,))
        return None

    def narrow(self, query: Query, collection: str | None = None) -> Query:
        """Return a query with nothing but the concepts that are named by URI in it resolved."""
        return self._expand(query, collection, False).query

    def _expanded(self, query: Query, collection: str | None, is_of_words: bool) -> Expansion:
        try:
            return expand(query, self.bound(collection), is_of_words=is_of_words)
        except NotFound:  # a vocabulary was removed a moment ago
            return Expansion(query)


def values_of(concepts: Concepts, uris: Sequence[str], field: str) -> tuple[list[Query], Below]:
    """Return conditions for every value that names these concepts or any below them."""
    below = concepts.below(uris, limit=MOST_BELOW)
    keys: dict[str, None] = {}
    most = MOST_OF_EVENT if FIELDS[field].is_of_event else MOST_VALUES
    for concept in concepts.concepts(below.uris):
        keys.update(dict.fromkeys(filter(None, map(value_key, concept.names))))
        if len(keys) > most:
            return [exactly(field, key) for key in list(keys)[:most]], below._replace(is_whole=False)
    return [exactly(field, key) for key in keys], below


def _merged(several: Iterable[Bindings]) -> dict[str, list[Concepts]]:
    found: dict[str, dict[str, Concepts]] = {}
    for bindings in several:
        for field, vocabularies in bindings.items():
            found.setdefault(field, {}).update({each.name: each for each in vocabularies})
    return {field: list(each.values()) for field, each in found.items()}


class _Expanding:
    """Walks through one query."""

    def __init__(self, bindings: Bindings, is_of_words: bool) -> None:
        self._bindings = bindings
        self._is_of_words = is_of_words
        self._left = MOST_WORDS
        self.additions: list[Addition] = []

    def expanded(self, query: Query) -> Query:
        """Return a query with what is added to each of its parts."""
        match query:
            case And(parts):
                return all_of(self._in_rows(parts))
            case Or(parts):
                return any_of([self.expanded(part) for part in parts])
            case AtLeast(number, parts):
                return at_least(number, [self.expanded(part) for part in parts])
            case Not(part):
                return Not(self.expanded(part))
            case SameEvent(part):
                return SameEvent(self.expanded(part))
            case Value(text, field) if field in self._bindings:
                return self._value(query, text, field)
            case Word(field=field) | Phrase(field=field) if self._is_of_words and _is_plain(query):
                return self._fielded(query, field) if field is not None else self._free(query, [query])[0]
            case _:
                return query

    def _in_rows(self, parts: Sequence[Query]) -> Iterator[Query]:
        """Expand parts that stand side by side, several plain words together where they are one label."""
        place = 0
        while place < len(parts):
            run = _run(parts, place) if self._is_of_words else 0
            for length in range(min(run, MOST_ROW), 1, -1):
                row = parts[place : place + length]
                found, is_label = self._free(all_of(row), row)
                if is_label:
                    yield found
                    place += length
                    break
            else:
                yield self.expanded(parts[place])
                place += 1

    def _value(self, query: Value, text: str, field: str) -> Query:
        """Resolve a concept that is named by its URI."""
        for concepts in self._bindings[field]:
            if any(found.kind == URI for found in concepts.named([text]).get(text, ())):
                return any_of([query, *values_of(concepts, [text], field)[0]])
        return query

    def _fielded(self, query: Word | Phrase, field: str) -> Query:
        """Add everything at and below the concepts that a word stands for in its field."""
        added: list[Query] = []
        text = _text(query)
        for meant in self._meant(text, self._bindings.get(field, ())):
            values, below = values_of(meant.concepts, meant.uris, field)
            added += values
            self._note(query, field, meant, len(below.uris) - len(meant.uris), below.is_whole)
        return any_of([query, *added])

    def _free(self, query: Query, row: Sequence[Query]) -> tuple[Query, bool]:
        """Add what words without a field may stand for; say whether they are a label at all."""
        added: list[Query] = []
        text = " ".join(map(_text, row))
        for field, vocabularies in self._bindings.items():
            for meant in self._meant(text, vocabularies, is_label=True):
                concepts = meant.concepts.concepts(meant.uris)
                keys = dict.fromkeys(value_key(name) for concept in concepts for name in concept.names)
                added += [exactly(field, key) for key in keys if key]
                if not FIELDS[field].is_of_event:
                    added += _anywhere(concepts, text)
                self._note(query, None, meant, 0, True)
        return any_of([query, *added]), bool(added)

    def _meant(
        self, text: str, vocabularies: Sequence[Concepts], *, is_label: bool = False
    ) -> Iterator[_Meant]:
        for concepts in vocabularies:
            if self._left <= 0:
                return
            self._left -= 1
            found = concepts.named([text]).get(text, ())
            uris = dict.fromkeys(
                each.uri for each in found if not (is_label and each.kind in (URI, NOTATION))
            )
            if uris:
                yield _Meant(concepts, tuple(uris)[:MOST_MEANT])

    def _note(self, query: Query, field: str | None, meant: _Meant, below: int, is_whole: bool) -> None:
        for concept in meant.concepts.concepts(meant.uris):
            labels = (*concept.preferred, *concept.alternative)
            written = value_key(_text(query)) if isinstance(query, Word | Phrase) else value_key(str(query))
            names = dict.fromkeys(
                each
                for each in (*concept.notations, *(label.text for label in labels))
                if value_key(each) != written
            )
            self.additions.append(
                Addition(
                    str(query),
                    field,
                    meant.concepts.name,
                    concept.uri,
                    concept.preferred or labels,
                    tuple(names)[:MOST_NAMES_SHOWN],
                    below,
                    is_whole,
                )
            )


def _anywhere(concepts: Sequence[Concept], written: str) -> list[Query]:
    """Return conditions for the other labels of concepts, wherever they stand in a record."""
    found: dict[tuple[str, ...], Query] = {}
    own = tuple(words_of(written))
    for concept in concepts:
        for label in (*concept.preferred, *concept.alternative):
            words = tuple(words_of(label.text))
            if words and words != own:
                found.setdefault(words, Word(words[0]) if len(words) == 1 else Phrase(words))
    return list(found.values())[:MOST_SYNONYMS]


def _run(parts: Sequence[Query], start: int) -> int:
    """Return how many plain words without a field stand in a row from here on."""
    end = start
    while end < len(parts) and isinstance(parts[end], Word) and _is_plain(parts[end]):
        if parts[end].field is not None:  # type: ignore[union-attr]
            break
        end += 1
    return end - start


def _is_plain(query: Query) -> bool:
    if isinstance(query, Word):
        return not query.is_pattern and not query.edits
    return isinstance(query, Phrase) and not query.slop


def _text(query: Query) -> str:
    if isinstance(query, Word):
        return query.text
    return " ".join(query.words) if isinstance(query, Phrase) else ""
