"""One record as a whole: what it says, how it came, what happened to it. What a record page shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from windrow.exports.entry import mapped
from windrow.model.document import Document
from windrow.model.run import Run
from windrow.store import runs
from windrow.store.guards import guarded
from windrow.store.records import Change, RecordReader, StoredRecord, set_names
from windrow.store.store import Store
from windrow.wire.oai.namespaces import standalone

MOST_CHANGES = 200  # of the history, the latest


@dataclass(frozen=True, slots=True)
class InSet:
    """A set that the record is in; without a name of its own it is called by its spec."""

    spec: str
    name: str


@dataclass(frozen=True, slots=True)
class Happening:
    """Something that happened to the record: added, changed, deleted, restored, sets, format."""

    kind: str
    at: datetime
    run: int  # 0: none


@dataclass(frozen=True, slots=True)
class Raw:
    """The metadata as it came, in one format."""

    prefix: str
    data: bytes  # XML that stands alone, in UTF-8

    @property
    def size(self) -> int:
        """In bytes."""
        return len(self.data)


@dataclass(frozen=True, slots=True)
class RecordView:
    """A record that is there."""

    number: int
    source: str
    identifier: str
    stamp: str  # as the source told it
    document: Document
    problem: str  # why there is no document, else empty
    raws: tuple[Raw, ...]
    sets: tuple[InSet, ...]
    added: datetime | None
    changed: datetime
    seen: datetime  # when its source was last harvested well: it was there then
    history: tuple[Happening, ...]  # the latest first

    def raw(self, prefix: str) -> Raw | None:
        """The metadata in one format."""
        return next((each for each in self.raws if each.prefix == prefix), None)


@dataclass(frozen=True, slots=True)
class Gone:
    """A record that was there, or that its source says was."""

    source: str
    identifier: str
    stamp: str
    since: datetime
    history: tuple[Happening, ...]


def find_record(store: Store, source: str, identifier: str) -> RecordView | Gone | None:
    """Give a record; None where there is none, and where it is not for everybody."""
    reader = RecordReader()
    with store.reading() as connection:
        found = reader.find(connection, identifier, source=source)
        if not found or guarded(connection, [found[0].id]):
            return None
        record = found[0]
        changes = reader.history(connection, record.id)
        first = runs.latest(connection, source=source, limit=1, before=record.added_run + 1)
        good = runs.last_good(connection, source)
        names = set_names(connection, source, record.sets) if record.sets else {}
    history = _history(record, changes, first)
    if record.is_deleted:
        return _gone(record, history)
    return _view(record, history, good, names)


def _view(
    record: StoredRecord, history: tuple[Happening, ...], good: Run | None, names: Mapping[str, str]
) -> RecordView:
    entry = mapped(record, record.payload())
    return RecordView(
        number=record.id,
        source=record.source,
        identifier=record.identifier,
        stamp=record.stamp,
        document=entry.document,
        problem=entry.problem,
        raws=tuple(Raw(each.prefix, standalone(each.data, each.declarations)) for each in record.payloads),
        sets=tuple(InSet(spec, names.get(spec) or spec) for spec in record.sets),
        added=next((each.at for each in reversed(history) if each.kind == "added"), None),
        changed=record.changed_at,
        seen=record.changed_at if good is None else max(good.started, record.changed_at),
        history=history[:MOST_CHANGES],
    )


def _gone(record: StoredRecord, history: tuple[Happening, ...]) -> Gone:
    deleted = (each.at for each in history if each.kind == "deleted")
    since = next(deleted, record.changed_at)
    return Gone(record.source, record.identifier, record.stamp, since, history[:MOST_CHANGES])


def _history(record: StoredRecord, changes: Sequence[Change], first: Sequence[Run]) -> tuple[Happening, ...]:
    """What happened, the latest first; how it began is told by the run that brought it."""
    found = [Happening(change.kind, change.changed_at, change.run) for change in changes]
    turns = [each.kind for each in found if each.kind in ("deleted", "restored")]
    came_deleted = turns[0] == "restored" if turns else record.is_deleted
    if first and first[0].id == record.added_run:
        found.insert(0, Happening("deleted" if came_deleted else "added", first[0].started, first[0].id))
    return tuple(reversed(found))
