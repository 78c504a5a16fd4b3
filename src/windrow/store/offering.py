"""Records as a repository offers them: selected, in the order of their numbers, a page at a time.

Beside `records`, which gives whole records. This is the hot path of the faces that answer machines: bare
tuples, the driver's own cursor, and of a record no more than a page needs. A record keeps its number
whatever happens to it, so a list in their order neither loses nor repeats one that changes meanwhile.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple

from windrow.errors import StoreError
from windrow.store import sqlite
from windrow.store.moments import Moments
from windrow.store.payloads import Unpacker
from windrow.store.store import Store

# What stands in a row: the record's number, source, identifier, newest change, whether it is deleted, its
# combination of sets, the provider's datestamp, and then where its payload lies (None where it has none in
# the format asked for): envelope, block, start, length, how many bytes of `about` follow.
Row = tuple[int, int, str, int, int, int, str, int | None, int | None, int | None, int | None, int | None]
_COLUMNS = "r.id, r.source_id, r.identifier, r.seq, r.is_deleted, r.group_id, r.stamp"
_PLACE = "p.envelope_id, p.block_id, p.start, p.length, p.about"
_NOWHERE = "NULL, NULL, NULL, NULL, NULL"
_JOIN = "LEFT JOIN payload p ON p.record_id = r.id AND p.format_id = ?"
# Below one match in so many records, matches are looked up and sorted instead of met in passing.
_SPARSE = 64


@dataclass(frozen=True, slots=True)
class Selection:
    """Which records: every condition holds. Times are numbers of changes, or the source's own stamps."""

    sources: tuple[int, ...]  # of these; where two have one identifier, it is the first one's record
    top: int  # none that came after this number
    format_id: int | None = None  # with the payload in this format
    needs_format: bool = False  # only those that have it, or are deleted
    after_seq: int = 0  # changed after this number
    up_to_seq: int | None = None  # and not after this one
    since: str | None = None  # by the stamps that came with the records, both inclusive
    until: str | None = None
    sets: tuple[int, ...] | None = None  # in one of these, or of the virtual ones
    virtual_sets: tuple[int, ...] = ()
    hidden_sets: tuple[int, ...] = ()  # in none of these


class Offering:
    """Reads what a repository offers, for one thread; forgets what it knew when the library changes."""

    def __init__(self, store: Store, *, is_sound: Callable[[bytes], bool]) -> None:
        self.moments = Moments()
        self.suspects: set[int] = set()  # blocks in which something is not sound
        self._is_sound = is_sound
        self._inspected = bytearray()  # a bit for each block that was looked at
        self._store = store
        self._unpacker = Unpacker()
        self._envelopes: dict[int, bytes] = {}
        self._raw: sqlite3.Connection | None = None
        self._version = -1

    @contextmanager
    def reading(self) -> Iterator[bool]:
        """Hold one state of the library; give whether it is another than last time."""
        try:
            raw = self._raw or self._connect()
            raw.execute("BEGIN")
            try:
                yield self._is_news(raw)
            finally:
                raw.execute("COMMIT")
        except sqlite3.Error as exc:
            self.close()
            raise StoreError(f"the library cannot be read: {exc}") from exc

    def close(self) -> None:
        """Let go of the file."""
        if self._raw is not None:
            self._raw.close()
            self._raw = None
            self._version = -1

    def page(self, selection: Selection, *, after: int, limit: int, size: int) -> list[Row]:
        """Give the next rows after a number; `size` is how many the whole selection has, more or less."""
        what = f"{_COLUMNS}, {_NOWHERE if selection.format_id is None else _PLACE}"
        rows: list[Row] = []
        for way in _ways(selection, is_sparse=size * _SPARSE < selection.top):
            if len(rows) < limit:
                text, values = _statement(what, selection, way, after)
                rows += self.execute(f"{text} ORDER BY r.id LIMIT ?", (*values, limit - len(rows)))
        return rows

    def count(self, selection: Selection) -> int:
        """Give how many records are selected."""
        return sum(
            self.execute(*_statement("COUNT(*)", selection, way, 0)).fetchone()[0]
            for way in _ways(selection, is_sparse=True)
        )

    def one(self, identifier: str, sources: Sequence[int], format_id: int | None = None) -> Row | None:
        """Give the record of this name, with its payload in one format if it has it."""
        text = (
            f"SELECT {_COLUMNS}, {_PLACE} FROM record r {_JOIN}"
            f" WHERE r.identifier = ? AND r.source_id IN ({_marks(sources)}) ORDER BY r.source_id LIMIT 1"
        )
        found: Row | None = self.execute(text, (format_id, identifier, *sources)).fetchone()
        return found

    def numbered(self, record_id: int, format_id: int) -> Row | None:
        """Give a record by its number, with its payload in one format if it has it."""
        text = f"SELECT {_COLUMNS}, {_PLACE} FROM record r {_JOIN} WHERE r.id = ?"
        found: Row | None = self.execute(text, (format_id, record_id)).fetchone()
        return found

    def payloads(self, rows: Iterable[Row]) -> dict[int, tuple[bytes, bytes, bytes]]:
        """Give payload, declarations around it and `about` after it, by record; as far as there are any."""
        placed = [row for row in rows if row[8] is not None]
        blocks = self._unpacker.fetch(self, {row[8] for row in placed})  # type: ignore[misc]
        for number, data in blocks.items():
            self._inspect(number, data)
        for envelope in {row[7] for row in placed} - self._envelopes.keys():
            declared = self.execute("SELECT declarations FROM envelope WHERE id = ?", (envelope,))
            self._envelopes[envelope] = declared.fetchone()[0]  # type: ignore[index]
        return {
            row[0]: _cut(blocks[row[8]], row, self._envelopes[row[7]])  # type: ignore[index]
            for row in placed
            if row[8] in blocks
        }

    def formats_of(self, record_id: int) -> list[int]:
        """Give the formats a record has a payload in."""
        rows = self.execute("SELECT format_id FROM payload WHERE record_id = ? ORDER BY 1", (record_id,))
        return [row[0] for row in rows]

    def execute(self, statement: str, values: Sequence[object] = ()) -> sqlite3.Cursor:
        """Run one statement in the state at hand."""
        assert self._raw is not None, "only while reading"
        return self._raw.execute(statement, values)

    exec_driver_sql = execute  # what reads through SQLAlchemy elsewhere reads through this as well

    def _inspect(self, number: int, data: bytes) -> None:
        """Look at a block when it is first read: what came in was sound, but disks and people are not."""
        place, bit = number >> 3, 1 << (number & 7)
        if place >= len(self._inspected):
            self._inspected.extend(bytes(place + 1024 - len(self._inspected)))
        if not self._inspected[place] & bit:
            self._inspected[place] |= bit
            if not self._is_sound(data):
                self.suspects.add(number)

    def _connect(self) -> sqlite3.Connection:
        self._raw = sqlite.connect_to_read(self._store.engine)
        return self._raw

    def _is_news(self, raw: sqlite3.Connection) -> bool:
        version = raw.execute("PRAGMA data_version").fetchone()[0]
        if version == self._version:
            return False
        self._version = version
        self.moments.refresh(self)
        self._envelopes.clear()
        return True


