"""Reading stored records: by identifier, in batches, and by the run that changed them.

Also here: merged identifiers (aliases) and the datestamps of records.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from windrow.formats.known_formats import richness_rank
from windrow.model.record import Granularity, format_datestamp
from windrow.model.set_assignment import UNASSIGNED, Assignment, parse_assignment
from windrow.store import sequence
from windrow.store.connection import Connection
from windrow.store.records.derived_sets import GROUP
from windrow.store.records.payloads import Unpacker
from windrow.store.records.set_hierarchy import GUARD, OPEN, OPEN_VALUES
from windrow.store.sequence import ChangeLog
from windrow.store.store import Store

BATCH = 500


@dataclass(frozen=True, slots=True)
class StoredPayload:
    """The metadata of a record in one format: the original bytes, and the declarations around them."""

    prefix: str
    data: bytes
    declarations: bytes
    about: bytes | None = None


@dataclass(frozen=True, slots=True)
class StoredRecord:
    """A record as stored."""

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
    said: Assignment = UNASSIGNED  # from its sets

    def payload(self, prefix: str | None = None) -> StoredPayload | None:
        """Return the payload in one format; by default the one in the richest format."""
        if prefix is None:
            return min(self.payloads, key=lambda item: richness_rank(item.prefix), default=None)
        return next((item for item in self.payloads if item.prefix == prefix), None)


@dataclass(frozen=True, slots=True)
class RecordChange:
    """A change to one record: added, changed, deleted, restored, sets, format."""

    seq: int
    kind: str
    source: str
    identifier: str
    run: int
    changed_at: datetime
    record_id: int
    before: StoredPayload | None = field(default=None, repr=False)


# Each record with the time and run of its last change and the run that added it, for `complete_records`.
RECORD_COLUMNS = """
    r.id, s.name, r.identifier, r.stamp, r.is_deleted, r.seq, m.at, m.run_id,
    (SELECT run_id FROM moment WHERE seq >= r.id ORDER BY seq LIMIT 1), r.group_id, k.roles
"""
RECORD_TABLES = f"""
    record r JOIN source s ON s.id = r.source_id LEFT JOIN set_role k ON k.group_id = {GROUP}
      JOIN moment m ON m.seq = (SELECT MIN(seq) FROM moment WHERE seq >= r.seq)
"""
_RECORDS = f"SELECT {RECORD_COLUMNS} FROM {RECORD_TABLES}"
_ADDED = """
    SELECT r.id, s.name, r.identifier, r.is_deleted,
      (SELECT kind FROM history WHERE record_id = r.id AND kind IN ('deleted', 'restored')
         ORDER BY seq LIMIT 1)
    FROM record r JOIN source s ON s.id = r.source_id WHERE r.id BETWEEN ? AND ? ORDER BY r.id
"""
_PAST = """
    SELECT h.seq, h.kind, s.name, r.identifier, h.record_id, h.block_id, h.start, h.length, f.prefix,
      e.declarations
    FROM history h JOIN record r ON r.id = h.record_id JOIN source s ON s.id = r.source_id
      LEFT JOIN format f ON f.id = h.format_id LEFT JOIN envelope e ON e.id = h.envelope_id
"""
_PAYLOADS = """
    SELECT p.record_id, f.prefix, e.declarations, p.block_id, p.start, p.length, p.about
    FROM payload p JOIN format f ON f.id = p.format_id JOIN envelope e ON e.id = p.envelope_id
    WHERE p.record_id IN ({})
"""
_SETS = """
    SELECT m.group_id, g.spec FROM set_member m JOIN source_set g ON g.id = m.set_id
    WHERE m.group_id IN ({}) AND g.spec NOT LIKE ? ORDER BY m.group_id, g.id
