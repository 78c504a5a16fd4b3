"""Records that could not be kept: their bytes, the reason, and what became of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, insert, select, text, update

from windrow.model.record import Reject
from windrow.store import schema

MAX_RAW_BYTES = 4 * 1024 * 1024


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


_ALREADY = text(
    "SELECT id FROM quarantine WHERE source_id = :s AND format = :f AND resolved IS NULL AND reason = :r"
    " AND ((identifier IS NULL AND :i IS NULL AND raw = :raw) OR identifier = :i)"
)


def put(
    connection: Connection,
    source_id: int,
    run_id: int,
    prefix: str,
    rejects: Iterable[Reject],
    *,
    now: datetime,
) -> int:
    """Keep what could not be stored; the same record for the same reason is kept once. Give how many."""
    count = 0
    for reject in rejects:
        count += 1
        raw = reject.raw[:MAX_RAW_BYTES]
        seen = {"s": source_id, "f": prefix, "r": reject.reason, "i": reject.identifier, "raw": raw}
        found = connection.execute(_ALREADY, seen).scalar()
        values: dict[str, object] = {"run_id": run_id, "raw": raw}
        if found is not None:
            connection.execute(
                update(schema.quarantine).where(schema.quarantine.c.id == found).values(values)
            )
            continue
        values |= {"source_id": source_id, "format": prefix, "identifier": reject.identifier}
        values |= {"reason": reject.reason, "created": now.isoformat()}
        connection.execute(insert(schema.quarantine).values(values))
    return count


_RESOLVE_BY_NAME = text(
    "UPDATE quarantine SET resolved = :now WHERE source_id = :s AND format = :f AND resolved IS NULL"
    " AND identifier IN (SELECT identifier FROM record WHERE changed_run = :run AND source_id = :s)"
)


def resolve_stored(connection: Connection, source_id: int, run_id: int, prefix: str, *, now: datetime) -> int:
    """Close the cases of records that this run stored after all; give how many."""
    values = {"s": source_id, "f": prefix, "run": run_id, "now": now.isoformat()}
    return connection.execute(_RESOLVE_BY_NAME, values).rowcount


def resolve(connection: Connection, case_id: int, *, now: datetime) -> None:
    """Close one case."""
    change = update(schema.quarantine).where(schema.quarantine.c.id == case_id)
    connection.execute(change.values(resolved=now.isoformat()))


def waiting(
    connection: Connection,
    *,
    source: str | None = None,
    identifier: str | None = None,
    include_resolved: bool = False,
    limit: int = 1000,
) -> list[Quarantined]:
    """Give the open cases, oldest first."""
    query = _QUERY.order_by(schema.quarantine.c.id).limit(limit)
    if not include_resolved:
        query = query.where(schema.quarantine.c.resolved.is_(None))
    if source is not None:
        query = query.where(schema.source.c.name == source)
    if identifier is not None:
        query = query.where(schema.quarantine.c.identifier == identifier)
    return [_case(row) for row in connection.execute(query)]


def get(connection: Connection, case_id: int) -> Quarantined | None:
    """Give one case, open or closed."""
    row = connection.execute(_QUERY.where(schema.quarantine.c.id == case_id)).first()
    return _case(row) if row else None


_QUERY = select(schema.quarantine, schema.source.c.name).join(
    schema.source, schema.source.c.id == schema.quarantine.c.source_id
)


def _case(row: object) -> Quarantined:
    values = row._mapping  # type: ignore[attr-defined]
    return Quarantined(
        values["id"],
        values["name"],
        values["run_id"],
        values["format"],
        values["identifier"],
        values["reason"],
        values["raw"],
        datetime.fromisoformat(values["created"]),
        datetime.fromisoformat(values["resolved"]) if values["resolved"] else None,
    )
