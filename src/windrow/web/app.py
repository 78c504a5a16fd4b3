"""The ASGI application: routes a path to its front end, applies rate limits and sends the response.

There is no framework between the server and a front end: OAI-PMH answers are short, and a framework's routing
would cost more than they do. A small response is sent whole; a larger one in pieces as the client reads.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from functools import partial

from windrow.web.http.access_log import AccessLog
from windrow.web.http.clients import ClientResolver
from windrow.web.http.compression import compress_in_thread
from windrow.web.http.http_request import (
    DISCONNECT_CALLABLE,
    DISCONNECT_EXTENSION,
    HttpRefusal,
    Receive,
    Request,
    Scope,
    Send,
    never_disconnected,
)
from windrow.web.http.http_response import BodyPieces, Response, text_response
from windrow.web.http.rate_limits import PageRateLimiter, PageRateLimits, RequestLimiter, RequestLimits
from windrow.web.http.thread_pools import POOL_BUSY_SECONDS, ClientGone
from windrow.web.http.visitors import VisitCounter
from windrow.web.layout.error_responses import busy_response, failure_response, too_many_requests
from windrow.web.layout.site import SiteAddress

# A small response is sent whole, a larger one in pieces as the client reads. A body that is generated while
# it is sent is generated in threads, and generation stops when the client disconnects.

WHOLE_BYTES = 128 * 1024
PIECE_BYTES = 64 * 1024


async def send_response(send: Send, response: Response, *, is_head: bool, gate: RequestLimiter) -> int:
    """Send a response and return the number of body bytes sent. Stops when the client has disconnected."""
    body = response.body
    headers = response.headers
    if response.status != 304:  # a 304 would state the length of the full representation (RFC 9110 §8.6)
        headers = [*headers, (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": response.status, "headers": headers})
    if is_head:
        await send({"type": "http.response.body", "body": b""})
        return 0
    if len(body) <= WHOLE_BYTES:
        await send({"type": "http.response.body", "body": body})
    else:
        await _send_in_pieces(send, body, gate)
    return len(body)


async def _send_in_pieces(send: Send, body: bytes, gate: RequestLimiter) -> None:
    """Send in pieces: the server accepts the next one when the client has read enough of the earlier ones.

    Meanwhile the body is held in memory, so the limiter counts it and may cancel this delivery.
    """
    task = asyncio.current_task()
    assert task is not None
    with gate.delivering(len(body), task.cancel) as delivery:
        view = memoryview(body)
        for start in range(0, len(body), PIECE_BYTES):
            piece = bytes(view[start : start + PIECE_BYTES])
            is_last = start + PIECE_BYTES >= len(body)
            await send({"type": "http.response.body", "body": piece, "more_body": not is_last})
            delivery.get_on()


async def stream_response(send: Send, receive: Receive, response: Response, *, is_head: bool) -> int:
    """Send a response whose body is generated on the way; return the number of body bytes sent."""
    pieces = response.pieces
    assert pieces is not None
    run = response.crew.run if response.crew is not None else asyncio.to_thread
    gone = asyncio.ensure_future(_wait_for_disconnect(receive))
    size = 0
    try:
        await send({"type": "http.response.start", "status": response.status, "headers": response.headers})
        while not is_head and not gone.done():
            piece = await run(partial(_join_pieces, pieces))
            if not piece:
                break
            size += len(piece)
            await send({"type": "http.response.body", "body": piece, "more_body": True})
        if not gone.done():
            await send({"type": "http.response.body", "body": b""})
    finally:
        gone.cancel()
        await run(pieces.close)
    return size


async def _wait_for_disconnect(receive: Receive) -> None:
    """Wait until the client disconnects. A GET has no body, so the next message is the disconnect."""
    while (await receive())["type"] != "http.disconnect":
        pass


def _join_pieces(pieces: BodyPieces) -> bytes:
    """Join small pieces up to PIECE_BYTES, so that each line is not sent separately; empty at the end."""
    found: list[bytes] = []
    size = 0
    while size < PIECE_BYTES:
        try:
            piece = next(pieces)
        except StopIteration:
            break
        found.append(piece)
        size += len(piece)
    return b"".join(found)


# A front end answers requests under its name and gets the rest of the path. The errors of one with a `site`
# attribute are rendered there; one with a `tell` method renders errors itself. Paths that begin with one of
# its `extras` are parts of pages, such as pictures: they are not rate limited and not counted.
FrontEnd = Callable[[Request, str], Awaitable[Response]]


_PARTIAL_CONTENT = 206  # a viewer requests a file in many parts on behalf of one visitor

_CLOSED_EARLY = (
    "The connection was closed while this request waited for its turn. Keep it open, and try again in"
    f" {POOL_BUSY_SECONDS} seconds."
)

FailureResponder = Callable[[Exception, Request], Response]


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """How an application treats its clients."""

    limits: RequestLimits = field(default_factory=RequestLimits)  # for the front ends named in `limited`
    limited: frozenset[str] = frozenset({"oai"})
    trusted_proxies: tuple[str, ...] = ("127.0.0.1", "::1")
    limits_own: bool = False  # whether trusted proxies' own requests are limited too
    budget: PageRateLimits | None = (
        None  # for front ends in neither `limited` nor `free`; None means no page limit
    )
    budgets_own: bool = False  # as `limits_own`
    free: frozenset[str] = frozenset({"static", "look", "health", "robots.txt"})
    # Requests that are not page views and do not count as visits.
    uncounted: frozenset[str] = frozenset({"api", "sru", "suggest", "language", "opensearch.xml"})
    is_compressing: bool = True


class WebApplication:
    """An ASGI application of front ends by the first segment of their paths; "" takes all others."""

    def __init__(
        self,
        front_ends: Mapping[str, FrontEnd],
        *,
        site: SiteAddress,
        manners: ServerOptions | None = None,
        access_log: AccessLog | None = None,
        visits: VisitCounter | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        manners = manners or ServerOptions()
        self._front_ends = {"": _not_found, **front_ends}
        self._sites = {name: getattr(front_end, "site", site) for name, front_end in self._front_ends.items()}
        self._tellers: dict[str, FailureResponder | None] = {
            name: getattr(front_end, "tell", None) for name, front_end in self._front_ends.items()
        }
        self._extras: dict[str, tuple[str, ...]] = {
            name: getattr(front_end, "extras", ()) for name, front_end in self._front_ends.items()
        }
        self._root = site.path
        self._limited = manners.limited
        self._limits_own = manners.limits_own
        self._budgets_own = manners.budgets_own
        self._pages = frozenset(self._front_ends) - manners.limited - manners.free
        self._counted = self._pages - manners.uncounted
        self._is_compressing = manners.is_compressing
        self._clients = ClientResolver(manners.trusted_proxies)
        self._gate = RequestLimiter(manners.limits, clock=clock)
        self._budget = PageRateLimiter(manners.budget, clock=clock) if manners.budget else None
        self._log = access_log
        self._visits = visits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await self._serve(scope, receive, send)
        elif scope["type"] == "lifespan":
            await _handle_lifespan(receive, send)
        else:
            await send({"type": "websocket.close", "code": 1000})

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = dict(scope["headers"])
        peer = scope.get("client") or ("", 0)
        client = self._clients.find(peer[0], headers.get(b"x-forwarded-for"))
        is_gone = (
            scope.get("extensions", {})
            .get(DISCONNECT_EXTENSION, {})
            .get(DISCONNECT_CALLABLE, never_disconnected)
        )
        request = Request(
            scope["method"], scope["path"], scope["query_string"], headers, client, receive, is_gone
        )
        name, rest = self._find(_inner_path(scope))
        is_extra = rest.startswith(self._extras[name])
        if name in self._limited:
            status, size = await self._admit(name, rest, request, send)
        elif self._budget is not None and name in self._pages and not is_extra:
            status, size = await self._spend(self._budget, name, rest, request, send)
        else:
            status, size = await self._respond(name, rest, request, send)
        is_page = name in self._counted and not is_extra
        is_seen = is_page and (200 <= status < 300 or status == 304) and status != _PARTIAL_CONTENT
        if self._visits is not None and is_seen:
            self._visits.count(headers.get(b"user-agent", b""), headers.get(b"referer", b""))
        if self._log is not None:
            self._log.write(request, scope.get("http_version", "1.1"), status, size)

    async def _admit(self, name: str, rest: str, request: Request, send: Send) -> tuple[int, int]:
        counted = self._payer(request.client, is_strict=self._limits_own)
        seconds = self._gate.enter(counted)
        if seconds:
            response = busy_response(request, self._sites[name], seconds, "Too many requests at once.")
            return await self._send(response, request, send)
        try:
            return await self._respond(name, rest, request, send)
        finally:
            self._gate.leave(counted)

    async def _spend(
        self, budget: PageRateLimiter, name: str, rest: str, request: Request, send: Send
    ) -> tuple[int, int]:
        payer = self._payer(request.client, is_strict=self._budgets_own)
        seconds = budget.wait(payer, request.headers.get(b"user-agent", b""))
        if seconds:
            return await self._send(self._fail(name, too_many_requests(seconds), request), request, send)
        return await self._respond(name, rest, request, send)

    def _payer(self, client: str, *, is_strict: bool) -> str:
        """Return the key a request is counted under. Trusted proxies' own requests come from this machine."""
        return "" if not is_strict and self._clients.is_trusted(client) else client

    async def _respond(self, name: str, rest: str, request: Request, send: Send) -> tuple[int, int]:
        try:
            response = await self._front_ends[name](request, rest)
        except ClientGone:  # a program that closed only one direction still reads
            response = text_response(503, _CLOSED_EARLY, (b"retry-after", str(POOL_BUSY_SECONDS).encode()))
        except Exception as exc:  # noqa: BLE001 - the request handler: one request fails, the server goes on
            response = self._fail(name, exc, request)
        return await self._send(response, request, send)

    def _fail(self, name: str, exc: Exception, request: Request) -> Response:
        tell = self._tellers[name]
        return tell(exc, request) if tell else failure_response(exc, request, self._sites[name])

    async def _send(self, response: Response, request: Request, send: Send) -> tuple[int, int]:
        if response.pieces is not None:
            is_head = request.method == "HEAD"
            return response.status, await stream_response(send, request.receive, response, is_head=is_head)
        if self._is_compressing:
            await compress_in_thread(response, request.headers.get(b"accept-encoding", b""))
        is_head = request.method == "HEAD"
        return response.status, await send_response(send, response, is_head=is_head, gate=self._gate)

    def _find(self, path: str) -> tuple[str, str]:
        """Return the front end for a path and the rest of it, with or without the site's prefix."""
        name, slash, rest = path[1:].partition("/")
        if name in self._front_ends and name:
            return name, slash + rest
        root = self._root
        if root and path.startswith(root) and path[len(root) :][:1] in ("", "/"):
            path = path[len(root) :]
            name, slash, rest = path[1:].partition("/")
            if name in self._front_ends and name:
                return name, slash + rest
        return "", path


async def _not_found(request: Request, rest: str) -> Response:  # noqa: ARG001 - a front end
    raise HttpRefusal(404, "There is nothing at this address.")


def _inner_path(scope: Scope) -> str:
    """Return the path inside this application, which may be mounted in another."""
    path: str = scope["path"]
    root: str = scope.get("root_path", "")
    return path[len(root) :] if root and path.startswith(root) else path


async def _handle_lifespan(receive: Receive, send: Send) -> None:
    """Acknowledge startup and shutdown: there is nothing to prepare or to clean up."""
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return
