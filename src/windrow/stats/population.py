"""Populations: the records that statistics are made of, with their years and averages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import NamedTuple

from windrow.index.protocol import MAX_COUNTED_VALUES, FacetCounts, FacetRequest, Index, ValueCount
from windrow.model.controlled_values import ControlledValues
from windrow.model.document_dates import starting_year, year_label, year_of_day
from windrow.model.query import Everything, Query, Value, Word, all_of
from windrow.stats.own_tables import OwnTables
from windrow.stats.table import Origin
from windrow.store.overview import SourceOverview

# Years: which are plausible, which are missing in between, and which is not over yet.

MAX_YEARS = 60  # in a series; earlier ones are added up


class Span(NamedTuple):
    """Counts by year without gaps, and documents outside the series."""

    years: tuple[tuple[int, ValueCount | None], ...]  # ascending; None: no document
    earlier: int = 0  # documents before the first of them
    later: int = 0  # documents dated after next year: mistakes, or plans

    @property
    def total(self) -> int:
        return self.earlier + self.later + sum(found.count for _, found in self.years if found)


def make_span(counted: Iterable[ValueCount], *, this_year: int, most: int = MAX_YEARS) -> Span:
    """Return the last years up to the present, each with its count."""
    known = {year: each for each in counted if (year := starting_year(each.value)) is not None}
    plausible = [year for year in known if year <= this_year + 1]
    if not plausible:
        return Span((), later=sum(each.count for each in known.values()))
    last = max(plausible)
    first = max(min(plausible), last - most + 1)
    return Span(
        tuple((year, known.get(year)) for year in range(first, last + 1)),
        sum(each.count for year, each in known.items() if year < first),
        sum(each.count for year, each in known.items() if year > last),
    )


def format_period(counted: Iterable[ValueCount], *, this_year: int) -> str:
    """Return "2008–2014", "2010", "2008/09–2013/14" or nothing: the first to the last plausible year."""
    years = {year: each.value for each in counted if (year := starting_year(each.value)) is not None}
    plausible = [year for year in years if year <= this_year + 1]
    if not plausible:
        return ""
    first, last = years[min(plausible)], years[max(plausible)]
    return first if first == last else f"{first}–{last}"


YEARS = FacetRequest("year", MAX_COUNTED_VALUES, is_by_value=True)
FILLED = FacetRequest("filled", MAX_COUNTED_VALUES)
SOURCES = FacetRequest("source", MAX_COUNTED_VALUES)


@dataclass(frozen=True, slots=True)
class Population:
    """The documents that match a query; `origin` is their description in titles."""

    index: Index
    query: Query
    origin: Origin
    now: datetime
    institutions: tuple[str, ...] = ()  # the selected institutions; the query includes them
    # returns the origin for a selection of institutions
    origin_of: Callable[[tuple[str, ...]], Origin] | None = None
    harvests: Callable[[], Iterable[SourceOverview]] = tuple  # of the sources, looked up on demand
    own: OwnTables = field(default_factory=OwnTables)  # the owner's tables
    wants_year: Callable[[str], bool] = lambda _: True  # whether a year is selected
    types: ControlledValues | None = None  # if the configuration extends the built-in table

    @property
    def this_year(self) -> int:
        """The current year, whose figures are not complete."""
        return year_of_day(self.now.date(), self.index.year_starts)

    def year_name(self, year: int) -> str:
        """Return the name of a year: 2019, or 2019/20 if years do not begin on 1 January."""
        return year_label(year, self.index.year_starts)

    @property
    def is_everything(self) -> bool:
        """True if no document is excluded."""
        return isinstance(self.query, Everything)

    def count(self) -> int:
        return self.index.count(self.query)

    def count_with(self, field: str) -> int:
        return self.index.count(all_of((self.query, Word("*", field, is_pattern=True))))

    def count_without(self, field: str) -> int:
        """Return the number of documents without a field that most records have."""
        return self.index.count(all_of((self.query, Value(field, "missing"))))

    def tally(self, *tallies: FacetRequest) -> Sequence[FacetCounts]:
        return self.index.tally(self.query, tallies)

    def years(self) -> FacetCounts:
        """Count the documents by year: a separate query, whose cached answer all tables of a page share."""
        (counts,) = self.tally(YEARS)
        return counts

    def narrowed(self, query: Query) -> Population:
        return replace(self, query=all_of((self.query, query)))

    def period(self) -> str:
        """The period of the documents, for a title."""
        return format_period(self.years().values, this_year=self.this_year)


# Exact mean and median from counts of values.


class Averages(NamedTuple):
    """Mean and median of some numbers, and how many there are; None without any."""

    counted: int
    mean: float | None
    median: float | None


def compute_averages(counted: Iterable[ValueCount]) -> Averages:
    """Return mean and median of the values, weighted by their counts."""
    known = sorted([(int(value), count) for value, count, _ in counted])
    total = sum([count for _, count in known])
    if not total:
        return Averages(0, None, None)
    mean = sum([value * count for value, count in known]) / total
    lower, upper = _at(known, (total - 1) // 2), _at(known, total // 2)
    return Averages(total, mean, (lower + upper) / 2)


def _at(known: list[tuple[int, int]], place: int) -> int:
    """Return the value at a position (from 0) of the sorted numbers."""
    passed = 0
    for value, count in known:
        passed += count
        if passed > place:
            return value
    return known[-1][0]
