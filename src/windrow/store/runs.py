"""Runs of sources and steps of collections: kind, times, counters, problems and outcome."""

from __future__ import annotations

import json
import logging
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from windrow.errors import StoreError
from windrow.model.run import CollectionStep, Counters, Outcome, Problem, Run, Severity, StepKind
from windrow.store import life_cycle
from windrow.store.connection import Connection
from windrow.store.jobs import describe_owner
from windrow.store.leases import Claim, is_local_process_alive, own_claim
from windrow.store.store import Store

MAX_PROBLEMS = 1000  # stored per run; the rest is only counted
RUNS_KEPT = 500  # per source and kind, of the kinds that run every few minutes

_START = "INSERT INTO run (source_id, kind, started, arguments, counters) VALUES (?, ?, ?, ?, '{}')"
_PROGRESS = "UPDATE run SET counters = ?, claimed = ? WHERE id = ?"
_END = "UPDATE run SET outcome = ?, ended = ? WHERE id = ?"
_ADD_PROBLEM = (
    "INSERT INTO problem (run_id, code, message, weight, url, kept, times) VALUES (?, ?, ?, ?, ?, ?, ?)"
)
_PROBLEMS = "SELECT code, message, weight, url, kept, times FROM problem WHERE run_id = ? ORDER BY id"
_RUNS = """
    SELECT r.id, s.name, r.kind, r.started, r.ended, r.outcome, r.counters, r.arguments, r.claimed
    FROM run r JOIN source s ON s.id = r.source_id
"""
_ONE = _RUNS + "WHERE r.id = ?"
_LATEST = _RUNS + (
    "WHERE s.name = COALESCE(:source, s.name) AND (:before IS NULL OR r.id < :before)"
    " ORDER BY r.id DESC LIMIT :limit"
)
# Work on single records between harvests does not affect the state of a source.
_NEWEST = _RUNS + (
    "WHERE r.id IN (SELECT MAX(id) FROM run WHERE kind NOT IN ('refresh', 'merge') GROUP BY source_id)"
)
_GOOD = "kind = 'harvest' AND outcome IN ('ok', 'partial')"
_NEWEST_GOOD = _RUNS + f"WHERE r.id IN (SELECT MAX(id) FROM run WHERE {_GOOD} GROUP BY source_id)"
_LAST_GOOD = _RUNS + (
    f"WHERE r.source_id = (SELECT id FROM source WHERE name = ?) AND {_GOOD} ORDER BY r.id DESC LIMIT 1"
)
_UNFINISHED = _RUNS + "WHERE r.outcome IS NULL ORDER BY r.id DESC LIMIT 200"
_OLD = """
    SELECT id FROM run WHERE source_id = :source AND kind = :kind AND id < (
      SELECT id FROM run WHERE source_id = :source AND kind = :kind ORDER BY id DESC LIMIT 1 OFFSET :last)
"""
_DROP = f"DELETE FROM run WHERE id IN ({_OLD})"
_DROP_PROBLEMS = f"DELETE FROM problem WHERE run_id IN ({_OLD})"
_LATER = """
    SELECT 1 FROM run WHERE id > ? AND source_id = (SELECT source_id FROM run WHERE id = ?)
      AND CASE WHEN kind IN ('rebuild', 'refresh') THEN kind ELSE '' END = ? LIMIT 1
"""


def start(
    connection: Connection, source_id: int, kind: str, *, now: datetime, arguments: Mapping[str, object]
) -> int:
    values = (source_id, kind, now.isoformat(), json.dumps(arguments))
    return connection.exec_driver_sql(_START, values).number


def progress(connection: Connection, run_id: int, counters: Counters, claimed: int | None) -> None:
    """Record the progress of a run, so that it is known even if the run is killed."""
    connection.exec_driver_sql(_PROGRESS, (json.dumps(counters.as_dict()), claimed, run_id))


def end(connection: Connection, run_id: int, *, outcome: Outcome, now: datetime) -> None:
    connection.exec_driver_sql(_END, (outcome.value, now.isoformat(), run_id))


def add_problems(connection: Connection, run_id: int, problems: Sequence[Problem]) -> None:
    """Store the problems of a run; repeated problems are stored once, with a count."""
    counted = Counter(problems)
    beyond = len(counted) - MAX_PROBLEMS
    if beyond > 0:
        counted = Counter(dict(list(counted.items())[:MAX_PROBLEMS]))
        counted[Problem("more", f"{beyond:,} more problems are not listed", Severity.NOTE)] = 1
    rows = [
        (run_id, problem.code, problem.message, problem.weight.value, problem.url, problem.kept, times)
        for problem, times in counted.items()
    ]
    if rows:
        connection.exec_driver_sql(_ADD_PROBLEM, rows)


def prune(connection: Connection, source_id: int, kind: str, *, keep: int = RUNS_KEPT) -> None:
    """Delete the oldest runs of a source and kind; the changes they made to records are kept."""
    values = {"source": source_id, "kind": kind, "last": keep - 1}
    connection.exec_driver_sql(_DROP_PROBLEMS, values)
    connection.exec_driver_sql(_DROP, values)


def get(connection: Connection, run_id: int) -> Run | None:
    row = connection.exec_driver_sql(_ONE, (run_id,)).first()
    if row is None:
        return None
    problems = tuple(
        Problem(code, _counted(message, times), Severity(weight), url, kept)
        for code, message, weight, url, kept, times in connection.exec_driver_sql(_PROBLEMS, (run_id,))
    )
    return _run(row, problems)


def latest(
    connection: Connection, *, source: str | None = None, limit: int = 20, before: int | None = None
) -> list[Run]:
    """Return runs, newest first, without their problems."""
    values = {"source": source, "before": before, "limit": limit}
    return _runs(connection.exec_driver_sql(_LATEST, values))


