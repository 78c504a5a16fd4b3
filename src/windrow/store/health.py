"""The health of a library, for `windrow doctor`: integrity, claims, and unfinished harvests."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from sqlalchemy import func, select

from windrow.store import leases, outbox, table_schema
from windrow.store.connection import Connection
from windrow.store.harvests import quarantine_cases
from windrow.store.harvests.checkpoints import DONE
from windrow.store.migrations import version
from windrow.store.outbox import OutboxEntry
from windrow.store.store import Store

ENGINE_VERSION = sqlite3.sqlite_version
_MAX_FLAWS = 10
_CRAWLED = """
    SELECT name FROM source s
    WHERE EXISTS (SELECT 1 FROM crawl_page p WHERE p.source_id = s.id AND p.visited_at IS NOT NULL)
"""


@dataclass(frozen=True, slots=True)
class Health:
    """The findings of `examine`."""

    schema: int
    flaws: tuple[str, ...]  # damage that the database reports
    leases: Mapping[str, bool]  # each claimed name, and whether its holder is alive
    unfinished: Mapping[str, int]  # unfinished windows of the given lists, by source
    quarantined: int  # records
    quarantined_bytes: int
    harvested: frozenset[str]  # sources with a completely harvested list or a crawled page
    untold: tuple[OutboxEntry, ...]  # notifications that failed at least once


def examine(store: Store, lists: Collection[tuple[str, str, str]]) -> Health:
    """Examine the store; this reads the whole file once.

    `lists` holds the configured lists (source, format, set). Windows left over from other lists, such as
    those of a single `harvest --format` or of formats and sets removed from the configuration, do not count
    as unfinished.
    """
    with store.reading() as connection:
        flaws = _flaws(connection)
        held = {name: is_alive for name, (_, is_alive) in leases.list_holders(connection).items()}
        _, waiting = quarantine_cases.count_cases(connection)
        size = connection.execute(
            select(func.coalesce(func.sum(func.length(table_schema.quarantine.c.raw)), 0)).where(
                table_schema.quarantine.c.resolved.is_(None)
            )
        ).scalar_one()
        return Health(
            version(connection),
            flaws,
            held,
            _unfinished(connection, lists),
            waiting,
            size,
            _harvested(connection, lists),
            tuple(entry for entry in outbox.list_entries(connection) if entry.attempts),
        )


def _flaws(connection: Connection) -> tuple[str, ...]:
    """Return what SQLite's quick check reports; PostgreSQL checks itself."""
    if connection.dialect != "sqlite":
        return ()
    try:
        found = connection.exec_driver_sql(f"PRAGMA quick_check({_MAX_FLAWS})").scalars()
    except sqlite3.Error as exc:
        return (str(exc),)
    return () if found == ["ok"] else tuple(map(str, found))


def _unfinished(connection: Connection, lists: Collection[tuple[str, str, str]]) -> dict[str, int]:
    window, source = table_schema.window.c, table_schema.source.c
    query = (
        select(source.name, window.format, window.spec, func.count())
        .join(table_schema.window, window.source_id == source.id)
        .where(window.state != DONE)
        .group_by(source.name, window.format, window.spec)
        .order_by(source.name)
    )
    found: Counter[str] = Counter()
    for name, prefix, spec, count in connection.execute(query):
        if (name, prefix, spec) in lists:
            found[name] += count
    return dict(found)


def _harvested(connection: Connection, lists: Collection[tuple[str, str, str]]) -> frozenset[str]:
    cursor, source = table_schema.cursor.c, table_schema.source.c
    query = select(source.name, cursor.format, cursor.spec).join(
        table_schema.cursor, cursor.source_id == source.id
    )
    found = frozenset(row[0] for row in connection.execute(query) if tuple(row) in lists)
    return found | frozenset(connection.exec_driver_sql(_CRAWLED).scalars())
