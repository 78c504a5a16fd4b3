"""How far each harvest has come: windows under way, and where the next one starts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, Row, delete, insert, select, update
from sqlalchemy.dialects import sqlite

from windrow.store import schema

PLANNED, RUNNING, DONE = "planned", "running", "done"

# Literal, because once a page is often enough for the building of a statement to count.
_ADVANCE = 'UPDATE "window" SET state = ?, token = ?, seen = ?, claimed = ?, started_at = ? WHERE id = ?'


@dataclass(frozen=True, slots=True)
class StoredWindow:
    """A stretch of one list: from, until, and how far we are in it."""

    id: int
    format: str
    spec: str  # "" for the whole repository
    since: str | None
    until: str | None
    state: str
    token: str | None
    seen: int
    claimed: int | None
    started_at: str | None


@dataclass(frozen=True, slots=True)
class Cursor:
    """Where the next incremental harvest of one list starts, and how long the last list was."""

    next_from: str | None
    size: int | None


def plan(
    connection: Connection,
    source_id: int,
    run_id: int,
    stretches: Sequence[tuple[str, str, str | None, str | None]],
    *,
    started_at: str | None = None,
) -> list[StoredWindow]:
    """Note windows to be harvested: (format, set, from, until)."""
    ids = []
    for prefix, spec, since, until in stretches:
        values = {"source_id": source_id, "run_id": run_id, "format": prefix, "spec": spec}
        values |= {"since": since, "until": until, "state": PLANNED, "started_at": started_at}
        result = connection.execute(insert(schema.window).values(values))
        assert result.inserted_primary_key is not None
        ids.append(result.inserted_primary_key[0])
    query = select(schema.window).where(schema.window.c.id.in_(ids)).order_by(schema.window.c.id)
    return [_window(row) for row in connection.execute(query)]


def left_over(connection: Connection, source_id: int, prefix: str, spec: str) -> list[StoredWindow]:
    """Give the windows of a list that a run did not finish, those it did finish among them."""
    table = schema.window
    mine = (table.c.source_id == source_id, table.c.format == prefix, table.c.spec == spec)
    query = select(table).where(*mine).order_by(table.c.since.nulls_first(), table.c.id)
    return [_window(row) for row in connection.execute(query)]


def advance(
    connection: Connection,
    window_id: int,
    *,
    token: str | None,
    seen: int,
    claimed: int | None,
    started_at: str | None,
) -> None:
    """Note that one more page is stored; the next is had with this token, None: from the start."""
    connection.exec_driver_sql(_ADVANCE, (RUNNING, token, seen, claimed, started_at, window_id))


def finish(connection: Connection, window_id: int) -> None:
    """Note that a window came to its end."""
    change = update(schema.window).where(schema.window.c.id == window_id)
    connection.execute(change.values(state=DONE, token=None))


def discard_list(connection: Connection, source_id: int, prefix: str, spec: str) -> None:
    """Forget the windows of one list: it is complete, or is to be started anew."""
    table = schema.window
    mine = (table.c.source_id == source_id, table.c.format == prefix, table.c.spec == spec)
    connection.execute(delete(table).where(*mine))


def drop(connection: Connection, window_id: int) -> None:
    """Forget one window, which others have taken the place of."""
    connection.execute(delete(schema.window).where(schema.window.c.id == window_id))


def cursor(connection: Connection, source_id: int, prefix: str, spec: str) -> Cursor | None:
    """Give where the next harvest of this list starts; None when it never came to its end."""
    table = schema.cursor
    row = connection.execute(
        select(table).where(table.c.source_id == source_id, table.c.format == prefix, table.c.spec == spec)
    ).first()
    return Cursor(row.next_from, row.size) if row else None


def move_cursor(
    connection: Connection,
    source_id: int,
    prefix: str,
    spec: str,
    *,
    next_from: str | None,
    size: int | None,
    run_id: int,
) -> None:
    """Note that this list is complete up to a moment."""
    values = {"next_from": next_from, "run_id": run_id} | ({"size": size} if size is not None else {})
    keys = {"source_id": source_id, "format": prefix, "spec": spec}
    statement = sqlite.insert(schema.cursor).values(keys | {"size": size} | values)
    connection.execute(statement.on_conflict_do_update(index_elements=list(keys), set_=values))


def forget_list(connection: Connection, source_id: int, prefix: str, spec: str) -> None:
    """Start one list from the beginning next time."""
    discard_list(connection, source_id, prefix, spec)
    table = schema.cursor
    mine = (table.c.source_id == source_id, table.c.format == prefix, table.c.spec == spec)
    connection.execute(delete(table).where(*mine))


def forget_cursors(connection: Connection, source_id: int) -> None:
    """Start all lists of a source from the beginning next time."""
    for table in (schema.cursor, schema.window):
        connection.execute(delete(table).where(table.c.source_id == source_id))


def _window(row: Row[tuple[object, ...]]) -> StoredWindow:
    return StoredWindow(
        row.id,
        row.format,
        row.spec,
        row.since,
        row.until,
        row.state,
        row.token,
        row.seen,
        row.claimed,
        row.started_at,
    )
