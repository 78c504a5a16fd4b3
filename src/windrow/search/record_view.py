"""One record as a whole: what it says, how it came, what happened to it. What a record page shows."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from windrow.exports.entry import mapped
from windrow.model.document import Document
from windrow.store import aliases, sources
from windrow.store.one_record import Glance, OneRecord, find_one, glance
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


@dataclass(frozen=True)
class Raw:
    """The metadata as it came, in one format."""

    prefix: str
    payload: bytes
    declarations: bytes  # the namespaces that were declared around it

    @property
    def size(self) -> int:
        """In bytes, of what stands alone."""
        return len(self.data)

    @cached_property
    def data(self) -> bytes:
        """XML that stands alone, in UTF-8; made when somebody wants it."""
        return standalone(self.payload, self.declarations)


@dataclass(frozen=True, slots=True)
class RecordView:
    """A record that is there."""

    number: int
    source: str
    identifier: str
    stamp: str  # as the source told it
    seq: int  # of its newest change, or of what its sets say of it
    document: Document
    problem: str  # why there is no document, else empty
    raws: tuple[Raw, ...]
    sets: tuple[InSet, ...]
    added: datetime | None
    changed: datetime
    shown: datetime  # when its page last changed: the record, or what its sets say of it
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
    seq: int  # of its newest change
    changed: datetime
    since: datetime  # when it was deleted
    history: tuple[Happening, ...]


def find_record(store: Store, source: str, identifier: str) -> RecordView | Gone | None:
    """Give a record; None where there is none, and where it is not for everybody."""
    with store.reading() as connection:
        found = find_one(connection, source, identifier, most_past=MOST_CHANGES)
    if found is None:
        return None
    return _gone(found) if found.record.is_deleted else _view(found)


def find_small(store: Store, source: str, identifier: str, *, most_bytes: int) -> RecordView | None:
    """Give a record that is there, with no more metadata than so many bytes; None for every other."""
    with store.reading() as connection:
        found = find_one(connection, source, identifier, most_past=MOST_CHANGES, most_bytes=most_bytes)
    return None if found is None or found.record.is_deleted else _view(found)


def find_state(store: Store, source: str, identifier: str) -> Glance | None:
    """Give what the page of a record depends on, in the time of one small question; None as above."""
    with store.reading() as connection:
        return glance(connection, source, identifier)


def find_moved(store: Store, source: str, identifier: str, *, to_gone: bool = False) -> str | None:
    """Give the identifier that this one was merged into; None where it was not.

    One that leads to a record that is gone in turn counts only where nothing else is known (`to_gone`).
    """
    with store.reading() as connection:
        known = sources.find(connection, source)
        target = aliases.find(connection, known.id, identifier) if known is not None else None
        found = glance(connection, source, target) if target is not None else None
    return target if found is not None and (to_gone or not found.is_deleted) else None


def _view(found: OneRecord) -> RecordView:
    record, history = found.record, _history(found)
    entry = mapped(record, record.payload())
    good = found.last_good
    return RecordView(
        number=record.id,
        source=record.source,
        identifier=record.identifier,
        stamp=record.stamp,
        seq=found.shown_seq,
        document=entry.document,
        problem=entry.problem,
        raws=tuple(Raw(each.prefix, each.data, each.declarations) for each in record.payloads),
        sets=tuple(InSet(spec, found.set_names.get(spec) or spec) for spec in record.sets),
        added=None if found.came_deleted else found.began,
        changed=record.changed_at,
        shown=found.shown_at,
        seen=record.changed_at if good is None else max(good, record.changed_at),
        history=history,
    )


def _gone(found: OneRecord) -> Gone:
    record, history = found.record, _history(found)
    deleted = (each.at for each in history if each.kind == "deleted")
    since = next(deleted, record.changed_at)
    return Gone(record.source, record.identifier, record.stamp, record.seq, record.changed_at, since, history)


def _history(found: OneRecord) -> tuple[Happening, ...]:
    """What happened, the latest first; how it began is told by the run that brought it."""
    past = [Happening(each.kind, each.at, each.run) for each in found.past]
    if found.began is not None:
        kind = "deleted" if found.came_deleted else "added"
        past.append(Happening(kind, found.began, found.record.added_run))
    return tuple(past[:MOST_CHANGES])
