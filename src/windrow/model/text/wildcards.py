"""Matching of patterns with `*` and `?`, and of words with a few differing letters.

Patterns are not compiled to regular expressions: a user's pattern with many stars must not cause catastrophic
backtracking on an untrusted text.
"""

from __future__ import annotations

import re
from functools import lru_cache

LONGEST_NEAR = 60  # letters; the time grows with their square, and longer words are codes, not spellings


class Pattern:
    """A compiled pattern."""

    def __init__(self, pattern: str) -> None:
        start, *rest = [_Segment(part) for part in pattern.split("*")]
        self._start = start
        self._middle = [segment for segment in rest[:-1] if segment.length]
        self._end = rest[-1] if rest else None
        self._shortest = start.length + sum(segment.length for segment in rest)

    def fits(self, text: str) -> bool:
        """Return whether the pattern matches the whole text, searching for each part once, from the left."""
        if len(text) < self._shortest or not self._start.is_at(text, 0):
            return False
        if self._end is None:
            return len(text) == self._shortest
        position, last = self._start.length, len(text) - self._end.length
        for segment in self._middle:
            found = segment.find(text, position, last)
            if found < 0:
                return False
            position = found + segment.length
        return self._end.is_at(text, last)


class _Segment:
    """The part between two stars: letters and single-letter wildcards."""

    def __init__(self, text: str) -> None:
        self.length = len(text)
        self._text = text
        self._shape: re.Pattern[str] | None = None
        if "?" in text:
            self._shape = re.compile(
                "".join("." if letter == "?" else re.escape(letter) for letter in text), re.DOTALL
            )

    def is_at(self, text: str, position: int) -> bool:
        if self._shape is None:
            return text.startswith(self._text, position)
        return self._shape.match(text, position) is not None

    def find(self, text: str, start: int, end: int) -> int:
        if self._shape is None:
            return text.find(self._text, start, end)
        found = self._shape.search(text, start, end)
        return -1 if found is None else found.start()


@lru_cache(maxsize=512)
def compile_pattern(text: str) -> Pattern:
    return Pattern(text)


def is_near(one: str, other: str, edits: int) -> bool:
    """Return whether two words differ by at most `edits` letters: wrong, missing, added or transposed."""
    if one == other:
        return True
    if abs(len(one) - len(other)) > edits or len(one) > LONGEST_NEAR:
        return False
    before: list[int] = []
    row = list(range(len(other) + 1))
    for place, letter in enumerate(one):
        low, high = max(0, place - edits), min(len(other), place + edits + 1)
        following = [edits + 1] * (len(other) + 1)
        following[0] = place + 1
        for column in range(low, high):
            is_same = letter == other[column]
            best = min(row[column] + (not is_same), row[column + 1] + 1, following[column] + 1)
            is_swap = place and column and letter == other[column - 1] and one[place - 1] == other[column]
            following[column + 1] = min(best, before[column - 1] + 1) if is_swap else best
        if min(following) > edits:
            return False
        before, row = row, following
    return row[-1] <= edits
