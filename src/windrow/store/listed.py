"""What a reconciling pass has seen, and what the library has beyond that."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy import ColumnElement, Connection, delete, func, or_, select

from windrow.store import schema


def add(connection: Connection, run_id: int, identifiers: Iterable[str]) -> None:
    """Note identifiers that the repository still lists."""
    rows = [(run_id, identifier) for identifier in identifiers]
    if rows:
        connection.exec_driver_sql("INSERT OR IGNORE INTO listed VALUES (?, ?)", rows)


def count(connection: Connection, run_id: int) -> int:
    """Give how many different identifiers were listed."""
    return connection.execute(select(func.count()).where(schema.listed.c.run_id == run_id)).scalar_one()


def live(connection: Connection, source_id: int, specs: Sequence[str]) -> int:
    """Give how many live records the library has of these sets; of no sets: of the source."""
    query = select(func.count()).select_from(schema.record).where(*_scope(source_id, specs))
    return connection.execute(query).scalar_one()


def vanished(
    connection: Connection, source_id: int, run_id: int, specs: Sequence[str], *, limit: int | None = None
) -> list[str]:
    """Give identifiers of live records that the repository no longer lists."""
    seen = (
        select(schema.listed.c.identifier)
        .where(schema.listed.c.run_id == run_id, schema.listed.c.identifier == schema.record.c.identifier)
        .exists()
    )
    query = select(schema.record.c.identifier).where(*_scope(source_id, specs), ~seen)
    query = query.order_by(schema.record.c.id).limit(limit)
    return list(connection.execute(query).scalars())


def clear(connection: Connection, run_id: int) -> None:
    """Forget a pass."""
    connection.execute(delete(schema.listed).where(schema.listed.c.run_id <= run_id))


def _scope(source_id: int, specs: Sequence[str]) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = [
        schema.record.c.source_id == source_id,
        schema.record.c.is_deleted.is_(False),
    ]
    if specs:
        table = schema.source_set
        named = [
            or_(table.c.spec == spec, table.c.spec.startswith(f"{spec}:", autoescape=True)) for spec in specs
        ]
        inside = (
            select(schema.set_member.c.group_id)
            .join(table, table.c.id == schema.set_member.c.set_id)
            .where(table.c.source_id == source_id, or_(*named))
        )
        conditions.append(schema.record.c.group_id.in_(inside))
    return conditions
