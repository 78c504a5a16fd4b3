"""Read access to one vocabulary: concepts, hierarchy, labels, lists, record counts.

A `VocabularyView` reads from the store on each call, in one transaction, so any number of threads may use it,
and its memory does not depend on the number of concepts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from windrow.errors import NotFound
from windrow.index.protocol import Index
from windrow.model.query import FIELDS, NOTHING, Query, SameEvent, Value, all_of, any_of
from windrow.model.text.collation import Collation, collation
from windrow.model.text.folding import folded_words
from windrow.model.thesaurus import Concept, Expander, Label, Vocabulary, value_key
from windrow.store.connection import Connection
from windrow.store.store import Store
from windrow.store.vocabulary import concepts as rows
from windrow.store.vocabulary.concepts import FoundConcept
from windrow.vocabularies.zthes import Neighbours

MOST_BELOW = 20_000  # narrower concepts that a search or a count includes
MOST_PATHS = 20
DEEPEST = 100  # steps up the hierarchy
MOST_LISTED = 1_000
MOST_BESIDE = 5_000  # top concepts, or children of one: a vocabulary may be a flat list
_LAST = "\U0010ffff"  # after all letters


class Named(NamedTuple):
    """A concept in a list: its URI, and the name under which it is listed."""

    uri: str
    text: str
    language: str = ""
    key: str = ""  # position in the list: `after` of the next page


class NarrowerConcepts(NamedTuple):
    """Some concepts, followed by all narrower ones. Incomplete if there are more than the limit."""

    uris: tuple[str, ...]
    is_whole: bool


class VocabularyView:
    """Reads one vocabulary of a library. Each call sees the latest revision."""

    def __init__(self, store: Store, name: str) -> None:
        self._store = store
        self.name = name

    @property
    def vocabulary(self) -> Vocabulary:
        """The vocabulary; raises NotFound if it does not exist."""
        with self._store.reading() as connection:
            found = rows.find_vocabulary(connection, self.name)
        if found is None:
            raise self._missing()
        return found

    @property
    def exists(self) -> bool:
        with self._store.reading() as connection:
            return self.name in rows.list_revisions(connection)

    @property
    def mark(self) -> str:
        """Return a text that changes with the concepts: for ETags and caches."""
        with self._store.reading() as connection:
            number, revision = rows.list_revisions(connection).get(self.name, (0, 0))
        return f"{self.name}-{number}-{revision}"

    def concept(self, uri: str) -> Concept | None:
        with self._reading() as (connection, number):
            return rows.find_concept(connection, number, uri)

    def concepts(self, uris: Sequence[str]) -> list[Concept]:
        """Return the existing ones of these concepts, in this order."""
        with self._reading() as (connection, number):
            return rows.find_concepts(connection, number, uris)

    def find(self, name: str) -> Concept | None:
        """Return the first concept with this URI, notation, label or code."""
        with self._reading() as (connection, number):
            found = rows.find_concept(connection, number, name)
            if found is None:
                best = rows.find_named(connection, number, [value_key(name)]).get(value_key(name))
                found = rows.find_concept(connection, number, best[0].uri) if best else None
            if found is None:
                base = rows.find_vocabulary(connection, self.name)
                found = rows.find_concept(connection, number, f"{base.base}{name}") if base else None
            return found

    def named(self, texts: Sequence[str]) -> dict[str, list[FoundConcept]]:
        """Return the concepts that each text names, by any name in any case, the best first."""
        keys = {text: value_key(text) for text in texts}
        with self._reading() as (connection, number):
            found = rows.find_named(connection, number, list(dict.fromkeys(filter(None, keys.values()))))
        return {text: found[key] for text, key in keys.items() if key in found}

    def top_concepts(self, *, limit: int = MOST_BESIDE) -> list[Concept]:
        """Return the top concepts: those declared as such, and those without a parent."""
        with self._reading() as (connection, number):
            return rows.find_concepts(connection, number, rows.find_tops(connection, number, limit=limit))

    def narrower(self, uri: str, *, limit: int = MOST_BESIDE) -> list[Concept]:
        """Return the children of a concept, by notation and URI."""
        with self._reading() as (connection, number):
            return rows.find_concepts(connection, number, rows.find_below(connection, number, [uri])[:limit])

    def broader(self, uri: str) -> list[Concept]:
        with self._reading() as (connection, number):
            return rows.find_concepts(connection, number, rows.find_above(connection, number, [uri]))

    def parents(self, uris: Sequence[str]) -> dict[str, list[str]]:
        """Return the URIs of the parents of each of these concepts that has any."""
        with self._reading() as (connection, number):
            return rows.find_parents(connection, number, uris)

    def having_narrower(self, uris: Sequence[str]) -> set[str]:
        with self._reading() as (connection, number):
            return rows.find_having_below(connection, number, uris)

    def related(self, uri: str) -> list[Concept]:
        found = self.concept(uri)
        return self.concepts(found.related) if found else []

    def below(self, uris: Sequence[str], *, limit: int = MOST_BELOW) -> NarrowerConcepts:
        """Return these concepts and all narrower ones, level by level, without duplicates."""
        with self._reading() as (connection, number):
            return _below(connection, number, uris, limit)

    def paths(self, uri: str) -> list[list[Concept]]:
        """Return the paths from the top to the parents of a concept: several if it has several parents.

        At most MOST_PATHS; a cycle is followed once.
        """
        with self._reading() as (connection, number):
            ways: list[list[str]] = [[uri]]
            done: list[list[str]] = []
            while ways and len(done) < MOST_PATHS:
                way = ways.pop(0)
                above = [each for each in rows.find_above(connection, number, [way[0]]) if each not in way]
                if not above or len(way) > DEEPEST:
                    done.append(way[:-1])
                ways[:0] = [[each, *way] for each in above[:MOST_PATHS]]
                del ways[MOST_PATHS * 2 :]
            return [rows.find_concepts(connection, number, way) for way in done if way] or [[]]

    def search(self, text: str, *, limit: int = 20) -> list[Named]:
        """Return concepts whose names begin with the text, then those with its words in their labels."""
        words, limit = folded_words(text), min(limit, MOST_LISTED)
        found = {each.uri: each for each in self.suggest(text, limit=limit)}
        missing = limit - len(found) if words else 0
        with self._reading() as (connection, number):
            for uri in (
                rows.find_with_words(connection, number, words[:8], limit=limit * 2) if missing else ()
            ):
                found.setdefault(uri, Named(uri, ""))
        return list(found.values())[:limit]

    def suggest(self, text: str, *, limit: int = 10) -> list[Named]:
        """Return concepts with a name that begins with the text, sorted by these names."""
        key, limit = value_key(text), min(limit, MOST_LISTED)
        found: dict[str, Named] = {}
        with self._reading() as (connection, number):
            for each in rows.find_names_beginning(connection, number, key, limit=limit * 4) if key else ():
                found.setdefault(each.uri, Named(each.uri, each.text, each.language))
        return list(found.values())[:limit]

    def listed(
        self, language: str, *, letter: str = "", after: Named | None = None, limit: int = 100
    ) -> list[Named]:
        """Return preferred labels in alphabetical order, optionally those under a letter or after another."""
        place = (after.key, after.uri) if after else ("", "")
        prefix = _collation(language).prefix(letter)
        with self._reading() as (connection, number):
            found = rows.list_names_in(
                connection, number, language, prefix=prefix, after=place, limit=min(limit, MOST_LISTED)
            )
        return [Named(uri, text, language, key) for key, text, uri in found]

    def initials(self, language: str) -> list[str]:
        """Return the initials of labels in a language: Å after Z in Swedish."""
        found: list[str] = []
        with self._reading() as (connection, number):
            start = ""
            while row := rows.list_names_in(connection, number, language, after=(start, _LAST), limit=1):
                found.append(_collation(language).letter(row[0][1]))
                start = f"{row[0][0][:1]}{_LAST}"
        return list(dict.fromkeys(found))

    def neighbours(self, concept: Concept) -> Neighbours:
        with self._reading() as (connection, number):
            related = rows.find_concepts(connection, number, concept.related)
            above = rows.find_concepts(connection, number, rows.find_above(connection, number, [concept.uri]))
            inner = rows.find_below(connection, number, [concept.uri])[:MOST_BESIDE]
            under = rows.find_concepts(connection, number, inner)
            vocabulary = rows.find_vocabulary(connection, self.name)
        base = vocabulary.base if vocabulary else ""
        return Neighbours(above, under, related, identify=lambda each: concept_code(each.uri, base))

    def walk(self) -> Iterator[Concept]:
        """Yield every concept in the order of URIs, read in batches."""
        after = ""
        while True:
            with self._reading() as (connection, number):
                some = rows.walk_concepts(connection, number, after=after)
            if not some:
                return
            yield from some
            after = some[-1].uri

    @contextmanager
    def _reading(self) -> Iterator[tuple[Connection, int]]:
        with self._store.reading() as connection:
            known = rows.list_revisions(connection).get(self.name)
            if known is None:
                raise self._missing()
            yield connection, known[0]

    def _missing(self) -> NotFound:
        return NotFound(
            f"there is no vocabulary {self.name!r}", hint="`windrow vocabulary list` shows those there are."
        )


def _collation(language: str) -> Collation:
    return collation(language.partition("-")[0])


def concept_code(uri: str, base: str) -> str:
    """Return the identifier of a concept in Zthes and CSV: its code if base and code make its URI."""
    code = uri.removeprefix(base)
    return code if code and code != uri and not re.search(r"[%/:]", code) else uri


def _below(connection: Connection, number: int, uris: Sequence[str], limit: int) -> NarrowerConcepts:
    found = dict.fromkeys(uris)
    level = list(found)
    while level:
        level = [uri for uri in rows.find_below(connection, number, level) if uri not in found]
        if len(found) + len(level) > limit:
            found.update(dict.fromkeys(level[: max(limit - len(found), 0)]))
            return NarrowerConcepts(tuple(found), False)
        found.update(dict.fromkeys(level))
    return NarrowerConcepts(tuple(found), True)


# Concepts as JSON values, for the command line and the API.


def short_concept(concept: Concept, languages: Sequence[str] = ()) -> dict[str, Any]:
    return {"uri": concept.uri, "notation": concept.notation or None, "label": concept.label(languages)}


def concept_as_dict(view: VocabularyView, concept: Concept, languages: Sequence[str] = ()) -> dict[str, Any]:
    def shorts(concepts: Sequence[Concept]) -> list[dict[str, Any]]:
        return [short_concept(each, languages) for each in concepts]

    return {
        "vocabulary": view.name,
        "uri": concept.uri,
        "notations": list(concept.notations),
        "label": concept.label(languages),
        "preferred": labels_as_list(concept.preferred),
        "alternative": labels_as_list(concept.alternative),
        "notes": [
            {"kind": note.kind, "text": note.text, "language": note.language or None}
            for note in concept.notes
        ],
        "broader": shorts(view.broader(concept.uri)),
        "narrower": shorts(view.narrower(concept.uri)),
        "related": shorts(view.related(concept.uri)),
        "paths": [shorts(path) for path in view.paths(concept.uri)],
        "mappings": [{"kind": each.kind, "uri": each.uri} for each in concept.mappings],
        "schemes": list(concept.schemes),
        "is_deprecated": concept.is_deprecated,
        "replaced_by": list(concept.replaced_by),
    }


def labels_as_list(labels: Sequence[Label]) -> list[dict[str, Any]]:
    return [{"text": each.text, "language": each.language or None} for each in labels]


# Record counts of concepts, including narrower ones.

MOST_COUNTED = 200  # concepts of one list


def records_query(
    expander: Expander | None, vocabulary: str, uri: str, collection: str | None = None
) -> Query:
    """Return the query for the records of a concept and its narrower ones, in all bound fields.

    It matches nothing if the vocabulary is bound to no field.
    """
    if expander is None:
        return NOTHING
    conditions = [
        SameEvent(Value(uri, field)) if FIELDS[field].is_of_event else Value(uri, field)
        for field in expander.fields_of(vocabulary, collection)
    ]
    return any_of([expander.narrow(each, collection) for each in conditions])


def count_records(
    index: Index,
    expander: Expander | None,
    vocabulary: str,
    uris: Iterable[str],
    *,
    within: Query | None = None,
    collection: str | None = None,
) -> dict[str, int]:
    """Return the record counts of the first MOST_COUNTED concepts; {} if nothing is bound.

    With `within`, count only the records that match this query.
    """
    if expander is None or not expander.fields_of(vocabulary, collection):
        return {}
    found = {}
    for uri in list(uris)[:MOST_COUNTED]:
        query = records_query(expander, vocabulary, uri, collection)
        found[uri] = index.count(query if within is None else all_of([query, within]))
    return found
