"""The pages of records in one format, beside the pages of the portal, on a real port."""

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
from windrow.faces.gateway.getrecord import GetRecord
from windrow.faces.gateway.styling import Styler
from windrow.faces.portal.faces import portal_faces
from windrow.faces.portal.room import Room
from windrow.faces.shared.site import Site
from windrow.finding.addresses import getrecord_path
from windrow.side_process import SideProcess

XSL = "http://www.w3.org/1999/XSL/Transform"


@dataclass
class Desk:
    """What can be asked, the library behind it, and which records were looked at."""

    server: AsgiServer
    catalogue: Catalogue
    folder: Path
    looked_at: list[tuple[int, str]]

    def ask(
        self,
        identifier: str,
        prefix: str = "oai_dc",
        *,
        method: str = "GET",
        headers: Mapping[str, str] | None = None,
    ) -> Got:
        return self.path(getrecord_path(prefix, identifier), method=method, headers=headers)

    def path(self, path: str, *, method: str = "GET", headers: Mapping[str, str] | None = None) -> Got:
        return self.server.ask(path, method, headers={**BROWSER, **(headers or {})})

    def page(self, identifier: str, prefix: str = "oai_dc") -> Page:
        return Page(self.ask(identifier, prefix))

    def drop(self, name: str, body: str, *, declared: str = "") -> Path:
        """Put a stylesheet into the library's folder."""
        (self.folder / "xslt").mkdir(exist_ok=True)
        path = self.folder / "xslt" / name
        path.write_text(sheet(body, declared=declared), encoding="utf-8")
        return path


def sheet(body: str, *, declared: str = "") -> str:
    """A stylesheet with these elements in it."""
    return f'<xsl:stylesheet version="1.0" xmlns:xsl="{XSL}" {declared}>{body}</xsl:stylesheet>'


def whole(body: str) -> str:
    """A template that takes the whole payload."""
    return f'<xsl:template match="/">{body}</xsl:template>'


@contextmanager
def opened(
    folder: Path, catalogue: Catalogue, engine: SideProcess, *, path: str = "", settings: str = SETTINGS
) -> Iterator[Desk]:
    """Serve them; `path` is where the site is for the world."""
    (folder / "windrow.toml").write_text(settings, encoding="utf-8")
    config = load(folder, environ={})
    site = Site(f"https://library.example{path}", config.library.name)
    frames = frames_of(config, site, catalogue)
    seen: list[tuple[int, str]] = []
    pages = GetRecord(
        config,
        frames,
        catalogue.store,
        looked_at=lambda number, source: seen.append((number, source)),
        styler=Styler(engine),
    )
    faces = {
        **portal_faces(Room(config, frames, catalogue.index(), catalogue.store)),
        **gateway_faces(frames, catalogue.store, config.sources, pages),
    }
    with AsgiServer(App(faces, site=site)) as server:
        yield Desk(server, catalogue, folder, seen)
