"""Sets of a source: names, hierarchy, duplicates under two specs, and guards that protect records."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from windrow.store.connection import Connection

# A guard is a hidden set: its records are only for those who satisfy it, as with a protected folder. The
# specs begin with a character that XML cannot carry, so they cannot leak into a response.

GUARD = "\x1fguard:"
HIDDEN_BY_HAND = "../hidden"  # a guard that no one satisfies: no folder of a source can have this path
_GUARDS_OF_RECORD = """
    SELECT s.spec FROM source_set s JOIN set_member m ON m.set_id = s.id
      JOIN record r ON r.group_id = m.group_id
    WHERE r.identifier = ? AND r.source_id = ? AND s.spec LIKE ?
"""
_GUARDED = """
    SELECT r.id FROM record r JOIN set_member m ON m.group_id = r.group_id
      JOIN source_set s ON s.id = m.set_id
    WHERE s.spec LIKE ? AND r.id IN ({})
"""
_GUARD_PATTERN = f"{GUARD}%"
# SQL condition: the record `r` is not protected by any guard; its parameters are OPEN_VALUES.
OPEN = """NOT EXISTS (
    SELECT 1 FROM set_member m JOIN source_set g ON g.id = m.set_id
    WHERE m.group_id = r.group_id AND g.spec >= ? AND g.spec < ?)"""
OPEN_VALUES = (GUARD, GUARD[:-1] + chr(ord(GUARD[-1]) + 1))  # the first spec after all guards


def guard_set(guard: str) -> str:
    return GUARD + guard


def find_guards(connection: Connection, source_id: int, identifier: str) -> frozenset[str]:
    rows = connection.execute(_GUARDS_OF_RECORD, (identifier, source_id, _GUARD_PATTERN))
    return frozenset(spec.removeprefix(GUARD) for (spec,) in rows)


def find_guarded(connection: Connection, numbers: Sequence[int]) -> set[int]:
    """Return those of these records that any guard protects, and which are therefore not public."""
    marks = ", ".join("?" * len(numbers))
    return set(connection.execute(_GUARDED.format(marks), (_GUARD_PATTERN, *numbers)).scalars())


MAX_REMEMBERED = 50_000  # combinations of sets
_CHUNK = 500
_NAMED = "SELECT spec, id, name FROM source_set WHERE source_id = ?"
_ADD = "INSERT INTO source_set (source_id, spec, name) VALUES (?, ?, ?)"
_RENAME = "UPDATE source_set SET name = ? WHERE id = ?"
_FORGET_ROLES = "UPDATE source SET roles = NULL WHERE id = ?"
_LINK = "UPDATE source_set SET parent_id = ? WHERE id = ?"
_GROUPS = "SELECT members, id FROM set_group WHERE source_id = ?"
_SOME_GROUPS = _GROUPS + " LIMIT ?"
_THESE_SETS = "SELECT spec, id FROM source_set WHERE source_id = ? AND spec IN ({})"
_THESE_GROUPS = _GROUPS + " AND members IN ({})"

MAX_DEPTH = 50  # levels; a spec with more colons has no parent


@dataclass(frozen=True, slots=True)
class StoredSet:
    """A set as stored; `records` counts the live records in it."""

    spec: str
    name: str
    parent: str | None
    merged_into: str | None
    records: int


class SetGroups:
    """The combinations of sets in one source, read once and cached.

    Unknown specs and new combinations are numbered in the current transaction. Several processes may write to
    one source (crawls), so each is looked up before. The cache is bounded, because in some sources nearly
    every record has its own combination.
    """

    def __init__(self, source_id: int) -> None:
        self._source_id = source_id
        self._ids: dict[str, int] = {}
        self._by_specs: dict[tuple[str, ...], int] = {}
        self._by_members: dict[str, int] = {}
        self._is_loaded = False
        self.unnamed: set[str] = set()  # specs seen on records that no ListSets response has named yet

    def groups(
        self, connection: Connection, combinations: Iterable[tuple[str, ...]]
    ) -> dict[tuple[str, ...], int]:
        """Return the number of each of these combinations of specs; 0 stands for no sets."""
        wanted = dict.fromkeys(combinations)
        if len(self._by_specs) > MAX_REMEMBERED:
            self._by_specs.clear()
            self._by_members.clear()
        known = self._by_specs
        known[()] = 0
        new = [specs for specs in wanted if specs not in known]
        if new:
            self._load(connection)
            self._add_sets(connection, [spec for specs in new for spec in specs if spec not in self._ids])
            members = {
                specs: ",".join(map(str, sorted({self._ids[spec] for spec in specs}))) for specs in new
            }
            self._number(connection, [item for item in members.values() if item not in self._by_members])
            known.update((specs, self._by_members[item]) for specs, item in members.items())
        return known

    def _load(self, connection: Connection) -> None:
        if self._is_loaded:
            return
        self._ids = _ids(connection, self._source_id)
        self._by_members = dict(connection.execute(_SOME_GROUPS, (self._source_id, MAX_REMEMBERED)))
        self._is_loaded = True

    def _number(self, connection: Connection, wanted: list[str]) -> None:
        """Find the numbers of these combinations and assign missing ones."""
        self._by_members.update(_look_up(connection, _THESE_GROUPS, self._source_id, wanted))
        new = [item for item in dict.fromkeys(wanted) if item not in self._by_members]
        if new:
            self._add_groups(connection, new)

    def _add_sets(self, connection: Connection, specs: list[str]) -> None:
        self._ids.update(_look_up(connection, _THESE_SETS, self._source_id, specs))
        for spec in dict.fromkeys(each for each in specs if each not in self._ids):
            self._ids[spec] = connection.execute(_ADD, (self._source_id, spec, "")).number
            self.unnamed.add(spec)

    def _add_groups(self, connection: Connection, groups: list[str]) -> None:
        first = connection.execute("SELECT COALESCE(MAX(id), 0) + 1 FROM set_group").scalar_one()
        new = {members: number for number, members in enumerate(groups, first)}
        rows = [(number, self._source_id, members) for members, number in new.items()]
        connection.execute("INSERT INTO set_group VALUES (?, ?, ?)", rows)
        pairs = [(number, int(item)) for members, number in new.items() for item in members.split(",")]
        connection.execute("INSERT INTO set_member VALUES (?, ?)", pairs)
        self._by_members.update(new)


def _look_up(
    connection: Connection, query: str, source_id: int, wanted: Sequence[str]
) -> Iterator[tuple[str, int]]:
    for start in range(0, len(wanted), _CHUNK):
        some = wanted[start : start + _CHUNK]
        marks = ", ".join("?" * len(some))
        yield from connection.execute(query.format(marks), (source_id, *some)).all()


def name_sets(connection: Connection, source_id: int, listed: Iterable[tuple[str, str]]) -> int:
    """Store the sets of a ListSets response; a spec listed twice is one set. Return the number of sets."""
    rows = connection.execute(_NAMED, (source_id,))
    known = {spec: (number, name) for spec, number, name in rows}
    wanted = dict(listed)
    new = [(source_id, spec, name) for spec, name in wanted.items() if spec not in known]
    connection.execute(_ADD, new)
    named = [
        (name, known[spec][0])
        for spec, name in wanted.items()
        if name and spec in known and known[spec][1] != name
    ]
    connection.execute(_RENAME, named)
    if named:  # roles contain the names of sets
        connection.execute(_FORGET_ROLES, (source_id,))
    _link_parents(connection, source_id)
    return len(wanted)


def _ids(connection: Connection, source_id: int) -> dict[str, int]:
    return {spec: number for spec, number, _ in connection.execute(_NAMED, (source_id,))}


def _link_parents(connection: Connection, source_id: int) -> None:
    """Set the parents: `a:b:c` is inside `a:b`, or inside `a` where `a:b` was never listed."""
    ids = _ids(connection, source_id)
    linked = [(ids[parent], set_id) for spec, set_id in ids.items() if (parent := _parent(spec, ids))]
    connection.execute(_LINK, linked)


def _parent(spec: str, known: Container[str]) -> str | None:
    if spec.count(":") > MAX_DEPTH:
        return None
    while ":" in spec:
        spec = spec.rpartition(":")[0]
        if spec in known:
            return spec
    return None


# A fingerprint of the records in a set: their number, and two sums over them.
_MEMBERSHIP = """
    SELECT m.set_id, SUM(g.n) AS n, SUM(g.a) AS a, SUM(g.b) AS b FROM set_member m JOIN (
      SELECT group_id, COUNT(*) AS n, SUM(id) AS a, SUM((id * 2654435761) % 1000000007) AS b
      FROM record WHERE source_id = ? GROUP BY group_id
    ) g ON g.group_id = m.group_id GROUP BY m.set_id
