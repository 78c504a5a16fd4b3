"""What a reconciling pass has seen, and what the library has beyond that."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from windrow.store.connection import Connection

_ADD = "INSERT OR IGNORE INTO listed VALUES (?, ?)"
_COUNT = "SELECT COUNT(*) FROM listed WHERE run_id = ?"
_CLEAR = "DELETE FROM listed WHERE run_id <= ?"
_LIVE = "SELECT COUNT(*) FROM record r WHERE NOT r.is_deleted AND r.source_id = ?"
_VANISHED = """
    SELECT r.identifier FROM record r
    WHERE NOT EXISTS (SELECT 1 FROM listed l WHERE l.run_id = ? AND l.identifier = r.identifier)
      AND NOT r.is_deleted AND r.source_id = ?
"""
_IN_SETS = """
    AND r.group_id IN (SELECT m.group_id FROM set_member m JOIN source_set s ON s.id = m.set_id
      WHERE s.source_id = ? AND ({}))
"""
_IN_SET = "s.spec = ? OR s.spec LIKE ? ESCAPE '/'"
_ORDER = " ORDER BY r.id LIMIT ?"
_ALL = -1  # rows, as a limit


def add(connection: Connection, run_id: int, identifiers: Iterable[str]) -> None:
    """Note identifiers that the repository still lists."""
    rows = [(run_id, identifier) for identifier in identifiers]
    if rows:
        connection.exec_driver_sql(_ADD, rows)


def count(connection: Connection, run_id: int) -> int:
    """Give how many different identifiers were listed."""
    return int(connection.exec_driver_sql(_COUNT, (run_id,)).scalar_one())


def live(connection: Connection, source_id: int, specs: Sequence[str]) -> int:
    """Give how many live records the library has of these sets; of no sets: of the source."""
    condition, values = _within(source_id, specs)
    return int(connection.exec_driver_sql(_LIVE + condition, (source_id, *values)).scalar_one())


def vanished(
    connection: Connection, source_id: int, run_id: int, specs: Sequence[str], *, limit: int | None = None
) -> list[str]:
    """Give identifiers of live records that the repository no longer lists."""
    condition, values = _within(source_id, specs)
    most = _ALL if limit is None else limit
    statement = _VANISHED + condition + _ORDER
    return connection.exec_driver_sql(statement, (run_id, source_id, *values, most)).scalars()


def clear(connection: Connection, run_id: int) -> None:
    """Forget a pass."""
    connection.exec_driver_sql(_CLEAR, (run_id,))


def _within(source_id: int, specs: Sequence[str]) -> tuple[str, tuple[object, ...]]:
    """Give the condition that a record is in one of these sets or below it, and what it is bound to."""
    if not specs:
        return "", ()
    below = [spec.replace("/", "//").replace("%", "/%").replace("_", "/_") + ":%" for spec in specs]
    pairs = [item for pair in zip(specs, below, strict=True) for item in pair]
    return _IN_SETS.format(" OR ".join([_IN_SET] * len(specs))), (source_id, *pairs)
