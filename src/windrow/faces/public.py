"""All faces of a library at one public address: where they are put together, for `wiring` to serve."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from windrow.config.schema import Config
from windrow.faces.api.desk import Desk as ApiDesk
from windrow.faces.api.face import ApiFace
from windrow.faces.app import App, Face, Manners
from windrow.faces.front.health import Health, Look
from windrow.faces.front.robots import Robots
from windrow.faces.oai.face import OaiFace, Repository
from windrow.faces.portal.faces import portal_faces
from windrow.faces.portal.room import Room
from windrow.faces.shared.access_log import AccessLog
from windrow.faces.shared.assets import serve_asset
from windrow.faces.shared.frame import Frames
from windrow.faces.shared.gate import Limits
from windrow.faces.shared.look import Looks
from windrow.faces.shared.site import Site
from windrow.faces.statistics.desk import Desk
from windrow.faces.statistics.face import StatisticsFace
from windrow.faces.statistics.for_programs import answers
from windrow.faces.statistics.landing import landing_chart
from windrow.store.overview import overviews

if TYPE_CHECKING:
    from windrow.index.protocol import Index
    from windrow.stats.drawing import Drawer
    from windrow.store.store import Store


def public_faces(
    config: Config, index: Index, store: Store, *, url: str, drawer: Drawer
) -> Mapping[str, Face]:
    """Give what people see at this public address, and the same for programs."""
    site = Site(url.rstrip("/"), config.library.name)
    frames = Frames(site, Looks(config), language=config.portal.language)
    desk = Desk(
        frames,
        index,
        config.collection_sources,
        harvests=lambda: overviews(store, config.sources),
        drawer=drawer,
    )
    room = Room(config, frames, index, store, partial(landing_chart, desk))
    api = ApiFace(ApiDesk(config, index, store, site.url, statistics=answers(desk)))
    return {**portal_faces(room), "statistics": StatisticsFace(desk), "api": api}


def make_app(
    config: Config,
    repository: Repository,
    *,
    url: str,
    look: Look,
    access_log: AccessLog | None = None,
    public: Mapping[str, Face] | None = None,
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
            "robots.txt": Robots(f"{site.url}/oai"),
        },
        site=site,
        manners=Manners(
            limits=Limits(per_second=oai.requests_per_second, burst=oai.burst),
            trusted_proxies=config.serve.trusted_proxies,
            limits_own=any(
                config.origins[f"oai.{key}"] != "default" for key in ("requests_per_second", "burst")
            ),
            is_compressing=oai.compress,
        ),
        access_log=access_log,
    )
