"""The first page of a server: what is here, and where."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from windrow.faces.shared.pages import render
from windrow.faces.shared.refusal import Refused, check_read
from windrow.faces.shared.request import Request
from windrow.faces.shared.response import VARY_ENCODING, Response, page
from windrow.faces.shared.site import Site


@dataclass(frozen=True, slots=True)
class Shelf:
    """A part of the library with a base URL of its own."""

    name: str
    title: str


class Home:
    """Answers at the root, and says so where nothing is."""

    def __init__(self, site: Site, *, sources: Sequence[Shelf], collections: Sequence[Shelf]) -> None:
        self._site = site
        self._sources = tuple(sources)
        self._collections = tuple(collections)

    async def __call__(self, request: Request, rest: str) -> Response:
        """Answer with the page; any other address than the root leads nowhere."""
        if rest.strip("/"):
            raise Refused(404, "There is nothing at this address.")
        check_read(request.method)
        body = render(
            "front/home.html", site=self._site, sources=self._sources, collections=self._collections
        )
        return page(body, VARY_ENCODING)
