"""Keeps the leaves true while the library is served: lists for crawlers and sitemaps follow in seconds."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from windrow.errors import Interrupted, WindrowError

LOOK_SECONDS = 1.0  # between two looks; one that finds nothing new costs less than a millisecond

log = logging.getLogger("windrow.leaves")


class LeafKeeper(threading.Thread):
    """Follows the library until it is told to stop. What fails is told in the log, and tried again.

    With `is_once` it looks a single time: that is for whoever serves a library but does not keep it.
    """

    def __init__(
        self,
        follow: Callable[[], object],
        *,
        stop: threading.Event,
        look_seconds: float = LOOK_SECONDS,
        is_once: bool = False,
    ) -> None:
        super().__init__(name="leaves", daemon=True)
        self._follow = follow
        self._stop_event = stop
        self._look_seconds = look_seconds
        self._is_once = is_once

    def run(self) -> None:
        """Look, wait, look again; the first look comes at once."""
        told = ""
        while not self._stop_event.is_set():
            try:
                self._follow()
                told = ""
            except Interrupted:
                return
            except WindrowError as exc:
                if str(exc) != told:
                    told = str(exc)
                    log.error("the lists of all records are not up to date: %s", exc)
            if self._is_once:
                return
            self._stop_event.wait(self._look_seconds)
