"""Words without their endings, in Finnish, Swedish and English: so that "cars" is found by "car".

Documents and queries both pass here, after folding. A stem carries the first letter of its language, so that
a Finnish one never meets an English word. A word that is its own stem has none in a document unless it is
short: whoever looks for another form looks for the stem as a word, too (`query_words`), and short words alone
mean one thing here and another there. In a text whose language neither the record nor its words tell, a
common English word has English stems alone: else it would meet others by accident ("date" and "data" are both
"dat" in Swedish). Ranking what is found as it stands higher is the index's matter.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from itertools import chain
from threading import Lock
from typing import Protocol

import Stemmer  # type: ignore[import-not-found]

from windrow.model import joined_words
from windrow.model.endings import finished, forms_of
from windrow.model.folding import words_of
from windrow.model.irregular import STRAYS, is_short

MOST_KNOWN = 200_000  # words that are remembered with their stems, for each language
SHORTEST = 3  # letters
LONGEST = 60
SHORTEST_ITSELF = 7  # letters of a word that is looked for as a stem, too: Snowball cuts "byggnad" itself
SHORTEST_BARE = 5  # letters of a stem that is looked for as a word, too, in any language

_NAMES = {"e": "english", "f": "finnish", "s": "swedish"}
_CUTTING = "fs"  # those whose words are often cut as if they were forms of others
_CODES = {"en": "e", "eng": "e", "fi": "f", "fin": "f", "sv": "s", "swe": "s"}
# Words that tell one of the three from the others, and from their neighbours, once folded. Not "on", "for",
# "in", "den": each of these is a word of two of them, or of German.
_TELLING = {
    "e": "the of and is are was were to with from by this that how what as which their between through"
    " its into using about towards among within at",
    "f": "ja etta ovat oli olla joka jotka mita miten kuin seka tama sen voi myos tai ei mutta kanssa"
    " kuinka eli vai ettei",
    "s": "och att som av till pa med ar ett det i hur vad inte genom mellan vid fran samt deras"
    " om hos mot sig efter inom bland kring nar denna",
}
# Letters that do the same where no such word stands: endings and sounds that the two others hardly have.
_SOUNDS = {
    "e": re.compile(
        r"w|th|sh|gh|oug|[a-z]{3}(?:ity|gy|phy|ary|ory|ally|ed|ous|ive|ness|tions|ings|[^ln]ing|ical|als|ance|ence)\Z"
        r"|[a-z]{3}(?:isms?|ics|ships?|able|ible)\Z"
    ),
    "f": re.compile(
        r"aa|ii|uu|yy|[a-z]{3}(?:ssa|sta|lla|lta|lle|ksi|nen|isen|ksen|kseen|iseen|iset|kset|jen|oita|eita)\Z"
        r"|[a-z]{3}(?:oiden|eiden|minta|tusta|aus|eus|ous|telu|tely|ely|uri|ija|oja|eja)\Z"
    ),
    "s": re.compile(
        r"fj|sj|bj|gj|[a-z]{3}(?:ning|ningen|ningar|het|heten|heter|skap|skapet|iska|iskt|lig|liga|ligt)\Z"
        r"|[a-z]{3}(?:arna|erna|orna|else|elser|elsen|ande|ende|tionen|tioner|ets|ens|aren|tiden|ngen)\Z"
    ),
}
_SHORTEST_SOUNDING = 5  # letters of a word whose sounds tell
_MOST_SOUNDING = 200  # words of a text that are listened to
_TOLD = {word: letter for letter, words in _TELLING.items() for word in words.split()}
# What stands between the words that tell something, and belongs to several languages.
_BETWEEN = (
    "a an i in on for or as it be been do does did no not some any there den det en och om att on oli man"
)
_FUNCTION_WORDS = frozenset((*_TOLD, *_BETWEEN.split()))
_ANY = ""  # in place of a letter: nobody can tell which of the three it is


def stems_of(text: str, language: str | None = None) -> list[str]:
    """The stems of a text's words, each once, in their order; none in a language that is not of the three."""
    return stems_in(words_of(text), language)


def stems_in(words: Sequence[str], language: str | None = None) -> list[str]:
    """The same for words that are folded already."""
    known = stems_by_word(words, language)
    return list(dict.fromkeys(chain.from_iterable(map(known.__getitem__, words))))


def stems_by_word(words: Sequence[str], language: str | None = None) -> Mapping[str, tuple[str, ...]]:
    """From each of the words of one text to its stems there."""
    letter = _letter_of(words, language)
    return dict.fromkeys(words, ()) if letter is None else _BESIDE[letter]


def stem_text(words: Sequence[str], language: str | None = None) -> str:
    """The stems of words that are folded already, with spaces between them: the quickest way to them."""
    letter = _letter_of(words, language)
    if letter is None:
        return ""
    return " ".join(dict.fromkeys(filter(None, map(_TEXTS[letter].__getitem__, words))))


def query_stems(word: str) -> tuple[str, ...]:
    """The stems of a word that somebody looks for, in each of the languages; none of what is no one word."""
    words = words_of(word)
    if len(words) != 1:
        return ()
    found = _KNOWN[_ANY][words[0]]
    if not found or len(words[0]) < joined_words.SHORTEST:
        return found
    letters = joined_words.LETTER + (_CUTTING if len(words[0]) >= SHORTEST_ITSELF else "")
    return tuple(dict.fromkeys((*found, *(letter + words[0] for letter in letters))))


def query_words(stems: Iterable[str], word: str) -> list[str]:
    """Which of the stems of a word that somebody looks for are looked for as words, beside itself."""
    bare = {stem[1:] for stem in stems if len(stem) > SHORTEST_BARE}
    bare.discard(word)
    return sorted(bare)


