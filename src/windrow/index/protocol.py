"""What an index can be asked: the protocol that every back end keeps.

Everything that is counted is a tally over a query, so whatever can be searched for can be shown as figures.
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

# A document as a list of results shows it: what an index keeps of it beside the words.

MAX_DESCRIPTION_CHARACTERS = 2000  # characters of it that are kept for snippets
MAX_SUMMARY_VALUES = 20  # creators, keywords … of one document that are kept


class FileSummary(NamedTuple):
    """What it says of the file behind a document."""

    media_type: str
    size: int  # bytes
    has_text: bool = False
    has_picture: bool = False  # there may be one: whoever makes it knows


class HitSummary(NamedTuple):
    """What stands on one line of results, and enough to write a row of it elsewhere."""

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
    keywords: tuple[str, ...] = ()  # free ones, where the source tells them from subjects
    description: str = ""  # the first, cut at LONGEST_DESCRIPTION
    description_language: str = ""
    landing: str = ""  # http and https only
    fulltext: str = ""
    stamp: str = ""  # the provider's datestamp
    change: int = 0  # the number of the change that it was made after
    file: FileSummary | None = None


# Results in the order of several keys: what the library protocols call a sort.
# Tantivy sorts by one field. Here each key's values are fetched for everything that was found, and
# compared together, so the number of results that can be sorted is bounded. `TooManyToSort` says so
# before anything is fetched.

__all__ = ["NUMERIC", "SORTABLE", "Missing", "SortKey", "TooManyToSort", "Unsortable", "ValueMissing"]

MAX_SORTED_RESULTS = 100_000  # results that are sorted by keys
_BEYOND = "\U0010ffff"  # the key of a document without a title


Value = tuple[str, str] | int | None  # folded and as it stands; a number; nothing


def check_keys(keys: Sequence[SortKey]) -> None:
    """Raise UsageError for keys that nothing can be sorted by."""
    for key in keys:
        if key.field not in SORTABLE:
            known = ", ".join(sorted(SORTABLE))
            raise Unsortable(f"results cannot be sorted by {key.field}", hint=f"They can by {known}.")
    if len(keys) > MOST_KEYS:
        raise Unsortable(f"{len(keys)} keys are too many to sort by; at most {MOST_KEYS} are taken")


def sort_numbers(
    numbers: Sequence[int], keys: Sequence[SortKey], values: Callable[[str], dict[int, Value]]
) -> list[int]:
    """Return the numbers of records in the order of the keys; `values` returns those of a field by number.

    Records that no key tells apart keep their order.
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
    """Return a text as a value that is compared; None for an empty one."""
    return (folded, written) if written and folded != _BEYOND else None


def _compared(key: SortKey, value: Value) -> tuple[int, Any]:
    """Return what puts one value in its place: below all, among the others, or above all."""
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
    """Return the value that a request gives to those without one."""
    if key.field in NUMERIC:
        digits = text.strip().replace("-", "")[:8]
        return int(digits) if digits.isascii() and digits.isdecimal() else 0
    return text if key.respects_case else fold(text)


def check_total(total: int, most: int = MAX_SORTED_RESULTS) -> None:
    """Raise TooManyToSort for more results than are sorted."""
    if total > most:
        raise TooManyToSort(f"{total:,} results are too many to sort; at most {most:,} are sorted")


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
MAX_OFFSET = 10_000  # results by relevance beyond this are not shown, only counted
MAX_COUNTED_VALUES = 10_000  # of one tally


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

    def __init__(self, card: HitSummary | Callable[[], HitSummary], score: float) -> None:
        self._card = card
        self.score = score

    @property
    def card(self) -> HitSummary:
        """What is kept of it beside the words."""
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


class FacetRequest(NamedTuple):
    """What is to be counted: how many documents have each value of a field."""

    field: str  # one of TALLIED
    limit: int = 10
    is_by_value: bool = False  # in the order of the values instead of the counts
    within: FacetRequest | None = None  # counted again inside each value
    prefix: str = ""  # only values that begin so, folded; not of numbers
    is_flat: bool = False  # only values without a slash behind the prefix: the folders right below one
    starts: int = 0  # of years: the day each begins on; the index sets it, see `Index.year_starts`


class ValueCount(NamedTuple):
    """How many documents have a value."""

    value: str
    count: int  # type: ignore[assignment]  # nobody asks a tally for tuple.count
    within: tuple[ValueCount, ...] = ()


class FacetCounts(NamedTuple):
    """What a tally came to."""

    values: tuple[ValueCount, ...]
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
    ) -> FoundDocuments:
        """Documents that the query finds; `after` is what an earlier page gave as `next`, else `offset`.

        Titles are in the order of a language's letters if one is given; such a page has no `next`.

        Raises UsageError for an `after` that no page gave, and for an offset beyond DEEPEST_OFFSET.
        """

    def tally(self, query: Query, tallies: Sequence[FacetRequest]) -> tuple[FacetCounts, ...]:
        """Count the documents that the query finds, once for each tally, in one pass."""

    def values(
        self,
        field: str,
        *,
        prefix: str = "",
        after: str = "",
        limit: int = 100,
        query: Query = EVERYTHING,
    ) -> list[ValueCount]:
        """Values of creator, subject, keyword … in the order of their folded letters, with live counts.

        `prefix` is compared folded; `after` is the last value of the page before. Only documents that the
        query finds are looked at.
        """

    def initials(self, field: str, *, query: Query = EVERYTHING, language: str = "") -> list[ValueCount]:
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


# Questions that are asked in a hurry: what would take longer is put off instead of answered.
# A server answers quick questions apart from slow ones, so that those never wait for these. Which a
# question is depends on its estimated cost, which only the index knows: a request is therefore made in a
# hurry first, and a second time without if that raised `Deferred`.

QUICK_MICROSECONDS = 50_000.0  # of one processor, estimated, each time the index is asked

_thread = threading.local()


class Deferred(Exception):
    """The answer would take too long to be made in a hurry."""


@contextmanager
def quick_answers_only() -> Iterator[None]:
    """Let what this thread does in the block raise Deferred rather than take long."""
    _thread.is_hurried = True
    try:
        yield
    finally:
        _thread.is_hurried = False


def is_quick_answer_wanted() -> bool:
    """Return whether this thread is in a hurry."""
    return getattr(_thread, "is_hurried", False)


# Departments counted inside their own institutions.
# A record may belong to several institutions, with a department in each. A tally of departments within
# institutions would count each of its departments in all of its institutions, so the two are indexed
# together as one value, and counted as such.

UNITS = FacetRequest("unit", MAX_COUNTED_VALUES)


def nest_departments(institutions: FacetCounts, units: FacetCounts, *, most: int) -> FacetCounts:
    """Return institutions with their departments inside them, at most so many of each, most records first."""
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
    """Return whose department this is: a name may have the sign between the two inside it."""
    end = unit.find(UNIT_SEPARATOR)
    while end >= 0:
        if unit[:end] in names:
            return unit[:end]
        end = unit.find(UNIT_SEPARATOR, end + 1)
    return ""
