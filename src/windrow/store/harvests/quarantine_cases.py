"""Records that could not be kept: their bytes, the reason, and what became of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any

from windrow.model.record import Reject
from windrow.store.connection import Connection

MAX_RAW_BYTES = 4 * 1024 * 1024
MAX_NAMELESS = 500  # open cases without an identifier, of one source and format
MAPPING = "mapping: "  # how the reason begins where the payload is kept but no document can be made of it
# How many records a group of cases is about: one may wait in several formats, and for several reasons.
# Those without an identifier count one by one.
RECORDS_SQL = "COUNT(DISTINCT identifier) + COUNT(*) - COUNT(identifier)"


@dataclass(frozen=True, slots=True)
class Quarantined:
    """One record that waits for somebody."""

    id: int
    source: str
    run: int
    format: str
    identifier: str | None
    reason: str
    raw: bytes
    created: datetime
    resolved: datetime | None


_NAMED = (
    "SELECT id FROM quarantine WHERE source_id = ? AND format = ? AND identifier = ? AND reason = ?"
    " AND resolved IS NULL"
)
_NAMELESS = (
    "SELECT id, reason, raw FROM quarantine WHERE source_id = ? AND format = ? AND identifier IS NULL"
    " AND resolved IS NULL LIMIT ?"
)
_ADD = (
    "INSERT INTO quarantine (source_id, run_id, format, identifier, reason, raw, created)"
    " VALUES (?, ?, ?, ?, ?, ?, ?)"
)
_MEET = "UPDATE quarantine SET run_id = ?, raw = ? WHERE id = ?"


def put(
    connection: Connection,
    source_id: int,
    run_id: int,
    prefix: str,
    rejects: Iterable[Reject],
    *,
    now: datetime,
) -> int:
    """Keep what could not be stored; the same record for the same reason is kept once. Give how many.

    Of records without an identifier only so many are kept: more of them tell nobody anything new.
    """
    desk = _Desk(connection, source_id, run_id, prefix, now)
    count = 0
    for reject in rejects:
        count += 1
        desk.put(reject)
    return count


class _Desk:
    """Takes the rejects of one page in, without looking through all cases for each of them."""

    def __init__(
        self, connection: Connection, source_id: int, run_id: int, prefix: str, now: datetime
    ) -> None:
        self._connection = connection
        self._source_id = source_id
        self._prefix = prefix
        self._created = now.isoformat()
        self._run_id = run_id
        self._nameless: dict[tuple[str, bytes], int] | None = None
        self._met: set[int] = set()

    def put(self, reject: Reject) -> None:
        raw = reject.raw[:MAX_RAW_BYTES]
        if reject.identifier is not None:
            seen = (self._source_id, self._prefix, reject.identifier, reject.reason)
            found = self._connection.exec_driver_sql(_NAMED, seen).scalar()
            self._keep(found, reject, raw)
            return
        nameless, fingerprint = self._nameless_cases(), (reject.reason, _digest(raw))
        if fingerprint in nameless or len(nameless) < MAX_NAMELESS:
            nameless[fingerprint] = self._keep(nameless.get(fingerprint), reject, raw)

    def _keep(self, found: int | None, reject: Reject, raw: bytes) -> int:
        """Open a case, or note that an open one was met again; give its number."""
        if found is None:
            names = (self._prefix, reject.identifier, reject.reason)
            values = (self._source_id, self._run_id, *names, raw, self._created)
            found = self._connection.exec_driver_sql(_ADD, values).number
        elif found not in self._met:
            self._connection.exec_driver_sql(_MEET, (self._run_id, raw, found))
        self._met.add(found)
        return found

    def _nameless_cases(self) -> dict[tuple[str, bytes], int]:
        """The open cases without an identifier, by reason and fingerprint."""
        if self._nameless is None:
            key = (self._source_id, self._prefix, MAX_NAMELESS)
            rows = self._connection.exec_driver_sql(_NAMELESS, key)
            self._nameless = {(reason, _digest(raw)): number for number, reason, raw in rows}
        return self._nameless


def _digest(raw: bytes) -> bytes:
    return sha256(raw).digest()


def key_of(reject: Reject) -> str:
    """Return what tells a reject's record from others: its identifier, or its content if it has none."""
    if reject.identifier is not None:
        return reject.identifier
    return f"\0{_digest(reject.raw[:MAX_RAW_BYTES]).hex()} {reject.reason}"


_RESOLVE_BY_NAME = (
    "UPDATE quarantine SET resolved = :now WHERE source_id = :s AND format = :f AND resolved IS NULL"
    " AND EXISTS (SELECT 1 FROM record r WHERE r.source_id = :s AND r.identifier = quarantine.identifier"
    " AND (SELECT run_id FROM moment m WHERE m.seq >= r.seq ORDER BY m.seq LIMIT 1) = :run)"
)


_OF_STORED = """
    SELECT q.id, q.identifier, r.id, q.reason FROM quarantine q
    JOIN record r ON r.source_id = q.source_id AND r.identifier = q.identifier
    WHERE q.source_id = ? AND q.format = ? AND q.resolved IS NULL
"""
_RESOLVE = "UPDATE quarantine SET resolved = ? WHERE id = ?"
_CASES = """
    SELECT q.id, s.name, q.run_id, q.format, q.identifier, q.reason, q.raw, q.created, q.resolved
    FROM quarantine q JOIN source s ON s.id = q.source_id
"""
_CASE = _CASES + "WHERE q.id = ?"
_WAITING = (
    _CASES
    + """
    WHERE (:all OR q.resolved IS NULL AND q.dismissed IS NULL) AND (:source IS NULL OR s.name = :source)
      AND (:identifier IS NULL OR q.identifier = :identifier) ORDER BY q.id LIMIT :limit
"""
)


def resolve_stored(connection: Connection, source_id: int, run_id: int, prefix: str, *, now: datetime) -> int:
    """Close the cases of records that this run stored after all; give how many."""
    values = {"s": source_id, "f": prefix, "run": run_id, "now": now.isoformat()}
    return connection.exec_driver_sql(_RESOLVE_BY_NAME, values).rowcount


def of_stored(connection: Connection, source_id: int, prefix: str) -> list[tuple[int, str, int, bool]]:
    """Return the open cases in a format whose records the library has in some format.

    Each is its number, the identifier, the record's number, and whether it is about mapping.
    """
    rows = connection.exec_driver_sql(_OF_STORED, (source_id, prefix)).all()
    return [(case, name, record, reason.startswith(MAPPING)) for case, name, record, reason in rows]


def resolve(connection: Connection, case_id: int, *, now: datetime) -> None:
    """Close one case."""
    connection.exec_driver_sql(_RESOLVE, (now.isoformat(), case_id))


def waiting(
    connection: Connection,
    *,
    source: str | None = None,
    identifier: str | None = None,
    include_resolved: bool = False,
    limit: int = 1000,
) -> list[Quarantined]:
    """Give the open cases, oldest first."""
    wanted = {"all": include_resolved, "source": source, "identifier": identifier, "limit": limit}
    return [_case(row) for row in connection.exec_driver_sql(_WAITING, wanted)]


def get(connection: Connection, case_id: int) -> Quarantined | None:
    """Give one case, open or closed."""
    row = connection.exec_driver_sql(_CASE, (case_id,)).first()
    return _case(row) if row else None


def _case(row: tuple[Any, ...]) -> Quarantined:
    times = [datetime.fromisoformat(time) if time else None for time in row[7:]]
    return Quarantined(*(*row[:7], *times))
