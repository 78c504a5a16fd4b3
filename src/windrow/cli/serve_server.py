"""One process that answers requests: uvicorn on a socket that is open already, until a signal stops it."""

from __future__ import annotations

import logging
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import uvicorn

from windrow.cli.serve_protocol import BoundedProtocol
from windrow.cli.signals import on_stop

GRACE_SECONDS = 10  # for requests in work when we are asked to stop
IDLE_SECONDS = 20  # before a connection without a request is closed
MOST_CONNECTIONS = 4000


class _Server(uvicorn.Server):
    """A server that says when it is ready, and leaves the signals to us."""

    def __init__(self, config: uvicorn.Config, on_ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_ready = on_ready
        self.signals: list[int] = []

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._on_ready()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stop at the first signal when what was begun is done, at the second at once."""
        with on_stop(self._stop):
            yield

    def stop(self) -> None:
        """Finish what was begun, and end."""
        self.should_exit = True

    def _stop(self, number: int, _frame: FrameType | None) -> None:
        self.force_exit = bool(self.signals)
        self.signals.append(number)
        self.stop()


def run_server(
    app: Any,
    listening: socket.socket,
    *,
    on_ready: Callable[[], None],
    on_start: Callable[[Callable[[], None]], None] | None = None,
) -> bool:
    """Serve until SIGTERM or Ctrl-C; give whether it was Ctrl-C. `on_start` is handed what stops it."""
    logging.basicConfig(
        stream=sys.stderr, level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s"
    )
    config = uvicorn.Config(
        app,
        http=BoundedProtocol,
        interface="asgi3",
        lifespan="off",
        log_config=None,
        log_level=logging.ERROR,  # what strangers do wrong is not worth a line
        access_log=False,  # ours is cheaper, and in a format that log tools read
        proxy_headers=False,  # who the client is, the application finds out itself
        server_header=False,
        timeout_keep_alive=IDLE_SECONDS,
        timeout_graceful_shutdown=GRACE_SECONDS,
        limit_concurrency=MOST_CONNECTIONS,
        ws="none",
    )
    server = _Server(config, on_ready)
    if on_start is not None:
        on_start(server.stop)
    server.run([listening])
    return signal.SIGINT in server.signals
