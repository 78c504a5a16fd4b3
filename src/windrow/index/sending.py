"""Hands things to a thread of its own, so that whoever makes them need not wait while none is taken.

Tantivy queues ten thousand documents, and takes none while it writes a segment, which lasts seconds: rows are
made meanwhile, and wait here. As long as things are taken, though, the caller does wait for them: two threads
of Python's at once only get into each other's way.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Generic, TypeVar

MOST_WAITING = 6  # batches
STILL_SECONDS = 0.02  # without anything being taken, after which nobody waits any longer

T = TypeVar("T")


class Sender(Generic[T]):
    """Sends things in their order. What fails is raised by whichever call comes next."""

    def __init__(self, send: Callable[[T], object]) -> None:
        self._send = send
        self._sent = 0
        self._waiting: deque[Future[None]] = deque()
        self._thread = ThreadPoolExecutor(1, "windrow-sender")

    def put(self, batch: Sequence[T]) -> None:
        """Take these, too, and come back when they are sent or nothing moves."""
        self._waiting.append(self._thread.submit(self._send_all, batch))
        sent = -1
        while self._waiting and sent != self._sent:
            sent = self._sent
            wait(self._waiting, STILL_SECONDS)
            self._forget_sent()
        if len(self._waiting) > MOST_WAITING:
            self.finish()

    def finish(self) -> None:
        """Come back when everything is sent."""
        wait(self._waiting)
        self._forget_sent()

    def close(self) -> None:
        """Give up what is not sent yet."""
        self._thread.shutdown(cancel_futures=True)

    def _forget_sent(self) -> None:
        while self._waiting and self._waiting[0].done():
            self._waiting.popleft().result()

    def _send_all(self, batch: Sequence[T]) -> None:
        for each in batch:
            self._send(each)
            self._sent += 1
