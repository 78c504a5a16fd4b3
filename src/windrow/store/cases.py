"""The quarantine in brief: its cases without their bytes, counted and closed by the many."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, func, select, text, update

from windrow.store import schema
from windrow.store.quarantine import MAX_RAW_BYTES

MAPPING = "mapping: "  # how the reason begins where the payload is kept but no document can be made of it


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


_TABLE = schema.quarantine
_QUERY = select(
    _TABLE.c.id,
    schema.source.c.name,
    _TABLE.c.run_id,
    _TABLE.c.format,
    _TABLE.c.identifier,
    _TABLE.c.reason,
    func.length(_TABLE.c.raw).label("size"),
    _TABLE.c.created,
    _TABLE.c.resolved,
).join(schema.source, schema.source.c.id == _TABLE.c.source_id)


def listed(
    connection: Connection,
    *,
    source: str | None = None,
    identifier: str | None = None,
    include_resolved: bool = False,
    limit: int | None = None,
) -> list[Case]:
    """Give cases, oldest first; only open ones unless asked otherwise."""
    query = _QUERY.order_by(_TABLE.c.id).limit(limit)
    if not include_resolved:
        query = query.where(_TABLE.c.resolved.is_(None))
    if source is not None:
        query = query.where(schema.source.c.name == source)
    if identifier is not None:
        query = query.where(_TABLE.c.identifier == identifier)
    return [
        Case(*row[:7], datetime.fromisoformat(row[7]), datetime.fromisoformat(row[8]) if row[8] else None)
        for row in connection.execute(query)
    ]


def count(connection: Connection, *, source: str | None = None) -> int:
    """Give how many cases are open."""
    query = select(func.count()).select_from(_TABLE).where(_TABLE.c.resolved.is_(None))
    if source is not None:
        query = query.join(schema.source, schema.source.c.id == _TABLE.c.source_id)
        query = query.where(schema.source.c.name == source)
    return connection.execute(query).scalar_one()


def renew(connection: Connection, case_id: int, run_id: int, reason: str, raw: bytes) -> None:
    """Note that a record is still bad, and why now; without new bytes the old ones stay as evidence."""
    values: dict[str, object] = {"run_id": run_id, "reason": reason}
    if raw:
        values["raw"] = raw[:MAX_RAW_BYTES]
    connection.execute(update(_TABLE).where(_TABLE.c.id == case_id).values(values))


_RESOLVE_MAPPED = text(
    "UPDATE quarantine SET resolved = :now WHERE source_id = :source AND resolved IS NULL AND run_id <> :run"
    " AND reason LIKE 'mapping: %'"
)


def resolve_mapped(connection: Connection, source_id: int, run_id: int, *, now: datetime) -> int:
    """Close the mapping cases that this run, which mapped everything, did not meet again; give how many."""
    values = {"source": source_id, "run": run_id, "now": now.isoformat()}
    return connection.execute(_RESOLVE_MAPPED, values).rowcount
