"""The gateway and the sitemaps of a small library on a real port."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.servers.asgi import AsgiServer, Got
from tests.unit.faces.portal.stage import BROWSER, SETTINGS, Page, frames_of
from tests.unit.finding.catalogue import Catalogue
from windrow.config.load import load
from windrow.faces.app import App
from windrow.faces.gateway.face import gateway_faces
from windrow.faces.shared.request import Request
from windrow.faces.shared.response import Response, text
from windrow.faces.shared.site import Site
from windrow.faces.sitemaps.face import sitemap_faces
from windrow.store.leaves import follow


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
        follow(self.catalogue.store)


def told(request: Request, rest: str) -> Response:
    """What stands behind `getrecord`, in words."""
    return text(200, f"record {rest}")


@contextmanager
def opened(
    folder: Path, catalogue: Catalogue, *, path: str = "", settings: str = SETTINGS
) -> Iterator[Gateway]:
    """Serve them; `path` is where the site is for the world."""
    (folder / "windrow.toml").write_text(settings, encoding="utf-8")
    config = load(folder, environ={})
    site = Site(f"https://library.example{path}", config.library.name)
    frames = frames_of(config, site, catalogue)
    faces = {
        **gateway_faces(frames, catalogue.store, config.sources, told),
        **sitemap_faces(catalogue.store, site.url, config.collections),
    }
    with AsgiServer(App(faces, site=site)) as server:
        yield Gateway(server, catalogue)
