"""Values that many documents share, worked out once: a hot path's memory.

Institutions, departments, types, subjects, names, events: a library of a million records has some hundred
thousand of them, and each comes again and again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

from windrow.index.layout import CORE_FIELDS, CORE_LETTER, SLOT_LETTERS, STEM_LETTERS, STEM_PLACES
from windrow.index.tokens import event_token, fact_token
from windrow.model.document import Event
from windrow.model.folding import words_of
from windrow.model.initials import initial_of
from windrow.model.initials import title_initial as _title_initial
from windrow.model.stems import stems_in

MOST_KEPT = 100_000  # of each kind; then begun anew: what is frequent comes back at once
LONGEST_KEPT = 100  # letters; longer values seldom come again

_CORE_LETTERS = "".join(STEM_PLACES.get(name, "") for name in CORE_FIELDS)
_LETTERS = {name: letter + CORE_LETTER * (letter in _CORE_LETTERS) for name, letter in STEM_LETTERS.items()}

K = TypeVar("K")
V = TypeVar("V")


class Memory(dict[K, V], Generic[K, V]):
    """Remembers what a function gives. For threads as they are: two may work the same out."""

    def __init__(self, make: Callable[[K], V], most: int = MOST_KEPT) -> None:
        super().__init__()
        self._make = make
        self._most = most

    def __missing__(self, key: K) -> V:
        made = self._make(key)
        if len(self) >= self._most:
            self.clear()
        self[key] = made
        return made


def words(value: str) -> str:
    """The words of a value, folded, with spaces between them."""
    return _WORDS[value] if len(value) <= LONGEST_KEPT else _words(value)


def stems(field: str, folded: str, language: str | None) -> str:
    """The stems of words that `words` gave, each with letters before it that say where they stand."""
    key = (field, folded, language)
    return _STEMS[key] if len(folded) <= LONGEST_KEPT else lettered(key)


def tokens(counted: Iterable[str]) -> list[str]:
    """The terms for what is counted."""
    return list(map(_TOKENS.__getitem__, counted))


def initials(counted: Iterable[str]) -> list[int]:
    """The first letters of such terms, each once and as a number: nobody looks for them, they are counted."""
    return list(set(map(_INITIALS.__getitem__, counted)))


def title_initial(folded: str) -> list[str]:
    """The term for the letter that a title is listed under."""
    return _TITLE_INITIALS[_title_initial(folded)]


def event(happening: Event) -> str:
    """An event as a row of terms, one for each slot."""
    return _EVENTS[happening]


def lettered(key: tuple[str, str, str | None]) -> str:
    """The same for a value that is not to be remembered, given as field, words and language."""
    field, folded, language = key
    found = stems_in(folded.split(" "), language)
    return " ".join([letter + stem for letter in _LETTERS[field] for stem in found])


def _words(value: str) -> str:
    return " ".join(words_of(value))


def _slots(happening: Event) -> str:
    return " ".join(
        event_token(letter, getattr(happening, slot) or "") for slot, letter in SLOT_LETTERS.items()
    )


_WORDS: Memory[str, str] = Memory(_words)
_STEMS: Memory[tuple[str, str, str | None], str] = Memory(lettered)
_TOKENS: Memory[str, str] = Memory(fact_token)
_INITIALS: Memory[str, int] = Memory(lambda token: ord(initial_of(token)))
_TITLE_INITIALS: Memory[str, list[str]] = Memory(lambda letter: [fact_token(letter)])
_EVENTS: Memory[Event, str] = Memory(_slots)
