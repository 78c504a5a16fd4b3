"""Names of people in citation style and in other spellings, and names of institutions.

`Kinnunen U`, `U. Kinnunen` and `Kinnunen, U.` find *Kinnunen, Ulla*, `Aho A-M` finds *Aho, Anna-Maija*;
`Mueller` and `Muller` find *Müller*, and vice versa; `OBrien` finds *O'Brien*. For this, records have keys
made from the names of their people: `kinnunen u` for a family name with an initial, `muller` for an
alternative spelling. A query has such keys if a word is next to initials.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from windrow.model.query import Phrase, Query, Word
from windrow.model.text.folding import fold, folded_words

NAME_FIELDS = ("creator", "contributor")
LONGEST_FAMILY, LONGEST_GIVEN = 4, 5  # words; a longer name is hardly that of a person
LONGEST_PLAIN = 4  # words of a name without a comma
MOST_INITIALS = 4
SHORTEST = 4  # letters of a name that has alternative spellings
_CAPITALS = 3  # letters of initials that are written together: JRR
_SPELLED = re.compile("([aou])e")
_PLAIN = re.compile(r"([a-z]{2,}), ([a-z])[a-z]*+")
_JOINED = re.compile(r"[^\W\d_]+(?:['’ʼ-][^\W\d_]+)+")

Keys = tuple[str, ...]  # a person has all of these


def plain_spelling(word: str) -> str:
    """Return a folded word with ae, oe and ue replaced by one letter: `mueller` as `muller`."""
    return _SPELLED.sub(r"\1", word) if _has_digraph(word) else word


def _has_digraph(word: str) -> bool:
    return "ae" in word or "oe" in word or "ue" in word


def is_spelled(word: str) -> bool:
    """Return whether a folded word of a query may be a name with alternative spellings."""
    return len(word) >= SHORTEST and word.isalpha()


def name_keys(name: str) -> Keys:
    folded = fold(name)
    plain = _PLAIN.fullmatch(folded)
    if plain is not None and not _has_digraph(folded):  # most names; computed faster than cached
        return (f"{plain[1]} {plain[2]}",)
    return _all_keys(name)


@lru_cache(maxsize=50_000)
def _all_keys(name: str) -> Keys:
    return tuple(dict.fromkeys((*_initial_keys(name), *_spelling_keys(name))))


def _initial_keys(name: str) -> Iterator[str]:
    before, comma, after = name.partition(",")
    if comma:
        yield from _pairs(folded_words(before), folded_words(after))
        return
    words = folded_words(name)
    if 1 < len(words) <= LONGEST_PLAIN:  # either the last or the first word may be the family name
        yield from _pairs(words[-1:], words[:-1])
        yield from _pairs(words[:1], words[1:])


def _pairs(family: Sequence[str], given: Sequence[str]) -> Iterator[str]:
    if len(family) > LONGEST_FAMILY or len(given) > LONGEST_GIVEN:
        return
    initials = dict.fromkeys(word[0] for word in given if word[0].isalpha())
    for word in family:
        if len(word) > 1:
            yield from (_key(word, initial) for initial in initials)


def _spelling_keys(name: str) -> Iterator[str]:
    for word in folded_words(name):
        plain = plain_spelling(word)
        if plain != word:
            yield plain
    if not name.isalnum():
        for joined in _JOINED.findall(name):
            yield plain_spelling("".join(folded_words(joined)))


def _key(family: str, initial: str) -> str:
    return f"{plain_spelling(family)} {initial}"


def people_beside(parts: Sequence[Query]) -> list[tuple[Keys, ...]]:
    """For each part of a conjunction, return the alternative sets of person keys that may replace it.

    Only initials have any: `U` beside `Kinnunen` may be the initial of a person with that family name. One of
    the alternatives suffices; a person must have all its keys.
    """
    initials = [_initials_of(part) for part in parts]
    if not any(initials):
        return [()] * len(parts)
    return [
        tuple(_beside(parts, initials, place, found)) if found else () for place, found in enumerate(initials)
    ]


def _beside(
    parts: Sequence[Query], initials: Sequence[str], place: int, letters: str
) -> Iterator[tuple[str, ...]]:
    """Yield the person with the nearest whole word before, and the one with the nearest word after."""
    for step in (-1, 1):
        other = place + step
        while 0 <= other < len(parts) and initials[other]:
            other += step
        family = _family(parts[other], parts[place]) if 0 <= other < len(parts) else None
        if family is not None:
            yield tuple(_key(family[-1 if step < 0 else 0], letter) for letter in letters)


def _family(part: Query, beside: Query) -> list[str] | None:
    if not isinstance(part, Word) or not isinstance(beside, Word) or part.field != beside.field:
        return None
    if part.is_pattern or part.edits:
        return None
    words = [word for word in folded_words(part.text) if len(word) > 1 and word.isalpha()]
    return words or None


def _initials_of(part: Query) -> str:
    """Return the letters of a word that may be initials: `U`, `U.M`, `U-M`, `UM`; "" for any other word."""
    if not isinstance(part, Word) or part.field not in (None, *NAME_FIELDS) or part.is_pattern or part.edits:
        return ""
    text = part.text
    if len(text) > 2 * MOST_INITIALS:
        return ""
    if len(text) <= _CAPITALS and text.isalpha() and text.isupper():
        return "".join(folded_words(text))
    words = folded_words(text)
    is_short = 0 < len(words) <= MOST_INITIALS and all(len(word) == 1 and word.isalpha() for word in words)
    return "".join(words) if is_short else ""


# Names with the family name first or last: a phrase finds both.

LONGEST_NAME = 4  # words; a longer phrase is hardly a name


def with_inverted_name(phrase: Phrase) -> tuple[Phrase, ...]:
    """Return the phrase and, if it may be a name, its inversion: "Ida Aho" for "Aho, Ida"."""
    words = phrase.words
    if phrase.slop or not 1 < len(words) <= LONGEST_NAME:
        return (phrase,)
    turned = {words[-1:] + words[:-1], words[1:] + words[:1]} - {words}
    fields = NAME_FIELDS if phrase.field is None else {phrase.field}.intersection(NAME_FIELDS)
    return (phrase, *(replace(phrase, words=way, field=field) for way in sorted(turned) for field in fields))


# Names of whole institutions of higher education, in the languages in which repositories name sets. They are
# used for sets alone, to find the level of institutions in a hierarchy. The list is conservative: "College"
# and "Institute" are as often parts of an institution.

_INSTITUTION = re.compile(
    r"\b(?:universit(?:y|ies|et|etet|e|é|à|ät|eit|ario|as|atea)|universidade?s?|uniwersytet|univerzita|univerza"
    r"|sveučilište|egyetem|ülikool|üniversitesi|université|yliopisto|\w*korkeakoulut?|\w*högskola(?:n|ns)?|\w*høgskole[nt]?"
    r"|\w*høyskole[nt]?|\w*hochschule\w*|polytechnic|politecnico|politechnika|hogeschool"
    r"|institute of technology)\b",
    re.IGNORECASE,
)
# Parts of a university whose names contain the word.
_PART = re.compile(
    r"\b(?:university|universitets?|yliopiston|universitäts?|korkeakoulun|högskolans)\W*"
    r"(?:archives?|college|hospital|libraries|library|medical|museum|press|bibliotek\w*|klinikum|kirjasto|museo"
    r"|arkisto|bibliothek|sjukhus|sairaala|school)|\b(?:bibliotek|library of|kirjasto|archive|press)\b"
    r"|\b(?:faculty|school|department|college|library|centre|center|institut\w*) (?:of|for|at|der|des|de)\b"
    r"(?! technology)",
    re.IGNORECASE,
)


def is_institution(name: str) -> bool:
    """Return whether a name is certainly that of a whole university, and not of a part of one."""
    return _INSTITUTION.search(name) is not None and _PART.search(name) is None
