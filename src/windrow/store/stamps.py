"""Which records the library has in a format, with their datestamps: what need not be fetched again."""

from __future__ import annotations

from collections.abc import Sequence

from windrow.store.connection import Connection

_STAMPS = """
    SELECT r.identifier, r.stamp FROM record r JOIN payload p ON p.record_id = r.id AND p.format_id = ?
    WHERE r.source_id = ? AND NOT r.is_deleted AND r.identifier IN ({})
"""


def stamps_present(
    connection: Connection, source_id: int, names: Sequence[str], format_id: int
) -> dict[str, str]:
    """Give which of these identifiers the library has in this format, with their datestamps."""
    query = _STAMPS.format(", ".join("?" * len(names)))
    return dict(connection.exec_driver_sql(query, (format_id, source_id, *names)))
