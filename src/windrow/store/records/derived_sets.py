"""What the sets of records say of them, kept for each combination of sets.

`model.set_roles` works it out; it is stored so that whoever reads records or feeds an index needs neither
settings nor layouts. A combination that says something else than before gets a number from the sequence of
changes, so that an index follows without any record having changed.

Records in no sets have the combination 0 in all sources. What is said of them, an institution that the
settings name for the whole source, is kept under the negative number of their source: see `GROUP`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence

from windrow.model.set_layouts import KnownSet, SetTree
from windrow.model.set_roles import NO_RULES, RoleRules, SetRoles
from windrow.store import sequence
from windrow.store.connection import Connection
from windrow.store.guards import GUARD
from windrow.store.store import Store

REVISION = 4  # of the layouts and how they are read
_SETS = """
    SELECT s.spec, s.name, m.spec FROM source_set s LEFT JOIN source_set m ON m.id = s.merged_into
    WHERE s.source_id = ? AND s.spec NOT LIKE ? ORDER BY s.id
"""
_MEMBERS = """
    SELECT m.group_id, s.spec FROM set_member m JOIN source_set s ON s.id = m.set_id
    WHERE s.source_id = ? AND s.spec NOT LIKE ? ORDER BY m.group_id, s.id
"""
_GROUPS = "SELECT id FROM set_group WHERE source_id = ?"
_LIVE = "SELECT group_id, COUNT(*) FROM record WHERE source_id = ? AND NOT is_deleted GROUP BY group_id"
# The number under which `set_role` has what the sets of a record r say.
GROUP = "CASE r.group_id WHEN 0 THEN -r.source_id ELSE r.group_id END"
_KNOWN = """
    SELECT group_id, roles FROM set_role
    WHERE group_id IN (SELECT id FROM set_group WHERE source_id = ?) OR group_id = -?
"""
_WRITE = """
    INSERT INTO set_role VALUES (?, ?, ?)
    ON CONFLICT (group_id) DO UPDATE SET roles = excluded.roles, seq = excluded.seq
"""
_SOURCES = "SELECT id, name, roles FROM source ORDER BY id"
_STATE = """
    SELECT (SELECT COUNT(*) FROM source_set WHERE source_id = s.id),
      (SELECT COALESCE(SUM(LENGTH(name)), 0) + COUNT(merged_into) FROM source_set WHERE source_id = s.id),
      (SELECT COALESCE(MAX(id), 0) FROM set_group WHERE source_id = s.id)
    FROM source s WHERE s.id = ?
"""
_NOTE = "UPDATE source SET roles = ? WHERE id = ?"
_CHANGED = f"""
    SELECT r.id FROM record r JOIN set_role g ON g.group_id = {GROUP}
    WHERE r.id > ? AND g.seq > ? AND r.seq <= ? AND NOT r.is_deleted ORDER BY r.id LIMIT ?
"""
_GREATEST = 2**63 - 1
_ANY_CHANGED = "SELECT 1 FROM set_role WHERE seq > ? LIMIT 1"

Rules = Callable[[str], RoleRules]


class SourceSets:
    """The sets of one source, and how many live records are in each combination of them."""

    def __init__(self, connection: Connection, source_id: int) -> None:
        asked, nowhere = (source_id, f"{GUARD}%"), -source_id
        self.sets = [KnownSet(*row) for row in connection.exec_driver_sql(_SETS, asked)]
        combinations = connection.exec_driver_sql(_GROUPS, (source_id,))
        members: dict[int, list[str]] = {nowhere: [], **{row[0]: [] for row in combinations}}
        for group, spec in connection.exec_driver_sql(_MEMBERS, asked):
            members[group].append(spec)
        self.groups = {group: tuple(specs) for group, specs in members.items()}
        counted = connection.exec_driver_sql(_LIVE, (source_id,))
        live = {group or nowhere: count for group, count in counted}
        self.live = {group: int(live[group]) for group in self.groups if group in live}
        self.records = sum(self.live.values())

    def roles(self, rules: RoleRules = NO_RULES) -> SetRoles:
        """Return what each set is. Combinations that no record is in any more show no hierarchy."""
        tree = SetTree(self.sets, [self.groups[group] for group in self.live])
        return SetRoles(tree, rules, self.counts(tree))

    def counts(self, tree: SetTree) -> dict[str, int]:
        """Return how many live records are in each set, or in a set inside it."""
        counts: dict[str, int] = {}
        for group, count in self.live.items():
            for spec in tree.closure(self.groups[group]):
                counts[spec] = counts.get(spec, 0) + count
        return counts


def follow(store: Store, rules: Rules, *, changed: Sequence[str] = ()) -> bool:
    """Bring what sets say up to date with sets, records and settings; return whether anything changed.

    Sources without new sets, new combinations or other rules cost a small question each. `changed` names
    those whose records may have moved, which shows only when all are looked at.
    """
    with store.reading() as connection:
        due = list(_due(connection, rules, changed))
    is_changed = False
    for source_id, source_rules, mark in due:
        with store.writing() as connection:
            is_changed |= _assign(connection, source_id, source_rules)
            connection.exec_driver_sql(_NOTE, (mark, source_id))
    return is_changed


def changed_records(
    connection: Connection, *, after: int, since: int, unchanged_since: int | None, limit: int
) -> list[int]:
    """Return the next records whose sets say something else since a change, by their numbers.

    Left out are those that changed themselves after `unchanged_since`: the sequence of changes has them.
    """
    bound = _GREATEST if unchanged_since is None else unchanged_since
    return [int(row[0]) for row in connection.exec_driver_sql(_CHANGED, (after, since, bound, limit))]


def has_changes(connection: Connection, since: int) -> bool:
    """Return whether any combination says something else since a change."""
    return connection.exec_driver_sql(_ANY_CHANGED, (since,)).first() is not None


def _due(
    connection: Connection, rules: Rules, changed: Sequence[str]
) -> Iterator[tuple[int, RoleRules, str]]:
    for source_id, name, noted in connection.exec_driver_sql(_SOURCES).all():
        state = tuple(connection.exec_driver_sql(_STATE, (source_id,)).first() or ())
        source_rules = rules(name)
        if not state or not (state[0] or noted or source_rules.fallback):
            continue
        mark = hashlib.sha256(repr((REVISION, source_rules, state)).encode()).hexdigest()[:16]
        if mark != noted or name in changed:
            yield source_id, source_rules, mark


def _assign(connection: Connection, source_id: int, rules: RoleRules) -> bool:
    """Write down what each combination says, where that is something else than before."""
    found = SourceSets(connection, source_id)
    roles = found.roles(rules)
    known: Mapping[int, str] = dict(connection.exec_driver_sql(_KNOWN, (source_id, source_id)))
    made = {group: roles.assign(specs) for group, specs in found.groups.items()}
    said = {group: each.to_json() if each else "{}" for group, each in made.items()}
    changes = {group: text for group, text in said.items() if text != known.get(group, "{}")}
    changes |= {group: "{}" for group, text in known.items() if group not in said and text != "{}"}
    if not changes:
        return False
    number = sequence.take(connection, 1, run_id=0)
    connection.exec_driver_sql(_WRITE, [(group, text, number) for group, text in changes.items()])
    return True
