"""The library as a web application: all front ends at one public address."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from threading import Timer
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from windrow.config.source_kinds import kind_of
from windrow.errors import WindrowError
from windrow.index.tantivy.query_costs import PUBLIC
from windrow.model.query import Everything
from windrow.store.migrations import version
from windrow.store.published import list_pages
from windrow.web.front_ends import library_front_ends, make_application
from windrow.web.http.visitors import VisitCounter
from windrow.web.oai.oai_provider import OaiRepository
from windrow.web.portal.portal_context import SourceFact
from windrow.web.stale_records import StaleRecordRefresher
from windrow.wiring.source_kinds import kind_for

if TYPE_CHECKING:
    from windrow.web.app import WebApplication
    from windrow.web.documents.document_files import DocumentFiles
    from windrow.web.http.access_log import AccessLog
    from windrow.web.oai.offered_formats import FormatDeriver
    from windrow.wiring.library import Library

STALENESS_GRACE_SECONDS = 0.2  # after a server is ready, before deferrable work starts


def web_app(library: Library, url: str, *, access_log: AccessLog | None = None) -> WebApplication:
    """Return the library as an ASGI application for this public address."""
    config, store = library.config, library.store
    repository = OaiRepository(store, config, base_url=url, derivers=_derivers(library))
    repository.prepare()
    staleness = StaleRecordRefresher(store, {} if store.is_read_only else config.sources)
    visits = VisitCounter(store, own_host=urlsplit(url).hostname or "", keep_days=config.crawlers.keep_days)
    library.closing.callback(staleness.close)
    library.closing.callback(visits.close)
    library.index.limit_costs(PUBLIC)
    public = library_front_ends(
        config,
        library.index,
        store,
        url=url,
        drawer=library.drawer,
        looked_at=staleness.looked_at,
        holdings=_holdings(library),
        source_facts=partial(_public_facts, library),
        databases=library.databases,
    )
    return make_application(
        config,
        repository,
        url=url,
        look=lambda: _check_readable(library),
        access_log=access_log,
        public=public,
        visits=None if store.is_read_only else visits,
    )


def make_servable(library: Library, *, heed: Callable[[], object]) -> None:
    """Store what serving needs besides the index, because the library may be read-only when it is served.

    `heed` may raise to end the work.
    """
    OaiRepository(library.store, library.config, base_url="").prepare()
    list_pages.update_list_pages(library.store, heed=heed)


def warm_up(library: Library) -> Timer:
    """Start the process that draws charts before the first chart is requested. Returns at once."""
    timer = Timer(STALENESS_GRACE_SECONDS, _start_drawing, (library,))
    timer.daemon = True
    timer.start()
    library.closing.callback(timer.cancel)
    return timer


def _start_drawing(library: Library) -> None:
    with suppress(WindrowError):  # reported with the first chart
        if library.index.count(Everything()):
            library.drawer.warm()


def _check_readable(library: Library) -> Mapping[str, object]:
    with library.store.reading() as connection:
        return {"schema": version(connection)}


def _public_facts(library: Library, name: str) -> list[SourceFact]:
    """Return the public facts about a source from its kind; nothing for a removed source."""
    settings = library.config.sources.get(name)
    if settings is None:
        return []
    facts = kind_for(settings).facts(library, settings)
    return [SourceFact(fact.label, fact.words, fact.values) for fact in facts if fact.is_public]


def _holdings(library: Library) -> DocumentFiles | None:
    """Return the files behind the library's documents; None if no source is a folder of documents."""
    if not any(each.has_documents for each in library.config.sources.values()):
        return None
    from windrow.wiring.library_files import LibraryHoldings  # noqa: PLC0415 - not needed without documents

    return LibraryHoldings(library)


def _derivers(library: Library) -> Mapping[str, FormatDeriver]:
    found = {
        name: kind_for(settings).deriver(library, settings)
        for name, settings in library.config.sources.items()
        if kind_of(settings).has_deriver
    }
    return {name: deriver for name, deriver in found.items() if deriver is not None}
