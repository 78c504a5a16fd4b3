"""One HTTP exchange: a request and its whole response, without redirects or retries.

The connections are those of urllib3, direct or through a proxy. urllib3 has a timeout for each read but none
for a whole response, and no limit of size: both are added where http.client reads from the socket.

The client loads this module, and urllib3 with it, for its first request.
"""

from __future__ import annotations

import http.client
import io
import logging
import socket
import ssl
import time
import weakref
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from urllib3.connection import HTTPConnection, HTTPSConnection, ProxyConfig
from urllib3.exceptions import (
    ConnectTimeoutError,
    HTTPError,
    LocationValueError,
    NewConnectionError,
    SSLError,
)
from urllib3.exceptions import TimeoutError as HTTPTimeoutError
from urllib3.response import HTTPResponse
from urllib3.util import make_headers, parse_url

from windrow.errors import TooLarge
from windrow.net.address import DEFAULT_PORTS, REDIRECT_STATUSES, Address, proxy_for
from windrow.net.content_encoding import OverLimit, decode
from windrow.net.faults import Fault, connection_fault, tls_fault, transport_fault
from windrow.net.http_settings import MEBIBYTE, HttpSettings, tls_context

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

# Bounded streams beneath http.client: every byte of a response, headers included, is read under a deadline
# and a limit. A socket's own timeout restarts with each byte, so a server that drips could block us for ever.

READ_BUFFER_BYTES = 64 * 1024
SWITCHING_PROTOCOLS = 101


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


def response_class(limits: ResponseLimits) -> type[http.client.HTTPResponse]:
    """Return what connections make responses with: http.client's own class on a bounded stream."""

    class Response(http.client.HTTPResponse):
        def __init__(
            self, sock: socket.socket, debuglevel: int = 0, method: str | None = None, url: str | None = None
        ) -> None:
            super().__init__(_BoundedSocket(sock, limits), debuglevel, method, url)  # type: ignore[arg-type]

        def begin(self) -> None:
            """Read up to the body.

            Interim responses (102, 103 Early Hints and future ones) precede the final one (RFC 9110 §15.2);
            http.client passes over 100 only. An endless series ends at the limit of the stream.
            """
            super().begin()
            while 100 <= self.status < 200 and self.status != SWITCHING_PROTOCOLS:
                self.headers = None  # type: ignore[assignment]
                super().begin()

    return Response


# Connections. One is kept per host instead of a pool of urllib3: a pool makes a request a quarter more
# expensive and escapes `|` and others in its target, which some servers do not accept in tokens.

MAX_HOSTS = 32  # with an idle connection each; that of the least recently used is closed first
PROXY_HINT = "Check the setting `proxy`, or HTTP_PROXY, HTTPS_PROXY and NO_PROXY in the environment."


