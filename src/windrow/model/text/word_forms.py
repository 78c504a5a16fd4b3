"""Stemming for Finnish, Swedish and English, so that "car" finds "cars".

It is applied to documents and queries after folding. A stem begins with the letter of its language, so that a
Finnish stem never matches an English word. In a document, a word that is its own stem gets no separate stem
unless it is short: a query for another form also searches for the stem as a word (`query_words`), and short
words alone have different meanings in different languages. If neither the record nor its words reveal the
language of a text, a common English word gets English stems only, which avoids accidental matches ("date" and
"data" are both "dat" in Swedish). Ranking exact matches higher is left to the index.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files
from itertools import chain, pairwise
from string import ascii_lowercase
from threading import Lock
from typing import NamedTuple, Protocol

import Stemmer  # type: ignore[import-not-found]

from windrow.model.query import Query, Word, any_of
from windrow.model.text.folding import folded_words
from windrow.model.text.irregular_forms import STRAYS, irregular_base_forms, is_short_word

# British and American spellings of English words: colour and color, analyse and analyze. One of the two words
# also gets the stem of the other: the one whose own stem matches fewer unrelated words (that of
# "organization" is "organ").

_OUR = "armo|behavio|colo|endeavo|favo|flavo|harbo|hono|humo|labo|neighbo|odo|rigo|rumo|savo|tumo|vapo|vigo"
_VERBAL = "e|ed|er|ers|es|ing"
_AE = "arch|encyclop|gyn|leuk|medi(?=aeval)|orthop|pal|p(?=aedi)|h(?=aem[ao])|an(?=ae[ms])"
# The letters that a word must contain for the rule to be tried, and the rule.
_RULES = [
    ("our", re.compile(rf"\A((?:dis|un|multi|bio)?(?:{_OUR}))ur"), r"\1r"),  # colour, color
    ("re", re.compile(r"(cent|theat|fib|met|lit)re(?=[ds]?\Z)"), r"\1er"),  # centre, center
    ("iz", re.compile(rf"(?<=\w{{3}}i)z(?=(?:{_VERBAL}|ations?|ational)\Z)"), "s"),  # organize, organise
    ("lyz", re.compile(rf"(?<=ly)z(?=(?:{_VERBAL})\Z)"), "s"),  # analyze, analyse
    ("ae", re.compile(rf"({_AE})ae"), r"\1e"),  # archaeology, archeology
]


def other_spellings(word: str) -> list[str]:
    found = []
    for part, pattern, other in _RULES:
        if part in word:
            spelled = pattern.sub(other, word, count=1)
            if spelled != word:
                found.append(spelled)
    return found


# Additions to Snowball, which leaves some forms of one word apart, in Finnish above all. Rules add another
# form to be stemmed beside the word itself, or finish a stem. They remove nothing, so that a rule that is
# wrong for a word only costs a term. All letters here are folded.

_WEAK = r"(?:n|t|ssa|sta|lla|lta|lle|ksi)\Z"  # cases that weaken a consonant before them
_PLURALS = "issa|ista|ille|illa|ilta|ihin|iksi|ina"  # of cases, behind a vowel
_SYNCOPATED = "ar|arna|arnas|er|erna|ernas|en|ens|et|ets"  # Swedish, behind a lost e


class _Rule(NamedTuple):
    """A rule for another form of a word, tried if the word ends in one of these letters and matches."""

    last: str
    pattern: re.Pattern[str]
    other: str


def _rule(last: str, pattern: str, other: str) -> _Rule:
    return _Rule(last, re.compile(pattern), other)


_FORMS = {
    "f": [
        _rule("n", r"(?<=\w{2})nen\Z", "sen"),  # oppiminen, oppimisen
        _rule("an", r"(?<=\w{2}[aeiouy]s)(?:ta|ten)\Z", ""),  # tutkimusta, yritysten
        _rule("ant", r"(?<=\w{3}i)nn(?=[ao])", "nt"),  # toiminnan, toimintaa
        _rule("a", r"(?<=\w{3}int)a\Z", "an"),  # toiminta, toimintaa
        _rule("aent", r"(?<=\w[aiou])nn(?=[ou])", "nt"),  # luonnon, luonto
        _rule("aent", r"(?<=\w[eo])ll(?=o)", "lt"),  # pellon, pelto
        _rule("i", r"(?<=ps)i\Z", "en"),  # lapsi, lapsen
        _rule("an", r"\Alas(?:ta|ten)\Z", "lapsen"),
        _rule("ain", r"(?<=\w[aeouy])si(?:\Z|(?=(?:en|a|na|ssa|sta|in)\Z))", "te"),  # vesi, veden
        _rule("a", r"(?<=\w[aouy])tta\Z|(?<=\Ave)tta\Z", "den"),  # vuotta, vuoden
        _rule("n", r"(?<=\w{2}[lnr])ten\Z", "ien"),  # kielten, kielien
        _rule("a", r"(?<=(?:ie|uo|yo|uu|aa)[lnr])ta\Z|(?<=\Amer)ta\Z", "en"),  # kieltä, kielen
        _rule("s", r"(?<=\w{2}[^kpt]a)s\Z", "an"),  # potilas, potilaan
        _rule("s", r"(?<=\w)([kpt])as\Z", r"\1\1aan"),  # asiakas, asiakkaan
        _rule("e", r"(?<=\w{2})([kpt])e\Z", r"\1\1een"),  # tavoite, tavoitteen
        _rule("e", r"(?<=\w[au]r)ve\Z", "peen"),  # tarve, tarpeen
        _rule("n", r"(?<=\w)(a|el|[aiouy]t|st)in\Z", r"\1imen"),  # puhelin, puhelimen
        _rule("an", r"(?<=\w[aei])n(?:ta|ten)\Z", "men"),  # puhelinta, puhelimen
        _rule("aein", rf"(?<=\w{{2}})o(?:ja|jen|ita|iden|{_PLURALS})\Z", "aa"),  # matkoja, matkaa
        _rule("aein", rf"(?<=\w{{2}})e(?:ja|{_PLURALS})\Z", "in"),  # kasveja, kasvin
        _rule("aent", r"(?<=\w[inr])ki(?=(?:n|t|ssa|sta|lla|lle)\Z)", "kki"),  # pankin, pankki
        _rule("aeint", rf"(?<=\w)mm(?=[aeouy]{_WEAK})", "mp"),  # vanhemman, vanhempi; lammen, lampi
        _rule("aeint", rf"(?<=\w{{2}})rr(?=[aou]{_WEAK})", "rt"),  # siirron, siirto
        _rule("aeint", rf"(?<=\w[aeiouylr])v(?=[aouy]{_WEAK})", "p"),  # tavan, tapa
        _rule("aeint", rf"(?<=u)v(?=u{_WEAK})|(?<=y)v(?=y{_WEAK})", "k"),  # luvun, luku
        _rule(
            "aeint", rf"\A([^aeiouy]{{0,2}}[aeiouy][aeiouylnr]?)([kpt])a(?={_WEAK})", r"\1\2\2a"
        ),  # kaupan, kauppa
        _rule("t", r"(?<=\w)([kp])it\Z", r"\1\1i"),  # opit, oppi
        _rule("a", r"\A(\w{1,3}[hlr]t)a\Z", r"\1aa"),  # ilta, iltaa
        _rule("a", r"(?<=\w{3}e)a\Z", "an"),  # tärkeä, tärkeän
        _rule("n", r"(?<=[hln][kt])aan\Z", "aat"),  # puhtaan, puhtaat
        _rule("n", r"(?<=\w[lnr])han\Z", "haa"),  # vanhan, vanhaa
        _rule("s", r"(?<=\w)mmas\Z", "mpaan"),  # hammas, hampaan
        _rule("s", r"(?<=\wr)vas\Z", "paan"),  # varvas, varpaan
        _rule("i", r"(?<=\w{2}mp)i\Z", "an"),
        _rule("i", r"(?<=\w{2}ts)i\Z", "in"),  # ruotsi, ruotsin
        _rule("aen", r"\A(\w{3,4})i(?:a|en|lle|lla|ssa|sta)\Z", r"\1a"),  # hyviä, hyvä
        _rule("a", r"\A(\w{3,4}i)a\Z|(?<=\w[fg]i)a\Z|(?<=\w[eo]mi)a\Z", r"\1an"),  # media, strategia
        _rule(
            "aeint",
            r"(?<=\A\w(?:yo|uo|ie|aa|uu|yy|ee))(?:n|t|na|ta|ssa|sta|lla|lta|lle|ksi|h[aeiou]n)\Z",
            "",
        ),  # työn, tiellä, maahan
        _rule("aen", r"(?<=t)oi(?:den|ta|ssa|hin|lla|lle)\Z", "yo"),  # töiden, työ
    ],
    "s": [
        _rule("ns", r"(?<=\w{3}a)ns?\Z", ""),  # skolan
        _rule("as", r"(?<=\w{3}en)as?\Z", ""),  # arbetena
        _rule("ts", r"(?<=\w{4})ets?\Z", ""),  # barnet
        _rule("s", r"(?<=\w{3}r)s\Z", ""),  # patienters
        _rule("s", r"(?<=\w{3}are)s\Z", ""),  # lärares
        _rule("rt", r"(?<=\w{3}bar)t?\Z", "a"),  # hållbar, hållbart, hållbara
        _rule("t", r"(?<=\w{3}iv)t\Z", ""),  # effektivt
        _rule("s", r"(?<=\w{2}[ty])s\Z", "sen"),  # analys, analysen
        _rule("n", r"(?<=\w{2}[dfgmr]i)n\Z", ""),  # teorin
        _rule("anr", r"(?<=[ls]jo)(?:n|ar|arna)\Z", ""),  # miljön, sjöar
        _rule(
            "anrst", rf"(?<=\w[bdfgkmnpst])l(?:a|{_SYNCOPATED})\Z", "el"
        ),  # artiklar, artikel; enkla, enkel
        _rule("anrst", rf"(?<=\w[bdfgkpst])r(?:{_SYNCOPATED})\Z", "er"),  # fönstret, fönster
        _rule("nst", r"(?<=\w[bdfgkmnpst]el)[nt]s?\Z", ""),  # artikeln, enkelt
    ],
    "e": [
        _rule("s", r"(?<=\w{3}ys)es\Z", "is"),  # analyses, analysis
    ],
}
# The rules by a word's last letter.
_FITTING = {
    letter: {last: [rule for rule in rules if last in rule.last] for last in ascii_lowercase}
    for letter, rules in _FORMS.items()
}
_ENDS = {
    "f": [
        (re.compile(r"(?<=[aeiouy])ks\Z"), "s"),  # tutkimukse-n
        (re.compile(r"(?<=is)e\Z"), ""),  # naise-n
        (re.compile(r"(?<=uu|yy|ey|eu)[dt]\Z"), "s"),  # terveyde-n, terveyt-tä
        (re.compile(r"(?<=\w{3}[ao]u)[dt]\Z"), "s"),  # taloude-n, talous
        (re.compile(r"(?<=y)j\Z"), ""),  # kykyj-ä, kyky
        (re.compile(r"d(?=[aeiouy]?\Z)"), "t"),  # hoido-n, hoito
        (re.compile(r"ng(?=[ou]?\Z)"), "nk"),  # kaupung-in, kaupunk-i; auringo-n, aurinko
        (re.compile(r"(?<=\w{2}[ln])t\Z"), ""),  # kunt-ia, kun-nan
        (re.compile(r"(?<=\w{2})e\Z"), "i"),  # kiele-n, kieli
    ],
}
# After these, an i marks the plural. Elsewhere it may be the end of the word: kieli, kieliä.
_SURE = re.compile(r"(?:j|ks|is|lm)\Z")


def possible_base_forms(word: str, letter: str) -> list[str]:
    """Return the word and its possible base forms in the language with this letter."""
    found = [word, *irregular_base_forms(word, letter)]
    if letter == "e":
        found += other_spellings(word)
    for _, pattern, other in _FITTING[letter].get(word[-1], ()):
        form = pattern.sub(other, word, count=1)
        if form != word:
            found.append(form)
    return found


def shared_stems(form: str, stem: str, letter: str) -> list[str]:
    """Return the stems that all forms of a word share, from one form as Snowball returns it."""
    if letter == "f" and form.startswith(f"{stem}i") and not _SURE.search(stem):
        return [_ended(stem, letter), _ended(f"{stem}i", letter)]
    return [_ended(stem, letter)]


def _ended(stem: str, letter: str) -> str:
    for pattern, other in _ENDS.get(letter, ()):
        stem = pattern.sub(other, stem)
    return stem


# Words written as one or as two: e-learning, elearning, e learning; children's, childrens.

LETTER = "h"  # before a joined word among the stems of a text, like the letters of languages
SHORTEST_JOINED = 4  # letters of a joined word
LONGEST_JOINED = 40
SHORTEST_SECOND = 4  # letters after a single letter: "e learning", but not "c a b"
JOINTS = "\u2010\u2011'\u2019\u02bc-"  # hyphens and apostrophes
_UNUSUAL_JOINTS = tuple(joint for joint in JOINTS if not joint.isascii())
_JOINED = re.compile(rf"(?<![\w{JOINTS}])[^\W\d_]++(?:[{JOINTS}][^\W\d_]++)+(?![\w{JOINTS}])")
_POSSESSIVE = re.compile(r"(\w{3,})['\u2019\u02bc]s", re.IGNORECASE)


def joined_in(text: str) -> list[str]:
    if not _has_joints(text):
        return []
    found = ("".join(folded_words(each)) for each in _JOINED.findall(text))
    return list(dict.fromkeys(each for each in found if SHORTEST_JOINED <= len(each) <= LONGEST_JOINED))


def joined_stems(text: str) -> list[str]:
    """Return the joined forms of a text as stored among its stems."""
    return [LETTER + each for each in joined_in(text)] if _has_joints(text) else []


def _has_joints(text: str) -> bool:
    if "-" in text or "'" in text:
        return True
    return not text.isascii() and any(map(text.__contains__, _UNUSUAL_JOINTS))


def joined_form(text: str) -> str | None:
    """Return a query word with hyphens as one word: `e-learning` as `elearning`."""
    found = joined_in(text) if _JOINED.fullmatch(text) else []
    return found[0] if found else None


def possessor(text: str) -> str | None:
    """Return the base word of an English genitive: `children` for `children's`."""
    found = _POSSESSIVE.fullmatch(text)
    return found[1] if found else None


def other_forms(text: str) -> list[str]:
    return [form for form in (joined_form(text), possessor(text)) if form is not None]


def with_joined(parts: Sequence[Query]) -> list[Query]:
    """Return the parts of a conjunction in which a letter and the next word may be one: `e learning`."""
    found = list(parts)
    for place, (one, other) in enumerate(pairwise(parts)):
        if _is_letter(one) and _follows(other, one):
            assert isinstance(one, Word)
            assert isinstance(other, Word)
            both = replace(other, text=one.text + other.text)
            found[place] = any_of([one, both])
            found[place + 1] = any_of([other, both])
    return found


def _is_letter(part: Query) -> bool:
    return isinstance(part, Word) and _is_bare(part) and len(part.text) == 1 and part.text.isalpha()


def _follows(part: Query, letter: Query) -> bool:
    if not isinstance(part, Word) or not isinstance(letter, Word) or part.field != letter.field:
        return False
    return _is_bare(part) and len(part.text) >= SHORTEST_SECOND and part.text.isalpha()


def _is_bare(word: Word) -> bool:
    return not word.is_pattern and not word.edits


MOST_KNOWN = 200_000  # words whose stems are cached, for each language
SHORTEST_STEMMED = 3  # letters
LONGEST_STEMMED = 60
SHORTEST_ITSELF = 7  # letters of a word that is also searched as a stem: Snowball reduces "byggnad" itself
SHORTEST_BARE = 5  # letters of a stem that is also searched as a word, in any language

_NAMES = {"e": "english", "f": "finnish", "s": "swedish"}
_CUTTING = "fs"  # languages whose stemmers often cut words of other languages
_CODES = {"en": "e", "eng": "e", "fi": "f", "fin": "f", "sv": "s", "swe": "s"}
# Words that distinguish one of the three languages from the others and from their neighbours, once folded.
# Not "on", "for", "in", "den": each of these is a word of two of them, or of German.
_FUNCTION_WORDS_BY_LANGUAGE = {
    "e": "the of and is are was were to with from by this that how what as which their between through"
    " its into using about towards among within at",
    "f": "ja etta ovat oli olla joka jotka mita miten kuin seka tama sen voi myos tai ei mutta kanssa"
    " kuinka eli vai ettei",
    "s": "och att som av till pa med ar ett det i hur vad inte genom mellan vid fran samt deras"
    " om hos mot sig efter inom bland kring nar denna",
}
# Endings and letter combinations that are rare in the other two, used if a text has no such word.
_LANGUAGE_SIGNS = {
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
_SHORTEST_SOUNDING = 5  # letters of a word that is checked for them
_MOST_SOUNDING = 200  # words of a text that are checked
_LANGUAGE_OF_FUNCTION_WORD = {
    word: letter for letter, words in _FUNCTION_WORDS_BY_LANGUAGE.items() for word in words.split()
}
# Words between significant ones, common to several languages.
_BETWEEN = (
    "a an i in on for or as it be been do does did no not some any there den det en och om att on oli man"
)
_FUNCTION_WORDS = frozenset((*_LANGUAGE_OF_FUNCTION_WORD, *_BETWEEN.split()))
_ANY = ""  # in place of a letter: the language is unknown


def stem_words(text: str, language: str | None = None) -> list[str]:
    """Return the stems of a text without duplicates and in order; none if its language is not supported."""
    return stems_in(folded_words(text), language)


def stems_in(words: Sequence[str], language: str | None = None) -> list[str]:
    known = stems_by_word(words, language)
    return list(dict.fromkeys(chain.from_iterable(map(known.__getitem__, words))))


def stems_by_word(words: Sequence[str], language: str | None = None) -> Mapping[str, tuple[str, ...]]:
    letter = _letter_of(words, language)
    return dict.fromkeys(words, ()) if letter is None else _ADDITIONAL_STEMS[letter]


def stem_text(words: Sequence[str], language: str | None = None) -> str:
    letter = _letter_of(words, language)
    if letter is None:
        return ""
    return " ".join(dict.fromkeys(filter(None, map(_TEXTS[letter].__getitem__, words))))


def query_stems(word: str) -> tuple[str, ...]:
    """Return the stems of a query word in all languages; () if it is not a single word."""
    words = folded_words(word)
    if len(words) != 1:
        return ()
    found = _STEM_CACHES[_ANY][words[0]]
    if not found or len(words[0]) < SHORTEST_JOINED:
        return found
    letters = LETTER + (_CUTTING if len(words[0]) >= SHORTEST_ITSELF else "")
    return tuple(dict.fromkeys((*found, *(letter + words[0] for letter in letters))))


def query_words(stems: Iterable[str], word: str) -> list[str]:
    """Return which stems of a query word are also searched as words."""
    bare = {stem[1:] for stem in stems if len(stem) > SHORTEST_BARE}
    bare.discard(word)
    return sorted(bare)


def initials_of(word: str) -> frozenset[str]:
    found = {word[0], *(stem[1] for stem in query_stems(word))}
    return frozenset(found | set("dt") if found & set("dt") else found)  # Finnish has a d for a t


def is_function_word(word: str) -> bool:
    """Return whether a folded word is a function word in any of the languages: the, what, about, ja, och."""
    return word in _FUNCTION_WORDS


def is_stray(word: str) -> bool:
    return word in STRAYS


def is_stemmed(language: str) -> bool:
    return language in _CODES or _code_of(language) in _CODES


def _letter_of(words: Sequence[str], language: str | None) -> str | None:
    """Return the letter of the declared or else guessed language; None for one that is not stemmed."""
    if language:
        return _CODES[language] if language in _CODES else _CODES.get(_code_of(language))
    told = Counter(filter(None, map(_LANGUAGE_OF_FUNCTION_WORD.get, words))).most_common(2)
    if not told:
        return _guess_language(words)
    (letter, most), second = told[0], told[1][1] if len(told) > 1 else 0
    if most >= 3 * second and most * 20 >= len(words):
        return letter
    return _guess_language(words)


def _guess_language(words: Sequence[str]) -> str:
    """Return the letter of the language of a text's words, if exactly one fits."""
    if len(words) < 2:
        return _ANY
    heard = "".join(map(_WORD_LANGUAGES.__getitem__, words[:_MOST_SOUNDING]))
    if not heard:
        return _ANY
    counts = sorted((heard.count(letter), letter) for letter in _NAMES)
    (most, letter), second = counts[-1], counts[-2][0]
    return letter if most >= 2 * second and most * 5 >= len(words) else _ANY


