"""Comparison of a source's lists with the library: counts, and identifiers that one side lacks.

A pass over the identifiers of a source stores them here under the number of its run. Identifiers listed so
far by one list are stored under the negative of that number, so that repeated ones can be counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from windrow.store.connection import Connection

_ADD = "INSERT OR IGNORE INTO listed VALUES (?, ?)"
_COUNT = "SELECT COUNT(*) FROM listed WHERE run_id = ?"
_CLEAR = "DELETE FROM listed WHERE run_id = ?"
_CLEAR_SOURCE = """
    DELETE FROM listed WHERE run_id IN (SELECT id FROM run WHERE source_id = ?)
      OR run_id IN (SELECT -id FROM run WHERE source_id = ?)
"""
_LIVE = "SELECT COUNT(*) FROM record r WHERE NOT r.is_deleted AND r.source_id = ?"
_LIVE_NUMBERS = """
    SELECT r.id FROM record r JOIN payload p ON p.record_id = r.id AND p.format_id = ?
    WHERE NOT r.is_deleted AND r.source_id = ?
"""
_IN_FORMAT = """
    SELECT COUNT(*) FROM record r JOIN payload p ON p.record_id = r.id AND p.format_id = ?
    WHERE NOT r.is_deleted AND r.source_id = ?
"""
_TOMBSTONES = """
    SELECT COUNT(*) FROM record r WHERE r.is_deleted AND r.source_id = ?
      AND NOT EXISTS (SELECT 1 FROM vanished v WHERE v.record_id = r.id AND v.is_marked)
"""
_QUARANTINED = """
    SELECT COUNT(DISTINCT COALESCE(q.identifier, '#' || q.id)) FROM quarantine q
    WHERE q.source_id = ? AND q.format = ? AND q.resolved IS NULL
      AND NOT EXISTS (
        SELECT 1 FROM record r JOIN payload p ON p.record_id = r.id AND p.format_id = ?
        WHERE r.source_id = q.source_id AND r.identifier = q.identifier AND NOT r.is_deleted)
"""
_BETWEEN = """
    SELECT COUNT(*) FROM record r WHERE r.source_id = ? AND r.stamp >= ? AND r.stamp <= ?
      AND (r.is_deleted OR EXISTS (SELECT 1 FROM payload p WHERE p.record_id = r.id AND p.format_id = ?))
"""
_MERGED = "SELECT COUNT(*) FROM alias WHERE source_id = ?"
_RECENT = "SELECT stamp FROM record r WHERE r.source_id = ? AND r.stamp >= ? ORDER BY r.stamp DESC LIMIT ?"
_VANISHED = """
    SELECT r.identifier FROM record r
    WHERE NOT EXISTS (SELECT 1 FROM listed l WHERE l.run_id = ? AND l.identifier = r.identifier)
      AND NOT r.is_deleted AND r.source_id = ?
"""
_NEWLY_VANISHED = """
      AND NOT EXISTS (SELECT 1 FROM vanished v WHERE v.record_id = r.id AND NOT v.is_marked)
"""
_IN_SETS = """
    AND r.group_id IN (SELECT m.group_id FROM set_member m JOIN source_set s ON s.id = m.set_id
      WHERE s.source_id = ? AND ({}))
"""
_IN_SET = "s.spec = ? OR s.spec LIKE ? ESCAPE '/'"
_ORDER = " ORDER BY r.id LIMIT ?"
_CHUNK = 500  # identifiers per query
_ALL = -1  # no limit
_FORGET_SUSPECTS = "DELETE FROM vanished WHERE source_id = ? AND NOT is_marked"
_ADD_SUSPECTS = "INSERT OR IGNORE INTO vanished SELECT r.id, r.source_id, ?, ? FROM record r"
_SUSPECTED_AT = "SELECT MAX(at) FROM vanished WHERE source_id = ? AND NOT is_marked"
_SUSPECTS = """
    SELECT COUNT(*) FROM vanished v JOIN record r ON r.id = v.record_id
    WHERE v.source_id = ? AND NOT v.is_marked AND r.identifier IN ({})
"""
_MARK = """
    INSERT OR REPLACE INTO vanished
    SELECT r.id, r.source_id, ?, ? FROM record r WHERE r.source_id = ? AND r.identifier = ?
"""
_MARKED_SINCE = """
    SELECT r.identifier FROM vanished v JOIN record r ON r.id = v.record_id
    WHERE v.source_id = ? AND v.is_marked AND v.at >= ? AND r.is_deleted ORDER BY r.id
"""


def add(connection: Connection, run_id: int, identifiers: Iterable[str]) -> int:
    """Store identifiers that the source lists; return how many are new."""
    rows = [(run_id, identifier) for identifier in identifiers]
    return connection.execute(_ADD, rows).rowcount if rows else 0


def count(connection: Connection, run_id: int) -> int:
    return int(connection.execute(_COUNT, (run_id,)).scalar_one())


def clear(connection: Connection, run_id: int) -> None:
    connection.execute(_CLEAR, (run_id,))


def clear_source(connection: Connection, source_id: int) -> None:
    """Forget all identifiers stored by runs of a source, which has one run at a time."""
    connection.execute(_CLEAR_SOURCE, (source_id, source_id))


@dataclass(frozen=True, slots=True)
class ListHoldings:
    """What the library holds of one list (format and set)."""

    live: int
    tombstones: int  # reported by the source, not made by a comparison
    quarantined: int  # records in quarantine that are not stored otherwise
    merged: int  # tombstones made by `record merge` for records that the source may still list

    def listed(self, *, lists_tombstones: bool) -> int:
        """Return the size of the source's list if nothing is missing here."""
        gone = self.tombstones if lists_tombstones else min(self.merged, self.tombstones)
        return self.live + gone + self.quarantined


