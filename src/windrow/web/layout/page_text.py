"""What a page about one record is called, and what it is about in a sentence: the same on every such page."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from windrow.formats.page_metadata.tag_values import fit
from windrow.model.document import Document, Text
from windrow.model.text.safe_text import is_web_address, strip_invisible
from windrow.web.i18n.translation import Translator

# Text from strangers made fit for a page: what cannot be seen is dropped, what is endless is cut. Pure.

__all__ = [
    "MAX_TITLE_LENGTH",
    "TextPieces",
    "is_web_address",
    "strip_invisible",
    "truncate",
    "truncate_pieces",
]

MAX_TITLE_LENGTH = 300

TextPieces = Iterable[tuple[str, bool]]


def truncate(text: str, longest: int = MAX_TITLE_LENGTH) -> str:
    """Return the text, at most so long, cut between words where it can be."""
    text = strip_invisible(text[: longest * 2])
    if len(text) <= longest:
        return text
    head, _, _ = text[:longest].rpartition(" ")
    return (head or text[:longest]).rstrip() + " …"


def truncate_pieces(pieces: TextPieces, longest: int = MAX_TITLE_LENGTH) -> list[tuple[str, bool]]:
    """Return pieces of a text, together at most so long."""
    found: list[tuple[str, bool]] = []
    left = longest
    for text, is_marked in pieces:
        kept = strip_invisible(text)
        if len(kept) > left:
            found.append((truncate(kept, left), is_marked) if left else (" …", False))
            break
        found.append((kept, is_marked))
        left -= len(kept)
    return found


MAX_HEADLINE_LENGTH = 120  # in the bar of a browser
MAX_DESCRIPTION_LENGTH = 300
MAX_PEOPLE = 3  # in a description
_EXAMINED_LENGTH = 1000  # letters of a title, for one that can be seen
_NO_LANGUAGE = ("und", "zxx", "mul")


class Headline(NamedTuple):
    """The words over a page of a record."""

    title: str  # whole
    language: str  # of the title, where it is another than that of the page
    short: str  # for <title>
    description: str  # for <meta name="description">


def headline(document: Document, tongue: Translator) -> Headline:
    """Return what a page of this document is called."""
    first = document.titles[0] if document.titles else Text("")
    title = visible_title(first.value) or tongue.say("Without a title")
    return Headline(
        title,
        foreign_language(first.language or single_language(document), tongue),
        _one_line(title, MAX_HEADLINE_LENGTH),
        _one_line(document.descriptions[0].value if document.descriptions else "", MAX_DESCRIPTION_LENGTH)
        or _one_line(_describe_origin(document), MAX_DESCRIPTION_LENGTH),
    )


def _one_line(words: str, longest: int) -> str:
    """Words for the head of a page, on one line. What stands beside them there is not in an element apart."""
    return truncate(" ".join(fit(words, 2 * longest).split()), longest)


def _describe_origin(document: Document) -> str:
    """Who made it, who published it and when: what there is to say where there is no abstract."""
    people = "; ".join(each.name for each in document.creators[:MAX_PEOPLE])
    parts = (people, *document.publishers[:1], str(document.year or ""))
    return " · ".join(part for part in parts if part)


def visible_title(text: str) -> str:
    """Return a title; nothing for one of which nothing can be seen."""
    shown = strip_invisible(text).strip()
    is_seen = any(letter.isprintable() and not letter.isspace() for letter in shown[:_EXAMINED_LENGTH])
    return shown if is_seen else ""


def single_language(document: Document) -> str | None:
    """Return the language that a document is in, where it names one alone: its title is most likely in that."""
    return document.languages[0] if len(document.languages) == 1 else None


def foreign_language(language: str | None, tongue: Translator) -> str:
    """Return the language of words where it is known and not the page's own."""
    known = (language or "").lower()
    is_code = 2 <= len(known) <= 3 and known.isascii() and known.isalpha() and known not in _NO_LANGUAGE
    return known if is_code and known != tongue.code else ""


# The smallest parts of a record page: words with the search behind them, and facts made of such.


class LinkedText(NamedTuple):  # not a dataclass: a page has dozens, and this is made in a third of the time
    """Words with the address behind them, and their language where it is not that of the page."""

    text: str
    address: str = ""
    language: str = ""
    is_outside: bool = False  # the address leads away from here
    places: tuple[LinkedText, ...] = ()  # where a person works, to be said in small letters

    def __html__(self) -> str:
        """As a template shows it: what a macro would do, in a fifth of the time."""
        lang = f' lang="{_escape(self.language)}"' if self.language else ""
        words = f"<bdi{lang}>{_escape(self.text)}</bdi>"
        if self.address:
            rel = "noreferrer" if self.is_outside else "nofollow"
            words = f'<a href="{_escape(self.address)}" rel="{rel}">{words}</a>'
        if not self.places:
            return words
        return f'{words} <small class="places">{"; ".join(each.__html__() for each in self.places)}</small>'


class Fact(NamedTuple):
    """What the record says under one label."""

    label: str
    values: tuple[LinkedText, ...]
    more: str = ""  # words for how many are left out

    def __html__(self) -> str:
        """As a template shows it: a pair for a list of such."""
        shown = [each.__html__() for each in self.values]
        if len(shown) == 1:
            (found,) = shown
        else:
            rest = f'<li class="quiet">{_escape(self.more)}</li>' if self.more else ""
            found = f'<ul class="values">{"".join(f"<li>{each}</li>" for each in shown)}{rest}</ul>'
        return f"<div><dt>{_escape(self.label)}</dt><dd>{found}</dd></div>"


def _escape(text: str) -> str:
    """What `markupsafe.escape` gives, without an object around it."""
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return text.replace("'", "&#39;").replace('"', "&#34;")