class Connections:
    """Connections to hosts, directly or through one proxy.

    Thread-safe: where the connection to a host is in use, another is opened.
    """

    def __init__(self, proxy: str | None, settings: HttpSettings, limits: ResponseLimits) -> None:
        self._proxy = _Proxy(proxy) if proxy else None
        self.timeout_seconds = settings.timeout_seconds
        self._settings = settings
        self._response_class = response_class(limits)
        self._lock = Lock()
        self._idle: dict[tuple[str, str], HTTPConnection] = {}  # least recently used first
        weakref.finalize(self, _close_all, self._idle)  # also if `close` is never called

    def ask(self, address: Address, headers: Mapping[str, str], body: bytes | None) -> Incoming:
        """Send a request (POST with a body) and return its response; raises Fault if there is none."""
        target = address.target
        if self._proxy is not None and address.scheme == "http":  # forwarded, not tunnelled
            target, headers = address.url, {**headers, **self._proxy.headers}
        connection = self._take(address)
        try:
            # a server that answers early may not read everything
            with suppress(BrokenPipeError, ConnectionResetError):
                connection.request(
                    *("GET" if body is None else "POST", target, body, headers),
                    preload_content=False,
                    decode_content=False,
                )
            response = connection.getresponse()
            _check_lengths(response)
            return Incoming(self, address, connection, response)
        except BaseException as exc:
            connection.close()
            if isinstance(exc, FOREIGN):
                raise _fault(exc, self.timeout_seconds) from exc
            if isinstance(exc, ValueError):  # a header that may not be sent
                raise Fault("the answer is not proper HTTP") from exc
            raise

    def keep(self, address: Address, connection: HTTPConnection) -> None:
        with self._lock:
            spare = self._idle.pop((address.scheme, address.key), None)
            self._idle[address.scheme, address.key] = connection
            if spare is None and len(self._idle) > MAX_HOSTS:
                spare = self._idle.pop(next(iter(self._idle)))
        if spare is not None:
            spare.close()

    def close(self) -> None:
        with self._lock:
            _close_all(self._idle)

    def _take(self, address: Address) -> HTTPConnection:
        with self._lock:
            found = self._idle.pop((address.scheme, address.key), None)
        if found is not None:
            if found.is_connected:
                return found
            found.close()
        connection = self._open(address)
        try:
            connection.connect()
        except BaseException as exc:
            is_proxy = self._proxy is not None and not connection.has_connected_to_proxy
            connection.close()
            if not isinstance(exc, FOREIGN):
                raise
            if is_proxy:
                reason = "the proxy cannot be reached or does not let us through"
                raise Fault(reason, hint=PROXY_HINT) from exc
            raise _fault(exc, self.timeout_seconds) from exc
        return connection

    def _open(self, address: Address) -> HTTPConnection:
        proxy = self._proxy
        options: dict[str, Any] = {"timeout": self.timeout_seconds}
        is_tls = "https" in {address.scheme, proxy and proxy.scheme}
        if is_tls:
            options["ssl_context"] = self._tls
        host, port = address.host, address.port
        if proxy is not None:
            host, port = proxy.host, proxy.port
            options["proxy"] = proxy.url
            options["proxy_config"] = ProxyConfig(self._tls if is_tls else None, False, None, None)
        connection = (
            HTTPSConnection(host, port, **options) if is_tls else HTTPConnection(host, port, **options)
        )
        connection.response_class = self._response_class
        if proxy is not None and address.scheme == "https":
            connection.set_tunnel(address.host, address.port, proxy.headers, proxy.scheme)
        return connection

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        return tls_context(self._settings)


class _Proxy:
    """The address of a proxy and the headers with its credentials."""

    def __init__(self, proxy: str) -> None:
        parts = urlsplit(proxy)
        self.url = parse_url(f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}")
        self.scheme = parts.scheme
        self.host = parts.hostname or ""
        self.port = parts.port or DEFAULT_PORTS[parts.scheme]
        login = f"{unquote(parts.username)}:{unquote(parts.password or '')}" if parts.username else None
        self.headers = make_headers(proxy_basic_auth=login) if login else {}


class Incoming:
    """A response whose headers have been read and whose body is still to come."""

    def __init__(
        self, way: Connections, address: Address, connection: HTTPConnection, response: HTTPResponse
    ) -> None:
        self.status = response.status
        self.headers = response.headers
        self._way = way
        self._address = address
        self._connection = connection
        self._response = response

    @property
    def length(self) -> int | None:
        """How many bytes are still to come; None if unknown."""
        return self._response.length_remaining

    def read(self, most: int | None = None) -> bytes:
        """Return the next part of the body, undecoded; empty at its end. Raises Fault if it breaks off."""
        try:
            return self._response.read(most)
        except BaseException as exc:
            self._connection.close()  # the rest of a broken response must not be taken for the next one
            if isinstance(exc, FOREIGN):
                raise _fault(exc, self._way.timeout_seconds) from exc
            raise

    def release(self) -> None:
        """Keep the connection if the response was read to its end, else drop it."""
        if self._response.closed and not self._connection.is_closed:
            self._way.keep(self._address, self._connection)
        else:
            self._response.close()
            self._connection.close()


FOREIGN = (HTTPError, http.client.HTTPException, OSError)


def _close_all(idle: dict[tuple[str, str], HTTPConnection]) -> None:
    while idle:
        idle.popitem()[1].close()


def _check_lengths(response: HTTPResponse) -> None:
    """Reject conflicting lengths: the surplus would be taken for the next response."""
    told = response.headers.get("content-length", "").split(",")
    if len(set(map(str.strip, told))) > 1 and "transfer-encoding" not in response.headers:
        raise Fault("the answer is not proper HTTP")


