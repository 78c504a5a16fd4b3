"""What a vocabulary adds to a search: the query that is searched instead, and what is in it besides.

The search box, the API, SRU and Z39.50 all pass their `Query` through an `Expander` where the library has
vocabularies bound to fields. `vocabularies.expansion` has the one there is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from windrow.model.query import Query
from windrow.model.vocabulary import Label

MOST_NAMES_SHOWN = 20


class Addition(NamedTuple):
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
    additions: tuple[Addition, ...] = ()


class Meaning(NamedTuple):
    """The concept that a value of a record names."""

    vocabulary: str
    uri: str
    labels: tuple[Label, ...]  # preferred


class Branch(NamedTuple):
    """A concept that values of records name, or one above such; `within` has some of those below it."""

    uri: str
    within: tuple[Branch, ...] = ()


class Branches(NamedTuple):
    """Values of records as concepts: the trees to show, and the values that name no concept."""

    roots: tuple[Branch, ...]
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
    ) -> Mapping[str, Meaning]:
        """Return the concept that each of these values names by any of its names; only for those that do."""

    def branches(
        self,
        field: str,
        values: Mapping[str, int],
        chosen: Sequence[str],
        *,
        limit: int,
        collection: str | None = None,
    ) -> Branches | None:
        """Return the concepts that counted values of a field belong to, as trees; None where that is unclear.

        At each level the `limit` most used. `chosen` are the concepts that are looked into.
        """

    def narrow(self, query: Query, collection: str | None = None) -> Query:
        """Return a query with nothing but the concepts that are named by URI in it resolved.

        That is what filters ask for: a concept and all below it. Words stay as they are.
        """
