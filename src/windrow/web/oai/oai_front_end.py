"""The OAI-PMH front end: GET, HEAD and POST to a base URL, XML for harvesters, pages for browsers.

`oai_provider` implements the protocol and returns whole responses; `oai_browser` renders them
as pages. Besides the base URLs there is `/-/`, which cannot be the name of a source, for what
pages need beyond the protocol.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Protocol
from urllib.parse import urlencode

from windrow.formats import http_header, windrow_document
from windrow.formats.wir import wir_record as wir
from windrow.web.http.clients import parse_basic_credentials
from windrow.web.http.content_negotiation import prefers_page
from windrow.web.http.http_request import (
    HttpRefusal,
    Pairs,
    Request,
    check_method,
    check_read,
    parse_form_body,
    parse_query_string,
)
from windrow.web.http.http_response import (
    DATA_HEADERS,
    FOREIGN_HEADERS,
    NO_CACHE,
    NO_INDEX,
    Header,
    Response,
    attachment_header,
    html_response,
)
from windrow.web.http.thread_pools import ThreadPool
from windrow.web.layout.site import SiteAddress, serve_asset
from windrow.web.oai.oai_browser import OaiBrowser
from windrow.web.oai.oai_context import RESERVED_SEGMENT, RepositoryLinks

MAX_BODY_BYTES = 65_536
OAI_METHODS = ("GET", "HEAD", "POST")
LIST_THREADS = 4
PAGE_THREADS = 2
MAX_REQUESTS_WAITING = 1000  # as many as `RequestLimits` admits
_FORM = b"application/x-www-form-urlencoded"
_CHARSETS = (b"", b"utf-8", b"utf8", b"us-ascii", b"ascii")
_XML: Header = (b"content-type", b"text/xml; charset=utf-8")
_VARY: Header = (b"vary", b"accept, accept-encoding")
_PRIVATE: Header = (b"cache-control", b"private, no-store")
# Responses contain metadata as received, so browsers get a page made from them, or plain text.
_XML_HEADERS: tuple[Header, ...] = (_XML, _VARY, attachment_header("oai-pmh.xml"), *FOREIGN_HEADERS)
_TEXT_HEADERS: tuple[Header, ...] = ((b"content-type", b"text/plain; charset=utf-8"), *FOREIGN_HEADERS)

Credentials = tuple[str, str] | None


class AnsweringRepository(Protocol):
    """An OAI-PMH repository."""

    def answer(self, name: str, pairs: Sequence[tuple[str, str]], *, credentials: Credentials) -> bytes:
        """Return the XML response, also for protocol errors; raise NotFound for an unknown name."""
        ...

    def meant(self, name: str, pairs: Sequence[tuple[str, str]]) -> Sequence[tuple[str, str]]:
        """Return the arguments with a resumption token replaced by the arguments it stands for."""
        ...

    def is_slow(self, name: str, pairs: Sequence[tuple[str, str]]) -> bool:
        """Return whether a response may take so long that others should not wait for it."""
        ...


class OaiFrontEnd:
    """The front end for `/oai`, the whole library, and `/oai/NAME`, one source or collection."""

    def __init__(self, repository: AnsweringRepository, *, site: SiteAddress, path: str = "/oai") -> None:
        self._repository = repository
        self._path = path
        # Style sheets under the base URL, because a proxy may forward nothing else.
        self.site = replace(site, assets=f"{path}/{RESERVED_SEGMENT}/static")
        self._explorer = OaiBrowser(self.site, path)
        # A page takes ten times as long as the response it shows, so harvesters have threads of their own.
        most = {"most_waiting": MAX_REQUESTS_WAITING, "most_of_one": MAX_REQUESTS_WAITING}
        self._lists = ThreadPool(at_once=LIST_THREADS, name="oai", **most)
        self._pages = ThreadPool(at_once=PAGE_THREADS, name="oai-page", **most)

    async def __call__(self, request: Request, rest: str) -> Response:
        """Answer a request; `rest` is the path after the library's base URL."""
        name = rest.strip("/")
        if name.partition("/")[0] == RESERVED_SEGMENT:
            return await self._aside(request, name)
        check_method(request.method, OAI_METHODS)
        pairs = await _parse_arguments(request)
        if prefers_page(request.headers.get(b"accept", b"")):
            return await self._page(request, name, pairs)
        return await self._data(request, name, pairs)

    async def _data(
        self, request: Request, name: str, pairs: Pairs, headers: Sequence[Header] = _XML_HEADERS
    ) -> Response:
        credentials = parse_basic_credentials(request.headers.get(b"authorization"))
        work = partial(self._repository.answer, name, pairs, credentials=credentials)
        if self._repository.is_slow(name, pairs):
            body = await self._lists.run(work, client=request.client, is_gone=request.is_gone)
        else:
            body = work()
        caching = _PRIVATE if credentials else NO_CACHE
        return Response(200, body, [*headers, caching])

    async def _page(self, request: Request, name: str, pairs: Pairs) -> Response:
        credentials = parse_basic_credentials(request.headers.get(b"authorization"))

        def ask(pairs: Sequence[tuple[str, str]]) -> bytes:
            return self._repository.answer(name, pairs, credentials=credentials)

        meant = self._repository.meant(name, pairs)
        work = partial(self._explorer.explore, name, pairs, ask, meant=meant)
        body = await self._pages.run(work, client=request.client, is_gone=request.is_gone)
        return html_response(body, _VARY)

    async def _aside(self, request: Request, path: str) -> Response:
        """Answer requests under `/-/`: XML in a browser, a submitted form, static files."""
        check_read(request.method)
        _, _, inner = path.partition("/")
        what, _, name = inner.partition("/")
        if what == "xml":
            return await self._data(
                request, name, parse_query_string(request.query), (*_TEXT_HEADERS, NO_INDEX)
            )
        if what == "go":
            return self._go(name, parse_query_string(request.query))
        for own in (http_header, windrow_document, wir):
            if what == own.SCHEMA_FILE:
                return Response(200, own.schema(), [_XML, *DATA_HEADERS])
        if what == "static":
            return await serve_asset(request, name)
        raise HttpRefusal(404, "There is nothing at this address.")

    def _go(self, name: str, pairs: Pairs) -> Response:
        """Redirect from a form to its request, without empty fields, which the protocol does not allow."""
        filled = [(key, value.strip()) for key, value in pairs if value.strip()]
        places = RepositoryLinks(self.site, self._path, name)
        location = f"{places.base}?{urlencode(filled)}".encode("ascii", "ignore")
        return Response(303, b"", [(b"location", location), NO_CACHE, NO_INDEX, *DATA_HEADERS])


async def _parse_arguments(request: Request) -> Pairs:
    """Return the arguments of a request; a POST has those of its body and, unusually, of its query string."""
    pairs = parse_query_string(request.query)
    if request.method != "POST":
        return pairs
    body = await request.body(MAX_BODY_BYTES)
    kind, charset = _content_type(request.headers.get(b"content-type", b""))
    if (body or kind) and (kind != _FORM or charset not in _CHARSETS):
        raise HttpRefusal(415, f"A POST must have arguments as {_FORM.decode()}, in UTF-8.")
    return pairs + parse_form_body(body)


def _content_type(header: bytes) -> tuple[bytes, bytes]:
    kind, *parameters = (part.strip().lower() for part in header.split(b";"))
    found = (part[8:].strip(b'"') for part in parameters if part.startswith(b"charset="))
    return kind, next(found, b"")
