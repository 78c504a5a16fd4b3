"""What was looked for, marked in what is shown: pieces of text, each marked or not. Faces do the rest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from windrow.index.card import Card
from windrow.model.highlighting import highlights
from windrow.model.query import Query
from windrow.model.snippet import snippet

LONGEST_SNIPPET = 300  # characters
MOST_KEYWORDS = 5
MOST_CREATORS = 3

Marked = tuple[tuple[str, bool], ...]


def marked_title(card: Card, query: Query) -> Marked:
    """Give the whole title in pieces."""
    return tuple(pieces_of(card.title, highlights(card.title, query, field="title")))


def marked_snippet(card: Card, query: Query) -> Marked:
    """Give the part of the description where most of what was looked for stands, in pieces."""
    text, language = card.description, card.description_language or None
    spans = highlights(text, query, field="description", language=language)
    return tuple(pieces_of(*snippet(text, spans, length=LONGEST_SNIPPET)))


def marked_keywords(card: Card, query: Query) -> tuple[Marked, ...]:
    """Give the subjects and keywords in which something stands that was looked for, each in pieces."""
    words = dict.fromkeys((*card.subjects, *card.keywords))
    spans = ((word, highlights(word, query, field="keyword")) for word in words)
    return tuple(tuple(pieces_of(word, found)) for word, found in spans if found)[:MOST_KEYWORDS]


def marked_creators(card: Card, query: Query) -> tuple[Marked, ...]:
    """Give the names to be shown, each in pieces: the first ones, one that was looked for among them."""
    names = [tuple(pieces_of(name, highlights(name, query, field="creator"))) for name in card.creators]
    first = names[:MOST_CREATORS]
    if not any(map(is_marked, first)):
        later = next(filter(is_marked, names[MOST_CREATORS:]), None)
        first = first if later is None else [*first[:-1], later]
    return tuple(first)


def is_marked(pieces: Marked) -> bool:
    """Does anything in it stand out?"""
    return any(marked for _, marked in pieces)


def pieces_of(text: str, spans: Iterable[tuple[int, int]]) -> Iterator[tuple[str, bool]]:
    """Give the text in pieces, those within the spans marked; the spans ascend and do not overlap."""
    last = 0
    for start, end in spans:
        if start > last:
            yield text[last:start], False
        yield text[start:end], True
        last = end
    if last < len(text):
        yield text[last:], False
