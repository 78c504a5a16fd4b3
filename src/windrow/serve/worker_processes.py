"""Several processes that answer requests at one socket; one that dies is replaced.

Each is a fresh interpreter (`serve_worker`): a fork would copy locks held by other threads. They end with
the parent, however it ends: each watches a pipe that only the parent holds open.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import SimpleQueue
from types import FrameType
from typing import NamedTuple

from windrow.errors import WindrowError
from windrow.serve.listener import Address
from windrow.serve.server import GRACE_SECONDS, LogTarget
from windrow.signals import handle_stop_signals

MAX_FAILED_STARTS = 3  # failed starts before giving up
_READY = b"r"


class _WorkerEvent(NamedTuple):
    """An event for the main thread: a worker is ready or has ended, or a signal arrived."""

    worker: _Worker | None = None
    has_ended: bool = False
    signal: int = 0


class _Worker:
    """One process, and the thread that waits for its readiness and its end."""

    def __init__(self, arguments: list[str], listening: int, news: SimpleQueue[_WorkerEvent]) -> None:
        reading, writing = os.pipe()
        try:
            # A session of its own: Ctrl-C reaches only the parent, which lets the workers finish.
            self._process = subprocess.Popen(
                [
                    sys.executable,
                    "-m",
                    "windrow.serve.serve_worker",
                    str(listening),
                    str(writing),
                    *arguments,
                ],
                stdin=subprocess.PIPE,
                pass_fds=(listening, writing),
                start_new_session=True,
            )
        except BaseException:
            os.close(reading)
            raise
        finally:
            os.close(writing)
        self.was_ready = False
        threading.Thread(target=self._watch, args=(reading, news), daemon=True).start()

    def _watch(self, reading: int, news: SimpleQueue[_WorkerEvent]) -> None:
        self.was_ready = os.read(reading, 1) == _READY
        os.close(reading)
        if self.was_ready:
            news.put(_WorkerEvent(self))
        self._process.wait()
        news.put(_WorkerEvent(self, has_ended=True))

    def ask_to_stop(self) -> None:
        """Ask it to finish its running requests and exit."""
        self._process.terminate()

    def stop(self, deadline: float) -> None:
        """Wait for its end; it is killed at the deadline."""
        try:
            self._process.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        assert self._process.stdin is not None
        self._process.stdin.close()


class _WorkerPool:
    """The workers, from the first start to the last end."""

    def __init__(self, arguments: list[str], address: Address) -> None:
        self.news: SimpleQueue[_WorkerEvent] = SimpleQueue()
        self._arguments = arguments
        self._listening = address.socket.fileno()
        self._workers: list[_Worker] = []
        self._failures = 0

    def run(self, count: int, on_ready: Callable[[], None]) -> int:
        """Keep the number of workers until a signal arrives. Return its number."""
        for _ in range(count):
            self._start()
        missing = count  # until all have been ready once
        while True:
            news = self.news.get()
            if news.worker is None:
                return news.signal
            if news.has_ended:
                self._replace(news.worker)
                continue
            self._failures = 0
            missing -= 1
            if missing == 0:
                on_ready()

    def _start(self) -> None:
        self._workers.append(_Worker(self._arguments, self._listening, self.news))

    def _replace(self, ended: _Worker) -> None:
        self._workers.remove(ended)
        ended.stop(0.0)
        self._failures += not ended.was_ready
        if self._failures >= MAX_FAILED_STARTS:
            raise WindrowError("the worker processes do not start; what they said is above")
        self._start()

    def stop(self) -> None:
        """Stop all workers, within the time allowed for running requests."""
        for worker in self._workers:
            worker.ask_to_stop()
        deadline = time.monotonic() + GRACE_SECONDS + 5
        for worker in self._workers:
            worker.stop(deadline)


def run_workers(
    folder: Path, address: Address, *, count: int, target: LogTarget, on_ready: Callable[[], None]
) -> bool:
    """Serve with several processes until SIGTERM or Ctrl-C. Return whether it was Ctrl-C."""
    if os.name != "posix":
        raise WindrowError("several workers need a system that can share sockets", hint="Use --workers 1.")
    arguments = [json.dumps({"folder": str(folder), "url": address.url, "log": target.place})]
    crew = _WorkerPool(arguments, address)
    try:
        with _signals(crew.news):
            return crew.run(count, on_ready) == signal.SIGINT
    finally:
        crew.stop()


@contextmanager
def _signals(news: SimpleQueue[_WorkerEvent]) -> Iterator[None]:
    """Put the signals that mean stop into the queue."""

    def tell(number: int, _frame: FrameType | None) -> None:
        news.put(_WorkerEvent(signal=number))

    with handle_stop_signals(tell):
        yield
