"""The files of document folders as they were last read, for comparison with the folder.

There is one row per file, and one per member of an archive. The harvest of documents writes them in the
transaction that stores the records; front ends look up here where an original is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from windrow.store import sources
from windrow.store.connection import Connection
from windrow.store.records.payloads import Unpacker
from windrow.store.records.set_hierarchy import find_guards
from windrow.store.store import Store

SHOWN, HIDDEN, DROPPED, REFUSED = "", "hidden", "dropped", "refused"  # states of a file
AWAY = "away"  # in place of a reader version: a hidden file that is missing but may come back
_FILES_AT_ONCE = 500
_COLUMNS = (
    "path, member, identifier, size, mtime_ns, sha256, media_type, guards, beside, given, reader, state,"
    " looked_at, remarks"
)
_SELECT = f"SELECT {_COLUMNS} FROM held_file WHERE source_id = ?"
_BELOW = " AND (path = ? OR (path >= ? AND path < ?))"
_FILE_ORDER = " ORDER BY path, member"
_PUT = f"INSERT OR REPLACE INTO held_file (source_id, {_COLUMNS}) VALUES ({', '.join('?' * 15)})"
_REMOVE = "DELETE FROM held_file WHERE source_id = ? AND path = ? AND member = ?"
_FORGET = "DELETE FROM held_file WHERE source_id = ?"
_LIVE = "SELECT identifier FROM record WHERE source_id = ? AND NOT is_deleted AND identifier IN ({})"
_ANY = "SELECT 1 FROM held_file WHERE source_id = ? LIMIT 1"
_SUMS = "SELECT sha256, member FROM held_file WHERE state <> 'dropped'"
_DROP_PAYLOADS = """
    DELETE FROM payload WHERE format_id = (SELECT id FROM format WHERE prefix = ?)
      AND record_id IN (SELECT id FROM record WHERE source_id = ?)
"""
_STRAYS = """
    SELECT identifier FROM record r WHERE source_id = ? AND NOT is_deleted AND NOT EXISTS (
      SELECT 1 FROM held_file h WHERE h.source_id = r.source_id AND h.identifier = r.identifier)
"""


class KnownFile(NamedTuple):
    """A file, or a member of an archive, as stored."""

    path: str  # relative to the folder
    member: str  # inside the archive at `path`; empty: the file itself
    identifier: str  # of its record: the first address of the file, which it keeps when moved
    size: int
    mtime_ns: int  # of a member: as recorded in the archive, else that of the archive
    sha256: str  # of a member: that of its archive
    media_type: str = ""  # detected from its content
    guards: str = ""  # the guards that protect it, joined
    beside: str = ""  # the files beside it that describe it, with their state
    given: str = ""  # a digest of what those files contain
    reader: str = ""  # the version of its reader; empty: it must be read again
    state: str = SHOWN
    looked_at: int = 0  # Unix time of the last check of its content
    remarks: str = ""  # codes from `model.file_content`, joined

    @property
    def is_verdict(self) -> bool:
        """Return whether the record is a tombstone and the row only keeps a manual decision."""
        return self.state == DROPPED or self.reader == AWAY


def list_files(connection: Connection, source_id: int, under: Sequence[str] | None = None) -> list[KnownFile]:
    """Return the files of a source ordered by path: all, or those at and below some paths."""
    if under is None or "" in under:
        return [KnownFile(*row) for row in connection.execute(_SELECT + _FILE_ORDER, (source_id,))]
    found = []
    for path in under:  # "0" is the character after the slash
        values = (source_id, path, f"{path}/", f"{path}0")
        found += [KnownFile(*row) for row in connection.execute(_SELECT + _BELOW + _FILE_ORDER, values)]
    return found


def list_in_state(connection: Connection, source_id: int, state: str) -> list[KnownFile]:
    found = connection.execute(f"{_SELECT} AND state = ?{_FILE_ORDER}", (source_id, state))
    return [KnownFile(*row) for row in found]


def find_file(connection: Connection, source_id: int, identifier: str) -> KnownFile | None:
    """Return the file of a record; None if it has none."""
    row = connection.execute(f"{_SELECT} AND identifier = ?", (source_id, identifier)).first()
    return KnownFile(*row) if row else None


def find_at(connection: Connection, source_id: int, path: str, member: str = "") -> KnownFile | None:
    values = (source_id, path, member)
    row = connection.execute(f"{_SELECT} AND path = ? AND member = ?", values).first()
    return KnownFile(*row) if row else None


def list_members(connection: Connection, source_id: int, path: str) -> list[KnownFile]:
    found = connection.execute(f"{_SELECT} AND path = ? AND member <> ''", (source_id, path))
    return [KnownFile(*row) for row in found]


def put_files(connection: Connection, source_id: int, held: Iterable[KnownFile]) -> None:
    connection.execute(_PUT, [(source_id, *row) for row in held])


def remove_files(connection: Connection, source_id: int, held: Iterable[KnownFile]) -> None:
    connection.execute(_REMOVE, [(source_id, row.path, row.member) for row in held])


def find_live(connection: Connection, source_id: int, identifiers: Sequence[str]) -> set[str]:
    """Return those of these identifiers whose record is not deleted."""
    found: set[str] = set()
    for start in range(0, len(identifiers), _FILES_AT_ONCE):
        some = identifiers[start : start + _FILES_AT_ONCE]
        marks = ", ".join("?" * len(some))
        found.update(connection.execute(_LIVE.format(marks), (source_id, *some)).scalars())
    return found


def has_any_file(connection: Connection, source_id: int) -> bool:
    return connection.execute(_ANY, (source_id,)).first() is not None


def forget_files(connection: Connection, source_id: int, prefix: str) -> None:
    """Forget the files of a source, and delete all payloads in the format of documents."""
    connection.execute(_DROP_PAYLOADS, (prefix, source_id))
    connection.execute(_FORGET, (source_id,))


def find_strays(connection: Connection, source_id: int) -> list[str]:
    """Return the records of a source that belong to no file.

    They come from an earlier address, or from another kind of content.
    """
    return list(connection.execute(_STRAYS, (source_id,)).scalars())


def list_contents(connection: Connection) -> list[tuple[str, str]]:
    """Return the digest and member of every file in the library that is not dropped."""
    return connection.execute(_SUMS).all()


# Lookups of one folder for front ends. They run while a request waits, so each reads a few rows by an index.


class FolderLookup:
    """The guards and paths of the files of one source."""

    def __init__(self, store: Store, name: str) -> None:
        self._store = store
        self._name = name

    def guards(self, identifier: str) -> frozenset[str]:
        """Return the guards that protect a file."""
        with self._store.reading() as connection:
            source = sources.find(connection, self._name)
            return find_guards(connection, source.id, identifier) if source else frozenset()

    def path(self, identifier: str) -> str | None:
        """Return the current path of a document's file; None if it is in an archive."""
        with self._store.reading() as connection:
            source = sources.find(connection, self._name)
            row = find_file(connection, source.id, identifier) if source else None
        return row.path if row is not None and not row.member else None


