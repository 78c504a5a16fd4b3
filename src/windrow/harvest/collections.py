"""Update a collection in steps: import, build a new index generation, activate it.

There is one index for the whole library, so a generation covers all collections; only the import is specific
to one. Every step is recorded in the store.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from windrow.errors import WindrowError
from windrow.harvest.many_sources import harvest_many
from windrow.harvest.options import HarvestOptions, Stopper
from windrow.index.activation import Activation, activate
from windrow.index.feeder import IndexUpdate, Progress, build_aside, changes_behind
from windrow.index.generations import Generations
from windrow.model.run import Counters, Outcome, Run, StepKind
from windrow.store.runs import record_step
from windrow.store.store import Store

Result = Run | WindrowError  # of one source: its run, or the error that prevented it
Harvest = Callable[[str, HarvestOptions], Run]
# The worst outcome of several sources is the outcome of all.
_WORST = (Outcome.INTERRUPTED, Outcome.FAILED, Outcome.PARTIAL, Outcome.SKIPPED, Outcome.OK)


class ImportMode(StrEnum):
    """How much is imported, and what happens to records that are gone from the source."""

    INCREMENTAL = "incremental"  # only changes
    KEEP_OLD = "keep-old"  # everything; records that are gone stay
    REMOVE_OLD = "remove-old"  # everything; records that are gone become tombstones


@dataclass(frozen=True, slots=True)
class CollectionMember:
    """A source of the collection."""

    name: str
    is_complete: bool = False  # each harvest sees the whole source


@dataclass(frozen=True, slots=True)
class ImportResult:
    """The result of an import."""

    results: Mapping[str, Result]
    outcome: Outcome
    counters: Counters

    @property
    def changes(self) -> int:
        return self.counters.touched

    @property
    def is_any_good(self) -> bool:
        """Return whether any source was imported; otherwise there is nothing to build."""
        return self.outcome is not Outcome.INTERRUPTED and any(
            isinstance(each, Run) and each.outcome in (Outcome.OK, Outcome.PARTIAL)
            for each in self.results.values()
        )


@dataclass(frozen=True, slots=True)
class UpdateResult:
    """The result of an update; steps that were skipped are None."""

    imported: ImportResult
    built: IndexUpdate | None = None
    activated: Activation | None = None


class CollectionSteps:
    """The steps of one collection, or, without a name, of the whole library."""

    def __init__(
        self,
        store: Store,
        generations: Generations,
        *,
        name: str,
        members: Sequence[CollectionMember],
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

    def take_in(self, taking: ImportMode = ImportMode.INCREMENTAL) -> ImportResult:
        """Harvest each source; one that fails does not stop the others."""
        options = {
            member.name: import_options(taking, is_complete=member.is_complete) for member in self._members
        }
        with record_step(
            self._store, StepKind.IMPORT, collection=self._name, owner=self._owner("import")
        ) as note:
            results = harvest_many(
                list(options),
                lambda source: self._harvest(source, options[source]),
                jobs=self._jobs,
                stopper=self._stopper,
            )
            imported = _import_result(results, is_stopped=self._stopper.is_stopping)
            note.outcome, note.records = imported.outcome, imported.changes
            note.summary = _describe_import(taking, imported)
        return imported

    def build(self) -> IndexUpdate:
        """Build a new generation of the index; searches continue to use the active one."""
        return build_aside(
            self._store,
            self._generations,
            collection=self._name,
            owner=self._owner("build"),
            on_progress=self._on_progress,
            stopper=self._stopper,
        )

    def activate(self) -> Activation:
        return activate(
            self._store,
            self._generations,
            collection=self._name,
            owner=self._owner("activate"),
            stopper=self._stopper,
        )

    def update(self, taking: ImportMode = ImportMode.INCREMENTAL) -> UpdateResult:
        """Import, build and activate. Without any change there is nothing to build."""
        imported = self.take_in(taking)
        if not imported.is_any_good or not (imported.changes or self._is_wanting(taking)):
            return UpdateResult(imported)
        self._stopper.check()
        built = self.build()
        return UpdateResult(imported, built, self.activate())

    def _is_wanting(self, taking: ImportMode) -> bool:
        """Return whether the index must be built although nothing was imported."""
        found = self._generations.current_state()
        if found is None or self._generations.hold() is not None or taking is not ImportMode.INCREMENTAL:
            return True
        return changes_behind(self._store, found[1].cursor) > 0

    def _owner(self, verb: str) -> str:
        return f"windrow collection {verb} {self._name}".rstrip()


def import_options(taking: ImportMode, *, is_complete: bool = False) -> HarvestOptions:
    """Return the options of a harvest. A source that is always seen completely shows what is gone."""
    if taking is ImportMode.INCREMENTAL:
        return HarvestOptions()
    if is_complete:
        return HarvestOptions(is_full=True)
    return HarvestOptions(
        is_full=True,
        is_keeping_old=taking is ImportMode.KEEP_OLD,
        is_reconciling=taking is ImportMode.REMOVE_OLD,
    )


def _import_result(results: Mapping[str, Result], *, is_stopped: bool) -> ImportResult:
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
    return ImportResult(results, Outcome.PARTIAL if is_mixed else worst, counters)


def _describe_import(taking: ImportMode, imported: ImportResult) -> str:
    counters = imported.counters
    numbers = f"{counters.added:,} new, {counters.changed:,} changed, {counters.deleted:,} gone"
    numbers += "".join(f", {amount}" for amount in counters.rarer_amounts())
    bad = [
        name
        for name, result in imported.results.items()
        if not isinstance(result, Run) or result.outcome is not Outcome.OK
    ]
    return f"{taking}: {numbers}" + (f"; not well: {', '.join(bad)}" if bad else "")
