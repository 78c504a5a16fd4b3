"""The gateway and the sitemaps of a small library on a real port."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.servers.asgi import AsgiServer, Got
from tests.unit.search.catalogue import Catalogue
from tests.unit.web.portal.stage import BROWSER, SETTINGS, Page, frames_of
from windrow.config.loader import load
from windrow.store.published.list_pages import update_list_pages
from windrow.web.app import WebApplication
from windrow.web.gateway.gateway_front_end import gateway_front_ends
from windrow.web.http.http_request import Request
from windrow.web.http.http_response import Response, text_response
from windrow.web.layout.site import SiteAddress
from windrow.web.sitemaps.sitemap_front_end import sitemap_front_ends


@dataclass
class Gateway:
    """What can be asked, and what it is about."""

    server: AsgiServer
    catalogue: Catalogue

    def ask(self, path: str, *, language: str = "en", headers: Mapping[str, str] | None = None) -> Got:
        return self.server.ask(path, headers={**BROWSER, "Accept-Language": language, **(headers or {})})

    def page(self, path: str, *, language: str = "en") -> Page:
        return Page(self.ask(path, language=language))

    def follow(self) -> None:
        update_list_pages(self.catalogue.store)


def told(request: Request, rest: str) -> Response:
    """What stands behind `getrecord`, in words."""
    return text_response(200, f"record {rest}")


@contextmanager
def opened(
    folder: Path, catalogue: Catalogue, *, path: str = "", settings: str = SETTINGS
) -> Iterator[Gateway]:
    """Serve them; `path` is where the site is for the world."""
    (folder / "windrow.toml").write_text(settings, encoding="utf-8")
    config = load(folder, environ={})
    site = SiteAddress(f"https://library.example{path}", config.library.name)
    frames = frames_of(config, site, catalogue)
    faces = {
        **gateway_front_ends(frames, catalogue.store, config.sources, told),
        **sitemap_front_ends(catalogue.store, site.url, config.collections),
    }
    with AsgiServer(WebApplication(faces, site=site)) as server:
        yield Gateway(server, catalogue)