# The stored records of a source, read in bulk for comparison with what is there now. The harvest of a folder
# does this on every scan.

_ROWS_AT_ONCE = 5000  # rows whose blocks are unpacked together
_ROWS = """
    SELECT r.identifier, r.id, r.is_deleted, r.group_id, p.block_id, p.start, p.start + p.length
    FROM record r LEFT JOIN payload p ON p.record_id = r.id
      AND p.format_id = (SELECT id FROM format WHERE prefix = ?)
    WHERE r.source_id = ?
"""
_MEMBERS = """
    SELECT m.group_id, s.spec FROM set_member m JOIN source_set s ON s.id = m.set_id WHERE s.source_id = ?
"""
_RANGE = " AND r.identifier >= ? AND r.identifier < ?"
_BLOCK_ORDER = " ORDER BY p.block_id"

Bounds = tuple[str, str]  # identifiers from the first to before the second


class RecordDigest(NamedTuple):
    """A stored record. The digest is of its payload in one format, 0 without a payload."""

    id: int
    is_deleted: bool
    group: int
    digest: int


def digest_payload(payload: bytes) -> int:
    """Return a number that differs where payloads do; it is valid in this process only."""
    return hash(payload) or 1


def read_record_digests(
    connection: Connection, source_id: int, prefix: str, bounds: Sequence[Bounds] | None
) -> dict[str, RecordDigest]:
    """Return the records of a source by identifier: within some bounds, or all (None)."""
    found: dict[str, RecordDigest] = {}
    unpacker = Unpacker()
    for rows in _digest_rows(connection, source_id, prefix, bounds):
        blocks = unpacker.fetch(connection, {row[4] for row in rows if row[4] is not None})
        for identifier, number, is_deleted, group, block, start, end in rows:
            digest = 0 if block is None else digest_payload(blocks[block][start:end])
            found[identifier] = RecordDigest(number, bool(is_deleted), group, digest)
    return found


def _digest_rows(
    connection: Connection, source_id: int, prefix: str, bounds: Sequence[Bounds] | None
) -> Iterator[Sequence[tuple[str, int, int, int, int | None, int, int]]]:
    for bound in [()] if bounds is None else bounds:
        statement = _ROWS + (_RANGE if bound else "") + _BLOCK_ORDER
        rows = connection.execute(statement, (prefix, source_id, *bound))
        while chunk := rows.fetchmany(_ROWS_AT_ONCE):
            yield chunk


def read_set_combinations(connection: Connection, source_id: int) -> Mapping[int, frozenset[str]]:
    """Return the sets of each combination of a source, including guards."""
    found: dict[int, set[str]] = {}
    for group, spec in connection.execute(_MEMBERS, (source_id,)):
        found.setdefault(group, set()).add(spec)
    return {group: frozenset(specs) for group, specs in found.items()}
