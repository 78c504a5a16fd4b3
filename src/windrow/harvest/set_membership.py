"""Keep virtual sets current: a set holds the records that match its query, after every change.

Runs after harvests and while serving. Records are examined in the order of their changes, in batches. Each
batch is one transaction that also stores the position, so a killed process resumes there. Tombstones are not
examined, and so stay in their sets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Protocol

from windrow.errors import ConfigError
from windrow.formats.registry import read
from windrow.model.document import Document
from windrow.model.document_dates import resolve_years
from windrow.model.document_view import DocumentView
from windrow.model.matching import DocumentTest, compile_query
from windrow.model.set_assignment import apply_assignment
from windrow.protocols.query.query_parser import parse_query
from windrow.store import sequence
from windrow.store.connection import Connection
from windrow.store.published import selection
from windrow.store.records import derived_sets
from windrow.store.records.derived_sets import MembershipChange, UnseenChanges, VirtualSet
from windrow.store.records.record_reader import RecordReader, StoredRecord
from windrow.store.store import Store

BATCH = 500

Progress = Callable[[int, int], None]  # done, total


class SetQuery(Protocol):
    """A set as the settings define it."""

    @property
    def spec(self) -> str:
        """The setSpec."""

    @property
    def name(self) -> str:
        """The name shown to people."""

    @property
    def query(self) -> str:
        """The query that its records match."""


@dataclass(slots=True)
class MembershipResult:
    """The result of an update of memberships."""

    looked_at: int = 0
    moved: int = 0  # records that joined or left a set
    unreadable: int = 0  # records whose payload cannot be mapped: only their source and sets can be queried
    is_superseded: bool = False  # another process has stored newer definitions, which apply


@dataclass(slots=True)
class _OwnChanges:
    """Change numbers that this update gave to records.

    They are skipped, because nothing else changed with them.
    """

    ranges: list[range] = field(default_factory=list)

    def add(self, numbers: range) -> None:
        if self.ranges and numbers and self.ranges[-1].stop == numbers.start:
            numbers = range(self.ranges.pop().start, numbers.stop)
        if numbers:
            self.ranges.append(numbers)

    def has(self, seq: int) -> bool:
        while self.ranges and self.ranges[0].stop <= seq:  # queries come in ascending order
            self.ranges.pop(0)
        return bool(self.ranges) and seq in self.ranges[0]


def read_definitions(sets: Iterable[SetQuery], *, year_starts: int = 0) -> list[VirtualSet]:
    """Return the sets that the settings define. A query with a mistake is refused: it would fill a set
    wrongly.

    Academic years (2019/20) begin on the day that the portal counts them from.
    """
    found = []
    for each in sets:
        parsed = parse_query(each.query)
        if parsed.mistakes:
            told = " ".join(mistake.sentence for mistake in parsed.mistakes)
            raise ConfigError(
                f"The query of the set {each.spec} cannot be meant so: {each.query}",
                hint=f"{told} Nothing was changed.",
            )
        found.append(VirtualSet(each.spec, each.name, str(resolve_years(parsed.query, year_starts))))
    return found


def update_memberships(
    store: Store,
    sets: Iterable[SetQuery],
    *,
    year_starts: int = 0,
    on_progress: Progress | None = None,
    batch: int = BATCH,
) -> MembershipResult:
    """Update the members of all virtual sets to the library and these definitions.

    Costs next to nothing if nothing is new. `on_progress` is called between transactions; an exception from
    it ends the update there, and the next call resumes.
    """
    wanted = read_definitions(sets, year_starts=year_starts)
    with store.reading() as connection:
        known = derived_sets.list_virtual_sets(connection)
        is_new = set(known) != set(wanted)
        is_idle = not known or derived_sets.get_seen_number(connection) == sequence.last(connection)
    if is_new:
        _store_definitions(store, wanted, batch)
    if not wanted or (is_idle and not is_new):
        return MembershipResult()
    return _MembershipUpdate(store, wanted, on_progress or _ignore_progress, batch).run()


def _store_definitions(store: Store, wanted: list[VirtualSet], batch: int) -> None:
    """Store the definitions; first remove the members of sets that are no longer defined."""
    specs = {definition.spec for definition in wanted}
    with store.writing() as connection:
        derived_sets.define_virtual_sets(connection, wanted)
        known = derived_sets.list_virtual_sets(connection)
    for definition, number in known.items():
        left = 0 if definition.spec in specs else batch
        while left == batch:
            with store.writing() as connection:
                left = derived_sets.empty_virtual_set(connection, number, limit=batch)


class _MembershipUpdate:
    def __init__(self, store: Store, wanted: list[VirtualSet], on_progress: Progress, batch: int) -> None:
        self._store = store
        self._wanted = set(wanted)
        self._on_progress = on_progress
        self._batch = batch
        self._reader = RecordReader()
        self._ours = _OwnChanges()
        self._judges: dict[int, DocumentTest] = {}
        self._unseen = UnseenChanges(0)
        self._noted = 0
        self._done = MembershipResult()

    def run(self) -> MembershipResult:
        with self._store.reading() as connection:
            self._noted = derived_sets.get_seen_number(connection)
            self._unseen = UnseenChanges(self._noted)
            total = self._unseen.count(connection)
            known = derived_sets.list_virtual_sets(connection)
        self._judges = {
            known[each]: compile_query(parse_query(each.query).query)
            for each in self._wanted
            if each in known
        }
        while self._step():
            self._on_progress(self._done.looked_at, max(total, self._done.looked_at))
        return self._done

    def _step(self) -> bool:
        """Process the next batch; return whether there may be more."""
        with self._store.reading() as connection:
            top = sequence.last(connection)
            batch = self._unseen.batch(connection, limit=self._batch)
            fresh = {number: seq for seq, number in batch if not self._ours.has(seq)}
            records = self._reader.get(connection, list(fresh)) if fresh else {}
        looked_at = {
            number: self._sets_for(record) for number, record in records.items() if not record.is_deleted
        }
        self._done.looked_at += len(looked_at)
        is_restarted = self._keep(looked_at, fresh, up_to=self._unseen.after if batch else top)
        return is_restarted or (bool(batch) and not self._done.is_superseded)

    def _keep(self, looked_at: dict[int, frozenset[int]], fresh: dict[int, int], *, up_to: int) -> bool:
        """Store the results in one transaction; return whether the pass has to start over."""
        with self._store.writing() as connection:
            self._done.is_superseded = not self._wanted <= set(derived_sets.list_virtual_sets(connection))
            if self._done.is_superseded:
                return False
            seen = derived_sets.get_seen_number(connection)
            if seen < self._noted:  # another process requested a complete update
                self._unseen, self._ours, self._noted = UnseenChanges(seen), _OwnChanges(), seen
                return True
            changes = self._changes(connection, looked_at, fresh)
            self._ours.add(derived_sets.change_membership(connection, changes))
            self._noted = max(seen, up_to)
            if self._noted != seen:
                derived_sets.save_seen_number(connection, self._noted)
        self._done.moved += len(changes)
        return False

    def _changes(
        self, connection: Connection, looked_at: dict[int, frozenset[int]], fresh: dict[int, int]
    ) -> dict[int, MembershipChange]:
        """Return what joins and leaves. A record that changed since it was read comes later in the pass."""
        still = derived_sets.find_newest_changes(connection, list(looked_at))
        before = selection.find_virtual_sets(connection, list(looked_at))
        changes = {}
        for number, wanted in looked_at.items():
            held = frozenset(before.get(number, ())) & self._judges.keys()
            if held != wanted and still.get(number) == fresh[number]:
                changes[number] = MembershipChange(wanted - held, held - wanted)
        return changes

    def _sets_for(self, record: StoredRecord) -> frozenset[int]:
        view = DocumentView(
            self._document(record), source=record.source, sets=record.sets, identifier=record.identifier
        )
        return frozenset(number for number, judge in self._judges.items() if judge(view))

    def _document(self, record: StoredRecord) -> Document:
        payload = record.payload()
        if payload is None:
            return apply_assignment(Document(), record.said)
        try:
            return apply_assignment(read(payload.data, payload.declarations, payload.prefix), record.said)
        except Exception:  # noqa: BLE001 - one bad record or plug-in must not end the pass
            self._done.unreadable += 1
            return Document()


def _ignore_progress(_done: int, _total: int) -> None:
    """Ignore the progress."""
