"""A loopback HTTP/1.1 server whose every byte a test decides: the ground under all other test servers.

It speaks through raw sockets because a good HTTP library refuses to lie about lengths, to stop in the
middle of a body or to reset a connection, and real servers do all three.
"""

from __future__ import annotations

import socket
import ssl
import struct
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from io import BufferedReader
from threading import Condition, Event, Lock, Thread
from types import TracebackType
from typing import Self
from urllib.parse import parse_qsl, urlsplit

from tests.servers.tls import Certificate

_FORM = "application/x-www-form-urlencoded"
_LONGEST_LINE = 65_536


@dataclass(frozen=True, slots=True)
class Request:
    """What a client sent; `target` is the request line's own, `query` still percent-encoded."""

    method: str
    target: str
    path: str
    query: str
    query_pairs: tuple[tuple[str, str], ...]
    headers: dict[str, str]  # names in lower case
    body: bytes = b""

    @property
    def arguments(self) -> dict[str, str]:
        """The query pairs, or the form's, by name; the last one wins."""
        if self.headers.get("content-type", "").startswith(_FORM):
            return dict(parse_qsl(self.body.decode(), keep_blank_values=True))
        return dict(self.query_pairs)


@dataclass(frozen=True, slots=True)
class Reply:
    """What to send, and how to misbehave in sending it."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    content_type: str | None = "text/xml; charset=UTF-8"
    declared_length: int | None = None  # says this many bytes, whatever the body has
    chunked: bool = False
    cut_after: int | None = None  # hangs up after this many bytes of the body
    reset: bool = False  # hangs up with RST; after `cut_after` bytes, or before any byte at all
    never_answer: bool = False  # keeps silent until the client or the server goes
    hold: Event | None = None  # sends nothing before this is set
    drip_bytes: int | None = None  # sends the body in pieces of this size, each a packet of its own
    close: bool = False  # says Connection: close, and does
    interim: tuple[str, ...] = ()  # status lines with their headers, sent before the response itself


Handler = Callable[[Request], Reply]


class ScriptedServer:
    """Answers every request with `handle(request)`, on a free port of 127.0.0.1, inside a `with` block.

    `requests` has all that came, in order of arrival.
    """

    def __init__(self, handle: Handler, *, path: str = "/", certificate: Certificate | None = None) -> None:
        self.handle = handle
        self.path = path
        self.requests: list[Request] = []
        self.connections = 0  # how many were accepted
        self._certificate = certificate
        self._stopping = Event()
        self._lock = Lock()
        self._arrival = Condition()
        self._open: set[socket.socket] = set()
        self._threads: list[Thread] = []
        self._listener: socket.socket | None = None

    @property
    def port(self) -> int:
        """The port it listens on."""
        assert self._listener is not None, "the server runs only inside its `with` block"
        return int(self._listener.getsockname()[1])

    @property
    def url(self) -> str:
        """The address to ask."""
        scheme = "https" if self._certificate else "http"
        return f"{scheme}://127.0.0.1:{self.port}{self.path}"

    def wait_for_requests(self, count: int, *, seconds: float = 30) -> None:
        """Return when so many requests have arrived; fail when they do not."""
        with self._arrival:
            assert self._arrival.wait_for(lambda: len(self.requests) >= count, seconds), "no request came"

    def __enter__(self) -> Self:
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self._start(self._accept, self._listener)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._listener is not None
        self._stopping.set()
        with suppress(OSError):  # wakes the thread that waits for a client
            socket.create_connection(("127.0.0.1", self.port)).close()
        self._threads[0].join()  # no new connection from here on
        self._listener.close()
        with self._lock:
            for connection in self._open:
                _shut(connection)
        for thread in self._threads[1:]:
            thread.join()

    def _start(self, work: Callable[[socket.socket], None], connection: socket.socket) -> None:
        thread = Thread(target=work, args=(connection,), name=f"{type(self).__name__}", daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self, listener: socket.socket) -> None:
        while True:
            connection, _ = listener.accept()
            if self._stopping.is_set():
                connection.close()
                return
            with self._lock:
                self._open.add(connection)
                self.connections += 1
            self._start(self._converse, connection)

    def _converse(self, connection: socket.socket) -> None:
        current: socket.socket | ssl.SSLSocket = connection
        try:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self._certificate is not None:
                current = self._wrap(connection, self._certificate)
                current.do_handshake()
            with current.makefile("rb") as stream:
                while (request := _read_request(stream)) is not None and not self._stopping.is_set():
                    with self._arrival:
                        self.requests.append(request)
                        self._arrival.notify_all()
                    if not _send(current, request, self.handle(request), self._stopping):
                        return
        except OSError:
            return  # the client went away, or did not like our certificate
        finally:
            with self._lock:
                self._open -= {connection, current}
            current.close()

    def _wrap(self, connection: socket.socket, certificate: Certificate) -> ssl.SSLSocket:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate.chain, certificate.key)
        with self._lock:  # wrapping takes the descriptor away from the plain socket
            secured = context.wrap_socket(connection, server_side=True, do_handshake_on_connect=False)
            self._open -= {connection}
            self._open.add(secured)
        return secured


def _read_request(stream: BufferedReader) -> Request | None:
    """The next request of the connection; None when there is none."""
    line = stream.readline(_LONGEST_LINE).decode("latin-1").split()
    if len(line) != 3:
        return None
    headers: dict[str, str] = {}
    while (text := stream.readline(_LONGEST_LINE).decode("latin-1").strip()) != "":
        name, _, value = text.partition(":")
        headers[name.lower()] = value.strip()
    body = stream.read(int(headers.get("content-length", "0")))
    # An absolute target is what a client sends to a proxy.
    address = urlsplit(line[1])
    pairs = tuple(parse_qsl(address.query, keep_blank_values=True))
    return Request(line[0], line[1], address.path, address.query, pairs, headers, body)


def _send(connection: socket.socket, request: Request, reply: Reply, stopping: Event) -> bool:
    """Send the reply; tell whether the connection may be used again."""
    if reply.never_answer:
        while connection.recv(4096):
            pass
        return False
    if reply.hold is not None:
        _wait(reply.hold, stopping)
    if reply.reset and reply.cut_after is None:
        _reset(connection)
        return False
    is_last = reply.close or request.headers.get("connection", "").lower() == "close"
    for head in reply.interim:
        connection.sendall(f"HTTP/1.1 {head}\r\n\r\n".encode("latin-1"))
    connection.sendall(_render_head(reply, is_last=is_last))
    if request.method != "HEAD":
        _send_body(connection, reply)
    if reply.cut_after is not None:
        if reply.reset:
            _reset(connection)
        return False
    # A length that was a lie must not leave the client waiting for the rest.
    return not is_last and reply.declared_length in {None, len(reply.body)}


def _render_head(reply: Reply, *, is_last: bool) -> bytes:
    try:
        reason = HTTPStatus(reply.status).phrase
    except ValueError:
        reason = "Unnamed"
    headers = dict(reply.headers)
    if reply.content_type is not None:
        headers.setdefault("Content-Type", reply.content_type)
    if reply.chunked:
        headers.setdefault("Transfer-Encoding", "chunked")
    else:
        declared = len(reply.body) if reply.declared_length is None else reply.declared_length
        headers.setdefault("Content-Length", str(declared))
    if is_last:
        headers.setdefault("Connection", "close")
    lines = [f"HTTP/1.1 {reply.status} {reason}", *(f"{name}: {value}" for name, value in headers.items())]
    return "\r\n".join([*lines, "", ""]).encode("latin-1")


def _send_body(connection: socket.socket, reply: Reply) -> None:
    body = reply.body[: reply.cut_after]
    size = reply.drip_bytes or max(1, len(body))
    for start in range(0, len(body), size):
        piece = body[start : start + size]
        connection.sendall(b"%x\r\n%b\r\n" % (len(piece), piece) if reply.chunked else piece)
    if reply.chunked and reply.cut_after is None:
        connection.sendall(b"0\r\n\r\n")


def _wait(held: Event, stopping: Event) -> None:
    """Until the test lets go, or the server has to stop."""
    while not held.wait(0.05):
        if stopping.is_set():
            return


def _reset(connection: socket.socket) -> None:
    """Make the coming close an RST instead of an orderly end."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def _shut(connection: socket.socket) -> None:
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
