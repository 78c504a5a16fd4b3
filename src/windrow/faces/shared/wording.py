"""Text from strangers made fit for a page: what cannot be seen is dropped, what is endless is cut. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from windrow.model.wording import clean, is_web

__all__ = ["LONGEST_TITLE", "Pieces", "clean", "cut", "cut_pieces", "is_web"]

LONGEST_TITLE = 300

Pieces = Iterable[tuple[str, bool]]


def cut(text: str, longest: int = LONGEST_TITLE) -> str:
    """Give the text, at most so long, cut between words where it can be."""
    text = clean(text[: longest * 2])
    if len(text) <= longest:
        return text
    head, _, _ = text[:longest].rpartition(" ")
    return (head or text[:longest]).rstrip() + " …"


def cut_pieces(pieces: Pieces, longest: int = LONGEST_TITLE) -> list[tuple[str, bool]]:
    """Give pieces of a text, together at most so long."""
    found: list[tuple[str, bool]] = []
    left = longest
    for text, is_marked in pieces:
        kept = clean(text)
        if len(kept) > left:
            found.append((cut(kept, left), is_marked) if left else (" …", False))
            break
        found.append((kept, is_marked))
        left -= len(kept)
    return found
