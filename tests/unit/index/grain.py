"""A store and the index of it in a folder, and short ways to change the one and look at the other."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import tantivy

from tests.contracts.store.shelf import Shelf, live
from windrow.index.feeder import IndexUpdate, follow
from windrow.index.generations import Generations
from windrow.index.protocol import Order
from windrow.index.tantivy.live_index import LiveIndex
from windrow.model.record import Record
from windrow.protocols.query.query_parser import parse_query
from windrow.store.store import Store, create_store

DC = (
    b'<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/"'
    b' xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>%s</dc:title></oai_dc:dc>'
)


def titled(identifier: str, title: str, *, sets: tuple[str, ...] = ()) -> Record:
    """A record with nothing but a title."""
    return live(identifier, DC % title.encode(), sets=sets, declarations=b"")


class Grain:
    """A library's folder: its store is written to through `shelf`."""

    def __init__(self, folder: Path, store: Store) -> None:
        self.folder = folder / "index"
        self.store = store
        self.shelf = Shelf(store, "hay")
        self.generations = Generations(self.folder)

    def follow(self, *, is_rebuilding: bool = False) -> IndexUpdate:
        return follow(self.store, self.generations, is_rebuilding=is_rebuilding)

    def titles(self, text: str = "*") -> list[str]:
        """The titles that a search finds now, in the order they came in."""
        return titles(LiveIndex(self.folder), text)

    def segments(self) -> int:
        """In how many pieces the index lies."""
        path = self.generations.path(self.generations.current() or "")
        return int(tantivy.Index.open(str(path)).searcher().num_segments)


def titles(index: LiveIndex, text: str = "*") -> list[str]:
    found = index.search(parse_query(text).query, limit=1000, order=Order.NUMBER)
    return [hit.card.title for hit in found.hits]


@contextmanager
def grain_in(folder: Path) -> Iterator[Grain]:
    """A new library in a folder."""
    store = create_store(folder)
    try:
        yield Grain(folder, store)
    finally:
        store.close()
