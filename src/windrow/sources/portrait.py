"""Which fields a format fills: documents counted field by field. For `compare`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from windrow.model.document import Document, LinkKind

Count = Callable[[Document], int]


def _links(kind: LinkKind) -> Count:
    return lambda document: sum(link.kind is kind for link in document.links)


# What a person looks for in a record, in the order in which a page about it would show it.
FIELDS: Mapping[str, Count] = {
    "title": lambda document: len(document.titles),
    "creators": lambda document: len(document.creators),
    "contributors": lambda document: len(document.contributors),
    "year": lambda document: int(document.year is not None),
    "language": lambda document: len(document.languages),
    "type": lambda document: len(document.types),
    "pages": lambda document: int(document.pages is not None),
    "subjects": lambda document: len(document.subjects),
    "keywords": lambda document: len(document.keywords),
    "abstract": lambda document: len(document.descriptions),
    "publisher": lambda document: len(document.publishers),
    "institution": lambda document: int(document.institution is not None),
    "department": lambda document: int(document.department is not None),
    "full-text link": _links(LinkKind.FULLTEXT),
    "landing page": _links(LinkKind.LANDING),
    "identifiers": lambda document: len(document.names),
    "rights": lambda document: len(document.rights),
    "part of": lambda document: len(document.sources),
    "relations": lambda document: len(document.relations),
}
OTHER = "other values"  # no field has a place for them; they are kept all the same


@dataclass(frozen=True, slots=True)
class Fill:
    """How one field is filled: the share of records that have it, and how many values those have."""

    share: float
    mean: float


@dataclass(frozen=True, slots=True)
class Portrait:
    """A format as it shows in a sample of records; `trouble` says why there are fewer, or none."""

    prefix: str
    reader: str | None  # None: no reader of its own, so fields are picked out by the look of their names
    records: int
    mean_bytes: int
    fills: Mapping[str, Fill]
    trouble: str = ""

    @property
    def score(self) -> float:
        """How many fields the typical record fills."""
        return sum(fill.share for name, fill in self.fills.items() if name != OTHER)


def paint(
    prefix: str, documents: Sequence[Document], *, reader: str | None, total_bytes: int, trouble: str = ""
) -> Portrait:
    """Count what these documents hold."""
    if not documents:
        return Portrait(prefix, reader, 0, 0, {}, trouble)
    fills = {name: _fill([count(document) for document in documents]) for name, count in FIELDS.items()}
    fills[OTHER] = _fill([sum(map(len, document.extra.values())) for document in documents])
    return Portrait(prefix, reader, len(documents), total_bytes // len(documents), fills, trouble)


def _fill(counts: Sequence[int]) -> Fill:
    having = [count for count in counts if count]
    return Fill(len(having) / len(counts), sum(having) / len(having) if having else 0.0)
