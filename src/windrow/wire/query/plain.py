"""A text as plain words: the other reading of a title that has signs in it, such as -1B, NOT or China?s."""

from __future__ import annotations

import re

from windrow.model.folding import split
from windrow.model.query import OPERATORS

# Words that mean something by themselves: operators, and what names the number behind it.
_LABELS = re.compile(r"isbn|e?issn|pmid|doi", re.IGNORECASE)


def as_words(text: str) -> str:
    """A query for the words of a text as documents have them, none of them an operator."""
    return " ".join(map(_plain, split(text)))


def _plain(word: str) -> str:
    return f"\\{word}" if word in OPERATORS or _LABELS.fullmatch(word) else word
