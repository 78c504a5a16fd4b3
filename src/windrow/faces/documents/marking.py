"""A text in pieces, those that were looked for marked, for a template to show. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from windrow.model.snippet import Span


class Piece(NamedTuple):
    """Some of a text. Addresses lead to the first piece that is marked."""

    words: str
    is_marked: bool = False
    is_first: bool = False


def marked(text: str, spans: Iterable[Span]) -> Iterator[Piece]:
    """Give the whole text in pieces; the spans ascend and do not overlap."""
    last, is_first = 0, True
    for start, end in spans:
        if start > last:
            yield Piece(text[last:start])
        yield Piece(text[start:end], is_marked=True, is_first=is_first)
        last, is_first = end, False
    if last < len(text):
        yield Piece(text[last:])
