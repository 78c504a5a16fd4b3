"""Numbers of a clock or a calendar as people list them: 1, 2 and 5 to 9. `cadence_words` speaks with them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

_SHORTEST_RUN = 3  # numbers; "5 and 6" is shorter than "5 to 6"


def listed(words: Sequence[str]) -> str:
    """Give words as a sentence has them: a, b and c."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def step_of(values: Sequence[int]) -> int | None:
    """Give what lies between each two of at least three numbers; None where that differs."""
    if len(values) < _SHORTEST_RUN:
        return None
    steps = {second - first for first, second in pairwise(values)}
    return steps.pop() if len(steps) == 1 else None


def in_runs(values: Sequence[int], name: Callable[[int], str]) -> str:
    """Give numbers with what follows on one another drawn together: 01, 05 to 09 and 30."""
    return listed(list(_runs(values, name)))


def _runs(values: Sequence[int], name: Callable[[int], str]) -> Iterator[str]:
    first = 0
    for place in range(1, len(values) + 1):
        if place < len(values) and values[place] == values[place - 1] + 1:
            continue
        if place - first >= _SHORTEST_RUN:
            yield f"{name(values[first])} to {name(values[place - 1])}"
        else:
            yield from map(name, values[first:place])
        first = place
