"""The library as a web application: all faces at one public address."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from threading import Timer
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from windrow.config.source_kinds import kind_of
from windrow.errors import WindrowError
from windrow.faces.oai.repository import OaiRepository
from windrow.faces.portal.source_facts import SourceFact
from windrow.faces.public import make_app, public_faces
from windrow.faces.shared.staleness import Staleness
from windrow.faces.shared.visits import Visits
from windrow.index.costs import PUBLIC
from windrow.model.query import Everything
from windrow.store import leaves
from windrow.store.migrations import version
from windrow.wiring.source_kinds import kind_for

if TYPE_CHECKING:
    from windrow.faces.app import App
    from windrow.faces.documents.holdings import Holdings
    from windrow.faces.oai.derived import Deriver
    from windrow.faces.shared.access_log import AccessLog
    from windrow.wiring.library import Library

CALM_SECONDS = 0.2  # after a server is ready, before it does what can wait


def web_app(library: Library, url: str, *, access_log: AccessLog | None = None) -> App:
    """Give the library as an ASGI application, for this public address of it."""
    config, store = library.config, library.store
    repository = OaiRepository(store, config, base_url=url, derivers=_derivers(library))
    repository.prepare()
    staleness = Staleness(store, {} if store.is_read_only else config.sources)
    visits = Visits(store, own_host=urlsplit(url).hostname or "", keep_days=config.crawlers.keep_days)
    library.closing.callback(staleness.close)
    library.closing.callback(visits.close)
    library.index.limit_costs(PUBLIC)
    public = public_faces(
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
    return make_app(
        config,
        repository,
        url=url,
        look=lambda: _look(library),
        access_log=access_log,
        public=public,
        visits=None if store.is_read_only else visits,
    )


def make_servable(library: Library, *, heed: Callable[[], object]) -> None:
    """Keep in the library what serving it needs beside the index: it may be read-only when it is served.

    `heed` may raise to end the work.
    """
    OaiRepository(library.store, library.config, base_url="").prepare()
    leaves.follow(library.store, heed=heed)


def warm_up(library: Library) -> Timer:
    """Let the first charts not wait for what draws them to start. Returns at once; ends with the library."""
    timer = Timer(CALM_SECONDS, _warm, (library,))
    timer.daemon = True
    timer.start()
    library.closing.callback(timer.cancel)
    return timer


def _warm(library: Library) -> None:
    with suppress(WindrowError):  # whoever asks for a chart will be told
        if library.index.count(Everything()):
            library.drawer.warm()


def _look(library: Library) -> Mapping[str, object]:
    """See that the library can be read."""
    with library.store.reading() as connection:
        return {"schema": version(connection)}


def _public_facts(library: Library, name: str) -> list[SourceFact]:
    """Return what the kind of a source has to say of it to everybody; nothing of one that is gone."""
    settings = library.config.sources.get(name)
    if settings is None:
        return []
    facts = kind_for(settings).facts(library, settings)
    return [SourceFact(fact.label, fact.words, fact.values) for fact in facts if fact.is_public]


def _holdings(library: Library) -> Holdings | None:
    """The files behind the documents of the library; None where no source is a folder of documents."""
    if not any(each.has_documents for each in library.config.sources.values()):
        return None
    from windrow.wiring.holdings import LibraryHoldings  # noqa: PLC0415 - not needed without documents

    return LibraryHoldings(library)


def _derivers(library: Library) -> Mapping[str, Deriver]:
    """What sources do for their repositories beyond what is stored, by their names."""
    found = {
        name: kind_for(settings).deriver(library, settings)
        for name, settings in library.config.sources.items()
        if kind_of(settings).has_deriver
    }
    return {name: deriver for name, deriver in found.items() if deriver is not None}
