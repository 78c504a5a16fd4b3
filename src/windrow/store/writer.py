"""A page of records into the store: what is new, what changed, what is gone. The harvest's hot path."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TypeVar

from sqlalchemy import Connection, bindparam, insert, select

from windrow.model.record import Record
from windrow.model.run import Counters
from windrow.store import schema, sequence
from windrow.store.payloads import Packer
from windrow.store.sets import SetIds

T = TypeVar("T")

_HASH_BYTES = 16
_CHUNK = 1000  # identifiers in one question

_KNOWN = select(schema.record.c.identifier, schema.record.c.id, schema.record.c.is_deleted, schema.record.c.stamp).where(
    schema.record.c.source_id == bindparam("source"),
    schema.record.c.identifier.in_(bindparam("names", expanding=True)),
)
_PAYLOADS = select(
    schema.payload.c.record_id,
    schema.payload.c.hash,
).where(
    schema.payload.c.format_id == bindparam("format"),
    schema.payload.c.record_id.in_(bindparam("ids", expanding=True)),
)
_MEMBERS = select(schema.record_set.c.record_id, schema.record_set.c.set_id).where(
    schema.record_set.c.record_id.in_(bindparam("ids", expanding=True))
)

# Literal, because `executemany` on the driver costs a third of building a statement for each row.
_ADD_RECORD = "INSERT INTO record VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
_ADD_PAYLOAD = "INSERT OR REPLACE INTO payload VALUES (?, ?, ?, ?, ?, ?, ?)"
_ADD_MEMBER = "INSERT INTO record_set VALUES (?, ?)"
_DROP_MEMBERS = "DELETE FROM record_set WHERE record_id = ?"
_DROP_PAYLOADS = "DELETE FROM payload WHERE record_id = ?"
_TOUCH = "UPDATE record SET stamp = ? WHERE id = ?"
_CHANGE = "UPDATE record SET stamp = ?, is_deleted = ?, seq = ?, changed_at = ?, changed_run = ? WHERE id = ?"
_REMEMBER = (
    "INSERT INTO history (seq, record_id, run_id, kind, changed_at, stamp, format_id, envelope_id, dictionary_id, data)"
    " SELECT ?, ?, ?, ?, ?, ?, format_id, envelope_id, dictionary_id, data FROM (SELECT 1)"
    " LEFT JOIN payload ON record_id = ? AND format_id = ?"
)


@dataclass(frozen=True, slots=True)
class _Known:
    """What the store has of a record already."""

    id: int
    is_deleted: bool
    stamp: str


class PageWriter:
    """Writes the pages of one source in one format for one run.

    The caller owns the transaction, so that the page and its checkpoint are one.
    """

    def __init__(self, source_id: int, format_id: int, *, run_id: int, sets: SetIds) -> None:
        self._source_id = source_id
        self._format_id = format_id
        self._run_id = run_id
        self._sets = sets
        self._packer = Packer(source_id, format_id)
        self._envelopes: dict[bytes, int] = {}

    def write(self, connection: Connection, records: Sequence[Record], *, now: int) -> Counters:
        """Store what is new in these records; the last of several with one identifier counts."""
        latest = {record.identifier: record for record in records}
        known = self._known(connection, list(latest))
        fresh = [record for name, record in latest.items() if name not in known]
        counters = Counters(seen=len(records), duplicates=len(records) - len(latest))
        self._add(connection, fresh, now, counters)
        if known:
            stale = [(record, known[name]) for name, record in latest.items() if name in known]
            self._update(connection, stale, now, counters)
        return counters

    def _known(self, connection: Connection, names: list[str]) -> dict[str, _Known]:
        found: dict[str, _Known] = {}
        for chunk in _chunks(names):
            for row in connection.execute(_KNOWN, {"source": self._source_id, "names": chunk}):
                found[row[0]] = _Known(row[1], bool(row[2]), row[3])
        return found

    def _add(self, connection: Connection, fresh: list[Record], now: int, counters: Counters) -> None:
        if not fresh:
            return
        first = sequence.take(connection, len(fresh))
        run, source = self._run_id, self._source_id
        rows = [
            (number, source, record.identifier, record.stamp, record.is_deleted, number, now, run, run)
            for number, record in enumerate(fresh, first)
        ]
        connection.exec_driver_sql(_ADD_RECORD, rows)
        members = [
            (number, set_id)
            for number, record in enumerate(fresh, first)
            for set_id in self._sets.ids(connection, record.sets)
        ]
        if members:
            connection.exec_driver_sql(_ADD_MEMBER, members)
        self._put(connection, list(enumerate(fresh, first)))
        tombstones = sum(record.is_deleted for record in fresh)
        counters.added += len(fresh) - tombstones
        counters.deleted += tombstones

    def _put(self, connection: Connection, numbered: list[tuple[int, Record]]) -> None:
        """Store the payloads of these records, each under its number."""
        given = [(number, record) for number, record in numbered if record.payload is not None]
        if not given:
            return
        payloads = [record.payload or b"" for _, record in given]
        abouts = [record.about for _, record in given]
        dictionary, packed = self._packer.pack(connection, payloads)
        rows = [
            (number, self._format_id, digest(record), self._envelope(connection, record.declarations), dictionary, data, about)
            for (number, record), data, about in zip(given, packed, abouts, strict=True)
        ]
        connection.exec_driver_sql(_ADD_PAYLOAD, rows)

    def _update(
        self, connection: Connection, stale: list[tuple[Record, _Known]], now: int, counters: Counters
    ) -> None:
        ids = [old.id for _, old in stale]
        hashes = self._hashes(connection, ids)
        members = self._members(connection, ids)
        changes: list[tuple[Record, _Known, str]] = []
        restamped: list[tuple[str, int]] = []
        for record, old in stale:
            kind = self._compare(connection, record, old, hashes, members)
            if kind:
                changes.append((record, old, kind))
            elif record.stamp != old.stamp:
                restamped.append((record.stamp, old.id))
        if restamped:
            connection.exec_driver_sql(_TOUCH, restamped)
        counters.unchanged += len(stale) - len(changes)
        if changes:
            self._change(connection, changes, now, counters)

    def _compare(
        self,
        connection: Connection,
        record: Record,
        old: _Known,
        hashes: dict[int, bytes],
        members: dict[int, set[int]],
    ) -> str | None:
        """Say in what a record differs from what the store has; None: in nothing that matters."""
        if record.is_deleted != old.is_deleted:
            return "deleted" if record.is_deleted else "restored"
        if not record.is_deleted and record.payload is not None and hashes.get(old.id) != digest(record):
            return "changed" if old.id in hashes else "format"
        if set(self._sets.ids(connection, record.sets)) != members.get(old.id, set()) and (
            record.sets or not record.is_deleted
        ):
            return "sets"
        return None

    def _change(
        self, connection: Connection, changes: list[tuple[Record, _Known, str]], now: int, counters: Counters
    ) -> None:
        first = sequence.take(connection, len(changes))
        numbered = list(enumerate(changes, first))
        run, format_id = self._run_id, self._format_id
        connection.exec_driver_sql(
            _REMEMBER,
            [
                (seq, old.id, run, kind, now, old.stamp, old.id if kind in ("changed", "deleted") else None, format_id)
                for seq, (_, old, kind) in numbered
            ],
        )
        connection.exec_driver_sql(
            _CHANGE, [(record.stamp, record.is_deleted, seq, now, run, old.id) for seq, (record, old, _) in numbered]
        )
        gone = [(old.id,) for record, old, _ in changes if record.is_deleted]
        if gone:
            connection.exec_driver_sql(_DROP_PAYLOADS, gone)
        self._put(connection, [(old.id, record) for record, old, kind in changes if kind != "sets"])
        self._move(connection, changes)
        for _, _, kind in changes:
            if kind == "deleted":
                counters.deleted += 1
            elif kind == "format":
                counters.added += 1
            else:
                counters.changed += 1

    def _move(self, connection: Connection, changes: list[tuple[Record, _Known, str]]) -> None:
        """Give records the sets they have now; a tombstone that names none keeps those it had."""
        moved = [(record, old) for record, old, _ in changes if record.sets or not record.is_deleted]
        connection.exec_driver_sql(_DROP_MEMBERS, [(old.id,) for _, old in moved]) if moved else None
        rows = [(old.id, set_id) for record, old in moved for set_id in self._sets.ids(connection, record.sets)]
        if rows:
            connection.exec_driver_sql(_ADD_MEMBER, rows)

    def _hashes(self, connection: Connection, ids: list[int]) -> dict[int, bytes]:
        found: dict[int, bytes] = {}
        for chunk in _chunks(ids):
            rows = connection.execute(_PAYLOADS, {"format": self._format_id, "ids": chunk})
            found.update((row[0], row[1]) for row in rows)
        return found

    def _members(self, connection: Connection, ids: list[int]) -> dict[int, set[int]]:
        found: dict[int, set[int]] = {}
        for chunk in _chunks(ids):
            for record_id, set_id in connection.execute(_MEMBERS, {"ids": chunk}):
                found.setdefault(record_id, set()).add(set_id)
        return found

    def _envelope(self, connection: Connection, declarations: bytes) -> int:
        found = self._envelopes.get(declarations)
        if found is None:
            table = schema.envelope
            query = select(table.c.id).where(table.c.declarations == declarations)
            found = connection.execute(query).scalar()
            if found is None:
                result = connection.execute(insert(table).values(declarations=declarations))
                assert result.inserted_primary_key is not None
                found = int(result.inserted_primary_key[0])
            if len(self._envelopes) > 10_000:  # a server that declares something else on every record
                self._envelopes.clear()
            self._envelopes[declarations] = found
        return found


def digest(record: Record) -> bytes:
    """Give the fingerprint of a payload: the same bytes under the same declarations are unchanged."""
    return sha256(record.declarations + b"\0" + (record.payload or b"")).digest()[:_HASH_BYTES]


def _chunks(items: Sequence[T]) -> Iterable[Sequence[T]]:
    return (items[start : start + _CHUNK] for start in range(0, len(items), _CHUNK))
