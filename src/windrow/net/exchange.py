"""One HTTP exchange: a request and its whole response on one connection, without redirects or retries.

The client loads this module, and http.client with it, for its first request.
"""

from __future__ import annotations

import select
import socket
import ssl
import sys
import time
import weakref
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from http.client import HTTPConnection, HTTPException, HTTPResponse, IncompleteRead
from threading import Lock

from windrow.errors import TooLarge
from windrow.net.address import DEFAULT_PORTS, REDIRECT_STATUSES, Address, proxy_for
from windrow.net.content_encoding import OverLimit, decode
from windrow.net.faults import Fault, connection_fault, transport_fault
from windrow.net.http_settings import MEBIBYTE, HttpSettings, tls_context
from windrow.net.response import (
    DeadlineExceeded,
    Headers,
    IncomingResponse,
    ResponseLimits,
    ResponseTooLarge,
    Transport,
    drain,
    read_body,
    response_class,
)

# The direct transport: http.client, with one connection kept open per host. urllib3 is used for proxies only
# (`proxied`): it made each request two thirds more expensive, and loading it took a tenth of a harvest
# without new records.

MAX_HOSTS = 32  # idle connections; the least recently used is closed first


class DirectTransport:
    """Connects to hosts directly. Thread-safe: a thread that finds the connection in use opens another."""

    def __init__(self, settings: HttpSettings, limits: ResponseLimits) -> None:
        self._settings = settings
        self._response_class = response_class(limits)
        self._lock = Lock()
        self._idle: dict[tuple[str, str], _Connection] = {}  # least recently used first
        weakref.finalize(self, _close_all, self._idle)  # also if `close` is never called

    def ask(self, address: Address, headers: Mapping[str, str], body: bytes | None) -> DirectResponse:
        connection = self._take(address)
        try:
            response = connection.ask("GET" if body is None else "POST", address.target, headers, body)
            incoming = DirectResponse(self, address, connection, response)
            _check_lengths(incoming.headers)
            return incoming
        except BaseException as exc:
            connection.close()
            if isinstance(exc, HTTPException | OSError):
                raise transport_fault(exc, self._settings.timeout_seconds) from exc
            if isinstance(exc, ValueError):  # http.client: a header that may not be sent
                raise Fault("the answer is not proper HTTP") from exc
            raise

    def keep(self, address: Address, connection: _Connection) -> None:
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

    def _take(self, address: Address) -> _Connection:
        with self._lock:
            found = self._idle.pop((address.scheme, address.key), None)
        if found is not None:
            return found
        context = self._tls if address.scheme == "https" else None
        connection = _Connection(address, context, self._settings.timeout_seconds)
        connection.response_class = self._response_class
        return connection

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        return tls_context(self._settings)


class DirectResponse:
    """A response on its connection."""

    def __init__(
        self, way: DirectTransport, address: Address, connection: _Connection, response: HTTPResponse
    ) -> None:
        self.status = response.status
        self.headers = Headers(response.headers.items())
        self._way = way
        self._address = address
        self._connection = connection
        self._response = response

    @property
    def length(self) -> int | None:
        return self._response.length

    def read(self, most: int | None = None) -> bytes:
        try:
            part = self._response.read(most)
            # http.client detects this only when reading everything at once
            if not part and self._response.length:
                raise IncompleteRead(b"", self._response.length)
        except BaseException as exc:
            self._connection.close()  # the rest of a broken response must not be taken for the next one
            if isinstance(exc, HTTPException | OSError):
                raise transport_fault(exc, self._connection.timeout) from exc
            raise
        return part

    def release(self) -> None:
        if self._response.isclosed() and self._connection.sock is not None:
            self._way.keep(self._address, self._connection)
        else:
            self._response.close()
            self._connection.close()


