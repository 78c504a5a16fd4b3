"""Years: none is skipped, none is invented, and what does not fit is counted aside."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from windrow.index.protocol import ValueCount
from windrow.stats.population import MAX_YEARS, format_period, make_span

THIS_YEAR = 2024
YEARS = st.lists(st.integers(min_value=-500, max_value=9999), max_size=80)


def _counted(years: list[int]) -> list[ValueCount]:
    return [ValueCount(str(year), count) for year, count in sorted(Counter(years).items())]


@given(YEARS)
def test_every_document_with_a_year_is_counted_somewhere_and_once(years: list[int]) -> None:
    assert make_span(_counted(years), this_year=THIS_YEAR).total == len(years)


@given(YEARS)
def test_the_years_shown_follow_one_another_and_are_not_too_many(years: list[int]) -> None:
    shown = [year for year, _ in make_span(_counted(years), this_year=THIS_YEAR).years]
    assert shown == list(range(shown[0], shown[-1] + 1)) if shown else True
    assert len(shown) <= MAX_YEARS


def test_a_year_without_documents_stands_between_its_neighbours() -> None:
    found = make_span(_counted([2010, 2012]), this_year=THIS_YEAR)
    assert [(year, each.count if each else 0) for year, each in found.years] == [
        (2010, 1),
        (2011, 0),
        (2012, 1),
    ]


def test_years_that_nobody_lives_in_are_counted_aside() -> None:
    found = make_span(_counted([2020, 2020, 9999]), this_year=THIS_YEAR)
    assert [year for year, _ in found.years] == [2020]
    assert found.later == 1


def test_a_period_is_from_the_first_to_the_last_year_that_can_be() -> None:
    assert format_period(_counted([2008, 2014, 9999]), this_year=THIS_YEAR) == "2008–2014"
    assert format_period(_counted([2008]), this_year=THIS_YEAR) == "2008"
    assert format_period(_counted([9999]), this_year=THIS_YEAR) == ""