def prepare(store: Store) -> None:
    """Make the index that lists of one set or source need. Harvesting alone does without, and is quicker."""
    query = "SELECT 1 FROM sqlite_master WHERE type = 'index' AND name = 'record_shelf'"
    with store.reading() as connection:
        is_there = connection.exec_driver_sql(query).first()
    if not is_there:
        with store.writing() as connection:
            connection.exec_driver_sql(
                "CREATE INDEX IF NOT EXISTS record_shelf ON record (source_id, group_id)"
            )


class _Way(NamedTuple):
    """A way to go through records by number; two of them may follow each other."""

    table: str = "record r NOT INDEXED"  # by number, that is
    above: int = 0
    condition: str = ""
    values: tuple[object, ...] = ()


def _ways(selection: Selection, *, is_sparse: bool) -> list[_Way]:
    """How to go through a selection: past every record, or by an index to the few that match."""
    if not selection.sets and len(selection.virtual_sets) == 1:
        table = "virtual_member v CROSS JOIN record r ON r.id = v.record_id"
        return [_Way(table, 0, "v.set_id = ?", selection.virtual_sets)]
    if not is_sparse:
        return [_Way()]
    if selection.after_seq:  # those that changed since, though older, and then all that are newer themselves
        since = selection.after_seq
        moved = "r.seq <> r.id AND r.seq > ? AND r.id <= ?"
        return [_Way("record r INDEXED BY record_moved", 0, moved, (since, since)), _Way(above=since)]
    return [_Way("record r INDEXED BY record_shelf")]


def _statement(what: str, selection: Selection, way: _Way, after: int) -> tuple[str, list[object]]:
    parts, values = _conditions(selection)
    if way.condition:
        parts.append(way.condition)
        values += way.values
    parts.append("r.id > ?")
    values.append(max(after, way.above))
    table = way.table
    if selection.format_id is not None:
        table = f"{table} {_JOIN}"
        values.insert(0, selection.format_id)
    return f"SELECT {what} FROM {table} WHERE {' AND '.join(parts)}", values


def _conditions(selection: Selection) -> tuple[list[str], list[object]]:
    parts = ["r.id <= ?", f"r.source_id IN ({_marks(selection.sources)})"]
    values: list[object] = [selection.top, *selection.sources]
    for part, value in (
        ("r.seq > ?", selection.after_seq or None),
        ("r.seq <= ?", selection.up_to_seq),
        ("r.stamp >= ?", selection.since),
        ("r.stamp <= ?", selection.until),
    ):
        if value is not None:
            parts.append(part)
            values.append(value)
    if selection.sets is not None:
        parts.append(
            f"(r.group_id IN ({_grouped(selection.sets)}) OR r.id IN ({_met(selection.virtual_sets)}))"
        )
        values += (*selection.sets, *selection.virtual_sets)
    if selection.hidden_sets:
        parts.append(f"r.group_id NOT IN ({_grouped(selection.hidden_sets)})")
        values += selection.hidden_sets
    if selection.needs_format:
        parts.append("(p.record_id IS NOT NULL OR r.is_deleted)")
    if len(selection.sources) > 1:
        parts.append(
            "NOT EXISTS (SELECT 1 FROM record o WHERE o.identifier = r.identifier"
            f" AND o.source_id < r.source_id AND o.source_id IN ({_marks(selection.sources)}))"
        )
        values += selection.sources
    return parts, values


def _cut(block: bytes, row: Row, declarations: bytes) -> tuple[bytes, bytes, bytes]:
    start, length, about = row[9], row[10], row[11]
    assert start is not None
    assert length is not None
    end = start + length
    return block[start:end], declarations, block[end : end + about] if about else b""


def _grouped(sets: Sequence[int]) -> str:
    return f"SELECT group_id FROM set_member WHERE set_id IN ({_marks(sets)})"


def _met(virtual_sets: Sequence[int]) -> str:
    return f"SELECT record_id FROM virtual_member WHERE set_id IN ({_marks(virtual_sets)})"


def _marks(values: Sequence[object]) -> str:
    return ", ".join("?" * len(values))
