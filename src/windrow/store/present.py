"""What the library has of a source, quickly and all of it: to be compared with what is there now.

The harvest of a folder reads this at every look. Beside `records`, which gives whole records.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from windrow.store.connection import Connection
from windrow.store.payloads import Unpacker

_CHUNK = 5000  # rows whose blocks are unpacked together
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
_ORDER = " ORDER BY p.block_id"

Bounds = tuple[str, str]  # identifiers from the one on, up to before the other


class Present(NamedTuple):
    """A record that the library has. The digest is of its payload in one format, 0 where it has none."""

    id: int
    is_deleted: bool
    group: int
    digest: int


def digest_of(payload: bytes) -> int:
    """Give a number that differs where payloads do; it means nothing to another process."""
    return hash(payload) or 1


def present(
    connection: Connection, source_id: int, prefix: str, bounds: Sequence[Bounds] | None
) -> dict[str, Present]:
    """Give the records of a source by identifier: within some bounds, or (None) all."""
    found: dict[str, Present] = {}
    unpacker = Unpacker()
    for rows in _rows(connection, source_id, prefix, bounds):
        blocks = unpacker.fetch(connection, {row[4] for row in rows if row[4] is not None})
        for identifier, number, is_deleted, group, block, start, end in rows:
            digest = 0 if block is None else digest_of(blocks[block][start:end])
            found[identifier] = Present(number, bool(is_deleted), group, digest)
    return found


def _rows(
    connection: Connection, source_id: int, prefix: str, bounds: Sequence[Bounds] | None
) -> Iterator[Sequence[tuple[str, int, int, int, int | None, int, int]]]:
    for bound in [()] if bounds is None else bounds:
        statement = _ROWS + (_RANGE if bound else "") + _ORDER
        rows = connection.exec_driver_sql(statement, (prefix, source_id, *bound))
        while chunk := rows.fetchmany(_CHUNK):
            yield chunk


def combinations(connection: Connection, source_id: int) -> Mapping[int, frozenset[str]]:
    """Give the sets that each combination of a source consists of, the unseen ones too."""
    found: dict[int, set[str]] = {}
    for group, spec in connection.exec_driver_sql(_MEMBERS, (source_id,)):
        found.setdefault(group, set()).add(spec)
    return {group: frozenset(specs) for group, specs in found.items()}
