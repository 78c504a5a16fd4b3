"""Refresh requests: stale records that were viewed and should be requested from their source again.

Pages store requests in batches, and a harvester takes the oldest first. There is one row per record: `asked`
is the time of the request, empty once it is settled, and `tried` the time when the source was last asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from windrow.store.connection import Connection

MAX_WAITING = 5000  # requests of all sources; further ones are dropped
MAX_WAITING_OF_SOURCE = 1000
_CHUNK = 500  # records per query
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
    """A record to be requested again. `seq` is its newest change at the time of reading."""

    record_id: int
    identifier: str
    seq: int
    asked: datetime


@dataclass(frozen=True, slots=True)
class RefreshAttempt:
    """The last request of a record from its source, and the outcome."""

    at: datetime
    outcome: str


def find_unrequested(connection: Connection, records: Sequence[int], *, before: int) -> list[int]:
    """Return those of these records without a pending request and not tried since `before`, in order."""
    known: set[int] = set()
    for start in range(0, len(records), _CHUNK):
        chunk = records[start : start + _CHUNK]
        query = _KNOWN.format(", ".join("?" * len(chunk)))
        known.update(connection.execute(query, (before, *chunk)).scalars())
    return [number for number in records if number not in known]


def request_refresh(connection: Connection, source_id: int, records: Iterable[int], *, now: int) -> int:
    """Queue these records of a source, up to the limits; return how many were queued.

    A queued record keeps its place; deleted records and those of other sources are ignored.
    """
    waiting: dict[int, int] = dict(connection.execute(_COUNT))
    room = min(MAX_WAITING - sum(waiting.values()), MAX_WAITING_OF_SOURCE - waiting.get(source_id, 0))
    chosen = [number for number, _ in zip(records, range(max(0, room)), strict=False)]
    if not chosen:
        return 0
    return connection.execute(_WISH, [(now, number, source_id) for number in chosen]).rowcount


def list_oldest(connection: Connection, source_id: int, *, limit: int) -> list[RefreshRequest]:
    rows = connection.execute(_OLDEST, (source_id, limit))
    return [RefreshRequest(number, name, seq, _moment(asked)) for number, name, seq, asked in rows]


def settle(connection: Connection, record_id: int, outcome: str, *, now: int) -> None:
    connection.execute(_SETTLE, (now, outcome[:_MAX_OUTCOME_LENGTH], record_id))


def settle_all(connection: Connection, source_id: int, outcome: str, *, now: int) -> None:
    """Record one outcome for all pending requests of a source."""
    connection.execute(_SETTLE_ALL, (now, outcome[:_MAX_OUTCOME_LENGTH], source_id))


def forget_seen(connection: Connection, source_id: int, seen: int) -> None:
    """Drop the requests made before `seen`, when a harvest of all records of the source began."""
    connection.execute(_MOOT, (source_id, seen))
    connection.execute(_OUTDATED, (source_id, seen))


def count_waiting(connection: Connection) -> Mapping[str, int]:
    """Return the number of pending requests by source, without those that have none."""
    return dict(connection.execute(_WAITING))


def last_attempt(connection: Connection, record_id: int) -> RefreshAttempt | None:
    """Return the last single request of a record; None if there was none since the last harvest."""
    row = connection.execute(_LAST, (record_id,)).first()
    return RefreshAttempt(_moment(row[0]), row[1] or "") if row and row[0] else None


def is_unchanged(connection: Connection, wished: RefreshRequest) -> bool:
    """Return whether the record has not changed since the request was read."""
    return bool(connection.execute(_SEQ, (wished.record_id,)).scalar() == wished.seq)


def _moment(seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
