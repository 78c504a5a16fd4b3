"""Writing a page of harvested records: added, changed and deleted ones. The harvest's hot path."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress, repeat
from operator import add, attrgetter
from typing import TypeVar

from windrow.model.record import Record, parse_datestamp
from windrow.model.run import Counters, RecordCounter
from windrow.store import sequence
from windrow.store.connection import Connection
from windrow.store.records.payloads import Packer, Unpacker
from windrow.store.records.set_hierarchy import SetGroups

T = TypeVar("T")

MAX_ENVELOPES = 10_000  # cached; some servers declare something else on every record
_CHUNK = 1000  # identifiers per query

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
# OR FAIL: after an error the caller rolls back the whole page. SQLite then need not prepare to undo each
# single statement, for which it would copy every page of the file that the statement touches.
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
    """The stored state of a record."""

    id: int
    is_deleted: bool
    stamp: str
    group: int


class RecordMarks:
    """The records met by a pass over one list, as one bit for each record number.

    `repeated` counts entries for records that came earlier in the same pass; `conflicts` counts those of them
    that contradict the earlier one, where one is live and the other a tombstone.
    """

    def __init__(self) -> None:
        self._bits = bytearray()
        self.repeated = 0
        self.conflicts = 0

    def __contains__(self, number: int) -> bool:
        place = number >> 3
        return place < len(self._bits) and bool(self._bits[place] & (1 << (number & 7)))

    def add(self, number: int) -> None:
        """Mark a record; count it as repeated if it is marked already."""
        place, bit = number >> 3, 1 << (number & 7)
        if place >= len(self._bits):
            self._bits.extend(bytes(place + 1 + place // 8 - len(self._bits)))
        if self._bits[place] & bit:
            self.repeated += 1
        self._bits[place] |= bit

    def unmet(self, numbers: Sequence[int]) -> list[int]:
        bits, size = self._bits, len(self._bits) << 3
        return [each for each in numbers if each >= size or not bits[each >> 3] & (1 << (each & 7))]

    def merge(self, other: RecordMarks) -> None:
        """Add the marks of another pass."""
        size = max(len(self._bits), len(other._bits))
        joined = int.from_bytes(self._bits, "little") | int.from_bytes(other._bits, "little")
        self._bits = bytearray(joined.to_bytes(size, "little"))


class PageWriter:
    """Writes the pages of one source in one format for one run.

    The caller owns the transaction, so that a page and its checkpoint are stored together. After a rollback a
    new writer must be created, because this one caches numbers that were never committed. With format None
    only tombstones are written. All writers of a run share its `tally`, which counts each record once.
    """

    def __init__(
        self,
        source_id: int,
        format_id: int | None,
        *,
        run_id: int,
        groups: SetGroups,
        tally: RecordCounter | None = None,
    ) -> None:
        self._source_id = source_id
        self._format_id = format_id
        self._run_id = run_id
        self._groups = groups
        self._tally = tally if tally is not None else RecordCounter()
        self._packer = Packer(source_id, format_id or 0)
        self._unpacker = Unpacker()
        self._envelopes: dict[bytes, int] = {}
        self._expects_news = False  # no record of the last page was known

    def write(
        self, connection: Connection, records: Sequence[Record], *, marks: RecordMarks | None = None
    ) -> Counters:
        """Store the changes in these records; of several with one identifier, the newest counts.

        With `marks`, earlier entries of the same pass over a list are taken into account as well. The result
        counts what became of these entries; `tally` counts what the run did to records.
        """
        latest = dict(zip(map(_identifier, records), records, strict=True))
        counters = Counters(seen=len(records), duplicates=len(records) - len(latest))
        if not latest:
            return counters
        if self._tally.base is None:
            self._tally.base = sequence.last(connection)
        self._tally.repeat(counters.duplicates)
        if counters.duplicates:
            conflicts = _keep_newest(latest, records)
            if marks is not None:
                marks.repeated += counters.duplicates
                marks.conflicts += conflicts
        if self._expects_news and self._is_all_new(connection, list(latest.values()), counters, marks):
            return counters
        known = self._known(connection, list(latest))
        self._expects_news = not known
        if marks is not None:
            self._tally.repeat(_pass_over(latest, known, marks))
        fresh = [record for name, record in latest.items() if name not in known]
        stale = [(record, known[name]) for name, record in latest.items() if name in known]
        if stale:
            self._update(connection, stale, counters)
        if fresh:
            self._add(connection, fresh, counters, marks)
        return counters

    def complete(self, connection: Connection, records: Sequence[Record]) -> None:
        """Store the records in this format that the same transaction added in another.

        This is not a change of its own.
        """
        known = self._known(connection, list(map(_identifier, records)))
        self._put(connection, [known[record.identifier].id for record in records], records)

    def _is_all_new(
        self, connection: Connection, records: list[Record], counters: Counters, marks: RecordMarks | None
    ) -> bool:
        """Add records without checking which exist; return False, with nothing stored, if one does.

        In a first harvest none exists, and the check would cost a tenth of the writing.
        """
        groups = self._groups.groups(connection, set(map(_sets, records)))
        try:
            with connection.begin_nested():
                first = self._number(connection, records, groups)
        except sqlite3.IntegrityError:
            return False
        self._fill(connection, first, records, counters, marks)
        return True

    def _known(self, connection: Connection, names: list[str]) -> dict[str, _Known]:
        found: dict[str, _Known] = {}
        for chunk in _chunks(names):
            rows = connection.execute(_KNOWN.format(_placeholders(chunk)), (self._source_id, *chunk))
            for name, number, is_deleted, stamp, group in rows:
                found[name] = _Known(number, bool(is_deleted), stamp, group)
        return found

    def _add(
        self, connection: Connection, fresh: list[Record], counters: Counters, marks: RecordMarks | None
    ) -> None:
        groups = self._groups.groups(connection, set(map(_sets, fresh)))
        self._fill(connection, self._number(connection, fresh, groups), fresh, counters, marks)

    def _number(
        self, connection: Connection, fresh: list[Record], groups: Mapping[tuple[str, ...], int]
    ) -> int:
        """Insert the rows of new records; return the number of the first."""
        first = sequence.reserve(connection, len(fresh), run_id=self._run_id)
        numbers = range(first, first + len(fresh))
        names, stamps, sets, deleted, *_ = zip(*fresh, strict=True)
        numbers_of_sets = map(groups.__getitem__, sets)
        rows = zip(numbers, repeat(self._source_id), names, stamps, deleted, numbers, numbers_of_sets)
        connection.insert(_ADD_RECORD, rows)
        return first

    def _fill(
        self,
        connection: Connection,
        first: int,
        fresh: list[Record],
        counters: Counters,
        marks: RecordMarks | None,
    ) -> None:
        if marks is not None:
            for number in range(first, first + len(fresh)):
                marks.add(number)
        self._put(connection, range(first, first + len(fresh)), fresh, statement=_ADD_PAYLOAD)
        self._tally.add(self._format_id or 0, first, map(_is_deleted, fresh))
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
        """Store the payloads of these records under their numbers.

        By columns instead of record by record, so that the loops run in C.
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
        format_id = self._format_id or 0
        for record, old in stale:
            kind = self._compare(connection, record, old, held)
            self._tally.meet(format_id, old.id, kind or "unchanged", was_deleted=old.is_deleted)
            if kind:
                changes.append((record, old, kind))
            elif record.stamp != old.stamp:
                restamped.append((record.stamp, old.id))
        if restamped:
            connection.execute(_TOUCH, restamped)
        counters.unchanged += len(stale) - len(changes)
        if changes:
            self._change(connection, changes, counters)

    def _compare(
        self, connection: Connection, record: Record, old: _Known, held: dict[int, tuple[int, bytes]]
    ) -> str | None:
        """Return the kind of change against the stored record; None if nothing relevant changed."""
        if record.is_deleted != old.is_deleted:
            return "deleted" if record.is_deleted else "restored"
        if not record.is_deleted and record.payload is not None:
            if old.id not in held:
                return "format"
            if held[old.id] != (self._envelope(connection, record.declarations), record.payload):
                return "changed"
        return "sets" if self._group_of(connection, record, old) != old.group else None

    def _group_of(self, connection: Connection, record: Record, old: _Known) -> int:
        """Return the combination of sets of a record; a tombstone without sets keeps its former ones."""
        if record.is_deleted and not record.sets:
            return old.group
        return self._groups.groups(connection, (record.sets,))[record.sets]

    def _change(
        self, connection: Connection, changes: list[tuple[Record, _Known, str]], counters: Counters
    ) -> None:
        first = sequence.reserve(connection, len(changes), run_id=self._run_id)
        self._remember(connection, [(old, kind) for _, old, kind in changes], first)
        rows = [
            (record.stamp, record.is_deleted, seq, self._group_of(connection, record, old), old.id)
            for seq, (record, old, _) in enumerate(changes, first)
        ]
        connection.execute(_CHANGE, rows)
        gone = [(old.id,) for record, old, _ in changes if record.is_deleted]
        if gone:
            connection.execute(_DROP_PAYLOADS, gone)
        filled = [(old.id, record) for record, old, kind in changes if kind != "sets"]
        self._put(connection, [number for number, _ in filled], [record for _, record in filled])
        kinds = [kind for _, _, kind in changes]
        counters.deleted += kinds.count("deleted")
        counters.supplemented += kinds.count("format")
        counters.changed += len(kinds) - kinds.count("deleted") - kinds.count("format")

    def _remember(self, connection: Connection, changes: list[tuple[_Known, str]], first: int) -> None:
        """Add these changes to the history, with the place of the payload that each replaces.

        A deletion can be reported in the list of a format that the record was never stored in; then the
        payload in another format is recorded.
        """
        rows = []
        for seq, (old, kind) in enumerate(changes, first):
            kept_of = old.id if kind in _KEEPS_OLD else None
            kept_as = self._format_id if kind == "changed" else None
            rows.append((seq, old.id, kind, old.stamp, kept_of, kept_as))
        connection.execute(_REMEMBER, rows)

    def _held(self, connection: Connection, ids: list[int]) -> dict[int, tuple[int, bytes]]:
        """Return the stored envelope and payload of these records in this format."""
        places = [
            row
            for chunk in _chunks(ids)
            for row in connection.execute(_PLACES.format(_placeholders(chunk)), (self._format_id, *chunk))
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
    found = connection.execute(_ENVELOPE, (declarations,)).scalar()
    return int(found or connection.execute(_ADD_ENVELOPE, (declarations,)).number)


def _placeholders(items: Sequence[object]) -> str:
    return ", ".join("?" * len(items))


def _chunks(items: Sequence[T]) -> Iterable[Sequence[T]]:
    return (items[start : start + _CHUNK] for start in range(0, len(items), _CHUNK))


def _keep_newest(latest: dict[str, Record], records: Sequence[Record]) -> int:
    """Keep the newest entry of each identifier; return how many entries contradict another one."""
    conflicts = 0
    newest: dict[str, Record] = {}
    for record in records:
        chosen = newest.get(record.identifier)
        if chosen is not None:
            conflicts += record.is_deleted != chosen.is_deleted
            if _is_superseded(record, chosen.stamp, is_deleted=chosen.is_deleted):
                continue
        newest[record.identifier] = record
    latest.update(newest)
    return conflicts


def _pass_over(latest: dict[str, Record], known: Mapping[str, _Known], marks: RecordMarks) -> int:
    """Mark the known records and drop superseded entries; return how many were dropped.

    An entry is superseded if a newer one came earlier in the same pass.
    """
    entries = len(latest)
    for name, old in known.items():
        if old.id in marks:
            marks.conflicts += latest[name].is_deleted != old.is_deleted
            if _is_superseded(latest[name], old.stamp, is_deleted=old.is_deleted):
                del latest[name]
        marks.add(old.id)
    return entries - len(latest)


def _is_superseded(record: Record, stamp: str, *, is_deleted: bool) -> bool:
    """Return whether another entry of the same list, with this datestamp, is kept instead.

    Of a live record and a tombstone with equal datestamps the live one is kept: losing a record is worse than
    keeping one too many, which the next comparison of identifiers finds.
    """
    if record.stamp == stamp:
        return record.is_deleted and not is_deleted
    mine, other = parse_datestamp(record.stamp), parse_datestamp(stamp)
    return mine is not None and other is not None and mine < other
