"""Keeps something true while the library is served: a thread that looks every second or so.

Used by `wiring` for the index, the lists for crawlers, virtual sets and stale records. A look that finds
nothing new must be cheap.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from windrow.errors import Interrupted, WindrowError

LOOK_SECONDS = 1.0  # between two looks
_LONGEST_PAUSE_SECONDS = 60.0

log = logging.getLogger("windrow.keeping")


class Keeper(threading.Thread):
    """Looks until it is told to stop. What fails is told once in the log, and tried again, later each time.

    `trouble` are the words for a look that failed. With `is_once` it looks a single time: that is for
    whoever serves a library but does not keep it.
    """

    def __init__(
        self,
        look: Callable[[], object],
        *,
        name: str,
        trouble: str,
        stop: threading.Event,
        look_seconds: float = LOOK_SECONDS,
        is_once: bool = False,
    ) -> None:
        super().__init__(name=name, daemon=True)
        self._look = look
        self._trouble = trouble
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
            except Exception as exc:  # noqa: BLE001 - the worker loop
                pause = min(pause * 2, _LONGEST_PAUSE_SECONDS)
                told = self._tell(exc, told)
            if self._is_once:
                return
            self._stop_event.wait(pause)

    def _tell(self, exc: Exception, told: str) -> str:
        """Log what failed unless it was told last; give what is told now."""
        if str(exc) != told:
            if isinstance(exc, WindrowError):
                log.error("%s: %s %s", self._trouble, exc, exc.hint)
            else:
                log.error(self._trouble, exc_info=exc)
        return str(exc)
