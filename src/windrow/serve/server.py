"""One process that answers requests: uvicorn on an open socket, until a signal stops it."""

from __future__ import annotations

import logging
import os
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any

import uvicorn

from windrow.config.serve_settings import NO_LOG, STDOUT_LOG, ServeSettings
from windrow.errors import WindrowError, explain_write
from windrow.serve.connection_limits import ConnectionLimits, raise_connection_limit
from windrow.serve.http_protocol import BoundedProtocol
from windrow.signals import handle_stop_signals

if TYPE_CHECKING:
    from windrow.web.http.access_log import AccessLog

GRACE_SECONDS = 10  # for running requests when the server is stopped
# How long a thread keeps the GIL while others want it. SQLite releases it at every row, and then waits that
# long for a thread that renders or maps records: with Python's 5 ms, a list of 2,000 rows took ten seconds.
GIL_SECONDS = 0.0001


class _Server(uvicorn.Server):
    """A server that reports when it is ready, and leaves signals to the caller."""

    def __init__(self, config: uvicorn.Config, on_ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_ready = on_ready
        self.signals: list[int] = []

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._on_ready()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stop gracefully at the first signal, immediately at the second."""
        with handle_stop_signals(self._stop):
            yield

    def stop(self) -> None:
        """Finish the running requests, and stop."""
        self.should_exit = True

    def _stop(self, number: int, _frame: FrameType | None) -> None:
        self.force_exit = bool(self.signals)
        self.signals.append(number)
        self.stop()


def _protocol(settings: ServeSettings) -> type[BoundedProtocol]:
    """Return the protocol of this process, whose connections share one set of limits."""

    class Limited(BoundedProtocol):
        limits = ConnectionLimits(
            raise_connection_limit(),
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
    """Serve until SIGTERM or Ctrl-C. Return whether it was Ctrl-C.

    `on_start` is called with a function that stops the server.
    """
    logging.basicConfig(
        stream=sys.stderr, level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s"
    )
    config = uvicorn.Config(
        app,
        http=_protocol(settings),
        interface="asgi3",
        lifespan="off",
        log_config=None,
        log_level=logging.ERROR,  # invalid requests of strangers are not worth a line
        access_log=False,  # the access log here is cheaper, and in a format that log tools read
        proxy_headers=False,  # the application determines the client itself
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


# The access log of `windrow serve`: a file, stdout or none.


@dataclass(frozen=True, slots=True)
class LogTarget:
    """A place for the log: "none", "-" or the path of a file."""

    place: str

    def open(self) -> AccessLog | None:
        """Return the log, or None for "none"."""
        from windrow.web.http.access_log import AccessLog

        if self.place == NO_LOG:
            return None
        if self.place == STDOUT_LOG:
            return AccessLog(descriptor=sys.stdout.fileno())
        return AccessLog(Path(self.place))


def log_target(setting: str | None, *, folder: Path, is_quiet: bool) -> LogTarget:
    """Return the configured place; a file that cannot be written is an error now, not later."""
    if not setting:
        return LogTarget(NO_LOG if is_quiet else STDOUT_LOG)
    if setting in (NO_LOG, STDOUT_LOG):
        return LogTarget(setting)
    path = folder / setting
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o640))
    except OSError as exc:
        words, advice = explain_write(exc, path)
        raise WindrowError(
            f"the access log {path} cannot be written: {words}",
            hint=f"{advice} --access-log names another file.",
        ) from exc
    return LogTarget(str(path))
