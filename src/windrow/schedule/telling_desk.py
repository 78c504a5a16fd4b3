"""A thread that sends what waits in the outbox, so that the runner goes on.

A mail server may take half a minute, and so long no lease may wait to be kept.
"""

from __future__ import annotations

import logging
import threading
from typing import Protocol

LONGEST_WAIT_SECONDS = 60.0  # between two looks: another process may have left something behind
log = logging.getLogger("windrow.schedule")


class Sender(Protocol):
    """What sends notifications."""

    def send_waiting(self) -> list[str]:
        """Send what is due; return what went wrong."""

    def seconds_to_next(self) -> float | None:
        """Return how long it is until something is due; None if nothing waits."""


class TellingDesk:
    """Sends what waits from `start` on, and again whenever it is called, which returns at once."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender
        self._news = threading.Event()
        self._is_closing = False
        self._thread = threading.Thread(target=self._work, name="telling", daemon=True)

    def start(self) -> None:
        """Begin with what others left behind."""
        self._thread.start()

    def __call__(self, _ended: object = None) -> None:
        """Look again: a run has ended."""
        self._news.set()

    def close(self, seconds: float | None = None) -> None:
        """Send what is due by now, for at most so long; the rest stays in the outbox."""
        self._is_closing = True
        self._news.set()
        self._thread.join(seconds)

    def _work(self) -> None:
        while True:
            is_last = self._is_closing
            self._news.clear()
            wait = self._look()
            if is_last:
                return
            if not self._is_closing:
                self._news.wait(wait)

    def _look(self) -> float:
        """Send what is due; return how many seconds the next look can wait."""
        try:
            for problem in self._sender.send_waiting():
                log.warning("%s", problem)
            coming = self._sender.seconds_to_next()
        except Exception:  # whatever it is, what waits is sent another time
            log.exception("people are not told")
            return LONGEST_WAIT_SECONDS
        return LONGEST_WAIT_SECONDS if coming is None else min(max(coming, 1.0), LONGEST_WAIT_SECONDS)
