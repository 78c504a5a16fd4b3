"""How an answer begins: status line and headers, read with a tenth of the work that http.client takes.

http.client reads headers as if they were a letter's. At a hundred records a page that is a twentieth of a
whole harvest, so headers of the plain kind are split here; what is not plain is still read as a letter.
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
    """An answer as http.client has it, begun more quickly."""

    if TYPE_CHECKING:  # of http.client, which keeps them to itself
        _method: str | None

        def _read_status(self) -> tuple[str, int, str]: ...
        def _check_close(self) -> bool: ...

    def begin(self) -> None:
        """Read up to the body, and find out how long that is; once, however often it is called."""
        if self.headers is not None:
            return
        version, status, reason = self._read_status()
        # 100, 102, 103 Early Hints and whatever comes to exist: the final response follows (RFC 9110 §15.2).
        # After 101 no HTTP follows, and nobody asked for that. Without end they meet the limit of `bounded`.
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
    """What Content-Length says; None where it says nothing that could be true."""
    try:
        length = int(told or "")
    except ValueError:
        return None
    return length if length >= 0 else None


# Under http.client: every byte of an answer, headers included, is read under a deadline and a limit.
# A socket's own time limit starts anew with each byte, so a server that drips could hold us for ever.

READ_BUFFER_BYTES = 64 * 1024


class DeadlineExceeded(Exception):
    """The answer was not whole in time."""


class ResponseTooLarge(Exception):
    """Far more came than the body may have: endless headers, interim answers, trailers or chunk frames."""


@dataclass(frozen=True, slots=True)
class ResponseLimits:
    """What one answer may cost."""

    deadline_seconds: float
    raw_bytes: int  # headers and framing included


class _BoundedStream(io.RawIOBase):
    """A socket's bytes until the deadline or the limit."""

    def __init__(self, sock: socket.socket, limits: ResponseLimits) -> None:
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
    """The one method of a socket that http.client reads an answer with."""

    def __init__(self, sock: socket.socket, limits: ResponseLimits) -> None:
        self._sock = sock
        self._limits = limits

    def makefile(self, _mode: str) -> io.BufferedReader:
        return io.BufferedReader(_BoundedStream(self._sock, self._limits), READ_BUFFER_BYTES)


def response_class(limits: ResponseLimits) -> type[QuickResponse]:
    """Return the answers that keep these limits, as http.client wants them."""

    class Response(QuickResponse):
        def __init__(
            self, sock: socket.socket, debuglevel: int = 0, method: str | None = None, url: str | None = None
        ) -> None:
            super().__init__(_BoundedSocket(sock, limits), debuglevel, method, url)  # type: ignore[arg-type]

    return Response


# The headers of an answer: `response` reads them, everybody else looks them up here.


class Headers(Mapping[str, str]):
    """Looked up whatever the case of the name; a header that came several times is one with commas."""

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
        """Return every value of a header that may come several times, such as Set-Cookie."""
        return tuple(self._values.get(name.lower(), ()))


# An answer of which the headers are here and the body is still to come, whichever way it takes.
# `direct` and `proxied` give it, `exchange` reads it.


class IncomingResponse(Protocol):
    """What comes back. Where it breaks off, reading raises Fault."""

    status: int
    headers: Headers

    @property
    def length(self) -> int | None:
        """How many bytes are still to come; None where nobody said."""

    def read(self, most: int | None = None) -> bytes:
        """Return what there is of the body, undecoded; nothing at its end."""

    def release(self) -> None:
        """Keep the connection if the answer was read to its end, drop it otherwise."""


class Transport(Protocol):
    """How requests get to a host and answers back: one connection is kept open per host."""

    def ask(self, address: Address, headers: Mapping[str, str], body: bytes | None) -> IncomingResponse:
        """Send a request, a POST where there is a body; give its answer. Fault says why there is none."""

    def close(self) -> None:
        """Close every connection; the next request opens its own."""


# A response's body read from the wire, bounded, as the server encoded it.

CHUNK_BYTES = 8 * 1024 * 1024  # what a Content-Length is believed for at once: more is asked for bit by bit


def read_body(incoming: IncomingResponse, *, limit: int) -> bytes | None:
    """Return the bytes of the body; None where there are more than `limit`."""
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
    """Read away a body nobody wants so that the connection can be used again, unless it is long."""
    read_body(incoming, limit=limit)
