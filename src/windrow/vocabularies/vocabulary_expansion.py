"""Expansion of queries by vocabularies: narrower concepts, synonyms, labels in other languages.

In a field that is bound to a vocabulary, a notation, URI or label matches every value of the concept and of
its narrower concepts: `subject:400`. Words without a field that are a label of a concept match its other
labels anywhere, and its values in the bound field. Adjacent words are looked up together: `climate change`.

Values of records are compared whole, without case and diacritics. The original query is always included, so
an expanded query matches at least the same records.

The same lookups make facets of a bound field into trees of concepts.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import NamedTuple, Protocol

from windrow.config.schema import Config
from windrow.errors import NotFound
from windrow.model.query import (
    FIELDS,
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
from windrow.model.text.folding import folded_words
from windrow.model.thesaurus import (
    MOST_NAMES_SHOWN,
    Concept,
    ConceptBranch,
    ConceptBranches,
    Expansion,
    NamedConcept,
    QueryAddition,
    value_key,
)
from windrow.store.store import Store
from windrow.store.vocabulary import concepts as rows
from windrow.store.vocabulary.concepts import NOTATION, URI, FoundConcept
from windrow.vocabularies.vocabulary_view import NarrowerConcepts, VocabularyView

# Facets of a bound field: counted values as trees of concepts.

MOST_REMEMBERED = 100_000
MOST_ABOVE = 50_000  # ancestors of the counted concepts that are examined


class Tree(Protocol):
    """The part of `VocabularyView` that trees need."""

    def named(self, texts: Sequence[str]) -> Mapping[str, Sequence[FoundConcept]]:
        """Return the concepts that each text names."""

    def parents(self, uris: Sequence[str]) -> Mapping[str, Sequence[str]]:
        """Return the parents of each of these concepts that has any."""


class RememberedTree:
    """A cache for a tree: most requests have the same values of a field."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._concepts: dict[str, str] = {}  # the URI of the concept that a value names; empty for none
        self._parents: dict[str, Sequence[str]] = {}

    def concepts_of(self, values: Iterable[str]) -> dict[str, str]:
        """Return the concept that each of these values names, the best of several."""
        wanted = list(values)
        missing = [value for value in wanted if value not in self._concepts]
        if missing:
            if len(self._concepts) > MOST_REMEMBERED:
                self._concepts = {}
                missing = wanted
            found = self._tree.named(missing)
            self._concepts |= {value: found[value][0].uri if value in found else "" for value in missing}
        known = self._concepts
        return {value: uri for value in wanted if (uri := known.get(value, ""))}

    def parents(self, uris: Iterable[str]) -> dict[str, Sequence[str]]:
        wanted = list(uris)
        missing = [uri for uri in wanted if uri not in self._parents]
        if missing:
            if len(self._parents) > MOST_REMEMBERED:
                self._parents = {}
                missing = wanted
            found = self._tree.parents(missing)
            self._parents |= {uri: found.get(uri, ()) for uri in missing}
        known = self._parents
        return {uri: known.get(uri, ()) for uri in wanted}


def build_branches(
    tree: RememberedTree, values: Mapping[str, int], chosen: Sequence[str], *, limit: int
) -> ConceptBranches:
    """Return the concepts that counted values name, under their top concepts, the most used first.

    A single top concept that is neither named nor chosen is replaced by its children; any other single one is
    shown with its children.
    """
    found = tree.concepts_of(values)
    weights: dict[str, int] = {}
    for value, uri in found.items():
        weights[uri] = weights.get(uri, 0) + values[value]
    parents = _parents(tree, [*weights, *chosen])
    whole = _with_those_above(weights, parents)
    under: dict[str, list[str]] = {}
    for uri, above in parents.items():
        for one in above:
            under.setdefault(one, []).append(uri)
    roots = [uri for uri in whole if not parents.get(uri)]
    reached = _below(roots, under)
    roots += [uri for uri in weights if uri not in reached]  # concepts in cycles have no top concept
    while len(roots) == 1 and roots[0] not in weights and roots[0] not in chosen and under.get(roots[0]):
        roots = [uri for uri in under[roots[0]] if uri in whole]
    roots = _most_used(roots, whole)
    kept, paths = roots[:limit], [_path(uri, parents, roots) for uri in chosen]
    if len(roots) == 1:
        paths.append(roots)
    kept += [path[0] for path in paths if path and path[0] not in kept]
    made = tuple(
        _branch(uri, [path for path in paths if path and path[0] == uri], under, whole, limit) for uri in kept
    )
    unknown = tuple(value for value in values if value not in found)
    return ConceptBranches(made, unknown, sum(whole[uri] for uri in roots[limit:]))


