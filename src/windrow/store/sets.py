"""Sets: their names, their hierarchy, and the same set listed under two specs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy import Connection, insert, select, text, update

from windrow.store import schema


@dataclass(frozen=True, slots=True)
class StoredSet:
    """A set as the library knows it; `records` counts the live ones that are in it."""

    spec: str
    name: str
    parent: str | None
    merged_into: str | None
    records: int


class SetIds:
    """The numbers of one source's sets, asked once and remembered; unknown specs get one at once."""

    def __init__(self, source_id: int) -> None:
        self._source_id = source_id
        self._ids: dict[str, int] = {}
        self._combinations: dict[tuple[str, ...], tuple[int, ...]] = {}
        self.unnamed: set[str] = set()  # specs seen on records that no ListSets has named yet

    def ids(self, connection: Connection, specs: tuple[str, ...]) -> tuple[int, ...]:
        """Give the numbers of these specs, each once."""
        found = self._combinations.get(specs)
        if found is None:
            found = tuple(dict.fromkeys(self._id(connection, spec) for spec in specs))
            if len(self._combinations) > 20_000:
                self._combinations.clear()
            self._combinations[specs] = found
        return found

    def forget(self) -> None:
        """Ask anew: the transaction that gave the numbers was rolled back."""
        self._ids.clear()
        self._combinations.clear()

    def _id(self, connection: Connection, spec: str) -> int:
        if not self._ids:
            table = schema.source_set
            query = select(table.c.spec, table.c.id).where(table.c.source_id == self._source_id)
            self._ids = {row.spec: row.id for row in connection.execute(query)}
        if spec not in self._ids:
            self._ids[spec] = _add(connection, self._source_id, spec, "")
            self.unnamed.add(spec)
        return self._ids[spec]


def name_sets(connection: Connection, source_id: int, listed: Iterable[tuple[str, str]]) -> int:
    """Take over what ListSets said; a spec listed twice is one set. Give how many there are."""
    table = schema.source_set
    query = select(table.c.spec, table.c.id, table.c.name).where(table.c.source_id == source_id)
    known = {row.spec: (row.id, row.name) for row in connection.execute(query)}
    wanted = dict(listed)
    for spec, name in wanted.items():
        if spec not in known:
            _add(connection, source_id, spec, name)
        elif name and known[spec][1] != name:
            connection.execute(update(table).where(table.c.id == known[spec][0]).values(name=name))
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
    for spec, set_id in ids.items():
        parent = spec
        while ":" in parent:
            parent = parent.rpartition(":")[0]
            if parent in ids:
                connection.execute(update(table).where(table.c.id == set_id).values(parent_id=ids[parent]))
                break


# Which records a set holds, as numbers to compare: how many, and two sums over them.
_MEMBERSHIP = text("""
    SELECT m.set_id, COUNT(*) AS n, SUM(m.record_id) AS a, SUM((m.record_id * 2654435761) % 1000000007) AS b
    FROM record_set m JOIN source_set s ON s.id = m.set_id WHERE s.source_id = :source GROUP BY m.set_id
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
      LEFT JOIN (SELECT x.set_id, COUNT(*) AS n FROM record_set x JOIN record r ON r.id = x.record_id
        WHERE r.source_id = :source AND NOT r.is_deleted GROUP BY x.set_id) c ON c.set_id = s.id
    WHERE s.source_id = :source ORDER BY s.spec
""")


def list_sets(connection: Connection, source_id: int) -> list[StoredSet]:
    """Give the sets of a source with how many live records each holds itself."""
    rows = connection.execute(_LIST, {"source": source_id})
    return [StoredSet(row.spec, row.name, row.parent, row.merged_into, row.records) for row in rows]
