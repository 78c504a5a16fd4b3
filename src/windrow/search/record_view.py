"""One record as a whole: its document, metadata, sets and history, as shown on a record page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from windrow.exports.entries import map_record
from windrow.formats.known_formats import richness_rank
from windrow.formats.registry import read
from windrow.model.document import Document, Text
from windrow.protocols.oai.payload_xml import make_standalone
from windrow.store import sources
from windrow.store.connection import Connection
from windrow.store.published.indexable_records import IndexableReader, IndexableRecord
from windrow.store.published.public_records import PublicRecord, RecordGlance, find_glance, find_public_record
from windrow.store.records import record_reader
from windrow.store.store import Store

MAX_CHANGES = 200  # latest entries of the history


@dataclass(frozen=True, slots=True)
class SetMembership:
    """A set that contains the record; an unnamed set is shown by its setSpec."""

    spec: str
    name: str


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """An event of the record's history: added, changed, deleted, restored, sets or format."""

    kind: str
    at: datetime
    run: int  # 0 means none


@dataclass(frozen=True)
class RawMetadata:
    """The metadata in one format, as harvested."""

    prefix: str
    payload: bytes
    declarations: bytes  # namespaces declared on the surrounding elements

    @property
    def size(self) -> int:
        return len(self.data)

    @cached_property
    def data(self) -> bytes:
        """A standalone XML document in UTF-8, built on demand."""
        return make_standalone(self.payload, self.declarations)


@dataclass(frozen=True, slots=True)
class RecordView:
    """A record that is not deleted."""

    number: int
    source: str
    identifier: str
    stamp: str  # the datestamp from the source
    seq: int  # of its latest change, including set names
    document: Document
    problem: str  # why there is no document, else empty
    raws: tuple[RawMetadata, ...]
    sets: tuple[SetMembership, ...]
    added: datetime | None
    changed: datetime
    shown: datetime  # when its page last changed: the record or its set names
    seen: datetime  # when its source was last harvested successfully, with the record in it
    history: tuple[HistoryEntry, ...]  # latest first

    def raw(self, prefix: str) -> RawMetadata | None:
        return next((each for each in self.raws if each.prefix == prefix), None)


@dataclass(frozen=True, slots=True)
class DeletedRecord:
    """A record that was deleted, or that its source reports as deleted."""

    source: str
    identifier: str
    stamp: str
    seq: int  # of its latest change
    changed: datetime
    since: datetime  # when it was deleted
    history: tuple[HistoryEntry, ...]


def find_record(store: Store, source: str, identifier: str) -> RecordView | DeletedRecord | None:
    """Return a record; None if there is none or it is not public."""
    with store.reading() as connection:
        found = find_public_record(connection, source, identifier, most_past=MAX_CHANGES)
    if found is None:
        return None
    return _gone(found) if found.record.is_deleted else _view(found)


def find_small(store: Store, source: str, identifier: str, *, most_bytes: int) -> RecordView | None:
    """Return an existing record with at most `most_bytes` of metadata, else None."""
    with store.reading() as connection:
        found = find_public_record(
            connection, source, identifier, most_past=MAX_CHANGES, most_bytes=most_bytes
        )
    return None if found is None or found.record.is_deleted else _view(found)


def find_state(store: Store, source: str, identifier: str) -> RecordGlance | None:
    """Return what a record page depends on, in one short query; None as in `find_record`."""
    with store.reading() as connection:
        return find_glance(connection, source, identifier)


def find_moved(store: Store, source: str, identifier: str, *, to_gone: bool = False) -> str | None:
    """Return the identifier that this record was merged into, or None.

    With `to_gone`, a record that has itself been deleted counts if there is no other.
    """
    with store.reading() as connection:
        known = sources.find(connection, source)
        target = record_reader.resolve_alias(connection, known.id, identifier) if known is not None else None
        found = find_glance(connection, source, target) if target is not None else None
    return target if found is not None and (to_gone or not found.is_deleted) else None


def _view(found: PublicRecord) -> RecordView:
    record, history = found.record, _history(found)
    entry = map_record(record, record.payload())
    good = found.last_good
    return RecordView(
        number=record.id,
        source=record.source,
        identifier=record.identifier,
        stamp=record.stamp,
        seq=found.shown_seq,
        document=entry.document,
        problem=entry.problem,
        raws=tuple(RawMetadata(each.prefix, each.data, each.declarations) for each in record.payloads),
        sets=tuple(SetMembership(spec, found.set_names.get(spec) or spec) for spec in record.sets),
        added=None if found.came_deleted else found.began,
        changed=record.changed_at,
        shown=found.shown_at,
        seen=record.changed_at if good is None else max(good, record.changed_at),
        history=history,
    )


def _gone(found: PublicRecord) -> DeletedRecord:
    record, history = found.record, _history(found)
    deleted = (each.at for each in history if each.kind == "deleted")
    since = next(deleted, record.changed_at)
    return DeletedRecord(
        record.source, record.identifier, record.stamp, record.seq, record.changed_at, since, history
    )


def _history(found: PublicRecord) -> tuple[HistoryEntry, ...]:
    """The history, latest first; the first entry comes from the run that added the record."""
    past = [HistoryEntry(each.kind, each.at, each.run) for each in found.past]
    if found.began is not None:
        kind = "deleted" if found.came_deleted else "added"
        past.append(HistoryEntry(kind, found.began, found.record.added_run))
    return tuple(past[:MAX_CHANGES])


# Titles are read from the store because the index may lag behind it.


def read_titles(connection: Connection, numbers: Sequence[int]) -> dict[int, Text]:
    """Return the titles of these records; those without a title are left out."""
    told = ((each.number, _title(each)) for each in IndexableReader(richness_rank).get(connection, numbers))
    return {number: title for number, title in told if title is not None}


def _title(fodder: IndexableRecord) -> Text | None:
    if fodder.payload is None:
        return None
    try:
        found = read(fodder.payload, fodder.declarations, fodder.prefix).titles
    except Exception:  # noqa: BLE001 - one bad record, or one bad plug-in, must not cost the whole list
        return None
    return next((each for each in found if each.value.strip()), None)
