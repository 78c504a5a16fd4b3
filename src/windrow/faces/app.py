"""The ASGI application: finds the face for a path, keeps to the limits, sends what the face says.

Between the server and a face there is nothing but this file: the OAI-PMH answers are short, and a
framework's routing would cost more than they do.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from windrow.faces.shared.access_log import AccessLog
from windrow.faces.shared.clients import Clients
from windrow.faces.shared.compression import pack
from windrow.faces.shared.delivery import deliver, stream
from windrow.faces.shared.failures import busy, failure_of
from windrow.faces.shared.gate import Gate, Limits
from windrow.faces.shared.refusal import Refused
from windrow.faces.shared.request import Receive, Request, Scope, Send
from windrow.faces.shared.response import Response
from windrow.faces.shared.site import Site

# A face answers requests whose path is under its name; it is given the rest of the path. One that has a
# `site` of its own has its failures told there.
Face = Callable[[Request, str], Awaitable[Response]]


@dataclass(frozen=True, slots=True)
class Manners:
    """How an application treats its clients."""

    limits: Limits = field(default_factory=Limits)  # for the faces that are named in `limited`
    limited: frozenset[str] = frozenset({"oai"})
    trusted_proxies: tuple[str, ...] = ("127.0.0.1", "::1")
    limits_own: bool = False  # whether the limits hold for those as well, when they ask for themselves
    is_compressing: bool = True


class App:
    """An ASGI application of faces, each under the first part of its paths; "" is the one for all others."""

    def __init__(
        self,
        faces: Mapping[str, Face],
        *,
        site: Site,
        manners: Manners | None = None,
        access_log: AccessLog | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        manners = manners or Manners()
        self._faces = {"": _nothing, **faces}
        self._sites = {name: getattr(face, "site", site) for name, face in self._faces.items()}
        self._root = site.path
        self._limited = manners.limited
        self._limits_own = manners.limits_own
        self._is_compressing = manners.is_compressing
        self._clients = Clients(manners.trusted_proxies)
        self._gate = Gate(manners.limits, clock=clock)
        self._log = access_log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one connection's request, as ASGI has it."""
        if scope["type"] == "http":
            await self._serve(scope, receive, send)
        elif scope["type"] == "lifespan":
            await _live(receive, send)
        else:
            await send({"type": "websocket.close", "code": 1000})

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = dict(scope["headers"])
        peer = scope.get("client") or ("", 0)
        client = self._clients.find(peer[0], headers.get(b"x-forwarded-for"))
        request = Request(scope["method"], scope["path"], scope["query_string"], headers, client, receive)
        name, rest = self._find(_inner_path(scope))
        if name not in self._limited:
            status, size = await self._respond(name, rest, request, send)
        else:
            status, size = await self._admit(name, rest, request, send)
        if self._log is not None:
            self._log.write(request, scope.get("http_version", "1.1"), status, size)

    async def _admit(self, name: str, rest: str, request: Request, send: Send) -> tuple[int, int]:
        """Answer within the limits. Trusted proxies that ask for themselves are this machine's own people."""
        is_own = not self._limits_own and self._clients.is_trusted(request.client)
        counted = "" if is_own else request.client
        seconds = self._gate.enter(counted)
        if seconds:
            response = busy(request, self._sites[name], seconds, "Too many requests at once.")
            return await self._send(response, request, send)
        try:
            return await self._respond(name, rest, request, send)
        finally:
            self._gate.leave(counted)

    async def _respond(self, name: str, rest: str, request: Request, send: Send) -> tuple[int, int]:
        try:
            response = await self._faces[name](request, rest)
        except Exception as exc:  # noqa: BLE001 - the request handler: one request fails, the server goes on
            response = failure_of(exc, request, self._sites[name])
        return await self._send(response, request, send)

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
