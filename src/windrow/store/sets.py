"""Sets: their names, their hierarchy, and the same set listed under two specs."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass

from sqlalchemy import Connection, bindparam, insert, select, text, update

from windrow.store import schema
from windrow.store.guards import GUARD

MAX_REMEMBERED = 50_000  # combinations of sets
_CHUNK = 500

MAX_DEPTH = 50  # levels of sets in sets; a spec with more colons than that has none


@dataclass(frozen=True, slots=True)
class StoredSet:
    """A set as the library knows it; `records` counts the live ones that are in it."""

    spec: str
    name: str
    parent: str | None
    merged_into: str | None
    records: int


class SetGroups:
    """The combinations of sets that one source's records are in, read once and remembered.

    Unknown specs and new combinations get their numbers at once, in the transaction at hand. Where
    nearly every record has a combination of its own, what was remembered is forgotten now and then.
    """

    def __init__(self, source_id: int) -> None:
        self._source_id = source_id
        self._ids: dict[str, int] = {}
        self._by_specs: dict[tuple[str, ...], int] = {}
        self._by_members: dict[str, int] = {}
        self._is_loaded = False
        self._is_all = False  # `_by_members` has every combination there is
        self.unnamed: set[str] = set()  # specs seen on records that no ListSets has named yet

    def groups(
        self, connection: Connection, combinations: Iterable[tuple[str, ...]]
    ) -> dict[tuple[str, ...], int]:
        """Give the number of each of these combinations of specs; no sets at all is 0."""
        wanted = dict.fromkeys(combinations)
        if len(self._by_specs) > MAX_REMEMBERED:
            self._by_specs.clear()
            self._by_members.clear()
            self._is_all = False
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
        sets, groups = schema.source_set, schema.set_group
        named = select(sets.c.spec, sets.c.id).where(sets.c.source_id == self._source_id)
        self._ids = {row.spec: row.id for row in connection.execute(named)}
        some = select(groups.c.members, groups.c.id).where(groups.c.source_id == self._source_id)
        rows = connection.execute(some.limit(MAX_REMEMBERED))
        self._by_members = {row.members: row.id for row in rows}
        self._is_all = len(self._by_members) < MAX_REMEMBERED
        self._is_loaded = True

    def _number(self, connection: Connection, wanted: list[str]) -> None:
        """Find the numbers of these combinations; those that have none yet get one."""
        table = schema.set_group
        for start in range(0, 0 if self._is_all else len(wanted), _CHUNK):
            query = select(table.c.members, table.c.id).where(
                table.c.source_id == self._source_id, table.c.members.in_(wanted[start : start + _CHUNK])
            )
            self._by_members.update((row.members, row.id) for row in connection.execute(query))
        new = [item for item in dict.fromkeys(wanted) if item not in self._by_members]
        if new:
            self._add_groups(connection, new)

    def _add_sets(self, connection: Connection, specs: list[str]) -> None:
        for spec in dict.fromkeys(specs):
            self._ids[spec] = _add(connection, self._source_id, spec, "")
            self.unnamed.add(spec)

    def _add_groups(self, connection: Connection, groups: list[str]) -> None:
        first = connection.exec_driver_sql("SELECT COALESCE(MAX(id), 0) + 1 FROM set_group").scalar_one()
        new = {members: number for number, members in enumerate(groups, first)}
        rows = [(number, self._source_id, members) for members, number in new.items()]
        connection.exec_driver_sql("INSERT INTO set_group VALUES (?, ?, ?)", rows)
        pairs = [(number, int(item)) for members, number in new.items() for item in members.split(",")]
        connection.exec_driver_sql("INSERT INTO set_member VALUES (?, ?)", pairs)
        self._by_members.update(new)


def name_sets(connection: Connection, source_id: int, listed: Iterable[tuple[str, str]]) -> int:
    """Take over what ListSets said; a spec listed twice is one set. Give how many there are."""
    table = schema.source_set
    query = select(table.c.spec, table.c.id, table.c.name).where(table.c.source_id == source_id)
    known = {row.spec: (row.id, row.name) for row in connection.execute(query)}
    wanted = dict(listed)
    new = [
        {"source_id": source_id, "spec": spec, "name": name}
        for spec, name in wanted.items()
        if spec not in known
    ]
    if new:
        connection.execute(insert(table), new)
    named = [
        {"number": known[spec][0], "title": name}
        for spec, name in wanted.items()
        if name and spec in known and known[spec][1] != name
    ]
    if named:
        connection.execute(
            update(table).where(table.c.id == bindparam("number")).values(name=bindparam("title")), named
        )
    _link_parents(connection, source_id)
    return len(wanted)


def _add(connection: Connection, source_id: int, spec: str, name: str) -> int:
    values = {"source_id": source_id, "spec": spec, "name": name}
    result = connection.execute(insert(schema.source_set).values(values))
    assert result.inserted_primary_key is not None
    return int(result.inserted_primary_key[0])


def _link_parents(connection: Connection, source_id: int) -> None:
    """`a:b:c` lies in `a:b`, or in `a` where `a:b` was never listed."""
    table = schema.source_set
    query = select(table.c.spec, table.c.id).where(table.c.source_id == source_id)
    ids: dict[str, int] = {row.spec: row.id for row in connection.execute(query)}
    linked = [
        {"number": set_id, "parent": ids[parent]}
        for spec, set_id in ids.items()
        if (parent := _parent(spec, ids))
    ]
    if linked:
        change = update(table).where(table.c.id == bindparam("number"))
        connection.execute(change.values(parent_id=bindparam("parent")), linked)


def _parent(spec: str, known: Container[str]) -> str | None:
    if spec.count(":") > MAX_DEPTH:
        return None
    while ":" in spec:
        spec = spec.rpartition(":")[0]
        if spec in known:
            return spec
    return None


# Which records a set holds, as numbers to compare: how many, and two sums over them.
_MEMBERSHIP = text("""
    SELECT m.set_id, SUM(g.n) AS n, SUM(g.a) AS a, SUM(g.b) AS b FROM set_member m JOIN (
      SELECT group_id, COUNT(*) AS n, SUM(id) AS a, SUM((id * 2654435761) % 1000000007) AS b
      FROM record WHERE source_id = :source GROUP BY group_id
    ) g ON g.group_id = m.group_id GROUP BY m.set_id
