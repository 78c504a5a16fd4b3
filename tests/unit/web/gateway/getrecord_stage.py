"""The pages of records in one format, beside the pages of the portal, on a real port."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.servers.asgi import AsgiServer, Got
from tests.unit.search.catalogue import Catalogue
from tests.unit.web.portal.stage import BROWSER, SETTINGS, Page, frames_of
from windrow.config.loader import load
from windrow.search.record_addresses import getrecord_path
from windrow.side_process import SideProcess
from windrow.web.app import WebApplication
from windrow.web.gateway.gateway_front_end import gateway_front_ends
from windrow.web.gateway.metadata_page import MetadataView
from windrow.web.gateway.stylesheets import StylesheetRunner
from windrow.web.layout.site import SiteAddress
from windrow.web.portal.portal_context import PortalContext
from windrow.web.portal.portal_front_end import portal_front_ends

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
    site = SiteAddress(f"https://library.example{path}", config.library.name)
    frames = frames_of(config, site, catalogue)
    seen: list[tuple[int, str]] = []
    pages = MetadataView(
        config,
        frames,
        catalogue.store,
        looked_at=lambda number, source: seen.append((number, source)),
        styler=StylesheetRunner(engine),
    )
    faces = {
        **portal_front_ends(PortalContext(config, frames, catalogue.index(), catalogue.store)),
        **gateway_front_ends(frames, catalogue.store, config.sources, pages),
    }
    with AsgiServer(WebApplication(faces, site=site)) as server:
        yield Desk(server, catalogue, folder, seen)
