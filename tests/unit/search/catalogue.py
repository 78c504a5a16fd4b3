"""A library in a folder with records in its store and all of them in an index, for what is found in both."""

from __future__ import annotations

from pathlib import Path
from xml.sax.saxutils import escape

from tests.contracts.store.shelf import Shelf, gone, live
from tests.oracle.memory_index import MemoryIndex
from windrow.exports.entries import map_record
from windrow.index.tantivy.rows import Entry
from windrow.store.records.record_reader import RecordReader
from windrow.store.store import Store, create_store

DC = "http://purl.org/dc/elements/1.1/"
ETHOS = "http://naca.central.cranfield.ac.uk/ethos-oai"
DECLARATIONS = (
    f' xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="{DC}"'
    f' xmlns:uketd_dc="{ETHOS}/2.0/" xmlns:uketdterms="{ETHOS}/terms/"'
).encode()
_OF_THESES = ("institution", "department")  # which oai_dc has no elements for


def metadata(**values: str | tuple[str, ...]) -> bytes:
    """A payload with these elements: oai_dc, or uketd_dc where an institution is among them."""
    elements = [
        f"<{_prefix(name)}:{name}>{escape(text)}</{_prefix(name)}:{name}>"
        for name, texts in values.items()
        for text in ((texts,) if isinstance(texts, str) else texts)
    ]
    root = "uketd_dc:uketddc" if values.keys() & set(_OF_THESES) else "oai_dc:dc"
    return f"<{root}>{''.join(elements)}</{root}>".encode()


def _prefix(name: str) -> str:
    return "uketdterms" if name in _OF_THESES else "dc"


class Catalogue:
    """A store whose records come from sources; the index is made anew whenever it is asked for."""

    def __init__(self, folder: Path) -> None:
        self.store: Store = create_store(folder)
        self._shelves: dict[str, Shelf] = {}
        self._seconds = 1_000_000

    def shelf(self, source: str) -> Shelf:
        if source not in self._shelves:
            self._shelves[source] = Shelf(self.store, source)
        return self._shelves[source]

    def add(
        self,
        identifier: str,
        /,
        *,
        source: str = "hay",
        prefix: str = "oai_dc",
        sets: tuple[str, ...] = (),
        payload: bytes | None = None,
        **values: str | tuple[str, ...],
    ) -> None:
        """Let a record come, or change, an hour after the one before."""
        self._seconds += 3600
        record = live(
            identifier,
            metadata(**values) if payload is None else payload,
            sets=sets,
            declarations=DECLARATIONS,
        )
        self.shelf(source).write(record, prefix=prefix, now=self._seconds)

    def withdraw(self, identifier: str, *, source: str = "hay") -> None:
        self._seconds += 3600
        self.shelf(source).write(gone(identifier), now=self._seconds)

    def index(self) -> MemoryIndex:
        with self.store.reading() as connection:
            batches = list(RecordReader().batches(connection))
        return MemoryIndex(
            Entry(
                record.id,
                record.source,
                record.identifier,
                record.sets,
                map_record(record, record.payload()).document,
                record.stamp,
            )
            for batch in batches
            for record in batch
        )

    def close(self) -> None:
        self.store.close()
