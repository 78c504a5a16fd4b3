"""From a document to the card that an index keeps of it."""

from __future__ import annotations

from collections.abc import Mapping

from windrow.index.card import LONGEST_DESCRIPTION, MOST_VALUES, Card, FileCard
from windrow.index.entry import Entry
from windrow.model.document import Document, LinkKind, Text
from windrow.model.facts import fact, facts_about
from windrow.model.held_file import HeldFile
from windrow.model.media import has_picture

Facts = Mapping[str, tuple[str, ...]]
_WEB = ("http://", "https://")
_WEB_LETTERS = max(map(len, _WEB))


def card_of(entry: Entry, facts: Facts | None = None) -> Card:
    """What a list of results shows of one document; `facts` where somebody has made them already."""
    document, known = entry.document, facts or {}
    description = document.descriptions[0] if document.descriptions else Text("")
    return Card(
        number=entry.number,
        source=entry.source,
        identifier=entry.identifier,
        title=fact(document.title or ""),
        creators=_some(document, "creator", known),
        year=document.year,
        types=_some(document, "type", known),
        languages=_some(document, "language", known),
        institution=fact(document.institution or ""),
        department=fact(document.department or ""),
        pages=document.pages,
        keywords=_some(document, "subject", known),
        description=_cut(description.value),
        description_language=_language(document, description),
        landing=_link(document, LinkKind.LANDING),
        fulltext=_link(document, LinkKind.FULLTEXT),
        stamp=entry.stamp,
        change=entry.change,
        file=None if document.file is None else _file(document.file),
    )


def _file(file: HeldFile) -> FileCard:
    has_text = any(page.strip() for page in file.text)
    return FileCard(file.media_type, file.size, has_text, has_picture(file))


def _some(document: Document, field: str, known: Facts) -> tuple[str, ...]:
    found = known[field] if known else facts_about(document, field) or ()
    return found[:MOST_VALUES]


def _cut(text: str) -> str:
    is_plain = text.isprintable() and "  " not in text and text.strip(" ") == text  # most are, and soon seen
    plain = text if is_plain else " ".join(text.split())
    return plain if len(plain) <= LONGEST_DESCRIPTION else plain[:LONGEST_DESCRIPTION].rstrip()


def _language(document: Document, text: Text) -> str:
    """The text's own language, else the document's if it has just one."""
    if text.language is not None or not text.value:
        return text.language or ""
    return document.languages[0] if len(document.languages) == 1 else ""


def _link(document: Document, kind: LinkKind) -> str:
    """The first address of a kind that a browser can be sent to without harm."""
    for link in document.links:
        if link.kind is kind:
            url = link.url.strip()
            if url[:_WEB_LETTERS].lower().startswith(_WEB):
                return url
    return ""