def _branch(
    uri: str,
    paths: Sequence[Sequence[str]],
    under: Mapping[str, Sequence[str]],
    whole: Mapping[str, int],
    limit: int,
) -> ConceptBranch:
    """Return a concept with the paths to the chosen concepts below it; a chosen one with its children."""
    rest = [path[1:] for path in paths]
    inner: dict[str, list[Sequence[str]]] = {}
    for path in rest:
        if path:
            inner.setdefault(path[0], []).append(path)
    if any(not path for path in rest):
        counted = [each for each in under.get(uri, ()) if each in whole and each != uri]
        for each in _most_used(counted, whole)[:limit]:
            inner.setdefault(each, [])
    return ConceptBranch(
        uri, tuple(_branch(each, found, under, whole, limit) for each, found in inner.items())
    )


def _parents(tree: RememberedTree, uris: Sequence[str]) -> dict[str, Sequence[str]]:
    found: dict[str, Sequence[str]] = {}
    level = list(dict.fromkeys(uris))
    while level and len(found) < MOST_ABOVE:
        above = tree.parents(level)
        found.update(above)
        level = list(dict.fromkeys(one for each in above.values() for one in each if one not in found))
    return found


def _with_those_above(weights: Mapping[str, int], parents: Mapping[str, Sequence[str]]) -> dict[str, int]:
    """Return an upper bound of each concept's records, narrower ones included: records may have several."""
    whole: dict[str, int] = {}
    for uri, weight in weights.items():
        for each in _below([uri], parents):
            whole[each] = whole.get(each, 0) + weight
    return whole


def _below(start: Iterable[str], edges: Mapping[str, Sequence[str]]) -> set[str]:
    seen = set(start)
    left = list(seen)
    while left:
        for each in edges.get(left.pop(), ()):
            if each not in seen:
                seen.add(each)
                left.append(each)
    return seen


def _path(uri: str, parents: Mapping[str, Sequence[str]], roots: Sequence[str]) -> list[str]:
    """Return the shortest path from a root to a concept; the concept alone if there is none."""
    ways, seen = [[uri]], {uri}
    while ways:
        way = ways.pop(0)
        if way[0] in roots:
            return way
        for each in parents.get(way[0], ()):
            if each not in seen:
                seen.add(each)
                ways.append([each, *way])
    return [uri]


def _most_used(uris: Iterable[str], whole: Mapping[str, int]) -> list[str]:
    return sorted(dict.fromkeys(uris), key=lambda uri: (-whole.get(uri, 0), uri))


MOST_BELOW = 5_000  # narrower concepts that a search includes
MOST_VALUES = 20_000  # distinct names of these
MOST_OF_EVENT = 60  # values of a field of events, each of which is compared with every event
MOST_MEANT = 5  # concepts that one word may name
MOST_SYNONYMS = 30  # of a concept, searched anywhere
MOST_ROW = 6  # words of one label without quotation marks
MOST_WORDS = 40  # of a query that are looked up
KEPT = 64  # cached expansions, some megabytes at most
KEPT_LABELS = 20_000

Bindings = Mapping[str, Sequence["Concepts"]]  # by field


class Concepts(Tree, Protocol):
    """The part of `VocabularyView` that expansion needs."""

    name: str

    def below(self, uris: Sequence[str], *, limit: int) -> NarrowerConcepts:
        """Return these concepts and all narrower ones."""

    def concepts(self, uris: Sequence[str]) -> Sequence[Concept]:
        """Return these concepts."""


class _PossibleMeaning(NamedTuple):
    """The possible meanings of a word or phrase in one field."""

    concepts: Concepts
    uris: tuple[str, ...]


def expand(query: Query, bindings: Bindings, *, is_of_words: bool = True) -> Expansion:
    """Expand a query by the vocabularies bound to its fields, without side effects.

    Unless `is_of_words`, only concepts named by URI as values (`subject="http://…"`) are resolved.
    """
    if not bindings:
        return Expansion(query)
    expanding = _Expanding(bindings, is_of_words)
    return Expansion(expanding.expanded(query), tuple(dict.fromkeys(expanding.additions)))


