"""Records as resources: what each has in each format, with the number of the newest change to just that.

What resource lists and dumps are made from; `changes` reads the same for change lists, and both agree.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from windrow.store import catalogue
from windrow.store.connection import Connection
from windrow.store.guards import GUARD
from windrow.store.lives import Event, Past, Ways, standing, steps
from windrow.store.payloads import Unpacker
from windrow.store.selection import marks

_SAMPLED = 50  # records of a source, to see which formats it has
_GUARDED = "SELECT 1 FROM source_set WHERE source_id = ? AND spec LIKE ? LIMIT 1"
# A run leaves word of the formats that it asked for in windows, in cursors, in its own arguments.
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
    """What a record has in one format: payload and what was declared around it."""

    number: int  # of the record
    identifier: str
    prefix: str
    seq: int
    payload: bytes
    declarations: bytes


def ways_of(connection: Connection, source_id: int) -> Ways:
    """Find out how to read the history of a source's records."""
    values = {"source": source_id, "sampled": _SAMPLED}
    formats = connection.exec_driver_sql(_FORMATS, values).scalars()
    every = catalogue.formats(connection).values()
    has_guards = connection.exec_driver_sql(_GUARDED, (source_id, f"{GUARD}%")).first() is not None
    return Ways(tuple(sorted(formats)), tuple(sorted(every)), has_guards)


class ResourceReader:
    """Reads resources of one source, some records at a time."""

    def __init__(self, ways: Ways) -> None:
        self._ways = ways
        self._unpacker = Unpacker()

    def read(self, connection: Connection, names: Mapping[int, str]) -> list[Resource]:
        """Give the resources of records: their numbers and identifiers."""
        numbers = tuple(names)
        places = connection.exec_driver_sql(_PLACES.format(marks(numbers)), numbers).all()
        blocks = self._unpacker.fetch(connection, {place[2] for place in places})
        newest = self._newest(connection, numbers, places)
        prefixes = {number: prefix for prefix, number in catalogue.formats(connection).items()}
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
        """By record and format, of those records that changed since they came."""
        moved = connection.exec_driver_sql(_MOVED.format(marks(numbers)), tuple(numbers)).scalars()
        held: dict[int, dict[int, int]] = defaultdict(dict)
        for number, format_id, block_id, *_ in places:
            held[number][format_id] = block_id
        found = {}
        for number, events in events_of(connection, moved).items():
            history = steps(Past(number, False, events, held[number]), self._ways)
            found.update({(number, each): seq for each, seq in standing(history).items()})
        return found


def events_of(connection: Connection, numbers: Sequence[int]) -> dict[int, list[Event]]:
    """Give what happened to records since they came, by their numbers."""
    found: dict[int, list[Event]] = {number: [] for number in numbers}
    for number, *event in connection.exec_driver_sql(_EVENTS.format(marks(numbers)), tuple(numbers)):
        found[number].append(Event(*event))
    return found
