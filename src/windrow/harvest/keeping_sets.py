"""Keeps virtual sets true while the library is served: whoever changes it, their members follow."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from windrow.errors import WindrowError

LOOK_SECONDS = 1.0  # between two looks; one that finds nothing new costs less than a millisecond

log = logging.getLogger("windrow.sets")


class SetKeeper(threading.Thread):
    """Follows the library until it is told to stop. What fails is told in the log, and tried again."""

    def __init__(self, follow: Callable[[], object], *, stop: threading.Event) -> None:
        super().__init__(name="virtual sets", daemon=True)
        self._follow = follow
        self._stop_event = stop

    def run(self) -> None:
        """Look, wait, look again."""
        told = ""
        while not self._stop_event.wait(LOOK_SECONDS):
            try:
                self._follow()
                told = ""
            except WindrowError as exc:
                if str(exc) != told:
                    told = str(exc)
                    log.error("virtual sets are not up to date: %s", exc)
