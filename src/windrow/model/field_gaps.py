"""Fields that an unusual share of a source's records lack: no title, no date, no person.

A repository that wraps its Dublin Core in an unforeseen way, or a format without a reader, shows here and
nowhere else: every record arrives and is kept, so the run is `ok`. The limits were chosen over the shares of
some 60 real sources (`python -m bench.shares`): archival units often have no person, hardly any source leaves
more than one title in ten out. Some formats have no place for a person or a date, or seldom use it; pictures
and objects without a person are as they should be, and are not counted at all.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from windrow.model.counted_fields import document_types
from windrow.model.document import Document

TITLE, DATE, PERSON = "title", "date", "person"
# The share of records without the field from which on it is reported.
LIMITS: Mapping[str, float] = {TITLE: 0.1, DATE: 0.6, PERSON: 0.9}
LEAST_RECORDS = 20  # fewer records than these show nothing
# Types, as they are counted, whose records name a person only if one is known.
ANONYMOUS_TYPES = ("Image", "Photograph", "Postcard", "Map", "Physical object")
_ANONYMOUS = frozenset(ANONYMOUS_TYPES)
# Beginnings of metadata prefixes in which persons or dates are seldom given.
_SPARSE_PREFIXES = """
lido edm ese ead eac mets cmdi lom oai_lom ieee iso gmd ddi oai_ddi cerif oai_cerif rdf skos
windrow_document wir
"""
_SPARSE = tuple(_SPARSE_PREFIXES.split())


@dataclass(frozen=True, slots=True)
class Gap:
    """A field that too many records lack: how many of how many, and the identifier of one of them."""

    field: str
    missing: int
    records: int
    example: str = ""

    @property
    def percent(self) -> str:
        """The share as people read it, rounded down: 100 only where it is all of them."""
        return str(100 * self.missing // self.records)

    def words(self) -> str:
        """Return one sentence about it, in English."""
        example = f", for example {self.example}" if self.example else ""
        return f"{self.percent} % of the records have no {self.field}{example}"


def missing_fields(document: Document) -> Iterable[str]:
    """Yield which of the fields a document lacks."""
    if not document.titles:
        yield TITLE
    if document.year is None:
        yield DATE
    if not document.creators and not document.contributors and not is_excused(PERSON, document):
        yield PERSON


def is_excused(field: str, document: Document) -> bool:
    """Return whether a document is none of those that a field is counted over: a picture by nobody known."""
    if field != PERSON or document.creators or document.contributors:
        return False
    return not _ANONYMOUS.isdisjoint(document_types(document))


def is_unusual(field: str, missing: int, records: int, formats: Collection[str]) -> bool:
    """Return whether so many records without a field are worth a word, in these formats (by their prefix)."""
    if records < LEAST_RECORDS or missing <= LIMITS[field] * records:
        return False
    return field == TITLE or not formats or not all(each.lower().startswith(_SPARSE) for each in formats)
