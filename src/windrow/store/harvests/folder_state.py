"""The files of folders of documents, as they were when they were last read: what a look compares with.

One row for each file, and for each member of an archive. The harvest of documents writes them in the
transaction in which it stores the records; whoever opens an original asks here where it lies.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from windrow.store import sources
from windrow.store.connection import Connection
from windrow.store.records.payloads import Unpacker
from windrow.store.records.set_hierarchy import find_guards
from windrow.store.store import Store

SHOWN, HIDDEN, DROPPED, REFUSED = "", "hidden", "dropped", "refused"  # the states of a file
AWAY = "away"  # instead of a reader: of a hidden file that is not there, but may come back
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
    """A file, or a member of an archive, as the library knows it."""

    path: str  # from the folder on
    member: str  # inside the archive at `path`; empty: the file itself
    identifier: str  # of its record: its first address, which stays with it when it is moved
    size: int
    mtime_ns: int  # of a member: as its archive tells, else that of the archive
    sha256: str  # of a member: its archive's
    media_type: str = ""  # by its content
    guards: str = ""  # that protect it, one after another
    beside: str = ""  # which files beside it speak of it, and as they were
    given: str = ""  # what they say, as a digest
    reader: str = ""  # the version of what read it; empty: it is to be read again
    state: str = SHOWN
    looked_at: int = 0  # the Unix second in which its content was last looked at
    remarks: str = ""  # what is to be known of its content: codes of `document_remarks`, one after another

    @property
    def is_verdict(self) -> bool:
        """Is there a tombstone for it, so that the row stands only for what was decided by hand?"""
        return self.state == DROPPED or self.reader == AWAY


def list_files(connection: Connection, source_id: int, under: Sequence[str] | None = None) -> list[KnownFile]:
    """Return the files of a source in the order of their paths: all, or those at some paths and below them."""
    if under is None or "" in under:
        return [KnownFile(*row) for row in connection.exec_driver_sql(_SELECT + _FILE_ORDER, (source_id,))]
    found = []
    for path in under:  # "0" is what comes after the slash
        values = (source_id, path, f"{path}/", f"{path}0")
        found += [
            KnownFile(*row) for row in connection.exec_driver_sql(_SELECT + _BELOW + _FILE_ORDER, values)
        ]
    return found


def list_in_state(connection: Connection, source_id: int, state: str) -> list[KnownFile]:
    """Return the files of a source that are in a state."""
    found = connection.exec_driver_sql(f"{_SELECT} AND state = ?{_FILE_ORDER}", (source_id, state))
    return [KnownFile(*row) for row in found]


def find_file(connection: Connection, source_id: int, identifier: str) -> KnownFile | None:
    """Return the file behind a record; None where there is none."""
    row = connection.exec_driver_sql(f"{_SELECT} AND identifier = ?", (source_id, identifier)).first()
    return KnownFile(*row) if row else None


def find_at(connection: Connection, source_id: int, path: str, member: str = "") -> KnownFile | None:
    """Return the file at a path."""
    values = (source_id, path, member)
    row = connection.exec_driver_sql(f"{_SELECT} AND path = ? AND member = ?", values).first()
    return KnownFile(*row) if row else None


def list_members(connection: Connection, source_id: int, path: str) -> list[KnownFile]:
    """Return the members of the archive at a path."""
    found = connection.exec_driver_sql(f"{_SELECT} AND path = ? AND member <> ''", (source_id, path))
    return [KnownFile(*row) for row in found]


def put_files(connection: Connection, source_id: int, held: Iterable[KnownFile]) -> None:
    """Write files down, in the place of what was known of them."""
    connection.exec_driver_sql(_PUT, [(source_id, *row) for row in held])


def remove_files(connection: Connection, source_id: int, held: Iterable[KnownFile]) -> None:
    """Forget files."""
    connection.exec_driver_sql(_REMOVE, [(source_id, row.path, row.member) for row in held])


def find_live(connection: Connection, source_id: int, identifiers: Sequence[str]) -> set[str]:
    """Return those of these identifiers that have a record which is not deleted."""
    found: set[str] = set()
    for start in range(0, len(identifiers), _FILES_AT_ONCE):
        some = identifiers[start : start + _FILES_AT_ONCE]
        marks = ", ".join("?" * len(some))
        found.update(connection.exec_driver_sql(_LIVE.format(marks), (source_id, *some)).scalars())
    return found


def has_any_file(connection: Connection, source_id: int) -> bool:
    """Was the source ever read as documents?"""
    return connection.exec_driver_sql(_ANY, (source_id,)).first() is not None


def forget_files(connection: Connection, source_id: int, prefix: str) -> None:
    """Forget that the source was read as documents, with all that was kept in the format of documents."""
    connection.exec_driver_sql(_DROP_PAYLOADS, (prefix, source_id))
    connection.exec_driver_sql(_FORGET, (source_id,))


def find_strays(connection: Connection, source_id: int) -> list[str]:
    """Return the records of a source that no file is behind: of an earlier address, or of another content."""
    return list(connection.exec_driver_sql(_STRAYS, (source_id,)).scalars())


def list_contents(connection: Connection) -> list[tuple[str, str]]:
    """Return the digest and the member of every file in the library that is not dropped."""
    return connection.exec_driver_sql(_SUMS).all()


# What the library knows of one folder, for whoever renders its files: their guards and places.
# Asked while a request waits, so each question is a few rows by an index.


class FolderLookup:
    """What the library knows of the folder of one source."""

    def __init__(self, store: Store, name: str) -> None:
        self._store = store
        self._name = name

    def guards(self, identifier: str) -> frozenset[str]:
        """Return the guards under which the library has a file."""
        with self._store.reading() as connection:
            source = sources.find(connection, self._name)
            return find_guards(connection, source.id, identifier) if source else frozenset()

    def path(self, identifier: str) -> str | None:
        """Return where the file of a document lies, which may have moved; None for what is in an archive."""
        with self._store.reading() as connection:
            source = sources.find(connection, self._name)
            row = find_file(connection, source.id, identifier) if source else None
        return row.path if row is not None and not row.member else None


# What the library has of a source, quickly and all of it: to be compared with what is there now.
# The harvest of a folder reads this at every look. Beside `records`, which gives whole records.

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

Bounds = tuple[str, str]  # identifiers from the one on, up to before the other


class RecordDigest(NamedTuple):
    """A record that the library has. The digest is of its payload in one format, 0 where it has none."""

    id: int
    is_deleted: bool
    group: int
    digest: int


def digest_payload(payload: bytes) -> int:
    """Return a number that differs where payloads do; it means nothing to another process."""
    return hash(payload) or 1


def read_record_digests(
    connection: Connection, source_id: int, prefix: str, bounds: Sequence[Bounds] | None
) -> dict[str, RecordDigest]:
    """Return the records of a source by identifier: within some bounds, or (None) all."""
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
        rows = connection.exec_driver_sql(statement, (prefix, source_id, *bound))
        while chunk := rows.fetchmany(_ROWS_AT_ONCE):
            yield chunk


def read_set_combinations(connection: Connection, source_id: int) -> Mapping[int, frozenset[str]]:
    """Return the sets that each combination of a source consists of, the unseen ones too."""
    found: dict[int, set[str]] = {}
    for group, spec in connection.exec_driver_sql(_MEMBERS, (source_id,)):
        found.setdefault(group, set()).add(spec)
    return {group: frozenset(specs) for group, specs in found.items()}
