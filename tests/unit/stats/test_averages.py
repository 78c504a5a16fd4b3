"""Mean and median out of counts are those of the numbers themselves."""

from __future__ import annotations

import statistics
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.index.protocol import ValueCount
from windrow.stats.population import compute_averages


@given(st.lists(st.integers(min_value=0, max_value=2000), min_size=1, max_size=200))
def test_mean_and_median_are_those_of_the_whole_list(numbers: list[int]) -> None:
    found = compute_averages(ValueCount(str(value), count) for value, count in Counter(numbers).items())
    assert found.counted == len(numbers)
    assert found.mean == pytest.approx(statistics.mean(numbers))
    assert found.median == statistics.median(numbers)


def test_of_no_numbers_there_is_no_mean() -> None:
    assert compute_averages(()) == (0, None, None)
