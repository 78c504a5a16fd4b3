"""Sets that queries define: their definitions, their members, and up to which change they are true.

Whoever decides on membership is in `harvest.virtual_sets`; the faces read it through `catalogue`. A record
that comes into a set or leaves one has changed: it gets a new number, as it does when its source moves it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from windrow.store import sequence
from windrow.store.connection import Connection

_SEEN = "virtual_seq"  # the setting that holds it
_DEFINED = "SELECT spec, name, query, id FROM virtual_set ORDER BY spec"
_DEFINE = "INSERT INTO virtual_set (spec, name, query) VALUES (?, ?, ?)"
_REDEFINE = "UPDATE virtual_set SET name = ?, query = ? WHERE spec = ?"
_UNDEFINE = "DELETE FROM virtual_set WHERE id = ?"
_MEMBERS = "SELECT record_id FROM virtual_member WHERE set_id = ? ORDER BY record_id LIMIT ?"
_SEEN_SEQ = "SELECT value FROM setting WHERE key = ?"
_NOTE = "INSERT INTO setting VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value"
_UNMOVED = "SELECT id FROM record NOT INDEXED WHERE id > ? AND seq = id ORDER BY id LIMIT ?"
_MOVED = "SELECT seq, id FROM record INDEXED BY record_moved WHERE seq <> id AND seq > ? ORDER BY seq LIMIT ?"
_NEWS = "SELECT COUNT(*) FROM record WHERE seq > ?"
_STAMPS = "SELECT id, stamp FROM record WHERE id IN ({}) ORDER BY id"
_REMEMBER = "INSERT INTO history (seq, record_id, kind, stamp) VALUES (?, ?, 'sets', ?)"
_MOVE = "UPDATE record SET seq = ? WHERE id = ?"
_JOIN = "INSERT INTO virtual_member (set_id, record_id) VALUES (?, ?)"
_LEAVE = "DELETE FROM virtual_member WHERE set_id = ? AND record_id = ?"


class Definition(NamedTuple):
    """What a set is: its spec, its name, and the canonical text of its query."""

    spec: str
    name: str
    query: str


class Change(NamedTuple):
    """One record joins these sets, by their numbers, and leaves those."""

    joins: frozenset[int]
    leaves: frozenset[int]


def definitions(connection: Connection) -> dict[Definition, int]:
    """Give what is defined, with the number of each set."""
    return {Definition(*row[:3]): row[3] for row in connection.exec_driver_sql(_DEFINED)}


def define(connection: Connection, wanted: Iterable[Definition]) -> None:
    """Take these definitions over; a new or another query makes everything unseen.

    Sets that are wanted no more stay as they are: `empty` takes their members away first.
    """
    known = {definition.spec: definition for definition in definitions(connection)}
    for definition in wanted:
        old = known.get(definition.spec)
        if old is None:
            connection.exec_driver_sql(_DEFINE, definition)
        elif old != definition:
            connection.exec_driver_sql(_REDEFINE, (definition.name, definition.query, definition.spec))
        if old is None or old.query != definition.query:
            restart(connection)


def empty(connection: Connection, set_id: int, *, limit: int) -> int:
    """Let so many members leave a set; give how many did. With none left, the set itself goes."""
    members = connection.exec_driver_sql(_MEMBERS, (set_id, limit)).scalars()
    change(connection, dict.fromkeys(members, Change(frozenset(), frozenset((set_id,)))))
    if len(members) < limit:
        connection.exec_driver_sql(_UNDEFINE, (set_id,))
    return len(members)


def seen(connection: Connection) -> int:
    """Give the number of the change up to which membership is true."""
    return int(connection.exec_driver_sql(_SEEN_SEQ, (_SEEN,)).scalar() or 0)


def note_seen(connection: Connection, seq: int) -> None:
    """Note up to which change membership is true."""
    connection.exec_driver_sql(_NOTE, (_SEEN, str(seq)))


def restart(connection: Connection) -> None:
    """Doubt all memberships: every record is to be looked at again."""
    note_seen(connection, 0)


def change(connection: Connection, changes: Mapping[int, Change]) -> range:
    """Let records join and leave sets, each under a new number; give the numbers."""
    if not changes:
        return range(0)
    leaves = [(each, record) for record, change in changes.items() for each in sorted(change.leaves)]
    joins = [(each, record) for record, change in changes.items() for each in sorted(change.joins)]
    if leaves:
        connection.exec_driver_sql(_LEAVE, leaves)
    if joins:
        connection.exec_driver_sql(_JOIN, joins)
    marks = ", ".join("?" * len(changes))
    stamps = connection.exec_driver_sql(_STAMPS.format(marks), tuple(changes)).all()
    first = sequence.take(connection, len(stamps), run_id=0)
    numbered = list(enumerate(stamps, first))
    connection.exec_driver_sql(_REMEMBER, [(seq, *row) for seq, row in numbered])
    connection.exec_driver_sql(_MOVE, [(seq, number) for seq, (number, _) in numbered])
    return range(first, first + len(stamps))


class News:
    """Records whose newest change lies after a number, in the order of their changes, some at a time."""

    def __init__(self, after: int) -> None:
        self.after = after
        self._unmoved_after = after  # before that, every record there is has moved since it was added

    def count(self, connection: Connection) -> int:
        """Give how many there are now."""
        return int(connection.exec_driver_sql(_NEWS, (self.after,)).scalar_one())

    def batch(self, connection: Connection, *, limit: int) -> list[tuple[int, int]]:
        """Give number of change and number of record of the next ones; nothing when all were given."""
        start = max(self.after, self._unmoved_after)
        unmoved = connection.exec_driver_sql(_UNMOVED, (start, limit)).scalars()
        moved = connection.exec_driver_sql(_MOVED, (self.after, limit)).all()
        both = sorted([(number, number) for number in unmoved] + moved)
        batch = both[:limit]
        if batch:
            self.after = batch[-1][0]
            left = next((number for number in unmoved if number > self.after), None)
            self._unmoved_after = self.after if left is None else left - 1
        return batch


def current(connection: Connection, records: Sequence[int]) -> dict[int, int]:
    """Give the number of the newest change of each of these records that are there and not deleted."""
    marks = ", ".join("?" * len(records))
    text = f"SELECT id, seq FROM record WHERE id IN ({marks}) AND NOT is_deleted"
    return dict(connection.exec_driver_sql(text, tuple(records)))
