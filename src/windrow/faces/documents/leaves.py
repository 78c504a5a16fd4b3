"""The text of a file in leaves, each short enough to be shown: the file's own pages, or parts. Pure."""

from __future__ import annotations

import re
from typing import NamedTuple

from windrow.faces.shared.wording import clean
from windrow.model.held_file import HeldFile

LEAF_LETTERS = 20_000
_LEAST = LEAF_LETTERS // 2  # from where on a good place to end a leaf is looked for
_LINES = re.compile(r"\r\n?|\f")
_GAPS = re.compile(r"\n[ \t]*(?:\n[ \t]*)+")


class Leaf(NamedTuple):
    """Some of the text."""

    page: int  # of the file; 1 where it has no pages
    part: int  # of that page, counted from 1
    text: str


def leaves_of(file: HeldFile) -> list[Leaf]:
    """Give the leaves of a file, in their order. A page without any text is one leaf, too."""
    return [
        Leaf(number, part, text)
        for number, page in enumerate(file.text, 1)
        for part, text in enumerate(_parts(page), 1)
    ]


def tidied(text: str) -> str:
    """Give text as it is shown: lines end in one way, and not more than one is empty at a time."""
    return _GAPS.sub("\n\n", clean(_LINES.sub("\n", text))).strip("\n")


def _parts(text: str) -> list[str]:
    """Cut a long text where a paragraph ends, a line, or a word, in this order; else anywhere."""
    found, start = [], 0
    while len(text) - start > LEAF_LETTERS:
        end = _end(text, start)
        found.append(text[start:end])
        start = end
    return [*found, text[start:]]


def _end(text: str, start: int) -> int:
    low, high = start + _LEAST, start + LEAF_LETTERS
    for mark in ("\n\n", "\n", " "):
        place = text.rfind(mark, low, high)
        if place >= 0:
            return place + len(mark)
    return high