"""


class RecordReader:
    """Reads records with their payloads unpacked."""

    def __init__(self) -> None:
        self._unpacker = Unpacker()
        self._moments = ChangeLog()

    def find(
        self, connection: Connection, identifier: str, *, source: str | None = None
    ) -> list[StoredRecord]:
        """Return the records with this identifier, at most one per source."""
        asked, values = "r.identifier = ?", [identifier]
        if source is not None:
            asked, values = f"{asked} AND s.name = ?", [identifier, source]
        rows = connection.execute(f"{_RECORDS} WHERE {asked} ORDER BY r.id", tuple(values))
        return complete_records(connection, rows.all())

    def batches(
        self,
        connection: Connection,
        *,
        sources: Sequence[str] = (),
        prefix: str | None = None,
        include_deleted: bool = False,
        after: int = 0,
    ) -> Iterator[list[StoredRecord]]:
        """Yield all records in the order of their numbers, in batches of BATCH."""
        asked, values = ["r.id > ?"], list(sources)
        if sources:
            # The sum keeps SQLite from using an index on sources, which would sort everything for each batch.
            names = f"SELECT id FROM source WHERE name IN ({_placeholders(sources)})"
            asked.append(f"r.source_id + 0 IN ({names})")
        if not include_deleted:
            asked.append("NOT r.is_deleted")
        query = f"{_RECORDS} WHERE {' AND '.join(asked)} ORDER BY r.id LIMIT {BATCH}"
        while rows := connection.execute(query, (after, *values)).all():
            yield complete_records(connection, rows, prefix=prefix)
            after = rows[-1][0]

    def get(
        self, connection: Connection, ids: Sequence[int], *, public_only: bool = False
    ) -> dict[int, StoredRecord]:
        """Return those of these records that exist, by number; public ones are live and have no guard."""
        public, guards = (f" AND NOT r.is_deleted AND {OPEN}", OPEN_VALUES) if public_only else ("", ())
        query = f"{_RECORDS} WHERE r.id IN ({_placeholders(ids)}){public}"
        rows = connection.execute(query, (*ids, *guards)).all()
        return {record.id: record for record in complete_records(connection, rows)}

    def changes(self, connection: Connection, run_id: int) -> Iterator[RecordChange]:
        """Yield the changes made by a run, in their order."""
        self._moments.refresh(connection)
        for before, last in self._moments.stretches(run_id):
            added = self._added(connection, before, last)
            past = self._past(connection, "h.seq BETWEEN ? AND ?", (before + 1, last))
            yield from heapq.merge(added, past, key=lambda change: change.seq)

    def history(self, connection: Connection, record_id: int) -> list[RecordChange]:
        """Return the changes to a record after it was added."""
        return list(self._past(connection, "h.record_id = ?", (record_id,)))

    def after(self, connection: Connection, change: RecordChange) -> StoredPayload | None:
        """Return the payload that replaced the one before a change; None if none did."""
        if change.before is None or change.kind == "deleted":
            return None
        later = "h.record_id = ? AND h.seq > ? AND f.prefix = ?"
        values = (change.record_id, change.seq, change.before.prefix)
        following = next(self._past(connection, later, values), None)
        if following is not None:
            return following.before
        record = self.get(connection, [change.record_id]).get(change.record_id)
        return record.payload(change.before.prefix) if record else None

    def _added(self, connection: Connection, before: int, last: int) -> Iterator[RecordChange]:
        """Yield records that were added; one added as a tombstone counts as a deletion."""
        for number, name, identifier, is_deleted, turn in connection.execute(_ADDED, (before + 1, last)):
            came_deleted = turn == "restored" if turn else is_deleted
            yield self._change(number, "deleted" if came_deleted else "added", name, identifier, number)

    def _past(self, connection: Connection, asked: str, values: Sequence[object]) -> Iterator[RecordChange]:
        self._moments.refresh(connection)
        query = f"{_PAST} WHERE {asked} ORDER BY h.seq"
        for row in connection.execute(query, tuple(values)):
            seq, kind, name, identifier, record_id, block_id, start, length, prefix, declarations = row
            before = None
            if block_id is not None:
                block = self._unpacker.fetch(connection, [block_id])[block_id]
                before = StoredPayload(prefix, block[start : start + length], declarations)
            yield self._change(seq, kind, name, identifier, record_id, before)

    def _change(
        self,
        seq: int,
        kind: str,
        name: str,
        identifier: str,
        record_id: int,
        before: StoredPayload | None = None,
    ) -> RecordChange:
        run, moment = self._moments.run(seq), _time(self._moments.at(seq))
        return RecordChange(seq, kind, name, identifier, run, moment, record_id, before)


def complete_records(
    connection: Connection, rows: Sequence[Sequence[Any]], *, prefix: str | None = None
) -> list[StoredRecord]:
    """Return the records of rows of RECORD_COLUMNS with their sets and payloads, in one format or in all."""
    payloads = _payloads(connection, [row[0] for row in rows], prefix)
    sets: dict[int, list[str]] = {}
    if groups := {row[9] for row in rows} - {0}:  # 0: in no sets
        members = connection.execute(_SETS.format(_placeholders(groups)), (*groups, f"{GUARD}%"))
        for group, spec in members:
            sets.setdefault(group, []).append(spec)
    return [
        StoredRecord(
            number,
            source,
            identifier,
            stamp,
            bool(is_deleted),
            seq,
            _time(at),
            added,
            changed,
            tuple(sets.get(group, ())),
            tuple(payloads.get(number, ())),
            parse_assignment(said),
        )
        for number, source, identifier, stamp, is_deleted, seq, at, changed, added, group, said in rows
    ]


def _payloads(
    connection: Connection, numbers: Sequence[int], prefix: str | None
) -> dict[int, list[StoredPayload]]:
    """Return the payloads of records in one format or in all, by record number.

    Of each block only the parts with these records are unpacked, each part once.
    """
    query = _PAYLOADS.format(_placeholders(numbers))
    values: tuple[object, ...] = tuple(numbers)
    if prefix is not None:
        query, values = f"{query} AND f.prefix = ?", (*values, prefix)
    places = connection.execute(f"{query} ORDER BY p.format_id, p.block_id, p.start", values).all()
    unpacker = Unpacker(connection.info.setdefault("dictionaries", {}))
    parts = unpacker.parts(
        connection, [(block, start, start + size + about) for *_, block, start, size, about in places]
    )
    found: dict[int, list[StoredPayload]] = {}
    for (number, name, declarations, _, _, size, _), part in zip(places, parts, strict=True):
        payload = StoredPayload(name, part[:size], declarations, part[size:] or None)
        found.setdefault(number, []).append(payload)
    return found


def _placeholders(values: Collection[object]) -> str:
    return ", ".join("?" * len(values))


def count_records(
    connection: Connection, *, sources: Sequence[str] = (), include_deleted: bool = False
) -> int:
    asked = ["1"] if include_deleted else ["NOT is_deleted"]
    if sources:
        asked.append(f"source_id IN (SELECT id FROM source WHERE name IN ({_placeholders(sources)}))")
    query = f"SELECT COUNT(*) FROM record WHERE {' AND '.join(asked)}"
    return int(connection.execute(query, tuple(sources)).scalar_one())


def read_set_names(connection: Connection, source: str, specs: Sequence[str]) -> dict[str, str]:
    """Return the names of those of these sets that the source has named."""
    query = f"""
        SELECT g.spec, g.name FROM source_set g JOIN source s ON s.id = g.source_id
        WHERE s.name = ? AND g.name <> '' AND g.spec IN ({_placeholders(specs)})
    """
    return dict(connection.execute(query, (source, *specs)).all())


def _time(seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


# Aliases: identifiers that were merged into another record of their source. `windrow record merge` writes
# them. Pages redirect requests for the old identifier to the new one, and a harvest ignores the old one. An
# alias refers to a record, which may itself be merged later.

MAX_ALIAS_STEPS = 10  # from one merged identifier to the next; a longer chain takes several redirects

_NEXT_ALIAS = """
    SELECT r.identifier FROM alias a JOIN record r ON r.id = a.record_id
    WHERE a.source_id = ? AND a.identifier = ?
