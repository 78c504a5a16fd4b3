"""What follows from set membership: roles per combination of sets, and virtual sets defined by queries.

`model.set_assignment` derives the roles (institution, department, type …). They are stored so that readers of
records and the index need neither settings nor layouts. A combination whose roles change gets a number from
the change sequence, so that an index follows although no record has changed.

Records in no sets have the combination 0 in all sources. Their roles, such as an institution configured for
the whole source, are stored under the negative number of the source: see `GROUP`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from windrow.model.set_assignment import NO_RULES, RoleRules, SetRoles
from windrow.model.set_layouts import KnownSet, SetTree
from windrow.store import sequence
from windrow.store.connection import Connection
from windrow.store.records.set_hierarchy import GUARD
from windrow.store.store import Store

ROLES_REVISION = 4  # of the layouts and their interpretation
_SETS = """
    SELECT s.spec, s.name, m.spec FROM source_set s LEFT JOIN source_set m ON m.id = s.merged_into
    WHERE s.source_id = ? AND s.spec NOT LIKE ? ORDER BY s.id
"""
_SET_MEMBERS = """
    SELECT m.group_id, s.spec FROM set_member m JOIN source_set s ON s.id = m.set_id
    WHERE s.source_id = ? AND s.spec NOT LIKE ? ORDER BY m.group_id, s.id
"""
_GROUPS = "SELECT id FROM set_group WHERE source_id = ?"
_LIVE = "SELECT group_id, COUNT(*) FROM record WHERE source_id = ? AND NOT is_deleted GROUP BY group_id"
# The key of `set_role` that belongs to a record r.
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
_NOTE_ROLES_STATE = "UPDATE source SET roles = ? WHERE id = ?"
_CHANGED = f"""
    SELECT r.id FROM record r JOIN set_role g ON g.group_id = {GROUP}
    WHERE r.id > ? AND g.seq > ? AND r.seq <= ? AND NOT r.is_deleted ORDER BY r.id LIMIT ?
