"""Answers under `/document` and `/gallery`: files, pictures of them, their text, all pictures together."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from windrow.config.schema import Config
from windrow.errors import UsageError
from windrow.faces.documents.gallery import Gallery
from windrow.faces.documents.holdings import Holdings
from windrow.faces.documents.named import read_name
from windrow.faces.documents.originals import Originals
from windrow.faces.documents.pictures import Pictures
from windrow.faces.documents.texts import Texts
from windrow.faces.shared.accepting import prefers_page
from windrow.faces.shared.crew import Crew, Pool, SearchCrew
from windrow.faces.shared.frame import Frames
from windrow.faces.shared.missing import show_missing
from windrow.faces.shared.refusal import Refused, check_read
from windrow.faces.shared.request import Request
from windrow.faces.shared.response import Response
from windrow.index.protocol import Index
from windrow.store.store import Store

Face = Callable[[Request, str], Awaitable[Response]]
AT_ONCE = 4


def document_faces(
    config: Config,
    frames: Frames,
    index: Index,
    store: Store,
    holdings: Holdings,
    searches: Pool | None = None,
) -> dict[str, Face]:
    """Give the faces for documents; `holdings` are the files behind them, `searches` the pool of searches."""
    searches = searches or SearchCrew()
    crew = Crew(at_once=AT_ONCE)
    gallery = Gallery(config, frames, index)

    async def show_gallery(request: Request, rest: str) -> Response:
        check_read(request.method)
        if rest.strip("/"):
            raise Refused(404, "There is nothing at this address.")
        try:
            return await searches.run(
                lambda: gallery(request), client=request.client, is_gone=request.is_gone
            )
        except (Refused, UsageError) as exc:
            if not prefers_page(request.headers.get(b"accept", b"")):
                raise
            return show_missing(frames, request, exc)

    return {"document": DocumentFace(frames, store, holdings, crew), "gallery": show_gallery}


class DocumentFace:
    """Finds what is asked for of a document: `/original`, `/picture` or `/text`."""

    # Part of a page, as a style sheet is: a page of pictures is no more to whoever counts than any other.
    extras = ("/picture/",)

    def __init__(self, frames: Frames, store: Store, holdings: Holdings, crew: Crew) -> None:
        self._originals = Originals(store, holdings)
        self._pictures = Pictures(store, holdings)
        self._texts = Texts(frames, store)
        self._crew = crew
        # Apart from the others: a file is opened on a slow disk, or taken out of an archive.
        self._openers = Crew(at_once=AT_ONCE)

    async def __call__(self, request: Request, rest: str) -> Response:
        """Give a file, a picture or a page of text."""
        check_read(request.method)
        part, source, identifier = read_name(rest)
        if part == "picture":
            return await self._pictures(request, source, identifier)
        if part == "original":
            return await self._openers.run(
                lambda: self._originals(request, source, identifier),
                client=request.client,
                is_gone=request.is_gone,
            )
        if part == "text":
            return await self._crew.run(
                lambda: self._texts(request, source, identifier),
                client=request.client,
                is_gone=request.is_gone,
            )
        raise Refused(404, "There is nothing at this address.")
