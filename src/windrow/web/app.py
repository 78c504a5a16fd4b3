"""The ASGI application: finds the face for a path, keeps to the limits, sends what the face says.

Between the server and a face there is nothing but this file: the OAI-PMH answers are short, and a
framework's routing would cost more than they do.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field

from windrow.faces.shared.accepting import best_encoding, prefers_page
from windrow.faces.shared.access_log import AccessLog
from windrow.faces.shared.budget import Allowances, Budget
from windrow.faces.shared.clients import Clients
from windrow.faces.shared.compression import pack, pack_now
from windrow.faces.shared.crew import BUSY_SECONDS, ClientGone
from windrow.faces.shared.delivery import WHOLE_BYTES, deliver, stream
from windrow.faces.shared.failures import busy, failure_of, too_often
from windrow.faces.shared.gate import Gate, Limits
from windrow.faces.shared.head import render_headers
from windrow.faces.shared.prompt import Prompt
from windrow.faces.shared.refusal import Refused
from windrow.faces.shared.request import EXTENSION, IS_GONE, Message, Receive, Request, Scope, Send, never
from windrow.faces.shared.response import Header, Response, text
from windrow.faces.shared.site import Site
from windrow.faces.shared.visits import Visits

# A face answers requests whose path is under its name; it is given the rest of the path. One that has a
# `site` of its own has its failures told there; one that has a `tell` makes the response for them itself.
# Paths that begin as one of its `extras` are parts of pages, such as pictures: no budget, no count.
Face = Callable[[Request, str], Awaitable[Response]]


_MOST_DOORS = 1000
_LONGEST_DOOR = 200  # bytes of a path: strangers may ask for longer ones, and have no memory filled with them
_PART = 206  # a viewer asks for a file in many parts, for one who looks at it

_CLOSED_EARLY = (
    "The connection was closed while this request waited for its turn. Keep it open, and try again in"
    f" {BUSY_SECONDS} seconds."
)

Teller = Callable[[Exception, Request], Response]


@dataclass(frozen=True, slots=True)
class Manners:
    """How an application treats its clients."""

    limits: Limits = field(default_factory=Limits)  # for the faces that are named in `limited`
    limited: frozenset[str] = frozenset({"oai"})
    trusted_proxies: tuple[str, ...] = ("127.0.0.1", "::1")
    limits_own: bool = False  # whether the limits hold for those as well, when they ask for themselves
    budget: Allowances | None = None  # for all faces but those in `limited` and in `free`; None is no budget
    budgets_own: bool = False  # as `limits_own`
    free: frozenset[str] = frozenset({"static", "look", "health", "robots.txt"})
    # Not pages, so who asks for them is not counted among those who came by.
    uncounted: frozenset[str] = frozenset({"api", "sru", "suggest", "language", "opensearch.xml"})
    is_compressing: bool = True


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who asks: the headers sent, the client's address, and whom its requests count for."""

    headers: Mapping[bytes, bytes]
    client: str
    payer: str
    is_program: bool  # rather than a browser, and without credentials
    is_packing: bool  # whether answers may be compressed


@dataclass(frozen=True, slots=True)
class _Door:
    """Where requests for a path are answered at once: what the face of that name says, and its headers."""

    name: str
    mark: bytes
    answer: Callable[[bytes], bytes]
    headers: tuple[Header, ...]
    lines: bytes


