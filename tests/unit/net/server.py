"""A loopback server that says, byte for byte, what a script tells it to, and keeps what it was asked."""

from __future__ import annotations

import contextlib
import select
import socket
import ssl
import struct
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from types import TracebackType
from typing import Self


@dataclass(frozen=True)
class Request:
    """The head of a request as it came."""

    method: str
    target: str
    headers: dict[str, str]  # names in lower case


class Line:
    """One connection, in the hands of a script."""

    def __init__(self, sock: socket.socket, stopped: threading.Event, request: Request) -> None:
        self._sock = sock
        self.stopped = stopped
        self.request = request

    def send(self, data: bytes) -> None:
        self._sock.sendall(data)

    def hang_up(self) -> None:
        with contextlib.suppress(OSError):
            self._sock.shutdown(socket.SHUT_RDWR)
        self._sock.close()

    def relay(self, port: int) -> None:
        """Carry bytes between the client and a local port until one of them closes."""
        with socket.create_connection(("127.0.0.1", port)) as upstream:
            ways = {self._sock: upstream, upstream: self._sock}
            while not self.stopped.is_set():
                ready, _, _ = select.select(list(ways), [], [], 0.05)
                for source in ready:
                    data = source.recv(
                        65536
                    )  # a whole TLS record, so that none is left behind in the TLS layer
                    if not data:
                        return
                    ways[source].sendall(data)

    def reset(self) -> None:
        """Close with a reset instead of an end."""
        self._sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._sock.close()


Script = bytes | Callable[[Line], None]


def reply(body: bytes = b"<r/>", status: str = "200 OK", **headers: str) -> bytes:
    """A proper answer; underscores in header names stand for hyphens."""
    named = {
        "Content-Length": str(len(body)),
        **{name.replace("_", "-"): value for name, value in headers.items()},
    }
    head = "".join(f"{name}: {value}\r\n" for name, value in named.items())
    return f"HTTP/1.1 {status}\r\n{head}\r\n".encode("latin-1") + body


def then_hang_up(data: bytes) -> Callable[[Line], None]:
    """Send these bytes and close the connection."""

    def script(line: Line) -> None:
        line.send(data)
        line.hang_up()

    return script


def silence(line: Line) -> None:
    """Never answer."""
    line.stopped.wait()


class Server:
    """Answers each request with the next script, and with the last one when they are used up."""

    def __init__(self, *scripts: Script, tls: ssl.SSLContext | None = None, greeting: bytes = b"") -> None:
        self._scripts = list(scripts)
        self._tls = tls
        self._greeting = greeting  # said before anything is asked, as no web server does
        self._lock = threading.Lock()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._open: set[socket.socket] = set()
        self._threads: list[threading.Thread] = []
        self.stopped = threading.Event()
        self.requests: list[Request] = []
        self.connections = 0

    @property
    def port(self) -> int:
        return int(self._listener.getsockname()[1])

    @property
    def key(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        return f"{'https' if self._tls else 'http'}://127.0.0.1:{self.port}/oai"

    def __enter__(self) -> Self:
        self._start(self._accept)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stopped.set()
        with contextlib.suppress(OSError):  # wakes the thread that waits for a client
            socket.create_connection(("127.0.0.1", self.port)).close()
        self._threads[0].join()  # no new connection from here on
        self._listener.close()
        with self._lock:
            for sock in self._open:
                with contextlib.suppress(OSError):
                    sock.shutdown(socket.SHUT_RDWR)
        for thread in self._threads[1:]:
            thread.join()

    def _start(self, target: Callable[[], None]) -> None:
        thread = threading.Thread(target=target, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while True:
            sock, _ = self._listener.accept()
            if self.stopped.is_set():
                sock.close()
                return
            self.connections += 1
            with self._lock:
                self._open.add(sock)
            self._start(partial(self._serve, sock))

    def _serve(self, sock: socket.socket) -> None:
        with contextlib.suppress(OSError), contextlib.closing(self._wrapped(sock)) as line:
            with self._lock:
                self._open.add(line)
            line.sendall(self._greeting)
            while not self.stopped.is_set() and (request := _read_request(line)):
                script = self._next(request)
                if isinstance(script, bytes):
                    line.sendall(script)
                else:
                    script(Line(line, self.stopped, request))
        sock.close()

    def _wrapped(self, sock: socket.socket) -> socket.socket:
        return self._tls.wrap_socket(sock, server_side=True) if self._tls else sock

    def _next(self, request: Request) -> Script:
        with self._lock:
            script = self._scripts[min(len(self.requests), len(self._scripts) - 1)]
            self.requests.append(request)
            return script


def _read_request(sock: socket.socket) -> Request | None:
    data = b""
    while b"\r\n\r\n" not in data:
        more = sock.recv(65536)
        if not more:
            return None
        data += more
    first, *lines = data.partition(b"\r\n\r\n")[0].decode("latin-1").split("\r\n")
    method, target, _ = first.split(" ")
    pairs = (line.partition(":") for line in lines)
    return Request(method, target, {name.lower(): value.strip() for name, _, value in pairs})
