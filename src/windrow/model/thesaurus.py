"""Controlled vocabularies: concepts with their labels, notes, relations and mappings, as SKOS has them.

Relations are kept as the file states them, in one direction or both. Which concepts lie above and below one
another when both directions are taken together is answered by `vocabularies.view`.
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
    """A name of a concept in a language; without one, the language is empty."""

    text: str
    language: str = ANY_LANGUAGE  # BCP 47, in small letters


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
    """One concept. All other concepts are named by URI; some of them may not exist."""

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
    top_of: tuple[str, ...] = ()  # schemes whose top concept it is, whichever of the two states it
    is_deprecated: bool = False
    replaced_by: tuple[str, ...] = ()

    @property
    def notation(self) -> str:
        """The first notation; nothing where there is none."""
        return self.notations[0] if self.notations else ""

    @property
    def names(self) -> Iterator[str]:
        """Every text by which a record may name the concept: URI, notations and all labels."""
        yield self.uri
        yield from self.notations
        for labels in (self.preferred, self.alternative, self.hidden):
            yield from (label.text for label in labels)

    def label(self, languages: Sequence[str] = ()) -> str:
        """Return the preferred label in the first of these languages that has one.

        Without any in them: the one without a language, the English one, any; the notation; the URI.
        """
        found = best_label(self.preferred, languages) or best_label(self.alternative, languages)
        return found.text if found else self.notation or self.uri


class Scheme(NamedTuple):
    """A concept scheme: one vocabulary file may hold several."""

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
    format: str  # in which it came
    file: str  # the name of the file it came from, without its folder
    base: str  # before the codes of its concepts, where a file has codes only
    added: str  # ISO 8601, UTC
    updated: str
    revision: int  # grows with every update

    def label(self, languages: Sequence[str] = ()) -> str:
        """Return what people call it, in the first of these languages that it has a title in."""
        found = best_label(self.title, languages)
        return found.text if found else self.name


def best_label(labels: Iterable[Label], languages: Sequence[str] = ()) -> Label | None:
    """Return the label in the first of these languages that has one, else the best of the others.

    `pt` finds `pt-br` where there is no plain one, and `en-gb` finds `en`.
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
    """Return a value of a record, or a name of a concept, as the two are compared."""
    return fold(counted_value(text))


# What a vocabulary adds to a search: the query that is searched instead, and what is in it besides.
# The search box, the API, SRU and Z39.50 all pass their `Query` through an `Expander` where the library
# has vocabularies bound to fields. `vocabularies.expansion` has the one there is.

MOST_NAMES_SHOWN = 20


class QueryAddition(NamedTuple):
    """One concept that a part of the query stands for, and what is searched for it besides."""

    written: str  # the part of the query, as the query language writes it
    field: str | None  # in which it is looked for; None: in all
    vocabulary: str
    uri: str
    labels: tuple[Label, ...]  # preferred
    names: tuple[str, ...]  # other names of the concept itself that are searched, some of them
    below: int  # concepts below it that are searched, too
    is_whole: bool  # False where it has more concepts below it than one search takes


@dataclass(frozen=True, slots=True)
class Expansion:
    """A query with what vocabularies add to it; the same query where they add nothing."""

    query: Query
    additions: tuple[QueryAddition, ...] = ()


class NamedConcept(NamedTuple):
    """The concept that a value of a record names."""

    vocabulary: str
    uri: str
    labels: tuple[Label, ...]  # preferred


class ConceptBranch(NamedTuple):
    """A concept that values of records name, or one above such; `within` has some of those below it."""

    uri: str
    within: tuple[ConceptBranch, ...] = ()


class ConceptBranches(NamedTuple):
    """Values of records as concepts: the trees to show, and the values that name no concept."""

    roots: tuple[ConceptBranch, ...]
    unknown: tuple[str, ...]
    others: int = 0  # about how many records have concepts that are left out


class Expander(Protocol):
    """Adds to queries what the vocabularies of a library know. Thread-safe."""

    @property
    def fields(self) -> frozenset[str]:
        """The fields that are bound to a vocabulary in any collection."""

    @property
    def is_usual(self) -> bool:
        """Return whether words are expanded where a request does not say."""

    @property
    def mark(self) -> str:
        """Another text whenever queries may be expanded to others: for ETags and caches."""

    def expand(self, query: Query, collection: str | None = None) -> Expansion:
        """Return a query with synonyms, labels in other languages and narrower concepts.

        Without a collection, what any collection binds counts.
        """

    def fields_of(self, vocabulary: str, collection: str | None = None) -> tuple[str, ...]:
        """Return the fields that a vocabulary is bound to."""

    def label(self, field: str, value: str, language: str, collection: str | None = None) -> str | None:
        """Return the label of the concept that a value names by URI or notation; None for none."""

    def meanings(
        self, field: str, values: Sequence[str], collection: str | None = None
    ) -> Mapping[str, NamedConcept]:
        """Return the concept that each of these values names by any of its names; only for those that do."""

    def branches(
        self,
        field: str,
        values: Mapping[str, int],
        chosen: Sequence[str],
        *,
        limit: int,
        collection: str | None = None,
    ) -> ConceptBranches | None:
        """Return the concepts that counted values of a field belong to, as trees; None where that is unclear.

        At each level the `limit` most used. `chosen` are the concepts that are looked into.
        """

    def narrow(self, query: Query, collection: str | None = None) -> Query:
        """Return a query with nothing but the concepts that are named by URI in it resolved.

        That is what filters ask for: a concept and all below it. Words stay as they are.
        """
