"""Dates that a repository refuses: spelled otherwise, and left out if it takes none at all."""

from __future__ import annotations

from windrow.harvest.ending import Result
from windrow.harvest.windows import Stretch
from windrow.harvest.work import Work
from windrow.model.run import Weight
from windrow.model.stamp import Granularity


class Negotiation:
    """Finds out which dates one repository takes, and lets the next runs know."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._is_tried = False
        self._has_worked = False
        self._before: object = None

    def worked(self, stretch: Stretch) -> None:
        """Dates as they are spelled now were taken."""
        self._has_worked = self._has_worked or bool(stretch.since or stretch.until)

    def answer(self, result: Result, stretch: Stretch) -> Stretch | None:
        """Give what to ask for instead of what was refused; None when there is nothing else to try."""
        work = self._work
        if result.code != "badArgument" or not (stretch.since or stretch.until):
            return None
        if not self._is_tried and not self._has_worked and work.settings.granularity == "auto":
            self._flip(result)
            return stretch
        if self._is_tried and not self._has_worked:
            self._unflip()
        if work.options.is_adhoc or work.settings.from_ or work.settings.until:
            return None
        words = f"{result.reason}; it takes no dates, so everything is asked for"
        work.tell("no-dates", words, weight=Weight.NOTE)
        return Stretch(None, None)

    def _flip(self, result: Result) -> None:
        work = self._work
        other = Granularity.DAY if work.granularity is Granularity.SECOND else Granularity.SECOND
        self._is_tried = True
        self._before = work.identity.get("negotiated")
        work.learn(negotiated=other.value)
        words = f"{result.reason}; trying again with dates by the {other}"
        work.tell("granularity", words, weight=Weight.NOTE)

    def _unflip(self) -> None:
        """It was not that: the next run starts from what the repository says of itself."""
        self._work.learn(negotiated=self._before)
