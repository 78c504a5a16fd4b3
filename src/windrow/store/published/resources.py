"""Records as ResourceSync resources: one per record and format, with the newest change to just that format.

Resource lists and dumps are made from the resources, change lists from their changes. Both follow from the
history of the records and agree with each other.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from windrow.store.connection import Connection
from windrow.store.published import selection
from windrow.store.published.list_pages import PAGE_RECORDS, SourcePages
from windrow.store.published.selection import placeholders
from windrow.store.records.payloads import Unpacker
from windrow.store.records.set_hierarchy import GUARD, find_guarded

# The history of a record, read format by format. A record lives from its arrival to its deletion and may be
# restored, which begins another life. In one life its formats arrive one after another: the first with the
# record, each other one with a change of kind `format`, which does not name the format. Payloads are in
# blocks whose numbers only grow, however, so the formats arrived in the order of the blocks of their first
# payloads.

CREATED, UPDATED, DELETED = "created", "updated", "deleted"


class RecordEvent(NamedTuple):
    """A change to a record as stored in the history, with the place of the payload it replaced."""

    seq: int
    kind: str
    format_id: int | None = None
    block_id: int | None = None


class FormatChange(NamedTuple):
    """A change to a record in one format."""

    seq: int
    format_id: int
    change: str  # created, updated, deleted


@dataclass(frozen=True, slots=True)
class RecordHistory:
    """The stored history of one record; its number is the change with which it arrived."""

    number: int
    is_deleted: bool
    events: Sequence[RecordEvent]
    held: Mapping[int, int]  # the formats it has now, with their blocks


class HistoryRules(NamedTuple):
    """How to interpret the history of a source's records."""

    formats: tuple[int, ...]  # in which the source is known to be harvested
    every: tuple[int, ...]  # all formats of the library
    # A move to other sets counts as an update: the record may have been hidden before.
    moves_count: bool = False


@dataclass(slots=True)
class _Lifetime:
    arrivals: list[int]  # changes with each of which a format arrived
    changes: list[RecordEvent] = field(default_factory=list)
    moves: list[int] = field(default_factory=list)
    end: RecordEvent | None = None


def list_format_changes(past: RecordHistory, ways: HistoryRules) -> list[FormatChange]:
    """Return what happened to a record, format by format, in order."""
    return sorted(step for life in _lifetimes(past) for step in _steps(life, past.held, ways))


def find_current_formats(history: Iterable[FormatChange]) -> dict[int, int]:
    """Return the formats that exist after these changes, with the newest change to each."""
    found: dict[int, int] = {}
    for seq, format_id, change in history:
        if change == DELETED:
            found.pop(format_id, None)
        else:
            found[format_id] = seq
    return found


def _lifetimes(past: RecordHistory) -> list[_Lifetime]:
    turns = [event.kind for event in past.events if event.kind in ("deleted", "restored")]
    came_deleted = turns[0] == "restored" if turns else past.is_deleted
    lives = [] if came_deleted else [_Lifetime([past.number])]
    for event in past.events:
        if event.kind == "restored":
            lives.append(_Lifetime([event.seq]))
        elif lives and lives[-1].end is None:
            _happen(lives[-1], event)
    return lives


def _happen(life: _Lifetime, event: RecordEvent) -> None:
    if event.kind == "deleted":
        life.end = event
    elif event.kind == "format":
        life.arrivals.append(event.seq)
    elif event.kind == "changed":
        life.changes.append(event)
    else:
        life.moves.append(event.seq)


def _steps(life: _Lifetime, held: Mapping[int, int], ways: HistoryRules) -> list[FormatChange]:
    came = _came(life, _formats_of(life, held, ways))
    found = [FormatChange(seq, format_id, CREATED) for format_id, seq in came.items()]
    found += [
        FormatChange(each.seq, each.format_id, UPDATED) for each in life.changes if each.format_id is not None
    ]
    if ways.moves_count:
        found += [
            FormatChange(at, each, UPDATED) for at in life.moves for each, seq in came.items() if seq < at
        ]
    if life.end is not None:
        found += [FormatChange(life.end.seq, format_id, DELETED) for format_id in came]
    return found


def _came(life: _Lifetime, formats: Sequence[int]) -> dict[int, int]:
    """Return the change with which each format arrived. A record may have arrived without any format."""
    padded = [life.arrivals[0]] * (len(formats) - len(life.arrivals)) + life.arrivals
    return dict(zip(formats, padded[len(padded) - len(formats) :], strict=True))


