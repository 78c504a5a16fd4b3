"""Overviews for the command line, the pages and the API: sources, their lists, and current activities.

A list is a format and a set of a source, which is the unit that is harvested.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from windrow.model.job_state import JobRun
from windrow.model.run import Run
from windrow.store import jobs, leases, runs
from windrow.store.connection import Connection
from windrow.store.harvests import checkpoints
from windrow.store.harvests.checkpoints import StoredWindow
from windrow.store.harvests.quarantine_cases import RECORDS_SQL
from windrow.store.store import Store

# Run states in one word, the same in the command line, the pages and the API.

NEVER, RUNNING, KILLED = "never", "running", "killed"


def outcome_word(connection: Connection, run: Run | None) -> str:
    """Return the outcome of a run, or whether one without an outcome is running or was killed."""
    if run is None:
        return NEVER
    if run.outcome is not None:
        return run.outcome.value
    _, is_alive = leases.list_holders(connection).get(leases.lease_name(run.source, run.kind), (None, False))
    return RUNNING if is_alive and runs.is_last(connection, run) else KILLED


_SOURCES = "SELECT id, name, url, identity FROM source"
_ALL = "SELECT source_id, COUNT(*) FROM record GROUP BY source_id"
_GONE = "SELECT source_id, COUNT(*) FROM record WHERE is_deleted GROUP BY source_id"
_QUARANTINED = f"""
    SELECT source_id, {RECORDS_SQL} FROM quarantine WHERE resolved IS NULL AND dismissed IS NULL
    GROUP BY source_id
"""


@dataclass(frozen=True, slots=True)
class SourceOverview:
    """One source with its counts; of a source that was never harvested only the name is set."""

    name: str
    url: str = ""
    title: str = ""  # the repository's own name
    records: int = 0
    tombstones: int = 0
    quarantined: int = 0
    last: Run | None = None  # the newest run, without problems
    outcome: str = NEVER  # of that run, in one word
    last_good: datetime | None = None  # end of the newest harvest that did not fail


@dataclass(frozen=True, slots=True)
class ListProgress:
    """The progress of one list: where its next harvest starts, and the windows a run left unfinished."""

    format: str
    spec: str
    next_from: str | None = None  # None: it was never harvested completely
    unfinished: tuple[StoredWindow, ...] = ()


def list_overviews(store: Store, configured: Iterable[str] = ()) -> list[SourceOverview]:
    """Return an overview of the configured sources and of all others in the library, ordered by name."""
    with store.reading() as connection:
        counts = store.counts.get(connection, "records", lambda: _count_records(connection))
        waiting = dict(connection.execute(_QUARANTINED))
        newest, good = runs.newest(connection), runs.newest(connection, is_good=True)
        found = {name: SourceOverview(name) for name in configured}
        for number, name, url, identity in connection.execute(_SOURCES):
            last, ended = newest.get(name), good[name].ended if name in good else None
            found[name] = SourceOverview(
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


def _count_records(connection: Connection) -> Mapping[tuple[int, bool], int]:
    """Count the records by source and deletion. Both queries are answered from indexes alone."""
    gone = dict(connection.execute(_GONE))
    live = {source: count - gone.get(source, 0) for source, count in connection.execute(_ALL)}
    return {(source, is_gone): n for is_gone, by in ((False, live), (True, gone)) for source, n in by.items()}


def read_list_progress(
    connection: Connection, source_id: int, lists: Iterable[tuple[str, str]]
) -> list[ListProgress]:
    found = []
    for prefix, spec in lists:
        cursor = checkpoints.cursor(connection, source_id, prefix, spec)
        left = checkpoints.find_unfinished(connection, source_id, prefix, spec)
        unfinished = tuple(window for window in left if window.state != checkpoints.DONE)
        found.append(ListProgress(prefix, spec, cursor.next_from if cursor else None, unfinished))
    return found


# Current activities: harvests and job runs of any process, with their progress.

HARVEST, JOB = "harvest", "job"
ActivityKey = tuple[str, int]  # harvests and jobs have separate run numbers


@dataclass(frozen=True, slots=True)
class Activity:
    """Work that is running or has just ended. `total` is the expected size, if the source reported one."""

    kind: str  # HARVEST or JOB
    number: int
    name: str  # of the source or the job
    what: str  # harvest, rebuild …; empty for a job
    since: datetime
    outcome: str = RUNNING
    done: int = 0
    total: int | None = None
    added: int = 0
    changed: int = 0
    deleted: int = 0
    quarantined: int = 0
    words: str = ""
    log: str = ""

    @property
    def key(self) -> ActivityKey:
        return self.kind, self.number

    @property
    def is_running(self) -> bool:
        return self.outcome == RUNNING


def list_activities(connection: Connection, *, now: float) -> list[Activity]:
    """Return all running activities: jobs, then harvests, each oldest first."""
    running = [state.running for state in jobs.list_states(connection, now=now) if state.running is not None]
    found = [_from_job_run(run) for run in sorted(running, key=lambda run: run.started)]
    open_runs = [(run, outcome_word(connection, run)) for run in runs.unfinished(connection)]
    return found + [_from_harvest_run(run, word) for run, word in reversed(open_runs) if word == RUNNING]


def refresh_activity(connection: Connection, work: Activity) -> Activity:
    if work.kind == JOB:
        job_run = jobs.get_run(connection, work.number)
        return _from_job_run(job_run) if job_run else work
    run = runs.get(connection, work.number)
    return _from_harvest_run(run, outcome_word(connection, run)) if run else work


def _from_job_run(run: JobRun) -> Activity:
    return Activity(
        JOB,
        run.id,
        run.job,
        "",
        datetime.fromtimestamp(run.started, UTC),
        run.outcome.value if run.outcome else RUNNING,
        words=run.summary,
        log=run.log,
    )


def _from_harvest_run(run: Run, word: str) -> Activity:
    counters = run.counters
    return Activity(
        HARVEST,
        run.id,
        run.source,
        run.kind,
        run.started,
        word,
        counters.seen,
        run.claimed,
        counters.added,
        counters.changed,
        counters.deleted,
        counters.quarantined,
    )
