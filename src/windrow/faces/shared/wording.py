"""Text from strangers made fit for a page: what cannot be seen is dropped, what is endless is cut. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import urlsplit

LONGEST_TITLE = 300
_UNSEEN = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
_LONGEST_ADDRESS = 4000

Pieces = Iterable[tuple[str, bool]]


def clean(text: str) -> str:
    """Give the text without control characters and halves of characters."""
    return _UNSEEN.sub("", text)


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


def is_web(url: str | None) -> bool:
    """Say whether an address may become a link: only http and https, with a host."""
    if not url or len(url) > _LONGEST_ADDRESS or any(letter.isspace() for letter in url):
        return False
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme.lower() in ("http", "https") and bool(parts.netloc)
