"""Years as they are counted: which are plausible, which are missing between others, which is not over yet."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from windrow.index.protocol import Counted
from windrow.model.academic_years import first_year

MOST_YEARS = 60  # in a row; what is before them is added up


class Span(NamedTuple):
    """Counts by year without gaps, and what does not fit on an axis of years."""

    years: tuple[tuple[int, Counted | None], ...]  # ascending; None: no document
    earlier: int = 0  # documents before the first of them
    later: int = 0  # documents dated after next year: mistakes, or plans

    @property
    def total(self) -> int:
        """All documents with a year."""
        return self.earlier + self.later + sum(found.count for _, found in self.years if found)


def span_of(counted: Iterable[Counted], *, this_year: int, most: int = MOST_YEARS) -> Span:
    """Give the last years up to the present, each with its count."""
    known = {year: each for each in counted if (year := first_year(each.value)) is not None}
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


def period_of(counted: Iterable[Counted], *, this_year: int) -> str:
    """Give "2008–2014", "2010", "2008/09–2013/14" or nothing, from the first to the last plausible year."""
    years = {year: each.value for each in counted if (year := first_year(each.value)) is not None}
    plausible = [year for year in years if year <= this_year + 1]
    if not plausible:
        return ""
    first, last = years[min(plausible)], years[max(plausible)]
    return first if first == last else f"{first}–{last}"
