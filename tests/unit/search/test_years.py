from __future__ import annotations

from windrow.index.protocol import FacetCounts, ValueCount
from windrow.search.facets import MAX_BARS, fill_years


def series(*pairs: tuple[int, int]) -> tuple[list[tuple[str, int]], int]:
    made = fill_years(FacetCounts(tuple(ValueCount(str(year), count) for year, count in pairs), 3))
    return [(each.value, each.count) for each in made.values], made.others


def test_years_between_others_are_there_with_nothing() -> None:
    assert series((2010, 2), (2013, 1)) == ([("2010", 2), ("2011", 0), ("2012", 0), ("2013", 1)], 3)


def test_nothing_makes_no_series() -> None:
    assert series() == ([], 3)


def test_one_full_year_long_ago_does_not_hide_many_that_have_less() -> None:
    recent = [(year, 5) for year in range(1995, 2015)]
    years, others = series((1791, 27), *recent)
    assert (years[0], years[-1], others) == (("1995", 5), ("2014", 5), 3 + 27)


def test_a_year_that_is_a_mistake_is_among_the_others() -> None:
    assert series((1990, 1), (1991, 4), (9999, 1)) == ([("1990", 1), ("1991", 4)], 4)


def test_as_many_years_as_fit_in_a_row_are_shown() -> None:
    years, others = series((1900, 1), (1900 + MAX_BARS - 1, 1))
    assert (len(years), others) == (MAX_BARS, 3)
