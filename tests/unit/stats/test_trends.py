"""Trending topics: the arithmetic, the periods, and what is too small to tell."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.stats.making import dated, documents, notes, population, rows
from windrow.model.document import Document
from windrow.stats.catalogue import make_table
from windrow.stats.time_series import MIN_DOCUMENTS, Periods, Sizes, choose_periods

SIZES = st.integers(min_value=1, max_value=10_000)


def test_the_last_full_years_are_compared_with_as_many_before() -> None:
    assert choose_periods(range(2000, 2025), this_year=2024) == Periods((2018, 2020), (2021, 2023))


def test_where_there_are_fewer_years_fewer_are_compared() -> None:
    assert choose_periods([2020, 2021, 2022], this_year=2024) == Periods((2021, 2021), (2022, 2022))
    assert choose_periods([2022], this_year=2024) is None
    assert choose_periods([2024], this_year=2024) is None


def test_old_records_are_compared_among_themselves() -> None:
    assert choose_periods(range(2008, 2015), this_year=2024) == Periods((2009, 2011), (2012, 2014))


@given(SIZES, SIZES, st.integers(min_value=0, max_value=50))
def test_the_same_share_before_and_after_is_no_change(before: int, recent: int, times: int) -> None:
    assert Sizes(before, recent).ratio(before * times, recent * times) == pytest.approx(1.0)


@given(SIZES, SIZES, st.integers(min_value=0, max_value=100), st.integers(min_value=0, max_value=100))
def test_more_recent_documents_never_mean_a_smaller_change(
    before: int, recent: int, one: int, other: int
) -> None:
    sizes = Sizes(before, recent)
    low, high = sorted((one, other))
    assert sizes.ratio(one, low) <= sizes.ratio(one, high)


def _library() -> list[Document]:
    """Two periods of a hundred each, in which one subject rises, one falls, one stays and one is rare."""
    made = []
    for year, rising, falling in ((2020, 10, 40), (2023, 40, 10)):
        for place in range(100):
            subjects = ["always"] if place < 50 else []
            subjects += ["rising"] if place < rising else []
            subjects += ["falling"] if place < falling else []
            made.append(dated(year, *subjects))
    return [*made, *(dated(2022, "rare") for _ in range(3)), dated(2021)]


def test_what_rose_comes_first_and_what_fell_last() -> None:
    table = make_table("trends", population(documents(*_library())))
    found = rows(table, "subject", "before", "recent")
    assert found == [("rising", 10, 40), ("falling", 40, 10)]
    ratios = [ratio for (ratio,) in rows(table, "ratio")]
    more = 5 / 2
    sizes = (101, 103)  # the rare ones are of the later period
    before, recent = 5 * sizes[0] / sum(sizes), 5 * sizes[1] / sum(sizes)
    assert ratios[0] == pytest.approx(((40 + recent) / sizes[1]) / ((10 + before) / sizes[0]))
    assert before + recent == pytest.approx(2 * more)


def test_the_page_reckons_one_example_with_the_numbers_of_the_table() -> None:
    said = notes(make_table("trends", population(documents(*_library()))))
    assert "An example: rising has 40 records in 2022–2023 and 10 in 2020–2021." in said
    assert "fewer than 5 records" in said


def _summary(*made: Document) -> str:
    return str(make_table("trends", population(documents(*made))).summary)


def _of_two_years(before: int, recent: int) -> list[Document]:
    """Fifty documents of each of two years, so many of which are of hay and half as many of oats."""
    return [
        dated(year, *["hay"] * (place < count), *["oats"] * (place < (10 + count) // 2))
        for year, count in ((2022, before), (2023, recent))
        for place in range(50)
    ]


def test_the_summary_names_what_rose_most() -> None:
    assert _summary(*_of_two_years(10, 40)) == "hay rose most between 2022 and 2023."


def test_where_nothing_rose_the_summary_names_what_fell_most() -> None:
    said = _summary(*_of_two_years(40, 10))
    assert said == "No subject rose much between 2022 and 2023; hay fell most."


def test_where_nothing_changed_the_summary_says_so() -> None:
    assert _summary(*_of_two_years(20, 20)) == "No subject changed much between 2022 and 2023."


def test_a_year_that_is_not_over_is_left_out() -> None:
    made = [*_library(), *(dated(2024, "falling") for _ in range(100))]
    table = make_table("trends", population(documents(*made)))
    assert ("falling", 40, 10) in rows(table, "subject", "before", "recent")


def test_a_subject_that_is_rare_in_one_period_is_counted_there_all_the_same() -> None:
    """Only so many of the most used of each period are looked at; a rare one need not be absent."""
    common = [f"c{place:04}" for place in range(1100)]
    filler = [dated(2020, *common[place : place + 50]) for place in range(0, 1100, 50) for _ in range(2)]
    made = [*filler, dated(2020, "zebra"), *(dated(2023, "zebra") for _ in range(30))]
    table = make_table("trends", population(documents(*made)))
    assert ("zebra", 1, 30) in rows(table, "subject", "before", "recent")


def test_a_subject_of_which_little_is_left_has_fallen() -> None:
    """It is frequent enough only with what is left, which is not among the most used."""
    common = [f"c{place:04}" for place in range(1100)]
    filler = [dated(2023, *common[place : place + 50]) for place in range(0, 1100, 50) for _ in range(2)]
    made = [*filler, dated(2023, "zebra"), *(dated(2020, "zebra") for _ in range(MIN_DOCUMENTS - 1))]
    table = make_table("trends", population(documents(*made)))
    assert ("zebra", MIN_DOCUMENTS - 1, 1) in rows(table, "subject", "before", "recent")


def test_more_subjects_are_looked_at_where_the_first_ones_are_not_all_that_count() -> None:
    common = [f"c{place:04}" for place in range(600)]
    parts = [common[place : place + 50] for place in range(0, 600, 50)]
    filler = [dated(year, *part) for part in parts for year in (2020, 2023) for _ in range(6)]
    made = [*filler, dated(2023, "zebra"), *(dated(2020, "zebra") for _ in range(5))]
    table = make_table("trends", population(documents(*made)))
    assert rows(table, "subject", "before", "recent") == [("zebra", 5, 1)]


def test_one_year_alone_gives_a_reason_instead_of_rows() -> None:
    table = make_table("trends", population(documents(dated(2020, "hay"))))
    assert table.rows == ()
    assert notes(table) == "There are not two full years to compare."
