"""Operations on single records: refreshing stale ones, and merging identifiers."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from windrow.config.source_kinds import RepositorySettings
from windrow.harvest import record_merge
from windrow.harvest.oai.record_refresh import (
    LARGEST_BYTES,
    MAX_RECORDS_PER_ROUND,
    MAX_ROUND_SECONDS,
    ProviderRobots,
    Refresher,
)
from windrow.harvest.run import utc_now
from windrow.store.store import RobotsMemory
from windrow.wiring.oai_source import as_repository, make_client, make_http
from windrow.wiring.sets import follow_sets

if TYPE_CHECKING:
    from windrow.harvest.options import Observer, Stopper
    from windrow.model.run import Run
    from windrow.wiring.library import Library


def refresh_source(
    library: Library,
    name: str,
    *,
    observer: Observer,
    stopper: Stopper,
    limit: int | None = None,
    seconds: float | None = None,
) -> Run | None:
    """Request the stale records of a source that were viewed; None if none are waiting."""
    return _refresher(library, as_repository(library.source(name)), observer, stopper).run(
        limit=limit or MAX_RECORDS_PER_ROUND, seconds=seconds or MAX_ROUND_SECONDS
    )


def _refresher(
    library: Library, settings: RepositorySettings, observer: Observer, stopper: Stopper
) -> Refresher:
    client = make_client(
        library, settings, sleep=stopper.sleep, on_wait=lambda wait: observer.waiting(settings.name, wait)
    )
    http = make_http(
        replace(settings, max_response=LARGEST_BYTES),
        contact=library.config.library.contact,
        environ=library.environ,
        store=library.store,
        hosts=library.hosts,
        sleep=stopper.sleep,
    )
    return Refresher(
        settings,
        folder=library.folder,
        store=library.store,
        client=client,
        robots=ProviderRobots(http, RobotsMemory(library.store), now=utc_now),
        observer=observer,
        stopper=stopper,
    )


def merge_identifiers(
    library: Library, name: str, old: str, new: str, *, is_unseen_allowed: bool = False
) -> Run:
    """Redirect an identifier of a source to another record."""
    run = record_merge.merge_records(
        library.store, library.source(name), old, new, is_unseen_allowed=is_unseen_allowed
    )
    follow_sets(library)
    return run


def unmerge_identifier(library: Library, name: str, old: str) -> None:
    record_merge.unmerge_records(library.store, library.source(name), old)
