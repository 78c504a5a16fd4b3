"""A source in parts of so many leaves each, which never change places: for resource lists and dumps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from windrow.faces.resourcesync.desk import Desk, nothing
from windrow.store import leaves
from windrow.store.connection import Connection
from windrow.store.leaves import Leaf
from windrow.store.lives import Ways
from windrow.store.resources import Resource, ResourceReader, ways_of

_AT_ONCE = 50  # records; some have megabytes of metadata


@dataclass(frozen=True, slots=True)
class Part:
    """Some leaves of a source."""

    source: str
    number: int
    leaves: Sequence[Leaf]
    ways: Ways

    @property
    def live(self) -> int:
        """How many records everybody may see."""
        return sum(leaf.live for leaf in self.leaves)

    @property
    def seq(self) -> int:
        """The newest change to any of them."""
        return max(leaf.seq for leaf in self.leaves)

    @property
    def marks(self) -> tuple[object, ...]:
        """What differs when anything on its leaves does."""
        ends = self.leaves[0].first_id, self.leaves[-1].last_id
        return self.source, self.number, *ends, self.live, self.seq, *self.ways


def parts_of(desk: Desk, connection: Connection, source: str) -> list[Part]:
    """Give all parts of a source in order."""
    shelf = desk.shelf(connection, source)
    size = desk.leaves_a_part
    found = leaves.leaves(connection, shelf.source_id)
    ways = ways_of(connection, shelf.source_id)
    starts = range(0, len(found), size)
    return [Part(source, place, found[start : start + size], ways) for place, start in enumerate(starts, 1)]


def part_of(desk: Desk, connection: Connection, source: str, number: int) -> Part:
    """Give one part of a source."""
    shelf = desk.shelf(connection, source)
    first = (number - 1) * desk.leaves_a_part + 1
    found = leaves.leaves(connection, shelf.source_id, first, desk.leaves_a_part)
    if not found:
        raise nothing()
    return Part(source, number, found, ways_of(connection, shelf.source_id))


def resources_of(desk: Desk, part: Part) -> Iterator[list[Resource]]:
    """Give the resources of a part, some at a time, each time as the library has them then."""
    reader = ResourceReader(part.ways)
    for leaf in part.leaves:
        with desk.store.reading() as connection:
            rows = leaves.entries(connection, [leaf])
        for start in range(0, len(rows), _AT_ONCE):
            names = {number: name for number, name, _ in rows[start : start + _AT_ONCE]}
            with desk.store.reading() as connection:
                desk.times.refresh(connection)
                found = reader.read(connection, names)
            yield found
