"""A record with the document that the index has of it: made of the format that says most."""

from __future__ import annotations

from windrow.exports.entry import Entry, mapped
from windrow.formats.richness import rank
from windrow.store.records import StoredRecord


def read_richest(record: StoredRecord) -> Entry:
    """Give a record with its document; what cannot be read has a problem instead."""
    best = min(record.payloads, key=lambda payload: rank(payload.prefix), default=None)
    return mapped(record, best)
