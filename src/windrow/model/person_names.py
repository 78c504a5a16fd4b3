"""Names of people as reference lists write them, and in their other spellings.

`Kinnunen U`, `U. Kinnunen` and `Kinnunen, U.` find *Kinnunen, Ulla*, `Aho A-M` finds *Aho, Anna-Maija*;
`Mueller` and `Muller` find *Müller*, and the other way round; `OBrien` finds *O'Brien*. A record has keys for
this, made of the names of its people: `kinnunen u` for a family name with an initial, `muller` for a word in
its other spelling. A query has keys where a word and initials stand side by side.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from windrow.model.folding import fold, words_of
from windrow.model.query import Query, Word

NAME_FIELDS = ("creator", "contributor")
LONGEST_FAMILY, LONGEST_GIVEN = 4, 5  # words; what is longer is hardly a person
LONGEST_PLAIN = 4  # words of a name without a comma
MOST_INITIALS = 4
SHORTEST = 4  # letters of a name that is spelled in several ways
_CAPITALS = 3  # letters of initials that are written together: JRR
_SPELLED = re.compile("([aou])e")
_PLAIN = re.compile(r"([a-z]{2,}), ([a-z])[a-z]*+")
_JOINED = re.compile(r"[^\W\d_]+(?:['’ʼ-][^\W\d_]+)+")

Keys = tuple[str, ...]  # a person has all of these


def plain_spelling(word: str) -> str:
    """Return a folded word with ae, oe and ue as the letters that they stand for: `mueller` as `muller`."""
    return _SPELLED.sub(r"\1", word) if _has_digraph(word) else word


def _has_digraph(word: str) -> bool:
    return "ae" in word or "oe" in word or "ue" in word


def is_spelled(word: str) -> bool:
    """Whether a folded word of a query may be a name that others spell otherwise."""
    return len(word) >= SHORTEST and word.isalpha()


def name_keys(name: str) -> Keys:
    """Return the keys that one person is found by."""
    folded = fold(name)
    plain = _PLAIN.fullmatch(folded)
    if plain is not None and not _has_digraph(folded):  # most names, faster made than remembered
        return (f"{plain[1]} {plain[2]}",)
    return _all_keys(name)


@lru_cache(maxsize=50_000)
def _all_keys(name: str) -> Keys:
    return tuple(dict.fromkeys((*_initial_keys(name), *_spelling_keys(name))))


def _initial_keys(name: str) -> Iterator[str]:
    before, comma, after = name.partition(",")
    if comma:
        yield from _pairs(words_of(before), words_of(after))
        return
    words = words_of(name)
    if 1 < len(words) <= LONGEST_PLAIN:  # nobody says which is the family name: the last one, or the first
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
    for word in words_of(name):
        plain = plain_spelling(word)
        if plain != word:
            yield plain
    if not name.isalnum():
        for joined in _JOINED.findall(name):
            yield plain_spelling("".join(words_of(joined)))


def _key(family: str, initial: str) -> str:
    return f"{plain_spelling(family)} {initial}"


def people_beside(parts: Sequence[Query]) -> list[tuple[Keys, ...]]:
    """Return for each of the parts of a conjunction which persons would do in its place.

    Only initials have any: `U` beside `Kinnunen` may be the U of a person who is called so. One of the
    alternatives is enough; a person must have all keys of it.
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
    """The person with the nearest whole word before, and the one with the nearest word behind."""
    for step in (-1, 1):
        other = place + step
        while 0 <= other < len(parts) and initials[other]:
            other += step
        family = _family(parts[other], parts[place]) if 0 <= other < len(parts) else None
        if family is not None:
            yield tuple(_key(family[-1 if step < 0 else 0], letter) for letter in letters)


def _family(part: Query, beside: Query) -> list[str] | None:
    """The words of a part that may be a family name, in the same field."""
    if not isinstance(part, Word) or not isinstance(beside, Word) or part.field != beside.field:
        return None
    if part.is_pattern or part.edits:
        return None
    words = [word for word in words_of(part.text) if len(word) > 1 and word.isalpha()]
    return words or None


def _initials_of(part: Query) -> str:
    """The letters of a word that may be initials: `U`, `U.M`, `U-M`, `UM`; nothing of any other."""
    if not isinstance(part, Word) or part.field not in (None, *NAME_FIELDS) or part.is_pattern or part.edits:
        return ""
    text = part.text
    if len(text) > 2 * MOST_INITIALS:
        return ""
    if len(text) <= _CAPITALS and text.isalpha() and text.isupper():
        return "".join(words_of(text))
    words = words_of(text)
    is_short = 0 < len(words) <= MOST_INITIALS and all(len(word) == 1 and word.isalpha() for word in words)
    return "".join(words) if is_short else ""
