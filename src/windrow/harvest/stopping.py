"""The way to stop: asked for once, heeded between pages and in every pause."""

from __future__ import annotations

import threading

from windrow.errors import Interrupted


class Stopper:
    """A request to stop that any thread can make and every runner heeds."""

    def __init__(self, event: threading.Event | None = None) -> None:
        self._event = event or threading.Event()

    def stop(self) -> None:
        """Ask everybody to stop at the next safe place."""
        self._event.set()

    @property
    def is_stopping(self) -> bool:
        """Has somebody asked?"""
        return self._event.is_set()

    def check(self) -> None:
        """Raise Interrupted if somebody asked."""
        if self._event.is_set():
            raise Interrupted("stopped; what was stored stays", hint="Run the same again to go on.")

    def sleep(self, seconds: float) -> None:
        """Pause, but not when asked to stop."""
        self._event.wait(max(0.0, seconds))
        self.check()
