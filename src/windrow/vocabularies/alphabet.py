"""The names of concepts from A to Z, letter by letter, in the order of the reader's language."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from windrow.model.collation import Collation, collation
from windrow.model.folding import fold
from windrow.model.initials import OTHER
from windrow.vocabularies.view import Named, VocabularyView

MOST_LETTERS = 100
MOST_OF_LETTER = 20_000  # names that are sorted
_AT_ONCE = 1_000
_LAST = "\U0010ffff"


class Letter(NamedTuple):
    """The names under one letter. Not whole where there are more than can be sorted."""

    letter: str
    names: tuple[Named, ...]
    is_whole: bool


def letters_of(view: VocabularyView, language: str, reader: str) -> list[str]:
    """Return the letters that preferred labels in a language begin with, in the order of the reader's.

    What begins with no letter is under "#".
    """
    order = collation(reader)
    found: set[str] = set()
    for folded in _initials(view, language):
        if not folded.isalpha():
            found.add(OTHER)
        elif _own(order, folded):
            names = _names(view, language, folded, MOST_OF_LETTER)
            found.update(order.initial(each.text) for each in names)
        else:
            found.add(order.initial(folded))
        if len(found) >= MOST_LETTERS:
            break
    return sorted(found, key=order.place)


def names_under(view: VocabularyView, language: str, reader: str, letter: str) -> Letter:
    """Return the names under a letter, in the order of the reader's language."""
    order = collation(reader)
    wanted = OTHER if letter.strip() == OTHER else order.letter(letter)
    if wanted == OTHER:
        starts = [each for each in _initials(view, language) if not each.isalpha()]
    else:
        starts = [fold(wanted)[:1]]
    found: list[Named] = []
    for start in starts if wanted else ():
        found += _names(view, language, start, MOST_OF_LETTER + 1 - len(found))
    is_whole = len(found) <= MOST_OF_LETTER
    kept = [each for each in found[:MOST_OF_LETTER] if order.initial(each.text) == wanted]
    kept.sort(key=lambda each: (order.key(each.text), each.text, each.uri))
    return Letter(wanted, tuple(kept), is_whole)


def _own(order: Collation, folded: str) -> bool:
    """Return whether the language lists a letter of its own that is folded to this one."""
    return any(fold(letter)[:1] == folded for letter in order.signs.values())


def _initials(view: VocabularyView, language: str) -> Iterator[str]:
    """Yield the first signs of the names, folded, each once; MOST_LETTERS of them at most."""
    after = Named("", "")
    for _ in range(MOST_LETTERS):
        page = view.listed(language, after=after, limit=1)
        if not page:
            return
        yield page[0].key[:1]
        after = Named(_LAST, "", "", page[0].key[:1] + _LAST)


def _names(view: VocabularyView, language: str, start: str, most: int) -> list[Named]:
    found: list[Named] = []
    while len(found) < most:
        page = view.listed(language, prefix=start, after=found[-1] if found else None, limit=_AT_ONCE)
        found += page
        if len(page) < _AT_ONCE:
            break
    return found[:most]
