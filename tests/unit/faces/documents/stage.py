"""The portal of a library of documents on a real port."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from tests.servers.asgi import AsgiServer
from tests.unit.faces.documents.folder import SOURCE, Folder
from tests.unit.faces.portal.stage import Portal
from windrow.config.load import load
from windrow.faces.app import App, Face, Manners
from windrow.faces.documents.face import document_faces
from windrow.faces.documents.holdings import has_cover
from windrow.faces.documents.pictured import Pictured
from windrow.faces.portal.faces import portal_faces
from windrow.faces.portal.room import Room
from windrow.faces.shared.assets import serve_asset
from windrow.faces.shared.frame import Frames
from windrow.faces.shared.look import Looks
from windrow.faces.shared.site import Site

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
    library: Path, folder: Folder, *, path: str = "", manners: Manners | None = None
) -> Iterator[Portal]:
    """Serve the portal with the faces of documents; `path` is where it is for the world."""
    (library / "windrow.toml").write_text(SETTINGS, encoding="utf-8")
    config, catalogue = load(library, environ={}), folder.catalogue
    site, index = Site(f"https://library.example{path}", config.library.name), catalogue.index()
    frames = Frames(site, Looks(config), gallery=Pictured(index, config.collection_sources))
    room = Room(config, frames, index, catalogue.store, has_cover=partial(has_cover, folder))
    faces: dict[str, Face] = {
        **portal_faces(room),
        **document_faces(config, frames, index, catalogue.store, folder),
        "static": serve_asset,
    }
    with AsgiServer(App(faces, site=site, manners=manners)) as server:
        yield Portal(server, catalogue, path)
