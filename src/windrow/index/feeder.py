"""From the store into the index: follows the sequence of changes, or builds a new generation.

Whatever is asked for, only one process writes. Killed anywhere, the next run goes on from the last note: what
it then takes in twice takes its own place.
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
BATCH_BYTES = 50_000_000  # of payloads, about: of records that are whole books, fewer are read at a time
COMMIT_SECONDS = 5.0  # so long a harvest that goes on is not seen, at most
BUILD_COMMIT_SECONDS = 30.0
NO_COMMIT = float("inf")  # of what is built aside nothing is seen, nor gone on with, before it is whole
ASKED = "it was asked for"
LET_GO = "windrow collection activate lets go of it; windrow collection update does, too."
_BARE = Document()
_OTHERWISE = "this version, or the settings, make it otherwise"
_SPOILT = "state.json tells of other fields than this version has"  # whose mark it has: nobody wrote that
_DAMAGED = "the one that was there is damaged: {}"

Progress = Callable[[int, int], None]  # how many of how many


class StopSignal(Protocol):
    """Whoever may want the work to end early."""

    def check(self) -> None:
        """Raise Interrupted if it should."""


@dataclass(slots=True)
class IndexUpdate:
    """What bringing an index up to date took."""

    put: int = 0
    removed: int = 0
    unreadable: int = 0  # records of which only whereabouts are known: their payload gives no document
    sources: int = 0  # that were removed from the library, and all their records with them
    is_built: bool = False  # a new generation
    reason: str = ""  # why
    generation: str = ""  # which
    is_held: bool = (
        False  # an older generation is searched and stays as it is: see `windrow.index.activation`
    )
    is_overtaken: bool = False  # another version of Windrow has made it anew: see `follow`
    is_busy: bool = False  # another process is at it, and nothing was done
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
    """Bring the index up to date with the store; costs next to nothing when nothing is new.

    `is_rebuilding` builds all of it anew, and so does an index that is missing, damaged or made otherwise.
    Meanwhile the old one is searched, if it can be. Where that is held, it is left alone, and what was built
    waits to be activated.

    `was_ours` is for who has seen it as this version makes it: if it is made otherwise now, another version
    is at work, and to build it anew would only make that one do the same. It is left alone then.
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
    """Build a new generation and let it wait; whatever is searched stays as it is."""
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
    """Take in single records and forget others, whatever the sequence of changes says."""
    with generations.writing("windrow index check"):
        held = generations.hold()
        if held is not None:
            raise UsageError(f"{held.generation} is held and stays as it is", hint=LET_GO)
        return Feeder(store, generations, _ignore_progress, None).mend(lacking, surplus)


def refresh(
    store: Store, generations: Generations, numbers: Sequence[int], is_due: Callable[[Document], bool]
) -> IndexUpdate:
    """Take in again those of some records whose documents are due, though nothing about them changed."""
    with generations.writing("windrow index", is_waiting=False) as is_ours:
        if not is_ours:
            return IndexUpdate(is_busy=True)
        if generations.hold() is not None:
            return IndexUpdate(is_held=True)
        return Feeder(store, generations, _ignore_progress, None).refresh(numbers, is_due)


def changes_behind(store: Store, cursor: int) -> int:
    """How many records changed after what an index goes up to."""
    with store.reading() as connection:
        return UnseenChanges(cursor).count(connection)


class Feeder:
    """One process's work on the index, as long as it holds the right to write."""

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
        """Follow the store, in the generation that is there or in a new one."""
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
        """Make a new generation, and have that remembered.

        It is built aside, unless there is nothing to be searched meanwhile and it is to be activated anyway.
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
        """Bring a generation that waits up to date, so that it finds no less than the one it replaces."""
        state = self._generations.state(name)
        if state is None or self._is_up_to_date(state):
            return IndexUpdate()
        return self._feed(TantivyWriter(self._generations, name, is_new=False), IndexUpdate())

    def is_searched(self) -> bool:
        """Return whether the generation that is there can be searched until there is a new one."""
        found = self._generations.current_state()
        return found is not None and found[1].shape == shape() and not self._generations.damage(found[0])

    def mend(self, lacking: Sequence[int], surplus: Sequence[int]) -> IndexUpdate:
        """Put and remove these in the generation that is there."""
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
        """Put those of these records whose documents are due; what became of them meanwhile holds."""
        done, due = IndexUpdate(), list[int]()
        for start in range(0, len(numbers), BATCH):
            with self._store.reading() as connection:
                found = self._reader.get(connection, numbers[start : start + BATCH])
            due += [each.number for each in found if is_due(self._entry(each, done).document)]
        return self.mend(due, ()) if due else done

    def _reason(self) -> str:
        """Why the index that is there cannot be gone on with; nothing if it can."""
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
        """Why the index could not be written to, if its files are the reason; everybody is to know then."""
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
        """A source that was removed leaves no change behind that could be followed."""
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
        """Take in records whose sets say something else since a change; return whether there were any.

        They have not changed themselves, so the sequence of changes does not lead to them. Those that have,
        after `unchanged_since`, are left to it. Before this is done, nothing may be noted as followed that is
        newer than `since`.
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
        """End here if somebody wants that; what was taken in until now is kept."""
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
    """How many records to read after so many that came to this many bytes: halved, or doubled again."""
    if weight > BATCH_BYTES:
        return max(limit // 2, 1)
    return min(limit * 2, BATCH) if weight < BATCH_BYTES // 4 else limit


def _ignore_progress(_done: int, _total: int) -> None:
    """Nobody asked."""


# Embargoes that have ended since their records were indexed: once a day these records are taken in again.
# No record changes when an embargo ends, so the sequence of changes does not lead to it. What the index
# calls embargoed is looked through on the first occasion of each day (UTC), and noted beside the
# generations.

_EMBARGO_NOTE = "embargoes"  # the day on which they were last looked through
_EMBARGO_PAGE = 1000


def are_embargoes_due(generations: Generations, today: date) -> bool:
    """Return whether embargoes have not been looked through today."""
    try:
        return (generations.folder / _EMBARGO_NOTE).read_text(encoding="ascii") != today.isoformat()
    except (OSError, UnicodeError):
        return True


def note_embargoes(generations: Generations, today: date) -> None:
    """Note that embargoes are as of today."""
    (generations.folder / _EMBARGO_NOTE).write_text(today.isoformat(), encoding="ascii")


def reindex_ended_embargoes(store: Store, generations: Generations, index: Index, today: date) -> int:
    """Take in again the records whose embargo has ended; return how many there were."""

    def has_ended(document: Document) -> bool:
        return access_from_statements(rights_statements(document, today)) != EMBARGOED

    numbers = list(_embargoed(index))
    done = refresh(store, generations, numbers, has_ended) if numbers else None
    if done is not None and done.is_busy:
        return 0  # whoever writes now comes by again
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
