"""The index interface that every back end implements: search, facets, sorting and scanning.

Everything that is counted is a facet over a query, so whatever can be searched for can also be charted.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from typing import Any, NamedTuple, Protocol

from windrow.config.collection_values import FACET_FIELDS
from windrow.errors import TooManyToSort, Unsortable, ValueMissing
from windrow.model.counted_fields import UNIT_SEPARATOR, split_department
from windrow.model.query import MOST_KEYS, NUMERIC, SORTABLE, Everything, Missing, Query, SortKey
from windrow.model.text.folding import fold

# Hit summaries: what the index stores of a document for result lists.

MAX_DESCRIPTION_CHARACTERS = 2000  # stored of a description, for snippets
MAX_SUMMARY_VALUES = 20  # creators, keywords … stored per document


class FileSummary(NamedTuple):
    """The file of a document, as results show it."""

    media_type: str
    size: int  # bytes
    has_text: bool = False
    has_picture: bool = False  # possibly: only rendering it will show


class HitSummary(NamedTuple):
    """A document as a result list shows it, with enough detail to export it as a row."""

    number: int  # of the record in the store
    source: str
    identifier: str
    title: str = ""
    creators: tuple[str, ...] = ()
    year: int | None = None
    types: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    institution: str = ""
    department: str = ""
    pages: int | None = None
    subjects: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()  # free keywords, where the source separates them from subjects
    description: str = ""  # the first one, truncated to MAX_DESCRIPTION_CHARACTERS
    description_language: str = ""
    landing: str = ""  # http and https only
    fulltext: str = ""
    stamp: str = ""  # the provider's datestamp
    change: int = 0  # the change after which it was indexed
    file: FileSummary | None = None


# Sorting by several keys, as the library protocols define it. Tantivy sorts by one field only. So the values
# of each key are fetched for all results and compared here, and the number of results is bounded:
# `TooManyToSort` is raised before anything is fetched.

__all__ = ["NUMERIC", "SORTABLE", "Missing", "SortKey", "TooManyToSort", "Unsortable", "ValueMissing"]

MAX_SORTED_RESULTS = 100_000
_BEYOND = "\U0010ffff"  # the key of a document without a title


Value = tuple[str, str] | int | None  # folded and as written; a number; none


def check_keys(keys: Sequence[SortKey]) -> None:
    """Raise UsageError for keys that cannot be sorted by."""
    for key in keys:
        if key.field not in SORTABLE:
            known = ", ".join(sorted(SORTABLE))
            raise Unsortable(f"results cannot be sorted by {key.field}", hint=f"They can by {known}.")
    if len(keys) > MOST_KEYS:
        raise Unsortable(f"{len(keys)} keys are too many to sort by; at most {MOST_KEYS} are taken")


def sort_numbers(
    numbers: Sequence[int], keys: Sequence[SortKey], values: Callable[[str], dict[int, Value]]
) -> list[int]:
    """Return record numbers sorted by the keys; `values` returns the values of a field by number.

    Records with equal keys keep their order.
    """
    found = list(numbers)
    for key in reversed(keys):  # a stable sort by each key, the last one first
        held = values(key.field)
        if key.missing is Missing.FAIL and any(held.get(number) is None for number in found):
            raise ValueMissing(f"a result has no {key.field} to be sorted by")
        if key.missing is Missing.OMIT:
            found = [number for number in found if held.get(number) is not None]
        compared = {number: _compared(key, held.get(number)) for number in found}
        found.sort(key=compared.__getitem__, reverse=not key.is_ascending)
    return found


def text_value(folded: str, written: str) -> Value:
    """Return a text as a value for comparison; None for an empty one."""
    return (folded, written) if written and folded != _BEYOND else None


def _compared(key: SortKey, value: Value) -> tuple[int, Any]:
    """Return the sort key of one value: below all, among the others, or above all."""
    if value is None:
        if key.missing is Missing.LOW:
            return -1, 0
        if isinstance(key.missing, Missing):
            return 1, 0
        return 0, _given(key, key.missing)
    if isinstance(value, tuple):
        return 0, value[1] if key.respects_case else value[0]
    return 0, value


def _given(key: SortKey, text: str) -> str | int:
    """Return the value that a request substitutes for missing ones."""
    if key.field in NUMERIC:
        digits = text.strip().replace("-", "")[:8]
        return int(digits) if digits.isascii() and digits.isdecimal() else 0
    return text if key.respects_case else fold(text)


def check_total(total: int, most: int = MAX_SORTED_RESULTS) -> None:
    """Raise TooManyToSort if there are too many results to sort."""
    if total > most:
        raise TooManyToSort(f"{total:,} results are too many to sort; at most {most:,} are sorted")


# Fields that can be counted, by their values as displayed.
TALLIED = (
    *FACET_FIELDS,
    "pages",
    "unit",  # a department with its institution
    "affiliation",  # participating institutions: the document's own, and those of its people
    "partners",  # pairs of these; none for a document with only one
    "wordings",  # topics in several languages, as `model.topics` writes them
    "filled",  # names of the fields with a value, all of a document in one value
    "initial",  # the first letter of the title
    "month",  # of files: the months of its year that its dates name
    "extra",  # of files: name=value
)
OF_FILES = ("folder", "media", "size", "month", "extra")  # fields that only documents of files have
MAX_OFFSET = 10_000  # results by relevance beyond this are counted, but not shown
MAX_COUNTED_VALUES = 10_000  # per facet


class Order(StrEnum):
    """The order of results."""

    RELEVANCE = "relevance"
    NEWEST = "newest"  # by year, latest first; those without one last
    OLDEST = "oldest"
    TITLE = "title"
    PAGES = "pages"  # most pages first; those without a number last
    ADDED = "added"  # most recently added first
    NUMBER = "number"  # in the order of arrival, for iterating over all of them


class Hit:
    """A document that was found. Its summary may be a function, which is called on first access.

    So results that are only counted or not shown are not decoded.
    """

    __slots__ = ("_card", "score")

    def __init__(self, card: HitSummary | Callable[[], HitSummary], score: float) -> None:
        self._card = card
        self.score = score

    @property
    def card(self) -> HitSummary:
        if not isinstance(self._card, HitSummary):
            self._card = self._card()
        return self._card

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Hit) and (self.card, self.score) == (other.card, other.score)

    def __hash__(self) -> int:
        return hash((self.card, self.score))

    def __repr__(self) -> str:
        return f"Hit({self.card!r}, {self.score!r})"


class FoundDocuments:
    """A page of results. An index may pass `following` as a function that computes it."""

    __slots__ = ("_following", "hits", "total")

    def __init__(
        self, total: int, hits: tuple[Hit, ...], following: str | Callable[[], str] | None = None
    ) -> None:
        self.total = total  # of all pages
        self.hits = hits
        self._following = following

    @property
    def next(self) -> str | None:
        """The start of the next page, for `after`; None on the last page and at the depth limit."""
        return self._following() if callable(self._following) else self._following


class FacetRequest(NamedTuple):
    """A facet: how many documents have each value of a field."""

    field: str  # one of TALLIED
    limit: int = 10
    is_by_value: bool = False  # ordered by value instead of count
    within: FacetRequest | None = None  # a facet counted within each value
    prefix: str = ""  # only values with this prefix, folded; not for numbers
    is_flat: bool = False  # only values without a slash after the prefix: the folders directly below one
    starts: int = 0  # of years: the day each begins on; set by the index, see `Index.year_starts`


class ValueCount(NamedTuple):
    """The number of documents with a value."""

    value: str
    count: int  # type: ignore[assignment]  # shadows tuple.count, which is not used
    within: tuple[ValueCount, ...] = ()


class FacetCounts(NamedTuple):
    """The result of a facet."""

    values: tuple[ValueCount, ...]
    others: int = 0  # documents with values beyond the limit


class Completion(NamedTuple):
    """A suggestion for a text that is being typed."""

    value: str
    field: str  # title, creator, subject
    count: int  # type: ignore[assignment]


class ScanTerm(NamedTuple):
    """A term of a dictionary: as compared, the number of documents with it, and as displayed."""

    term: str
    count: int  # type: ignore[assignment]
    display: str


EVERYTHING = Everything()


class Index(Protocol):
    """Documents that can be searched and counted. Thread-safe."""

    @property
    def generation(self) -> str:
        """An identifier that changes whenever results may have changed, for caches."""

    @property
    def year_starts(self) -> int:
        """The day on which counted years begin, such as 801; 0 for calendar years.

        With such a day years are written 2019/20, in facets as well as in queries.
        """

    def newest(self) -> Index:
        """Return the current state as an immutable index, for results that are read in several steps."""

    def count(self, query: Query) -> int:
        """Return how many documents the query finds."""

    def numbers(
        self, query: Query, *, sort: Sequence[SortKey] = (), offset: int = 0, limit: int = 100
    ) -> list[int]:
        """Return the record numbers at these positions, at any depth, by relevance or by the keys.

        With keys, a limit below 0 means none. Raises `TooManyToSort`, `Unsortable` or `ValueMissing`.
        """

    def first_numbers(self, query: Query, limit: int) -> tuple[int, list[int]]:
        """Return how many documents the query finds, and the numbers of the first ones by relevance.

        Cheaper than `count` and `numbers` together, but costlier than either.
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
        """Return terms of a field in order: `before` terms before a start, the others from it on.

        They are words, or whole values; without a field, words of all default fields. Each has the number of
        documents with it among those that the query finds, which is never 0. Raises UsageError if a field has
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
    ) -> FoundDocuments:
        """Return a page of the documents that the query finds, after `after` (see `next`), else at `offset`.

        If a language is given, titles are sorted by its alphabet; such a page has no `next`.

        Raises UsageError for an invalid `after`, and for an offset beyond MAX_OFFSET.
        """

    def tally(self, query: Query, tallies: Sequence[FacetRequest]) -> tuple[FacetCounts, ...]:
        """Count the documents that the query finds, once for each facet, in one pass."""

    def values(
        self,
        field: str,
        *,
        prefix: str = "",
        after: str = "",
        limit: int = 100,
        query: Query = EVERYTHING,
    ) -> list[ValueCount]:
        """Return values of creator, subject, keyword … ordered by their folded letters, with current counts.

        `prefix` is compared folded; `after` is the last value of the previous page. Only documents that the
        query finds are counted.
        """

    def initials(self, field: str, *, query: Query = EVERYTHING, language: str = "") -> list[ValueCount]:
        """Return the first letters of a field's values, A to Z, in upper case.

        All non-letters are counted under "#". Letters are folded, except for those that the language sorts
        after Z; see `model.text.collation`. Each has the number of documents with such a value among those
        that the query finds.
        """

    def complete(self, text: str, *, limit: int = 8, query: Query = EVERYTHING) -> list[Completion]:
        """Return values that begin with the text, most used first, of documents that the query finds.

        Of values that differ in case only, the most used spelling is returned, with the count of just that.
        """

    def correct(self, word: str, *, least: int = 1) -> str | None:
        """Return the most used word that this one may be a misspelling of.

        None if the word is known, which means that at least so many documents have it, or nothing similar is.
        """

    def corrections(self, word: str, *, least: int = 1, limit: int = 5) -> list[str]:
        """Return words that this one may be a misspelling of, most used first; none if it is known."""

    def which(self, queries: Sequence[Query], numbers: Sequence[int]) -> list[frozenset[int]]:
        """Return, for each query, those of the records with these numbers that it finds."""

    def similar(self, number: int, *, limit: int = 5) -> tuple[Hit, ...]:
        """Return documents that share rare words with this record, without the record itself."""


# Quick answers: a server answers cheap queries separately from expensive ones, so that the cheap ones never
# wait. Which a query is depends on its estimated cost, which only the index can compute. So a request is
# first run in quick mode, and repeated without it if that raised `Deferred`.

QUICK_MICROSECONDS = 50_000.0  # estimated processor time, for each call of the index

_thread = threading.local()


class Deferred(Exception):
    """The answer would take too long for quick mode."""


@contextmanager
def quick_answers_only() -> Iterator[None]:
    """Make calls of this thread within the block raise Deferred instead of taking long."""
    _thread.is_hurried = True
    try:
        yield
    finally:
        _thread.is_hurried = False


def is_quick_answer_wanted() -> bool:
    """Return whether this thread is in quick mode."""
    return getattr(_thread, "is_hurried", False)


# Departments nested in their institutions. A record may belong to several institutions, with a department in
# each. Counting departments within institutions would count each department in all of the record's
# institutions, so each pair is indexed as one value, `unit`, and counted as such.

UNITS = FacetRequest("unit", MAX_COUNTED_VALUES)


def nest_departments(institutions: FacetCounts, units: FacetCounts, *, most: int) -> FacetCounts:
    """Return institutions with their departments nested, at most `most` of each, most records first."""
    wanted = {each.value for each in institutions.values}
    inside: dict[str, list[ValueCount]] = {}
    for each in units.values:  # most records first
        institution = _institution(each.value, wanted)
        found = inside.setdefault(institution, [])
        if institution and len(found) < most:
            found.append(ValueCount(split_department(institution, each.value), each.count))
    values = (each._replace(within=tuple(inside.get(each.value, ()))) for each in institutions.values)
    return FacetCounts(tuple(values), institutions.others)


def _institution(unit: str, names: Collection[str]) -> str:
    """Return the institution of a unit; a name may contain the separator itself."""
    end = unit.find(UNIT_SEPARATOR)
    while end >= 0:
        if unit[:end] in names:
            return unit[:end]
        end = unit.find(UNIT_SEPARATOR, end + 1)
    return ""
