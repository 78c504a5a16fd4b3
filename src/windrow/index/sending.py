"""Hands things to a thread of its own, so that whoever makes them need not wait while none is taken.

Tantivy queues ten thousand documents, and takes none while it writes a segment, which lasts seconds: rows are
made meanwhile, and wait here. As long as things are taken, though, the caller does wait for them: two threads
of Python's at once only get into each other's way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from queue import SimpleQueue
from threading import Condition, Thread
from typing import Generic, TypeVar

MOST_WAITING = 6  # batches
STILL_SECONDS = 0.02  # without anything being taken, after which nobody waits any longer

T = TypeVar("T")


class Sender(Generic[T]):
    """Sends things in their order. Once one has failed, nothing more is sent, and every call says so."""

    def __init__(self, send: Callable[[T], object]) -> None:
        self._send = send
        self._sent = 0
        self._left = 0  # batches
        self._queue: SimpleQueue[Sequence[T] | None] = SimpleQueue()
        self._changed = Condition()
        self._failure: BaseException | None = None
        self._is_closed = False
        self._thread: Thread | None = None

    def put(self, batch: Sequence[T]) -> None:
        """Take these, too, and come back when they are sent or nothing moves."""
        if self._thread is None:
            # Nobody's end waits for it: whoever opened this closes it, and may do so at the very end.
            self._thread = Thread(target=self._work, name="windrow-sender", daemon=True)
            self._thread.start()
        with self._changed:
            self._left += 1
        self._queue.put(batch)
        sent = -1
        while self._left and sent != self._sent:
            sent = self._sent
            self._wait(STILL_SECONDS)
        if self._left > MOST_WAITING:
            self._wait(None)
        self._check()

    def finish(self) -> None:
        """Come back when everything is sent."""
        self._wait(None)
        self._check()

    def close(self) -> None:
        """Give up what is not sent yet."""
        self._is_closed = True
        self._queue.put(None)
        if self._thread is not None:
            self._thread.join()

    def _wait(self, seconds: float | None) -> None:
        with self._changed:
            self._changed.wait_for(lambda: not self._left, seconds)

    def _check(self) -> None:
        if self._failure is not None:
            raise self._failure

    def _work(self) -> None:
        while (batch := self._queue.get()) is not None:
            try:
                self._send_all(batch)
            except BaseException as exc:  # noqa: BLE001 - for the caller, whatever it is
                self._failure = exc
            with self._changed:
                self._left -= 1
                self._changed.notify_all()

    def _send_all(self, batch: Sequence[T]) -> None:
        for each in batch:
            if self._is_closed or self._failure is not None:
                return
            self._send(each)
            self._sent += 1
