"""The changes of one source in the order of the sequence, in parts of a fixed number: for change lists.

A part that is full is closed: no change is ever added to it. What its changes were follows from the history
of their records (`lives`).
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from windrow.store import catalogue
from windrow.store.connection import Connection
from windrow.store.guards import guarded
from windrow.store.leaves import LEAF, Shelf
from windrow.store.lives import Past, Step, Ways, steps
from windrow.store.resources import events_of
from windrow.store.selection import marks

PART = 10_000  # changes
_SPARSE = 16  # where fewer than one change in so many is of the source, its records lead to its changes

_CAME = "SELECT id, id, seq FROM record WHERE source_id = :source AND id > :after AND id <= :until"
# CROSS JOIN: SQLite then keeps to the order of the tables as they stand here.
_ALONG = """
    SELECT h.seq, r.id, r.seq FROM history h CROSS JOIN record r ON r.id = h.record_id
    WHERE r.source_id = :source AND h.seq > :after AND h.seq <= :until
"""
_BY_RECORD = """
    SELECT h.seq, r.id, r.seq FROM record r CROSS JOIN history h ON h.record_id = r.id
    WHERE r.source_id = :source AND h.seq > :after AND h.seq <= :until
"""
_RECORDS = "SELECT id, identifier, is_deleted FROM record WHERE id IN ({})"
_HELD = "SELECT record_id, format_id, block_id FROM payload WHERE record_id IN ({})"
_FIRST = "SELECT first_id FROM leaf WHERE source_id = ? ORDER BY number LIMIT 1"


class Numbered(NamedTuple):
    """A change in the sequence: its number, its record, and the newest change to that."""

    seq: int
    record: int
    newest: int


class Change(NamedTuple):
    """A change to a resource: what a record has in one format."""

    seq: int
    identifier: str
    prefix: str
    change: str  # created, updated, deleted


class Cuts:
    """Where the parts of each source end. Found out once, then only what is new; for several threads."""

    def __init__(self, part: int = PART) -> None:
        self.part = part
        self._lock = threading.Lock()
        self._known: dict[tuple[int, int], list[int]] = {}

    def find(self, connection: Connection, shelf: Shelf, last: int) -> list[int]:
        """Give the number of the last change in each closed part; `last` is the newest of all numbers.

        A source that was forgotten and came again has another first record: its parts are others too.
        """
        key = (shelf.source_id, connection.exec_driver_sql(_FIRST, (shelf.source_id,)).scalar() or 0)
        with self._lock:
            cuts = self._known.setdefault(key, [])
            while (end := self._end(connection, shelf, cuts[-1] if cuts else 0, last)) is not None:
                cuts.append(end)
            return list(cuts)

    def _end(self, connection: Connection, shelf: Shelf, after: int, last: int) -> int | None:
        query = f"{_statement(shelf, after, last)} LIMIT 1 OFFSET :skip"
        found = connection.exec_driver_sql(query, {**_range(shelf, after, last), "skip": self.part - 1})
        end: int | None = found.scalar()
        return end


def numbered(connection: Connection, shelf: Shelf, after: int, until: int) -> list[Numbered]:
    """Give the changes of a source after one number and up to another, in order."""
    found = connection.exec_driver_sql(_statement(shelf, after, until), _range(shelf, after, until))
    return [Numbered(*row) for row in found]


def changes(connection: Connection, some: Sequence[Numbered], ways: Ways) -> list[Change]:
    """Give what these changes, some hundred of them, did to resources that everybody may see."""
    numbers = tuple({each.record for each in some})
    hidden = guarded(connection, numbers)
    steps_at: dict[int, list[tuple[str, Step]]] = {}
    wanted = {each.seq for each in some}
    for name, history in _histories(connection, [each for each in numbers if each not in hidden], ways):
        for step in history:
            if step.seq in wanted:
                steps_at.setdefault(step.seq, []).append((name, step))
    prefixes = {number: prefix for prefix, number in catalogue.formats(connection).items()}
    return [
        Change(step.seq, name, prefixes[step.format_id], step.change)
        for each in some
        for name, step in steps_at.get(each.seq, ())
    ]


def _histories(connection: Connection, numbers: Sequence[int], ways: Ways) -> list[tuple[str, list[Step]]]:
    events = events_of(connection, numbers)
    held: dict[int, dict[int, int]] = {number: {} for number in numbers}
    for number, format_id, block_id in connection.exec_driver_sql(
        _HELD.format(marks(numbers)), tuple(numbers)
    ):
        held[number][format_id] = block_id
    rows = connection.exec_driver_sql(_RECORDS.format(marks(numbers)), tuple(numbers))
    return [
        (name, steps(Past(number, bool(is_deleted), events[number], held[number]), ways))
        for number, name, is_deleted in rows
    ]


def _statement(shelf: Shelf, after: int, until: int) -> str:
    is_sparse = shelf.leaves * LEAF * _SPARSE < until - after
    return f"{_CAME} UNION ALL {_BY_RECORD if is_sparse else _ALONG} ORDER BY 1"


def _range(shelf: Shelf, after: int, until: int) -> Mapping[str, int]:
    return {"source": shelf.source_id, "after": after, "until": until}
