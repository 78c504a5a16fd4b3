"""HTTP responses: status line, headers and body, read under a deadline and a size limit.

http.client parses headers as e-mail, which took a twentieth of a whole harvest at a hundred records a page.
Plain headers are split here instead, at a tenth of the cost; only unusual ones are parsed as e-mail.
"""

from __future__ import annotations

import io
import re
import socket
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from email.parser import Parser
from http.client import HTTPException, HTTPMessage, HTTPResponse, LineTooLong, UnknownProtocol
from typing import IO, TYPE_CHECKING, Protocol

from windrow.net.address import Address

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

MAX_LINE_BYTES = 65_536
MAX_HEADERS = 100
_PLAIN = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+:[^\r\n\x00]*\r?\n")
_ENDS = (b"\r\n", b"\n", b"")
_OLD_VERSIONS = ("HTTP/1.0", "HTTP/0.9")
_WITHOUT_BODY = frozenset({204, 304})
_SWITCHING_PROTOCOLS = 101


class QuickResponse(HTTPResponse):
    """A response of http.client with faster parsing of headers."""

    if TYPE_CHECKING:  # private attributes of http.client
        _method: str | None

        def _read_status(self) -> tuple[str, int, str]: ...
        def _check_close(self) -> bool: ...

    def begin(self) -> None:
        """Read up to the body and determine its length; later calls do nothing."""
        if self.headers is not None:
            return
        version, status, reason = self._read_status()
        # Interim responses (100, 102, 103 Early Hints and future ones) precede the final one (RFC 9110
        # §15.2). After 101 no HTTP follows, and it was not requested. An endless series ends at the limit of
        # the stream.
        while 100 <= status < 200 and status != _SWITCHING_PROTOCOLS:
            _lines(self.fp)
            version, status, reason = self._read_status()
        if version not in _OLD_VERSIONS and not version.startswith("HTTP/1."):
            raise UnknownProtocol(version)
        self.code = self.status = status
        self.reason = reason.strip()
        self.version = 10 if version in _OLD_VERSIONS else 11
        self.headers = self.msg = read_headers(self.fp)
        self._frame()

    def _frame(self) -> None:
        self.chunked = self.headers.get("transfer-encoding", "").lower() == "chunked"
        self.chunk_left = None
        self.length = None if self.chunked else _content_length(self.headers.get("content-length"))
        if self.status in _WITHOUT_BODY or self.status < 200 or self._method == "HEAD":
            self.length = 0
        is_open_ended = not self.chunked and self.length is None
        self.will_close = self._check_close() or is_open_ended or self.status == _SWITCHING_PROTOCOLS


def read_headers(stream: IO[bytes]) -> HTTPMessage:
    """Read headers and the empty line after them."""
    lines = _lines(stream)
    if not all(map(_PLAIN.fullmatch, lines)):
        return Parser(_class=HTTPMessage).parsestr(b"".join(lines).decode("latin-1"))
    message = HTTPMessage()
    for line in lines:
        name, _, value = line.decode("latin-1").partition(":")
        message[name] = value.strip(" \t\r\n")
    return message


def _lines(stream: IO[bytes]) -> list[bytes]:
    lines: list[bytes] = []
    while (line := stream.readline(MAX_LINE_BYTES + 1)) not in _ENDS:
        if len(line) > MAX_LINE_BYTES:
            raise LineTooLong("header line")
        lines.append(line)
        if len(lines) > MAX_HEADERS:
            raise HTTPException(f"got more than {MAX_HEADERS} headers")
    return lines


def _content_length(told: str | None) -> int | None:
    try:
        length = int(told or "")
    except ValueError:
        return None
    return length if length >= 0 else None


# Bounded streams beneath http.client: every byte of a response, headers included, is read under a deadline
# and a limit. A socket's own timeout restarts with each byte, so a server that drips could block us for ever.

READ_BUFFER_BYTES = 64 * 1024


class DeadlineExceeded(Exception):
    """The response was not complete in time."""


class ResponseTooLarge(Exception):
    """Far more data than the body may have: endless headers, interim responses, trailers or chunk frames."""


@dataclass(frozen=True, slots=True)
class ResponseLimits:
    """The limits of one response."""

    deadline_seconds: float
    raw_bytes: int  # headers and framing included