def count_holdings(
    connection: Connection, source_id: int, prefix: str, format_id: int, spec: str
) -> ListHoldings:
    """Return what the library holds of one list."""
    condition, values = _within(source_id, (spec,) if spec else ())

    def number(statement: str, *parameters: object) -> int:
        return int(connection.execute(statement, parameters).scalar_one())

    return ListHoldings(
        live=number(_IN_FORMAT + condition, format_id, source_id, *values),
        tombstones=number(_TOMBSTONES + condition, source_id, *values),
        quarantined=number(_QUARANTINED, source_id, prefix, format_id),
        merged=number(_MERGED, source_id),
    )


def count_live(connection: Connection, source_id: int, specs: Sequence[str]) -> int:
    """Return the number of live records in these sets; without sets, in the source."""
    condition, values = _within(source_id, specs)
    return int(connection.execute(_LIVE + condition, (source_id, *values)).scalar_one())


def read_live_numbers(connection: Connection, source_id: int, format_id: int, spec: str) -> list[int]:
    condition, values = _within(source_id, (spec,) if spec else ())
    statement = _LIVE_NUMBERS + condition
    return connection.execute(statement, (format_id, source_id, *values)).scalars()


def count_between(
    connection: Connection, source_id: int, format_id: int, spec: str, since: str, until: str | None
) -> int:
    """Return how many records of a list have a datestamp in this range, including tombstones."""
    condition, values = _within(source_id, (spec,) if spec else ())
    bounds = (since, f"{until or ''}~")  # sorts after every datestamp that begins like the end
    found = connection.execute(_BETWEEN + condition, (source_id, *bounds, format_id, *values))
    return int(found.scalar_one())


def newest_unlisted(connection: Connection, source_id: int, run_id: int, spec: str) -> str | None:
    """Return the newest datestamp of the live records of a list that were not listed."""
    condition, values = _within(source_id, (spec,) if spec else ())
    statement = _VANISHED.replace("r.identifier FROM", "MAX(r.stamp) FROM") + condition
    found = connection.execute(statement, (run_id, source_id, *values)).scalar()
    return None if found is None else str(found)


def read_recent_stamps(connection: Connection, source_id: int, since: str, most: int) -> list[str]:
    """Return the newest datestamps of a source since a time, newest first, at most `most`."""
    return connection.execute(_RECENT, (source_id, since, most)).scalars()


def find_vanished(
    connection: Connection,
    source_id: int,
    run_id: int,
    specs: Sequence[str],
    *,
    limit: int | None = None,
    is_new: bool = False,
) -> list[str]:
    """Return the identifiers of live records that the source no longer lists.

    With `is_new`, only those that were found by the previous comparison.
    """
    condition, values = _within(source_id, specs)
    most = _ALL if limit is None else limit
    statement = _VANISHED + condition + (_NEWLY_VANISHED if is_new else "") + _ORDER
    return connection.execute(statement, (run_id, source_id, *values, most)).scalars()


def note_suspects(
    connection: Connection, source_id: int, run_id: int, specs: Sequence[str], *, at: str
) -> None:
    """Store the records that this comparison missed, for the next one to confirm."""
    connection.execute(_FORGET_SUSPECTS, (source_id,))
    condition, values = _within(source_id, specs)
    where = _VANISHED.partition("FROM record r")[2]
    connection.execute(_ADD_SUSPECTS + where + condition, (at, False, run_id, source_id, *values))


def get_suspected_at(connection: Connection, source_id: int) -> str | None:
    """Return the time of the comparison whose missing records await a second one; None if none do."""
    found = connection.execute(_SUSPECTED_AT, (source_id,)).scalar()
    return None if found is None else str(found)


def has_suspects(connection: Connection, source_id: int, names: Sequence[str]) -> bool:
    """Return whether one of these records was missed by a comparison and awaits a second one."""
    if get_suspected_at(connection, source_id) is None:
        return False
    for start in range(0, len(names), _CHUNK):
        chunk = names[start : start + _CHUNK]
        statement = _SUSPECTS.format(", ".join("?" * len(chunk)))
        if connection.execute(statement, (source_id, *chunk)).scalar_one():
            return True
    return False


def forget_suspects(connection: Connection, source_id: int) -> None:
    """Forget the missing records of an earlier comparison, which are settled."""
    connection.execute(_FORGET_SUSPECTS, (source_id,))


def mark_tombstones(connection: Connection, source_id: int, names: Sequence[str], *, at: str) -> None:
    """Mark these tombstones as made by a comparison, not reported by the source."""
    rows = [(at, True, source_id, name) for name in names]
    connection.execute(_MARK, rows)


def marked_since(connection: Connection, source_id: int, at: str) -> list[str]:
    """Return the identifiers of records that a comparison marked as deleted since a time."""
    return connection.execute(_MARKED_SINCE, (source_id, at)).scalars()


def _within(source_id: int, specs: Sequence[str]) -> tuple[str, tuple[object, ...]]:
    """Return the SQL condition that a record is in one of these sets or below it, with its parameters."""
    if not specs:
        return "", ()
    below = [spec.replace("/", "//").replace("%", "/%").replace("_", "/_") + ":%" for spec in specs]
    pairs = [item for pair in zip(specs, below, strict=True) for item in pair]
    return _IN_SETS.format(" OR ".join([_IN_SET] * len(specs))), (source_id, *pairs)
