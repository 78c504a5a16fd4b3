"""Payloads by the thousand, as bare tuples: what `windrow rebuild` reads. Its hot path.

Beside `records`, which gives whole records: here nothing is read that mapping does not need.
"""

from __future__ import annotations

from collections.abc import Sequence

from windrow.store.connection import Connection
from windrow.store.payloads import Unpacker

BATCH = 1000
_MAX_ENVELOPES = 10_000

Piece = tuple[int, str, bytes, bytes]  # record number, metadata prefix, declarations, payload

# A record's payloads lie side by side, and a batch may end between them: hence both halves of the key.
# The plus keeps SQLite from starting at an index on sources, which would sort everything for each batch.
_PAYLOADS = """
    SELECT p.record_id, p.format_id, p.envelope_id, p.block_id, p.start, p.start + p.length
    FROM payload p JOIN record r ON r.id = p.record_id
    WHERE +r.source_id = ? AND (p.record_id, p.format_id) > (?, ?)
    ORDER BY p.record_id, p.format_id LIMIT ?
"""
_ENVELOPE = "SELECT declarations FROM envelope WHERE id = ?"
_FORMATS = "SELECT id, prefix FROM format"
_NAMES = "SELECT id, identifier FROM record WHERE id IN ({})"
_TOTALS = """
    SELECT COUNT(*), COALESCE(SUM(p.length), 0)
    FROM payload p JOIN record r ON r.id = p.record_id WHERE +r.source_id = ?
"""


class PayloadReader:
    """Reads all payloads of one source in the order of their records, a transaction a batch if need be."""

    def __init__(self, source_id: int) -> None:
        self._source_id = source_id
        self._unpacker = Unpacker()
        self._envelopes: dict[int, bytes] = {}
        self._formats: dict[int, str] = {}
        self._last = (0, 0)

    def totals(self, connection: Connection) -> tuple[int, int]:
        """Give how many there are in all, and how many bytes."""
        count, size = connection.exec_driver_sql(_TOTALS, (self._source_id,)).one()
        return count, size

    def batch(self, connection: Connection) -> list[Piece]:
        """Give the next thousand; nothing at the end."""
        rows = connection.exec_driver_sql(_PAYLOADS, (self._source_id, *self._last, BATCH)).all()
        if not rows:
            return []
        self._last = (rows[-1][0], rows[-1][1])
        formats, envelopes = self._known_formats(connection), self._envelopes
        blocks = self._unpacker.fetch(connection, {row[3] for row in rows})
        for envelope_id in {row[2] for row in rows} - envelopes.keys():
            envelopes[envelope_id] = connection.exec_driver_sql(_ENVELOPE, (envelope_id,)).scalar_one()
        pieces = [
            (number, formats[format_id], envelopes[envelope_id], blocks[block_id][start:end])
            for number, format_id, envelope_id, block_id, start, end in rows
        ]
        if len(envelopes) > _MAX_ENVELOPES:  # a server that declares something else on every record
            envelopes.clear()
        return pieces

    def _known_formats(self, connection: Connection) -> dict[int, str]:
        if not self._formats:
            self._formats = {row[0]: row[1] for row in connection.exec_driver_sql(_FORMATS)}
        return self._formats


def names_of(connection: Connection, numbers: Sequence[int]) -> dict[int, str]:
    """Give the identifiers of records by their numbers."""
    return dict(connection.exec_driver_sql(_NAMES.format(", ".join("?" * len(numbers))), tuple(numbers)))
