"""Who watches a harvest: a progress bar, a log, nobody."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from windrow.model.run import Counters, Problem, Run

if TYPE_CHECKING:
    from windrow.net.politeness import Wait


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


class Nobody:
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
