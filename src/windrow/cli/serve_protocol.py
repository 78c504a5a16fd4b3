"""HTTP as uvicorn speaks it, with bounds that it lacks: on the size of a request's head, and on its time.

What the application can answer at once is answered here, without a task. Whoever harvests sends the same head
again and again, and only the first line is another: then the rest is not even parsed again.
"""

from __future__ import annotations

import asyncio
import math
import re
from collections.abc import Sequence
from typing import Any, Protocol

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

LARGEST_HEAD_BYTES = 65_536
HEAD_SECONDS = 20.0
MOST_WAITING = 100  # requests of one connection, sent before the first was answered; each takes kilobytes
# What announces that more comes than a head.
_NOT_BARE = frozenset((b"content-length", b"transfer-encoding", b"expect", b"upgrade"))
# Of answers to what came in one piece, above which the next one waits. Whether a client takes them is tried,
# by one kind of loop, only after all of the piece.
_FULL_BYTES = 65_536
_LONGEST_KEPT = 2048  # bytes of a head that are remembered for each connection
# With no other ends of lines: behind those, a second head could hide from us and not from a parser.
_HEAD_LINES = re.compile(rb"(?:[^\r\n]++\r\n)++\r\n")
# A first line without anything that a parser would have to judge.
_FIRST_LINE = re.compile(rb"GET /[A-Za-z0-9!$%&'()*+,./:;=?@_~-]*+ HTTP/1\.1")


class PromptApplication(Protocol):
    """An application that answers some requests at once."""

    def meet(self, headers: Sequence[tuple[bytes, bytes]], peer: str) -> Any:
        """Give who asks, as `at_once` wants to know it."""

    def at_once(self, path: bytes, query: bytes, visitor: Any) -> tuple[int, bytes, bytes] | None:
        """Give status, header lines and body of the answer to a GET; None: call it as ASGI has it."""


