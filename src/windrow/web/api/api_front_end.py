"""The HTTP side of the JSON API: routing, CORS, conditional requests and errors.

Only GET, HEAD and OPTIONS are answered, from any origin. Answers that depend on the index alone carry an
entity tag made from its generation, so they are computed once per generation and clients may cache them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from functools import partial
from typing import Any

from windrow.web.api.api_answers import ApiAnswer
from windrow.web.api.api_context import API_BASE, ApiContext
from windrow.web.api.api_page import ApiPage
from windrow.web.api.endpoints import ENDPOINTS, Endpoint, find_endpoint
from windrow.web.api.openapi import describe_api
from windrow.web.http.conditional import matches_none_match
from windrow.web.http.content_negotiation import best_media_type
from windrow.web.http.http_request import HttpRefusal, Request, check_method, parse_query_string
from windrow.web.http.http_response import DATA_HEADERS, NO_CACHE, NO_INDEX, VARY_ENCODING, Header, Response
from windrow.web.http.parameters import CheckedParameters, check_parameters
from windrow.web.http.thread_pools import ClientGone, RequestPool, SearchPools, ThreadPool
from windrow.web.layout.error_responses import ALLOW_ANY_ORIGIN, problem_of_exception
from windrow.web.layout.page_cache import PageCache, check_index_ready, pinned_index
from windrow.web.layout.page_layout import PageLayouts

API_METHODS = ("GET", "HEAD", "OPTIONS")
VERSION = API_BASE.rpartition("/")[2]
_JSON: Header = (b"content-type", b"application/json")
_VARY_ACCEPT: Header = (b"vary", b"accept, accept-encoding")
_EXPOSED_HEADERS: Header = (b"access-control-expose-headers", b"link, etag, retry-after")
_API_HEADERS: tuple[Header, ...] = (
    NO_CACHE,
    NO_INDEX,
    ALLOW_ANY_ORIGIN,
    _EXPOSED_HEADERS,
    *DATA_HEADERS,
)
_PREFLIGHT: tuple[Header, ...] = (
    ALLOW_ANY_ORIGIN,
    (b"access-control-allow-methods", ", ".join(API_METHODS).encode()),
    (b"access-control-allow-headers", b"*"),
    (b"access-control-max-age", b"86400"),
)


class ApiFrontEnd:
    """The front end for `/api`: JSON, and a page about it for browsers."""

    def __init__(self, desk: ApiContext, frames: PageLayouts, searches: RequestPool | None = None) -> None:
        self._desk = desk
        self._page = ApiPage(frames, desk)
        self._crew = ThreadPool()
        self._searches = searches or SearchPools()
        self._kept = PageCache()
        self._fixed: dict[str, bytes] = {}

    async def __call__(self, request: Request, rest: str) -> Response:
        """Answer a request; `rest` is the path after `/api`."""
        try:
            check_method(request.method, API_METHODS)
            if request.method == "OPTIONS":
                return Response(204, b"", [*_PREFLIGHT, *DATA_HEADERS])
            if rest.strip("/") in ("", VERSION) and _prefers_page(request):
                return await self._crew.run(
                    lambda: self._still(lambda: self._page.show(request)),
                    client=request.client,
                    is_gone=request.is_gone,
                )
            return await self._answer(request, _path_in_version(rest))
        except ClientGone:
            raise
        except Exception as exc:  # noqa: BLE001 - the request handler of this front end, whose errors are JSON too
            return problem_of_exception(exc, request)

    def tell(self, exc: Exception, request: Request) -> Response:
        """Return the problem document for an error raised before the request reached this front end."""
        return problem_of_exception(exc, request)

    async def _answer(self, request: Request, path: str) -> Response:
        if path == "/":
            return _json_response(request, self._made_once(path, self._contents), vary=_VARY_ACCEPT)
        if path == "/openapi.json":
            return _json_response(request, self._made_once(path, partial(describe_api, self._desk)))
        match = find_endpoint(path)
        asked = check_parameters(match.endpoint.parameters, parse_query_string(request.query), match.path)
        work = self._by_index if match.endpoint.follows_index else self._by_store
        crew = self._searches if match.endpoint.is_search else self._crew
        return await crew.run(
            lambda: self._still(lambda: work(request, match.endpoint, asked)),
            client=request.client,
            is_gone=request.is_gone,
        )

    def _still(self, work: Callable[[], Response]) -> Response:
        """Run the work on one generation of the index, even if it is replaced meanwhile."""
        with pinned_index(self._desk.index):
            return work()

    def _by_store(self, request: Request, endpoint: Endpoint, asked: CheckedParameters) -> Response:
        return _json_response(request, *_serialise(endpoint.answer(self._desk, asked)))

    def _by_index(self, request: Request, endpoint: Endpoint, asked: CheckedParameters) -> Response:
        """Answer an endpoint that depends on the index alone, from the cache where possible."""
        check_index_ready(self._desk.index)
        expander = self._desk.expander
        generation = self._desk.index.generation + ("" if expander is None else f" {expander.mark}")
        key = (request.path, request.query)
        tag = _api_etag(f"{generation} {request.path}?".encode("utf-8", "replace"), request.query)
        if matches_none_match(request, tag):
            return _not_modified(tag)
        kept = self._kept.get(generation, key)
        if kept is None:
            body, link = _serialise(endpoint.answer(self._desk, asked))
            self._kept.put(generation, key, link.encode() + b"\n" + body)
        else:
            start, _, body = kept.partition(b"\n")
            link = start.decode()
        return _json_response(request, body, link, tag=tag)

    def _made_once(self, path: str, make: Callable[[], object]) -> bytes:
        """Return a document that never changes while the server runs, made only once."""
        if path not in self._fixed:
            self._fixed[path] = _encode_json(make())
        return self._fixed[path]

    def _contents(self) -> dict[str, Any]:
        items = [{"path": API_BASE + endpoint.path, "summary": endpoint.summary} for endpoint in ENDPOINTS]
        return {"description": self._desk.link("/openapi.json"), "items": items}


def _path_in_version(rest: str) -> str:
    name, _, inner = rest.removeprefix("/").partition("/")
    if name != VERSION:
        raise HttpRefusal(404, f"There is one version of the API, at {API_BASE}/.")
    return f"/{inner}"


def _serialise(answer: ApiAnswer) -> tuple[bytes, str]:
    return _encode_json(answer.value), f'<{answer.next}>; rel="next"' if answer.next else ""


def _encode_json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def _prefers_page(request: Request) -> bool:
    """Return whether a browser asks; a program that accepts anything gets JSON."""
    accept = request.headers.get(b"accept", b"")
    return best_media_type(accept, ("application/json", "text/html")) == "text/html"


def _json_response(
    request: Request, body: bytes, link: str = "", *, tag: bytes = b"", vary: Header = VARY_ENCODING
) -> Response:
    tag = tag or _api_etag(body)
    if matches_none_match(request, tag):
        return _not_modified(tag, vary)
    links: list[Header] = [(b"link", link.encode())] if link else []
    return Response(200, body, [_JSON, (b"etag", tag), *links, vary, *_API_HEADERS])


def _not_modified(tag: bytes, vary: Header = VARY_ENCODING) -> Response:
    return Response(304, b"", [(b"etag", tag), vary, *_API_HEADERS])


def _api_etag(*parts: bytes) -> bytes:
    """Return a weak entity tag, because the answer may be sent compressed or not."""
    return f'W/"{hashlib.sha256(b"".join(parts)).hexdigest()[:32]}"'.encode()
