"""The quarantine in brief: its cases without their bytes, counted and closed by the many."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from windrow.store.connection import Connection
from windrow.store.quarantine import MAPPING, MAX_RAW_BYTES, RECORDS_SQL


@dataclass(frozen=True, slots=True)
class Case:
    """One record that waits for somebody, its bytes left in the store."""

    id: int
    source: str
    run: int
    format: str
    identifier: str | None
    reason: str
    size: int
    created: datetime
    resolved: datetime | None
    dismissed: datetime | None = None  # a person has decided to do without the record


_CASES = """
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
_ALL = -1  # rows, as a limit


def listed(
    connection: Connection,
    *,
    source: str | None = None,
    identifier: str | None = None,
    include_resolved: bool = False,
    include_dismissed: bool = False,
    limit: int | None = None,
) -> list[Case]:
    """Return cases, oldest first; only those that wait unless asked otherwise."""
    most = _ALL if limit is None else limit
    wanted: dict[str, object] = {"source": source, "identifier": identifier, "limit": most}
    wanted |= {"all": include_resolved, "dismissed": include_resolved or include_dismissed}
    return [_case(row) for row in connection.exec_driver_sql(_CASES, wanted)]


def of_record(connection: Connection, source_id: int, identifier: str) -> list[int]:
    """Give the open cases of one record, by their numbers, the oldest first."""
    return list(connection.exec_driver_sql(_OF_RECORD, (source_id, identifier)).scalars())


def count(connection: Connection, *, source: str | None = None) -> tuple[int, int]:
    """Return how many cases are open, and how many records they are about."""
    found = connection.exec_driver_sql(_COUNT, {"source": source}).all()
    return sum(row[0] for row in found), sum(row[1] for row in found)


def renew(connection: Connection, case_id: int, run_id: int | None, reason: str, raw: bytes) -> None:
    """Note that a record is still bad, and why now; without new bytes the old ones stay as evidence.

    Without a run, the case stays with the run that it belongs to.
    """
    connection.exec_driver_sql(_RENEW, (run_id, reason, raw[:MAX_RAW_BYTES] or None, case_id))


def dismiss(connection: Connection, case_id: int, *, now: datetime | None) -> None:
    """Note that a person does without a record, or waits for it again (`now` is None)."""
    connection.exec_driver_sql(_DISMISS, (now.isoformat() if now else None, case_id))


def resolve_mapped(connection: Connection, source_id: int, run_id: int, *, now: datetime) -> int:
    """Close the mapping cases that this run, which mapped everything, did not meet again; give how many."""
    values = (now.isoformat(), source_id, run_id)
    return connection.exec_driver_sql(_RESOLVE_MAPPED, values).rowcount


def _case(row: tuple[Any, ...]) -> Case:
    times = [datetime.fromisoformat(time) if time else None for time in row[7:]]
    return Case(*(*row[:7], *times))
