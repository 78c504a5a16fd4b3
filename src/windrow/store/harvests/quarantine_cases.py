"""Quarantine: records that could not be stored or mapped, with their bytes, the reason and the outcome.

Cases can be read in full, with their bytes, or as summaries without them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any

from windrow.model.record import Reject
from windrow.store.connection import Connection

MAX_RAW_BYTES = 4 * 1024 * 1024
MAX_NAMELESS = 500  # open cases without an identifier, per source and format
MAPPING = "mapping: "  # prefix of the reason if the payload is stored but cannot be mapped to a document
# The number of records in a group of cases: one record may have cases in several formats and for several
# reasons. Cases without an identifier count individually.
RECORDS_SQL = "COUNT(DISTINCT identifier) + COUNT(*) - COUNT(identifier)"


@dataclass(frozen=True, slots=True)
class QuarantinedRecord:
    """An open or closed case, with the bytes of the record."""

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
    """Store rejected records, once per record and reason; return how many were rejected.

    Only MAX_NAMELESS records without an identifier are stored, because more add no information.
    """
    desk = _RejectWriter(connection, source_id, run_id, prefix, now)
    count = 0
    for reject in rejects:
        count += 1
        desk.put(reject)
    return count


class _RejectWriter:
    """Stores the rejects of one page without reading all cases for each of them."""

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
            found = self._connection.execute(_NAMED, seen).scalar()
            self._keep(found, reject, raw)
            return
        nameless, fingerprint = self._nameless_cases(), (reject.reason, _digest(raw))
        if fingerprint in nameless or len(nameless) < MAX_NAMELESS:
            nameless[fingerprint] = self._keep(nameless.get(fingerprint), reject, raw)

    def _keep(self, found: int | None, reject: Reject, raw: bytes) -> int:
        """Open a case, or update an open one; return its number."""
        if found is None:
            names = (self._prefix, reject.identifier, reject.reason)
            values = (self._source_id, self._run_id, *names, raw, self._created)
            found = self._connection.execute(_ADD, values).number
        elif found not in self._met:
            self._connection.execute(_MEET, (self._run_id, raw, found))
        self._met.add(found)
        return found

    def _nameless_cases(self) -> dict[tuple[str, bytes], int]:
        """Return the open cases without an identifier, by reason and digest."""
        if self._nameless is None:
            key = (self._source_id, self._prefix, MAX_NAMELESS)
            rows = self._connection.execute(_NAMELESS, key)
            self._nameless = {(reason, _digest(raw)): number for number, reason, raw in rows}
        return self._nameless


def _digest(raw: bytes) -> bytes:
    return sha256(raw).digest()


def reject_key(reject: Reject) -> str:
    """Return a key for the rejected record: its identifier, or its content if it has none."""
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
_QUARANTINED = """
    SELECT q.id, s.name, q.run_id, q.format, q.identifier, q.reason, q.raw, q.created, q.resolved
    FROM quarantine q JOIN source s ON s.id = q.source_id
"""
_CASE = _QUARANTINED + "WHERE q.id = ?"
_WAITING = (
    _QUARANTINED
    + """
    WHERE (:all OR q.resolved IS NULL AND q.dismissed IS NULL) AND (:source IS NULL OR s.name = :source)
      AND (:identifier IS NULL OR q.identifier = :identifier) ORDER BY q.id LIMIT :limit
