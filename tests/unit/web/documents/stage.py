"""The portal of a library of documents on a real port."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from tests.servers.asgi import AsgiServer
from tests.unit.web.documents.folder import SOURCE, Folder
from tests.unit.web.portal.stage import Portal
from windrow.config.loader import load
from windrow.web.app import FrontEnd, ServerOptions, WebApplication
from windrow.web.documents.document_files import has_cover
from windrow.web.documents.document_front_end import document_front_ends
from windrow.web.documents.gallery import PictureAvailability
from windrow.web.layout.page_layout import PageLayouts
from windrow.web.layout.site import SiteAddress, serve_asset
from windrow.web.layout.theme import Themes
from windrow.web.portal.portal_context import PortalContext
from windrow.web.portal.portal_front_end import portal_front_ends

SETTINGS = f"""\
[library]
name = "The barn"
contact = "barn@library.example"

[sources.{SOURCE}]
url = "https://barn.example/"
kind = "files"
folder = "../files"

[sources.hay]
url = "https://hay.example/oai"

[portal]
browse = ["folder", "extra:camera"]

[collections.old]
title = "Old hay"
sources = ["hay"]

[collections.shots]
title = "Shots"
sources = ["{SOURCE}"]
"""


@contextmanager
def opened(
    library: Path, folder: Folder, *, path: str = "", manners: ServerOptions | None = None
) -> Iterator[Portal]:
    """Serve the portal with the faces of documents; `path` is where it is for the world."""
    (library / "windrow.toml").write_text(SETTINGS, encoding="utf-8")
    config, catalogue = load(library, environ={}), folder.catalogue
    site, index = SiteAddress(f"https://library.example{path}", config.library.name), catalogue.index()
    frames = PageLayouts(site, Themes(config), gallery=PictureAvailability(index, config.collection_sources))
    room = PortalContext(config, frames, index, catalogue.store, has_cover=partial(has_cover, folder))
    faces: dict[str, FrontEnd] = {
        **portal_front_ends(room),
        **document_front_ends(config, frames, index, catalogue.store, folder),
        "static": serve_asset,
    }
    with AsgiServer(WebApplication(faces, site=site, manners=manners)) as server:
        yield Portal(server, catalogue, path)
