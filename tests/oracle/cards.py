"""The card of an entry, from its document alone: rows make it from what they have already."""

from __future__ import annotations

from windrow.index import cards
from windrow.index.card import Card
from windrow.index.entry import Entry
from windrow.model.facts import facts_about, facts_in

SHOWN = ("creator", "type", "language", "institution", "department")


def card_of(entry: Entry) -> Card:
    document = entry.document
    own = {
        "title": facts_in([title.value for title in document.titles]),
        "subject": facts_in([subject.value for subject in document.subjects]),
        "keyword": facts_in(document.keywords),
    }
    return cards.card_of(entry, {name: facts_about(document, name) or () for name in SHOWN} | own)
