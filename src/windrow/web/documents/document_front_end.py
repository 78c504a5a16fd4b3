"""The front ends for `/document` (files, thumbnails, text) and `/gallery`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from windrow.config.schema import Config
from windrow.errors import UsageError
from windrow.index.protocol import Index
from windrow.store.store import Store
from windrow.web.documents.document_files import DocumentFiles, OriginalFiles, parse_document_path
from windrow.web.documents.document_text import TextView
from windrow.web.documents.gallery import GalleryView
from windrow.web.documents.thumbnails import Thumbnails
from windrow.web.http.content_negotiation import prefers_page
from windrow.web.http.http_request import HttpRefusal, Request, check_read
from windrow.web.http.http_response import Response
from windrow.web.http.thread_pools import RequestPool, SearchPools, ThreadPool
from windrow.web.layout.error_responses import render_missing_page
from windrow.web.layout.page_layout import PageLayouts

FrontEnd = Callable[[Request, str], Awaitable[Response]]
FILE_THREADS = 4


def document_front_ends(
    config: Config,
    frames: PageLayouts,
    index: Index,
    store: Store,
    holdings: DocumentFiles,
    searches: RequestPool | None = None,
) -> dict[str, FrontEnd]:
    """Return the front ends for documents; `holdings` are their files, `searches` the search pool."""
    searches = searches or SearchPools()
    crew = ThreadPool(at_once=FILE_THREADS)
    gallery = GalleryView(config, frames, index)

    async def show_gallery(request: Request, rest: str) -> Response:
        check_read(request.method)
        if rest.strip("/"):
            raise HttpRefusal(404, "There is nothing at this address.")
        try:
            return await searches.run(
                lambda: gallery(request), client=request.client, is_gone=request.is_gone
            )
        except (HttpRefusal, UsageError) as exc:
            if not prefers_page(request.headers.get(b"accept", b"")):
                raise
            return render_missing_page(frames, request, exc)

    return {"document": DocumentFrontEnd(frames, store, holdings, crew), "gallery": show_gallery}


class DocumentFrontEnd:
    """Dispatches `/document/original`, `/document/picture` and `/document/text`."""

    # Thumbnails are parts of pages, as style sheets are: a page with pictures counts as one request.
    extras = ("/picture/",)

    def __init__(self, frames: PageLayouts, store: Store, holdings: DocumentFiles, crew: ThreadPool) -> None:
        self._originals = OriginalFiles(store, holdings)
        self._pictures = Thumbnails(store, holdings)
        self._texts = TextView(frames, store)
        self._crew = crew
        # Separate from the others, because opening a file may wait for a slow disk or an archive.
        self._openers = ThreadPool(at_once=FILE_THREADS)

    async def __call__(self, request: Request, rest: str) -> Response:
        check_read(request.method)
        part, source, identifier = parse_document_path(rest)
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
        raise HttpRefusal(404, "There is nothing at this address.")
