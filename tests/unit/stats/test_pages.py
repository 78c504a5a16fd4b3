"""Page counts in classes, and averages by institution and year."""

from __future__ import annotations

import statistics
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.stats.making import SAMPLE, dated, documents, notes, population, rows
from windrow.index.protocol import ValueCount
from windrow.stats.catalogue import make_table
from windrow.stats.lengths import MAX_BINS, make_classes


@given(st.lists(st.integers(min_value=0, max_value=100_000), min_size=1, max_size=100))
def test_each_page_count_is_in_just_one_class(numbers: list[int]) -> None:
    counted = [ValueCount(str(value), count) for value, count in sorted(Counter(numbers).items())]
    classes = make_classes(counted)
    for low, high, count in classes:
        assert count == sum(low <= number and (high is None or number <= high) for number in numbers)
    assert sum(count for _, _, count in classes) == len(numbers)
    assert len(classes) <= MAX_BINS + 1


def test_a_few_very_long_ones_stand_in_an_open_class() -> None:
    counted = [*(ValueCount(str(value), 10) for value in range(20, 60)), ValueCount("9000", 1)]
    *closed, last = make_classes(counted)
    assert last == (60, None, 1)
    assert {high - low for low, high, _ in closed if high is not None} == {1}


def test_mean_and_median_are_said_and_who_has_no_pages() -> None:
    made = [dated(2020, pages=10), dated(2020, pages=20), dated(2020, pages=60), dated(2020)]
    said = notes(make_table("pages", population(documents(*made))))
    assert "Mean 30.0, median 20.0" in said
    assert "Without a page count: 1 of 4." in said


def test_averages_of_each_institution_are_exact() -> None:
    table = make_table("pages-by-institution", population())
    for name, counted, mean, median in rows(table, "institution", "counted", "mean", "median"):
        numbers = [
            entry.document.pages
            for entry in SAMPLE
            if entry.document.institution == name and entry.document.pages is not None
        ]
        assert counted == len(numbers)
        assert mean == pytest.approx(statistics.mean(numbers))
        assert median == statistics.median(numbers)


def test_a_year_without_page_counts_has_no_average() -> None:
    made = [dated(2020, pages=10), dated(2021)]
    table = make_table("pages-by-year", population(documents(*made)))
    assert rows(table, "year", "counted", "mean") == [("2020", 1, 10.0), ("2021", 0, None)]
