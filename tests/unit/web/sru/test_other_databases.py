"""A database of other records than the library's, such as the concepts of a vocabulary, over SRU."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from tests.unit.search.catalogue import Catalogue
from tests.unit.web.sru.stage import numbers, staged, stock, texts, total
from windrow.index.protocol import FacetCounts, FacetRequest, ScanTerm
from windrow.model.document import Document, Text
from windrow.model.query import Query, SortKey, Word
from windrow.search.databases import Hits, Records
from windrow.store.records.record_reader import StoredPayload

TERMS = ("hay", "meadow", "straw")


@dataclass
class Concept:
    place: int
    identifier: str
    source: str = "terms"
    stamp: str = ""
    changed: datetime | None = None
    payloads: Sequence[StoredPayload] = ()

    @property
    def document(self) -> Document:
        return Document(titles=(Text(self.identifier),))

    @property
    def rendered(self) -> Mapping[str, bytes]:
        return {"zthes": f"<Zthes><term><termName>{self.identifier}</termName></term></Zthes>".encode()}


@dataclass
class Found:
    terms: Sequence[str]
    generation: str = "1"

    @property
    def total(self) -> int:
        return len(self.terms)

    def records(self, start: int, count: int) -> Records:
        chosen = self.terms[start - 1 : start - 1 + count]
        return [Concept(place, term) for place, term in enumerate(chosen, start)]


@dataclass
class Terms:
    name: str = "terms"
    title: str = "Terms & trees"
    description: str = "What things are called."
    generation: str = "1"
    schemas: Sequence[str] = ("zthes", "dc")
    indexes: Mapping[str, str] = field(default_factory=lambda: {"zthes.termName": "title"})

    def search(self, query: Query, sort: Sequence[SortKey] = (), *, expected: int = 0) -> Hits:
        wanted = query.text if isinstance(query, Word) else ""
        return Found([term for term in TERMS if not wanted or term == wanted])

    def scan(
        self, name: str | None, term: str, *, before: int = 0, size: int = 20, is_whole: bool = False
    ) -> Sequence[ScanTerm]:
        return [ScanTerm(each, 1, each) for each in TERMS if each >= term][:size]

    def tally(self, query: Query, tallies: Sequence[FacetRequest]) -> tuple[FacetCounts, ...]:
        return tuple(FacetCounts(()) for _ in tallies)


def test_its_own_records_indexes_and_schemas_are_served(tmp_path: Path) -> None:
    catalogue = Catalogue(tmp_path)
    stock(catalogue)
    with staged(tmp_path, catalogue, others=(Terms(),)) as sru:
        found = sru.search("zthes.termName = meadow", name="terms")
        assert total(found) == 1
        assert texts(found, "termName") == ["meadow"]
        assert texts(found, "recordSchema") == ["http://zthes.z3950.org/xml/1.0/"]
        assert total(sru.search("cql.allRecords = 1", name="terms", recordSchema="dc")) == 3
        assert numbers(sru.search("meadow", name="terms", recordSchema="marcxml")) == [66]
        assert numbers(sru.search("zthes.termName = meadow")) == [15]  # the library has no such index
        explained = sru.xml({"operation": "explain", "version": "1.1"}, name="terms")
        assert "zthes.termName" in texts(explained, "title")
        assert "What things are called." in texts(explained, "description")
        assert texts(sru.xml({"scanClause": "zthes.termName = m"}, name="terms"), "value") == [
            "meadow",
            "straw",
        ]
    catalogue.close()
