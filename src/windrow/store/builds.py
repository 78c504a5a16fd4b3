"""The history of collections: every import, build, activation and rollback, noted when it begins and ends.

A step whose process was killed has no end, and that is how its killing shows. History helps people; where it
cannot be written, the work that it tells of goes on.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from windrow.errors import Interrupted, StoreError
from windrow.model.collection_step import CollectionStep, StepKind
from windrow.model.run import Outcome
from windrow.store.connection import Connection
from windrow.store.job_runs import in_words
from windrow.store.leases import Claim, lives_here, ourselves
from windrow.store.store import Store

LONGEST_SUMMARY = 1000  # characters
STEPS_KEPT = 2000

_LOG = logging.getLogger("windrow.store")
_BEGIN = """
    INSERT INTO build (step, collection, started, records, generation, summary, owner, pid, host, birth)
    VALUES (?, ?, ?, 0, ?, '', ?, ?, ?, ?)
"""
_END = "UPDATE build SET ended = ?, outcome = ?, records = ?, generation = ?, summary = ? WHERE id = ?"
_PRUNE = "DELETE FROM build WHERE id <= (SELECT id FROM build ORDER BY id DESC LIMIT 1 OFFSET ?)"
_COLUMNS = (
    "id, step, collection, started, ended, outcome, records, generation, summary, owner, pid, host, birth"
)
# What was done for the whole library was done for each collection.
_LATEST = f"""
    SELECT {_COLUMNS} FROM build
    WHERE :collection IS NULL OR collection IN ('', :collection)
    ORDER BY id DESC LIMIT :limit
"""


@dataclass(slots=True)
class Note:
    """What is to be remembered of a step under way."""

    generation: str = ""
    records: int = 0
    summary: str = ""
    outcome: Outcome = Outcome.OK


@contextmanager
def noting(
    store: Store, kind: StepKind, *, collection: str = "", owner: str = "", generation: str = ""
) -> Iterator[Note]:
    """Remember the step that the block is: what it noted, or the error that ended it."""
    note = Note(generation)
    number = _begun(store, kind, collection, ourselves(owner), generation)
    try:
        yield note
    except BaseException as exc:
        is_stopped = isinstance(exc, (Interrupted, KeyboardInterrupt))
        note.outcome = Outcome.INTERRUPTED if is_stopped else Outcome.FAILED
        note.summary = str(exc) or type(exc).__name__
        raise
    finally:
        _ended(store, number, note)


def steps(connection: Connection, collection: str | None = None, *, limit: int = 20) -> list[CollectionStep]:
    """Give the steps of a collection and of the whole library, or all there are; the newest first."""
    found = connection.exec_driver_sql(_LATEST, {"collection": collection, "limit": limit})
    return list(_steps(found))


def _begun(store: Store, kind: StepKind, collection: str, claim: Claim, generation: str) -> int | None:
    who = (claim.owner, claim.pid, claim.host, claim.birth)
    try:
        with store.writing() as connection:
            connection.exec_driver_sql(_PRUNE, (STEPS_KEPT - 1,))
            begin = (kind.value, collection, store.clock(), generation, *who)
            return connection.exec_driver_sql(_BEGIN, begin).number
    except StoreError as exc:
        _LOG.warning("history cannot be written: %s", exc)
        return None


def _ended(store: Store, number: int | None, note: Note) -> None:
    if number is None:
        return
    summary = note.summary[:LONGEST_SUMMARY]
    try:
        with store.writing() as connection:
            values = (store.clock(), note.outcome.value, note.records, note.generation, summary, number)
            connection.exec_driver_sql(_END, values)
    except StoreError as exc:
        _LOG.warning("history cannot be written: %s", exc)


def _steps(rows: Iterable[tuple[Any, ...]]) -> Iterator[CollectionStep]:
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
            holder=in_words(owner, pid, host),
            is_alive=outcome is None and lives_here(Claim(*who)),
        )
