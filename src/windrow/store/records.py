"""Records read back: one by name, many in the order of their numbers, what a run did to them."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from sqlalchemy import BindParameter, Row, and_, bindparam, func, select

from windrow.formats.richness import rank
from windrow.model.set_roles import UNASSIGNED, Assignment, assignment_of
from windrow.store import schema
from windrow.store.connection import Connection
from windrow.store.guards import GUARD
from windrow.store.moments import Moments
from windrow.store.payloads import Unpacker

BATCH = 500


@dataclass(frozen=True, slots=True)
class StoredPayload:
    """The metadata of a record in one format: the bytes as they came, and what was declared around them."""

    prefix: str
    data: bytes
    declarations: bytes
    about: bytes | None = None


@dataclass(frozen=True, slots=True)
class StoredRecord:
    """A record as the library has it."""

    id: int
    source: str
    identifier: str
    stamp: str
    is_deleted: bool
    seq: int
    changed_at: datetime
    added_run: int
    changed_run: int
    sets: tuple[str, ...] = ()
    payloads: tuple[StoredPayload, ...] = field(default=(), repr=False)
    said: Assignment = UNASSIGNED  # by its sets

    def payload(self, prefix: str | None = None) -> StoredPayload | None:
        """Give the payload in one format; without a format, the one that says most."""
        if prefix is None:
            return min(self.payloads, key=lambda item: rank(item.prefix), default=None)
        return next((item for item in self.payloads if item.prefix == prefix), None)


@dataclass(frozen=True, slots=True)
class Change:
    """What happened to one record: added, changed, deleted, restored, sets, format."""

    seq: int
    kind: str
    source: str
    identifier: str
    run: int
    changed_at: datetime
    record_id: int
    before: StoredPayload | None = field(default=None, repr=False)


_RECORDS = select(schema.record, schema.source.c.name).join(
    schema.source, schema.source.c.id == schema.record.c.source_id
)
_TURN = (  # what first happened to a record that made it a tombstone, or none any more
    select(schema.history.c.kind)
    .where(
        schema.history.c.record_id == schema.record.c.id, schema.history.c.kind.in_(("deleted", "restored"))
    )
    .order_by(schema.history.c.seq)
    .limit(1)
    .scalar_subquery()
    .label("turn")
)
_PAYLOADS = (
    select(schema.payload, schema.format_.c.prefix, schema.envelope.c.declarations)
    .join(schema.format_, schema.format_.c.id == schema.payload.c.format_id)
    .join(schema.envelope, schema.envelope.c.id == schema.payload.c.envelope_id)
    .order_by(schema.payload.c.record_id, schema.payload.c.format_id)
)
_SETS = (
    select(schema.set_member.c.group_id, schema.source_set.c.spec)
    .join(schema.source_set, schema.source_set.c.id == schema.set_member.c.set_id)
    .where(~schema.source_set.c.spec.startswith(GUARD))
    .order_by(schema.set_member.c.group_id, schema.source_set.c.id)
)
# To build a statement takes longer than to run it; these take numbers when they are run.
_IDS: BindParameter[Sequence[int]] = bindparam("ids", expanding=True)
_RECORDS_BY_ID = _RECORDS.where(schema.record.c.id.in_(_IDS))
_PAYLOADS_BY_ID = _PAYLOADS.where(schema.payload.c.record_id.in_(_IDS))
_SETS_BY_ID = _SETS.where(schema.set_member.c.group_id.in_(_IDS))
_ROLES_BY_ID = select(schema.set_role).where(schema.set_role.c.group_id.in_(_IDS))


class RecordReader:
    """Reads records with their payloads unpacked."""

    def __init__(self) -> None:
        self._unpacker = Unpacker()
        self._moments = Moments()

    def find(
        self, connection: Connection, identifier: str, *, source: str | None = None
    ) -> list[StoredRecord]:
        """Give the records with this identifier: one a source."""
        query = _RECORDS.where(schema.record.c.identifier == identifier).order_by(schema.record.c.id)
        if source is not None:
            query = query.where(schema.source.c.name == source)
        return self._complete(connection, connection.execute(query).all(), prefix=None)

    def batches(
        self,
        connection: Connection,
        *,
        sources: Sequence[str] = (),
        prefix: str | None = None,
        include_deleted: bool = False,
        after: int = 0,
    ) -> Iterator[list[StoredRecord]]:
        """Give all records in the order of their numbers, some hundred at a time."""
        query = _RECORDS.order_by(schema.record.c.id).limit(BATCH)
        if sources:
            names = select(schema.source.c.id).where(schema.source.c.name.in_(sources))
            # The sum keeps SQLite from starting at an index on sources and sorting all for each batch.
            query = query.where((schema.record.c.source_id + 0).in_(names))
        if not include_deleted:
            query = query.where(schema.record.c.is_deleted.is_(False))
        while rows := connection.execute(query.where(schema.record.c.id > after)).all():
            yield self._complete(connection, rows, prefix=prefix)
            after = rows[-1].id

    def get(self, connection: Connection, ids: Sequence[int]) -> dict[int, StoredRecord]:
        """Give records by their numbers."""
        rows = connection.execute(_RECORDS_BY_ID, {"ids": list(ids)}).all()
        return {record.id: record for record in self._complete(connection, rows, prefix=None)}

    def changes(self, connection: Connection, run_id: int) -> Iterator[Change]:
        """Give what a run did, in the order it did it."""
        self._moments.refresh(connection)
        for before, last in self._moments.stretches(run_id):
            added = self._added(connection, before, last)
            past = self._past(connection, schema.history.c.seq.between(before + 1, last))
            yield from heapq.merge(added, past, key=lambda change: change.seq)

    def history(self, connection: Connection, record_id: int) -> list[Change]:
        """Give what happened to one record after it was added."""
        return list(self._past(connection, schema.history.c.record_id == record_id))

    def after(self, connection: Connection, change: Change) -> StoredPayload | None:
        """Give what took the place of the payload that a change replaced; None where nothing did."""
        if change.before is None or change.kind == "deleted":
            return None
        same_format = schema.format_.c.prefix == change.before.prefix
        later = (
            schema.history.c.record_id == change.record_id,
            schema.history.c.seq > change.seq,
            same_format,
        )
        following = next(self._past(connection, and_(*later)), None)
        if following is not None:
            return following.before
        record = self.get(connection, [change.record_id]).get(change.record_id)
        return record.payload(change.before.prefix) if record else None

    def _added(self, connection: Connection, before: int, last: int) -> Iterator[Change]:
        """What came for the first time; a tombstone from the first is a deletion of what we never had."""
        query = _RECORDS.add_columns(_TURN).where(schema.record.c.id.between(before + 1, last))
        for row in connection.execute(query.order_by(schema.record.c.id)):
            came_deleted = row.turn == "restored" if row.turn else row.is_deleted
            kind = "deleted" if came_deleted else "added"
            yield self._change(row.id, kind, row, row.id)

    def _past(self, connection: Connection, condition: object) -> Iterator[Change]:
        self._moments.refresh(connection)
        table = schema.history
        query = (
            select(
                table,
                schema.record.c.identifier,
                schema.source.c.name,
                schema.format_.c.prefix,
                schema.envelope.c.declarations,
            )
            .join(schema.record, schema.record.c.id == table.c.record_id)
            .join(schema.source, schema.source.c.id == schema.record.c.source_id)
            .outerjoin(schema.format_, schema.format_.c.id == table.c.format_id)
            .outerjoin(schema.envelope, schema.envelope.c.id == table.c.envelope_id)
            .where(condition)  # type: ignore[arg-type]
            .order_by(table.c.seq)
        )
        for row in connection.execute(query):
            before = None
            if row.block_id is not None:
                block = self._unpacker.fetch(connection, [row.block_id])[row.block_id]
                data = block[row.start : row.start + row.length]
                before = StoredPayload(row.prefix, data, row.declarations)
            yield self._change(row.seq, row.kind, row, row.record_id, before)

    def _change(
        self,
        seq: int,
        kind: str,
        row: Row[tuple[object, ...]],
        record_id: int,
        before: StoredPayload | None = None,
    ) -> Change:
        run, moment = self._moments.run(seq), _time(self._moments.at(seq))
        return Change(seq, kind, row.name, row.identifier, run, moment, record_id, before)

    def _complete(
        self, connection: Connection, rows: Sequence[Row[tuple[object, ...]]], *, prefix: str | None
    ) -> list[StoredRecord]:
        query = _PAYLOADS_BY_ID
        if prefix is not None:
            query = query.where(schema.format_.c.prefix == prefix)
        places = connection.execute(query, {"ids": [row.id for row in rows]}).all()
        blocks = self._unpacker.fetch(connection, (place.block_id for place in places))
        payloads: dict[int, list[StoredPayload]] = {}
        for place in places:
            block, end = blocks[place.block_id], place.start + place.length
            about = block[end : end + place.about] or None
            found = StoredPayload(place.prefix, block[place.start : end], place.declarations, about)
            payloads.setdefault(place.record_id, []).append(found)
        sets: dict[int, list[str]] = {}
        # What is said of records in no sets is kept by their source.
        group_of = {row.id: row.group_id or -row.source_id for row in rows}
        groups = {"ids": list(set(group_of.values()))}
        for member in connection.execute(_SETS_BY_ID, groups):
            sets.setdefault(member.group_id, []).append(member.spec)
        roles = connection.execute(_ROLES_BY_ID, groups)
        said = {row.group_id: assignment_of(row.roles) for row in roles}
        self._moments.refresh(connection)
        return [
            self._record(
                row,
                sets.get(row.group_id, ()),
                payloads.get(row.id, ()),
                said.get(group_of[row.id], UNASSIGNED),
            )
            for row in rows
        ]

    def _record(
        self,
        row: Row[tuple[object, ...]],
        sets: Sequence[str],
        payloads: Sequence[StoredPayload],
        said: Assignment,
    ) -> StoredRecord:
        moments = self._moments
        return StoredRecord(
            row.id,
            row.name,
            row.identifier,
            row.stamp,
            bool(row.is_deleted),
            row.seq,
            _time(moments.at(row.seq)),
            moments.run(row.id),
            moments.run(row.seq),
            tuple(sets),
            tuple(payloads),
            said,
        )


def count(connection: Connection, *, sources: Sequence[str] = (), include_deleted: bool = False) -> int:
    """Give how many records there are."""
    query = select(func.count()).select_from(schema.record)
    if sources:
        names = select(schema.source.c.id).where(schema.source.c.name.in_(sources))
        query = query.where(schema.record.c.source_id.in_(names))
    if not include_deleted:
        query = query.where(schema.record.c.is_deleted.is_(False))
    return int(connection.execute(query).scalar_one())


def set_names(connection: Connection, source: str, specs: Sequence[str]) -> dict[str, str]:
    """Give the names of these sets, as far as the source told them."""
    table = schema.source_set
    query = (
        select(table.c.spec, table.c.name)
        .join(schema.source, schema.source.c.id == table.c.source_id)
        .where(schema.source.c.name == source, table.c.spec.in_(specs), table.c.name != "")
    )
    return {row.spec: row.name for row in connection.execute(query)}


def _time(seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
