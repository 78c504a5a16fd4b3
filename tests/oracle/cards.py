"""The card of an entry, from its document alone: rows make it from what they have already."""

from __future__ import annotations

from windrow.index import cards
from windrow.index.card import Card
from windrow.index.entry import Entry
from windrow.model.facts import facts_about, facts_in

SHOWN = ("creator", "type", "language", "institution", "department", "subject")


def card_of(entry: Entry) -> Card:
    facts = {name: facts_about(entry.document, name) or () for name in SHOWN}
    return cards.card_of(
        entry, {**facts, "title": facts_in([title.value for title in entry.document.titles])}
    )
