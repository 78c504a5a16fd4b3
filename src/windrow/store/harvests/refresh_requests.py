"""Records that somebody looked at when they were stale: what waits to be asked for, and what came of it.

Pages write wishes here, in batches; whoever harvests takes them, the oldest first. One row a record: `asked`
is when the wish was made and empty once it was seen to, `tried` when the source was last asked for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from windrow.store.connection import Connection

MAX_WAITING = 5000  # wishes of all sources together; what is wished for beyond that is forgotten
MAX_WAITING_OF_SOURCE = 1000
_CHUNK = 500  # records in one question
_MAX_OUTCOME_LENGTH = 200

_KNOWN = "SELECT record_id FROM refresh WHERE (asked IS NOT NULL OR tried >= ?) AND record_id IN ({})"
_COUNT = "SELECT source_id, COUNT(*) FROM refresh WHERE asked IS NOT NULL GROUP BY source_id"
_WISH = """
    INSERT INTO refresh (record_id, source_id, asked)
    SELECT id, source_id, ? FROM record WHERE id = ? AND source_id = ? AND NOT is_deleted
    ON CONFLICT (record_id) DO UPDATE SET asked = COALESCE(refresh.asked, excluded.asked)
"""
_OLDEST = """
    SELECT f.record_id, r.identifier, r.seq, f.asked FROM refresh f JOIN record r ON r.id = f.record_id
    WHERE f.source_id = ? AND f.asked IS NOT NULL ORDER BY f.asked, f.record_id LIMIT ?
"""
_SETTLE = "UPDATE refresh SET asked = NULL, tried = ?, outcome = ? WHERE record_id = ?"
_SETTLE_ALL = (
    "UPDATE refresh SET asked = NULL, tried = ?, outcome = ? WHERE source_id = ? AND asked IS NOT NULL"
)
_MOOT = "UPDATE refresh SET asked = NULL WHERE source_id = ? AND asked < ?"
_OUTDATED = "DELETE FROM refresh WHERE source_id = ? AND asked IS NULL AND COALESCE(tried, 0) < ?"
_WAITING = """
    SELECT s.name, COUNT(*) FROM refresh f JOIN source s ON s.id = f.source_id
    WHERE f.asked IS NOT NULL GROUP BY s.name ORDER BY s.name
"""
_LAST = "SELECT tried, outcome FROM refresh WHERE record_id = ?"
_SEQ = "SELECT seq FROM record WHERE id = ?"


@dataclass(frozen=True, slots=True)
class RefreshRequest:
    """A record to be asked for again. `seq` is of its newest change when this was read."""

    record_id: int
    identifier: str
    seq: int
    asked: datetime


@dataclass(frozen=True, slots=True)
class RefreshAttempt:
    """When a source was last asked for one record, and what came of it."""

    at: datetime
    outcome: str


def find_unrequested(connection: Connection, records: Sequence[int], *, before: int) -> list[int]:
    """Return which of these records wait for nothing and were not asked for since `before`, in order."""
    known: set[int] = set()
    for start in range(0, len(records), _CHUNK):
        chunk = records[start : start + _CHUNK]
        query = _KNOWN.format(", ".join("?" * len(chunk)))
        known.update(connection.exec_driver_sql(query, (before, *chunk)).scalars())
    return [number for number in records if number not in known]


def request_refresh(connection: Connection, source_id: int, records: Iterable[int], *, now: int) -> int:
    """Let these records of a source wait, as far as there is room; give how many were let.

    One that waits already keeps its place; one that is deleted, or not of this source, is left out.
    """
    waiting: dict[int, int] = dict(connection.exec_driver_sql(_COUNT))
    room = min(MAX_WAITING - sum(waiting.values()), MAX_WAITING_OF_SOURCE - waiting.get(source_id, 0))
    chosen = [number for number, _ in zip(records, range(max(0, room)), strict=False)]
    if not chosen:
        return 0
    return connection.exec_driver_sql(_WISH, [(now, number, source_id) for number in chosen]).rowcount


def list_oldest(connection: Connection, source_id: int, *, limit: int) -> list[RefreshRequest]:
    """Return what waits the longest of a source."""
    rows = connection.exec_driver_sql(_OLDEST, (source_id, limit))
    return [RefreshRequest(number, name, seq, _moment(asked)) for number, name, seq, asked in rows]


def settle(connection: Connection, record_id: int, outcome: str, *, now: int) -> None:
    """Note that the source was asked for a record, and what came of it; nothing waits any more."""
    connection.exec_driver_sql(_SETTLE, (now, outcome[:_MAX_OUTCOME_LENGTH], record_id))


def settle_all(connection: Connection, source_id: int, outcome: str, *, now: int) -> None:
    """Note for all that waits of a source why it is not asked for."""
    connection.exec_driver_sql(_SETTLE_ALL, (now, outcome[:_MAX_OUTCOME_LENGTH], source_id))


def forget_seen(connection: Connection, source_id: int, seen: int) -> None:
    """Drop what a harvest that began then has made moot: it has seen all records of the source."""
    connection.exec_driver_sql(_MOOT, (source_id, seen))
    connection.exec_driver_sql(_OUTDATED, (source_id, seen))


def count_waiting(connection: Connection) -> Mapping[str, int]:
    """Return how many records wait, by the names of their sources; those with none are left out."""
    return dict(connection.exec_driver_sql(_WAITING))


def last_attempt(connection: Connection, record_id: int) -> RefreshAttempt | None:
    """Return when a record was last asked for by itself; None where that never was, or not since a harvest."""
    row = connection.exec_driver_sql(_LAST, (record_id,)).first()
    return RefreshAttempt(_moment(row[0]), row[1] or "") if row and row[0] else None


def is_unchanged(connection: Connection, wished: RefreshRequest) -> bool:
    """Return whether the record is still as it was when the wish was read."""
    return bool(connection.exec_driver_sql(_SEQ, (wished.record_id,)).scalar() == wished.seq)


def _moment(seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
