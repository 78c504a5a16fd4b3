"""The card of an entry, from its document alone: rows make it from what they have already."""

from __future__ import annotations

from windrow.index.protocol import HitSummary
from windrow.index.tantivy import rows
from windrow.index.tantivy.rows import Entry
from windrow.model.counted_fields import counted_values, field_values
from windrow.model.topics import counted_keywords, counted_subjects

SHOWN = ("creator", "type", "language", "institution", "department")


def card_of(entry: Entry) -> HitSummary:
    document = entry.document
    own = {
        "title": counted_values([title.value for title in document.titles]),
        "subject": counted_values(counted_subjects(document)),
        "keyword": counted_values(counted_keywords(document) if document.keywords else ()),
    }
    return rows.card_of(entry, {name: field_values(document, name) or () for name in SHOWN} | own)
