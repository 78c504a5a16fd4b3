"""Assembles the front ends of a library at one public address, for `wiring` to serve."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from windrow import __version__
from windrow.config.schema import Config
from windrow.errors import WindrowError
from windrow.search.filters import TopicLabels
from windrow.stats.own_tables import OwnTables
from windrow.store import store as settings
from windrow.store.overview import list_overviews
from windrow.vocabularies.vocabulary_directory import VocabularyDirectory
from windrow.vocabularies.vocabulary_expansion import make_expander
from windrow.web.api.api_context import ApiContext as ApiDesk
from windrow.web.api.api_front_end import ApiFrontEnd
from windrow.web.app import FrontEnd, ServerOptions, WebApplication
from windrow.web.documents.document_files import DocumentFiles, has_cover
from windrow.web.documents.document_front_end import document_front_ends
from windrow.web.documents.gallery import PictureAvailability
from windrow.web.gateway.gateway_front_end import gateway_front_ends
from windrow.web.gateway.metadata_page import MetadataView
from windrow.web.http.access_log import AccessLog
from windrow.web.http.http_request import Request, check_read
from windrow.web.http.http_response import Response, json_response
from windrow.web.http.rate_limits import GoodCrawler, PageRateLimits, RateLimit, RequestLimits
from windrow.web.http.thread_pools import RequestPool, SearchPools, ThreadPool
from windrow.web.layout.page_layout import PageLayouts
from windrow.web.layout.site import SiteAddress, serve_asset
from windrow.web.layout.theme import Themes
from windrow.web.oai.oai_front_end import AnsweringRepository, OaiFrontEnd
from windrow.web.portal.portal_context import PortalContext
from windrow.web.portal.portal_front_end import portal_front_ends
from windrow.web.resourcesync.resourcesync_front_end import resourcesync_front_ends
from windrow.web.robots_txt import RobotsTxt
from windrow.web.sitemaps.sitemap_front_end import sitemap_front_ends
from windrow.web.sru.sru_front_end import SruFrontEnd
from windrow.web.sru.zeerex import SruLimits
from windrow.web.stale_records import ignore_view
from windrow.web.statistics.shown_tables import render_landing_chart
from windrow.web.statistics.statistics_context import StatisticsContext, statistic_functions
from windrow.web.statistics.statistics_front_end import StatisticsFrontEnd
from windrow.web.vocabulary.vocabulary_front_end import vocabulary_front_end

if TYPE_CHECKING:
    from windrow.index.protocol import Index
    from windrow.search.databases import Databases
    from windrow.stats.charts.drawing import Drawer
    from windrow.store.store import Store
    from windrow.web.http.visitors import VisitCounter
    from windrow.web.portal.portal_context import SourceFact


LibraryProbe = Callable[[], Mapping[str, object]]


class HealthCheck:
    """Answers 200 while the library can be read, else 503. `look` reads it, or raises a WindrowError."""

    def __init__(self, look: LibraryProbe) -> None:
        self._look = look
        # its own thread, so that it never queues behind other work
        self._crew = ThreadPool(at_once=1, name="health")

    async def __call__(self, request: Request, rest: str) -> Response:  # noqa: ARG002 - a front end
        check_read(request.method)
        try:
            found = await self._crew.run(self._look, client=request.client, is_gone=request.is_gone)
        except WindrowError:
            return json_response({"status": "unavailable", "version": __version__}, status=503)
        return json_response({"status": "ok", "version": __version__, **found})


def library_front_ends(
    config: Config,
    index: Index,
    store: Store,
    *,
    url: str,
    drawer: Drawer,
    looked_at: Callable[[int, str], None] = ignore_view,
    holdings: DocumentFiles | None = None,
    source_facts: Callable[[str], Sequence[SourceFact]] | None = None,
    databases: Databases | None = None,
) -> Mapping[str, FrontEnd]:
    """Return the front ends for people and programs at this public address.

    `looked_at` is called with the number and source of each record whose page is viewed. `holdings` are the
    files behind documents, if any. `source_facts` returns what a kind of source reports about itself.
    `databases` are what SRU searches, unless it is disabled in the settings.
    """
    site = SiteAddress(url.rstrip("/"), config.library.name)
    began = partial(settings.unchanged_since, store, "look")
    gallery = PictureAvailability(index, config.collection_sources) if holdings is not None else None
    vocabularies = VocabularyDirectory(store)
    frames = PageLayouts(
        site,
        Themes(config),
        language=config.portal.language,
        began=began,
        gallery=gallery,
        topics=TopicLabels(index),
        expander=make_expander(config, store),
        vocabularies=vocabularies,
    )
    desk = StatisticsContext(
        frames,
        index,
        config.collection_sources,
        harvests=lambda: list_overviews(store, config.sources),
        drawer=drawer,
        own=OwnTables(config.path, config.tables, config.portal.year_starts),
    )
    room = PortalContext(config, frames, index, store, partial(render_landing_chart, desk), looked_at)
    if source_facts is not None:
        room = replace(room, source_facts=source_facts)
    if holdings is not None:
        room = replace(room, has_cover=partial(has_cover, holdings))
    searches = SearchPools()
    api_desk = ApiDesk(
        config,
        index,
        store,
        site.url,
        statistic_functions(desk),
        frames.looks.types,
        expander=frames.expander,
    )
    api = ApiFrontEnd(api_desk, frames, searches)
    return {
        **portal_front_ends(room, searches),
        **gateway_front_ends(
            frames, store, config.sources, MetadataView(config, frames, store, looked_at=looked_at)
        ),
        **sitemap_front_ends(store, site.url, config.collections, vocabularies),
        **resourcesync_front_ends(store, site.url),
        **({} if holdings is None else document_front_ends(config, frames, index, store, holdings, searches)),
        "statistics": StatisticsFrontEnd(desk),
        "vocabulary": vocabulary_front_end(room, vocabularies),
        "api": api,
        **_sru_front_end(config, databases, room, searches),
    }


def _sru_front_end(
    config: Config, databases: Databases | None, room: PortalContext, pool: RequestPool
) -> dict[str, FrontEnd]:
    if databases is None or not config.sru.enabled:
        return {}
    limits = SruLimits(config.sru.records, config.sru.max_records, config.sru.max_terms)
    contact = config.library.contact
    return {"sru": SruFrontEnd(databases, room.index, room.frames, pool, limits=limits, contact=contact)}


def make_application(
    config: Config,
    repository: AnsweringRepository,
    *,
    url: str,
    look: LibraryProbe,
    access_log: AccessLog | None = None,
    public: Mapping[str, FrontEnd] | None = None,
    visits: VisitCounter | None = None,
) -> WebApplication:
    """Return the application at a public address; `public` are its front ends besides OAI-PMH."""
    oai = config.oai
    site = SiteAddress(url.rstrip("/"), oai.name)
    return WebApplication(
        {
            **(public or {}),
            "oai": OaiFrontEnd(repository, site=site, language=config.portal.language),
            "static": serve_asset,
            "health": HealthCheck(look),
            "robots.txt": RobotsTxt(f"{site.url}/oai", delay_seconds=config.crawlers.delay),
        },
        site=site,
        manners=_server_options(config),
        access_log=access_log,
        visits=visits,
    )


def _server_options(config: Config) -> ServerOptions:
    """Return the client limits. Explicitly configured ones apply to this machine's proxies too."""
    oai = config.oai
    rates = ("requests_per_second", "burst")
    return ServerOptions(
        limits=RequestLimits(per_second=oai.requests_per_second, burst=oai.burst),
        trusted_proxies=config.serve.trusted_proxies,
        limits_own=_is_any_set(config, "oai", *rates),
        budget=_page_limits(config),
        budgets_own=_is_any_set(config, "crawlers", *rates, *(f"network_{rate}" for rate in rates)),
        is_compressing=oai.compress,
    )


def _page_limits(config: Config) -> PageRateLimits:
    crawlers = config.crawlers
    return PageRateLimits(
        client=RateLimit(crawlers.requests_per_second, crawlers.burst),
        network=RateLimit(crawlers.network_requests_per_second, crawlers.network_burst),
        good=[
            GoodCrawler(each.name, each.agent, each.networks, RateLimit(each.requests_per_second, each.burst))
            for each in config.good_crawlers.values()
        ],
    )


def _is_any_set(config: Config, section: str, *keys: str) -> bool:
    return any(config.origins[f"{section}.{key}"] != "default" for key in keys)
