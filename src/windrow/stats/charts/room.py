"""How much room names need in a drawing, at most: so that Vega need not measure what is short anyway. Pure.

To compare every name with a limit, Vega measures each several times, which is half of the work of drawing.
"""

from __future__ import annotations

from collections.abc import Iterable

_NARROW = frozenset(" !'(),-./:;I[]fijlrt|")
_BROAD = frozenset("%@MWmwæœÆŒ")
_LAST_LATIN = "\u024f"


def limit_of(names: Iterable[str], limit: int, *, size: int) -> int:
    """Give the limit in pixels where a name in letters of this size may be longer; 0, for none, else."""
    return limit if any(_width(name) * size > limit for name in names) else 0


def longest_of(names: Iterable[str], limit: int, *, size: int) -> float:
    """Give the pixels that the longest of these names takes at most, where none is longer than the limit."""
    return min(limit, max((_width(name) * size for name in names), default=0))


def _width(name: str) -> float:
    return sum(map(_letter_width, name))


def _letter_width(letter: str) -> float:
    """How wide a letter of a sans serif is at most, in parts of its size."""
    if letter in _NARROW:
        return 0.34
    if letter in _BROAD or letter > _LAST_LATIN:
        return 1.02
    return 0.62 if letter.islower() or letter.isdecimal() else 0.82
