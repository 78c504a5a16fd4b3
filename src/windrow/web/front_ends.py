"""All faces of a library at one public address: where they are put together, for `wiring` to serve."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from windrow.config.schema import Config
from windrow.faces.api.desk import Desk as ApiDesk
from windrow.faces.api.face import ApiFace
from windrow.faces.app import App, Face, Manners
from windrow.faces.documents.face import document_faces
from windrow.faces.documents.holdings import Holdings, has_cover
from windrow.faces.documents.pictured import Pictured
from windrow.faces.front.health import Health, Look
from windrow.faces.front.robots import Robots
from windrow.faces.gateway.face import gateway_faces
from windrow.faces.gateway.getrecord import GetRecord
from windrow.faces.oai.face import OaiFace, Repository
from windrow.faces.portal.faces import portal_faces
from windrow.faces.portal.room import Room
from windrow.faces.resourcesync.face import resourcesync_faces
from windrow.faces.shared.access_log import AccessLog
from windrow.faces.shared.assets import serve_asset
from windrow.faces.shared.budget import Allowances, GoodCrawler, Rate
from windrow.faces.shared.crew import Pool, SearchCrew
from windrow.faces.shared.frame import Frames
from windrow.faces.shared.gate import Limits
from windrow.faces.shared.look import Looks
from windrow.faces.shared.site import Site
from windrow.faces.shared.staleness import nobody_notes
from windrow.faces.sitemaps.face import sitemap_faces
from windrow.faces.sru.explain import Limits as SruLimits
from windrow.faces.sru.face import SruFace
from windrow.faces.statistics.desk import Desk
from windrow.faces.statistics.face import StatisticsFace
from windrow.faces.statistics.for_programs import answers
from windrow.faces.statistics.landing import landing_chart
from windrow.faces.vocabulary.face import vocabulary_face
from windrow.finding.topic_labels import TopicLabels
from windrow.stats.own_tables import OwnTables
from windrow.store import settings
from windrow.store.overview import overviews
from windrow.vocabularies.binding import make_expander
from windrow.vocabularies.directory import Directory

if TYPE_CHECKING:
    from windrow.faces.portal.source_facts import SourceFact
    from windrow.faces.shared.visits import Visits
    from windrow.finding.databases import Databases
    from windrow.index.protocol import Index
    from windrow.stats.drawing import Drawer
    from windrow.store.store import Store


def public_faces(
    config: Config,
    index: Index,
    store: Store,
    *,
    url: str,
    drawer: Drawer,
    looked_at: Callable[[int, str], None] = nobody_notes,
    holdings: Holdings | None = None,
    source_facts: Callable[[str], Sequence[SourceFact]] | None = None,
    databases: Databases | None = None,
) -> Mapping[str, Face]:
    """Give what people see at this public address, and the same for programs.

    `looked_at` is told of each record whose page is looked at, by its number and its source. `holdings` are
    the files behind documents, where the library has any. `source_facts` returns what the kind of a source
    reports of it. `databases` are what SRU searches, unless the settings turn it off.
    """
    site = Site(url.rstrip("/"), config.library.name)
    began = partial(settings.began, store, "look")
    gallery = Pictured(index, config.collection_sources) if holdings is not None else None
    vocabularies = Directory(store)
    frames = Frames(
        site,
        Looks(config),
        language=config.portal.language,
        began=began,
        gallery=gallery,
        topics=TopicLabels(index),
        expander=make_expander(config, store),
        vocabularies=vocabularies,
    )
    desk = Desk(
        frames,
        index,
        config.collection_sources,
        harvests=lambda: overviews(store, config.sources),
        drawer=drawer,
        own=OwnTables(config.path, config.tables, config.portal.year_starts),
    )
    room = Room(config, frames, index, store, partial(landing_chart, desk), looked_at)
    if source_facts is not None:
        room = replace(room, source_facts=source_facts)
    if holdings is not None:
        room = replace(room, has_cover=partial(has_cover, holdings))
    searches = SearchCrew()
    api_desk = ApiDesk(
        config, index, store, site.url, answers(desk), frames.looks.types, expander=frames.expander
    )
    api = ApiFace(api_desk, searches)
    return {
        **portal_faces(room, searches),
        **gateway_faces(frames, store, config.sources, GetRecord(config, frames, store, looked_at=looked_at)),
        **sitemap_faces(store, site.url, config.collections, vocabularies),
        **resourcesync_faces(store, site.url),
        **({} if holdings is None else document_faces(config, frames, index, store, holdings, searches)),
        "statistics": StatisticsFace(desk),
        "vocabulary": vocabulary_face(room, vocabularies),
        "api": api,
        **_sru(config, databases, room, searches),
    }


def _sru(config: Config, databases: Databases | None, room: Room, pool: Pool) -> dict[str, Face]:
    if databases is None or not config.sru.enabled:
        return {}
    limits = SruLimits(config.sru.records, config.sru.max_records, config.sru.max_terms)
    contact = config.library.contact
    return {"sru": SruFace(databases, room.index, room.frames, pool, limits=limits, contact=contact)}


def make_app(
    config: Config,
    repository: Repository,
    *,
    url: str,
    look: Look,
    access_log: AccessLog | None = None,
    public: Mapping[str, Face] | None = None,
    visits: Visits | None = None,
) -> App:
    """Give the application that answers at a public address; `public` are the faces for people."""
    oai = config.oai
    site = Site(url.rstrip("/"), oai.name)
    return App(
        {
            **(public or {}),
            "oai": OaiFace(repository, site=site),
            "static": serve_asset,
            "health": Health(look),
            "robots.txt": Robots(f"{site.url}/oai", delay_seconds=config.crawlers.delay),
        },
        site=site,
        manners=_manners(config),
        access_log=access_log,
        visits=visits,
    )


def _manners(config: Config) -> Manners:
    """Give how clients are treated. A limit that was set by hand holds for this machine's own as well."""
    oai = config.oai
    rates = ("requests_per_second", "burst")
    return Manners(
        limits=Limits(per_second=oai.requests_per_second, burst=oai.burst),
        trusted_proxies=config.serve.trusted_proxies,
        limits_own=_is_any_set(config, "oai", *rates),
        budget=_allowances(config),
        budgets_own=_is_any_set(config, "crawlers", *rates, *(f"network_{rate}" for rate in rates)),
        is_compressing=oai.compress,
    )


def _allowances(config: Config) -> Allowances:
    """Give the budget of pages as it is configured."""
    crawlers = config.crawlers
    return Allowances(
        client=Rate(crawlers.requests_per_second, crawlers.burst),
        network=Rate(crawlers.network_requests_per_second, crawlers.network_burst),
        good=[
            GoodCrawler(each.name, each.agent, each.networks, Rate(each.requests_per_second, each.burst))
            for each in config.good_crawlers.values()
        ],
    )


def _is_any_set(config: Config, section: str, *keys: str) -> bool:
    return any(config.origins[f"{section}.{key}"] != "default" for key in keys)
