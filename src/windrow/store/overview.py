"""Every source in a few numbers, and where its lists stand: what `windrow source` shows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import select, text

from windrow.model.run import Run
from windrow.store import checkpoints, runs, schema
from windrow.store.checkpoints import StoredWindow
from windrow.store.connection import Connection


@dataclass(frozen=True, slots=True)
class Overview:
    """One source in numbers; its settings may be gone from windrow.toml."""

    name: str
    url: str
    records: int = 0
    tombstones: int = 0
    quarantined: int = 0
    last: Run | None = None  # the newest run, without its problems


@dataclass(frozen=True, slots=True)
class Standing:
    """Where one list stands: where its next harvest starts, and the windows a run did not finish."""

    format: str
    spec: str
    next_from: str | None = None  # None: it never came to its end
    unfinished: tuple[StoredWindow, ...] = ()


_RECORDS = text("SELECT source_id, is_deleted, COUNT(*) AS n FROM record GROUP BY source_id, is_deleted")
_QUARANTINED = text(
    "SELECT source_id, COUNT(*) AS n FROM quarantine WHERE resolved IS NULL GROUP BY source_id"
)


def overviews(connection: Connection) -> dict[str, Overview]:
    """Give what there is of each source, by name; a source never harvested is not among them."""
    counts = {(row.source_id, bool(row.is_deleted)): row.n for row in connection.execute(_RECORDS)}
    waiting = {row.source_id: row.n for row in connection.execute(_QUARANTINED)}
    rows = connection.execute(select(schema.source).order_by(schema.source.c.name)).all()
    return {
        row.name: Overview(
            row.name,
            row.url,
            counts.get((row.id, False), 0),
            counts.get((row.id, True), 0),
            waiting.get(row.id, 0),
            next(iter(runs.latest(connection, source=row.name, limit=1)), None),
        )
        for row in rows
    }


def standings(connection: Connection, source_id: int, lists: Iterable[tuple[str, str]]) -> list[Standing]:
    """Give where each list, a format and a set, of a source stands."""
    found = []
    for prefix, spec in lists:
        cursor = checkpoints.cursor(connection, source_id, prefix, spec)
        left = checkpoints.left_over(connection, source_id, prefix, spec)
        unfinished = tuple(window for window in left if window.state != checkpoints.DONE)
        found.append(Standing(prefix, spec, cursor.next_from if cursor else None, unfinished))
    return found
