"""Activation and rollback: choosing the generation of the index that is searched.

`feeder` builds generations; this module switches between them, and searching processes notice the switch. A
generation restored by a rollback is pinned, because updating it would bring back what was rolled back.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

import tantivy

from windrow.errors import NotFound, StoreError, UsageError
from windrow.index.feeder import LET_GO, Feeder, StopSignal
from windrow.index.generations import Generations
from windrow.index.tantivy.damage import catching_panics, find_damage
from windrow.index.tantivy.layout import shape
from windrow.model.run import StepKind
from windrow.store.runs import record_step
from windrow.store.store import Store

_BUILD = "Build one first: windrow collection build"


@dataclass(frozen=True, slots=True)
class Activation:
    """The result of an activation or rollback."""

    generation: str
    before: str  # the one searched before; the same if nothing was done; empty: none
    records: int = 0
    put: int = 0  # records indexed on the way, because they arrived after the build
    removed: int = 0
    was_held: bool = False  # the previous generation was pinned by a rollback, which is over now

    @property
    def is_changed(self) -> bool:
        return self.generation != self.before


def find_waiting(generations: Generations) -> str | None:
    """Return the newest complete generation that is newer than the current one and can be updated."""
    current = generations.current()
    newer = [name for name in generations.names() if current is None or _is_newer(name, current)]
    return next((name for name in reversed(newer) if _is_fit(generations, name, is_followed=True)), None)


def find_previous(generations: Generations) -> str | None:
    """Return the newest complete generation before the current one; None if none was kept."""
    current = generations.current()
    older = [name for name in generations.names() if current is not None and _is_newer(current, name)]
    return next((name for name in reversed(older) if _is_fit(generations, name)), None)


def activate(
    store: Store,
    generations: Generations,
    *,
    name: str | None = None,
    collection: str = "",
    owner: str = "windrow collection",
    stopper: StopSignal | None = None,
) -> Activation:
    """Activate the waiting generation, or the one named, and remove any pin.

    It is brought up to date first. If none is waiting, the current one is unpinned.
    """
    with generations.writing(owner):
        chosen, before = _choose(generations, name), generations.current() or ""
        was_held = generations.hold() is not None
        if chosen == before and not was_held:
            return Activation(chosen, before, _count(generations, chosen))
        with record_step(
            store, StepKind.ACTIVATE, collection=collection, owner=owner, generation=chosen
        ) as activated:
            _check(generations, chosen)
            fed = Feeder(store, generations, _ignore_progress, stopper).catch_up(chosen)
            generations.make_current(chosen)
            records = activated.records = _count(generations, chosen)
            activated.summary = f"instead of {before}" if chosen != before and before else ""
    return Activation(chosen, before, records, fed.put, fed.removed, was_held)


def roll_back(
    store: Store,
    generations: Generations,
    *,
    owner: str = "windrow collection",
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> Activation:
    """Return to the generation before the current one and pin it."""
    with generations.writing(owner):
        before, chosen = generations.current(), check_rollback(generations)
        assert before is not None
        with record_step(store, StepKind.ROLLBACK, owner=owner, generation=chosen) as noted:
            _check(generations, chosen)
            generations.make_current(chosen, held_since=clock().isoformat(timespec="seconds"))
            records = noted.records = _count(generations, chosen)
            noted.summary = f"instead of {before}"
    return Activation(chosen, before, records)


def check_rollback(generations: Generations) -> str:
    """Return the generation that a rollback would restore; raise UsageError if there is none."""
    found = find_previous(generations)
    if found is not None:
        return found
    if generations.current() is None:
        raise UsageError("there is no index yet", hint="Make it: windrow index")
    held = generations.hold()
    if held is not None:
        raise UsageError(f"{held.generation} was gone back to already, and is the oldest", hint=LET_GO)
    raise UsageError(
        "there is no generation before this one that could be searched",
        hint="One is kept whenever another takes its place: windrow collection build, then activate.",
    )


def _choose(generations: Generations, name: str | None) -> str:
    found = name or find_waiting(generations) or generations.current()
    if found is None:
        raise UsageError("no generation waits to be activated", hint=_BUILD)
    if name is not None and not _is_fit(generations, name, is_followed=True):
        known = ", ".join(
            each for each in generations.names() if _is_fit(generations, each, is_followed=True)
        )
        raise NotFound(f"there is no generation {name!r} to activate", hint=f"There are: {known or 'none'}.")
    return found


def _is_fit(generations: Generations, name: str, *, is_followed: bool = False) -> bool:
    """Return whether this version can search a generation and, if `is_followed`, write to it."""
    state = generations.state(name)
    if state is None or not state.is_whole or generations.damage(name):
        return False
    return state.shape == shape() and (not is_followed or state.mark == generations.mark)


def _check(generations: Generations, name: str) -> None:
    """Verify all files of a generation before it is used."""
    damage = find_damage(generations.path(name))
    if damage:
        generations.note_damage(name, damage)
        raise StoreError(f"{name} is damaged: {damage}; what was searched is searched still", hint=_BUILD)


def _count(generations: Generations, name: str) -> int:
    try:
        with catching_panics():
            return int(tantivy.Index.open(str(generations.path(name))).searcher().num_docs)
    except ValueError:
        return 0


def _is_newer(one: str, other: str) -> bool:
    return (len(one), one) > (len(other), other)


def _ignore_progress(_done: int, _total: int) -> None:
    pass