def _formats_of(life: _Lifetime, held: Mapping[int, int], ways: HistoryRules) -> list[int]:
    first: dict[int, int] = {}
    last = () if life.end is None else [(life.end.format_id, life.end.block_id)]
    changed = [(event.format_id, event.block_id) for event in life.changes]
    for format_id, block_id in (*changed, *last, *(held.items() if life.end is None else ())):
        if format_id is not None and block_id is not None:
            first.setdefault(format_id, block_id)
    missing = len(life.arrivals) - len(first)
    if life.end is None or life.end.format_id is None or missing <= 0:
        return sorted(first, key=first.__getitem__)
    return sorted({*first, *_lost(first, life.end.format_id, missing, ways)})


def _lost(known: Iterable[int], kept: int, missing: int, ways: HistoryRules) -> list[int]:
    """Return the formats that a deleted record may have had besides the known ones.

    When a record is deleted, the history keeps the payload of its first format only. How many others there
    were is known, but not always which. Then all candidates are returned: a deletion too many does no harm,
    while one too few leaves a deleted resource behind at the clients.
    """
    likely, possible = ([each for each in some if each > kept and each not in known] for some in ways[:2])
    return likely if len(likely) >= missing else possible


_SAMPLED = 50  # records of a source, to find out its formats
_GUARDED = "SELECT 1 FROM source_set WHERE source_id = ? AND spec LIKE ? LIMIT 1"
# The formats of runs are found in windows, in cursors and in the arguments of the run.
_FORMATS = """
    SELECT f.id FROM format f WHERE f.prefix IN (
      SELECT format FROM cursor WHERE source_id = :source
      UNION SELECT format FROM "window" WHERE source_id = :source
      UNION SELECT a.value FROM run r, json_each(r.arguments, '$.formats') a
      WHERE r.source_id = :source AND r.arguments LIKE '%"formats"%'
    )
    UNION SELECT format_id FROM dictionary WHERE source_id = :source
    UNION SELECT format_id FROM payload WHERE record_id IN (
      SELECT id FROM record WHERE source_id = :source AND NOT is_deleted LIMIT :sampled
    )
"""
_MOVED = "SELECT id FROM record WHERE id IN ({}) AND seq <> id"
_EVENTS = """
    SELECT record_id, seq, kind, format_id, block_id FROM history WHERE record_id IN ({}) ORDER BY seq
"""
_PLACES = """
    SELECT p.record_id, p.format_id, p.block_id, p.start, p.start + p.length, e.declarations
    FROM payload p JOIN envelope e ON e.id = p.envelope_id WHERE p.record_id IN ({})
    ORDER BY p.record_id, p.format_id
"""


Place = tuple[int, int, int, int, int, bytes]  # record, format, block, start, end, declarations


class Resource(NamedTuple):
    """A record in one format: payload and declarations."""

    number: int  # of the record
    identifier: str
    prefix: str
    seq: int
    payload: bytes
    declarations: bytes


def read_history_rules(connection: Connection, source_id: int) -> HistoryRules:
    """Find out how to interpret the history of a source's records."""
    values = {"source": source_id, "sampled": _SAMPLED}
    formats = connection.execute(_FORMATS, values).scalars()
    every = selection.list_formats(connection).values()
    has_guards = connection.execute(_GUARDED, (source_id, f"{GUARD}%")).first() is not None
    return HistoryRules(tuple(sorted(formats)), tuple(sorted(every)), has_guards)


class ResourceReader:
    """Reads the resources of one source, a few records at a time."""

    def __init__(self, ways: HistoryRules) -> None:
        self._ways = ways
        self._unpacker = Unpacker()

    def read(self, connection: Connection, names: Mapping[int, str]) -> list[Resource]:
        """Return the resources of these records, given as identifiers by number."""
        numbers = tuple(names)
        places = connection.execute(_PLACES.format(placeholders(numbers)), numbers).all()
        blocks = self._unpacker.fetch(connection, {place[2] for place in places})
        newest = self._newest(connection, numbers, places)
        prefixes = {number: prefix for prefix, number in selection.list_formats(connection).items()}
        return [
            Resource(
                number,
                names[number],
                prefixes[format_id],
                newest.get((number, format_id), number),
                blocks[block][start:end],
                declarations,
            )
            for number, format_id, block, start, end, declarations in places
        ]

    def _newest(
        self, connection: Connection, numbers: Sequence[int], places: Sequence[Place]
    ) -> dict[tuple[int, int], int]:
        """Return the newest change by record and format, for records that changed since they arrived."""
        moved = connection.execute(_MOVED.format(placeholders(numbers)), tuple(numbers)).scalars()
        held: dict[int, dict[int, int]] = defaultdict(dict)
        for number, format_id, block_id, *_ in places:
            held[number][format_id] = block_id
        found = {}
        for number, events in read_events(connection, moved).items():
            history = list_format_changes(RecordHistory(number, False, events, held[number]), self._ways)
            found.update({(number, each): seq for each, seq in find_current_formats(history).items()})
        return found


