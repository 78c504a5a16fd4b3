"""Bringing records in: a harvest of one source, and the steps of a whole collection."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from windrow.config.schema import FILES, SourceSettings
from windrow.store import sources
from windrow.wiring.set_roles import follow_roles
from windrow.wiring.virtual_sets import check_sets, follow_sets

if TYPE_CHECKING:
    from windrow.harvest.collection_steps import CollectionSteps
    from windrow.harvest.observer import Observer
    from windrow.harvest.options import HarvestOptions
    from windrow.harvest.runner import Runner
    from windrow.harvest.stopping import Stopper
    from windrow.index.feeder import Progress
    from windrow.model.run import Run
    from windrow.wiring.library import Library


def enrol(library: Library, names: Iterable[str]) -> None:
    """Give sources that are new their places, in this order, before they are harvested at the same time.

    The order stays: of an identifier that several sources have, `/oai` shows the record of the first.
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
    """Harvest one source once, and bring the virtual sets up to date with it."""
    settings = library.source(name)
    check_sets(library)
    if settings.kind == FILES:
        from windrow.wiring.folders import folder_runner  # noqa: PLC0415 - not needed for repositories

        run = folder_runner(library, settings, observer=observer, stopper=stopper).run(options)
    else:
        run = _runner(library, settings, observer, stopper, ignore_retry_after).run(options)
    done = run.counters
    is_changed = done.added + done.changed + done.moved + done.restored + done.deleted > 0
    follow_roles(library, changed=[name] if is_changed else ())
    follow_sets(library)
    return run


def _runner(
    library: Library,
    settings: SourceSettings,
    observer: Observer,
    stopper: Stopper,
    ignore_retry_after: bool,
) -> Runner:
    from windrow.harvest.runner import Runner  # noqa: PLC0415 - not needed for folders
    from windrow.wiring.asking import make_client  # noqa: PLC0415

    client = make_client(
        library,
        settings,
        sleep=stopper.sleep,
        on_wait=lambda wait: observer.waiting(settings.name, wait),
        ignore_retry_after=ignore_retry_after,
    )
    return Runner(
        settings,
        folder=library.folder,
        store=library.store,
        client=client,
        observer=observer,
        stopper=stopper,
    )


def collection_steps(
    library: Library,
    name: str = "",
    *,
    observer: Observer,
    stopper: Stopper,
    on_progress: Progress | None = None,
) -> CollectionSteps:
    """Give what takes in, builds and activates a collection, or, without a name, the whole library."""
    from windrow.harvest.collection_steps import CollectionSteps, Member  # noqa: PLC0415 - brings Tantivy

    return CollectionSteps(
        library.store,
        library.generations,
        name=name,
        members=[Member(each.name, each.kind == FILES) for each in library.members(name)],
        harvest=lambda source, options: harvest(library, source, options, observer=observer, stopper=stopper),
        jobs=library.config.harvest.jobs,
        stopper=stopper,
        on_progress=on_progress,
    )
