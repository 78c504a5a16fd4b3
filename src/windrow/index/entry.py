"""One document on its way into an index."""

from __future__ import annotations

from typing import NamedTuple

from windrow.model.concepts import ConceptTable
from windrow.model.document import Document


class Entry(NamedTuple):
    """A record's number and whereabouts, and its document."""

    number: int
    source: str
    identifier: str
    sets: tuple[str, ...]
    document: Document
    stamp: str = ""  # the provider's datestamp
    change: int = 0  # the number of its newest change in the store
    types: ConceptTable | None = None  # where the owner has extended the built-in table for its source
