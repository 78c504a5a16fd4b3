"""Values that many documents share, worked out once: a hot path's memory.

Subjects, keywords, events: a library of a million records has some hundred thousand of them, and each comes
again and again. Names and titles are not remembered: most come once, and would only drive out what is
frequent.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from sys import intern
from typing import Generic, NamedTuple, TypeVar

from windrow.config.appearance import EVENT_FACETS
from windrow.index.layout import CORE_FIELDS, CORE_LETTER, SLOT_LETTERS, STEM_LETTERS, STEM_PLACES
from windrow.index.tokens import event_token, fact_token
from windrow.model.document import Event
from windrow.model.document_view import is_text
from windrow.model.facts import fact
from windrow.model.folding import spaced_words, words_of
from windrow.model.initials import initial_of
from windrow.model.joined_words import joined_stems
from windrow.model.stems import stems_in

MOST_KEPT = 100_000  # of each kind; then begun anew: what is frequent comes back at once
LONGEST_KEPT = 100  # letters; longer values seldom come again
MOST_LANGUAGES = 10  # that values are remembered in: hardly any of them says which it is

_CORE_LETTERS = "".join(STEM_PLACES.get(name, "") for name in CORE_FIELDS)
_LETTERS = {name: letter + CORE_LETTER * (letter in _CORE_LETTERS) for name, letter in STEM_LETTERS.items()}

K = TypeVar("K")
V = TypeVar("V")
Spoken = tuple[str, str | None]  # a value and its language


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


class Topic(NamedTuple):
    """All that becomes of a subject or a keyword: found with one look, as they are rarely close at hand."""

    fact: str  # as it is counted
    token: str  # the term for that; nothing for what is not counted
    initial: int
    words: str
    stems: str


def initials(tokens: Iterable[str]) -> list[int]:
    """The first letters of terms, each once and as a number: nobody looks for them, they are counted."""
    return list({ord(initial_of(token)) for token in tokens})


def title_initial(key: str) -> list[str]:
    """The term for the letter that a title is listed under, by the key that puts it in order."""
    return _TITLE_INITIALS[initial_of(key)]


def lettered(field: str, value: str, words: Sequence[str], language: str | None) -> str:
    """The stems of a value's words, each with letters before it that say where they stand."""
    found = dict.fromkeys((*stems_in(words, language), *joined_stems(value)))
    return " ".join([letter + stem for letter in _LETTERS[field] for stem in found])


def _topic(field: str, language: str | None, value: str) -> Topic:
    counted, words = fact(value), words_of(value)
    token = fact_token(counted)
    return Topic(counted, token, _initial(token), " ".join(words), lettered(field, value, words, language))


class _Short(Memory[str, V]):
    """What becomes of values; of long ones it is made and forgotten."""

    def __missing__(self, value: str) -> V:
        return super().__missing__(value) if len(value) <= LONGEST_KEPT else self._make(value)


def _initial(token: str) -> int:
    return ord(initial_of(token))


def _note_words(value: str) -> str | None:
    """Return the words of a note; None for a value that is no text."""
    return spaced_words(value) if is_text(value) else None


class Happening(NamedTuple):
    """All that becomes of an event."""

    slots: str  # a row of terms, one for each slot
    tokens: tuple[str, ...]  # the terms that it is counted by, in the order of EVENT_FACETS; "" for none


def _happening(event: Event) -> Happening:
    slots = (event_token(letter, getattr(event, slot) or "") for slot, letter in SLOT_LETTERS.items())
    counted = (fact(getattr(event, _EVENT_VALUES.get(name, name)) or "") for name in EVENT_FACETS)
    # Interned: events share their few terms, which are then compared by their address alone.
    return Happening(" ".join(slots), tuple(intern(fact_token(value)) if value else "" for value in counted))


_EVENT_VALUES = {"event_language": "language"}


def _spoken(field: str) -> Memory[str | None, Memory[str, Topic]]:
    return Memory(lambda language: _Short(partial(_topic, field, language)), MOST_LANGUAGES)


# By language and value.
SUBJECTS, KEYWORDS = _spoken("subject"), _spoken("keyword")
_TITLE_INITIALS: Memory[str, list[str]] = Memory(lambda letter: [fact_token(letter)])
EVENTS: Memory[Event, Happening] = Memory(_happening)
NOTES: Memory[str, str | None] = _Short(_note_words)  # places, labels of links
