"""The indexes that keep the protocol, each made of some entries."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import tantivy

from tests.oracle.memory_index import MemoryIndex
from windrow.index.protocol import Index
from windrow.index.tantivy.layout import NUMBER, register, schema
from windrow.index.tantivy.rows import Entry, written_rows
from windrow.index.tantivy.searching import TantivyIndex

HEAP_BYTES = 15_000_000  # the least that Tantivy takes


class Shelf:
    """A real index without a folder, to be changed step by step."""

    def __init__(self) -> None:
        self._index = register(tantivy.Index(schema()))
        self._writer = self._index.writer(HEAP_BYTES, 1)

    def put(self, entries: Iterable[Entry]) -> None:
        for entry in entries:
            self._writer.delete_documents_by_term(NUMBER, entry.number)
            self._writer.add_json(*written_rows([entry]))
        self._writer.commit()

    def remove(self, numbers: Iterable[int]) -> None:
        for number in numbers:
            self._writer.delete_documents_by_term(NUMBER, number)
        self._writer.commit()

    def index(self, year_starts: int = 0) -> TantivyIndex:
        self._index.reload()
        return TantivyIndex(self._index.searcher(), generation="test", year_starts=year_starts)


def in_one_segment(entries: Sequence[Entry], *, year_starts: int = 0) -> TantivyIndex:
    """A real index of these entries."""
    shelf = Shelf()
    shelf.put(entries)
    return shelf.index(year_starts)


def in_several_segments(entries: Sequence[Entry], *, year_starts: int = 0) -> TantivyIndex:
    """The same, in pieces, with documents that were replaced and others that were removed."""
    shelf = Shelf()
    third = len(entries) // 3 + 1
    strangers = [entry._replace(number=entry.number + 1_000_000) for entry in entries[:third]]
    shelf.put([*entries[: 2 * third], *strangers])
    shelf.put(entries[third:])
    shelf.remove(entry.number for entry in strangers)
    return shelf.index(year_starts)


class BackEnd(NamedTuple):
    """A kind of index."""

    name: str
    make: Callable[..., Index]


BACK_ENDS = (
    BackEnd("memory", MemoryIndex),
    BackEnd("tantivy", in_one_segment),
    BackEnd("tantivy-pieces", in_several_segments),
)
