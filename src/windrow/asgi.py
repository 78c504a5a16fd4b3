"""Mount a library in another web application, as one ASGI application."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from typing import TYPE_CHECKING

from windrow.wiring import open_library
from windrow.wiring.sets import follow_sets
from windrow.wiring.upkeep_threads import index_once
from windrow.wiring.web_application import web_app

if TYPE_CHECKING:
    from windrow.web.app import WebApplication
    from windrow.web.http.http_request import Receive, Scope, Send


class LibraryApp:
    """The ASGI application.

    `begin` is called at the first request, because a server may fork after construction.
    """

    def __init__(self, app: WebApplication, *, begin: Callable[[], None]) -> None:
        self._app = app
        self._begin: Callable[[], None] | None = begin

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        begin, self._begin = self._begin, None
        if begin is not None:
            begin()
        await self._app(scope, receive, send)


def library_app(folder: str | PathLike[str], *, url: str) -> LibraryApp:
    """Return the library in a folder as an ASGI application, to be mounted at the public address `url`.

    Its OAI-PMH base URL is `url` followed by /oai. At the first request it updates the index in the
    background.
    """
    opened = open_library(str(folder), flags={"serve.url": url})
    follow_sets(opened)
    return LibraryApp(web_app(opened, url), begin=lambda: index_once(opened))
