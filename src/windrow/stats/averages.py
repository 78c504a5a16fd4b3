"""Mean and median of numbers that come as counts: how often each value occurs. Exact, and pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from windrow.index.protocol import Counted


class Averages(NamedTuple):
    """How many numbers there were, and what they come to; of none there is no mean."""

    counted: int
    mean: float | None
    median: float | None


def averages_of(counted: Iterable[Counted]) -> Averages:
    """Give mean and median of the values, each taken as often as it was counted."""
    known = sorted([(int(value), count) for value, count, _ in counted])
    total = sum([count for _, count in known])
    if not total:
        return Averages(0, None, None)
    mean = sum([value * count for value, count in known]) / total
    lower, upper = _at(known, (total - 1) // 2), _at(known, total // 2)
    return Averages(total, mean, (lower + upper) / 2)


def _at(known: list[tuple[int, int]], place: int) -> int:
    """Give the value at a place in the sorted row of all, counted from 0."""
    passed = 0
    for value, count in known:
        passed += count
        if passed > place:
            return value
    return known[-1][0]
