"""The state a library is in: whole or not, claimed by whom, finished or not. What `windrow doctor` asks."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import func, select

from windrow.store import leases, schema
from windrow.store.checkpoints import DONE
from windrow.store.connection import Connection
from windrow.store.migrations import version
from windrow.store.store import Store

ENGINE_VERSION = sqlite3.sqlite_version
_MOST_FLAWS = 10


@dataclass(frozen=True, slots=True)
class Health:
    """What was found."""

    schema: int
    flaws: tuple[str, ...]  # what the database says is wrong with itself
    leases: Mapping[str, bool]  # what is claimed, and whether the claimant lives
    unfinished: Mapping[str, int]  # windows left over, by source
    quarantined: int
    quarantined_bytes: int
    harvested: frozenset[str]  # sources with at least one list that came to its end


def examine(store: Store) -> Health:
    """Look the store over; reads the whole file once."""
    with store.reading() as connection:
        flaws = _flaws(connection)
        held = {name: is_alive for name, (_, is_alive) in leases.holders(connection).items()}
        waiting = connection.execute(
            select(func.count(), func.coalesce(func.sum(func.length(schema.quarantine.c.raw)), 0)).where(
                schema.quarantine.c.resolved.is_(None)
            )
        ).one()
        return Health(
            version(connection),
            flaws,
            held,
            _unfinished(connection),
            waiting[0],
            waiting[1],
            _harvested(connection),
        )


def _flaws(connection: Connection) -> tuple[str, ...]:
    """What SQLite's quick check objects to; PostgreSQL checks itself."""
    if connection.dialect != "sqlite":
        return ()
    try:
        found = connection.exec_driver_sql(f"PRAGMA quick_check({_MOST_FLAWS})").scalars()
    except sqlite3.Error as exc:
        return (str(exc),)
    return () if found == ["ok"] else tuple(map(str, found))


def _unfinished(connection: Connection) -> dict[str, int]:
    query = (
        select(schema.source.c.name, func.count())
        .join(schema.window, schema.window.c.source_id == schema.source.c.id)
        .where(schema.window.c.state != DONE)
        .group_by(schema.source.c.name)
        .order_by(schema.source.c.name)
    )
    return {row[0]: row[1] for row in connection.execute(query)}


def _harvested(connection: Connection) -> frozenset[str]:
    query = select(schema.source.c.name).join(schema.cursor, schema.cursor.c.source_id == schema.source.c.id)
    return frozenset(connection.execute(query.distinct()).scalars())
