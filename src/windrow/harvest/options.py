"""The options of one harvest beyond the configuration, its observer, and the request to stop it."""

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

    is_full: bool = False  # ignore where the last harvest ended
    since: str | None = None
    until: str | None = None
    sets: tuple[str, ...] = ()
    formats: tuple[str, ...] = ()
    limit: int | None = None  # records per list
    is_dry: bool = False  # request the first pages, store nothing
    is_one_by_one: bool = False
    is_reconciling: bool = False
    is_keeping_old: bool = False  # skip comparisons: records that the repository no longer lists stay
    is_verifying: bool = False  # compare with ListIdentifiers even if nothing seems to be missing

    @property
    def is_adhoc(self) -> bool:
        """Return whether only a part is harvested, which does not move the start of the next harvest."""
        return bool(self.since or self.until or self.limit)


# Observers of a harvest: a progress bar, a log, or none.


class Observer(Protocol):
    """Receives the events of a harvest, in the thread in which they happen."""

    def started(self, source: str, what: str) -> None:
        """A source's run enters a stage: "identify", "oai_dc", "sets", "reconcile" …"""

    def advanced(self, source: str, counters: Counters, expected: int | None) -> None:
        """More records are stored; `expected` is the estimated total of entries."""

    def waiting(self, source: str, wait: Wait) -> None:
        """The source must be left alone for a while."""

    def noted(self, source: str, problem: Problem) -> None:
        """A problem occurred."""

    def ended(self, run: Run) -> None:
        """The run is over."""


class NullObserver:
    """An observer that ignores all events."""

    def started(self, source: str, what: str) -> None:
        """Ignore."""

    def advanced(self, source: str, counters: Counters, expected: int | None) -> None:
        """Ignore."""

    def waiting(self, source: str, wait: Wait) -> None:
        """Ignore."""

    def noted(self, source: str, problem: Problem) -> None:
        """Ignore."""

    def ended(self, run: Run) -> None:
        """Ignore."""


# Stop requests are honoured between pages and in every pause.


class Stopper:
    """A request to stop that any thread can make and every runner honours."""

    def __init__(self, event: threading.Event | None = None) -> None:
        self._event = event or threading.Event()

    def stop(self) -> None:
        """Ask all runners to stop at the next safe place."""
        self._event.set()

    @property
    def is_stopping(self) -> bool:
        return self._event.is_set()

    def check(self) -> None:
        """Raise Interrupted after a request to stop."""
        if self._event.is_set():
            raise Interrupted("stopped; what was stored stays", hint="Run the same again to go on.")

    def sleep(self, seconds: float) -> None:
        """Pause; raises Interrupted on a request to stop."""
        self._event.wait(max(0.0, seconds))
        self.check()
