"""The demo repository over HTTP/1.1, on the loopback interface only."""

from __future__ import annotations

import socket
import subprocess
import sys
import zlib
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from types import TracebackType
from typing import Any, Self
from urllib.parse import parse_qsl

from windrow.demo.thesis_repository import Repository
from windrow.errors import WindrowError

# In a process of its own, so that its work does not slow down the harvest.

_CHILD_START_SECONDS = 10.0


class DemoChild:
    """Runs `python -m windrow.demo` during the `with` block."""

    def __init__(self, *, records: int, days: int) -> None:
        self._arguments = [f"--records={records}", f"--days={days}"]
        self._process: subprocess.Popen[str] | None = None
        self.url = ""

    def later(self) -> None:
        process = self._running()
        assert process.stdin is not None
        process.stdin.write("later\n")
        process.stdin.flush()
        self._read(process)

    def __enter__(self) -> Self:
        # A session of its own: Ctrl-C stops the harvest first, which then stops the repository.
        self._process = subprocess.Popen(
            [sys.executable, "-m", "windrow.demo", *self._arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        try:
            self.url = self._read(self._process)
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop()

    def _running(self) -> subprocess.Popen[str]:
        if self._process is None:
            raise RuntimeError("the demo repository runs only inside its `with` block")
        return self._process

    def _read(self, process: subprocess.Popen[str]) -> str:
        assert process.stdout is not None
        line = process.stdout.readline().strip()
        if not line:
            raise WindrowError("the demo repository did not start; its last words are above")
        return line

    def _stop(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.terminate()
        try:
            process.wait(_CHILD_START_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                stream.close()


OAI_PATH = "/oai"
_LONGEST_BODY = 65_536
_MOST_ARGUMENTS = 50
_GZIP_FROM_BYTES = 1024
# Level 1 and the gzip wrapper: a page of records shrinks to a fifth, in a fraction of the default's time.
_GZIP_LEVEL, _GZIP_WINDOW = 1, 31


class DemoServer:
    """A repository served on a port of 127.0.0.1, any free one by default, during the `with` block.

    `repository` may be replaced at any time; the next request sees the new one.
    """

    def __init__(self, repository: Repository | None = None, *, port: int = 0) -> None:
        self.repository = repository or Repository()
        self._port = port
        self._listener: _Listener | None = None
        self._thread: Thread | None = None

    @property
    def url(self) -> str:
        if self._listener is None:
            raise RuntimeError("the demo server has an address only inside its `with` block")
        return f"http://127.0.0.1:{self._listener.server_port}{OAI_PATH}"

    def answer(self, query: str) -> bytes:
        """Return the repository's answer to a query string or a form."""
        pairs = parse_qsl(query, keep_blank_values=True, max_num_fields=_MOST_ARGUMENTS)
        return self.repository.answer(pairs, base_url=self.url)

    def __enter__(self) -> Self:
        self._listener = _Listener(self, self._port)
        self._thread = Thread(
            target=self._listener.serve_forever, args=(0.02,), name="windrow-demo", daemon=True
        )
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._listener is not None and self._thread is not None:
            self._listener.shutdown()
            self._thread.join()
            self._listener.hang_up()
            self._listener.server_close()
        self._listener = self._thread = None


class _Listener(ThreadingHTTPServer):
    """Tracks open connections: a persistent connection must not keep the server from stopping."""

    daemon_threads = False
    block_on_close = True
    request_queue_size = 64

    def __init__(self, demo: DemoServer, port: int) -> None:
        self.demo = demo
        self._connections: set[socket.socket] = set()
        self._lock = Lock()
        super().__init__(("127.0.0.1", port), _Handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        with self._lock:
            self._connections.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        with self._lock:
            self._connections.discard(request)
        super().shutdown_request(request)

    def hang_up(self) -> None:
        """Close every open connection, so that the threads waiting on them finish."""
        with self._lock:
            for connection in self._connections:
                with suppress(OSError):  # the client closed it first
                    connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore clients that hang up."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "WindrowDemo"
    sys_version = ""
    disable_nagle_algorithm = True
    server: _Listener

    def do_GET(self) -> None:
        self._respond(self.path.partition("?")[2])

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal() or int(length[:9]) > _LONGEST_BODY:
            self.close_connection = True
            self._send(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE, b"A form of at most 64 KB is needed\n", "text/plain"
            )
            return
        self._respond(self.rfile.read(int(length)).decode("ascii", "replace"))

    def log_message(self, *args: object) -> None:
        """Log nothing: the terminal shows the progress of the harvest."""

    def _respond(self, query: str) -> None:
        if self.path.partition("?")[0] != OAI_PATH:
            self._send(HTTPStatus.NOT_FOUND, f"The repository is at {OAI_PATH}\n".encode(), "text/plain")
            return
        try:
            body = self.server.demo.answer(query)
        except ValueError:  # from parse_qsl, which limits the number of arguments
            self._send(HTTPStatus.BAD_REQUEST, b"Too many arguments\n", "text/plain")
            return
        self._send(HTTPStatus.OK, body, "text/xml; charset=UTF-8")

    def _send(self, status: HTTPStatus, body: bytes, media_type: str) -> None:
        is_zipped = len(body) >= _GZIP_FROM_BYTES and "gzip" in self.headers.get("Accept-Encoding", "")
        if is_zipped:
            zipper = zlib.compressobj(_GZIP_LEVEL, zlib.DEFLATED, _GZIP_WINDOW)
            body = zipper.compress(body) + zipper.flush()
        self.send_response(status)
        self.send_header("Content-Type", media_type)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Vary", "Accept-Encoding")
        if is_zipped:
            self.send_header("Content-Encoding", "gzip")
        self.end_headers()
        self.wfile.write(body)
