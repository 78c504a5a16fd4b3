"""Two institutions that took part in the same thing, as one value: what collaboration is counted by. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

_APART = "\x1e"  # whitespace to Python: no value that is counted has it inside


def partners_of(names: Iterable[str]) -> tuple[str, ...]:
    """Every two of these names as one value, which is the same in whichever order they come."""
    return tuple(map(_APART.join, combinations(sorted(names), 2)))


def names_in(partners: str) -> tuple[str, str]:
    """The two names in such a value."""
    one, _, other = partners.partition(_APART)
    return one, other
