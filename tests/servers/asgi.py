"""An ASGI application on a real loopback port, for as long as a `with` block lasts."""

from __future__ import annotations

import http.client
import socket
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

import uvicorn

HOST = "127.0.0.1"
WAIT_SECONDS = 120.0  # nothing waits this long; a busy machine may need more than half a minute


@dataclass(frozen=True, slots=True)
class Got:
    """What came back: header names are lower-case."""

    status: int
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The body as words."""
        return self.body.decode()


class _Server(uvicorn.Server):
    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ready = threading.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.ready.set()


class AsgiServer:
    """Runs uvicorn in a thread. `application` may be given later, once the address is known."""

    def __init__(
        self, application: Any = None, *, protocol: Any = "auto", send_bytes: int | None = None
    ) -> None:
        self.application = application
        self._protocol = protocol
        self._socket = socket.create_server((HOST, 0))
        if send_bytes is not None:  # so that the kernel takes no more than that of what is not read
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, send_bytes)
        self.port: int = self._socket.getsockname()[1]
        self.url = f"http://{HOST}:{self.port}"

    def ask(
        self,
        path: str,
        method: str = "GET",
        *,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Got:
        """Make one request on a connection of its own."""
        return ask(self.port, path, method, body=body, headers=headers)

    def __enter__(self) -> Self:
        config = uvicorn.Config(
            self._call,
            http=self._protocol,
            interface="asgi3",
            lifespan="off",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            timeout_graceful_shutdown=5,
            ws="none",
        )
        self._server = _Server(config)
        self._thread = threading.Thread(target=self._server.run, args=([self._socket],), daemon=True)
        self._thread.start()
        assert self._server.ready.wait(WAIT_SECONDS)
        return self

    async def _call(self, scope: Any, receive: Any, send: Any) -> None:
        await self.application(scope, receive, send)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.should_exit = True
        self._thread.join(WAIT_SECONDS)
        self._socket.close()


def ask(
    port: int,
    path: str,
    method: str = "GET",
    *,
    body: bytes | None = None,
    headers: Mapping[str, str] | None = None,
) -> Got:
    """Make one request to a port of this machine."""
    connection = http.client.HTTPConnection(HOST, port, timeout=WAIT_SECONDS)
    try:
        connection.request(method, path, body=body, headers=dict(headers or {}))
        response = connection.getresponse()
        found = {name.lower(): value for name, value in response.getheaders()}
        return Got(response.status, response.read(), found)
    finally:
        connection.close()