class BoundedProtocol(HttpToolsProtocol):
    """A connection whose requests begin in good time and stay within bounds, or which is closed.

    Most heads come in one piece: for those no clock is started.
    """

    _head_bytes = 0
    _is_in_head = True
    _is_answered = False  # at once: what is left of the request is its end
    _is_between = True  # requests: the last one was taken in whole, and no other has begun
    _clock: asyncio.TimerHandle | None = None
    _written = 0  # bytes, since the last piece came
    _piece = b""  # what came last, where a request began with it
    _kept_head = b""  # of a request that was answered at once, without its first line
    _visitor: Any = None  # who sent that
    _answered_at = -math.inf
    _own_lines: tuple[object, bytes] = (None, b"")

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
        self._written = 0
        if self._kept_head and self._is_between and self._answer_alike(data):
            return
        self._piece = data if self._is_between else b""
        if self._is_in_head or self._is_between:
            self._head_bytes += len(data)
            if self._head_bytes > LARGEST_HEAD_BYTES and not self._ends_head(data):
                self.send_400_response("The head of this request is too large.")
                return
        super().data_received(data)
        self._piece = b""
        if not self._is_in_head:
            self._stop_clock()
            self._wait_on()
        elif self._clock is None:
            self._clock = self.loop.call_later(HEAD_SECONDS, self._give_up)

    def on_message_begin(self) -> None:
        """A request begins."""
        self._is_in_head = True
        self._is_between = False
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Its head is whole; what follows is the application's business."""
        self._is_in_head = False
        self._head_bytes = 0
        if len(self.pipeline) >= MOST_WAITING:
            self.transport.abort()
            self._is_answered = True
            return
        self._is_answered = self._answer_at_once()
        if not self._is_answered:
            super().on_headers_complete()

    def on_message_complete(self) -> None:
        """A request ends."""
        self._is_between = True
        if not self._is_answered:
            super().on_message_complete()

    def timeout_keep_alive_handler(self) -> None:
        """Hang up, unless something was answered at once meanwhile: the clock is not set anew for each."""
        left = self._answered_at + self.timeout_keep_alive - self.loop.time()
        if left > 0:
            self.timeout_keep_alive_task = self.loop.call_later(left, self.timeout_keep_alive_handler)
        else:
            super().timeout_keep_alive_handler()

    def _answer_at_once(self) -> bool:
        """Answer where the application can do so without waiting: no task, and one piece on the wire."""
        parser, headers = self.parser, self.headers
        if (
            not hasattr(self.app, "at_once")
            or parser.get_method() != b"GET"
            or parser.get_http_version() != "1.1"
            or any(name in _NOT_BARE for name, _ in headers)
            or not self.url.startswith(b"/")
            or b"#" in self.url
        ):
            return False
        visitor = self.app.meet(headers, self.client[0] if self.client else "")
        is_kept = parser.should_keep_alive()
        if not self._answer(self.url, visitor, is_kept=is_kept):
            return False
        self.on_response_complete()
        if is_kept:
            self._keep_head(visitor)
        return True

    def _answer_alike(self, data: bytes) -> bool:
        """Answer a request whose head is that of one before, but for what it asks for."""
        line, _, head = data.partition(b"\r\n")
        if head != self._kept_head or not _FIRST_LINE.fullmatch(line):
            return False
        if not self._answer(line[4:-9], self._visitor, is_kept=True):
            return False
        self.server_state.total_requests += 1
        self._answered_at = self.loop.time()
        return True

    def _keep_head(self, visitor: Any) -> None:
        """Remember a head that came in one piece, with nothing after it: its like need not be parsed."""
        line, _, head = self._piece.partition(b"\r\n")
        is_alone = len(head) <= _LONGEST_KEPT and _HEAD_LINES.fullmatch(head)
        if is_alone and _FIRST_LINE.fullmatch(line):
            self._kept_head, self._visitor = head, visitor

    def _answer(self, url: bytes, visitor: Any, *, is_kept: bool) -> bool:
        cycle = self.cycle
        if (
            (cycle is not None and not cycle.response_complete)  # the answer to that has to go first
            or self.flow.write_paused
            or self._written > _FULL_BYTES
            or self.transport.is_closing()
            or self.root_path
            or len(self.connections) >= (self.limit_concurrency or math.inf)
        ):
            return False
        path, _, query = url.partition(b"?")
        app: PromptApplication = self.app
        made = app.at_once(path, query, visitor)
        if made is None:
            return False
        self._write(*made, is_kept=is_kept)
        return True

    def _write(self, status: int, lines: bytes, body: bytes, *, is_kept: bool) -> None:
        defaults = self.server_state.default_headers
        if self._own_lines[0] is not defaults:  # uvicorn makes new ones each second
            self._own_lines = defaults, b"".join(b"%b: %b\r\n" % header for header in defaults)
        self._written += len(body)
        closing = b"" if is_kept else b"connection: close\r\n"
        self.transport.write(
            b"".join((STATUS_LINE[status], self._own_lines[1], lines, closing, b"\r\n", body))
        )
        if not is_kept:
            self.transport.close()

    def _ends_head(self, data: bytes) -> bool:
        """Say whether a piece has the end of the head in it, within the bound: then the rest is body."""
        before = self._head_bytes - len(data)
        return 0 <= data.find(b"\r\n\r\n") < LARGEST_HEAD_BYTES - before

    @property
    def _is_at_work(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _wait_on(self) -> None:
        """Go on waiting for a request: every piece stops that clock, also one that begins none."""
        is_waiting = self._is_between and not self._is_at_work and not self.transport.is_closing()
        if is_waiting and self.timeout_keep_alive_task is None:
            self.timeout_keep_alive_task = self.loop.call_later(
                self.timeout_keep_alive, self.timeout_keep_alive_handler
            )

    def _stop_clock(self) -> None:
        if self._clock is not None:
            self._clock.cancel()
            self._clock = None

    def _give_up(self) -> None:
        self._clock = None
        self.transport.abort()