"""
_LISTED = "SELECT id, spec, name, parent_id, merged_into FROM source_set WHERE source_id = ? ORDER BY id"
_MERGE = "UPDATE source_set SET merged_into = ? WHERE id = ?"
_NOBODY = (0, 0, 0)


def merge_duplicates(connection: Connection, source_id: int) -> list[tuple[str, str]]:
    """Find sets listed under two specs and merge them; return pairs (spec, spec it duplicates).

    Two specs are one set if they have the same name, the same parent and the same records, or one of them is
    empty. DSpace lists a collection both as col_1_2 and as hdl_1_2. There the handle must be the same as
    well, since every faculty has a collection "Theses" and some of them are empty.
    """
    listed = connection.execute(_LISTED, (source_id,)).all()
    if not any(row[4] for row in listed) and not _has_namesakes(listed):
        return []
    members = {row[0]: row[1:] for row in connection.execute(_MEMBERSHIP, (source_id,))}
    firsts: dict[tuple[str, int | None, str], list[int]] = {}
    merged: dict[int, int | None] = {}
    for number, spec, name, parent, _ in sorted(listed, key=lambda row: row[0] not in members):
        if name:
            group = firsts.setdefault((name, parent, _handle(spec)), [])
            mine = members.get(number, _NOBODY)
            twin = next((old for old in group if mine in (_NOBODY, members.get(old, _NOBODY))), None)
            merged[number] = twin
            group.extend([number] if twin is None else [])
    changes = [(merged.get(number), number) for number, *_, old in listed if old != merged.get(number)]
    connection.execute(_MERGE, changes)
    specs = {number: spec for number, spec, *_ in listed}
    return [(specs[mine], specs[twin]) for mine, twin in merged.items() if twin is not None]


def _has_namesakes(listed: Iterable[tuple[Any, ...]]) -> bool:
    """Return whether two sets under one parent share a name. If not, the records need not be read."""
    names = [(name, parent, _handle(spec)) for _, spec, name, parent, _ in listed if name]
    return len(set(names)) < len(names)


def _handle(spec: str) -> str:
    """Return the handle in a DSpace spec; "" for any other."""
    start, _, handle = spec.partition("_")
    return handle if start in ("com", "col", "hdl") else ""


_LIST = """
    SELECT s.spec, s.name, p.spec AS parent, m.spec AS merged_into, COALESCE(c.n, 0) AS records
    FROM source_set s LEFT JOIN source_set p ON p.id = s.parent_id
      LEFT JOIN source_set m ON m.id = s.merged_into
      LEFT JOIN (SELECT x.set_id, SUM(g.n) AS n FROM set_member x JOIN (
          SELECT group_id, COUNT(*) AS n FROM record
          WHERE source_id = :source AND NOT is_deleted GROUP BY group_id
        ) g ON g.group_id = x.group_id GROUP BY x.set_id) c ON c.set_id = s.id
    WHERE s.source_id = :source AND s.spec NOT LIKE :unseen ORDER BY s.spec
"""


def list_sets(connection: Connection, source_id: int) -> list[StoredSet]:
    """Return the public sets of a source with the number of live records directly in each."""
    rows = connection.execute(_LIST, {"source": source_id, "unseen": f"{GUARD}%"})
    return [StoredSet(*row) for row in rows]
