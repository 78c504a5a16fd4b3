"""Keeps the index true while the library is served: whoever changes it, the index follows within seconds."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from typing import Protocol

from windrow.errors import Interrupted, WindrowError

LOOK_SECONDS = 1.0  # between two looks; one that finds nothing new costs less than a millisecond
_LONGEST_PAUSE_SECONDS = 60.0

log = logging.getLogger("windrow.index")


class Outcome(Protocol):
    """What one look did."""

    @property
    def is_busy(self) -> bool:
        """Another process has the right to write."""

    @property
    def is_built(self) -> bool:
        """A whole index was made."""

    @property
    def reason(self) -> str:
        """Why it was."""


class IndexKeeper(threading.Thread):
    """Follows the library until it is told to stop. What fails is told in the log, and tried again later.

    With `is_once` it looks a single time: that is for whoever serves a library but does not keep it.
    """

    def __init__(
        self,
        follow: Callable[[], Outcome],
        *,
        stop: threading.Event,
        look_seconds: float = LOOK_SECONDS,
        is_once: bool = False,
    ) -> None:
        super().__init__(name="index", daemon=True)
        self._follow = follow
        self._stop_event = stop
        self._look_seconds = look_seconds
        self._is_once = is_once

    def run(self) -> None:
        """Look, wait, look again; the first look comes at once."""
        pause, told = self._look_seconds, ""
        while not self._stop_event.is_set():
            try:
                self._look()
                pause, told = self._look_seconds, ""
            except Interrupted:
                return
            except WindrowError as exc:
                pause = min(pause * 2, _LONGEST_PAUSE_SECONDS)
                if str(exc) != told:
                    told = str(exc)
                    log.error("the index is not up to date: %s %s", exc, exc.hint)
            except Exception:
                pause = min(pause * 2, _LONGEST_PAUSE_SECONDS)
                log.exception("the index is not up to date")
            if self._is_once:
                return
            self._stop_event.wait(pause)

    def _look(self) -> None:
        done = self._follow()
        if done.is_built:
            log.info("the index was built: %s", done.reason)
