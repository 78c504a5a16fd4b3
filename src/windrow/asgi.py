"""A library inside another web application: one ASGI application to mount."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING

from windrow.wiring import open_library

if TYPE_CHECKING:
    from windrow.faces.app import App


def library_app(folder: str | PathLike[str], *, url: str) -> App:
    """Give the library in a folder as an ASGI application; `url` is the public address it is mounted at.

    Its OAI-PMH base URL is `url` and /oai behind it.
    """
    opened = open_library(str(folder), flags={"serve.url": url})
    opened.follow_sets()
    return opened.app(url)