"""
)


def resolve_stored(connection: Connection, source_id: int, run_id: int, prefix: str, *, now: datetime) -> int:
    """Close the cases of records that this run stored successfully; return how many."""
    values = {"s": source_id, "f": prefix, "run": run_id, "now": now.isoformat()}
    return connection.execute(_RESOLVE_BY_NAME, values).rowcount


def find_stored(connection: Connection, source_id: int, prefix: str) -> list[tuple[int, str, int, bool]]:
    """Return the open cases in a format whose records are stored in some format.

    Each is (case, identifier, record number, whether it is about mapping).
    """
    rows = connection.execute(_OF_STORED, (source_id, prefix)).all()
    return [(case, name, record, reason.startswith(MAPPING)) for case, name, record, reason in rows]


def resolve(connection: Connection, case_id: int, *, now: datetime) -> None:
    connection.execute(_RESOLVE, (now.isoformat(), case_id))


def list_waiting(
    connection: Connection,
    *,
    source: str | None = None,
    identifier: str | None = None,
    include_resolved: bool = False,
    limit: int = 1000,
) -> list[QuarantinedRecord]:
    wanted = {"all": include_resolved, "source": source, "identifier": identifier, "limit": limit}
    return [_quarantined_from_row(row) for row in connection.execute(_WAITING, wanted)]


def get(connection: Connection, case_id: int) -> QuarantinedRecord | None:
    row = connection.execute(_CASE, (case_id,)).first()
    return _quarantined_from_row(row) if row else None


def _quarantined_from_row(row: tuple[Any, ...]) -> QuarantinedRecord:
    times = [datetime.fromisoformat(time) if time else None for time in row[7:]]
    return QuarantinedRecord(*(*row[:7], *times))


# Summaries of cases without their bytes, and bulk changes.


@dataclass(frozen=True, slots=True)
class QuarantineCase:
    """A case without the bytes of the record."""

    id: int
    source: str
    run: int
    format: str
    identifier: str | None
    reason: str
    size: int
    created: datetime
    resolved: datetime | None
    dismissed: datetime | None = None  # when a person decided to do without the record


_CASE_SUMMARIES = """
    SELECT q.id, s.name, q.run_id, q.format, q.identifier, q.reason, LENGTH(q.raw), q.created, q.resolved,
      q.dismissed
    FROM quarantine q JOIN source s ON s.id = q.source_id
    WHERE (:all OR q.resolved IS NULL) AND (:dismissed OR q.dismissed IS NULL)
      AND (:source IS NULL OR s.name = :source)
      AND (:identifier IS NULL OR q.identifier = :identifier) ORDER BY q.id LIMIT :limit
"""
_COUNT = f"""
    SELECT COUNT(*), {RECORDS_SQL} FROM quarantine WHERE resolved IS NULL AND dismissed IS NULL
      AND (:source IS NULL OR source_id = (SELECT id FROM source WHERE name = :source))
    GROUP BY source_id
"""
_OF_RECORD = """
    SELECT id FROM quarantine WHERE source_id = ? AND identifier = ? AND resolved IS NULL ORDER BY id
"""
_RENEW = "UPDATE quarantine SET run_id = COALESCE(?, run_id), reason = ?, raw = COALESCE(?, raw) WHERE id = ?"
_RESOLVE_MAPPED = (
    "UPDATE quarantine SET resolved = ? WHERE source_id = ? AND resolved IS NULL AND run_id <> ?"
    f" AND reason LIKE '{MAPPING}%'"
)
_DISMISS = "UPDATE quarantine SET dismissed = ? WHERE id = ?"
_ALL = -1  # no limit


def list_cases(
    connection: Connection,
    *,
    source: str | None = None,
    identifier: str | None = None,
    include_resolved: bool = False,
    include_dismissed: bool = False,
    limit: int | None = None,
) -> list[QuarantineCase]:
    """Return cases, oldest first; by default only open ones."""
    most = _ALL if limit is None else limit
    wanted: dict[str, object] = {"source": source, "identifier": identifier, "limit": most}
    wanted |= {"all": include_resolved, "dismissed": include_resolved or include_dismissed}
    return [_case_from_row(row) for row in connection.execute(_CASE_SUMMARIES, wanted)]


def find_cases_of_record(connection: Connection, source_id: int, identifier: str) -> list[int]:
    """Return the numbers of the open cases of one record, oldest first."""
    return list(connection.execute(_OF_RECORD, (source_id, identifier)).scalars())


def count_cases(connection: Connection, *, source: str | None = None) -> tuple[int, int]:
    """Return how many cases are open, and how many records they concern."""
    found = connection.execute(_COUNT, {"source": source}).all()
    return sum(row[0] for row in found), sum(row[1] for row in found)


def renew_case(connection: Connection, case_id: int, run_id: int | None, reason: str, raw: bytes) -> None:
    """Update the reason of an open case; empty `raw` keeps the stored bytes, `run_id` None the stored run."""
    connection.execute(_RENEW, (run_id, reason, raw[:MAX_RAW_BYTES] or None, case_id))


def dismiss_case(connection: Connection, case_id: int, *, now: datetime | None) -> None:
    """Mark a case as dismissed by a person, or as open again if `now` is None."""
    connection.execute(_DISMISS, (now.isoformat() if now else None, case_id))


def resolve_mapped(connection: Connection, source_id: int, run_id: int, *, now: datetime) -> int:
    """Close the mapping cases that this run, which mapped everything, did not meet; return how many."""
    values = (now.isoformat(), source_id, run_id)
    return connection.execute(_RESOLVE_MAPPED, values).rowcount


def _case_from_row(row: tuple[Any, ...]) -> QuarantineCase:
    times = [datetime.fromisoformat(time) if time else None for time in row[7:]]
    return QuarantineCase(*(*row[:7], *times))