class LibraryExpander:
    """The `Expander` of the bindings of a library's collections, with a cache."""

    def __init__(self, bindings: Mapping[str, Bindings], revision: str = "") -> None:
        self._bindings = bindings
        self._all = _merged(bindings.values())
        self.revision = revision
        self._trees: dict[str, RememberedTree] = {}
        self._expand = lru_cache(KEPT)(self._expanded)
        self._label = lru_cache(KEPT_LABELS)(self._labelled)

    @property
    def fields(self) -> frozenset[str]:
        return frozenset(self._all)

    def bound(self, collection: str | None = None) -> Bindings:
        """Return the vocabularies of a collection by field; without a collection, those of all."""
        return self._all if collection is None else self._bindings.get(collection, {})

    def expand(self, query: Query, collection: str | None = None) -> Expansion:
        return self._expand(query, collection, True)

    def fields_of(self, vocabulary: str, collection: str | None = None) -> tuple[str, ...]:
        bound = self.bound(collection).items()
        return tuple(field for field, found in bound if any(each.name == vocabulary for each in found))

    def label(self, field: str, value: str, language: str, collection: str | None = None) -> str | None:
        return self._label(field, value, language, collection) if field in self._all else None

    def meanings(
        self, field: str, values: Sequence[str], collection: str | None = None
    ) -> dict[str, NamedConcept]:
        meant: dict[str, NamedConcept] = {}
        for concepts in self.bound(collection).get(field, ()):
            uris = {value: found[0].uri for value, found in concepts.named(values).items()}
            known = {each.uri: each for each in concepts.concepts(list(dict.fromkeys(uris.values())))}
            for value, uri in uris.items():
                if uri in known:
                    meant.setdefault(value, NamedConcept(concepts.name, uri, known[uri].preferred))
        return meant

    def branches(
        self,
        field: str,
        values: Mapping[str, int],
        chosen: Sequence[str],
        *,
        limit: int,
        collection: str | None = None,
    ) -> ConceptBranches | None:
        """Return the concepts of a field's counted values as trees.

        Return None if several vocabularies are bound to the field, because their trees would be mixed.
        """
        bound = self.bound(collection).get(field, ())
        with suppress(NotFound):
            if len(bound) == 1:
                tree = self._trees.setdefault(bound[0].name, RememberedTree(bound[0]))
                return build_branches(tree, values, chosen, limit=limit)
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
        return self._expand(query, collection, False).query

    def _expanded(self, query: Query, collection: str | None, is_of_words: bool) -> Expansion:
        try:
            return expand(query, self.bound(collection), is_of_words=is_of_words)
        except NotFound:  # the vocabulary has just been removed
            return Expansion(query)


