"""The API on HTTP: GET from anywhere, JSON back, kept by clients as long as nothing has changed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from functools import partial
from typing import Any

from windrow.faces.api.answers import Answer
from windrow.faces.api.desk import BASE, Desk
from windrow.faces.api.endpoints import ENDPOINTS, Endpoint, find_endpoint
from windrow.faces.api.openapi import describe
from windrow.faces.api.problems import ANYWHERE, problem_of
from windrow.faces.shared.conditional import names_tag
from windrow.faces.shared.crew import ClientGone, Crew, Pool, SearchCrew
from windrow.faces.shared.kept_pages import KeptPages
from windrow.faces.shared.pairs import query_pairs
from windrow.faces.shared.parameters import Asked, check
from windrow.faces.shared.readiness import check_ready, keeping_still
from windrow.faces.shared.refusal import Refused, check_method
from windrow.faces.shared.request import Request
from windrow.faces.shared.response import DATA_HEADERS, NO_CACHE, NO_INDEX, VARY_ENCODING, Header, Response

METHODS = ("GET", "HEAD", "OPTIONS")
VERSION = BASE.rpartition("/")[2]
_JSON: Header = (b"content-type", b"application/json")
_EXPOSED: Header = (b"access-control-expose-headers", b"link, etag, retry-after")
_ALWAYS: tuple[Header, ...] = (NO_CACHE, NO_INDEX, VARY_ENCODING, ANYWHERE, _EXPOSED, *DATA_HEADERS)
_PREFLIGHT: tuple[Header, ...] = (
    ANYWHERE,
    (b"access-control-allow-methods", ", ".join(METHODS).encode()),
    (b"access-control-allow-headers", b"*"),
    (b"access-control-max-age", b"86400"),
)


class ApiFace:
    """Answers under `/api`."""

    def __init__(self, desk: Desk, searches: Pool | None = None) -> None:
        self._desk = desk
        self._crew = Crew()
        self._searches = searches or SearchCrew()
        self._kept = KeptPages()
        self._fixed: dict[str, bytes] = {}

    async def __call__(self, request: Request, rest: str) -> Response:
        """Answer a request; `rest` is the path behind `/api`."""
        try:
            check_method(request.method, METHODS)
            if request.method == "OPTIONS":
                return Response(204, b"", [*_PREFLIGHT, *DATA_HEADERS])
            return await self._answer(request, _inner(rest))
        except ClientGone:
            raise
        except Exception as exc:  # noqa: BLE001 - the request handler of this face, whose failures are JSON too
            return problem_of(exc, request)

    def tell(self, exc: Exception, request: Request) -> Response:
        """Give the response for what went wrong before we were asked."""
        return problem_of(exc, request)

    async def _answer(self, request: Request, path: str) -> Response:
        if path == "/":
            return _response(request, self._made_once(path, self._contents))
        if path == "/openapi.json":
            return _response(request, self._made_once(path, partial(describe, self._desk)))
        match = find_endpoint(path)
        asked = check(match.endpoint.parameters, query_pairs(request.query), match.path)
        work = self._by_index if match.endpoint.follows_index else self._by_store
        crew = self._searches if match.endpoint.is_search else self._crew
        return await crew.run(
            lambda: self._still(lambda: work(request, match.endpoint, asked)),
            client=request.client,
            is_gone=request.is_gone,
        )

    def _still(self, work: Callable[[], Response]) -> Response:
        """Do the work on one state of the index, even if another takes its place meanwhile."""
        with keeping_still(self._desk.index):
            return work()

    def _by_store(self, request: Request, endpoint: Endpoint, asked: Asked) -> Response:
        return _response(request, *_written(endpoint.answer(self._desk, asked)))

    def _by_index(self, request: Request, endpoint: Endpoint, asked: Asked) -> Response:
        """What is the same as long as the index is need not be made again, here or at the client's."""
        check_ready(self._desk.index)
        expander = self._desk.expander
        generation = self._desk.index.generation + ("" if expander is None else f" {expander.mark}")
        key = (request.path, request.query)
        tag = _tag(f"{generation} {request.path}?".encode("utf-8", "replace"), request.query)
        if names_tag(request, tag):
            return _unchanged(tag)
        kept = self._kept.get(generation, key)
        if kept is None:
            body, link = _written(endpoint.answer(self._desk, asked))
            self._kept.put(generation, key, link.encode() + b"\n" + body)
        else:
            start, _, body = kept.partition(b"\n")
            link = start.decode()
        return _response(request, body, link, tag=tag)

    def _made_once(self, path: str, make: Callable[[], object]) -> bytes:
        """Return what stays the same as long as the server runs: making it keeps all requests waiting."""
        if path not in self._fixed:
            self._fixed[path] = _encode(make())
        return self._fixed[path]

    def _contents(self) -> dict[str, Any]:
        items = [{"path": BASE + endpoint.path, "summary": endpoint.summary} for endpoint in ENDPOINTS]
        return {"description": self._desk.link("/openapi.json"), "items": items}


def _inner(rest: str) -> str:
    """The path behind the version of the API."""
    name, _, inner = rest.removeprefix("/").partition("/")
    if name != VERSION:
        raise Refused(404, f"There is one version of the API, at {BASE}/.")
    return f"/{inner}"


def _written(answer: Answer) -> tuple[bytes, str]:
    """The body of an answer, and its Link header."""
    return _encode(answer.value), f'<{answer.next}>; rel="next"' if answer.next else ""


def _encode(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def _response(request: Request, body: bytes, link: str = "", *, tag: bytes = b"") -> Response:
    tag = tag or _tag(body)
    if names_tag(request, tag):
        return _unchanged(tag)
    links: list[Header] = [(b"link", link.encode())] if link else []
    return Response(200, body, [_JSON, (b"etag", tag), *links, *_ALWAYS])


def _unchanged(tag: bytes) -> Response:
    return Response(304, b"", [(b"etag", tag), *_ALWAYS])


def _tag(*parts: bytes) -> bytes:
    """A weak one: compressed or not, it is the same answer."""
    return f'W/"{hashlib.sha256(b"".join(parts)).hexdigest()[:32]}"'.encode()
