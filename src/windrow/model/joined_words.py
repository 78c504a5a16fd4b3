"""Words written as one or as two: e-learning, elearning, e learning; children's, childrens."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from windrow.model.folding import words_of
from windrow.model.query import Query, Word, any_of

LETTER = "h"  # before a joined word among the stems of a text, as other letters stand for languages
SHORTEST = 4  # letters of a joined word
LONGEST = 40
SHORTEST_SECOND = 4  # letters behind a letter that stands alone: "e learning", but not "c a b"
JOINTS = "\u2010\u2011'\u2019\u02bc-"  # hyphens and apostrophes
_UNUSUAL_JOINTS = tuple(joint for joint in JOINTS if not joint.isascii())
_JOINED = re.compile(rf"(?<![\w{JOINTS}])[^\W\d_]++(?:[{JOINTS}][^\W\d_]++)+(?![\w{JOINTS}])")
_POSSESSIVE = re.compile(r"(\w{3,})['\u2019\u02bc]s", re.IGNORECASE)


def joined_in(text: str) -> list[str]:
    """Return the joined forms of a text's words with hyphens and apostrophes in them, each once, folded."""
    if not _has_joints(text):
        return []
    found = ("".join(words_of(each)) for each in _JOINED.findall(text))
    return list(dict.fromkeys(each for each in found if SHORTEST <= len(each) <= LONGEST))


def joined_stems(text: str) -> list[str]:
    """Return the same as they lie among the stems of a text."""
    return [LETTER + each for each in joined_in(text)] if _has_joints(text) else []


def _has_joints(text: str) -> bool:
    if "-" in text or "'" in text:
        return True
    return not text.isascii() and any(map(text.__contains__, _UNUSUAL_JOINTS))


def joined_form(text: str) -> str | None:
    """Return a word of a query with hyphens in it as one word: `e-learning` as `elearning`."""
    found = joined_in(text) if _JOINED.fullmatch(text) else []
    return found[0] if found else None


def possessor(text: str) -> str | None:
    """Return the word that an English genitive is made of: `children's` of children."""
    found = _POSSESSIVE.fullmatch(text)
    return found[1] if found else None


def other_forms(text: str) -> list[str]:
    """Return what else a word of a query with a hyphen or an apostrophe in it may be written as."""
    return [form for form in (joined_form(text), possessor(text)) if form is not None]


def with_joined(parts: Sequence[Query]) -> list[Query]:
    """Return the parts of a conjunction in which a letter and the word behind it may be one: `e learning`."""
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
