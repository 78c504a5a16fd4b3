"""From the store into the index: follows the sequence of changes, or builds a new generation.

Whatever is asked for, only one process writes. Killed anywhere, the next run goes on from the last note: what
it then takes in twice takes its own place.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from windrow.errors import Interrupted, StoreError, StoreFull, UsageError
from windrow.formats.registry import read
from windrow.formats.richness import rank
from windrow.index.checksums import find_damage
from windrow.index.entry import Entry
from windrow.index.generations import Generations, State
from windrow.index.layout import shape
from windrow.index.writing import TantivyWriter
from windrow.model.collection_step import StepKind
from windrow.model.document import Document
from windrow.model.set_roles import reconciled
from windrow.store import sequence, set_roles, sources
from windrow.store.builds import noting
from windrow.store.feeding import Fodder, FodderReader
from windrow.store.store import Store
from windrow.store.virtual_sets import News

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


class Stopping(Protocol):
    """Whoever may want the work to end early."""

    def check(self) -> None:
        """Raise Interrupted if it should."""


@dataclass(slots=True)
class Fed:
    """What bringing an index up to date took."""

    put: int = 0
    removed: int = 0
    unreadable: int = 0  # records of which only whereabouts are known: their payload gives no document
    sources: int = 0  # that were removed from the library, and all their records with them
    is_built: bool = False  # a new generation
    reason: str = ""  # why
    generation: str = ""  # which
    is_held: bool = False  # an older generation is searched and stays as it is: see `windrow.index.swapping`
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
    stopper: Stopping | None = None,
) -> Fed:
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
            return Fed(is_busy=True)
        feeding = Feeding(store, generations, on_progress or _say_nothing, stopper, owner=owner)
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
    stopper: Stopping | None = None,
) -> Fed:
    """Build a new generation and let it wait; whatever is searched stays as it is."""
    begun = time.perf_counter()
    with generations.writing(owner):
        feeding = Feeding(
            store, generations, on_progress or _say_nothing, stopper, owner=owner, collection=collection
        )
        done = feeding.build(ASKED, is_activating=False)
    done.seconds = time.perf_counter() - begun
    return done


def mend(store: Store, generations: Generations, *, lacking: Sequence[int], surplus: Sequence[int]) -> Fed:
    """Take in single records and forget others, whatever the sequence of changes says."""
    with generations.writing("windrow index check"):
        held = generations.hold()
        if held is not None:
            raise UsageError(f"{held.generation} is held and stays as it is", hint=LET_GO)
        return Feeding(store, generations, _say_nothing, None).mend(lacking, surplus)


def refresh(
    store: Store, generations: Generations, numbers: Sequence[int], is_due: Callable[[Document], bool]
) -> Fed:
    """Take in again those of some records whose documents are due, though nothing about them changed."""
    with generations.writing("windrow index", is_waiting=False) as is_ours:
        if not is_ours:
            return Fed(is_busy=True)
        if generations.hold() is not None:
            return Fed(is_held=True)
        return Feeding(store, generations, _say_nothing, None).refresh(numbers, is_due)


def changes_behind(store: Store, cursor: int) -> int:
    """How many records changed after what an index goes up to."""
    with store.reading() as connection:
        return News(cursor).count(connection)


class Feeding:
    """One process's work on the index, as long as it holds the right to write."""

    def __init__(
        self,
        store: Store,
        generations: Generations,
        on_progress: Progress,
        stopper: Stopping | None,
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
        self._reader = FodderReader(rank)

    def run(self, *, is_rebuilding: bool = False, was_ours: bool = False) -> Fed:
        """Follow the store, in the generation that is there or in a new one."""
        is_held = self._generations.hold() is not None and self.is_searched()
        if is_held:
            return self.build(ASKED, is_activating=False) if is_rebuilding else Fed(is_held=True)
        reason = ASKED if is_rebuilding else self._reason()
        if reason == _OTHERWISE and was_ours:
            return Fed(is_overtaken=True)
        if not reason and not self._is_behind():
            return Fed()
        if not reason:
            try:
                return self._feed(self._open(), Fed())
            except StoreFull:
                raise
            except StoreError:
                reason = self._find_damage()
                if not reason:
                    raise
        return self.build(reason)

    def build(self, reason: str, *, is_activating: bool = True) -> Fed:
        """Make a new generation, and have that remembered.

        It is built aside, unless there is nothing to be searched meanwhile and it is to be activated anyway.
        """
        note = partial(noting, self._store, collection=self._collection, owner=self._owner)
        name = self._generations.begin()
        with note(StepKind.BUILD, generation=name) as built:
            done = self._fill(name, Fed(is_built=True, reason=reason, generation=name), is_activating)
            built.records, built.summary = done.put, f"because {reason}"
        if is_activating:
            with note(StepKind.ACTIVATE, generation=name) as activated:
                self._generations.make_current(name)
                activated.records = done.put
        else:
            self._generations.supersede(name)
            done.is_held = self._generations.hold() is not None
        return done

    def catch_up(self, name: str) -> Fed:
        """Bring a generation that waits up to date, so that it finds no less than the one it replaces."""
        state = self._generations.state(name)
        if state is None or self._is_up_to_date(state):
            return Fed()
        return self._feed(TantivyWriter(self._generations, name, is_new=False), Fed())

    def is_searched(self) -> bool:
        """Whether the generation that is there can be searched until there is a new one."""
        found = self._generations.current_state()
        return found is not None and found[1].shape == shape() and not self._generations.damage(found[0])

    def mend(self, lacking: Sequence[int], surplus: Sequence[int]) -> Fed:
        """Put and remove these in the generation that is there."""
        writer, done = self._open(), Fed()
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

    def refresh(self, numbers: Sequence[int], is_due: Callable[[Document], bool]) -> Fed:
        """Put those of these records whose documents are due; what became of them meanwhile holds."""
        done, due = Fed(), list[int]()
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

    def _is_up_to_date(self, state: State) -> bool:
        with self._store.reading() as connection:
            if not state.is_whole or state.cursor != sequence.last(connection):
                return False
            return set(state.sources) <= set(sources.addresses(connection))

    def _open(self) -> TantivyWriter:
        name = self._generations.current()
        assert name is not None
        return TantivyWriter(self._generations, name, is_new=False)

    def _fill(self, name: str, done: Fed, is_activating: bool) -> Fed:
        is_aside = not is_activating or self.is_searched()
        writer = TantivyWriter(self._generations, name, is_new=True)
        if not is_aside:
            self._generations.make_current(name)
        return self._feed(writer, done, pause=NO_COMMIT if is_aside else BUILD_COMMIT_SECONDS)

    def _feed(self, writer: TantivyWriter, done: Fed, *, pause: float = COMMIT_SECONDS) -> Fed:
        is_settling = done.is_built
        try:
            self._forget_sources(writer, done)
            self._walk(writer, done, pause)
            is_settling |= writer.is_scattered()
            return done
        finally:
            writer.close(is_settling=is_settling)

    def _forget_sources(self, writer: TantivyWriter, done: Fed) -> None:
        """A source that was removed leaves no change behind that could be followed."""
        for name in writer.sources() - set(self._sources()):
            writer.remove_source(name)
            done.sources += 1

    def _sources(self) -> tuple[str, ...]:
        with self._store.reading() as connection:
            return tuple(sources.addresses(connection))

    def _walk(self, writer: TantivyWriter, done: Fed, pause: float) -> None:
        with self._store.reading() as connection:
            news, started = News(writer.state.cursor), sequence.last(connection)
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
        self, writer: TantivyWriter, done: Fed, *, since: int, unchanged_since: int | None = None
    ) -> bool:
        """Take in records whose sets say something else since a change; return whether there were any.

        They have not changed themselves, so the sequence of changes does not lead to them. Those that have,
        after `unchanged_since`, are left to it. Before this is done, nothing may be noted as followed that is
        newer than `since`.
        """
        with self._store.reading() as connection:
            if not set_roles.has_changes(connection, since):
                return False
        self._reader.forget_groups()
        number, is_any = 0, False
        while True:
            with self._store.reading() as connection:
                numbers = set_roles.changed_records(
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

    def _take(self, writer: TantivyWriter, found: list[Fodder], done: Fed) -> None:
        shown = [fodder for fodder in found if fodder.is_shown]
        gone = [fodder.number for fodder in found if not fodder.is_shown]
        writer.put(self._entry(fodder, done) for fodder in shown)  # one by one: there may be books among them
        writer.remove(gone)
        done.put += len(shown)
        done.removed += len(gone)

    def _entry(self, fodder: Fodder, done: Fed) -> Entry:
        number, source, identifier, stamp, change, _, sets, said, prefix, declarations, payload = fodder
        document = _BARE
        if payload is not None:
            try:
                document = read(payload, declarations, prefix)
            except Exception:  # noqa: BLE001 - one bad record, or one bad plug-in, must not end the work
                done.unreadable += 1
        types = self._generations.types.of_source(source)
        return Entry(number, source, identifier, sets, reconciled(document, said), stamp, change, types)


def next_limit(limit: int, weight: int) -> int:
    """How many records to read after so many that came to this many bytes: halved, or doubled again."""
    if weight > BATCH_BYTES:
        return max(limit // 2, 1)
    return min(limit * 2, BATCH) if weight < BATCH_BYTES // 4 else limit


def _say_nothing(_done: int, _total: int) -> None:
    """Nobody asked."""