def read_events(connection: Connection, numbers: Sequence[int]) -> dict[int, list[RecordEvent]]:
    """Return the history of records by number, without their arrival."""
    found: dict[int, list[RecordEvent]] = {number: [] for number in numbers}
    for number, *event in connection.execute(_EVENTS.format(placeholders(numbers)), tuple(numbers)):
        found[number].append(RecordEvent(*event))
    return found


# The changes of one source in the order of the sequence, in parts of a fixed size, for change lists. A full
# part is closed: no change is ever added to it.

PART_CHANGES = 10_000
# If less than one change in this many belongs to the source, its changes are found through its records.
_SPARSE = 16

_CAME = "SELECT id, id, seq FROM record WHERE source_id = :source AND id > :after AND id <= :until"
# CROSS JOIN makes SQLite keep the order of the tables.
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


class NumberedChange(NamedTuple):
    """A change in the sequence: its number, its record, and the newest change to that record."""

    seq: int
    record: int
    newest: int


class ResourceChange(NamedTuple):
    """A change to a resource, which is a record in one format."""

    seq: int
    identifier: str
    prefix: str
    change: str  # created, updated, deleted


class PartBoundaries:
    """The last change of each closed part of each source, computed incrementally. Thread-safe."""

    def __init__(self, part: int = PART_CHANGES) -> None:
        self.part = part
        self._lock = threading.Lock()
        self._known: dict[tuple[int, int], list[int]] = {}

    def find(self, connection: Connection, shelf: SourcePages, last: int) -> list[int]:
        """Return the last change of each closed part; `last` is the newest number of the sequence.

        A source that was forgotten and added again has another first record, and so its own parts.
        """
        key = (shelf.source_id, connection.execute(_FIRST, (shelf.source_id,)).scalar() or 0)
        with self._lock:
            cuts = self._known.setdefault(key, [])
            while (end := self._end(connection, shelf, cuts[-1] if cuts else 0, last)) is not None:
                cuts.append(end)
            return list(cuts)

    def _end(self, connection: Connection, shelf: SourcePages, after: int, last: int) -> int | None:
        query = f"{_statement(shelf, after, last)} LIMIT 1 OFFSET :skip"
        found = connection.execute(query, {**_range(shelf, after, last), "skip": self.part - 1})
        end: int | None = found.scalar()
        return end


def list_numbered_changes(
    connection: Connection, shelf: SourcePages, after: int, until: int
) -> list[NumberedChange]:
    """Return the changes of a source after one number and up to another, in order."""
    found = connection.execute(_statement(shelf, after, until), _range(shelf, after, until))
    return [NumberedChange(*row) for row in found]


def list_resource_changes(
    connection: Connection, some: Sequence[NumberedChange], ways: HistoryRules
) -> list[ResourceChange]:
    """Return what some hundred changes did to public resources."""
    numbers = tuple({each.record for each in some})
    hidden = find_guarded(connection, numbers)
    steps_at: dict[int, list[tuple[str, FormatChange]]] = {}
    wanted = {each.seq for each in some}
    for name, history in _histories(connection, [each for each in numbers if each not in hidden], ways):
        for step in history:
            if step.seq in wanted:
                steps_at.setdefault(step.seq, []).append((name, step))
    prefixes = {number: prefix for prefix, number in selection.list_formats(connection).items()}
    return [
        ResourceChange(step.seq, name, prefixes[step.format_id], step.change)
        for each in some
        for name, step in steps_at.get(each.seq, ())
    ]


def _histories(
    connection: Connection, numbers: Sequence[int], ways: HistoryRules
) -> list[tuple[str, list[FormatChange]]]:
    events = read_events(connection, numbers)
    held: dict[int, dict[int, int]] = {number: {} for number in numbers}
    for number, format_id, block_id in connection.execute(
        _HELD.format(placeholders(numbers)), tuple(numbers)
    ):
        held[number][format_id] = block_id
    rows = connection.execute(_RECORDS.format(placeholders(numbers)), tuple(numbers))
    return [
        (
            name,
            list_format_changes(RecordHistory(number, bool(is_deleted), events[number], held[number]), ways),
        )
        for number, name, is_deleted in rows
    ]


def _statement(shelf: SourcePages, after: int, until: int) -> str:
    is_sparse = shelf.leaves * PAGE_RECORDS * _SPARSE < until - after
    return f"{_CAME} UNION ALL {_BY_RECORD if is_sparse else _ALONG} ORDER BY 1"


def _range(shelf: SourcePages, after: int, until: int) -> Mapping[str, int]:
    return {"source": shelf.source_id, "after": after, "until": until}
