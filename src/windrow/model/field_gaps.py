"""Fields that are missing from an unusual share of a source's records: title, date, person.

Such a gap reveals a repository that wraps its Dublin Core in an unexpected way, or a format without a reader:
all records are stored and the run is `ok`. The limits were chosen from some 60 real sources (`python -m
bench.shares`): archival units often have no person, and hardly any source lacks more than one title in ten.
Formats that have no person or date, or seldom use them, and images and objects, for which a person is
optional, are not counted.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from windrow.model.counted_fields import document_types
from windrow.model.document import Document

TITLE, DATE, PERSON = "title", "date", "person"
# The share of records without a field above which the gap is reported.
LIMITS: Mapping[str, float] = {TITLE: 0.1, DATE: 0.6, PERSON: 0.9}
LEAST_RECORDS = 20  # with fewer records nothing is reported
# Types, as they are counted, whose records often have no known person.
ANONYMOUS_TYPES = ("Image", "Photograph", "Postcard", "Map", "Physical object")
_ANONYMOUS = frozenset(ANONYMOUS_TYPES)
# Prefixes of metadata formats in which persons or dates are rare.
_SPARSE_PREFIXES = """
lido edm ese ead eac mets cmdi lom oai_lom ieee iso gmd ddi oai_ddi cerif oai_cerif rdf skos
windrow_document wir
"""
_SPARSE = tuple(_SPARSE_PREFIXES.split())


@dataclass(frozen=True, slots=True)
class Gap:
    """A field that too many records lack, with the counts and the identifier of one such record."""

    field: str
    missing: int
    records: int
    example: str = ""

    @property
    def percent(self) -> str:
        """The share as an integer, rounded down so that 100 means all records."""
        return str(100 * self.missing // self.records)

    def words(self) -> str:
        example = f", for example {self.example}" if self.example else ""
        return f"{self.percent} % of the records have no {self.field}{example}"


def missing_fields(document: Document) -> Iterable[str]:
    if not document.titles:
        yield TITLE
    if document.year is None:
        yield DATE
    if not document.creators and not document.contributors and not is_excused(PERSON, document):
        yield PERSON


def is_excused(field: str, document: Document) -> bool:
    if field != PERSON or document.creators or document.contributors:
        return False
    return not _ANONYMOUS.isdisjoint(document_types(document))


def is_unusual(field: str, missing: int, records: int, formats: Collection[str]) -> bool:
    """Return whether so many records without a field should be reported for these metadata prefixes."""
    if records < LEAST_RECORDS or missing <= LIMITS[field] * records:
        return False
    return field == TITLE or not formats or not all(each.lower().startswith(_SPARSE) for each in formats)
