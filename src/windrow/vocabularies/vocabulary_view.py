"""One vocabulary as other parts of Windrow read it: concepts, the walk up and down, labels, lists.

A `VocabularyView` reads from the store when it is asked, each time one unchanging state, so any number of
threads may use one and memory stays flat however many concepts there are.
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

MOST_BELOW = 20_000  # concepts below one, of which a search or a count looks at so many
MOST_PATHS = 20
DEEPEST = 100  # steps up to the top
MOST_LISTED = 1_000
MOST_BESIDE = 5_000  # concepts at the top, or right below one: a plain list is a vocabulary, too
_LAST = "\U0010ffff"  # behind all letters


class Named(NamedTuple):
    """A concept in a list: its URI, and the name by which it is listed there."""

    uri: str
    text: str
    language: str = ""
    key: str = ""  # where the list goes on: `after` of the next page


class NarrowerConcepts(NamedTuple):
    """All concepts below some, these first. Not whole where there are more than were asked for."""

    uris: tuple[str, ...]
    is_whole: bool


class VocabularyView:
    """Reads one vocabulary of a library. It follows updates: each call sees the newest state."""

    def __init__(self, store: Store, name: str) -> None:
        self._store = store
        self.name = name

    @property
    def vocabulary(self) -> Vocabulary:
        """What the vocabulary is; NotFound where there is none of the name."""
        with self._store.reading() as connection:
            found = rows.find_vocabulary(connection, self.name)
        if found is None:
            raise self._missing()
        return found

    @property
    def exists(self) -> bool:
        """Return whether the library has a vocabulary of this name."""
        with self._store.reading() as connection:
            return self.name in rows.list_revisions(connection)

    @property
    def mark(self) -> str:
        """Return another text whenever the concepts have changed: for ETags and caches."""
        with self._store.reading() as connection:
            number, revision = rows.list_revisions(connection).get(self.name, (0, 0))
        return f"{self.name}-{number}-{revision}"

    def concept(self, uri: str) -> Concept | None:
        """Return the concept of a URI."""
        with self._reading() as (connection, number):
            return rows.find_concept(connection, number, uri)

    def concepts(self, uris: Sequence[str]) -> list[Concept]:
        """Return those of these concepts that exist, in this order."""
        with self._reading() as (connection, number):
            return rows.find_concepts(connection, number, uris)

    def find(self, name: str) -> Concept | None:
        """Return the concept of a URI, a notation, a label or a code: the first found."""
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
        """Return which concepts each text stands for, by any name in whatever case, the best first."""
        keys = {text: value_key(text) for text in texts}
        with self._reading() as (connection, number):
            found = rows.find_named(connection, number, list(dict.fromkeys(filter(None, keys.values()))))
        return {text: found[key] for text, key in keys.items() if key in found}

    def top_concepts(self, *, limit: int = MOST_BESIDE) -> list[Concept]:
        """Return the top concepts: those stated to be, and those without anything above them."""
        with self._reading() as (connection, number):
            return rows.find_concepts(connection, number, rows.find_tops(connection, number, limit=limit))

    def narrower(self, uri: str, *, limit: int = MOST_BESIDE) -> list[Concept]:
        """Return the concepts right below one, by notation and URI."""
        with self._reading() as (connection, number):
            return rows.find_concepts(connection, number, rows.find_below(connection, number, [uri])[:limit])

    def broader(self, uri: str) -> list[Concept]:
        """Return the concepts right above one."""
        with self._reading() as (connection, number):
            return rows.find_concepts(connection, number, rows.find_above(connection, number, [uri]))

    def parents(self, uris: Sequence[str]) -> dict[str, list[str]]:
        """Return the URIs right above each of these concepts that has any."""
        with self._reading() as (connection, number):
            return rows.find_parents(connection, number, uris)

    def having_narrower(self, uris: Sequence[str]) -> set[str]:
        """Return those of these concepts that have others below them."""
        with self._reading() as (connection, number):
            return rows.find_having_below(connection, number, uris)

    def related(self, uri: str) -> list[Concept]:
        """Return the concepts that one is related to."""
        found = self.concept(uri)
        return self.concepts(found.related) if found else []

    def below(self, uris: Sequence[str], *, limit: int = MOST_BELOW) -> NarrowerConcepts:
        """Return these concepts and all below them, level by level, each once."""
        with self._reading() as (connection, number):
            return _below(connection, number, uris, limit)

    def paths(self, uri: str) -> list[list[Concept]]:
        """Return the ways from the top down to right above a concept: several where it has several parents.

        At most MOST_PATHS; a circle ends where it would begin again.
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
        """Return concepts whose names begin as the text does, then those with its words in their labels."""
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
        """Return concepts with a name that begins as the text does, in the order of these names."""
        key, limit = value_key(text), min(limit, MOST_LISTED)
        found: dict[str, Named] = {}
        with self._reading() as (connection, number):
            for each in rows.find_names_beginning(connection, number, key, limit=limit * 4) if key else ():
                found.setdefault(each.uri, Named(each.uri, each.text, each.language))
        return list(found.values())[:limit]

    def listed(
        self, language: str, *, letter: str = "", after: Named | None = None, limit: int = 100
    ) -> list[Named]:
        """Return preferred labels in the order of their language, those under a letter, after another."""
        place = (after.key, after.uri) if after else ("", "")
        prefix = _collation(language).prefix(letter)
        with self._reading() as (connection, number):
            found = rows.list_names_in(
                connection, number, language, prefix=prefix, after=place, limit=min(limit, MOST_LISTED)
            )
        return [Named(uri, text, language, key) for key, text, uri in found]

    def initials(self, language: str) -> list[str]:
        """Return the letters that labels of a language are listed under: Å after Z in Swedish."""
        found: list[str] = []
        with self._reading() as (connection, number):
            start = ""
            while row := rows.list_names_in(connection, number, language, after=(start, _LAST), limit=1):
                found.append(_collation(language).letter(row[0][1]))
                start = f"{row[0][0][:1]}{_LAST}"
        return list(dict.fromkeys(found))

    def neighbours(self, concept: Concept) -> Neighbours:
        """Return what a Zthes record shows around a concept."""
        with self._reading() as (connection, number):
            related = rows.find_concepts(connection, number, concept.related)
            above = rows.find_concepts(connection, number, rows.find_above(connection, number, [concept.uri]))
            inner = rows.find_below(connection, number, [concept.uri])[:MOST_BESIDE]
            under = rows.find_concepts(connection, number, inner)
            vocabulary = rows.find_vocabulary(connection, self.name)
        base = vocabulary.base if vocabulary else ""
        return Neighbours(above, under, related, identify=lambda each: concept_code(each.uri, base))

    def walk(self) -> Iterator[Concept]:
        """Yield every concept in the order of URIs, some at a time."""
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
    """Return what stands for a concept in Zthes and CSV: its code where the base makes its URI of that."""
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


