"""`/document/picture/SOURCE/IDENTIFIER?size=…&page=…`: a small picture of a document, or of one of its pages.

A picture made earlier is returned immediately. Few are made at a time, in the process that parses untrusted
files; further clients are asked to try again later.
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict

from windrow.store.store import Store
from windrow.web.documents.document_files import PICTURE_PIXELS, DocumentFiles, check_public_record
from windrow.web.http.conditional import matches_none_match
from windrow.web.http.http_request import HttpRefusal, Request, parse_query_string
from windrow.web.http.http_response import DATA_HEADERS, NO_INDEX, Header, Response
from windrow.web.http.thread_pools import ThreadPool

LAST_PAGE = 100_000
MAX_RENDERINGS = 2
MAX_RENDERINGS_WAITING = 100  # enough for a page of pictures with several viewers
MAX_KNOWN_WITHOUT = 10_000  # keys remembered as having no picture
_PICTURE_SIGNATURES = {b"\xff\xd8\xff": b"image/jpeg", b"\x89PNG\r\n": b"image/png", b"RIFF": b"image/webp"}
_CACHE_ONE_DAY: Header = (b"cache-control", b"public, max-age=86400")
_NO_PICTURE = "There is no picture of this document."

# A document's number, its latest change, and the requested size and page.
_Key = tuple[int, int, int, int]


class Thumbnails:
    """The view of thumbnails."""

    def __init__(
        self,
        store: Store,
        holdings: DocumentFiles,
        *,
        at_once: int = MAX_RENDERINGS,
        most_waiting: int = MAX_RENDERINGS_WAITING,
    ) -> None:
        self._store = store
        self._holdings = holdings
        self._finders = ThreadPool()
        self._makers = ThreadPool(at_once=at_once, most_waiting=most_waiting)
        self._without = _KnownWithoutPicture()

    async def __call__(self, request: Request, source: str, identifier: str) -> Response:
        """Return a picture; raise HttpRefusal (404) where the document has none."""
        size, page = _parse_size_and_page(request)
        holdings = self._holdings

        def look() -> tuple[_Key, bytes | None]:
            state = check_public_record(self._store, source, identifier)
            return (state.number, state.seq, size, page), holdings.kept_picture(
                source, identifier, size=size, page=page
            )

        key, found = await self._finders.run(look, client=request.client, is_gone=request.is_gone)
        if found is None and key not in self._without:
            found = await self._makers.run(
                lambda: holdings.make_picture(source, identifier, size=size, page=page),
                client=request.client,
                is_gone=request.is_gone,
            )
        if found is None:
            self._without.add(key)
            raise HttpRefusal(404, _NO_PICTURE)
        return _picture_response(request, found)


class _KnownWithoutPicture:
    """Keys known to have no picture, so that clients cannot have it tried again and again. Thread-safe."""

    def __init__(self) -> None:
        self._keys: OrderedDict[_Key, None] = OrderedDict()
        self._turn = threading.Lock()

    def __contains__(self, key: _Key) -> bool:
        return key in self._keys

    def add(self, key: _Key) -> None:
        with self._turn:
            self._keys[key] = None
            if len(self._keys) > MAX_KNOWN_WITHOUT:
                self._keys.popitem(last=False)


def _picture_response(request: Request, picture: bytes) -> Response:
    kind = next((kind for start, kind in _PICTURE_SIGNATURES.items() if picture.startswith(start)), None)
    if kind is None:  # a plug-in's output is not passed on under a type that was not checked
        raise HttpRefusal(404, _NO_PICTURE)
    tag = f'"{hashlib.sha256(picture).hexdigest()[:20]}"'.encode()
    headers = [(b"etag", tag), _CACHE_ONE_DAY, NO_INDEX, *DATA_HEADERS]
    if matches_none_match(request, tag):
        return Response(304, b"", headers)
    return Response(200, picture, [(b"content-type", kind), *headers])


def _parse_size_and_page(request: Request) -> tuple[int, int]:
    """Parse size and page. Only a few sizes exist, so that clients cannot fill the disk."""
    pairs = dict(parse_query_string(request.query))
    size, page = _parse_page(pairs.get("size", "320")), _parse_page(pairs.get("page", "1"))
    if size not in PICTURE_PIXELS or not 1 <= page <= LAST_PAGE:
        sizes = ", ".join(map(str, PICTURE_PIXELS))
        raise HttpRefusal(404, f"Pictures are {sizes} pixels in size, and pages count from 1.")
    return size, page


def _parse_page(text: str) -> int:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 7 else 0
