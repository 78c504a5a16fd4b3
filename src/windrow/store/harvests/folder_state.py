"""The files of folders of documents, as they were when they were last read: what a look compares with.

One row for each file, and for each member of an archive. The harvest of documents writes them in the
transaction in which it stores the records; whoever opens an original asks here where it lies.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from windrow.store.connection import Connection

SHOWN, HIDDEN, DROPPED, REFUSED = "", "hidden", "dropped", "refused"  # the states of a file
AWAY = "away"  # instead of a reader: of a hidden file that is not there, but may come back
_CHUNK = 500
_COLUMNS = (
    "path, member, identifier, size, mtime_ns, sha256, media_type, guards, beside, given, reader, state,"
    " looked_at, remarks"
)
_SELECT = f"SELECT {_COLUMNS} FROM held_file WHERE source_id = ?"
_BELOW = " AND (path = ? OR (path >= ? AND path < ?))"
_ORDER = " ORDER BY path, member"
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


class HeldRow(NamedTuple):
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


def rows(connection: Connection, source_id: int, under: Sequence[str] | None = None) -> list[HeldRow]:
    """Give the files of a source in the order of their paths: all, or those at some paths and below them."""
    if under is None or "" in under:
        return [HeldRow(*row) for row in connection.exec_driver_sql(_SELECT + _ORDER, (source_id,))]
    found = []
    for path in under:  # "0" is what comes after the slash
        values = (source_id, path, f"{path}/", f"{path}0")
        found += [HeldRow(*row) for row in connection.exec_driver_sql(_SELECT + _BELOW + _ORDER, values)]
    return found


def in_state(connection: Connection, source_id: int, state: str) -> list[HeldRow]:
    """Give the files of a source that are in a state."""
    found = connection.exec_driver_sql(f"{_SELECT} AND state = ?{_ORDER}", (source_id, state))
    return [HeldRow(*row) for row in found]


def find(connection: Connection, source_id: int, identifier: str) -> HeldRow | None:
    """Give the file behind a record; None where there is none."""
    row = connection.exec_driver_sql(f"{_SELECT} AND identifier = ?", (source_id, identifier)).first()
    return HeldRow(*row) if row else None


def at(connection: Connection, source_id: int, path: str, member: str = "") -> HeldRow | None:
    """Give the file at a path."""
    values = (source_id, path, member)
    row = connection.exec_driver_sql(f"{_SELECT} AND path = ? AND member = ?", values).first()
    return HeldRow(*row) if row else None


def members(connection: Connection, source_id: int, path: str) -> list[HeldRow]:
    """Give the members of the archive at a path."""
    found = connection.exec_driver_sql(f"{_SELECT} AND path = ? AND member <> ''", (source_id, path))
    return [HeldRow(*row) for row in found]


def put(connection: Connection, source_id: int, held: Iterable[HeldRow]) -> None:
    """Write files down, in the place of what was known of them."""
    connection.exec_driver_sql(_PUT, [(source_id, *row) for row in held])


def remove(connection: Connection, source_id: int, held: Iterable[HeldRow]) -> None:
    """Forget files."""
    connection.exec_driver_sql(_REMOVE, [(source_id, row.path, row.member) for row in held])


def live(connection: Connection, source_id: int, identifiers: Sequence[str]) -> set[str]:
    """Give those of these identifiers that have a record which is not deleted."""
    found: set[str] = set()
    for start in range(0, len(identifiers), _CHUNK):
        some = identifiers[start : start + _CHUNK]
        marks = ", ".join("?" * len(some))
        found.update(connection.exec_driver_sql(_LIVE.format(marks), (source_id, *some)).scalars())
    return found


def has_any(connection: Connection, source_id: int) -> bool:
    """Was the source ever read as documents?"""
    return connection.exec_driver_sql(_ANY, (source_id,)).first() is not None


def forget(connection: Connection, source_id: int, prefix: str) -> None:
    """Forget that the source was read as documents, with all that was kept in the format of documents."""
    connection.exec_driver_sql(_DROP_PAYLOADS, (prefix, source_id))
    connection.exec_driver_sql(_FORGET, (source_id,))


def strays(connection: Connection, source_id: int) -> list[str]:
    """Give the records of a source that no file is behind: of an earlier address, or of another content."""
    return list(connection.exec_driver_sql(_STRAYS, (source_id,)).scalars())


def contents(connection: Connection) -> list[tuple[str, str]]:
    """Give the digest and the member of every file in the library that is not dropped."""
    return connection.exec_driver_sql(_SUMS).all()
