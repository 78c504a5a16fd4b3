"""Datestamps of records: which the library has in a format, and how those of a folder are given out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime

from windrow.model.stamp import Granularity, write_stamp
from windrow.store import sequence
from windrow.store.connection import Connection
from windrow.store.store import Store

_NEW = "UPDATE record SET stamp = ? WHERE id > ? AND source_id = ? AND stamp IN (?, ?)"
_MOVED = "UPDATE record SET stamp = ? WHERE seq > ? AND seq <> id AND source_id = ? AND stamp IN (?, ?)"
_STAMPS = """
    SELECT r.identifier, r.stamp FROM record r JOIN payload p ON p.record_id = r.id AND p.format_id = ?
    WHERE r.source_id = ? AND NOT r.is_deleted AND r.identifier IN ({})
"""

_LIVE = "SELECT identifier, stamp FROM record WHERE source_id = ? AND NOT is_deleted AND identifier IN ({})"


def live_stamps(connection: Connection, source_id: int, names: Sequence[str]) -> dict[str, str]:
    """Return which of these identifiers are live records, in any format, with their datestamps."""
    query = _LIVE.format(", ".join("?" * len(names)))
    return dict(connection.exec_driver_sql(query, (source_id, *names)))


def stamps_present(
    connection: Connection, source_id: int, names: Sequence[str], format_id: int
) -> dict[str, str]:
    """Give which of these identifiers the library has in this format, with their datestamps."""
    query = _STAMPS.format(", ".join("?" * len(names)))
    return dict(connection.exec_driver_sql(query, (format_id, source_id, *names)))


@contextmanager
def writing_dated(
    store: Store, source_id: int, second: Callable[[], int]
) -> Iterator[tuple[Connection, int]]:
    """Yield a transaction, and the Unix second to date its records by: that one, or the one before.

    A harvester asks next for what is dated at or after the last answer it got. So no record may come to light
    with a datestamp that is earlier than an answer without it. Answers are dated two seconds back; where a
    transaction takes longer than that, its records are dated again when all else is done.
    """
    with store.writing() as connection:
        before, now = sequence.last(connection), second()
        yield connection, now
        late = second()
        if late > now:
            dated = (_stamp(late), before, source_id, _stamp(now - 1), _stamp(now))
            connection.exec_driver_sql(_NEW, dated)
            connection.exec_driver_sql(_MOVED, dated)


def _stamp(second: int) -> str:
    return write_stamp(datetime.fromtimestamp(second, UTC), Granularity.SECOND)