# Concepts as values for JSON: the same for the command line and for the API.


def short_concept(concept: Concept, languages: Sequence[str] = ()) -> dict[str, Any]:
    """Return what a list shows of a concept."""
    return {"uri": concept.uri, "notation": concept.notation or None, "label": concept.label(languages)}


def concept_as_dict(view: VocabularyView, concept: Concept, languages: Sequence[str] = ()) -> dict[str, Any]:
    """Return all of a concept, with its neighbours and the ways to it from the top."""

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
    """Return labels with their languages; null for none."""
    return [{"text": each.text, "language": each.language or None} for each in labels]


# How many records concepts have, those of all concepts below them included.

MOST_COUNTED = 200  # concepts of one list


def records_query(
    expander: Expander | None, vocabulary: str, uri: str, collection: str | None = None
) -> Query:
    """Return the query for the records of a concept and of all below it, in every field that is bound.

    It finds nothing where the vocabulary is bound to no field.
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
    """Return the number of records of each concept, of the first MOST_COUNTED; none where nothing is bound.

    With `within`, of those records that this query finds.
    """
    if expander is None or not expander.fields_of(vocabulary, collection):
        return {}
    found = {}
    for uri in list(uris)[:MOST_COUNTED]:
        query = records_query(expander, vocabulary, uri, collection)
        found[uri] = index.count(query if within is None else all_of([query, within]))
    return found
