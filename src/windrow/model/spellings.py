"""English words that are written in two ways: colour and color, analyse and analyze. Part of the stems.

Of the two, one has the stem of the other beside its own: the one whose stem meets fewer other words (that of
"organization" is "organ").
"""

from __future__ import annotations

import re

_OUR = "armo|behavio|colo|endeavo|favo|flavo|harbo|hono|humo|labo|neighbo|odo|rigo|rumo|savo|tumo|vapo|vigo"
_VERBAL = "e|ed|er|ers|es|ing"
_AE = "arch|encyclop|gyn|leuk|medi(?=aeval)|orthop|pal|p(?=aedi)|h(?=aem[ao])|an(?=ae[ms])"
# What a word must hold for the rule to be tried, and the rule.
_RULES = [
    ("our", re.compile(rf"\A((?:dis|un|multi|bio)?(?:{_OUR}))ur"), r"\1r"),  # colour, color
    ("re", re.compile(r"(cent|theat|fib|met|lit)re(?=[ds]?\Z)"), r"\1er"),  # centre, center
    ("iz", re.compile(rf"(?<=\w{{3}}i)z(?=(?:{_VERBAL}|ations?|ational)\Z)"), "s"),  # organize, organise
    ("lyz", re.compile(rf"(?<=ly)z(?=(?:{_VERBAL})\Z)"), "s"),  # analyze, analyse
    ("ae", re.compile(rf"({_AE})ae"), r"\1e"),  # archaeology, archeology
]


def other_spellings(word: str) -> list[str]:
    """The word as others write it, if they do; folded like the word itself."""
    found = []
    for part, pattern, other in _RULES:
        if part in word:
            spelled = pattern.sub(other, word, count=1)
            if spelled != word:
                found.append(spelled)
    return found
