"""Records as a repository publishes them: selected, ordered by number, and read page by page.

This is the hot path of OAI-PMH and other machine interfaces, hence bare tuples, the driver's own cursor, and
only the columns that a page needs; `record_reader` returns whole records. A record keeps its number for ever,
so a list in this order neither loses nor repeats a record that changes while the list is read.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from functools import lru_cache
from itertools import groupby
from operator import itemgetter
from typing import Any

import zstandard

from windrow.errors import StoreError
from windrow.store.published.selection import JOIN, Selection, build_statement, placeholders, plan_access
from windrow.store.records.payloads import Unpacker
from windrow.store.sequence import ChangeLog
from windrow.store.store import Store

# A row: the record's number, source, identifier, newest change, deletion flag, combination of sets, the
# provider's datestamp, and the location of its payload (None without one in the requested format): envelope,
# block, start, length, and the number of `about` bytes that follow.
Row = tuple[int, int, str, int, int, int, str, int | None, int | None, int | None, int | None, int | None]
_COLUMNS = "r.id, r.source_id, r.identifier, r.seq, r.is_deleted, r.group_id, r.stamp"
_PLACE = "p.envelope_id, p.block_id, p.start, p.length, p.about"
_NOWHERE = "NULL, NULL, NULL, NULL, NULL"
_VERSION = "PRAGMA data_version"
# Below one match in so many records, matches are looked up and sorted instead of met in passing.
_SPARSE = 64
# Errors that unpacking a block can raise if the file was damaged.
_DAMAGE = (zstandard.ZstdError, ValueError, TypeError, MemoryError)
_HELD_BYTES = 16_000_000  # of payloads read at once, except for a single larger record


class RecordListing:
    """Reads published records, for one thread; its caches are cleared when the library changes."""

    def __init__(self, store: Store, *, is_suspect: Callable[[bytes], bool]) -> None:
        self.moments = ChangeLog()
        self._suspects: set[int] = set()  # blocks with suspect content
        self._is_suspect = is_suspect
        self._inspected = bytearray()  # a bit for each block that was inspected
        self._store = store
        self._unpacker = Unpacker()
        self._envelopes: dict[int, bytes] = {}
        self._raw: sqlite3.Connection | None = None
        self._version = -1
        self._epoch = 0

    def reading(self) -> AbstractContextManager[bool]:
        """Hold one snapshot of the library; yield whether it differs from the last one."""
        return _Snapshot(self)

    def begin(self) -> bool:
        """Begin to hold a state, for `reading`."""
        self._check_epoch()
        try:
            raw = self._raw or self._connect()
            raw.execute("BEGIN")
            return self._is_news(raw)
        except StoreError:
            self.close()
            raise
        except sqlite3.Error as exc:
            self.close()
            raise _database_error(exc) from exc

    def end(self, exc: BaseException | None) -> None:
        """End a snapshot, for `reading`; also close the file after a read error."""
        try:
            if self._raw is not None:
                self._raw.execute("COMMIT")
        except sqlite3.Error as failure:
            self.close()
            raise _database_error(failure) from failure
        if isinstance(exc, StoreError):
            self.close()
        elif isinstance(exc, sqlite3.Error):
            self.close()
            raise _database_error(exc) from exc

    def close(self) -> None:
        """Close the file."""
        if self._raw is not None:
            self._raw.close()
            self._raw = None
            self._version = -1

    def page(self, selection: Selection, *, after: int, limit: int, size: int) -> list[Row]:
        """Return the next rows after a number; `size` is the approximate size of the whole selection."""
        what = f"{_COLUMNS}, {_NOWHERE if selection.format_id is None else _PLACE}"
        rows: list[Row] = []
        if not selection.sources:
            return rows
        for way in plan_access(selection, is_sparse=size * _SPARSE < selection.top):
            if len(rows) < limit:
                text, values = build_statement(what, selection, way, after)
                rows += self.execute(f"{text} ORDER BY {way.key} LIMIT ?", (*values, limit - len(rows)))
        return rows

    def count(self, selection: Selection) -> int:
        if not selection.sources:
            return 0
        return sum(
            self.execute(*build_statement("COUNT(*)", selection, way, 0))[0][0]
            for way in plan_access(selection, is_sparse=True)
        )

    def one(self, identifier: str, sources: Sequence[int], format_id: int | None = None) -> Row | None:
        """Return the record with this identifier, with its payload in one format if it has it."""
        values = (format_id, identifier, *sources)
        for *row, dictionary_id, data in self.execute(_record_statement(len(sources)), values):
            if data is not None:  # the block is read with the record, which saves a query
                with suppress(*_DAMAGE):
                    self._unpacker.keep(self, row[8], dictionary_id, data)
            return tuple(row)
        return None

    def held(self, numbers: Sequence[int]) -> dict[int, dict[int, tuple[bytes, bytes, bytes]]]:
        """Return the payloads of records in all formats, by record and format (see `payloads`).

        Only the first records are returned if they are large, so that at most some megabytes are read at
        once.
        """
        text = (
            f"SELECT p.format_id, {_COLUMNS}, {_PLACE} FROM payload p JOIN record r ON r.id = p.record_id"
            f" WHERE p.record_id IN ({placeholders(numbers)}) ORDER BY p.format_id, p.record_id"
        )
        placed = self.execute(text, numbers)
        found: dict[int, dict[int, tuple[bytes, bytes, bytes]]]
        found = {number: {} for number in _first(numbers, placed)}
        for format_id, rows in groupby((row for row in placed if row[1] in found), key=itemgetter(0)):
            for number, payload in self.payloads([row[1:] for row in rows]).items():
                found[number][format_id] = payload
        return found

    def payloads(self, rows: Iterable[Row]) -> dict[int, tuple[bytes, bytes, bytes]]:
        """Return payload, declarations and `about` by record.

        Records without a payload, or with an unreadable one, are left out.
        """
        placed: list[tuple[Any, ...]] = [row for row in rows if row[8] is not None]
        blocks, envelopes = self.unpack(placed)
        found = {}
        for number, _, _, _, _, _, _, envelope, block_id, start, length, about in placed:
            block, declared = blocks.get(block_id), envelopes.get(envelope)
            end = start + length
            if block is not None and declared is not None and end + about <= len(block):
                found[number] = block[start:end], declared, block[end : end + about] if about else b""
        return found

    def unpack(self, rows: Sequence[tuple[Any, ...]]) -> tuple[Mapping[int, bytes], Mapping[int, bytes]]:
        """Return the blocks and the declarations that these rows refer to, as far as they are readable."""
        blocks = self._blocks({row[8] for row in rows if row[8] is not None})
        if len(rows) > 1:  # for a single record, checking just that record is cheaper
            for number, data in blocks.items():
                self._inspect(number, data)
        for envelope in {row[7] for row in rows if row[7] not in self._envelopes}:
            for (declared,) in self.execute("SELECT declarations FROM envelope WHERE id = ?", (envelope,)):
                self._envelopes[envelope] = declared
        return blocks, self._envelopes

    def is_doubtful(self, block: int) -> bool:
        """Return whether the payloads of a block must be checked one by one: it is suspect or uninspected."""
        place = block >> 3
        is_inspected = place < len(self._inspected) and self._inspected[place] & 1 << (block & 7)
        return not is_inspected or block in self._suspects

    def formats_of(self, record_id: int) -> list[int]:
        rows = self.execute("SELECT format_id FROM payload WHERE record_id = ? ORDER BY 1", (record_id,))
        return [row[0] for row in rows]

    def execute(self, statement: str, values: Sequence[object] = ()) -> list[Any]:
        """Run a statement in the current snapshot and return its rows."""
        assert self._raw is not None, "only while reading"
        try:
            return self._raw.execute(statement, values).fetchall()
        except sqlite3.Error as exc:
            raise _database_error(exc) from exc

    exec_driver_sql = execute  # the interface that `Queries` expects

    def _blocks(self, numbers: set[int]) -> dict[int, bytes]:
        """Return these blocks unpacked, leaving out unreadable ones."""
        try:
            found = self._unpacker.fetch(self, numbers)
        except _DAMAGE:
            found = {}
            for number in numbers:
                with suppress(*_DAMAGE):
                    found |= self._unpacker.fetch(self, (number,))
        return found

    def _inspect(self, number: int, data: bytes) -> None:
        """Inspect a block when it is first read: it was valid when stored, but disks fail."""
        place, bit = number >> 3, 1 << (number & 7)
        if place >= len(self._inspected):
            self._inspected.extend(bytes(place + 1024 - len(self._inspected)))
        if not self._inspected[place] & bit:
            self._inspected[place] |= bit
            if self._is_suspect(data):
                self._suspects.add(number)

    def _check_epoch(self) -> None:
        """Close the file if it changed and was opened in a mode that does not detect changes."""
        epoch = self._store.database.epoch
        if epoch != self._epoch:
            self.close()
            self._epoch = epoch

    def _connect(self) -> sqlite3.Connection:
        self._raw = self._store.database.connect_to_read()
        return self._raw

    def _is_news(self, raw: sqlite3.Connection) -> bool:
        version = raw.execute(_VERSION).fetchone()[0]
        if version == self._version:
            return False
        self._version = version
        self.moments.refresh(self)
        # Numbers of a forgotten source may be used again, so nothing cached by number is kept.
        self._unpacker = Unpacker()
        self._envelopes.clear()
        self._inspected.clear()
        self._suspects.clear()
        return True


class _Snapshot:
    """The context manager of `reading`. A generator would be shorter, but costs half as much as a query."""

    __slots__ = ("_offering",)

    def __init__(self, offering: RecordListing) -> None:
        self._offering = offering

    def __enter__(self) -> bool:
        return self._offering.begin()

    def __exit__(self, _kind: object, exc: BaseException | None, _trace: object) -> None:
        self._offering.end(exc)


def prepare_index(store: Store) -> None:
    """Create the index for lists of one set or source; harvesting is faster without it."""
    query = "SELECT 1 FROM sqlite_master WHERE type = 'index' AND name = 'record_shelf'"
    with store.reading() as connection:
        is_there = connection.exec_driver_sql(query).first()
    if not is_there and not store.is_read_only:
        with store.writing() as connection:
            connection.exec_driver_sql(
                "CREATE INDEX IF NOT EXISTS record_shelf ON record (source_id, group_id)"
            )


@lru_cache(maxsize=64)
def _record_statement(sources: int) -> str:
    """Return the statement that looks for a record in so many sources."""
    # The plus keeps the database from looking once for each source.
    return (
        f"SELECT {_COLUMNS}, {_PLACE}, b.dictionary_id, b.data FROM record r"
        f" {JOIN} LEFT JOIN block b ON b.id = p.block_id"
        f" WHERE r.identifier = ? AND +r.source_id IN ({placeholders('?' * sources)})"
        " ORDER BY r.source_id LIMIT 1"
    )


def _first(numbers: Sequence[int], placed: Iterable[Row]) -> Iterator[int]:
    """Yield as many of these records as may be read at once, at least one. `placed` are rows of payloads."""
    sizes, left = Counter[int](), _HELD_BYTES
    for _, number, *_, length, _ in placed:
        sizes[number] += length or 0
    for place, number in enumerate(numbers):
        left -= sizes[number]
        if left < 0 and place:
            return
        yield number


def _database_error(exc: sqlite3.Error) -> StoreError:
    return StoreError(f"the library cannot be read: {exc}")
