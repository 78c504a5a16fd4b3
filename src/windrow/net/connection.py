"""Under urllib3: every byte of an answer, headers included, is read under a deadline and a limit.

urllib3's own time limit starts anew with each byte, so a server that drips could hold us for ever.
"""

from __future__ import annotations

import io
import socket
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool

from windrow.net.response import QuickResponse

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer
    from urllib3._base_connection import BaseHTTPConnection
    from urllib3.response import BaseHTTPResponse

READ_BUFFER_BYTES = 64 * 1024


class DeadlinePassed(Exception):
    """The answer was not whole in time."""


class Flooded(Exception):
    """Far more came than the body may have: endless headers, interim answers, trailers or chunk frames."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one answer may cost."""

    deadline_seconds: float
    raw_bytes: int  # headers and framing included


class _BoundedStream(io.RawIOBase):
    """A socket's bytes until the deadline or the limit."""

    def __init__(self, sock: socket.socket, limits: Limits) -> None:
        self._sock = sock
        self._raw = sock.makefile("rb", buffering=0)
        self._deadline = time.monotonic() + limits.deadline_seconds
        self._bytes_left = limits.raw_bytes

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int | None:
        """Read what is there; wait no longer than the socket's own limit and the deadline allow."""
        seconds = self._deadline - time.monotonic()
        if seconds <= 0:
            raise DeadlinePassed
        timeout = self._sock.gettimeout()
        if timeout is None or seconds < timeout:
            self._sock.settimeout(seconds)
        try:
            count = self._raw.readinto(buffer)
        except TimeoutError:
            if time.monotonic() >= self._deadline:
                raise DeadlinePassed from None
            raise
        self._bytes_left -= count or 0
        if self._bytes_left < 0:
            raise Flooded
        return count

    def close(self) -> None:
        self._raw.close()
        super().close()


class _BoundedSocket:
    """The one method of a socket that http.client reads an answer with."""

    def __init__(self, sock: socket.socket, limits: Limits) -> None:
        self._sock = sock
        self._limits = limits

    def makefile(self, _mode: str) -> io.BufferedReader:
        return io.BufferedReader(_BoundedStream(self._sock, self._limits), READ_BUFFER_BYTES)


class _LiteralPool(HTTPConnectionPool):
    """Sends the request target as given: urllib3 escapes `|`, and some servers want tokens back bare."""

    _target = ""

    def urlopen(self, method: str, url: str, *arguments: Any, **options: Any) -> BaseHTTPResponse:
        self._target = url
        return super().urlopen(method, url, *arguments, **options)

    def _make_request(
        self, conn: BaseHTTPConnection, method: str, url: str, *arguments: Any, **options: Any
    ) -> BaseHTTPResponse:
        return super()._make_request(conn, method, self._target or url, *arguments, **options)


def pool_classes(limits: Limits) -> dict[str, type[HTTPConnectionPool]]:
    """Give the pools by scheme whose connections keep these limits."""

    class Response(QuickResponse):
        def __init__(
            self, sock: socket.socket, debuglevel: int = 0, method: str | None = None, url: str | None = None
        ) -> None:
            super().__init__(_BoundedSocket(sock, limits), debuglevel, method, url)  # type: ignore[arg-type]

    class Plain(HTTPConnection):
        response_class = Response

    class Secure(HTTPSConnection):
        response_class = Response

    class PlainPool(_LiteralPool):
        ConnectionCls = Plain

    class SecurePool(_LiteralPool, HTTPSConnectionPool):
        ConnectionCls = Secure

    return {"http": PlainPool, "https": SecurePool}