class App:
    """An ASGI application of faces, each under the first part of its paths; "" is the one for all others."""

    def __init__(
        self,
        faces: Mapping[str, Face],
        *,
        site: Site,
        manners: Manners | None = None,
        access_log: AccessLog | None = None,
        visits: Visits | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        manners = manners or Manners()
        self._faces = {"": _nothing, **faces}
        self._sites = {name: getattr(face, "site", site) for name, face in self._faces.items()}
        self._tellers: dict[str, Teller | None] = {
            name: getattr(face, "tell", None) for name, face in self._faces.items()
        }
        self._prompt: dict[str, Callable[[str], Prompt | None]] = {
            name: face.at_once
            for name, face in self._faces.items()
            if name in manners.limited and hasattr(face, "at_once")
        }
        self._doors: dict[bytes, _Door] = {}
        self._extras: dict[str, tuple[str, ...]] = {
            name: getattr(face, "extras", ()) for name, face in self._faces.items()
        }
        self._root = site.path
        self._limited = manners.limited
        self._limits_own = manners.limits_own
        self._budgets_own = manners.budgets_own
        self._pages = frozenset(self._faces) - manners.limited - manners.free
        self._counted = self._pages - manners.uncounted
        self._is_compressing = manners.is_compressing
        self._clients = Clients(manners.trusted_proxies)
        self._gate = Gate(manners.limits, clock=clock)
        self._budget = Budget(manners.budget, clock=clock) if manners.budget else None
        self._log = access_log
        self._visits = visits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one connection's request, as ASGI has it."""
        if scope["type"] == "http":
            await self._serve(scope, receive, send)
        elif scope["type"] == "lifespan":
            await _live(receive, send)
        else:
            await send({"type": "websocket.close", "code": 1000})

    def meet(self, headers: Sequence[Header], peer: str) -> Visitor:
        """Give who asks, for `at_once`: the same for all requests with these headers."""
        held = dict(headers)
        client = self._clients.find(peer, held.get(b"x-forwarded-for"))
        return Visitor(
            held,
            client,
            payer=self._payer(client, is_strict=self._limits_own),
            is_program=b"authorization" not in held and not prefers_page(held.get(b"accept", b"")),
            is_packing=self._is_compressing and bool(best_encoding(held.get(b"accept-encoding", b""))),
        )

    def at_once(self, path: bytes, query: bytes, visitor: Visitor) -> tuple[int, bytes, bytes] | None:
        """Answer a GET without a body where nothing has to be waited for: status, header lines, body.

        For a server that knows this way; None: it is to be called as ASGI has it, as any other may be.
        """
        door = self._doors.get(path) or self._open(path)
        if door is None or door.mark not in query or not visitor.is_program:
            return None
        if self._gate.pass_by(visitor.payer):
            return None
        try:
            body = door.answer(query)
        except Exception as exc:  # noqa: BLE001 - the request handler, as in `_respond`
            response = self._fail(door.name, exc, _request(path, query, visitor))
            return self._whole(response, path, query, visitor)
        if visitor.is_packing or self._log is not None or len(body) > WHOLE_BYTES:
            return self._whole(Response(200, body, [*door.headers]), path, query, visitor)
        return 200, b"%bcontent-length: %d\r\n" % (door.lines, len(body)), body

    def _open(self, path: bytes) -> _Door | None:
        """Find who answers at a path at once; None where nobody does, or the path is not what it seems."""
        if b"%" in path or not path.isascii() or len(path) > _LONGEST_DOOR:
            return None
        name, rest = self._find(path.decode("ascii"))
        prompt = self._prompt[name](rest) if name in self._prompt else None
        if prompt is None:
            return None
        if len(self._doors) >= _MOST_DOORS:
            self._doors.clear()
        door = self._doors[path] = _Door(name, *prompt, render_headers(prompt.headers))
        return door

    def _whole(
        self, response: Response, path: bytes, query: bytes, visitor: Visitor
    ) -> tuple[int, bytes, bytes] | None:
        """Give a response in one piece; None for a large one, which is to go at the pace of its reader."""
        if len(response.body) > WHOLE_BYTES:
            self._gate.take_back(visitor.payer)  # it is counted when it is asked for again
            return None
        if self._is_compressing:
            pack_now(response, visitor.headers.get(b"accept-encoding", b""))
        if self._log is not None:
            self._log.write(_request(path, query, visitor), "1.1", response.status, len(response.body))
        lines = render_headers(tuple(response.headers))
        return response.status, b"%bcontent-length: %d\r\n" % (lines, len(response.body)), response.body

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = dict(scope["headers"])
        peer = scope.get("client") or ("", 0)
        client = self._clients.find(peer[0], headers.get(b"x-forwarded-for"))
        is_gone = scope.get("extensions", {}).get(EXTENSION, {}).get(IS_GONE, never)
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
        is_seen = is_page and (200 <= status < 300 or status == 304) and status != _PART
        if self._visits is not None and is_seen:
            self._visits.count(headers.get(b"user-agent", b""), headers.get(b"referer", b""))
        if self._log is not None:
            self._log.write(request, scope.get("http_version", "1.1"), status, size)

    async def _admit(self, name: str, rest: str, request: Request, send: Send) -> tuple[int, int]:
        """Answer within the limits."""
        counted = self._payer(request.client, is_strict=self._limits_own)
        seconds = self._gate.enter(counted)
        if seconds:
            response = busy(request, self._sites[name], seconds, "Too many requests at once.")
            return await self._send(response, request, send)
        try:
            return await self._respond(name, rest, request, send)
        finally:
            self._gate.leave(counted)

    async def _spend(
        self, budget: Budget, name: str, rest: str, request: Request, send: Send
    ) -> tuple[int, int]:
        """Answer within the budget of pages."""
        payer = self._payer(request.client, is_strict=self._budgets_own)
        seconds = budget.wait(payer, request.headers.get(b"user-agent", b""))
        if seconds:
            return await self._send(self._fail(name, too_often(seconds), request), request, send)
        return await self._respond(name, rest, request, send)

    def _payer(self, client: str, *, is_strict: bool) -> str:
        """Give who a request counts for. Trusted proxies that ask for themselves are this machine's own."""
        return "" if not is_strict and self._clients.is_trusted(client) else client

    async def _respond(self, name: str, rest: str, request: Request, send: Send) -> tuple[int, int]:
        try:
            response = await self._faces[name](request, rest)
        except ClientGone:  # a program that closed only one direction still reads
            response = text(503, _CLOSED_EARLY, (b"retry-after", str(BUSY_SECONDS).encode()))
        except Exception as exc:  # noqa: BLE001 - the request handler: one request fails, the server goes on
            response = self._fail(name, exc, request)
        return await self._send(response, request, send)

    def _fail(self, name: str, exc: Exception, request: Request) -> Response:
        tell = self._tellers[name]
        return tell(exc, request) if tell else failure_of(exc, request, self._sites[name])

    async def _send(self, response: Response, request: Request, send: Send) -> tuple[int, int]:
        if response.pieces is not None:
            is_head = request.method == "HEAD"
            return response.status, await stream(send, request.receive, response, is_head=is_head)
        if self._is_compressing:
            await pack(response, request.headers.get(b"accept-encoding", b""))
        is_head = request.method == "HEAD"
        return response.status, await deliver(send, response, is_head=is_head, gate=self._gate)

    def _find(self, path: str) -> tuple[str, str]:
        """Give the face for a path and the rest of it, whether the proxy cut the site's path off or not."""
        name, slash, rest = path[1:].partition("/")
        if name in self._faces and name:
            return name, slash + rest
        root = self._root
        if root and path.startswith(root) and path[len(root) :][:1] in ("", "/"):
            path = path[len(root) :]
            name, slash, rest = path[1:].partition("/")
            if name in self._faces and name:
                return name, slash + rest
        return "", path


def _request(path: bytes, query: bytes, visitor: Visitor) -> Request:
    return Request("GET", path.decode("ascii"), query, visitor.headers, visitor.client, _no_body)


async def _no_body() -> Message:
    return {"type": "http.request", "body": b"", "more_body": False}


async def _nothing(request: Request, rest: str) -> Response:  # noqa: ARG001 - a face
    raise Refused(404, "There is nothing at this address.")


def _inner_path(scope: Scope) -> str:
    """Give the path inside this application, which may be mounted in another."""
    path: str = scope["path"]
    root: str = scope.get("root_path", "")
    return path[len(root) :] if root and path.startswith(root) else path


async def _live(receive: Receive, send: Send) -> None:
    """Say yes to the beginning and the end of the server's life: nothing is prepared, nothing left behind."""
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return
