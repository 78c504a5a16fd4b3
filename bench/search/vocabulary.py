"""The words of the made-up corpus: thousands, used as unevenly as words are, each in one form only.

First step of the search bench; `corpus` draws from here. One form only, because Windrow finds a word in its
other forms too and plain Tantivy does not: with words that no stemmer brings together, everybody has to
find the same documents, and a difference is a mistake.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from random import Random

from windrow.model.text.folding import fold
from windrow.model.text.word_forms import query_stems

WORDS = 40_000
CONSONANTS = "bdfghklmnprstv"
VOWELS = "aeiouy"
ENDS = ("", "", "k", "m", "p", "x")
NORTHERN = str.maketrans("aou", "äöå")
NORTHERN_SHARE = 0.3  # of the words of Finnish and Swedish texts that have such a letter
HEAD = 2.7  # Zipf and Mandelbrot: the word of rank r is used about 1/(r + 2.7) as often


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Words, the most used first, with running weights as `Random.choices` is quickest with."""

    words: tuple[str, ...]
    weights: tuple[float, ...]

    def draw(self, random: Random, number: int) -> list[str]:
        """Give so many words, the common ones oftener."""
        return random.choices(self.words, cum_weights=self.weights, k=number)


def forms_of(word: str) -> set[str]:
    """Give everything that a word may be found by."""
    return {fold(word), *query_stems(word)}


def zipf(words: tuple[str, ...]) -> Vocabulary:
    """Give words of falling frequency."""
    return Vocabulary(words, tuple(accumulate(1 / (rank + HEAD) for rank in range(len(words)))))


@cache
def southern() -> Vocabulary:
    """Give the words of English texts: ASCII."""
    return zipf(_words()[0])


@cache
def northern() -> Vocabulary:
    """Give the words of Finnish and Swedish texts, some with å, ä, ö."""
    return zipf(_words()[1])


@cache
def _words() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Give two halves, of which no two words have a form or a stem in common."""
    random, taken = Random(11), set[str]()
    halves: tuple[list[str], list[str]] = ([], [])
    for number, made in enumerate(_candidates(random)):
        half = number % 2
        word = made.translate(NORTHERN) if half and random.random() < NORTHERN_SHARE else made
        forms = forms_of(word)
        if taken.isdisjoint(forms):
            taken |= forms
            halves[half].append(word)
        if min(map(len, halves)) >= WORDS // 2:
            break
    return tuple(halves[0][: WORDS // 2]), tuple(halves[1][: WORDS // 2])


def _candidates(random: Random) -> Iterator[str]:
    """Give words without end, the short ones first, as frequent words are."""
    made = 0
    while True:
        syllables = min(4, 2 + made // 3_000)
        made += 1
        parts = (random.choice(CONSONANTS) + random.choice(VOWELS) for _ in range(syllables))
        yield "".join(parts) + random.choice(ENDS)
