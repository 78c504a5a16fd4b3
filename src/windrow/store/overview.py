"""Every source in a few numbers, and where its lists stand: for the command line, the pages and the API."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from windrow.model.run import Run
from windrow.store import checkpoints, runs
from windrow.store.checkpoints import StoredWindow
from windrow.store.connection import Connection
from windrow.store.outcomes import NEVER, outcome_word
from windrow.store.quarantine import RECORDS_SQL
from windrow.store.store import Store

_SOURCES = "SELECT id, name, url, identity FROM source"
_ALL = "SELECT source_id, COUNT(*) FROM record GROUP BY source_id"
_GONE = "SELECT source_id, COUNT(*) FROM record WHERE is_deleted GROUP BY source_id"
_QUARANTINED = f"""
    SELECT source_id, {RECORDS_SQL} FROM quarantine WHERE resolved IS NULL AND dismissed IS NULL
    GROUP BY source_id
"""


@dataclass(frozen=True, slots=True)
class Overview:
    """One source as the store knows it; one that was never harvested has only its name."""

    name: str
    url: str = ""
    title: str = ""  # as the repository calls itself
    records: int = 0
    tombstones: int = 0
    quarantined: int = 0
    last: Run | None = None  # the newest run, without its problems
    outcome: str = NEVER  # of that run, in a word
    last_good: datetime | None = None  # when the newest harvest that did not fail ended


@dataclass(frozen=True, slots=True)
class Standing:
    """Where one list stands: where its next harvest starts, and the windows a run did not finish."""

    format: str
    spec: str
    next_from: str | None = None  # None: it never came to its end
    unfinished: tuple[StoredWindow, ...] = ()


def overviews(store: Store, configured: Iterable[str] = ()) -> list[Overview]:
    """Give the sources of these names and all others that the library has something of, by name."""
    with store.reading() as connection:
        counts = store.counts.get(connection, "records", lambda: _records(connection))
        waiting = dict(connection.exec_driver_sql(_QUARANTINED))
        newest, good = runs.newest(connection), runs.newest(connection, is_good=True)
        found = {name: Overview(name) for name in configured}
        for number, name, url, identity in connection.exec_driver_sql(_SOURCES):
            last, ended = newest.get(name), good[name].ended if name in good else None
            found[name] = Overview(
                name,
                url,
                str(json.loads(identity).get("name") or "") if identity else "",
                counts.get((number, False), 0),
                counts.get((number, True), 0),
                waiting.get(number, 0),
                last,
                outcome_word(connection, last),
                ended,
            )
    return [found[name] for name in sorted(found)]


def _records(connection: Connection) -> Mapping[tuple[int, bool], int]:
    """How many there are of each source, by whether they are gone. Both counts are of indexes alone."""
    gone = dict(connection.exec_driver_sql(_GONE))
    live = {source: count - gone.get(source, 0) for source, count in connection.exec_driver_sql(_ALL)}
    return {(source, is_gone): n for is_gone, by in ((False, live), (True, gone)) for source, n in by.items()}


def standings(connection: Connection, source_id: int, lists: Iterable[tuple[str, str]]) -> list[Standing]:
    """Give where each list, a format and a set, of a source stands."""
    found = []
    for prefix, spec in lists:
        cursor = checkpoints.cursor(connection, source_id, prefix, spec)
        left = checkpoints.left_over(connection, source_id, prefix, spec)
        unfinished = tuple(window for window in left if window.state != checkpoints.DONE)
        found.append(Standing(prefix, spec, cursor.next_from if cursor else None, unfinished))
    return found