class _WordLanguages(dict[str, str]):
    """The letters of the languages to which each word may belong."""

    def __missing__(self, word: str) -> str:
        if len(self) >= MOST_KNOWN:
            self.clear()
        is_long = len(word) >= _SHORTEST_SOUNDING
        found = self[word] = "".join(
            letter for letter, sound in _LANGUAGE_SIGNS.items() if is_long and sound.search(word)
        )
        return found


_WORD_LANGUAGES = _WordLanguages()


def _code_of(language: str) -> str:
    return language.replace("_", "-").partition("-")[0].lower()


class _Snowball(Protocol):
    def stemWords(self, words: list[str]) -> list[str]: ...  # noqa: N802


class _StemCache(dict[str, tuple[str, ...]]):
    """The cached stems of the words of one language."""

    def __init__(self, letter: str) -> None:
        super().__init__()
        self._letter = letter
        self._stemmer: _Snowball | None = None
        self._lock = Lock()  # a stemmer serves one thread at a time

    def __missing__(self, word: str) -> tuple[str, ...]:
        found: tuple[str, ...] = ()
        if word.isascii() and word.isalpha() and self._fits(word):
            found = tuple(dict.fromkeys(self._letter + stem for stem in self._stems(word)))
        if len(self) >= MOST_KNOWN:  # cleared: frequent words soon return
            self.clear()
        self[word] = found
        return found

    def _fits(self, word: str) -> bool:
        return SHORTEST_STEMMED <= len(word) <= LONGEST_STEMMED or is_short_word(word, self._letter)

    def _stems(self, word: str) -> Iterable[str]:
        with self._lock:
            if self._stemmer is None:
                self._stemmer = Stemmer.Stemmer(_NAMES[self._letter], 0)  # our cache is larger than its own
            forms = possible_base_forms(word, self._letter)
            stems = self._stemmer.stemWords(forms)
        pairs = zip(forms, stems, strict=True)
        return [each for form, stem in pairs for each in shared_stems(form, stem, self._letter)]