def initials_of(word: str) -> frozenset[str]:
    """The letters that other forms of a word begin with, but for strays."""
    found = {word[0], *(stem[1] for stem in query_stems(word))}
    return frozenset(found | set("dt") if found & set("dt") else found)  # Finnish has a d for a t


def is_function_word(word: str) -> bool:
    """Return whether a folded word only joins others, in any of the languages: the, what, about, ja, och."""
    return word in _FUNCTION_WORDS


def is_stray(word: str) -> bool:
    """May this be a form of a word that begins with another letter?"""
    return word in STRAYS


def is_stemmed(language: str) -> bool:
    """Is this code that of a language whose endings are known?"""
    return language in _CODES or _code_of(language) in _CODES


def _letter_of(words: Sequence[str], language: str | None) -> str | None:
    """The language's letter: as declared, else as guessed; None for a language with other endings."""
    if language:
        return _CODES[language] if language in _CODES else _CODES.get(_code_of(language))
    told = Counter(filter(None, map(_TOLD.get, words))).most_common(2)
    if not told:
        return _sounding(words)
    (letter, most), second = told[0], told[1][1] if len(told) > 1 else 0
    if most >= 3 * second and most * 20 >= len(words):
        return letter
    return _sounding(words)


def _sounding(words: Sequence[str]) -> str:
    """The letter of the language that the words of a text sound like, if it is one alone."""
    if len(words) < 2:
        return _ANY
    heard = "".join(map(_HEARD.__getitem__, words[:_MOST_SOUNDING]))
    if not heard:
        return _ANY
    counts = sorted((heard.count(letter), letter) for letter in _NAMES)
    (most, letter), second = counts[-1], counts[-2][0]
    return letter if most >= 2 * second and most * 5 >= len(words) else _ANY


class _Heard(dict[str, str]):
    """The letters of the languages that each word sounds like."""

    def __missing__(self, word: str) -> str:
        if len(self) >= MOST_KNOWN:
            self.clear()
        is_long = len(word) >= _SHORTEST_SOUNDING
        found = self[word] = "".join(
            letter for letter, sound in _SOUNDS.items() if is_long and sound.search(word)
        )
        return found


_HEARD = _Heard()


def _code_of(language: str) -> str:
    return language.replace("_", "-").partition("-")[0].lower()


class _Snowball(Protocol):
    def stemWords(self, words: list[str]) -> list[str]: ...  # noqa: N802


class _Known(dict[str, tuple[str, ...]]):
    """The stems of every word that was met in one language."""

    def __init__(self, letter: str) -> None:
        super().__init__()
        self._letter = letter
        self._stemmer: _Snowball | None = None
        self._lock = Lock()  # a stemmer serves one thread at a time

    def __missing__(self, word: str) -> tuple[str, ...]:
        found: tuple[str, ...] = ()
        if word.isascii() and word.isalpha() and self._fits(word):
            found = tuple(dict.fromkeys(self._letter + stem for stem in self._stems(word)))
        if len(self) >= MOST_KNOWN:  # begun anew: what is frequent comes back at once
            self.clear()
        self[word] = found
        return found

    def _fits(self, word: str) -> bool:
        return SHORTEST <= len(word) <= LONGEST or is_short(word, self._letter)

    def _stems(self, word: str) -> Iterable[str]:
        with self._lock:
            if self._stemmer is None:
                self._stemmer = Stemmer.Stemmer(_NAMES[self._letter], 0)  # we remember more than it would
            forms = forms_of(word, self._letter)
            stems = self._stemmer.stemWords(forms)
        pairs = zip(forms, stems, strict=True)
        return [each for form, stem in pairs for each in finished(form, stem, self._letter)]


class _KnownAnywhere(dict[str, tuple[str, ...]]):
    """The stems of words that may be of any of the languages."""

    def __missing__(self, word: str) -> tuple[str, ...]:
        found = tuple(stem for letter in _NAMES for stem in _KNOWN[letter][word])
        if len(self) >= MOST_KNOWN:
            self.clear()
        self[word] = found
        return found


@cache
def _english_words() -> frozenset[str]:
    """Common English words that Finnish or Swedish endings would cut to a few letters."""
    text = files("windrow.model").joinpath("english_words.txt").read_text("ascii")
    return frozenset(word for line in text.splitlines() if not line.startswith("#") for word in line.split())


class _Beside(dict[str, tuple[str, ...]]):
    """The stems that documents have beside their words."""

    def __init__(self, letter: str) -> None:
        super().__init__()
        self._letter = letter

    def __missing__(self, word: str) -> tuple[str, ...]:
        if len(self) >= MOST_KNOWN:
            self.clear()
        found = _KNOWN[self._letter][word]
        if self._letter == _ANY and word in _english_words():
            found = tuple(stem for stem in found if stem[0] not in _CUTTING)
        if len(word) >= SHORTEST_BARE:
            found = tuple(stem for stem in found if stem[1:] != word)
        self[word] = found
        return found


class _Texts(dict[str, str]):
    """The same as one text for each word."""

    def __init__(self, letter: str) -> None:
        super().__init__()
        self._letter = letter

    def __missing__(self, word: str) -> str:
        if len(self) >= MOST_KNOWN:
            self.clear()
        found = self[word] = " ".join(_BESIDE[self._letter][word])
        return found


_KNOWN: Mapping[str, dict[str, tuple[str, ...]]] = {
    _ANY: _KnownAnywhere(),
    **{letter: _Known(letter) for letter in _NAMES},
}
_BESIDE: Mapping[str, _Beside] = {letter: _Beside(letter) for letter in _KNOWN}
_TEXTS: Mapping[str, _Texts] = {letter: _Texts(letter) for letter in _KNOWN}
