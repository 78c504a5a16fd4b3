"""Identifiers that were merged into another record of their source, and where they lead to now.

`windrow record merge` writes them; pages send whoever asks for the old identifier on to the new one, and a
harvest leaves the old one alone. An entry names the record it leads to; that one may be merged later in turn.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from windrow.store.connection import Connection

MAX_STEPS = 10  # from one merged identifier to the next; whoever needs more is sent on from there

_NEXT = """
    SELECT r.identifier FROM alias a JOIN record r ON r.id = a.record_id
    WHERE a.source_id = ? AND a.identifier = ?
"""
_ADD = """
    INSERT INTO alias (source_id, identifier, record_id, at) VALUES (?, ?, ?, ?)
    ON CONFLICT (source_id, identifier) DO UPDATE SET record_id = excluded.record_id, at = excluded.at
"""
_REMOVE = "DELETE FROM alias WHERE source_id = ? AND identifier = ? RETURNING identifier"
_NAMES = "SELECT identifier FROM alias WHERE source_id = ?"
_LISTED = """
    SELECT s.id, s.name, a.identifier, r.identifier, r.is_deleted, a.at
    FROM alias a JOIN source s ON s.id = a.source_id JOIN record r ON r.id = a.record_id
    WHERE s.name = COALESCE(?, s.name) ORDER BY s.name, a.identifier
"""


@dataclass(frozen=True, slots=True)
class Merge:
    """One identifier that leads to another record."""

    source: str
    identifier: str
    into: str  # as it was merged
    leads_to: str  # where one arrives now, if that was merged in turn
    is_dead_end: bool  # the record that it was merged into is deleted
    at: datetime


def find(connection: Connection, source_id: int, identifier: str) -> str | None:
    """Give the identifier that a merged one leads to now; None where it was not merged, or leads in a circle.

    After so many steps the place reached so far is given: from there one is sent on.
    """
    passed, found = {identifier}, None
    for _ in range(MAX_STEPS):
        following = connection.exec_driver_sql(_NEXT, (source_id, found or identifier)).scalar()
        if following is None:
            return found
        if following in passed:
            return None
        passed.add(following)
        found = following
    return found


def add(connection: Connection, source_id: int, identifier: str, record_id: int, *, now: int) -> None:
    """Let an identifier lead to a record of its source, and no longer to where it led before."""
    connection.exec_driver_sql(_ADD, (source_id, identifier, record_id, now))


def remove(connection: Connection, source_id: int, identifier: str) -> bool:
    """Let an identifier stand for itself again; False where it did already."""
    return connection.exec_driver_sql(_REMOVE, (source_id, identifier)).first() is not None


def names(connection: Connection, source_id: int) -> frozenset[str]:
    """Give the merged identifiers of a source: what a harvest does not bring back."""
    return frozenset(connection.exec_driver_sql(_NAMES, (source_id,)).scalars())


def listed(connection: Connection, source: str | None = None) -> list[Merge]:
    """Give what was merged, of one source or of all, in the order of names."""
    rows = connection.exec_driver_sql(_LISTED, (source,)).all()
    return [
        Merge(
            name,
            identifier,
            into,
            find(connection, source_id, identifier) or into,
            bool(is_deleted) and find(connection, source_id, into) is None,
            datetime.fromtimestamp(at, UTC),
        )
        for source_id, name, identifier, into, is_deleted, at in rows
    ]
