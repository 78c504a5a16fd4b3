"""Where the runner leaves runs that have ended: a thread of its own tells people, and the runner goes on.

A mail server may take half a minute, and so long no lease may wait to be kept.
"""

from __future__ import annotations

import logging
import queue
import threading
from contextlib import suppress
from typing import Protocol

from windrow.model.job import JobRun, JobState

MOST_WAITING = 1000  # runs; a runner that ends more than that while a server is slow tells of fewer
log = logging.getLogger("windrow.schedule")


class Ended(Protocol):
    """A run that has ended and was noted."""

    @property
    def run(self) -> JobRun:
        """The run."""

    @property
    def state(self) -> JobState | None:
        """How its job stands now."""


class Tells(Protocol):
    """What tells people."""

    def told(self, run: JobRun, state: JobState | None) -> list[str]:
        """Tell of a run; give what went wrong."""


class TellingDesk:
    """Call it with what has ended; it returns at once. Its thread ends with `close`."""

    def __init__(self, teller: Tells) -> None:
        self._teller = teller
        self._waiting: queue.Queue[Ended | None] = queue.Queue(MOST_WAITING)
        self._thread: threading.Thread | None = None

    def __call__(self, ended: Ended) -> None:
        """Let people be told, in a while."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="telling", daemon=True)
            self._thread.start()
        try:
            self._waiting.put_nowait(ended)
        except queue.Full:
            log.error("%s: nobody is told, too much waits to be", ended.run.job)

    def close(self, seconds: float | None = None) -> None:
        """Tell what still waits, for at most so long."""
        if self._thread is not None:
            with suppress(queue.Full):
                self._waiting.put(None, timeout=seconds)
            self._thread.join(seconds)

    def _work(self) -> None:
        while (ended := self._waiting.get()) is not None:
            try:
                for problem in self._teller.told(ended.run, ended.state):
                    log.warning("%s: %s", ended.run.job, problem)
            except Exception:  # whatever it is, the next run is told of
                log.exception("%s: nobody was told", ended.run.job)
