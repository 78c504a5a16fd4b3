"""What was wrong with a query, said so that the person can put it right. No mistake ends a search."""

from __future__ import annotations

from dataclasses import dataclass

LEFT_OUT = "it was left out"  # beside other words, of what means nothing: "hay §"
FINDS_NOTHING = "it finds nothing"  # of a condition that cannot be understood: `year:soon`
MOST_MISTAKES = 20  # told; the rest of a text with more is treated the same way, in silence


@dataclass(frozen=True, slots=True)
class Mistake:
    """One thing that could not be meant so: where, what, and what was done about it."""

    position: int  # counted in characters from 0
    message: str
    done: str

    @property
    def finds_nothing(self) -> bool:
        """Whether a condition was not understood, and nothing is found that it must be true of."""
        return self.done == FINDS_NOTHING

    def __str__(self) -> str:
        return f"at character {self.position + 1}: {self.message}; {self.done}"

    @property
    def sentence(self) -> str:
        """The same to stand by itself; what it quotes keeps its capitals."""
        return f"{str(self).replace('at', 'At', 1)}."


class Mistakes:
    """The mistakes found so far in one text."""

    def __init__(self) -> None:
        self._found: list[Mistake] = []

    @property
    def is_full(self) -> bool:
        """Will no more be noted?"""
        return len(self._found) >= MOST_MISTAKES

    def add(self, position: int, message: str, done: str) -> None:
        """Note one; the same twice is one."""
        mistake = Mistake(position, message, done)
        if not self.is_full and mistake not in self._found:
            self._found.append(mistake)

    def in_order(self) -> tuple[Mistake, ...]:
        """Give them as they stand in the text."""
        return tuple(sorted(self._found, key=lambda mistake: mistake.position))
