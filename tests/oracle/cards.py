"""The card of an entry, from its document alone: rows make it from what they have already."""

from __future__ import annotations

from windrow.index import cards
from windrow.index.card import Card
from windrow.index.entry import Entry
from windrow.model.facts import facts_about, facts_in
from windrow.model.topics import counted_keywords, counted_subjects

SHOWN = ("creator", "type", "language", "institution", "department")


def card_of(entry: Entry) -> Card:
    document = entry.document
    own = {
        "title": facts_in([title.value for title in document.titles]),
        "subject": facts_in(counted_subjects(document)),
        "keyword": facts_in(counted_keywords(document) if document.keywords else ()),
    }
    return cards.card_of(entry, {name: facts_about(document, name) or () for name in SHOWN} | own)
