"""HTTP as uvicorn speaks it, with bounds that it lacks: on the size of a request's head, and on its time."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Sequence

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

LARGEST_HEAD_BYTES = 65_536
HEAD_SECONDS = 20.0
# What announces that more comes than a head.
_NOT_BARE = frozenset((b"content-length", b"transfer-encoding", b"expect", b"upgrade"))
AtOnce = Callable[[str, bytes, Sequence[tuple[bytes, bytes]], str], tuple[int, bytes, bytes] | None]


class BoundedProtocol(HttpToolsProtocol):
    """A connection whose requests begin in good time and stay within bounds, or which is closed.

    Most heads come in one piece: for those no clock is started.
    """

    _head_bytes = 0
    _is_in_head = True
    _is_answered = False  # at once: what is left of the request is its end
    _clock: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for the first request."""
        super().connection_made(transport)
        self._clock = self.loop.call_later(HEAD_SECONDS, self._give_up)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        self._stop_clock()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take in a piece, unless the head it belongs to is too large."""
        if self._is_in_head:
            self._head_bytes += len(data)
            if self._head_bytes > LARGEST_HEAD_BYTES and not self._ends_head(data):
                self.send_400_response("The head of this request is too large.")
                return
        super().data_received(data)
        if not self._is_in_head:
            self._stop_clock()
        elif self._clock is None:
            self._clock = self.loop.call_later(HEAD_SECONDS, self._give_up)

    def on_message_begin(self) -> None:
        """A request begins."""
        self._is_in_head = True
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Its head is whole; what follows is the application's business."""
        self._is_in_head = False
        self._head_bytes = 0
        self._is_answered = self._answer_at_once()
        if not self._is_answered:
            super().on_headers_complete()

    def on_message_complete(self) -> None:
        """A request ends."""
        if not self._is_answered:
            super().on_message_complete()

    def _answer_at_once(self) -> bool:
        """Answer where the application can do so without waiting: no task, and one piece on the wire."""
        parser, cycle = self.parser, self.cycle
        at_once: AtOnce | None = getattr(self.app, "at_once", None)
        if (
            at_once is None
            or parser.get_method() != b"GET"
            or parser.get_http_version() != "1.1"
            or (cycle is not None and not cycle.response_complete)  # its answer has to go first
            or self.flow.write_paused
            or self.transport.is_closing()
            or self.root_path
            or len(self.connections) >= (self.limit_concurrency or math.inf)
        ):
            return False
        url, headers = self.url, self.headers
        if not url.startswith(b"/") or b"#" in url or any(name in _NOT_BARE for name, _ in headers):
            return False
        path, _, query = url.partition(b"?")
        if b"%" in path or not path.isascii():
            return False
        made = at_once(path.decode("ascii"), query, headers, self.client[0] if self.client else "")
        if made is None:
            return False
        self._write(*made)
        return True

    def _write(self, status: int, lines: bytes, body: bytes) -> None:
        is_kept = self.parser.should_keep_alive()
        own = [b"%b: %b\r\n" % header for header in self.server_state.default_headers]
        closing = b"" if is_kept else b"connection: close\r\n"
        self.transport.write(b"".join((STATUS_LINE[status], *own, lines, closing, b"\r\n", body)))
        if not is_kept:
            self.transport.close()
        self.on_response_complete()

    def _ends_head(self, data: bytes) -> bool:
        """Say whether a piece has the end of the head near its beginning: then the rest is body."""
        return 0 <= data.find(b"\r\n\r\n") < LARGEST_HEAD_BYTES

    def _stop_clock(self) -> None:
        if self._clock is not None:
            self._clock.cancel()
            self._clock = None

    def _give_up(self) -> None:
        self._clock = None
        self.transport.abort()
