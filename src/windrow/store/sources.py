"""What the library has found out about its sources; how they are configured is in windrow.toml."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import Connection, delete, func, insert, select, text, update

from windrow.store import checkpoints, schema
from windrow.store.guards import GUARD


@dataclass(frozen=True, slots=True)
class SourceState:
    """A source as the store knows it."""

    id: int
    name: str
    url: str
    identity: Mapping[str, object] = field(default_factory=dict)
    sets_at: datetime | None = None
    reconciled_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Holdings:
    """How much of a source the library holds."""

    records: int
    tombstones: int
    quarantined: int
    sets: int
    payloads: Mapping[str, int]


def find(connection: Connection, name: str) -> SourceState | None:
    """Give what is known of a source; None before its first use."""
    row = connection.execute(select(schema.source).where(schema.source.c.name == name)).first()
    if row is None:
        return None
    identity = json.loads(row.identity) if row.identity else {}
    return SourceState(row.id, row.name, row.url, identity, _moment(row.sets_at), _moment(row.reconciled_at))


def addresses(connection: Connection) -> dict[str, str]:
    """Give the sources the library has ever harvested, by name, with their addresses."""
    query = select(schema.source.c.name, schema.source.c.url).order_by(schema.source.c.id)
    return {row.name: row.url for row in connection.execute(query)}


def ensure(connection: Connection, name: str, url: str) -> SourceState:
    """Give the source's state, made on first use.

    A new address drops what was known of the old one, and how far its lists were: a token or a date of
    one repository means nothing to another.
    """
    state = find(connection, name)
    if state is None:
        connection.execute(insert(schema.source).values(name=name, url=url))
    elif state.url != url:
        change = update(schema.source).where(schema.source.c.id == state.id)
        connection.execute(change.values(url=url, identity=None, sets_at=None))
        checkpoints.forget_cursors(connection, state.id)
    else:
        return state
    made = find(connection, name)
    assert made is not None
    return made


def move(connection: Connection, name: str, url: str) -> None:
    """Note that the same repository has a new address; what is known of it stays. No-op before first use."""
    connection.execute(update(schema.source).where(schema.source.c.name == name).values(url=url))


def note(
    connection: Connection,
    source_id: int,
    *,
    identity: Mapping[str, object] | None = None,
    sets_at: datetime | None = None,
    reconciled_at: datetime | None = None,
) -> None:
    """Remember what was found out."""
    values: dict[str, str] = {}
    if identity is not None:
        values["identity"] = json.dumps(identity)
    if sets_at is not None:
        values["sets_at"] = sets_at.isoformat()
    if reconciled_at is not None:
        values["reconciled_at"] = reconciled_at.isoformat()
    connection.execute(update(schema.source).where(schema.source.c.id == source_id).values(values))


def holdings(connection: Connection, source_id: int) -> Holdings:
    """Count what the library holds of a source."""
    counts = connection.execute(
        select(schema.record.c.is_deleted, func.count())
        .where(schema.record.c.source_id == source_id)
        .group_by(schema.record.c.is_deleted)
    )
    by_state = {bool(row[0]): row[1] for row in counts}
    waiting = select(func.count()).where(
        schema.quarantine.c.source_id == source_id, schema.quarantine.c.resolved.is_(None)
    )
    sets = select(func.count()).where(
        schema.source_set.c.source_id == source_id,
        schema.source_set.c.merged_into.is_(None),
        ~schema.source_set.c.spec.startswith(GUARD),
    )
    formats = connection.execute(
        select(schema.format_.c.prefix, func.count())
        .join(schema.payload, schema.payload.c.format_id == schema.format_.c.id)
        .join(schema.record, schema.record.c.id == schema.payload.c.record_id)
        .where(schema.record.c.source_id == source_id)
        .group_by(schema.format_.c.prefix)
    )
    return Holdings(
        by_state.get(False, 0),
        by_state.get(True, 0),
        connection.execute(waiting).scalar_one(),
        connection.execute(sets).scalar_one(),
        {row[0]: row[1] for row in formats},
    )


def has_records(connection: Connection, source_id: int) -> bool:
    """Does the library hold anything of a source?"""
    query = select(schema.record.c.id).where(schema.record.c.source_id == source_id).limit(1)
    return connection.execute(query).first() is not None


def forget(connection: Connection, source_id: int) -> None:
    """Delete everything the library holds of a source: records, payloads, runs, all."""
    owned = "(SELECT id FROM record WHERE source_id = :s)"
    for table in ("payload", "history", "virtual_member"):
        connection.execute(text(f"DELETE FROM {table} WHERE record_id IN {owned}"), {"s": source_id})
    runs = "(SELECT id FROM run WHERE source_id = :s)"
    for table in ("problem", "listed"):
        connection.execute(text(f"DELETE FROM {table} WHERE run_id IN {runs}"), {"s": source_id})
    connection.execute(text(f"UPDATE moment SET run_id = 0 WHERE run_id IN {runs}"), {"s": source_id})
    groups = "(SELECT id FROM set_group WHERE source_id = :s)"
    connection.execute(text(f"DELETE FROM set_member WHERE group_id IN {groups}"), {"s": source_id})
    for table in (
        "record",
        "block",
        "set_group",
        "source_set",
        "dictionary",
        "run",
        "quarantine",
        '"window"',
        "cursor",
    ):
        connection.execute(text(f"DELETE FROM {table} WHERE source_id = :s"), {"s": source_id})
    connection.execute(delete(schema.source).where(schema.source.c.id == source_id))


def format_id(connection: Connection, prefix: str) -> int:
    """Give the number of a metadata format, made on first use."""
    table = schema.format_
    found = connection.execute(select(table.c.id).where(table.c.prefix == prefix)).scalar()
    if found is None:
        result = connection.execute(insert(table).values(prefix=prefix))
        assert result.inserted_primary_key is not None
        found = int(result.inserted_primary_key[0])
    return found


def _moment(text_: str | None) -> datetime | None:
    return datetime.fromisoformat(text_) if text_ else None
