"""Harvest checkpoints: the windows of a list in progress, and the start of its next harvest."""

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
    """A window of one list, by datestamps, and the progress in it."""

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
    """The start of the next incremental harvest of a list, and the size of the last complete list."""

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
    """Store windows to be harvested: (format, set, from, until)."""
    numbers = [
        connection.execute(_PLAN, (source_id, run_id, *stretch, PLANNED, started_at)).number
        for stretch in stretches
    ]
    return [StoredWindow(*connection.execute(_FIND, (number,)).one()) for number in numbers]


def find_unfinished(connection: Connection, source_id: int, prefix: str, spec: str) -> list[StoredWindow]:
    """Return the windows of an unfinished list, including those that are done."""
    return [StoredWindow(*row) for row in connection.execute(_LEFT_OVER, (source_id, prefix, spec))]


def advance(
    connection: Connection,
    window_id: int,
    *,
    token: str | None,
    seen: int,
    claimed: int | None,
    started_at: str | None,
) -> None:
    """Record that another page is stored; `token` requests the next page, None starts the list again."""
    connection.execute(_ADVANCE, (RUNNING, token, seen, claimed, started_at, window_id))


def finish(connection: Connection, window_id: int) -> None:
    connection.execute(_FINISH, (DONE, window_id))


def discard_list(connection: Connection, source_id: int, prefix: str, spec: str) -> None:
    """Forget the windows of a list that is complete or will be restarted."""
    connection.execute(_DISCARD, (source_id, prefix, spec))


def discard_untouched(connection: Connection, source_id: int, prefix: str, spec: str) -> None:
    """Forget the windows of a list if none has made progress, so that nothing can be resumed."""
    windows = find_unfinished(connection, source_id, prefix, spec)
    if not any(window.state == DONE or window.token or window.seen for window in windows):
        discard_list(connection, source_id, prefix, spec)


def drop(connection: Connection, window_id: int) -> None:
    """Forget one window that was replaced by others."""
    connection.execute(_DROP, (window_id,))


def cursor(connection: Connection, source_id: int, prefix: str, spec: str) -> Cursor | None:
    """Return the start of the next harvest of a list; None if it was never complete."""
    row = connection.execute(_CURSOR, (source_id, prefix, spec)).first()
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
    """Record that a list is complete up to a time; a size of None keeps the known size."""
    connection.execute(_MOVE, (source_id, prefix, spec, next_from, size, run_id))


def forget_list(connection: Connection, source_id: int, prefix: str, spec: str) -> None:
    """Restart one list from the beginning next time."""
    discard_list(connection, source_id, prefix, spec)
    connection.execute(_FORGET, (source_id, prefix, spec))


def forget_cursors(connection: Connection, source_id: int) -> None:
    """Restart all lists of a source from the beginning next time."""
    for statement in _FORGET_ALL:
        connection.execute(statement, (source_id,))