"""
_GREATEST = 2**63 - 1
_ANY_CHANGED = "SELECT 1 FROM set_role WHERE seq > ? LIMIT 1"

Rules = Callable[[str], RoleRules]


class SourceSets:
    """The sets of one source, and the number of live records in each combination of them."""

    def __init__(self, connection: Connection, source_id: int) -> None:
        asked, nowhere = (source_id, f"{GUARD}%"), -source_id
        self.sets = [KnownSet(*row) for row in connection.execute(_SETS, asked)]
        combinations = connection.execute(_GROUPS, (source_id,))
        members: dict[int, list[str]] = {nowhere: [], **{row[0]: [] for row in combinations}}
        for group, spec in connection.execute(_SET_MEMBERS, asked):
            members[group].append(spec)
        self.groups = {group: tuple(specs) for group, specs in members.items()}
        counted = connection.execute(_LIVE, (source_id,))
        live = {group or nowhere: count for group, count in counted}
        self.live = {group: int(live[group]) for group in self.groups if group in live}
        self.records = sum(self.live.values())

    def roles(self, rules: RoleRules = NO_RULES) -> SetRoles:
        """Return the role of each set; combinations without live records do not count for the hierarchy."""
        tree = SetTree(self.sets, [self.groups[group] for group in self.live])
        return SetRoles(tree, rules, self.counts(tree))

    def counts(self, tree: SetTree) -> dict[str, int]:
        """Return how many live records are in each set, including those in sets inside it."""
        counts: dict[str, int] = {}
        for group, count in self.live.items():
            for spec in tree.closure(self.groups[group]):
                counts[spec] = counts.get(spec, 0) + count
        return counts


def update_set_roles(store: Store, rules: Rules, *, changed: Sequence[str] = ()) -> bool:
    """Update the stored roles after changes to sets, records and settings; return whether any changed.

    A source without new sets, new combinations or other rules costs one small query. `changed` names the
    sources whose records may have moved between sets, which only a full check detects.
    """
    with store.reading() as connection:
        due = list(_sources_due(connection, rules, changed))
    is_changed = False
    for source_id, source_rules, mark in due:
        with store.writing() as connection:
            is_changed |= _assign(connection, source_id, source_rules)
            connection.execute(_NOTE_ROLES_STATE, (mark, source_id))
    return is_changed


def find_changed_records(
    connection: Connection, *, after: int, since: int, unchanged_since: int | None, limit: int
) -> list[int]:
    """Return the next records, by number, whose roles changed after the change `since`.

    Records that changed themselves after `unchanged_since` are left out: the change sequence covers them.
    """
    bound = _GREATEST if unchanged_since is None else unchanged_since
    return [int(row[0]) for row in connection.execute(_CHANGED, (after, since, bound, limit))]


def has_role_changes(connection: Connection, since: int) -> bool:
    """Return whether the roles of any combination changed after the change `since`."""
    return connection.execute(_ANY_CHANGED, (since,)).first() is not None


def _sources_due(
    connection: Connection, rules: Rules, changed: Sequence[str]
) -> Iterator[tuple[int, RoleRules, str]]:
    for source_id, name, noted in connection.execute(_SOURCES).all():
        state = tuple(connection.execute(_STATE, (source_id,)).first() or ())
        source_rules = rules(name)
        if not state or not (state[0] or noted or source_rules.fallback):
            continue
        mark = hashlib.sha256(repr((ROLES_REVISION, source_rules, state)).encode()).hexdigest()[:16]
        if mark != noted or name in changed:
            yield source_id, source_rules, mark


def _assign(connection: Connection, source_id: int, rules: RoleRules) -> bool:
    """Store the roles of each combination, where they differ from the stored ones."""
    found = SourceSets(connection, source_id)
    roles = found.roles(rules)
    known: Mapping[int, str] = dict(connection.execute(_KNOWN, (source_id, source_id)))
    made = {group: roles.assign(specs) for group, specs in found.groups.items()}
    said = {group: each.to_json() if each else "{}" for group, each in made.items()}
    changes = {group: text for group, text in said.items() if text != known.get(group, "{}")}
    changes |= {group: "{}" for group, text in known.items() if group not in said and text != "{}"}
    if not changes:
        return False
    number = sequence.reserve(connection, 1, run_id=0)
    connection.execute(_WRITE, [(group, text, number) for group, text in changes.items()])
    return True


# Sets that queries define: their definitions, their members, and the change up to which they are current.
# `harvest.set_membership` decides on membership. A record that joins or leaves a set gets a new change
# number, as if its source had moved it.

_SEEN = "virtual_seq"  # the setting that stores the change number
_DEFINED = "SELECT spec, name, query, id FROM virtual_set ORDER BY spec"
_DEFINE = "INSERT INTO virtual_set (spec, name, query) VALUES (?, ?, ?)"
_REDEFINE = "UPDATE virtual_set SET name = ?, query = ? WHERE spec = ?"
_UNDEFINE = "DELETE FROM virtual_set WHERE id = ?"
_VIRTUAL_MEMBERS = "SELECT record_id FROM virtual_member WHERE set_id = ? ORDER BY record_id LIMIT ?"
_SEEN_SEQ = "SELECT value FROM setting WHERE key = ?"
_SAVE_SEEN_NUMBER = "INSERT INTO setting VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value"
_UNMOVED = "SELECT id FROM record NOT INDEXED WHERE id > ? AND seq = id ORDER BY id LIMIT ?"
_MOVED = "SELECT seq, id FROM record INDEXED BY record_moved WHERE seq <> id AND seq > ? ORDER BY seq LIMIT ?"
_UNSEEN_CHANGES = "SELECT COUNT(*) FROM record WHERE seq > ?"
_STAMPS = "SELECT id, stamp FROM record WHERE id IN ({}) ORDER BY id"
_REMEMBER = "INSERT INTO history (seq, record_id, kind, stamp) VALUES (?, ?, 'sets', ?)"
_MOVE = "UPDATE record SET seq = ? WHERE id = ?"
_JOIN = "INSERT INTO virtual_member (set_id, record_id) VALUES (?, ?)"
_LEAVE = "DELETE FROM virtual_member WHERE set_id = ? AND record_id = ?"


class VirtualSet(NamedTuple):
    """The definition of a set: its spec, its name, and the canonical text of its query."""

    spec: str
    name: str
    query: str


class MembershipChange(NamedTuple):
    """The sets that a record joins and those it leaves, by number."""

    joins: frozenset[int]
    leaves: frozenset[int]


def list_virtual_sets(connection: Connection) -> dict[VirtualSet, int]:
    """Return the definitions with the number of each set."""
    return {VirtualSet(*row[:3]): row[3] for row in connection.execute(_DEFINED)}


def define_virtual_sets(connection: Connection, wanted: Iterable[VirtualSet]) -> None:
    """Store these definitions; a new or changed query resets membership.

    Sets that are no longer wanted stay as they are: `empty_virtual_set` removes their members first.
    """
    known = {definition.spec: definition for definition in list_virtual_sets(connection)}
    for definition in wanted:
        old = known.get(definition.spec)
        if old is None:
            connection.execute(_DEFINE, definition)
        elif old != definition:
            connection.execute(_REDEFINE, (definition.name, definition.query, definition.spec))
        if old is None or old.query != definition.query:
            reset_membership(connection)


def empty_virtual_set(connection: Connection, set_id: int, *, limit: int) -> int:
    """Remove up to `limit` members of a set and return how many; an empty set is deleted."""
    members = connection.execute(_VIRTUAL_MEMBERS, (set_id, limit)).scalars()
    change_membership(connection, dict.fromkeys(members, MembershipChange(frozenset(), frozenset((set_id,)))))
    if len(members) < limit:
        connection.execute(_UNDEFINE, (set_id,))
    return len(members)


def get_seen_number(connection: Connection) -> int:
    """Return the change up to which membership is current."""
    return int(connection.execute(_SEEN_SEQ, (_SEEN,)).scalar() or 0)


def save_seen_number(connection: Connection, seq: int) -> None:
    connection.execute(_SAVE_SEEN_NUMBER, (_SEEN, str(seq)))


def reset_membership(connection: Connection) -> None:
    """Mark all membership as outdated, so that every record is checked again."""
    save_seen_number(connection, 0)


def change_membership(connection: Connection, changes: Mapping[int, MembershipChange]) -> range:
    """Move records into and out of sets, each under a new change number; return these numbers."""
    if not changes:
        return range(0)
    leaves = [(each, record) for record, change in changes.items() for each in sorted(change.leaves)]
    joins = [(each, record) for record, change in changes.items() for each in sorted(change.joins)]
    if leaves:
        connection.execute(_LEAVE, leaves)
    if joins:
        connection.execute(_JOIN, joins)
    marks = ", ".join("?" * len(changes))
    stamps = connection.execute(_STAMPS.format(marks), tuple(changes)).all()
    first = sequence.reserve(connection, len(stamps), run_id=0)
    numbered = list(enumerate(stamps, first))
    connection.execute(_REMEMBER, [(seq, *row) for seq, row in numbered])
    connection.execute(_MOVE, [(seq, number) for seq, (number, _) in numbered])
    return range(first, first + len(stamps))


class UnseenChanges:
    """Records whose newest change is after a number, in the order of changes, in batches."""

    def __init__(self, after: int) -> None:
        self.after = after
        self._unmoved_after = after  # before this number, each record has moved since it was added

    def count(self, connection: Connection) -> int:
        return int(connection.execute(_UNSEEN_CHANGES, (self.after,)).scalar_one())

    def batch(self, connection: Connection, *, limit: int) -> list[tuple[int, int]]:
        """Return the change number and record number of the next ones; an empty list at the end."""
        start = max(self.after, self._unmoved_after)
        unmoved = connection.execute(_UNMOVED, (start, limit)).scalars()
        moved = connection.execute(_MOVED, (self.after, limit)).all()
        both = sorted([(number, number) for number in unmoved] + moved)
        batch = both[:limit]
        if batch:
            self.after = batch[-1][0]
            left = next((number for number in unmoved if number > self.after), None)
            self._unmoved_after = self.after if left is None else left - 1
        return batch


def find_newest_changes(connection: Connection, records: Sequence[int]) -> dict[int, int]:
    """Return the newest change of each of these records that exist and are not deleted."""
    marks = ", ".join("?" * len(records))
    text = f"SELECT id, seq FROM record WHERE id IN ({marks}) AND NOT is_deleted"
    return dict(connection.execute(text, tuple(records)))
