"""What a person asked of one harvest, beyond what the source is configured to do."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from windrow.errors import Interrupted
from windrow.model.run import Counters, Problem, Run

if TYPE_CHECKING:
    from windrow.net.politeness import Wait


@dataclass(frozen=True, slots=True)
class HarvestOptions:
    """Flags of `windrow harvest`. None and empty mean: as configured."""

    is_full: bool = False  # forget where the last one ended
    since: str | None = None
    until: str | None = None
    sets: tuple[str, ...] = ()
    formats: tuple[str, ...] = ()
    limit: int | None = None  # records a list
    is_dry: bool = False  # ask for the first pages, store nothing
    is_one_by_one: bool = False
    is_reconciling: bool = False
    is_keeping_old: bool = False  # compare nothing: what the repository lists no more stays
    is_verifying: bool = False  # compare with ListIdentifiers even where nothing seems to lack

    @property
    def is_adhoc(self) -> bool:
        """Does it look at a part only? Then it says nothing about where the next harvest starts."""
        return bool(self.since or self.until or self.limit)


# Who watches a harvest: a progress bar, a log, nobody.


class Observer(Protocol):
    """Is told what happens, from the thread in which it happens."""

    def started(self, source: str, what: str) -> None:
        """A source's run begins a stage: "identify", "oai_dc", "sets", "reconcile" …"""

    def advanced(self, source: str, counters: Counters, expected: int | None) -> None:
        """More is stored; `expected` is the best guess at how many entries there will be in all."""

    def waiting(self, source: str, wait: Wait) -> None:
        """The source must be left alone for a while."""

    def noted(self, source: str, problem: Problem) -> None:
        """Something went otherwise than it should."""

    def ended(self, run: Run) -> None:
        """The run is over."""


class NullObserver:
    """Watches without a word."""

    def started(self, source: str, what: str) -> None:
        """Hear and say nothing."""

    def advanced(self, source: str, counters: Counters, expected: int | None) -> None:
        """Hear and say nothing."""

    def waiting(self, source: str, wait: Wait) -> None:
        """Hear and say nothing."""

    def noted(self, source: str, problem: Problem) -> None:
        """Hear and say nothing."""

    def ended(self, run: Run) -> None:
        """Hear and say nothing."""


# The way to stop: asked for once, heeded between pages and in every pause.


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
