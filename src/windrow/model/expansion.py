"""What a vocabulary adds to a search: the query that is searched instead, and what is in it besides.

The search box, the API, SRU and Z39.50 all pass their `Query` through an `Expander` where the library has
vocabularies bound to fields. `vocabularies.expansion` has the one there is.
"""

from __future__ import annotations

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


class Expander(Protocol):
    """Adds to queries what the vocabularies of a library know. Thread-safe."""

    @property
    def fields(self) -> frozenset[str]:
        """The fields that are bound to a vocabulary in any collection."""

    @property
    def is_usual(self) -> bool:
        """Whether words are expanded where a request does not say."""

    @property
    def mark(self) -> str:
        """Another text whenever queries may be expanded to others: for ETags and caches."""

    def expand(self, query: Query, collection: str | None = None) -> Expansion:
        """Return a query with synonyms, labels in other languages and narrower concepts.

        Without a collection, what any collection binds counts.
        """

    def narrow(self, query: Query, collection: str | None = None) -> Query:
        """Return a query with nothing but the concepts that are named by URI in it resolved.

        That is what filters ask for: a concept and all below it. Words stay as they are.
        """
