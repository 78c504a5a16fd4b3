"""Harvest one source, and run the steps of a whole collection."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from windrow.config.schema import SourceSettings
from windrow.config.source_kinds import kind_of
from windrow.store import sources
from windrow.wiring.sets import check_sets, follow_roles, follow_sets
from windrow.wiring.source_kinds import Watch, kind_for, refuse_meaningless

if TYPE_CHECKING:
    from windrow.harvest.collections import CollectionSteps
    from windrow.harvest.options import HarvestOptions, Observer, Stopper
    from windrow.index.feeder import Progress
    from windrow.model.run import Run
    from windrow.wiring.library import Library


def register_sources(library: Library, names: Iterable[str]) -> None:
    """Register new sources in this order, before they are harvested at the same time.

    The order is permanent: of an identifier in several sources, `/oai` shows the record of the first.
    """
    with library.store.reading() as connection:
        new = [name for name in names if sources.find(connection, name) is None]
    if new:
        with library.store.writing() as connection:
            for name in new:
                settings = library.source(name)
                sources.ensure(connection, name, settings.url, settings.endpoint)


def harvest(
    library: Library,
    name: str,
    options: HarvestOptions,
    *,
    observer: Observer,
    stopper: Stopper,
    ignore_retry_after: bool = False,
) -> Run:
    """Harvest one source once, and update the virtual sets."""
    settings = library.source(name)
    check_sets(library)
    refuse_meaningless(settings, options)
    watch = Watch(observer=observer, stopper=stopper, ignore_retry_after=ignore_retry_after)
    run = kind_for(settings).harvest(library, settings, options, watch)
    done = run.counters
    is_changed = done.added + done.changed + done.moved + done.restored + done.deleted > 0
    follow_roles(library, changed=[name] if is_changed else ())
    follow_sets(library)
    return run


def _reports_removals(settings: SourceSettings) -> bool:
    """Return whether a harvest can be instructed about records that the source no longer lists."""
    kind = kind_of(settings)
    return not kind.is_complete and "is_reconciling" in kind.harvest_options


def collection_steps(
    library: Library,
    name: str = "",
    *,
    observer: Observer,
    stopper: Stopper,
    on_progress: Progress | None = None,
) -> CollectionSteps:
    """Return the import, build and activate steps of a collection, or of the whole library without a name."""
    from windrow.harvest.collections import CollectionMember, CollectionSteps  # noqa: PLC0415 - imports Tantivy

    return CollectionSteps(
        library.store,
        library.generations,
        name=name,
        members=[CollectionMember(each.name, not _reports_removals(each)) for each in library.members(name)],
        harvest=lambda source, options: harvest(library, source, options, observer=observer, stopper=stopper),
        jobs=library.config.harvest.jobs,
        stopper=stopper,
        on_progress=on_progress,
    )
