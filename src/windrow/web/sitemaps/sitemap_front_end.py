"""The front ends for `/sitemap.xml` and `/sitemaps/`."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable
from functools import partial

from windrow import __version__
from windrow.store import sources
from windrow.store.store import Store
from windrow.vocabularies.vocabulary_directory import VocabularyDirectory
from windrow.web.http.compression import gzip
from windrow.web.http.conditional import is_unchanged, not_modified, validator_headers, weak_etag
from windrow.web.http.http_request import HttpRefusal, Request, check_read
from windrow.web.http.http_response import DATA_HEADERS, NO_CACHE, VARY_ENCODING, Header, Response
from windrow.web.http.thread_pools import ThreadPool
from windrow.web.layout.page_cache import check_lists_ready
from windrow.web.sitemaps.sitemap_files import PAGES_NAME, Sitemaps, page_paths, vocabulary_paths

FrontEnd = Callable[[Request, str], Awaitable[Response]]

SITEMAP_THREADS = 2  # a file is much work, and crawlers request all of them
_PATH = re.compile(r"/(?P<name>[^/]+?)(?P<ending>\.xml|\.xml\.gz)")
_NAME = re.compile(r"(?P<source>.+)-(?P<number>[1-9][0-9]{0,8})")
_XML: Header = (b"content-type", b"text/xml; charset=utf-8")
_GZIP: Header = (b"content-type", b"application/gzip")
_NOTHING = "There is no such sitemap."


def sitemap_front_ends(
    store: Store, url: str, collections: Iterable[str], vocabularies: VocabularyDirectory | None = None
) -> dict[str, FrontEnd]:
    more = partial(vocabulary_paths, vocabularies or VocabularyDirectory(store))
    made = SitemapFrontEnd(store, Sitemaps(url, page_paths(collections), more=more))
    return {"sitemap.xml": made.index, "sitemaps": made.file}


class SitemapFrontEnd:
    """The sitemaps of a library; `index` and `file` are its two front ends."""

    def __init__(self, store: Store, sitemaps: Sitemaps) -> None:
        self._store = store
        self._sitemaps = sitemaps
        self._crew = ThreadPool(at_once=SITEMAP_THREADS)

    async def index(self, request: Request, rest: str) -> Response:
        check_read(request.method)
        if rest:
            raise HttpRefusal(404, _NOTHING)
        return await self._crew.run(
            partial(self._index, request), client=request.client, is_gone=request.is_gone
        )

    async def file(self, request: Request, rest: str) -> Response:
        """Return a file, compressed if its name ends in .gz."""
        check_read(request.method)
        path = _PATH.fullmatch(rest)
        if path is None:
            raise HttpRefusal(404, _NOTHING)
        is_packed = path["ending"] == ".xml.gz"
        if path["name"] == PAGES_NAME:
            work = partial(self._pages, is_packed=is_packed)
            return await self._crew.run(work, client=request.client, is_gone=request.is_gone)
        name = _NAME.fullmatch(path["name"])
        if name is None:
            raise HttpRefusal(404, _NOTHING)
        work = partial(self._file, request, name["source"], int(name["number"]), is_packed=is_packed)
        return await self._crew.run(work, client=request.client, is_gone=request.is_gone)

    def _pages(self, *, is_packed: bool) -> Response:
        return _xml_response(self._sitemaps.pages(), is_packed=is_packed)

    def _index(self, request: Request) -> Response:
        with self._store.reading() as connection:
            check_lists_ready(connection)
            listed, modified = self._sitemaps.listed(connection)
        etag = weak_etag("sitemaps", __version__, self._sitemaps.url, listed)
        if is_unchanged(request, etag, modified):
            return not_modified(etag, modified, VARY_ENCODING)
        return _xml_response(self._sitemaps.index(listed), *validator_headers(etag, modified))

    def _file(self, request: Request, source: str, number: int, *, is_packed: bool) -> Response:
        with self._store.reading() as connection:
            if sources.find(connection, source) is None:  # nor will it exist in a few seconds
                raise HttpRefusal(404, _NOTHING)
            check_lists_ready(connection)
            found = self._sitemaps.find(connection, source, number)
            if found is None:
                raise HttpRefusal(404, _NOTHING)
            etag = weak_etag("sitemap", __version__, self._sitemaps.url, found.mark, is_packed)
            if is_unchanged(request, etag, found.at):
                return not_modified(etag, found.at, VARY_ENCODING)
            body = self._sitemaps.file(connection, found)
        return _xml_response(body, *validator_headers(etag, found.at), is_packed=is_packed)


def _xml_response(body: bytes, *headers: Header, is_packed: bool = False) -> Response:
    kind = _GZIP if is_packed else _XML
    packed = gzip(body) if is_packed else body
    return Response(200, packed, [kind, NO_CACHE, VARY_ENCODING, *DATA_HEADERS, *headers])
