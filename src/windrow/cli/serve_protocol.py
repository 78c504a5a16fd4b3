"""HTTP as uvicorn speaks it, with bounds that it lacks: on the size of a request's head, and on its time."""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

LARGEST_HEAD_BYTES = 65_536
HEAD_SECONDS = 20.0


class BoundedProtocol(HttpToolsProtocol):
    """A connection whose requests begin in good time and stay within bounds, or which is closed.

    Most heads come in one piece: for those no clock is started.
    """

    _head_bytes = 0
    _is_in_head = True
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
        super().on_headers_complete()

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
