"""Values for the metadata in a page: which ones, how many, and how long.

The texts come from strangers and are sanitised here: no control characters, no change of direction for the
surrounding text, bounded length, and no address outside of the web.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from windrow.formats.citations.reference_fields import issued_parts
from windrow.model.document import Document, Link, Text
from windrow.model.text.safe_text import is_web_address, strip_invisible

MOST_TITLES = 20
MOST_PEOPLE = 500
MOST_VALUES = 100  # of one field
MOST_ABSTRACTS = 20
LONGEST_TITLE = 2000  # characters, as all of these
LONGEST_NAME = 300
LONGEST_VALUE = 500
LONGEST_WORDS = 2000
LONGEST_ABSTRACT = 10_000

# Embeddings, overrides and isolates. Marks (U+200E, U+200F) stay: they affect only themselves.
_TURNING = re.compile("[\u202a-\u202e\u2066-\u2069]")
_BREAK = re.compile("\r\n?|[\u2028\u2029]")
_LANGUAGE = re.compile("[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8}){0,4}")  # BCP 47, in outline


class Tag(NamedTuple):
    """One `<meta>`: its name, its content and, if known, the language of the content."""

    name: str
    content: str
    language: str = ""


def fit(text: str, longest: int = LONGEST_VALUE) -> str:
    """Return the text sanitised for the head of a page; it may become empty."""
    if len(text) > longest:
        text = text[:longest] + " …"
    if not text.isprintable():
        text = _TURNING.sub("", strip_invisible(_BREAK.sub("\n", text)))
    return text.strip()


def fit_all(values: Iterable[str], longest: int = LONGEST_VALUE, most: int = MOST_VALUES) -> list[str]:
    """Return the first distinct values."""
    found: dict[str, None] = {}
    for value in values:
        kept = fit(value, longest)
        if kept:
            found[kept] = None
            if len(found) == most:
                break
    return list(found)


def fit_texts(texts: Sequence[Text], longest: int, most: int) -> Iterator[tuple[str, str]]:
    """Yield texts with their language, which is empty if unknown."""
    for words, language in texts[:most]:
        kept = fit(words, longest)
        if kept:
            yield kept, language_tag(language)


def language_tag(code: str | None) -> str:
    """Return a language tag, or "" for a code that cannot be one."""
    return code if code and len(code) <= 35 and _LANGUAGE.fullmatch(code) else ""


def published(document: Document) -> list[str]:
    """Return year, month and day of publication as far as known, zero-padded; empty without a year."""
    if document.year is None:
        return []
    year, *rest = issued_parts(document)
    return [f"{year:04}", *(f"{part:02}" for part in rest)]


def web_links(document: Document) -> list[Link]:
    return [link for link in document.links[:MOST_VALUES] if is_address(link.url)]


def is_address(url: str | None) -> bool:
    """Return whether this is a web address in which every character is visible."""
    return url is not None and url.isprintable() and is_web_address(url)
