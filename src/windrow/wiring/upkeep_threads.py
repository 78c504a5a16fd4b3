"""Background threads that keep a served library up to date, and run its jobs."""

from __future__ import annotations

import atexit
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import TYPE_CHECKING

from windrow.config.source_kinds import kind_of
from windrow.harvest.background_threads import PeriodicThread
from windrow.harvest.options import Stopper
from windrow.store.harvests import refresh_requests
from windrow.store.published import list_pages
from windrow.wiring.indexing import follow_index
from windrow.wiring.sets import follow_sets
from windrow.wiring.source_kinds import kind_for

if TYPE_CHECKING:
    from windrow.harvest.oai.record_refresh import RefreshScheduler
    from windrow.model.run import Run
    from windrow.wiring.library import Library

REFRESH_POLL_SECONDS = 5.0  # between two checks for records waiting to be refreshed
INDEX_OVERTAKEN_MESSAGE = (
    "another version of Windrow has made the index anew: this one leaves it alone, and may find less than"
    " there is. Restart this process to run the new version"
)
INDEX_SETTINGS_MESSAGE = (
    "the index was rebuilt with other settings (`types`) than those this process has read: it is left alone,"
    " and searches here may not find what is new. Restart this process"
)

log = logging.getLogger("windrow.index")


@contextmanager
def background_work(library: Library, *, is_watching: bool = True) -> Iterator[list[Thread]]:
    """Keep the library up to date during the block. Of all processes that serve it, one does this.

    Without `is_watching`, folders are not watched, but changes by other processes are still followed. A
    library that is read-only here is left to processes that can write.
    """
    if library.store.is_read_only:
        yield []
        return
    stop = Event()
    keepers: list[Thread] = [
        *(source_watchers(library, stop) if is_watching else ()),
        _virtual_set_updater(library, stop),
        _index_updater(library, stop, owner="windrow serve"),
        _list_page_updater(library, stop),
    ]
    if rounds := refresh_rounds(library, stop):
        keepers.append(_record_refresher(rounds, stop))
    for keeper in keepers:
        keeper.start()
    try:
        with _running_jobs(library):
            yield keepers
    finally:
        stop.set()
        for keeper in keepers:
            keeper.join()


def index_once(library: Library) -> None:
    """Update the index and the list pages once, in threads of their own. Returns at once."""
    if library.store.is_read_only:
        return
    stop = Event()
    keepers = (
        _index_updater(library, stop, owner="an application", is_once=True),
        _list_page_updater(library, stop, is_once=True),
    )

    def end() -> None:
        """Make sure that no thread is inside Tantivy when the interpreter exits."""
        stop.set()
        for keeper in keepers:
            keeper.join()

    for keeper in keepers:
        keeper.start()
    atexit.register(end)


def source_watchers(
    library: Library, stop: Event, *, on_changed: Callable[[Run], None] = lambda _: None
) -> list[Thread]:
    """Return the threads that watch enabled sources for changes until `stop` is set."""
    watched = [each for each in library.config.sources.values() if each.enabled and kind_of(each).is_watched]
    return [
        thread
        for settings in watched
        for thread in kind_for(settings).watchers(library, settings, stop, on_changed)
    ]


def refresh_rounds(library: Library, stop: Event) -> RefreshScheduler | None:
    """Return the scheduler that refreshes stale records, if any source wants that."""
    wanting = {
        name
        for name, each in library.config.sources.items()
        if each.refresh_after is not None and each.enabled
    }
    if not wanting:
        return None
    from windrow.harvest.oai.record_refresh import RefreshScheduler  # noqa: PLC0415
    from windrow.harvest.options import NullObserver  # noqa: PLC0415 - not needed without such sources
    from windrow.wiring.single_records import refresh_source  # noqa: PLC0415

    def waiting() -> list[str]:
        with library.store.reading() as connection:
            return [name for name in refresh_requests.count_waiting(connection) if name in wanting]

    def make_round(name: str) -> Run | None:
        return refresh_source(library, name, observer=NullObserver(), stopper=Stopper(stop))

    return RefreshScheduler(waiting, make_round, stop=stop)


def _virtual_set_updater(library: Library, stop: Event) -> PeriodicThread:
    def look() -> None:
        follow_sets(library)

    return PeriodicThread(look, name="virtual sets", trouble="virtual sets are not up to date", stop=stop)


def _index_updater(library: Library, stop: Event, *, owner: str, is_once: bool = False) -> PeriodicThread:
    was_overtaken = False

    def look() -> None:
        nonlocal was_overtaken
        done = follow_index(library, owner=owner, is_waiting=False, stopper=Stopper(stop))
        if done.is_overtaken and not was_overtaken:
            log.warning(
                INDEX_SETTINGS_MESSAGE if library.index.has_other_settings else INDEX_OVERTAKEN_MESSAGE
            )
        was_overtaken = done.is_overtaken
        if done.is_built:
            log.info("the index was built: %s", done.reason)

    return PeriodicThread(
        look, name="index", trouble="the index is not up to date", stop=stop, is_once=is_once
    )


def _list_page_updater(library: Library, stop: Event, *, is_once: bool = False) -> PeriodicThread:
    def look() -> None:
        list_pages.update_list_pages(library.store, heed=Stopper(stop).check)

    trouble = "the lists of all records are not up to date"
    return PeriodicThread(look, name="leaves", trouble=trouble, stop=stop, is_once=is_once)


def _record_refresher(rounds: RefreshScheduler, stop: Event) -> PeriodicThread:
    trouble = "stale records are not refreshed"
    return PeriodicThread(
        rounds.run_due, name="records", trouble=trouble, stop=stop, check_seconds=REFRESH_POLL_SECONDS
    )


@contextmanager
def _running_jobs(library: Library) -> Iterator[None]:
    """Run the jobs that are due during the block, unless that is left to `windrow worker`."""
    if not library.config.schedule.in_serve:
        yield
        return
    from windrow.wiring.scheduling import job_runner  # noqa: PLC0415 - not needed without it

    with job_runner(library, owner="windrow serve") as runner:
        thread = Thread(target=runner.run, name="jobs", daemon=True)
        thread.start()
        try:
            yield
        finally:
            runner.stop()
            thread.join()
