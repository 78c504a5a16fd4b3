"""Updating the index from the store: following the change sequence, building generations, embargoes.

Only one process writes at a time. If it is killed, the next run continues from the last note; records that
are indexed twice replace themselves.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import Protocol

from windrow.errors import Interrupted, StoreError, StoreFull, UsageError
from windrow.formats.known_formats import richness_rank
from windrow.formats.registry import read
from windrow.index.generations import Generations, GenerationState
from windrow.index.protocol import Index, Order
from windrow.index.tantivy.damage import find_damage
from windrow.index.tantivy.index_writer import TantivyWriter
from windrow.index.tantivy.layout import shape
from windrow.index.tantivy.rows import Entry
from windrow.model.document import Document
from windrow.model.query import Value
from windrow.model.rights import EMBARGOED, access_from_statements, rights_statements
from windrow.model.run import StepKind
from windrow.model.set_assignment import apply_assignment
from windrow.store import sequence, sources
from windrow.store.published.indexable_records import IndexableReader, IndexableRecord
from windrow.store.records import derived_sets
from windrow.store.records.derived_sets import UnseenChanges
from windrow.store.runs import record_step
from windrow.store.store import Store

BATCH = 2000
BATCH_BYTES = 50_000_000  # of payloads, roughly: if records are whole books, fewer are read at a time
COMMIT_SECONDS = 5.0  # the longest time until a running harvest becomes visible
BUILD_COMMIT_SECONDS = 30.0
NO_COMMIT = float("inf")  # a generation built aside is neither seen nor resumed before it is complete
ASKED = "it was asked for"
LET_GO = "windrow collection activate lets go of it; windrow collection update does, too."
_BARE = Document()
_OTHERWISE = "this version, or the settings, make it otherwise"
# Although its mark is that of this version: the file was damaged.
_SPOILT = "state.json tells of other fields than this version has"
_DAMAGED = "the one that was there is damaged: {}"

Progress = Callable[[int, int], None]  # done, total


class StopSignal(Protocol):
    """The interface for ending the work early."""

    def check(self) -> None:
        """Raise Interrupted if the work should end."""


@dataclass(slots=True)
class IndexUpdate:
    """The result of updating an index."""

    put: int = 0
    removed: int = 0
    unreadable: int = 0  # records without a readable document, indexed with their identity only
    sources: int = 0  # removed from the library, with all their records
    is_built: bool = False  # a new generation was built
    reason: str = ""  # why it was built
    generation: str = ""  # its name
    is_held: bool = False  # an older generation is pinned: see `windrow.index.activation`
    is_overtaken: bool = False  # another version of Windrow has rebuilt it: see `follow`
    is_busy: bool = False  # another process is writing, and nothing was done
    seconds: float = 0.0


def follow(
    store: Store,
    generations: Generations,
    *,
    owner: str = "windrow index",
    is_rebuilding: bool = False,
    is_waiting: bool = True,
    was_ours: bool = False,
    on_progress: Progress | None = None,
    stopper: StopSignal | None = None,
) -> IndexUpdate:
    """Bring the index up to date with the store; this is cheap if nothing is new.

    `is_rebuilding` rebuilds it completely, which is also done if it is missing, damaged or of another mark.
    The old generation is searched meanwhile if possible. If it is pinned it stays as it is, and what was
    built waits to be activated.

    `was_ours` is set by a process that has seen the index with the mark of this version. If the mark differs
    now, another version is running, and rebuilding would only make that one rebuild in turn: so the index is
    left alone.
    """
    begun = time.perf_counter()
    with generations.writing(owner, is_waiting=is_waiting) as is_ours:
        if not is_ours:
            return IndexUpdate(is_busy=True)
        feeding = Feeder(store, generations, on_progress or _ignore_progress, stopper, owner=owner)
        done = feeding.run(is_rebuilding=is_rebuilding, was_ours=was_ours)
    done.seconds = time.perf_counter() - begun
    return done


def build_aside(
    store: Store,
    generations: Generations,
    *,
    collection: str = "",
    owner: str = "windrow collection",
    on_progress: Progress | None = None,
    stopper: StopSignal | None = None,
) -> IndexUpdate:
    """Build a new generation without activating it."""
    begun = time.perf_counter()
    with generations.writing(owner):
        feeding = Feeder(
            store, generations, on_progress or _ignore_progress, stopper, owner=owner, collection=collection
        )
        done = feeding.build(ASKED, is_activating=False)
    done.seconds = time.perf_counter() - begun
    return done


def update_records(
    store: Store, generations: Generations, *, lacking: Sequence[int], surplus: Sequence[int]
) -> IndexUpdate:
    """Index some records and remove others, regardless of the change sequence."""
    with generations.writing("windrow index check"):
        held = generations.hold()
        if held is not None:
            raise UsageError(f"{held.generation} is held and stays as it is", hint=LET_GO)
        return Feeder(store, generations, _ignore_progress, None).mend(lacking, surplus)


def refresh(
    store: Store, generations: Generations, numbers: Sequence[int], is_due: Callable[[Document], bool]
) -> IndexUpdate:
    """Reindex those of some records whose documents are due, although they have not changed."""
    with generations.writing("windrow index", is_waiting=False) as is_ours:
        if not is_ours:
            return IndexUpdate(is_busy=True)
        if generations.hold() is not None:
            return IndexUpdate(is_held=True)
        return Feeder(store, generations, _ignore_progress, None).refresh(numbers, is_due)


def changes_behind(store: Store, cursor: int) -> int:
    """Return how many records changed after a cursor of the index."""
    with store.reading() as connection:
        return UnseenChanges(cursor).count(connection)


class Feeder:
    """The work of one process on the index while it holds the write lock."""

    def __init__(
        self,
        store: Store,
        generations: Generations,
        on_progress: Progress,
        stopper: StopSignal | None,
        *,
        owner: str = "",
        collection: str = "",
    ) -> None:
        self._store = store
        self._owner = owner
        self._collection = collection
        self._generations = generations
        self._on_progress = on_progress
        self._stopper = stopper
        self._reader = IndexableReader(richness_rank)

    def run(self, *, is_rebuilding: bool = False, was_ours: bool = False) -> IndexUpdate:
        """Follow the store, in the current generation or in a new one."""
        is_held = self._generations.hold() is not None and self.is_searched()
        if is_held:
            return self.build(ASKED, is_activating=False) if is_rebuilding else IndexUpdate(is_held=True)
        reason = ASKED if is_rebuilding else self._reason()
        if reason == _OTHERWISE and was_ours:
            return IndexUpdate(is_overtaken=True)
        if not reason and not self._is_behind():
            return IndexUpdate()
        if not reason:
            try:
                return self._feed(self._open(), IndexUpdate())
            except StoreFull:
                raise
            except StoreError:
                reason = self._find_damage()
                if not reason:
                    raise
        return self.build(reason)

    def build(self, reason: str, *, is_activating: bool = True) -> IndexUpdate:
        """Build a new generation and record that in the history.

        It is built aside, unless no other can be searched meanwhile and it is activated anyway.
        """
        note = partial(record_step, self._store, collection=self._collection, owner=self._owner)
        name = self._generations.begin()
        with note(StepKind.BUILD, generation=name) as built:
            done = self._fill(name, IndexUpdate(is_built=True, reason=reason, generation=name), is_activating)
            built.records, built.summary = done.put, f"because {reason}"
        if is_activating:
            with note(StepKind.ACTIVATE, generation=name) as activated:
                self._generations.make_current(name)
                activated.records = done.put
        else:
            self._generations.supersede(name)
            done.is_held = self._generations.hold() is not None
        return done

    def catch_up(self, name: str) -> IndexUpdate:
        """Bring a waiting generation up to date, so that it finds no less than the one it replaces."""
        state = self._generations.state(name)
        if state is None or self._is_up_to_date(state):
            return IndexUpdate()
        return self._feed(TantivyWriter(self._generations, name, is_new=False), IndexUpdate())

    def is_searched(self) -> bool:
        """Return whether the current generation can be searched until there is a new one."""
        found = self._generations.current_state()
        return found is not None and found[1].shape == shape() and not self._generations.damage(found[0])

    def mend(self, lacking: Sequence[int], surplus: Sequence[int]) -> IndexUpdate:
        """Index and remove these records in the current generation."""
        writer, done = self._open(), IndexUpdate()
        try:
            for start in range(0, len(lacking), BATCH):
                with self._store.reading() as connection:
                    found = self._reader.get(connection, lacking[start : start + BATCH])
                self._take(writer, found, done)
            writer.remove(surplus)
            done.removed += len(surplus)
            writer.commit(writer.state.cursor)
        finally:
            writer.close()
        return done

    def refresh(self, numbers: Sequence[int], is_due: Callable[[Document], bool]) -> IndexUpdate:
        """Reindex those of these records whose documents are due, in their current state."""
        done, due = IndexUpdate(), list[int]()
        for start in range(0, len(numbers), BATCH):
            with self._store.reading() as connection:
                found = self._reader.get(connection, numbers[start : start + BATCH])
            due += [each.number for each in found if is_due(self._entry(each, done).document)]
        return self.mend(due, ()) if due else done

    def _reason(self) -> str:
        """Return why the current generation cannot be updated; "" if it can."""
        name = self._generations.current()
        if name is None:
            return "there was none"
        damage = self._generations.damage(name)
        if damage:
            return _DAMAGED.format(damage)
        state = self._generations.state(name)
        if state is None or state.mark != self._generations.mark:
            return _OTHERWISE
        return "" if state.shape == shape() else _DAMAGED.format(_SPOILT)

    def _find_damage(self) -> str:
        """Return damage that explains a failed write, after recording it; "" if there is none."""
        name = self._generations.current()
        damage = find_damage(self._generations.path(name)) if name else ""
        if name and damage:
            self._generations.note_damage(name, damage)
        return _DAMAGED.format(damage) if damage else ""

    def _is_behind(self) -> bool:
        found = self._generations.current_state()
        return found is None or not self._is_up_to_date(found[1])

    def _is_up_to_date(self, state: GenerationState) -> bool:
        with self._store.reading() as connection:
            if not state.is_whole or state.cursor != sequence.last(connection):
                return False
            return set(state.sources) <= set(sources.addresses(connection))

    def _open(self) -> TantivyWriter:
        name = self._generations.current()
        assert name is not None
        return TantivyWriter(self._generations, name, is_new=False)

    def _fill(self, name: str, done: IndexUpdate, is_activating: bool) -> IndexUpdate:
        is_aside = not is_activating or self.is_searched()
        writer = TantivyWriter(self._generations, name, is_new=True)
        if not is_aside:
            self._generations.make_current(name)
        return self._feed(writer, done, pause=NO_COMMIT if is_aside else BUILD_COMMIT_SECONDS)

    def _feed(
        self, writer: TantivyWriter, done: IndexUpdate, *, pause: float = COMMIT_SECONDS
    ) -> IndexUpdate:
        is_settling = done.is_built
        try:
            self._forget_sources(writer, done)
            self._walk(writer, done, pause)
            is_settling |= writer.is_scattered()
            return done
        finally:
            writer.close(is_settling=is_settling)

    def _forget_sources(self, writer: TantivyWriter, done: IndexUpdate) -> None:
        """Remove sources that no longer exist: they leave no change to follow."""
        for name in writer.sources() - set(self._sources()):
            writer.remove_source(name)
            done.sources += 1

    def _sources(self) -> tuple[str, ...]:
        with self._store.reading() as connection:
            return tuple(sources.addresses(connection))

    def _walk(self, writer: TantivyWriter, done: IndexUpdate, pause: float) -> None:
        with self._store.reading() as connection:
            news, started = UnseenChanges(writer.state.cursor), sequence.last(connection)
            total = news.count(connection)
        is_changed = self._follow_roles(writer, done, since=news.after, unchanged_since=news.after)
        due, seen, is_changed, limit = time.monotonic() + pause, 0, is_changed or bool(done.sources), BATCH
        while True:
            with self._store.reading() as connection:
                top = sequence.last(connection)
                batch = news.batch(connection, limit=limit)
                found = self._reader.get(connection, [number for _, number in batch]) if batch else []
            if not batch:
                break
            self._take(writer, found, done)
            limit = next_limit(limit, sum(len(fodder.payload or b"") for fodder in found))
            seen, is_changed = seen + len(batch), True
            self._on_progress(seen, max(total, seen))
            if time.monotonic() >= due:
                writer.commit(min(news.after, started))
                due, is_changed = time.monotonic() + pause, False
            self._heed(writer, min(news.after, started))
        is_changed |= self._follow_roles(writer, done, since=started)
        if is_changed or done.is_built:
            writer.commit(top)
            writer.sum_up()
        writer.note(cursor=top, is_whole=True, sources=tuple(sorted(writer.sources())))

    def _follow_roles(
        self, writer: TantivyWriter, done: IndexUpdate, *, since: int, unchanged_since: int | None = None
    ) -> bool:
        """Index records whose set roles changed after a change; return whether there were any.

        The records have not changed themselves, so the change sequence does not cover them. Those that have,
        after `unchanged_since`, are left to it. Until this is done, no cursor newer than `since` may be
        stored.
        """
        with self._store.reading() as connection:
            if not derived_sets.has_role_changes(connection, since):
                return False
        self._reader.forget_groups()
        number, is_any = 0, False
        while True:
            with self._store.reading() as connection:
                numbers = derived_sets.find_changed_records(
                    connection, after=number, since=since, unchanged_since=unchanged_since, limit=BATCH
                )
                found = self._reader.get(connection, numbers) if numbers else []
            if not numbers:
                return is_any
            self._take(writer, found, done)
            number, is_any = numbers[-1], True
            self._heed(writer, since)

    def _heed(self, writer: TantivyWriter, cursor: int) -> None:
        """Stop here if requested, keeping what was indexed so far."""
        if self._stopper is not None:
            try:
                self._stopper.check()
            except Interrupted:
                writer.commit(cursor)
                raise

    def _take(self, writer: TantivyWriter, found: list[IndexableRecord], done: IndexUpdate) -> None:
        shown = [fodder for fodder in found if fodder.is_shown]
        gone = [fodder.number for fodder in found if not fodder.is_shown]
        writer.put(self._entry(fodder, done) for fodder in shown)  # one by one: there may be books among them
        writer.remove(gone)
        done.put += len(shown)
        done.removed += len(gone)

    def _entry(self, fodder: IndexableRecord, done: IndexUpdate) -> Entry:
        number, source, identifier, stamp, change, _, sets, said, prefix, declarations, payload = fodder
        document = _BARE
        if payload is not None:
            try:
                document = read(payload, declarations, prefix)
            except Exception:  # noqa: BLE001 - one bad record, or one bad plug-in, must not end the work
                done.unreadable += 1
        types = self._generations.types.of_source(source)
        return Entry(number, source, identifier, sets, apply_assignment(document, said), stamp, change, types)


def next_limit(limit: int, weight: int) -> int:
    """Return the size of the next batch, halved or doubled depending on the bytes of the last one."""
    if weight > BATCH_BYTES:
        return max(limit // 2, 1)
    return min(limit * 2, BATCH) if weight < BATCH_BYTES // 4 else limit


def _ignore_progress(_done: int, _total: int) -> None:
    pass


# Ended embargoes: their records are reindexed once a day. No record changes when an embargo ends, so the
# change sequence does not cover it. On the first occasion of each day (UTC) all records indexed as embargoed
# are checked; the day is noted beside the generations.

_EMBARGO_NOTE = "embargoes"  # the day of the last check
_EMBARGO_PAGE = 1000


def are_embargoes_due(generations: Generations, today: date) -> bool:
    """Return whether embargoes have not been checked today."""
    try:
        return (generations.folder / _EMBARGO_NOTE).read_text(encoding="ascii") != today.isoformat()
    except (OSError, UnicodeError):
        return True


def note_embargoes(generations: Generations, today: date) -> None:
    """Record that embargoes were checked today."""
    (generations.folder / _EMBARGO_NOTE).write_text(today.isoformat(), encoding="ascii")


def reindex_ended_embargoes(store: Store, generations: Generations, index: Index, today: date) -> int:
    """Reindex the records whose embargo has ended; return how many there were."""

    def has_ended(document: Document) -> bool:
        return access_from_statements(rights_statements(document, today)) != EMBARGOED

    numbers = list(_embargoed(index))
    done = refresh(store, generations, numbers, has_ended) if numbers else None
    if done is not None and done.is_busy:
        return 0  # the process that is writing now will check again
    note_embargoes(generations, today)
    return 0 if done is None else done.put


def _embargoed(index: Index) -> Iterator[int]:
    after: str | None = None
    while True:
        found = index.search(Value(EMBARGOED, "access"), limit=_EMBARGO_PAGE, order=Order.NUMBER, after=after)
        yield from (hit.card.number for hit in found.hits)
        after = found.next
        if after is None:
            return
