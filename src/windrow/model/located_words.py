"""The words of a text, folded, and where each stands in the text as it is: for marking what was found."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

from windrow.model.folding import SINGLE, find_words, fold, fold_in_place, parted, signed_words

# Between spaces and the signs that never are part of a word: what is folded together.
_STRETCH = re.compile(r"[^\s!-/:-@\[-`{-~]++")


LONGEST_KEPT = 60  # letters of a stretch whose folding is remembered


class LocatedWord(NamedTuple):
    """A folded word and its place: from the first letter to behind the last."""

    word: str
    start: int
    end: int


def located_words(text: str) -> list[LocatedWord]:
    """The words of a text in their order, as `words_of` gives them."""
    found: list[LocatedWord] = []
    for stretch in _STRETCH.finditer(text):
        folded = _folded(stretch[0]) if stretch.end() - stretch.start() <= LONGEST_KEPT else fold(stretch[0])
        if folded.isalnum() and (
            folded.isascii() or not SINGLE.search(folded)
        ):  # nearly always it is one word
            found.append(LocatedWord(folded, *stretch.span()))
        else:
            found += _in_stretch(stretch[0], stretch.start())
    signed = [LocatedWord(*each) for each in signed_words(text)]
    return _with_signed(found, signed) if signed else found


def _with_signed(found: list[LocatedWord], signed: list[LocatedWord]) -> list[LocatedWord]:
    """The words with those that have a sign in them in the place of what was found there."""
    taken = {place for each in signed for place in range(each.start, each.end)}
    kept = [each for each in found if each.start not in taken]
    return sorted([*kept, *signed], key=lambda each: each.start)


def places_of(words: Set[str], text: str) -> list[tuple[int, int]]:
    """Where one of these folded words stands in a text: what `located_words` gives, only sooner."""
    quick = fold_in_place(text)
    if quick is None:
        return [(found.start, found.end) for found in located_words(text) if found.word in words]
    return [found.span() for found in find_words(quick) if found[0] in words]


def _in_stretch(stretch: str, offset: int) -> Iterator[LocatedWord]:
    """The words in a stretch that has other signs in it, too."""
    letters = [_folded(letter) for letter in parted(stretch)]  # one may become two, or none
    ends = list(accumulate(map(len, letters)))
    places = [place for place, letter in enumerate(letters) for _ in letter]
    for found in find_words("".join(letters)):
        end = places[found.end() - 1] + 1
        while end < len(ends) and ends[end] == ends[end - 1]:  # accents that stand behind their letter
            end += 1
        yield LocatedWord(found[0], offset + places[found.start()], offset + end)


@lru_cache(maxsize=30_000)
def _folded(text: str) -> str:
    return fold(text)
