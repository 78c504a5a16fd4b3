"""What an index can be asked: the protocol that every back end keeps.

Everything that is counted is a tally over a query, so whatever can be searched for can be shown as figures.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import NamedTuple, Protocol

from windrow.config.appearance import FACET_FIELDS
from windrow.index.card import Card
from windrow.index.sorting import SortKey
from windrow.model.query import Everything, Query

# Fields that can be tallied. Each has the values as people read them, compared as they stand.
TALLIED = (
    *FACET_FIELDS,
    "pages",
    "unit",  # a department in its institution
    "affiliation",  # institutions that took part: the document's own, and those of its people
    "partners",  # each two of these; none of a document that has one alone
    "wordings",  # topics in several languages, as `model.topics` writes them
    "filled",  # names of the fields that hold something, all of a document's in one value
    "initial",  # the first letter of the title
    "month",  # of files: those of its year that its dates name
    "extra",  # of files: name=value
)
OF_FILES = ("folder", "media", "size", "month", "extra")  # those that only the documents of files have
DEEPEST_OFFSET = 10_000  # results by relevance beyond this are not shown, only counted
MOST_VALUES = 10_000  # of one tally


class Order(StrEnum):
    """In which order documents are given."""

    RELEVANCE = "relevance"
    NEWEST = "newest"  # by year, the latest first; those without one last
    OLDEST = "oldest"
    TITLE = "title"
    PAGES = "pages"  # the most pages first; those without a number last
    ADDED = "added"  # what came into the library last, first
    NUMBER = "number"  # as they came into the library: for walking through all of them


class Hit:
    """One document that was found. An index may give its card as what reads it, when it is first looked at.

    Whoever only wants to know how many there are, or has the first of them shown, waits for no other.
    """

    __slots__ = ("_card", "score")

    def __init__(self, card: Card | Callable[[], Card], score: float) -> None:
        self._card = card
        self.score = score

    @property
    def card(self) -> Card:
        """What is kept of it beside the words."""
        if not isinstance(self._card, Card):
            self._card = self._card()
        return self._card

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Hit) and (self.card, self.score) == (other.card, other.score)

    def __hash__(self) -> int:
        return hash((self.card, self.score))

    def __repr__(self) -> str:
        return f"Hit({self.card!r}, {self.score!r})"


class Found:
    """Some of the documents that a query finds. An index may give `following` as what works it out."""

    __slots__ = ("_following", "hits", "total")

    def __init__(
        self, total: int, hits: tuple[Hit, ...], following: str | Callable[[], str] | None = None
    ) -> None:
        self.total = total  # of all it finds
        self.hits = hits
        self._following = following

    @property
    def next(self) -> str | None:
        """Where the following page starts, for `after`; None on the last, and at the deepest."""
        return self._following() if callable(self._following) else self._following


class Tally(NamedTuple):
    """What is to be counted: how many documents have each value of a field."""

    field: str  # one of TALLIED
    limit: int = 10
    is_by_value: bool = False  # in the order of the values instead of the counts
    within: Tally | None = None  # counted again inside each value
    prefix: str = ""  # only values that begin so, folded; not of numbers
    is_flat: bool = False  # only values without a slash behind the prefix: the folders right below one
    starts: int = 0  # of years: the day each begins on; the index sets it, see `Index.year_starts`


class Counted(NamedTuple):
    """How many documents have a value."""

    value: str
    count: int  # type: ignore[assignment]  # nobody asks a tally for tuple.count
    within: tuple[Counted, ...] = ()


class Counts(NamedTuple):
    """What a tally came to."""

    values: tuple[Counted, ...]
    others: int = 0  # documents counted under values that the limit left out


class Completion(NamedTuple):
    """What somebody who began to write may want to write."""

    value: str
    field: str  # title, creator, subject
    count: int  # type: ignore[assignment]


class ScanTerm(NamedTuple):
    """A term of a dictionary: as it is compared, how many documents have it, and as people write it."""

    term: str
    count: int  # type: ignore[assignment]
    display: str


EVERYTHING = Everything()


class Index(Protocol):
    """Documents that can be searched and counted. Asked by many threads at once."""

    @property
    def generation(self) -> str:
        """Another one whenever an answer may have changed: for whoever keeps answers."""

    @property
    def year_starts(self) -> int:
        """The day on which the years begin that it counts, such as 801; 0 for calendar years.

        With such a day, years are called 2019/20, in tallies as well as in queries.
        """

    def newest(self) -> Index:
        """Return the state of now, which nothing changes: for results that are taken piece by piece."""

    def count(self, query: Query) -> int:
        """How many documents the query finds."""

    def numbers(
        self, query: Query, *, sort: Sequence[SortKey] = (), offset: int = 0, limit: int = 100
    ) -> list[int]:
        """Return the numbers of the records at these places, however deep: by relevance, or by the keys.

        With keys, a limit below 0 is none. Raises `TooManyToSort` and the other errors of `index.sorting`.
        """

    def first_numbers(self, query: Query, limit: int) -> tuple[int, list[int]]:
        """Return how many documents the query finds, and the numbers of the first by relevance.

        Less work than `count` and `numbers` one after the other, and more than either.
        """

    def scan(
        self,
        field: str | None,
        start: str,
        *,
        before: int = 0,
        limit: int = 20,
        is_whole: bool = False,
        query: Query = EVERYTHING,
    ) -> list[ScanTerm]:
        """Return terms of a field in their order: some before a start, the others from it on.

        They are words, or whole values; of no field, words of all default fields. Each has the number of
        documents with it among those that the query finds, and none is without. UsageError where a field has
        no such terms.
        """

    def search(
        self,
        query: Query,
        *,
        limit: int = 10,
        offset: int = 0,
        order: Order = Order.RELEVANCE,
        after: str | None = None,
        language: str = "",
    ) -> Found:
        """Documents that the query finds; `after` is what an earlier page gave as `next`, else `offset`.

        Titles are in the order of a language's letters if one is given; such a page has no `next`.

        Raises UsageError for an `after` that no page gave, and for an offset beyond DEEPEST_OFFSET.
        """

    def tally(self, query: Query, tallies: Sequence[Tally]) -> tuple[Counts, ...]:
        """Count the documents that the query finds, once for each tally, in one pass."""

    def values(
        self,
        field: str,
        *,
        prefix: str = "",
        after: str = "",
        limit: int = 100,
        query: Query = EVERYTHING,
    ) -> list[Counted]:
        """Values of creator, subject, keyword … in the order of their folded letters, with live counts.

        `prefix` is compared folded; `after` is the last value of the page before. Only documents that the
        query finds are looked at.
        """

    def initials(self, field: str, *, query: Query = EVERYTHING, language: str = "") -> list[Counted]:
        """First letters (upper case; "#" for all that is no letter) of a field's values, A to Z.

        They are folded, except for those that the language lists after Z; see `model.collation`.
        Each with how many of the documents that the query finds have such a value.
        """

    def complete(self, text: str, *, limit: int = 8, query: Query = EVERYTHING) -> list[Completion]:
        """Values that begin as the text does, the most used first, of documents that the query finds.

        Of those that differ in capitals only, the most used spelling, with how many documents have just that.
        """

    def correct(self, word: str, *, least: int = 1) -> str | None:
        """The most used word that this one may be misspelt from; None if it is known or nothing is near.

        Known is what so many documents have at least, as it stands.
        """

    def corrections(self, word: str, *, least: int = 1, limit: int = 5) -> list[str]:
        """Words that this one may be misspelt from, the most used first; none if it is known."""

    def which(self, queries: Sequence[Query], numbers: Sequence[int]) -> list[frozenset[int]]:
        """For each query, those of the records with these numbers that it finds."""

    def similar(self, number: int, *, limit: int = 5) -> tuple[Hit, ...]:
        """Documents with the same rare words as this record's; the record itself is not among them."""
