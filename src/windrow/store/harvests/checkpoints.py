"""How far each harvest has come: windows under way, and where the next one starts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from windrow.store.connection import Connection

PLANNED, RUNNING, DONE = "planned", "running", "done"

_WINDOW = 'SELECT id, format, spec, since, until, state, token, seen, claimed, started_at FROM "window"'
_OF_LIST = " WHERE source_id = ? AND format = ? AND spec = ?"
_PLAN = (
    'INSERT INTO "window" (source_id, run_id, format, spec, since, until, state, started_at)'
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
)
_FIND = _WINDOW + " WHERE id = ?"
_LEFT_OVER = _WINDOW + _OF_LIST + " ORDER BY since NULLS FIRST, id"
_ADVANCE = 'UPDATE "window" SET state = ?, token = ?, seen = ?, claimed = ?, started_at = ? WHERE id = ?'
_FINISH = 'UPDATE "window" SET state = ?, token = NULL WHERE id = ?'
_DISCARD = 'DELETE FROM "window"' + _OF_LIST
_DROP = 'DELETE FROM "window" WHERE id = ?'
_CURSOR = "SELECT next_from, size FROM cursor" + _OF_LIST
_MOVE = """
    INSERT INTO cursor (source_id, format, spec, next_from, size, run_id) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (source_id, format, spec) DO UPDATE SET
      next_from = excluded.next_from, size = COALESCE(excluded.size, size), run_id = excluded.run_id
"""
_FORGET = "DELETE FROM cursor" + _OF_LIST
_FORGET_ALL = ("DELETE FROM cursor WHERE source_id = ?", 'DELETE FROM "window" WHERE source_id = ?')


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
    numbers = [
        connection.exec_driver_sql(_PLAN, (source_id, run_id, *stretch, PLANNED, started_at)).number
        for stretch in stretches
    ]
    return [StoredWindow(*connection.exec_driver_sql(_FIND, (number,)).one()) for number in numbers]


def find_unfinished(connection: Connection, source_id: int, prefix: str, spec: str) -> list[StoredWindow]:
    """Return the windows of a list that a run did not finish, those it did finish among them."""
    return [StoredWindow(*row) for row in connection.exec_driver_sql(_LEFT_OVER, (source_id, prefix, spec))]


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
    connection.exec_driver_sql(_FINISH, (DONE, window_id))


def discard_list(connection: Connection, source_id: int, prefix: str, spec: str) -> None:
    """Forget the windows of one list: it is complete, or is to be started anew."""
    connection.exec_driver_sql(_DISCARD, (source_id, prefix, spec))


def discard_untouched(connection: Connection, source_id: int, prefix: str, spec: str) -> None:
    """Forget the windows of one list of which nothing came: there is nothing in them to go on from."""
    windows = find_unfinished(connection, source_id, prefix, spec)
    if not any(window.state == DONE or window.token or window.seen for window in windows):
        discard_list(connection, source_id, prefix, spec)


def drop(connection: Connection, window_id: int) -> None:
    """Forget one window, which others have taken the place of."""
    connection.exec_driver_sql(_DROP, (window_id,))


def cursor(connection: Connection, source_id: int, prefix: str, spec: str) -> Cursor | None:
    """Return where the next harvest of this list starts; None when it never came to its end."""
    row = connection.exec_driver_sql(_CURSOR, (source_id, prefix, spec)).first()
    return Cursor(*row) if row else None


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
    """Note that this list is complete up to a moment; without a size, the one known before stays."""
    connection.exec_driver_sql(_MOVE, (source_id, prefix, spec, next_from, size, run_id))


def forget_list(connection: Connection, source_id: int, prefix: str, spec: str) -> None:
    """Start one list from the beginning next time."""
    discard_list(connection, source_id, prefix, spec)
    connection.exec_driver_sql(_FORGET, (source_id, prefix, spec))


def forget_cursors(connection: Connection, source_id: int) -> None:
    """Start all lists of a source from the beginning next time."""
    for statement in _FORGET_ALL:
        connection.exec_driver_sql(statement, (source_id,))
