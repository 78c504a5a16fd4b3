"""A collection kept current in steps: import (take in), build (aside), activate (swap); `update` is all.

There is one index for the whole library, so a generation that is built holds all collections; what belongs to
one collection is what is taken in. Each step is remembered by the store, whoever asked for it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from windrow.errors import WindrowError
from windrow.harvest.many import run_many
from windrow.harvest.options import HarvestOptions
from windrow.harvest.stopping import Stopper
from windrow.index.feeder import Fed, Progress, build_aside, changes_behind
from windrow.index.generations import Generations
from windrow.index.swapping import Swapped, activate
from windrow.model.collection_step import StepKind
from windrow.model.run import Counters, Outcome, Run
from windrow.store.builds import noting
from windrow.store.store import Store

Result = Run | WindrowError  # of one source: its run, or what kept it from running
Harvest = Callable[[str, HarvestOptions], Run]
# The worst of several is what is told of all.
_WORST = (Outcome.INTERRUPTED, Outcome.FAILED, Outcome.PARTIAL, Outcome.SKIPPED, Outcome.OK)


class Taking(StrEnum):
    """How much is taken in, and what becomes of what is there no more."""

    INCREMENTAL = "incremental"  # what is new
    KEEP_OLD = "keep-old"  # everything anew; what is there no more stays
    REMOVE_OLD = "remove-old"  # everything anew; what is there no more becomes a tombstone


@dataclass(frozen=True, slots=True)
class Member:
    """A source of the collection."""

    name: str
    is_complete: bool = False  # each harvest sees the whole source


@dataclass(frozen=True, slots=True)
class Imported:
    """What taking in came to."""

    results: Mapping[str, Result]
    outcome: Outcome
    counters: Counters

    @property
    def changes(self) -> int:
        """Records that are not what they were."""
        return self.counters.touched

    @property
    def is_any_good(self) -> bool:
        """Did anything come of it? Of none of the sources, and there is nothing to be built."""
        return self.outcome is not Outcome.INTERRUPTED and any(
            isinstance(each, Run) and each.outcome in (Outcome.OK, Outcome.PARTIAL)
            for each in self.results.values()
        )


@dataclass(frozen=True, slots=True)
class Updated:
    """What an update came to; what was not done is None."""

    imported: Imported
    built: Fed | None = None
    activated: Swapped | None = None


class CollectionSteps:
    """The steps of one collection, or, without a name, of the whole library."""

    def __init__(
        self,
        store: Store,
        generations: Generations,
        *,
        name: str,
        members: Sequence[Member],
        harvest: Harvest,
        jobs: int,
        stopper: Stopper,
        on_progress: Progress | None = None,
    ) -> None:
        self._store = store
        self._generations = generations
        self._name = name
        self._members = members
        self._harvest = harvest
        self._jobs = jobs
        self._stopper = stopper
        self._on_progress = on_progress

    def take_in(self, taking: Taking = Taking.INCREMENTAL) -> Imported:
        """Harvest each source; one that fails leaves the others be."""
        options = {
            member.name: options_of(taking, is_complete=member.is_complete) for member in self._members
        }
        with noting(self._store, StepKind.IMPORT, collection=self._name, owner=self._owner("import")) as note:
            results = run_many(
                list(options),
                lambda source: self._harvest(source, options[source]),
                jobs=self._jobs,
                stopper=self._stopper,
            )
            imported = _imported(results, is_stopped=self._stopper.is_stopping)
            note.outcome, note.records = imported.outcome, imported.changes
            note.summary = _in_words(taking, imported)
        return imported

    def build(self) -> Fed:
        """Build a new generation of the index aside; searches go on with the active one."""
        return build_aside(
            self._store,
            self._generations,
            collection=self._name,
            owner=self._owner("build"),
            on_progress=self._on_progress,
            stopper=self._stopper,
        )

    def activate(self) -> Swapped:
        """Let the generation that was built be searched."""
        return activate(
            self._store,
            self._generations,
            collection=self._name,
            owner=self._owner("activate"),
            stopper=self._stopper,
        )

    def update(self, taking: Taking = Taking.INCREMENTAL) -> Updated:
        """Take in, build, activate. Where nothing came in, or nothing is new, there is nothing to build."""
        imported = self.take_in(taking)
        if not imported.is_any_good or not (imported.changes or self._is_wanting(taking)):
            return Updated(imported)
        self._stopper.check()
        built = self.build()
        return Updated(imported, built, self.activate())

    def _is_wanting(self, taking: Taking) -> bool:
        """Is there something to build although nothing came in?"""
        found = self._generations.current_state()
        if found is None or self._generations.hold() is not None or taking is not Taking.INCREMENTAL:
            return True
        return changes_behind(self._store, found[1].cursor) > 0

    def _owner(self, verb: str) -> str:
        return f"windrow collection {verb} {self._name}".rstrip()


def options_of(taking: Taking, *, is_complete: bool = False) -> HarvestOptions:
    """Return what is asked of a harvest. A source that is seen whole shows what is gone, and is believed."""
    if taking is Taking.INCREMENTAL:
        return HarvestOptions()
    if is_complete:
        return HarvestOptions(is_full=True)
    return HarvestOptions(
        is_full=True,
        is_keeping_old=taking is Taking.KEEP_OLD,
        is_reconciling=taking is Taking.REMOVE_OLD,
    )


def _imported(results: Mapping[str, Result], *, is_stopped: bool) -> Imported:
    counters = Counters()
    outcomes = {Outcome.INTERRUPTED} if is_stopped else set()
    for result in results.values():
        if isinstance(result, Run):
            counters.add(result.counters)
            outcomes.add(result.outcome or Outcome.FAILED)
        else:
            outcomes.add(Outcome.SKIPPED if result.exit_code == 75 else Outcome.FAILED)
    worst = next((each for each in _WORST if each in outcomes), Outcome.OK)
    is_mixed = worst is Outcome.FAILED and outcomes & {Outcome.OK, Outcome.PARTIAL}
    return Imported(results, Outcome.PARTIAL if is_mixed else worst, counters)


def _in_words(taking: Taking, imported: Imported) -> str:
    counters = imported.counters
    numbers = f"{counters.added:,} new, {counters.changed:,} changed, {counters.deleted:,} gone"
    numbers += "".join(f", {amount}" for amount in counters.rarer_amounts())
    bad = [
        name
        for name, result in imported.results.items()
        if not isinstance(result, Run) or result.outcome is not Outcome.OK
    ]
    return f"{taking}: {numbers}" + (f"; not well: {', '.join(bad)}" if bad else "")
