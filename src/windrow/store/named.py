"""Records by their identifier alone: for the gateway, whose addresses do not say from which source."""

from __future__ import annotations

from typing import NamedTuple

from windrow.store.connection import Connection
from windrow.store.guards import guarded

_NAMED = """
    SELECT r.id, s.name, r.seq, r.is_deleted,
      COALESCE((SELECT m.at FROM moment m WHERE m.seq >= r.seq ORDER BY m.seq LIMIT 1), 0)
    FROM record r JOIN source s ON s.id = r.source_id
    WHERE r.identifier = ? ORDER BY r.is_deleted, NOT EXISTS (
      SELECT 1 FROM payload p JOIN format f ON f.id = p.format_id
      WHERE p.record_id = r.id AND f.prefix = ?), r.source_id
"""
_FORMATS = """
    SELECT f.prefix FROM payload p JOIN format f ON f.id = p.format_id WHERE p.record_id = ? ORDER BY f.id
"""
_MERGING = """
    SELECT s.name FROM source s JOIN alias a ON a.source_id = s.id WHERE a.identifier = ? ORDER BY s.id
"""


class Named(NamedTuple):
    """A record that everybody may see, and its newest change."""

    number: int
    source: str
    seq: int
    is_deleted: bool
    at: int  # when that change became visible, Unix seconds


def named(connection: Connection, identifier: str, prefix: str) -> Named | None:
    """Give the record of this name, to be shown in a format.

    Of several sources that have it: one where it is not deleted, that came in this format, and then the
    source of the lowest number. So a link to a format is good as long as any of them has it.
    """
    rows = connection.exec_driver_sql(_NAMED, (identifier, prefix)).all()
    hidden = guarded(connection, [row[0] for row in rows]) if rows else set()
    return next((Named(*row) for row in rows if row[0] not in hidden), None)


def formats_of(connection: Connection, number: int) -> tuple[str, ...]:
    """Give the formats that a record came in, by its number."""
    return tuple(connection.exec_driver_sql(_FORMATS, (number,)).scalars())


def merging_sources(connection: Connection, identifier: str) -> list[str]:
    """Give the sources in which an identifier was merged into another."""
    return connection.exec_driver_sql(_MERGING, (identifier,)).scalars()
