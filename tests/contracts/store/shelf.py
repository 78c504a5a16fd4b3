"""A store with one source in it, and short ways to write to it and look at it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from windrow.model.record import Record
from windrow.model.run import Counters
from windrow.store import runs, sequence, sources
from windrow.store.connection import Connection
from windrow.store.records.page_writer import PageWriter
from windrow.store.records.record_reader import RecordChange, RecordReader, StoredRecord
from windrow.store.records.set_hierarchy import SetGroups
from windrow.store.store import Store, create_store, open_store

NOW = datetime(2024, 6, 1, 12, tzinfo=UTC)
DECLARATIONS = b' xmlns:dc="urn:dc"'


@dataclass(frozen=True)
class BackEnd:
    """A kind of store: how one is made in a folder, and opened again."""

    name: str
    create: Callable[[Path], Store]
    open: Callable[[Path], Store]


BACK_ENDS = [BackEnd("sqlite", create_store, open_store)]


def live(
    identifier: str,
    payload: bytes = b"<x/>",
    *,
    stamp: str = "2024-05-01",
    sets: tuple[str, ...] = (),
    about: bytes | None = None,
    declarations: bytes = DECLARATIONS,
) -> Record:
    return Record(identifier, stamp, sets, False, payload, about, declarations)


def gone(identifier: str, *, stamp: str = "2024-05-02", sets: tuple[str, ...] = ()) -> Record:
    return Record(identifier, stamp, sets, True)


class Shelf:
    """One source of a store, written to by a run of its own each time."""

    def __init__(self, store: Store, name: str = "hay") -> None:
        self.store = store
        self.name = name
        with store.writing() as connection:
            self.source_id = sources.ensure(connection, name, f"https://{name}.example/oai").id
        self.run_id = 0

    def start_run(self) -> int:
        with self.store.writing() as connection:
            return self.start_run_in(connection)

    def start_run_in(self, connection: Connection) -> int:
        self.run_id = runs.start(connection, self.source_id, "harvest", now=NOW, arguments={})
        return self.run_id

    def writer(self, prefix: str | None = "oai_dc") -> PageWriter:
        self.start_run()
        with self.store.writing() as connection:
            number = sources.format_id(connection, prefix) if prefix else None
        return PageWriter(self.source_id, number, run_id=self.run_id, groups=SetGroups(self.source_id))

    def write(self, *records: Record, prefix: str | None = "oai_dc", now: int = 1000) -> Counters:
        writer = self.writer(prefix)
        self.store.clock = lambda: now
        with self.store.writing() as connection:
            return writer.write(connection, records)

    def find(self, identifier: str) -> StoredRecord:
        with self.store.reading() as connection:
            (found,) = RecordReader().find(connection, identifier, source=self.name)
        return found

    def history(self, identifier: str) -> list[RecordChange]:
        record_id = self.find(identifier).id
        with self.store.reading() as connection:
            return RecordReader().history(connection, record_id)

    def changes(self, run_id: int | None = None) -> list[tuple[str, str]]:
        with self.store.reading() as connection:
            found = list(RecordReader().changes(connection, run_id or self.run_id))
        return [(change.kind, change.identifier) for change in found]

    def last_seq(self) -> int:
        with self.store.reading() as connection:
            return sequence.last(connection)

    def count(self, table: str) -> int:
        with self.store.reading() as connection:
            return int(connection.execute(f'SELECT COUNT(*) FROM "{table}"').scalar_one())


def numbers(counters: Counters) -> dict[str, int]:
    """The counters that are not zero."""
    return {name: count for name, count in counters.as_dict().items() if count}