"""
_ADD_ALIAS = """
    INSERT INTO alias (source_id, identifier, record_id, at) VALUES (?, ?, ?, ?)
    ON CONFLICT (source_id, identifier) DO UPDATE SET record_id = excluded.record_id, at = excluded.at
"""
_REMOVE_ALIAS = "DELETE FROM alias WHERE source_id = ? AND identifier = ? RETURNING identifier"
_ALIAS_NAMES = "SELECT identifier FROM alias WHERE source_id = ?"
_LIST_ALIASES = """
    SELECT s.id, s.name, a.identifier, r.identifier, r.is_deleted, a.at
    FROM alias a JOIN source s ON s.id = a.source_id JOIN record r ON r.id = a.record_id
    WHERE s.name = COALESCE(?, s.name) ORDER BY s.name, a.identifier
"""


@dataclass(frozen=True, slots=True)
class Alias:
    """A merged identifier and the record it leads to."""

    source: str
    identifier: str
    into: str  # as it was merged
    leads_to: str  # its current target, if that was merged too
    is_dead_end: bool  # the record it was merged into is deleted
    at: datetime


def resolve_alias(connection: Connection, source_id: int, identifier: str) -> str | None:
    """Return the current target of a merged identifier; None if it was not merged, or in a circle.

    After MAX_ALIAS_STEPS the identifier reached so far is returned: a further redirect continues from there.
    """
    passed, found = {identifier}, None
    for _ in range(MAX_ALIAS_STEPS):
        following = connection.execute(_NEXT_ALIAS, (source_id, found or identifier)).scalar()
        if following is None:
            return found
        if following in passed:
            return None
        passed.add(following)
        found = following
    return found


def add_alias(connection: Connection, source_id: int, identifier: str, record_id: int, *, now: int) -> None:
    """Make an identifier an alias of a record of its source, replacing a previous one."""
    connection.execute(_ADD_ALIAS, (source_id, identifier, record_id, now))


def remove_alias(connection: Connection, source_id: int, identifier: str) -> bool:
    """Remove an alias; return False if there was none."""
    return connection.execute(_REMOVE_ALIAS, (source_id, identifier)).first() is not None


def list_alias_names(connection: Connection, source_id: int) -> frozenset[str]:
    """Return the merged identifiers of a source, which a harvest must not bring back."""
    return frozenset(connection.execute(_ALIAS_NAMES, (source_id,)).scalars())


def list_aliases(connection: Connection, source: str | None = None) -> list[Alias]:
    """Return the aliases of one source or of all, ordered by name."""
    rows = connection.execute(_LIST_ALIASES, (source,)).all()
    return [
        Alias(
            name,
            identifier,
            into,
            resolve_alias(connection, source_id, identifier) or into,
            bool(is_deleted) and resolve_alias(connection, source_id, into) is None,
            datetime.fromtimestamp(at, UTC),
        )
        for source_id, name, identifier, into, is_deleted, at in rows
    ]


# Datestamps: those stored in a format, and the assignment of datestamps to records of folders.

_NEW = "UPDATE record SET stamp = ? WHERE id > ? AND source_id = ? AND stamp IN (?, ?)"
_MOVED = "UPDATE record SET stamp = ? WHERE seq > ? AND seq <> id AND source_id = ? AND stamp IN (?, ?)"
_STAMPS = """
    SELECT r.identifier, r.stamp FROM record r JOIN payload p ON p.record_id = r.id AND p.format_id = ?
    WHERE r.source_id = ? AND NOT r.is_deleted AND r.identifier IN ({})
