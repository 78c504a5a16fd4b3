"""Under http.client: every byte of an answer, headers included, is read under a deadline and a limit.

A socket's own time limit starts anew with each byte, so a server that drips could hold us for ever.
"""

from __future__ import annotations

import io
import socket
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from windrow.net.response import QuickResponse

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

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


def response_class(limits: Limits) -> type[QuickResponse]:
    """Give the answers that keep these limits, as http.client wants them."""

    class Response(QuickResponse):
        def __init__(
            self, sock: socket.socket, debuglevel: int = 0, method: str | None = None, url: str | None = None
        ) -> None:
            super().__init__(_BoundedSocket(sock, limits), debuglevel, method, url)  # type: ignore[arg-type]

    return Response