class _BoundedStream(io.RawIOBase):
    """The bytes of a socket, up to the deadline or the limit."""

    def __init__(self, sock: socket.socket, limits: ResponseLimits) -> None:
        self._sock = sock
        self._raw = sock.makefile("rb", buffering=0)
        self._deadline = time.monotonic() + limits.deadline_seconds
        self._bytes_left = limits.raw_bytes

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int | None:
        """Read what is available, waiting no longer than the socket's timeout and the deadline allow."""
        seconds = self._deadline - time.monotonic()
        if seconds <= 0:
            raise DeadlineExceeded
        timeout = self._sock.gettimeout()
        if timeout is None or seconds < timeout:
            self._sock.settimeout(seconds)
        try:
            count = self._raw.readinto(buffer)
        except TimeoutError:
            if time.monotonic() >= self._deadline:
                raise DeadlineExceeded from None
            raise
        self._bytes_left -= count or 0
        if self._bytes_left < 0:
            raise ResponseTooLarge
        return count

    def close(self) -> None:
        self._raw.close()
        super().close()


class _BoundedSocket:
    """The one socket method that http.client needs for reading a response."""

    def __init__(self, sock: socket.socket, limits: ResponseLimits) -> None:
        self._sock = sock
        self._limits = limits

    def makefile(self, _mode: str) -> io.BufferedReader:
        return io.BufferedReader(_BoundedStream(self._sock, self._limits), READ_BUFFER_BYTES)


def response_class(limits: ResponseLimits) -> type[QuickResponse]:
    class Response(QuickResponse):
        def __init__(
            self, sock: socket.socket, debuglevel: int = 0, method: str | None = None, url: str | None = None
        ) -> None:
            super().__init__(_BoundedSocket(sock, limits), debuglevel, method, url)  # type: ignore[arg-type]

    return Response


class Headers(Mapping[str, str]):
    """Headers, looked up case-insensitively; repeated ones are joined by commas."""

    def __init__(self, items: Iterable[tuple[str, str]]) -> None:
        self._values: dict[str, list[str]] = {}
        for name, value in items:
            self._values.setdefault(name.lower(), []).append(value)

    def __getitem__(self, name: str) -> str:
        return ", ".join(self._values[name.lower()])

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def all(self, name: str) -> tuple[str, ...]:
        """Return all values of a header that may be repeated, such as Set-Cookie."""
        return tuple(self._values.get(name.lower(), ()))


# A response whose headers have been read and whose body is still to come. Made by `exchange` and `proxied`.


class IncomingResponse(Protocol):
    """A response in progress. Reading raises Fault if it breaks off."""

    status: int
    headers: Headers

    @property
    def length(self) -> int | None:
        """How many bytes are still to come; None if unknown."""

    def read(self, most: int | None = None) -> bytes:
        """Return the next part of the body, undecoded; empty at its end."""

    def release(self) -> None:
        """Keep the connection if the response was read to its end, else drop it."""


class Transport(Protocol):
    """Sends requests to hosts; one connection is kept open per host."""

    def ask(self, address: Address, headers: Mapping[str, str], body: bytes | None) -> IncomingResponse:
        """Send a request (POST with a body) and return its response; raises Fault if there is none."""

    def close(self) -> None:
        """Close all connections; the next request opens its own."""


# Bodies, read within a limit and still encoded.

CHUNK_BYTES = 8 * 1024 * 1024  # trusted of a Content-Length at once; more is read step by step


def read_body(incoming: IncomingResponse, *, limit: int) -> bytes | None:
    """Return the bytes of the body; None if there are more than `limit`."""
    length = incoming.length
    if length is not None and length > limit:
        return None
    if length is not None and length <= CHUNK_BYTES:
        return incoming.read()
    parts: list[bytes] = []
    left = limit
    while part := incoming.read(min(CHUNK_BYTES, left + 1)):
        left -= len(part)
        if left < 0:
            return None
        parts.append(part)
    return b"".join(parts)


def drain(incoming: IncomingResponse, *, limit: int = 64 * 1024) -> None:
    """Read and discard a body so that the connection can be reused, unless it is long."""
    read_body(incoming, limit=limit)