def unfinished(connection: Connection) -> list[Run]:
    """Return runs without an outcome, newest first: running or killed (see `overview.outcome_word`)."""
    return _runs(connection.exec_driver_sql(_UNFINISHED))


def newest(connection: Connection, *, is_good: bool = False) -> dict[str, Run]:
    """Return the newest run of each source by name, or its newest harvest that did not fail."""
    return {
        run.source: run for run in _runs(connection.exec_driver_sql(_NEWEST_GOOD if is_good else _NEWEST))
    }


def last_good(connection: Connection, source: str) -> Run | None:
    return next(iter(_runs(connection.exec_driver_sql(_LAST_GOOD, (source,)))), None)


def is_last(connection: Connection, run: Run) -> bool:
    """Return whether no later run needed the same claim."""
    values = (run.id, run.id, run.kind if run.kind in ("rebuild", "refresh") else "")
    return connection.exec_driver_sql(_LATER, values).first() is None


def _runs(rows: Iterable[tuple[Any, ...]]) -> list[Run]:
    return [_run(row, ()) for row in rows]


def _counted(message: str, times: int) -> str:
    return message if times == 1 else f"{message} ({times:,} times)"


def _run(row: tuple[Any, ...], problems: tuple[Problem, ...]) -> Run:
    number, source, kind, started, ended, outcome, counters, arguments, claimed = row
    return Run(
        number,
        source,
        kind,
        datetime.fromisoformat(started),
        datetime.fromisoformat(ended) if ended else None,
        Outcome(outcome) if outcome else None,
        Counters(**json.loads(counters)),
        json.loads(arguments),
        claimed,
        problems,
    )


# The history of collections: every import, build, activation and rollback, recorded at its start and its end.
# A step whose process was killed has no end. The history is informative only: if it cannot be written, the
# step continues.

MAX_STEP_SUMMARY_CHARACTERS = 1000
STEPS_KEPT = 2000

_LOG = logging.getLogger("windrow.store")
_BEGIN_STEP = """
    INSERT INTO build (step, collection, started, records, generation, summary, owner, pid, host, birth)
    VALUES (?, ?, ?, 0, ?, '', ?, ?, ?, ?)
"""
_END_STEP = "UPDATE build SET ended = ?, outcome = ?, records = ?, generation = ?, summary = ? WHERE id = ?"
_PRUNE_STEPS = "DELETE FROM build WHERE id <= (SELECT id FROM build ORDER BY id DESC LIMIT 1 OFFSET ?)"
_STEP_COLUMNS = (
    "id, step, collection, started, ended, outcome, records, generation, summary, owner, pid, host, birth"
)
# A step of the whole library counts as a step of each collection.
_LATEST_STEPS = f"""
    SELECT {_STEP_COLUMNS} FROM build
    WHERE :collection IS NULL OR collection IN ('', :collection)
    ORDER BY id DESC LIMIT :limit
"""


@dataclass(slots=True)
class StepNotes:
    """What is recorded about a step in progress."""

    generation: str = ""
    records: int = 0
    summary: str = ""
    outcome: Outcome = Outcome.OK


@contextmanager
def record_step(
    store: Store, kind: StepKind, *, collection: str = "", owner: str = "", generation: str = ""
) -> Iterator[StepNotes]:
    """Record the enclosed block as a step, with its notes or the error that ended it."""
    note = StepNotes(generation)
    number = _insert_step(store, kind, collection, own_claim(owner), generation)

    def end(error: BaseException | None) -> None:
        if error is not None:
            note.outcome = life_cycle.outcome_of(error)
            note.summary = str(error) or type(error).__name__
        _finish_step(store, number, note)

    with life_cycle.attempting(store, end=end):
        yield note


def list_steps(
    connection: Connection, collection: str | None = None, *, limit: int = 20
) -> list[CollectionStep]:
    """Return the steps of one collection and of the whole library, or all steps, newest first."""
    found = connection.exec_driver_sql(_LATEST_STEPS, {"collection": collection, "limit": limit})
    return list(_read_steps(found))


def _insert_step(store: Store, kind: StepKind, collection: str, claim: Claim, generation: str) -> int | None:
    who = (claim.owner, claim.pid, claim.host, claim.birth)
    try:
        with store.writing() as connection:
            connection.exec_driver_sql(_PRUNE_STEPS, (STEPS_KEPT - 1,))
            begin = (kind.value, collection, store.clock(), generation, *who)
            return connection.exec_driver_sql(_BEGIN_STEP, begin).number
    except StoreError as exc:
        _LOG.warning("history cannot be written: %s", exc)
        return None


def _finish_step(store: Store, number: int | None, note: StepNotes) -> None:
    if number is None:
        return
    summary = note.summary[:MAX_STEP_SUMMARY_CHARACTERS]
    try:
        with store.writing() as connection:
            values = (store.clock(), note.outcome.value, note.records, note.generation, summary, number)
            connection.exec_driver_sql(_END_STEP, values)
    except StoreError as exc:
        _LOG.warning("history cannot be written: %s", exc)


def _read_steps(rows: Iterable[tuple[Any, ...]]) -> Iterator[CollectionStep]:
    for number, step, collection, started, ended, outcome, records, generation, summary, *who in rows:
        owner, pid, host, _ = who
        yield CollectionStep(
            id=number,
            kind=StepKind(step),
            collection=collection,
            started=started,
            ended=ended,
            outcome=Outcome(outcome) if outcome else None,
            records=records,
            generation=generation,
            summary=summary,
            holder=describe_owner(owner, pid, host),
            is_alive=outcome is None and is_local_process_alive(Claim(*who)),
        )
