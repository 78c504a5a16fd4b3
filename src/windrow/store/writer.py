"""A page of records into the store: what is new, what changed, what is gone. The harvest's hot path."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress, repeat
from operator import add, attrgetter
from typing import TypeVar

from windrow.model.record import Record
from windrow.model.run import Counters
from windrow.store import sequence
from windrow.store.connection import Connection
from windrow.store.payloads import Packer, Unpacker
from windrow.store.sets import SetGroups

T = TypeVar("T")

MAX_ENVELOPES = 10_000  # remembered; a server may declare something else on every record
_CHUNK = 1000  # identifiers in one question

_KNOWN = (
    "SELECT identifier, id, is_deleted, stamp, group_id FROM record"
    " WHERE source_id = ? AND identifier IN ({})"
)
_PLACES = (
    "SELECT record_id, envelope_id, block_id, start, length FROM payload"
    " WHERE format_id = ? AND record_id IN ({})"
)
_ENVELOPE = "SELECT id FROM envelope WHERE declarations = ?"
_ADD_ENVELOPE = "INSERT INTO envelope (declarations) VALUES (?)"
# FAIL: whoever gets the error undoes the whole page, so that the database need not be ready to undo each
# statement by itself, for which it copies every page of the file that the statement touches.
_ADD_RECORD = "INSERT OR FAIL INTO record VALUES (?, ?, ?, ?, ?, ?, ?)"
_ADD_PAYLOAD = "INSERT OR FAIL INTO payload VALUES (?, ?, ?, ?, ?, ?, ?)"
_SET_PAYLOAD = "INSERT OR REPLACE INTO payload VALUES (?, ?, ?, ?, ?, ?, ?)"
_DROP_PAYLOADS = "DELETE FROM payload WHERE record_id = ?"
_TOUCH = "UPDATE record SET stamp = ? WHERE id = ?"
_CHANGE = "UPDATE record SET stamp = ?, is_deleted = ?, seq = ?, group_id = ? WHERE id = ?"
_REMEMBER = (
    "INSERT INTO history SELECT ?, ?, ?, ?, format_id, envelope_id, block_id, start, length"
    " FROM (SELECT 1) LEFT JOIN payload ON record_id = ? AND format_id = COALESCE(?, format_id)"
    " ORDER BY format_id LIMIT 1"
)
_KEEPS_OLD = ("changed", "deleted")  # kinds of change that replace a payload
_identifier, _sets, _is_deleted = map(attrgetter, ("identifier", "sets", "is_deleted"))


@dataclass(frozen=True, slots=True)
class _Known:
    """What the store has of a record already."""

    id: int
    is_deleted: bool
    stamp: str
    group: int


class PageWriter:
    """Writes the pages of one source in one format for one run.

    The caller owns the transaction, so that the page and its checkpoint are one; after one that was
    rolled back, make a new writer: this one remembers numbers that were never kept. Without a format
    (None) it writes tombstones only.
    """

    def __init__(self, source_id: int, format_id: int | None, *, run_id: int, groups: SetGroups) -> None:
        self._source_id = source_id
        self._format_id = format_id
        self._run_id = run_id
        self._groups = groups
        self._packer = Packer(source_id, format_id or 0)
        self._unpacker = Unpacker()
        self._envelopes: dict[bytes, int] = {}
        self._expects_news = False  # nothing of the last page was known

    def write(self, connection: Connection, records: Sequence[Record]) -> Counters:
        """Store what is new in these records; the last of several with one identifier counts."""
        latest = dict(zip(map(_identifier, records), records, strict=True))
        counters = Counters(seen=len(records), duplicates=len(records) - len(latest))
        if not latest:
            return counters
        if self._expects_news and self._is_all_new(connection, list(latest.values()), counters):
            return counters
        known = self._known(connection, list(latest))
        self._expects_news = not known
        fresh = [record for name, record in latest.items() if name not in known]
        stale = [(record, known[name]) for name, record in latest.items() if name in known]
        if stale:
            self._update(connection, stale, counters)
        if fresh:
            self._add(connection, fresh, counters)
        return counters

    def complete(self, connection: Connection, records: Sequence[Record]) -> None:
        """Store in our format what was added in another by the same transaction: no change by itself."""
        known = self._known(connection, list(map(_identifier, records)))
        self._put(connection, [known[record.identifier].id for record in records], records)

    def _is_all_new(self, connection: Connection, records: list[Record], counters: Counters) -> bool:
        """Add records without asking which of them are known; False, and nothing done, if one is.

        In a first harvest that is never so, and the question costs as much as a tenth of the answer.
        """
        groups = self._groups.groups(connection, set(map(_sets, records)))
        try:
            with connection.begin_nested():
                first = self._number(connection, records, groups)
        except sqlite3.IntegrityError:
            return False
        self._fill(connection, first, records, counters)
        return True

    def _known(self, connection: Connection, names: list[str]) -> dict[str, _Known]:
        found: dict[str, _Known] = {}
        for chunk in _chunks(names):
            rows = connection.exec_driver_sql(_KNOWN.format(_marks(chunk)), (self._source_id, *chunk))
            for name, number, is_deleted, stamp, group in rows:
                found[name] = _Known(number, bool(is_deleted), stamp, group)
        return found

    def _add(self, connection: Connection, fresh: list[Record], counters: Counters) -> None:
        groups = self._groups.groups(connection, set(map(_sets, fresh)))
        self._fill(connection, self._number(connection, fresh, groups), fresh, counters)

    def _number(
        self, connection: Connection, fresh: list[Record], groups: Mapping[tuple[str, ...], int]
    ) -> int:
        """Write the rows of new records; give the number of the first."""
        first = sequence.take(connection, len(fresh), run_id=self._run_id)
        numbers = range(first, first + len(fresh))
        names, stamps, sets, deleted, *_ = zip(*fresh, strict=True)
        numbers_of_sets = map(groups.__getitem__, sets)
        rows = zip(numbers, repeat(self._source_id), names, stamps, deleted, numbers, numbers_of_sets)
        connection.insert(_ADD_RECORD, rows)
        return first

    def _fill(self, connection: Connection, first: int, fresh: list[Record], counters: Counters) -> None:
        self._put(connection, range(first, first + len(fresh)), fresh, statement=_ADD_PAYLOAD)
        tombstones = sum(map(_is_deleted, fresh))
        counters.added += len(fresh) - tombstones
        counters.deleted += tombstones

    def _put(
        self,
        connection: Connection,
        numbers: Sequence[int],
        records: Sequence[Record],
        *,
        statement: str = _SET_PAYLOAD,
    ) -> None:
        """Store the payloads of these records, each under its number.

        By columns, not record by record: Python then goes through them in C.
        """
        is_held = [record.payload is not None for record in records]
        if not any(is_held):
            return
        _, _, _, _, payloads, abouts, declared = zip(*compress(records, is_held), strict=True)
        envelopes = {each: self._envelope(connection, each) for each in set(declared)}
        after = [about or b"" for about in abouts]
        blocks, starts = self._packer.pack(connection, list(map(add, payloads, after)))
        rows = zip(
            compress(numbers, is_held),
            repeat(self._format_id),
            map(envelopes.__getitem__, declared),
            blocks,
            starts,
            map(len, payloads),
            map(len, after),
        )
        connection.insert(statement, rows)

    def _update(self, connection: Connection, stale: list[tuple[Record, _Known]], counters: Counters) -> None:
        held = self._held(connection, [old.id for _, old in stale])
        changes: list[tuple[Record, _Known, str]] = []
        restamped: list[tuple[str, int]] = []
        for record, old in stale:
            kind = self._compare(connection, record, old, held)
            if kind:
                changes.append((record, old, kind))
            elif record.stamp != old.stamp:
                restamped.append((record.stamp, old.id))
        if restamped:
            connection.exec_driver_sql(_TOUCH, restamped)
        counters.unchanged += len(stale) - len(changes)
        if changes:
            self._change(connection, changes, counters)

    def _compare(
        self, connection: Connection, record: Record, old: _Known, held: dict[int, tuple[int, bytes]]
    ) -> str | None:
        """Say in what a record differs from what the store has; None: in nothing that matters."""
        if record.is_deleted != old.is_deleted:
            return "deleted" if record.is_deleted else "restored"
        if not record.is_deleted and record.payload is not None:
            if old.id not in held:
                return "format"
            if held[old.id] != (self._envelope(connection, record.declarations), record.payload):
                return "changed"
        return "sets" if self._group_of(connection, record, old) != old.group else None

    def _group_of(self, connection: Connection, record: Record, old: _Known) -> int:
        """The sets it is in now; a tombstone that names none keeps those it had."""
        if record.is_deleted and not record.sets:
            return old.group
        return self._groups.groups(connection, (record.sets,))[record.sets]

    def _change(
        self, connection: Connection, changes: list[tuple[Record, _Known, str]], counters: Counters
    ) -> None:
        first = sequence.take(connection, len(changes), run_id=self._run_id)
        self._remember(connection, [(old, kind) for _, old, kind in changes], first)
        rows = [
            (record.stamp, record.is_deleted, seq, self._group_of(connection, record, old), old.id)
            for seq, (record, old, _) in enumerate(changes, first)
        ]
        connection.exec_driver_sql(_CHANGE, rows)
        gone = [(old.id,) for record, old, _ in changes if record.is_deleted]
        if gone:
            connection.exec_driver_sql(_DROP_PAYLOADS, gone)
        filled = [(old.id, record) for record, old, kind in changes if kind != "sets"]
        self._put(connection, [number for number, _ in filled], [record for _, record in filled])
        kinds = [kind for _, _, kind in changes]
        counters.deleted += kinds.count("deleted")
        counters.supplemented += kinds.count("format")
        counters.changed += len(kinds) - kinds.count("deleted") - kinds.count("format")

    def _remember(self, connection: Connection, changes: list[tuple[_Known, str]], first: int) -> None:
        """Note what happens to these records, and where the payload lies that is replaced by it.

        A deletion may be told of in the list of a format that the record was never had in: then it is the
        payload in another.
        """
        rows = []
        for seq, (old, kind) in enumerate(changes, first):
            kept_of = old.id if kind in _KEEPS_OLD else None
            kept_as = self._format_id if kind == "changed" else None
            rows.append((seq, old.id, kind, old.stamp, kept_of, kept_as))
        connection.exec_driver_sql(_REMEMBER, rows)

    def _held(self, connection: Connection, ids: list[int]) -> dict[int, tuple[int, bytes]]:
        """Give what the store has of these records in our format: the envelope and the payload."""
        places = [
            row
            for chunk in _chunks(ids)
            for row in connection.exec_driver_sql(_PLACES.format(_marks(chunk)), (self._format_id, *chunk))
        ]
        blocks = self._unpacker.fetch(connection, (row[2] for row in places))
        return {row[0]: (row[1], blocks[row[2]][row[3] : row[3] + row[4]]) for row in places}

    def _envelope(self, connection: Connection, declarations: bytes) -> int:
        found = self._envelopes.get(declarations)
        if found is None:
            found = _envelope_id(connection, declarations)
            if len(self._envelopes) > MAX_ENVELOPES:
                self._envelopes.clear()
            self._envelopes[declarations] = found
        return found


def _envelope_id(connection: Connection, declarations: bytes) -> int:
    found = connection.exec_driver_sql(_ENVELOPE, (declarations,)).scalar()
    return int(found or connection.exec_driver_sql(_ADD_ENVELOPE, (declarations,)).number)


def _marks(items: Sequence[object]) -> str:
    return ", ".join("?" * len(items))


def _chunks(items: Sequence[T]) -> Iterable[Sequence[T]]:
    return (items[start : start + _CHUNK] for start in range(0, len(items), _CHUNK))
