"""Populations for the tests of statistics: documents made for the purpose, counted by looking at each."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

from tests.oracle.entries import sample_entries
from tests.oracle.memory_index import MemoryIndex
from windrow.index.tantivy.rows import Entry
from windrow.model.document import Agent, Document, Subject
from windrow.model.query import Everything, Query
from windrow.stats.population import Population
from windrow.stats.table import Cell, Origin, Table, to_english

NOW = datetime(2024, 6, 1, tzinfo=UTC)
SAMPLE = sample_entries(400, seed=7)


def population(
    entries: Iterable[Entry] | None = None,
    query: Query | None = None,
    *,
    now: datetime = NOW,
    institutions: tuple[str, ...] = (),
    year_starts: int = 0,
) -> Population:
    """The population of some entries, or of the sample."""
    index = MemoryIndex(SAMPLE if entries is None else entries, year_starts=year_starts)
    return Population(index, query or Everything(), Origin("Sample"), now, institutions=institutions)


def documents(*made: Document, source: str = "barn") -> list[Entry]:
    """Entries of these documents."""
    return [
        Entry(place, source, f"oai:{source}:{place}", (), each) for place, each in enumerate(made, start=1)
    ]


def dated(year: int | None, *subjects: str, pages: int | None = None, institution: str = "A") -> Document:
    """A document of which nothing else is counted."""
    return Document(
        year=year, subjects=tuple(map(Subject, subjects)), pages=pages, institution=institution or None
    )


def joint(*affiliations: str) -> Document:
    """A document whose people are from these institutions."""
    people = tuple(Agent(f"Person {name}", affiliations=(name,)) for name in affiliations)
    return Document(creators=people)


def rows(table: Table, *names: str) -> list[tuple[Cell, ...]]:
    """The cells of some columns, row by row."""
    places = [table.place(name) for name in names]
    return [tuple(row.cells[place] for place in places) for row in table.rows]


def notes(table: Table) -> str:
    """All that is said about a table."""
    return " ".join(to_english(note) for note in table.notes)