""")
_NOBODY = (0, 0, 0)


def merge_duplicates(connection: Connection, source_id: int) -> list[tuple[str, str]]:
    """Find sets listed twice under two specs and merge them; give (spec, the spec it is the same as).

    Two specs are one set when they carry the same name, lie under the same parent and hold the same
    records, or one of them holds none: DSpace lists a collection as col_1_2 and as hdl_1_2.
    """
    table = schema.source_set
    rows = connection.execute(_MEMBERSHIP, {"source": source_id})
    members = {row.set_id: (row.n, row.a, row.b) for row in rows}
    columns = select(table.c.id, table.c.spec, table.c.name, table.c.parent_id, table.c.merged_into)
    listed = connection.execute(columns.where(table.c.source_id == source_id).order_by(table.c.id)).all()
    firsts: dict[tuple[str, int | None], list[int]] = {}
    merged: dict[int, int | None] = {}
    for row in sorted(listed, key=lambda row: row.id not in members):
        if row.name:
            group = firsts.setdefault((row.name, row.parent_id), [])
            mine = members.get(row.id, _NOBODY)
            twin = next((old for old in group if mine in (_NOBODY, members.get(old, _NOBODY))), None)
            merged[row.id] = twin
            group.extend([row.id] if twin is None else [])
    for row in listed:
        if row.merged_into != merged.get(row.id):
            change = update(table).where(table.c.id == row.id).values(merged_into=merged.get(row.id))
            connection.execute(change)
    specs = {row.id: row.spec for row in listed}
    return [(specs[mine], specs[twin]) for mine, twin in merged.items() if twin is not None]


_LIST = text("""
    SELECT s.spec, s.name, p.spec AS parent, m.spec AS merged_into, COALESCE(c.n, 0) AS records
    FROM source_set s LEFT JOIN source_set p ON p.id = s.parent_id
      LEFT JOIN source_set m ON m.id = s.merged_into
      LEFT JOIN (SELECT x.set_id, SUM(g.n) AS n FROM set_member x JOIN (
          SELECT group_id, COUNT(*) AS n FROM record
          WHERE source_id = :source AND NOT is_deleted GROUP BY group_id
        ) g ON g.group_id = x.group_id GROUP BY x.set_id) c ON c.set_id = s.id
    WHERE s.source_id = :source AND s.spec NOT LIKE :unseen ORDER BY s.spec
""")


def list_sets(connection: Connection, source_id: int) -> list[StoredSet]:
    """Give the sets of a source that anybody may see, with how many live records each holds itself."""
    rows = connection.execute(_LIST, {"source": source_id, "unseen": f"{GUARD}%"})
    return [StoredSet(row.spec, row.name, row.parent, row.merged_into, row.records) for row in rows]