def values_of(concepts: Concepts, uris: Sequence[str], field: str) -> tuple[list[Query], NarrowerConcepts]:
    """Return conditions for every value that names these concepts or any narrower ones."""
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
    """The expansion of one query."""

    def __init__(self, bindings: Bindings, is_of_words: bool) -> None:
        self._bindings = bindings
        self._is_of_words = is_of_words
        self._left = MOST_WORDS
        self.additions: list[QueryAddition] = []

    def expanded(self, query: Query) -> Query:
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
        """Expand adjacent parts; plain words together if they are one label."""
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
        for concepts in self._bindings[field]:
            if any(found.kind == URI for found in concepts.named([text]).get(text, ())):
                return any_of([query, *values_of(concepts, [text], field)[0]])
        return query

    def _fielded(self, query: Word | Phrase, field: str) -> Query:
        added: list[Query] = []
        text = _text(query)
        for meant in self._meant(text, self._bindings.get(field, ())):
            values, below = values_of(meant.concepts, meant.uris, field)
            added += values
            self._note(query, field, meant, len(below.uris) - len(meant.uris), below.is_whole)
        return any_of([query, *added])

    def _free(self, query: Query, row: Sequence[Query]) -> tuple[Query, bool]:
        """Expand words without a field; also return whether they are a label."""
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
    ) -> Iterator[_PossibleMeaning]:
        for concepts in vocabularies:
            if self._left <= 0:
                return
            self._left -= 1
            found = concepts.named([text]).get(text, ())
            uris = dict.fromkeys(
                each.uri for each in found if not (is_label and each.kind in (URI, NOTATION))
            )
            if uris:
                yield _PossibleMeaning(concepts, tuple(uris)[:MOST_MEANT])

    def _note(
        self, query: Query, field: str | None, meant: _PossibleMeaning, below: int, is_whole: bool
    ) -> None:
        for concept in meant.concepts.concepts(meant.uris):
            labels = (*concept.preferred, *concept.alternative)
            written = value_key(_text(query)) if isinstance(query, Word | Phrase) else value_key(str(query))
            names = dict.fromkeys(
                each
                for each in (*concept.notations, *(label.text for label in labels))
                if value_key(each) != written
            )
            self.additions.append(
                QueryAddition(
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
    """Return conditions for the other labels of concepts in any field."""
    found: dict[tuple[str, ...], Query] = {}
    own = tuple(folded_words(written))
    for concept in concepts:
        for label in (*concept.preferred, *concept.alternative):
            words = tuple(folded_words(label.text))
            if words and words != own:
                found.setdefault(words, Word(words[0]) if len(words) == 1 else Phrase(words))
    return list(found.values())[:MOST_SYNONYMS]


def _run(parts: Sequence[Query], start: int) -> int:
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


# The expander of a library's configured bindings, which follows updates.

LOOK_SECONDS = 0.5  # interval of the checks whether a vocabulary has changed


def make_expander(config: Config, store: Store) -> LiveExpander | None:
    """Return the expander for a library; None if no field is bound to a vocabulary."""
    return (
        LiveExpander(config, store) if any(each.vocabulary for each in config.collections.values()) else None
    )


class LiveExpander:
    """An `Expander` that follows updates of a library's vocabularies, from the next search on."""

    def __init__(self, config: Config, store: Store, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._looked_at = 0.0
        self._config = config
        self._store = store
        self._lock = threading.Lock()
        self._current: LibraryExpander | None = None

    @property
    def fields(self) -> frozenset[str]:
        """The fields that are bound to an existing vocabulary."""
        return self.current().fields

    @property
    def is_usual(self) -> bool:
        return self._config.portal.vocabulary_search

    @property
    def mark(self) -> str:
        return str(self.current().revision)

    def expand(self, query: Query, collection: str | None = None) -> Expansion:
        return self.current().expand(query, collection)

    def fields_of(self, vocabulary: str, collection: str | None = None) -> tuple[str, ...]:
        return self.current().fields_of(vocabulary, collection)

    def label(self, field: str, value: str, language: str, collection: str | None = None) -> str | None:
        return self.current().label(field, value, language, collection)

    def meanings(
        self, field: str, values: Sequence[str], collection: str | None = None
    ) -> Mapping[str, NamedConcept]:
        return self.current().meanings(field, values, collection)

    def branches(
        self,
        field: str,
        values: Mapping[str, int],
        chosen: Sequence[str],
        *,
        limit: int,
        collection: str | None = None,
    ) -> ConceptBranches | None:
        return self.current().branches(field, values, chosen, limit=limit, collection=collection)

    def narrow(self, query: Query, collection: str | None = None) -> Query:
        return self.current().narrow(query, collection)

    def current(self) -> LibraryExpander:
        """Return the expander for the current revisions of the vocabularies."""
        current = self._current
        if current is not None and self._clock() - self._looked_at < LOOK_SECONDS:
            return current
        with self._store.reading() as connection:
            known = rows.list_revisions(connection)
        revision = " ".join(
            f"{name}-{number}-{revision}" for name, (number, revision) in sorted(known.items())
        )
        with self._lock:
            self._looked_at = self._clock()
            if self._current is None or self._current.revision != revision:
                self._current = LibraryExpander(self._bindings(known), revision)
            return self._current

    def _bindings(self, known: Container[str]) -> dict[str, Bindings]:
        """Return the bindings of each collection, without those to vocabularies that do not exist."""
        return {
            name: {
                field: [VocabularyView(self._store, vocabulary)]
                for field, vocabulary in collection.vocabulary
                if vocabulary in known
            }
            for name, collection in self._config.collections.items()
        }
