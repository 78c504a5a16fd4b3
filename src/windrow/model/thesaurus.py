"""Controlled vocabularies in the model of SKOS, and the interface by which they extend searches.

Concepts have labels, notes, relations and mappings. Relations are stored as the file states them, in one
direction or both; `vocabularies.vocabulary_view` combines the two directions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from windrow.model.counted_fields import counted_value
from windrow.model.query import Query
from windrow.model.text.folding import fold

NOTE_KINDS = ("scope", "definition", "example", "history", "editorial", "change", "note")
MAPPING_KINDS = ("exact", "close", "broad", "narrow", "related")
ANY_LANGUAGE = ""  # of a label without a language tag


class Label(NamedTuple):
    """A name of a concept; its language is empty if it has no language tag."""

    text: str
    language: str = ANY_LANGUAGE  # BCP 47, in lower case


class Note(NamedTuple):
    """A text about a concept; its kind is one of NOTE_KINDS."""

    kind: str
    text: str
    language: str = ANY_LANGUAGE


class ConceptMapping(NamedTuple):
    """A concept of another vocabulary; the kind is one of MAPPING_KINDS."""

    kind: str
    uri: str


@dataclass(frozen=True, slots=True)
class Concept:
    """One concept. It refers to other concepts by URI; some of them may not exist."""

    uri: str
    notations: tuple[str, ...] = ()
    preferred: tuple[Label, ...] = ()
    alternative: tuple[Label, ...] = ()
    hidden: tuple[Label, ...] = ()
    notes: tuple[Note, ...] = ()
    broader: tuple[str, ...] = ()
    narrower: tuple[str, ...] = ()
    related: tuple[str, ...] = ()
    mappings: tuple[ConceptMapping, ...] = ()
    schemes: tuple[str, ...] = ()
    top_of: tuple[str, ...] = ()  # schemes of which it is a top concept, stated by either of the two
    is_deprecated: bool = False
    replaced_by: tuple[str, ...] = ()

    @property
    def notation(self) -> str:
        return self.notations[0] if self.notations else ""

    @property
    def names(self) -> Iterator[str]:
        """Yield all texts by which a record may name the concept: URI, notations and all labels."""
        yield self.uri
        yield from self.notations
        for labels in (self.preferred, self.alternative, self.hidden):
            yield from (label.text for label in labels)

    def label(self, languages: Sequence[str] = ()) -> str:
        """Return the preferred label in the first of these languages that has one.

        The fallbacks are the label without a language, the English one, any other, the notation, the URI.
        """
        found = best_label(self.preferred, languages) or best_label(self.alternative, languages)
        return found.text if found else self.notation or self.uri


class Scheme(NamedTuple):
    """A concept scheme; one vocabulary file may have several."""

    uri: str
    labels: tuple[Label, ...] = ()


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """A vocabulary of the library, without its concepts."""

    name: str
    title: tuple[Label, ...]
    schemes: tuple[Scheme, ...]
    languages: tuple[str, ...]  # of its preferred labels, the most used first
    concepts: int
    format: str  # of the imported file
    file: str  # the name of the imported file, without its folder
    base: str  # the prefix of its concepts' codes, if a file has codes only
    added: str  # ISO 8601, UTC
    updated: str
    revision: int  # incremented by every update

    def label(self, languages: Sequence[str] = ()) -> str:
        """Return the title in the first of these languages that has one."""
        found = best_label(self.title, languages)
        return found.text if found else self.name


def best_label(labels: Iterable[Label], languages: Sequence[str] = ()) -> Label | None:
    """Return the label in the first of these languages that has one, else the best of the others.

    `pt` matches `pt-br` if there is no plain one, and `en-gb` matches `en`.
    """
    known = tuple(labels)
    for wanted in (*languages, ANY_LANGUAGE, "en"):
        whole, primary = wanted.lower(), wanted.lower().partition("-")[0]
        for is_fitting in (
            lambda each, whole=whole: each.language == whole,
            lambda each, primary=primary: each.language == primary,
            lambda each, primary=primary: bool(primary) and each.language.partition("-")[0] == primary,
        ):
            found = next(filter(is_fitting, known), None)
            if found is not None:
                return found
    return known[0] if known else None


def value_key(text: str) -> str:
    """Normalise a value of a record, or a name of a concept, for comparing the two."""
    return fold(counted_value(text))


# Expansion of queries by vocabularies. The search box, the API, SRU and Z39.50 all pass their `Query` to an
# `Expander` if the library has vocabularies bound to fields. `vocabularies.vocabulary_expansion` has the only
# implementation.

MOST_NAMES_SHOWN = 20


class QueryAddition(NamedTuple):
    """One concept that a part of the query names, and what is searched in addition."""

    written: str  # the part of the query, in the query language
    field: str | None  # the searched field; None: all
    vocabulary: str
    uri: str
    labels: tuple[Label, ...]  # preferred
    names: tuple[str, ...]  # other names of the concept itself that are searched, some of them
    below: int  # number of narrower concepts that are searched, too
    is_whole: bool  # False if the concept has more narrower concepts than one search can include


@dataclass(frozen=True, slots=True)
class Expansion:
    """A query with what vocabularies add to it; the same query if they add nothing."""

    query: Query
    additions: tuple[QueryAddition, ...] = ()


class NamedConcept(NamedTuple):
    """The concept that a value of a record names."""

    vocabulary: str
    uri: str
    labels: tuple[Label, ...]  # preferred


class ConceptBranch(NamedTuple):
    """A concept that values of records name, or an ancestor; `within` has some narrower concepts."""

    uri: str
    within: tuple[ConceptBranch, ...] = ()


class ConceptBranches(NamedTuple):
    """Values of records as concepts: the trees to show, and the values that name no concept."""

    roots: tuple[ConceptBranch, ...]
    unknown: tuple[str, ...]
    others: int = 0  # approximate number of records with concepts that are left out


class Expander(Protocol):
    """Expands queries by the vocabularies of a library. Thread-safe."""

    @property
    def fields(self) -> frozenset[str]:
        """The fields that are bound to a vocabulary in any collection."""

    @property
    def is_usual(self) -> bool:
        """Return whether words are expanded if a request does not specify it."""

    @property
    def mark(self) -> str:
        """A text that changes whenever expansions may change: for ETags and caches."""

    def expand(self, query: Query, collection: str | None = None) -> Expansion:
        """Return a query with synonyms, labels in other languages and narrower concepts.

        Without a collection, the bindings of all collections apply.
        """

    def fields_of(self, vocabulary: str, collection: str | None = None) -> tuple[str, ...]:
        """Return the fields that a vocabulary is bound to."""

    def label(self, field: str, value: str, language: str, collection: str | None = None) -> str | None:
        """Return the label of the concept that a value names by URI or notation, or None."""

    def meanings(
        self, field: str, values: Sequence[str], collection: str | None = None
    ) -> Mapping[str, NamedConcept]:
        """Return the concepts that these values name by any name, for those values that name one."""

    def branches(
        self,
        field: str,
        values: Mapping[str, int],
        chosen: Sequence[str],
        *,
        limit: int,
        collection: str | None = None,
    ) -> ConceptBranches | None:
        """Return the concepts of a field's counted values as trees, or None if that is ambiguous.

        Each level has the `limit` most used. `chosen` are the concepts that are expanded.
        """

    def narrow(self, query: Query, collection: str | None = None) -> Query:
        """Return a query in which only concepts that are named by URI are resolved.

        Filters need this: a concept and its narrower concepts. Words are not changed.
        """
