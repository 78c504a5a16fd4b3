"""HTTP/1.1 on top of uvicorn's protocol, with bounds on every request and reliable pipelining.

Requests of one connection are parsed one at a time, each after the one before it was answered; what came
early waits as unparsed bytes. Deadlines and the number of connections are in `connection_limits`.
"""

from __future__ import annotations

import asyncio
import re
import urllib.parse
from typing import Any

import httptools
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle

from windrow.serve.connection_limits import (
    Admission,
    ConnectionLimits,
    ConnectionProgress,
    ConnectionTimer,
    CountingTransport,
    Deadlines,
    Phase,
)
from windrow.web.http.http_request import DISCONNECT_CALLABLE, DISCONNECT_EXTENSION

MAX_HEAD_BYTES = 65_536
MAX_HEADERS = 200  # each header costs more than its bytes
MAX_PATH_BYTES = 8192  # up to the question mark; decoding a long path is slow
# A body of at most this size is received before the application is called, unless the client waits for 100
# Continue: then an answer that does not need the body need not close the connection.
MAX_BUFFERED_BODY_BYTES = 65_536
_MAX_UNPARSED_BYTES = 65_536  # above which no more is read before what is there has been answered
_HEAD_END = b"\r\n\r\n"
# uri-host [":" port] (RFC 9110, section 7.2); it may be empty.
_HOST = re.compile(rb"(?:\[[0-9A-Za-z:.%]*+\]|[A-Za-z0-9._~!$&'()*+,;=%-]*+)(?::[0-9]*+)?")


class _OutOfBoundsError(Exception):
    """A request is refused during parsing: a status, and a sentence."""


class _BoundedCycle(RequestResponseCycle):
    """One request and its answer."""

    is_begun = False  # the application has been called

    async def send(self, message: Any) -> None:
        """Send a part of the answer; one that starts before the request is complete ends the connection.

        The client may omit the rest of the body or send it: its next bytes could be either the body or
        another request (RFC 9112, section 9.3).
        """
        if self.more_body and not self.response_started:
            self.keep_alive = False
        await super().send(message)

    async def run_asgi(self, app: Any) -> None:
        """Call the application; an incomplete answer breaks off the connection."""

        async def whole(scope: Any, receive: Any, send: Any) -> None:
            try:
                await app(scope, receive, send)
            except (
                asyncio.CancelledError
            ):  # the server is stopping, or the client does not read and its place is needed
                if not self.response_started and not self.disconnected:
                    await self._send_stopping()
            finally:
                if self.response_started and not self.response_complete and not self.disconnected:
                    self.transport.break_off()  # type: ignore[attr-defined]  # see Outgoing
                    self.disconnected = True

        await super().run_asgi(whole)

    async def _send_stopping(self) -> None:
        body = b"The server is being stopped. Try again in 5 seconds.\n"
        headers = [
            (b"content-type", b"text/plain; charset=utf-8"),
            (b"content-length", b"%d" % len(body)),
            (b"retry-after", b"5"),
            (b"connection", b"close"),
        ]
        await self.send({"type": "http.response.start", "status": 503, "headers": headers})
        await self.send({"type": "http.response.body", "body": body})


