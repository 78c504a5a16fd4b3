"""What a page about one record is called, and what it is about in a sentence: the same on every such page."""

from __future__ import annotations

from typing import NamedTuple

from windrow.faces.shared.tongue import Tongue
from windrow.faces.shared.wording import clean, cut
from windrow.formats.meta_words import fit
from windrow.model.document import Document, Text

LONGEST_TITLE = 120  # in the bar of a browser
LONGEST_DESCRIPTION = 300
MOST_PEOPLE = 3  # in a description
_LOOKED_AT = 1000  # letters of a title, for one that can be seen
_NO_LANGUAGE = ("und", "zxx", "mul")


class Headline(NamedTuple):
    """The words over a page of a record."""

    title: str  # whole
    language: str  # of the title, where it is another than that of the page
    short: str  # for <title>
    description: str  # for <meta name="description">


def headline(document: Document, tongue: Tongue) -> Headline:
    """Give what a page of this document is called."""
    first = document.titles[0] if document.titles else Text("")
    title = seen_title(first.value) or tongue.say("Without a title")
    return Headline(
        title,
        foreign(first.language or only_language(document), tongue),
        _told(title, LONGEST_TITLE),
        _told(document.descriptions[0].value if document.descriptions else "", LONGEST_DESCRIPTION)
        or _told(_origin(document), LONGEST_DESCRIPTION),
    )


def _told(words: str, longest: int) -> str:
    """Words for the head of a page, on one line. What stands beside them there is not in an element apart."""
    return cut(" ".join(fit(words, 2 * longest).split()), longest)


def _origin(document: Document) -> str:
    """Who made it, who published it and when: what there is to say where there is no abstract."""
    people = "; ".join(each.name for each in document.creators[:MOST_PEOPLE])
    parts = (people, *document.publishers[:1], str(document.year or ""))
    return " · ".join(part for part in parts if part)


def seen_title(text: str) -> str:
    """Give a title; nothing for one of which nothing can be seen."""
    shown = clean(text).strip()
    is_seen = any(letter.isprintable() and not letter.isspace() for letter in shown[:_LOOKED_AT])
    return shown if is_seen else ""


def only_language(document: Document) -> str | None:
    """Give the language that a document is in, where it names one alone: its title is most likely in that."""
    return document.languages[0] if len(document.languages) == 1 else None


def foreign(language: str | None, tongue: Tongue) -> str:
    """Give the language of words where it is known and not the page's own."""
    known = (language or "").lower()
    is_code = 2 <= len(known) <= 3 and known.isascii() and known.isalpha() and known not in _NO_LANGUAGE
    return known if is_code and known != tongue.code else ""
