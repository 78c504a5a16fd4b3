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

from windrow.cli.serve_connections import ConnectionLimits, most_connections
from windrow.cli.serve_protocol import BoundedProtocol
from windrow.cli.signals import on_stop
from windrow.config.serving import ServeSettings

GRACE_SECONDS = 10  # for requests in work when we are asked to stop
# How long a thread keeps the GIL while others want it. SQLite gives it up at every row, and then waits so
# long for a thread that renders or maps records: with Python's 5 ms, a list of 2,000 rows took ten seconds.
GIL_SECONDS = 0.0001


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


def _protocol(settings: ServeSettings) -> type[BoundedProtocol]:
    """Return the protocol of this process, with one count of connections for all of them."""

    class Limited(BoundedProtocol):
        limits = ConnectionLimits(
            most_connections(),
            per_client=settings.connections_per_client,
            trusted=settings.trusted_proxies,
        )

    return Limited


def run_server(
    app: Any,
    listening: socket.socket,
    *,
    on_ready: Callable[[], None],
    on_start: Callable[[Callable[[], None]], None] | None = None,
    settings: ServeSettings,
) -> bool:
    """Serve until SIGTERM or Ctrl-C; give whether it was Ctrl-C. `on_start` is handed what stops it."""
    logging.basicConfig(
        stream=sys.stderr, level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s"
    )
    config = uvicorn.Config(
        app,
        http=_protocol(settings),
        interface="asgi3",
        lifespan="off",
        log_config=None,
        log_level=logging.ERROR,  # what strangers do wrong is not worth a line
        access_log=False,  # ours is cheaper, and in a format that log tools read
        proxy_headers=False,  # who the client is, the application finds out itself
        server_header=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
        ws="none",
    )
    sys.setswitchinterval(GIL_SECONDS)
    server = _Server(config, on_ready)
    if on_start is not None:
        on_start(server.stop)
    server.run([listening])
    return signal.SIGINT in server.signals
