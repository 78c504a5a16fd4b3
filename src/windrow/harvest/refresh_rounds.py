"""Refreshes records while the library is served: a round of a source now and then, as long as some wait.

A `Keeper` looks every few seconds, `refreshing` makes a round. What fails is put off for longer each time,
and a source whose robots.txt does not want us for a day.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection
from threading import Event

from windrow.errors import Interrupted, SourceBusy, WindrowError
from windrow.harvest.refreshing import ROBOTS
from windrow.model.run import Outcome, Run

ROUND_SECONDS = 300.0  # between two rounds of a source: wishes gather, and the list of runs stays short
BUSY_SECONDS = 60.0
ROBOTS_SECONDS = 24 * 3600.0
_LONGEST_PAUSE_SECONDS = 6 * 3600.0

log = logging.getLogger("windrow.refresh")


class RefreshRounds:
    """When which source has its next round, for one thread.

    `waiting` gives the sources with records that wait, `refresh` makes one round of one of them.
    """

    def __init__(
        self,
        waiting: Callable[[], Collection[str]],
        refresh: Callable[[str], Run | None],
        *,
        stop: Event,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._waiting = waiting
        self._refresh = refresh
        self._stop = stop
        self._monotonic = monotonic
        self._not_before: dict[str, float] = {}
        self._pauses: dict[str, float] = {}  # of sources that failed, the last pause

    def look(self) -> None:
        """Make a round of each source that has something waiting and is due."""
        for source in self._waiting():
            if self._stop.is_set():
                return
            if self._monotonic() >= self._not_before.get(source, 0.0):
                pause = self._round(source)
                self._not_before[source] = self._monotonic() + pause

    def _round(self, source: str) -> float:
        """Make one round; give how long to leave the source alone then."""
        try:
            run = self._refresh(source)
        except Interrupted:
            return 0.0
        except SourceBusy:
            return BUSY_SECONDS
        except WindrowError as exc:
            log.warning("%s was not refreshed: %s %s", source, exc, exc.hint)
            return self._longer(source)
        except Exception:
            log.exception("%s was not refreshed", source)
            return self._longer(source)
        return self._pause_after(source, run)

    def _pause_after(self, source: str, run: Run | None) -> float:
        if run is None:  # what waited was moot, or waits for a harvest
            return BUSY_SECONDS
        words = "; ".join(problem.message for problem in run.problems)
        log.info("%s: %s, %d records refreshed %s", source, run.outcome, run.counters.seen, words)
        if any(problem.code == ROBOTS for problem in run.problems):
            return ROBOTS_SECONDS
        if run.outcome in (Outcome.FAILED, Outcome.SKIPPED):
            return self._longer(source)
        self._pauses.pop(source, None)
        return ROUND_SECONDS

    def _longer(self, source: str) -> float:
        pause = min(self._pauses.get(source, ROUND_SECONDS / 2) * 2, _LONGEST_PAUSE_SECONDS)
        self._pauses[source] = pause
        return pause
