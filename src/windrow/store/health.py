"""The health of a library, for `windrow doctor`: integrity, claims, and unfinished harvests."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from windrow.store import leases, outbox
from windrow.store.connection import Connection
from windrow.store.harvests import quarantine_cases
from windrow.store.harvests.checkpoints import DONE
from windrow.store.migrations import version
from windrow.store.outbox import OutboxEntry
from windrow.store.store import Store

ENGINE_VERSION = sqlite3.sqlite_version
_MAX_FLAWS = 10
_QUARANTINED_BYTES = "SELECT COALESCE(SUM(LENGTH(raw)), 0) FROM quarantine WHERE resolved IS NULL"
_UNFINISHED = """
    SELECT s.name, w.format, w.spec, COUNT(*) FROM source s JOIN "window" w ON w.source_id = s.id
    WHERE w.state <> ? GROUP BY s.name, w.format, w.spec ORDER BY s.name
"""
_HARVESTED = "SELECT s.name, c.format, c.spec FROM source s JOIN cursor c ON c.source_id = s.id"
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
        return Health(
            version(connection),
            flaws,
            held,
            _unfinished(connection, lists),
            waiting,
            connection.execute(_QUARANTINED_BYTES).scalar_one(),
            _harvested(connection, lists),
            tuple(entry for entry in outbox.list_entries(connection) if entry.attempts),
        )


def _flaws(connection: Connection) -> tuple[str, ...]:
    """Return what SQLite's quick check reports; PostgreSQL checks itself."""
    if connection.dialect != "sqlite":
        return ()
    try:
        found = connection.execute(f"PRAGMA quick_check({_MAX_FLAWS})").scalars()
    except sqlite3.Error as exc:
        return (str(exc),)
    return () if found == ["ok"] else tuple(map(str, found))


def _unfinished(connection: Connection, lists: Collection[tuple[str, str, str]]) -> dict[str, int]:
    found: Counter[str] = Counter()
    for name, prefix, spec, count in connection.execute(_UNFINISHED, (DONE,)):
        if (name, prefix, spec) in lists:
            found[name] += count
    return dict(found)


def _harvested(connection: Connection, lists: Collection[tuple[str, str, str]]) -> frozenset[str]:
    found = frozenset(row[0] for row in connection.execute(_HARVESTED) if tuple(row) in lists)
    return found | frozenset(connection.execute(_CRAWLED).scalars())