def _fault(exc: Exception, timeout_seconds: float) -> Fault:
    """Return the fault that an exception of urllib3, http.client or a socket stands for."""
    # first: NewConnectionError is a subclass of ConnectTimeoutError
    if isinstance(exc, NewConnectionError | LocationValueError):
        return connection_fault(exc, timeout_seconds)
    if isinstance(exc, ConnectTimeoutError):
        return Fault(f"no connection within {timeout_seconds:g} seconds")
    if isinstance(exc, HTTPTimeoutError):
        return Fault(f"no answer within {timeout_seconds:g} seconds")
    if isinstance(exc, SSLError):
        return tls_fault(exc)
    return transport_fault(exc, timeout_seconds)


# Bodies, read within a limit and still encoded.

CHUNK_BYTES = 8 * 1024 * 1024  # trusted of a Content-Length at once; more is read step by step
DRAINED_BYTES = 64 * 1024  # of a body that is discarded, so that the connection can be reused


def read_body(response: Incoming, *, limit: int) -> bytes | None:
    """Return the bytes of the body; None if there are more than `limit`."""
    length = response.length
    if length is not None and length > limit:
        return None
    if length is not None and length <= CHUNK_BYTES:
        return response.read()
    parts: list[bytes] = []
    left = limit
    while part := response.read(min(CHUNK_BYTES, left + 1)):
        left -= len(part)
        if left < 0:
            return None
        parts.append(part)
    return b"".join(parts)


@dataclass(frozen=True, slots=True)
class Reply:
    """The response, of any status. The body of a redirect is not kept."""

    status: int
    headers: Mapping[str, str]  # looked up case-insensitively; repeated ones are joined by commas
    set_cookies: tuple[str, ...]
    body: bytes
    wire_bytes: int
    seconds: float


class Exchange:
    """Sends requests over the connections of one client."""

    def __init__(self, settings: HttpSettings) -> None:
        self._settings = settings
        # Twice the body: framing is legitimate overhead, but endless trailers or interim responses are not.
        self._limits = ResponseLimits(settings.deadline_seconds, 2 * settings.max_response_bytes + MEBIBYTE)
        self._ways: dict[str | None, Connections] = {}  # by proxy
        self._found: dict[tuple[str, str], Connections] = {}  # by scheme and host
        logging.getLogger("urllib3").propagate = False  # its warnings contain addresses, and these secrets

    def close(self) -> None:
        for way in self._ways.values():
            way.close()

    def send(self, address: Address, headers: Mapping[str, str], *, body: bytes | None = None) -> Reply:
        """Send one request: a POST if there is a body, else a GET.

        Raises Fault if this try failed and TooLarge if any other would fail as well.
        """
        started = time.monotonic()
        try:
            response = self._way(address).ask(address, headers, body)
            try:
                answer, wire_bytes = self._read(response)
            finally:
                response.release()
        except (DeadlineExceeded, ResponseTooLarge, OverLimit) as exc:
            raise self._limit_error(address, exc) from exc
        seconds = time.monotonic() - started
        cookies = tuple(response.headers.getlist("set-cookie"))
        return Reply(response.status, response.headers, cookies, answer, wire_bytes, seconds)

    def _way(self, address: Address) -> Connections:
        found = self._found.get((address.scheme, address.key))
        if found is None:
            proxy = proxy_for(address, self._settings.proxy)
            found = self._ways.get(proxy)
            if found is None:
                found = self._ways[proxy] = Connections(proxy, self._settings, self._limits)
            self._found[address.scheme, address.key] = found
        return found

    def _read(self, response: Incoming) -> tuple[bytes, int]:
        """Return the decoded body and its size on the wire; empty if an error page breaks off."""
        if response.status == SWITCHING_PROTOCOLS:  # what follows is not HTTP, and was not requested
            return b"", 0
        if response.status in REDIRECT_STATUSES:
            with suppress(Fault):
                read_body(response, limit=DRAINED_BYTES)
            return b"", 0
        limit = self._settings.max_response_bytes
        try:
            wire = read_body(response, limit=limit)
            if wire is None:
                raise OverLimit
            return decode(wire, response.headers.get("content-encoding"), limit=limit), len(wire)
        except Fault:
            if response.status < 400:
                raise
            return b"", 0

    def _limit_error(self, address: Address, exc: Exception) -> Exception:
        settings = self._settings
        if isinstance(exc, DeadlineExceeded):
            reason = f"the answer was not whole after {settings.deadline_seconds:g} seconds"
            return Fault(reason, is_final=True, hint="Raise `deadline` for this source if it is only slow.")
        return TooLarge(f"{address.shown}: the answer has more than {settings.max_response_bytes:,} bytes")