class BoundedProtocol(HttpToolsProtocol):
    """A connection whose requests stay within bounds, and are answered in order."""

    deadlines = Deadlines()
    limits = ConnectionLimits()

    peer = ""
    _unparsed = b""  # received bytes; those before `_parsed` are done
    _parsed = 0
    _tail = b""  # the last bytes of a head that is not whole: its end may come in two pieces
    _heads = 0  # that came whole
    _active: Any = None  # the request that the application was asked last
    _head_bytes = 0
    _extra_bytes = 0  # bytes of a body besides its content: chunk sizes and trailers
    _is_in_head = True
    _is_dropped = False  # the request at hand: it was refused, or follows the last one
    _is_between = True  # requests: the last one is complete, and no other has started
    _is_last = False  # the request at hand: nothing that follows it counts
    _refusal = b""  # the answer to what followed the request at hand and is no HTTP

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start waiting for the first request, if there is room for this connection."""
        self._outgoing = CountingTransport(transport)
        super().connection_made(self._outgoing)  # type: ignore[arg-type]
        self.peer = self.client[0] if self.client else ""
        self._timer = ConnectionTimer(
            self.loop,
            self.deadlines,
            self._progress,
            on_progress=lambda: self.limits.note_progress(self),
            on_expired=self._expire,
        )
        admission = self.limits.admit(self)
        if admission is Admission.FULL:
            self._refuse(503, "The server is busy. Try again in 5 seconds.", "retry-after: 5\r\n")
        elif admission is Admission.TOO_MANY:
            words = "Too many connections from your network. Close some of them, or try again in 5 seconds."
            self._refuse(503, words, "retry-after: 5\r\n")
        if admission is not Admission.ADMITTED and self.limits.is_crowded:
            self._outgoing.hang_up()

    def connection_lost(self, exc: Exception | None) -> None:
        self._timer.stop()
        self.limits.forget(self)
        self._unparsed = b""
        self._outgoing.is_ended = True
        if self._active is not None and not self._active.response_complete:
            self._active.disconnected = True
            self._active.message_event.set()
        super().connection_lost(exc)

    def abort(self) -> None:
        self.connections.discard(self)
        if self._outgoing.unsent() or (self._is_at_work and self.cycle.response_started):
            self._outgoing.break_off()
        else:
            self._outgoing.abort()

    def eof_received(self) -> bool:  # type: ignore[override]
        """Record that the client will send no more; True keeps the connection open for the answers."""
        self._outgoing.is_half_closed = True
        cycle = self.cycle
        is_whole = self._is_at_work and not cycle.more_body
        return is_whole and not self._outgoing.is_closing()

    def data_received(self, data: bytes) -> None:
        if self._outgoing.is_closing():
            return  # the client did not know yet
        self._unparsed = self._unparsed[self._parsed :] + data if self._unparsed else data
        self._parsed = 0
        self._parse()

    def shutdown(self) -> None:
        """End the connection after the current answer."""
        if self._is_at_work:
            self.cycle.keep_alive = False
        else:
            self._outgoing.hang_up()

    def _parse(self) -> None:
        """Parse what came, up to the end of the next request."""
        while self._parsed < len(self._unparsed) and self._is_parsing_next:
            self._parse_piece(self._next_piece())
        if self._outgoing.is_closing() or self._parsed >= len(self._unparsed):
            self._unparsed, self._parsed = b"", 0
            if not self._is_at_work:
                self.flow.resume_reading()
        elif len(self._unparsed) - self._parsed > _MAX_UNPARSED_BYTES:
            self.flow.pause_reading()

    @property
    def _is_parsing_next(self) -> bool:
        """Return whether the next bytes belong to the current request, or that has been answered."""
        is_of_this = not self._is_at_work or self.cycle.more_body
        return is_of_this and not self._refusal and not self._outgoing.is_closing()

    def _next_piece(self) -> bytes:
        """Take the next bytes, up to the end of a head, so that a parser sees one request at a time."""
        begin, tail = self._parsed, self._tail
        across = (tail + self._unparsed[begin : begin + len(tail)]).find(_HEAD_END)
        found = self._unparsed.find(_HEAD_END, begin, begin + MAX_HEAD_BYTES)
        if across >= 0:
            end = begin + across + len(_HEAD_END) - len(tail)
        elif found >= 0:
            end = found + len(_HEAD_END)
        else:
            end = begin + MAX_HEAD_BYTES
        self._parsed = min(end, len(self._unparsed))
        is_all = begin == 0 and self._parsed == len(self._unparsed)
        return self._unparsed if is_all else self._unparsed[begin : self._parsed]

    def _parse_piece(self, piece: bytes) -> None:
        if self._is_in_head or self._is_between:
            self._head_bytes += len(piece)
            if self._head_bytes > MAX_HEAD_BYTES:
                self._refuse(431, "The head of this request is too large.")
                return
        else:
            self._extra_bytes += len(piece)
        try:
            self.parser.feed_data(piece)
        except httptools.HttpParserUpgrade as exc:
            # Continue with HTTP/1.1: a server may ignore Upgrade (RFC 9110, section 7.8).
            self._parsed -= len(piece) - int(exc.args[0])
        except httptools.HttpParserError as exc:
            if isinstance(exc.__context__, _OutOfBoundsError):
                self._refuse(*exc.__context__.args)
            else:
                self._refuse(400, "This is not a request of HTTP/1.1, or a broken one.")
        if self._extra_bytes > MAX_HEAD_BYTES:
            self._refuse(400, "The body of this request has too much in it that is not content.")
        self._tail = piece[1 - len(_HEAD_END) :] if self._is_in_head and not self._is_between else b""

    def on_message_begin(self) -> None:
        self._is_in_head = True
        self._is_between = False
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        """Add a header; trailers after a body are ignored."""
        if self._is_in_head:
            if len(self.headers) >= MAX_HEADERS:
                raise _OutOfBoundsError(431, "This request has too many headers.")
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """Refuse the request, or put it into the queue for the application."""
        if len(self.url.partition(b"?")[0]) > MAX_PATH_BYTES:
            raise _OutOfBoundsError(414, "The path of this address is too long.")
        self._is_in_head = False
        self._heads += 1
        self._head_bytes = self._extra_bytes = 0
        problem = "" if self._is_last else self._host_problem()
        if problem:
            self._refuse(400, problem)
        self._is_dropped = self._is_last or bool(problem)
        if not self._is_dropped:
            self._begin_cycle()

    def _host_problem(self) -> str:
        """Return what is wrong with the Host header: two servers in a row must not read it differently.

        RFC 9112, section 3.2: status 400 without one in HTTP/1.1, with several, and with an invalid one.
        """
        hosts = [value for name, value in self.headers if name == b"host"]
        if len(hosts) > 1:
            return "This request has more than one Host header."
        if not hosts and self.parser.get_http_version() != "1.0":
            return "This request has no Host header."
        if hosts and not _HOST.fullmatch(hosts[0].strip(b" \t")):
            return "The Host header of this request is not the name of a host."
        return ""

    def on_body(self, body: bytes) -> None:
        self._extra_bytes -= len(body)
        if not self._is_dropped:
            super().on_body(body)

    def on_message_complete(self) -> None:
        self._is_between = True
        if self._is_dropped:
            return
        cycle = self.cycle
        cycle.more_body = False
        cycle.message_event.set()
        self._run(cycle)

    def on_response_complete(self) -> None:
        self.server_state.total_requests += 1
        if self._outgoing.is_closing():
            self.flow.resume_reading()  # to notice when the client closes, too
            return
        if self.pipeline:
            cycle, _ = self.pipeline.pop()
            self._run(cycle)
        elif self._refusal:
            self._outgoing.write(self._refusal)
            self._outgoing.close()
        else:
            self._parse()
            if self._outgoing.is_half_closed and not self._is_at_work:
                self._outgoing.hang_up()

    def _begin_cycle(self) -> None:
        """Put a request into the queue of this connection; the first one there is passed on immediately."""
        parser, url = self.parser, httptools.parse_url(self.url)
        version, path = parser.get_http_version(), url.path.decode("ascii")
        self.scope["method"] = parser.get_method().decode("ascii")
        self.scope["http_version"] = version
        self.scope["path"] = self.root_path + (urllib.parse.unquote(path) if "%" in path else path)
        self.scope["raw_path"] = self.root_path.encode("ascii") + url.path
        self.scope["query_string"] = url.query or b""
        self.scope["extensions"] = {DISCONNECT_EXTENSION: {DISCONNECT_CALLABLE: self._is_client_gone}}
        is_first = not self._is_at_work
        self._is_last = version == "1.0" or not parser.should_keep_alive()
        self.cycle = _BoundedCycle(
            scope=self.scope,
            transport=self.transport,
            flow=self.flow,
            logger=self.logger,
            access_logger=self.access_logger,
            access_log=self.access_log,
            default_headers=self.server_state.default_headers,
            message_event=asyncio.Event(),
            expect_100_continue=self.expect_100_continue,
            keep_alive=not self._is_last,
            on_response=self.on_response_complete,
        )
        if not is_first:
            self.pipeline.appendleft((self.cycle, self.app))
        elif not self._is_kept_body:
            self._run(self.cycle)

    @property
    def _is_kept_body(self) -> bool:
        """Return whether the body is received before the application is called."""
        if self.expect_100_continue:
            return False
        headers = dict(self.headers)
        size = headers.get(b"content-length", b"0")
        is_chunked = b"transfer-encoding" in headers
        return not is_chunked and size.isdigit() and int(size[:20]) <= MAX_BUFFERED_BODY_BYTES

    def _run(self, cycle: Any) -> None:
        """Call the application, unless that was done or other requests come first."""
        if cycle.is_begun or any(cycle is waiting for waiting, _ in self.pipeline):
            return
        cycle.is_begun = True
        self._active = cycle
        task = self.loop.create_task(cycle.run_asgi(self.app))
        task.add_done_callback(self.tasks.discard)
        self.tasks.add(task)

    def _refuse(self, status: int, words: str, lines: str = "") -> None:
        """Answer a request that is not passed to the application, in its turn, and end the connection."""
        body = f"{words}\n".encode()
        kind = f"content-type: text/plain; charset=utf-8\r\ncontent-length: {len(body)}\r\n"
        head = f"{kind}{lines}connection: close\r\n\r\n".encode()
        defaults = (b"%b: %b\r\n" % header for header in self.server_state.default_headers)
        answer = b"".join((STATUS_LINE[status], *defaults, head, body))
        if self.pipeline and self.cycle.more_body:
            self.pipeline.popleft()
            self.cycle = self._active
        cycle = self.cycle
        if self._is_at_work and not cycle.more_body:
            self._refusal = self._refusal or answer  # sent after the answer to the previous request
            return
        if self._is_at_work:  # it is the body of the refused request
            cycle.disconnected = True
            cycle.message_event.set()
            if cycle.response_started:
                self._outgoing.abort()
                return
        self._outgoing.write(answer)
        self._outgoing.close()

    def _is_client_gone(self) -> bool:
        """Return whether the client has closed at least its sending direction."""
        return self._outgoing.is_half_closed or self._outgoing.is_closing()

    @property
    def _is_at_work(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    @property
    def phase(self) -> Phase:
        return self._progress().phase

    def _progress(self) -> ConnectionProgress:
        outgoing, cycle = self._outgoing, self.cycle
        if outgoing.unsent():
            return ConnectionProgress(Phase.SEND, 0, outgoing.acknowledged())
        if outgoing.is_closing():
            return ConnectionProgress(Phase.LINGER, 0)
        if self._is_at_work:
            is_body = cycle.more_body and not cycle.response_started
            return ConnectionProgress(Phase.BODY if is_body else Phase.WORK, self._heads, outgoing.written)
        return ConnectionProgress(Phase.IDLE if self._is_between and self._heads else Phase.HEAD, self._heads)

    def _expire(self, phase: Phase) -> None:
        """End a connection whose client or application took too long."""
        is_begun = phase is Phase.BODY or (phase is Phase.HEAD and not self._is_between)
        if is_begun:
            self._refuse(408, "The request took too long to arrive.")
            self._outgoing.hang_up()
        elif phase is Phase.IDLE:
            self._outgoing.hang_up()
        else:
            self.abort()
