"""Runs: when, what, counters, problems, outcome."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime

from sqlalchemy import Connection, Row, insert, select, update

from windrow.model.run import Counters, Outcome, Problem, Run, Weight
from windrow.store import schema

MAX_PROBLEMS = 1000  # kept for one run; the rest is counted


def start(
    connection: Connection, source_id: int, kind: str, *, now: datetime, arguments: Mapping[str, object]
) -> int:
    """Note that a run begins; give its number."""
    values = {"source_id": source_id, "kind": kind, "started": now.isoformat(), "counters": "{}"}
    result = connection.execute(insert(schema.run).values(values | {"arguments": json.dumps(arguments)}))
    assert result.inserted_primary_key is not None
    return int(result.inserted_primary_key[0])


def progress(connection: Connection, run_id: int, counters: Counters, claimed: int | None) -> None:
    """Note how far a run is, so that what a killed one did is known."""
    values = {"counters": json.dumps(counters.as_dict()), "claimed": claimed}
    connection.execute(update(schema.run).where(schema.run.c.id == run_id).values(values))


def end(connection: Connection, run_id: int, *, outcome: Outcome, now: datetime) -> None:
    """Note how a run ended."""
    change = update(schema.run).where(schema.run.c.id == run_id)
    connection.execute(change.values(outcome=outcome.value, ended=now.isoformat()))


def add_problems(connection: Connection, run_id: int, problems: Sequence[Problem]) -> None:
    """Remember a run's problems; the same one many times is one with a count."""
    counted = Counter(problems)
    beyond = len(counted) - MAX_PROBLEMS
    if beyond > 0:
        counted = Counter(dict(list(counted.items())[:MAX_PROBLEMS]))
        counted[Problem("more", f"{beyond:,} more problems are not listed", Weight.NOTE)] = 1
    rows = [
        {
            "run_id": run_id,
            "code": problem.code,
            "message": problem.message,
            "weight": problem.weight.value,
            "url": problem.url,
            "kept": problem.kept,
            "times": times,
        }
        for problem, times in counted.items()
    ]
    if rows:
        connection.execute(insert(schema.problem), rows)


def get(connection: Connection, run_id: int) -> Run | None:
    """Give a run with its problems."""
    row = connection.execute(_QUERY.where(schema.run.c.id == run_id)).first()
    if row is None:
        return None
    query = select(schema.problem).where(schema.problem.c.run_id == run_id).order_by(schema.problem.c.id)
    problems = tuple(
        Problem(found.code, _counted(found.message, found.times), Weight(found.weight), found.url, found.kept)
        for found in connection.execute(query)
    )
    return _run(row, problems)


def latest(
    connection: Connection, *, source: str | None = None, limit: int = 20, before: int | None = None
) -> list[Run]:
    """Give runs, newest first, without their problems."""
    query = _QUERY.order_by(schema.run.c.id.desc()).limit(limit)
    if source is not None:
        query = query.where(schema.source.c.name == source)
    if before is not None:
        query = query.where(schema.run.c.id < before)
    return [_run(row, ()) for row in connection.execute(query)]


_QUERY = select(schema.run, schema.source.c.name).join(
    schema.source, schema.source.c.id == schema.run.c.source_id
)


def _counted(message: str, times: int) -> str:
    return message if times == 1 else f"{message} ({times:,} times)"


def _run(row: Row[tuple[object, ...]], problems: tuple[Problem, ...]) -> Run:
    return Run(
        row.id,
        row.name,
        row.kind,
        datetime.fromisoformat(row.started),
        datetime.fromisoformat(row.ended) if row.ended else None,
        Outcome(row.outcome) if row.outcome else None,
        Counters(**json.loads(row.counters)),
        json.loads(row.arguments),
        row.claimed,
        problems,
    )