class _AnyLanguageStemCache(dict[str, tuple[str, ...]]):
    """The stems of words that may be of any of the languages."""

    def __missing__(self, word: str) -> tuple[str, ...]:
        found = tuple(stem for letter in _NAMES for stem in _STEM_CACHES[letter][word])
        if len(self) >= MOST_KNOWN:
            self.clear()
        self[word] = found
        return found


@cache
def _english_words() -> frozenset[str]:
    text = files("windrow.model").joinpath("english_words.txt").read_text("ascii")
    return frozenset(word for line in text.splitlines() if not line.startswith("#") for word in line.split())


class _AdditionalStems(dict[str, tuple[str, ...]]):
    """The stems that documents have in addition to their words."""

    def __init__(self, letter: str) -> None:
        super().__init__()
        self._letter = letter

    def __missing__(self, word: str) -> tuple[str, ...]:
        if len(self) >= MOST_KNOWN:
            self.clear()
        found = _STEM_CACHES[self._letter][word]
        if self._letter == _ANY and word in _english_words():
            found = tuple(stem for stem in found if stem[0] not in _CUTTING)
        if len(word) >= SHORTEST_BARE:
            found = tuple(stem for stem in found if stem[1:] != word)
        self[word] = found
        return found


class _Texts(dict[str, str]):
    """The stems of a word, joined into one text."""

    def __init__(self, letter: str) -> None:
        super().__init__()
        self._letter = letter

    def __missing__(self, word: str) -> str:
        if len(self) >= MOST_KNOWN:
            self.clear()
        found = self[word] = " ".join(_ADDITIONAL_STEMS[self._letter][word])
        return found


_STEM_CACHES: Mapping[str, dict[str, tuple[str, ...]]] = {
    _ANY: _AnyLanguageStemCache(),
    **{letter: _StemCache(letter) for letter in _NAMES},
}
_ADDITIONAL_STEMS: Mapping[str, _AdditionalStems] = {
    letter: _AdditionalStems(letter) for letter in _STEM_CACHES
}
_TEXTS: Mapping[str, _Texts] = {letter: _Texts(letter) for letter in _STEM_CACHES}
