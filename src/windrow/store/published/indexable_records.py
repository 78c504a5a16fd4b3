"""Records in batches for an index: each with its sets and one payload.

A hot path, hence bare SQL; `record_reader` returns whole records with all payloads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from windrow.model.set_assignment import UNASSIGNED, Assignment, parse_assignment
from windrow.store.connection import Connection
from windrow.store.published import selection
from windrow.store.published.selection import placeholders
from windrow.store.records.derived_sets import GROUP
from windrow.store.records.payloads import Unpacker
from windrow.store.records.set_hierarchy import GUARD

_MAX_KEPT = 10_000  # envelopes, combinations of sets

_RECORDS = f"""
    SELECT r.id, s.name, r.identifier, r.stamp, r.is_deleted, {GROUP}, r.seq
    FROM record r JOIN source s ON s.id = r.source_id WHERE r.id IN ({{}})
"""
_PLACES = """
    SELECT record_id, format_id, envelope_id, block_id, start, start + length FROM payload
    WHERE record_id IN ({})
"""
_SETS = """
    SELECT m.group_id, s.spec FROM set_member m JOIN source_set s ON s.id = m.set_id
    WHERE m.group_id IN ({}) ORDER BY m.group_id, s.id
"""
_ROLES = "SELECT group_id, roles FROM set_role WHERE group_id IN ({})"
_ENVELOPES = "SELECT id, declarations FROM envelope WHERE id IN ({})"
_LIVE = f"SELECT id, seq, {GROUP} FROM record r WHERE NOT is_deleted AND id > ? ORDER BY id LIMIT ?"


class IndexableRecord(NamedTuple):
    """One record as an index needs it."""

    number: int
    source: str
    identifier: str
    stamp: str
    change: int  # number of the newest change
    is_shown: bool  # neither deleted nor protected by a guard
    sets: tuple[str, ...]
    said: Assignment  # from its sets
    prefix: str = ""
    declarations: bytes = b""
    payload: bytes | None = None  # None: it has none


class RecordOrigin(NamedTuple):
    """The source and identifier of a record, and the number of its newest change."""

    number: int
    source: str
    identifier: str
    is_deleted: bool
    seq: int


class IndexableReader:
    """Reads records by number. Of several payloads, the one whose format ranks lowest is used."""

    def __init__(self, rank: Callable[[str], int]) -> None:
        self._rank = rank
        self._unpacker = Unpacker()
        self._envelopes: dict[int, bytes] = {}
        self._groups: dict[int, tuple[tuple[str, ...], bool, Assignment]] = {}

    def get(self, connection: Connection, numbers: Sequence[int]) -> list[IndexableRecord]:
        rows = connection.execute(_RECORDS.format(placeholders(numbers)), tuple(numbers)).all()
        self._learn_groups(connection, {row[5] for row in rows})
        shown = [row[0] for row in rows if not row[4] and not self._groups[row[5]][1]]
        payloads = self._payloads(connection, shown)
        virtual = self._virtual(connection, shown)
        found = []
        for number, source, identifier, stamp, is_deleted, group, seq in rows:
            sets, is_guarded, said = self._groups[group]
            sets += virtual.get(number, ())
            payload, is_shown = payloads.get(number, ("", b"", None)), not is_deleted and not is_guarded
            found.append(
                IndexableRecord(number, source, identifier, stamp, seq, is_shown, sets, said, *payload)
            )
        return found

    def forget_groups(self) -> None:
        """Discard the cached sets and roles of combinations."""
        self._groups.clear()

    def live(self, connection: Connection, *, after: int, limit: int) -> list[tuple[int, int, bool]]:
        """Return the undeleted records after a number: number, newest change, whether it is public."""
        rows = connection.execute(_LIVE, (after, limit)).all()
        self._learn_groups(connection, {row[2] for row in rows})
        return [(row[0], row[1], not self._groups[row[2]][1]) for row in rows]

    def whereabouts(self, connection: Connection, numbers: Sequence[int]) -> list[RecordOrigin]:
        rows = connection.execute(_RECORDS.format(placeholders(numbers)), tuple(numbers))
        return [
            RecordOrigin(number, source, identifier, bool(is_deleted), seq)
            for number, source, identifier, _, is_deleted, _, seq in rows
        ]

    def _payloads(
        self, connection: Connection, numbers: Sequence[int]
    ) -> dict[int, tuple[str, bytes, bytes]]:
        prefixes = {number: prefix for prefix, number in selection.list_formats(connection).items()}
        ranks = {number: self._rank(prefix) for number, prefix in prefixes.items()}
        chosen: dict[int, tuple[int, ...]] = {}
        places = connection.execute(_PLACES.format(placeholders(numbers)), tuple(numbers))
        for row in places.all() if numbers else ():
            best = chosen.get(row[0])
            if best is None or ranks[row[1]] < ranks[best[1]]:
                chosen[row[0]] = tuple(row)
        blocks = self._unpacker.fetch(connection, {row[3] for row in chosen.values()})
        self._learn_envelopes(connection, {row[2] for row in chosen.values()})
        return {
            number: (prefixes[format_id], self._envelopes[envelope], blocks[block][start:end])
            for number, format_id, envelope, block, start, end in chosen.values()
        }

    def _virtual(self, connection: Connection, numbers: Sequence[int]) -> dict[int, tuple[str, ...]]:
        specs = {number: spec for number, spec, _ in selection.list_virtual_sets(connection)}
        if not specs:
            return {}
        members = selection.find_virtual_sets(connection, numbers)
        return {number: tuple(specs[each] for each in sets) for number, sets in members.items()}

    def _learn_groups(self, connection: Connection, groups: set[int]) -> None:
        missing = tuple(groups - self._groups.keys())
        if not missing:
            return
        if len(self._groups) > _MAX_KEPT:
            self._groups.clear()
            missing = tuple(groups)
        specs: dict[int, list[str]] = {group: [] for group in missing}
        for group, spec in connection.execute(_SETS.format(placeholders(missing)), missing):
            specs[group].append(spec)
        rows = connection.execute(_ROLES.format(placeholders(missing)), missing)
        said = {group: parse_assignment(roles) for group, roles in rows}
        for group, found in specs.items():
            plain = tuple(spec for spec in found if not spec.startswith(GUARD))
            self._groups[group] = (plain, len(plain) < len(found), said.get(group, UNASSIGNED))

    def _learn_envelopes(self, connection: Connection, envelopes: set[int]) -> None:
        if len(self._envelopes) > _MAX_KEPT:  # some servers declare something else on every record
            self._envelopes.clear()
        missing = tuple(envelopes - self._envelopes.keys())
        if missing:
            rows = connection.execute(_ENVELOPES.format(placeholders(missing)), missing)
            self._envelopes.update((row[0], row[1]) for row in rows)