"""

_LIVE = "SELECT identifier, stamp FROM record WHERE source_id = ? AND NOT is_deleted AND identifier IN ({})"


def find_live_stamps(connection: Connection, source_id: int, names: Sequence[str]) -> dict[str, str]:
    """Return the datestamps of those of these identifiers that are live records, in any format."""
    query = _LIVE.format(", ".join("?" * len(names)))
    return dict(connection.execute(query, (source_id, *names)))


def find_stamps_in_format(
    connection: Connection, source_id: int, names: Sequence[str], format_id: int
) -> dict[str, str]:
    """Return the datestamps of those of these identifiers that are stored in this format."""
    query = _STAMPS.format(", ".join("?" * len(names)))
    return dict(connection.execute(query, (format_id, source_id, *names)))


@contextmanager
def dated_transaction(
    store: Store, source_id: int, second: Callable[[], int]
) -> Iterator[tuple[Connection, int]]:
    """Yield a transaction and the Unix second to date its records by: that second, or the one before.

    A harvester continues from the date of the last response it got, so no record may become visible with a
    datestamp earlier than a response without it. Responses are dated two seconds back; if a transaction takes
    longer than that, its records are dated again at the end.
    """
    with store.writing() as connection:
        before, now = sequence.last(connection), second()
        yield connection, now
        late = second()
        if late > now:
            dated = (_stamp(late), before, source_id, _stamp(now - 1), _stamp(now))
            connection.execute(_NEW, dated)
            connection.execute(_MOVED, dated)


def _stamp(second: int) -> str:
    return format_datestamp(datetime.fromtimestamp(second, UTC), Granularity.SECOND)