class _Connection(HTTPConnection):
    """A connection to one host, opened by its first request and reopened if the host has closed it."""

    timeout: float

    def __init__(self, address: Address, context: ssl.SSLContext | None, timeout: float) -> None:
        # A trailing dot makes a name absolute. It is for name resolution only.
        super().__init__(address.host.rstrip("."), address.port, timeout=timeout)
        self.default_port = DEFAULT_PORTS[address.scheme]
        self._name = address.host
        self._context = context

    def ask(self, method: str, target: str, headers: Mapping[str, str], body: bytes | None) -> HTTPResponse:
        if self.sock is not None and _is_dropped(self.sock):
            self.close()
        if self.sock is None:
            self.connect()
        self.sock.settimeout(self.timeout)
        # a server that answers early may not read everything
        with suppress(BrokenPipeError, ConnectionResetError):
            self.request(method, target, body=body, headers=headers)
        return self.getresponse()

    def connect(self) -> None:
        """Connect, with TLS if required."""
        try:
            sock = socket.create_connection((self._name, self.port), self.timeout)
        except (OSError, UnicodeError) as exc:
            raise connection_fault(exc, self.timeout) from exc
        try:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.sock = self._context.wrap_socket(sock, server_hostname=self.host) if self._context else sock
        except BaseException:
            sock.close()
            raise


def _close_all(idle: dict[tuple[str, str], _Connection]) -> None:
    while idle:
        idle.popitem()[1].close()


def _check_lengths(headers: Headers) -> None:
    """Reject conflicting lengths: the surplus would be taken for the next response."""
    told = headers.get("content-length", "").split(",")
    if len(set(map(str.strip, told))) > 1 and "transfer-encoding" not in headers:
        raise Fault("the answer is not proper HTTP")


def _is_dropped(sock: socket.socket) -> bool:
    """Return whether the host has closed the connection or sent unsolicited data."""
    if sys.platform == "win32":
        return bool(select.select([sock], [], [], 0)[0])
    poll = select.poll()
    poll.register(sock, select.POLLIN)
    return bool(poll.poll(0))


@dataclass(frozen=True, slots=True)
class Reply:
    """The response, of any status. The body of a redirect is not kept."""

    status: int
    headers: Mapping[str, str]
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
        self._ways: dict[str | None, Transport] = {}  # by proxy
        self._found: dict[tuple[str, str], Transport] = {}  # by scheme and host

    def close(self) -> None:
        for way in self._ways.values():
            way.close()

    def send(self, address: Address, headers: Mapping[str, str], *, body: bytes | None = None) -> Reply:
        """Send one request: a POST if there is a body, else a GET.

        Raises Fault if this try failed and TooLarge if any other would fail as well.
        """
        started = time.monotonic()
        try:
            incoming = self._way(address).ask(address, headers, body)
            try:
                answer, wire_bytes = self._read(incoming)
            finally:
                incoming.release()
        except (DeadlineExceeded, ResponseTooLarge, OverLimit) as exc:
            raise self._limit_error(address, exc) from exc
        seconds = time.monotonic() - started
        cookies = incoming.headers.all("set-cookie")
        return Reply(incoming.status, incoming.headers, cookies, answer, wire_bytes, seconds)

    def _way(self, address: Address) -> Transport:
        found = self._found.get((address.scheme, address.key))
        if found is None:
            proxy = proxy_for(address, self._settings.proxy)
            found = self._ways.get(proxy)
            if found is None:
                found = self._ways[proxy] = self._open(proxy)
            self._found[address.scheme, address.key] = found
        return found

    def _open(self, proxy: str | None) -> Transport:
        if proxy is None:
            return DirectTransport(self._settings, self._limits)
        from windrow.net.proxied import ProxiedTransport  # noqa: PLC0415 - loads urllib3

        return ProxiedTransport(proxy, self._settings, self._limits)

    def _read(self, incoming: IncomingResponse) -> tuple[bytes, int]:
        """Return the decoded body and its size on the wire; empty if an error page breaks off."""
        if incoming.status in REDIRECT_STATUSES:
            with suppress(Fault):
                drain(incoming)
            return b"", 0
        limit = self._settings.max_response_bytes
        try:
            wire = read_body(incoming, limit=limit)
            if wire is None:
                raise OverLimit
            return decode(wire, incoming.headers.get("content-encoding"), limit=limit), len(wire)
        except Fault:
            if incoming.status < 400:
                raise
            return b"", 0

    def _limit_error(self, address: Address, exc: Exception) -> Exception:
        settings = self._settings
        if isinstance(exc, DeadlineExceeded):
            reason = f"the answer was not whole after {settings.deadline_seconds:g} seconds"
            return Fault(reason, is_final=True, hint="Raise `deadline` for this source if it is only slow.")
        return TooLarge(f"{address.shown}: the answer has more than {settings.max_response_bytes:,} bytes")
