"""From a document to the card that an index keeps of it."""

from __future__ import annotations

from collections.abc import Mapping

from windrow.index.card import LONGEST_DESCRIPTION, MOST_VALUES, Card, FileCard
from windrow.index.entry import Entry
from windrow.model.document import Document, LinkKind, Text
from windrow.model.held_file import HeldFile
from windrow.model.media import has_picture

Facts = Mapping[str, tuple[str, ...]]
_WEB = ("http://", "https://")
_IDLE = "\n\r\t\v\f\x1c\x1d\x1e\x1f"  # what `split` takes for space, beside spaces
_WEB_LETTERS = max(map(len, _WEB))


def card_of(entry: Entry, facts: Facts) -> Card:
    """What a list of results shows of one document; its titles and values are spelled as they are counted."""
    document = entry.document
    description = document.descriptions[0] if document.descriptions else Text("")
    titles, institution, department = facts["title"], facts["institution"], facts["department"]
    return Card(
        entry.number,
        entry.source,
        entry.identifier,
        titles[0] if titles else "",
        facts["creator"][:MOST_VALUES],
        document.year,
        facts["type"][:MOST_VALUES],
        facts["language"][:MOST_VALUES],
        institution[0] if institution else "",
        department[0] if department else "",
        document.pages,
        facts["subject"][:MOST_VALUES],
        facts["keyword"][:MOST_VALUES],
        _cut(description.value),
        _language(document, description),
        _link(document, LinkKind.LANDING),
        _link(document, LinkKind.FULLTEXT),
        entry.stamp,
        entry.change,
        None if document.file is None else _file(document.file),
    )


def _file(file: HeldFile) -> FileCard:
    return FileCard(file.media_type, file.size, file.has_words, has_picture(file))


def _cut(text: str) -> str:
    plain = text if _is_plain(text) else " ".join(text.split())
    return plain if len(plain) <= LONGEST_DESCRIPTION else plain[:LONGEST_DESCRIPTION].rstrip()


def _is_plain(text: str) -> bool:
    """Has it no idle space? Most texts have none, which is sooner seen than mended."""
    if "  " in text or text[:1] == " " or text[-1:] == " ":
        return False
    return not any(map(text.__contains__, _IDLE)) if text.isascii() else text.isprintable()


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
