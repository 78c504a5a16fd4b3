"""What irregular forms are forms of: the lists of `irregular_words`, folded, by form. Part of the stems."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from windrow.model.folding import fold
from windrow.model.irregular_words import ENGLISH, FINNISH, SWEDISH

TAIL = 4  # letters

_CASES = ("n", "t", "ssa", "sta", "lla", "lta", "lle", "ksi")
_PLURAL_CASES = ("a", "en", "ta", "den", "na", "hin", *_CASES[2:])
_SWEDISH_PLURALS = ("", "s", "na", "nas")


class _Lists(NamedTuple):
    """The words of one language, from each form to what it is a form of."""

    whole: dict[str, tuple[str, ...]]
    ends: dict[str, str]  # of longer words
    tails: frozenset[str]  # the last letters of those: a quick look is enough for most words
    lengths: range  # of those
    short: frozenset[str]  # words of two letters


def bases_of(word: str, letter: str) -> Sequence[str]:
    """The words that a folded word is an irregular form of, in the language with this letter."""
    whole, ends, tails, lengths, _ = _LISTS[letter]
    if word in whole:
        return whole[word]
    if word[-TAIL:] in tails:
        for length in lengths:
            end = word[-length:]
            if end in ends:
                return (word[:-length] + ends[end],)
    return ()


def is_short(word: str, letter: str) -> bool:
    """Is this a word of two letters that has forms?"""
    return word in _LISTS[letter].short


def _read(text: str, letter: str) -> _Lists:
    whole: dict[str, tuple[str, ...]] = {}
    ends: dict[str, str] = {}
    for line in fold(text).strip().splitlines():
        word, *written = line.split()
        base = word.removeprefix("-")
        for form in [form for each in written for form in _forms(each, letter)]:
            whole[form] = tuple(dict.fromkeys((*whole.get(form, ()), base)))
            if base != word:
                ends[form] = base
    lengths = range(min(map(len, ends)), max(map(len, ends)) + 1)
    tails = frozenset(form[-TAIL:] for form in ends)
    bases = {base for found in whole.values() for base in found}
    return _Lists(whole, ends, tails, lengths, frozenset(base for base in bases if len(base) == 2))


def _forms(written: str, letter: str) -> Iterator[str]:
    """A form; or, of one with a hyphen behind it, all that it stands for."""
    stem = written.removesuffix("-")
    if stem == written:
        yield written
    elif letter == "s":
        yield from (stem + ending for ending in _SWEDISH_PLURALS)
    else:  # Finnish, where an i marks the plural
        yield from (stem + ending for ending in (_PLURAL_CASES if stem.endswith("i") else _CASES))


_LISTS = {letter: _read(text, letter) for letter, text in (("e", ENGLISH), ("f", FINNISH), ("s", SWEDISH))}
# The forms that begin with another letter than the word does: yngre, of ung.
STRAYS = frozenset(
    form
    for lists in _LISTS.values()
    for form, bases in lists.whole.items()
    for base in bases
    if form[0] != base[0]
)
