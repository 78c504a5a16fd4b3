"""Dates that a repository refuses or fails at: spelled otherwise, and left out if it takes none at all."""

from __future__ import annotations

from dataclasses import replace

from windrow.errors import Unreachable, UpstreamBusy, UpstreamError
from windrow.harvest.ahead import ask_once
from windrow.harvest.ending import Ending, Result
from windrow.harvest.listing import first_request
from windrow.harvest.refusals import is_resting, rest
from windrow.harvest.windows import Stretch
from windrow.harvest.work import Work
from windrow.model.run import Weight
from windrow.model.stamp import Granularity
from windrow.store.checkpoints import StoredWindow
from windrow.wire.oai.parse import parse_page

FROM, UNTIL = "from", "until"


class Negotiation:
    """Finds out which dates one repository takes, and lets the next runs know."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._is_tried = False
        self._worked: set[str] = set()  # arguments that were taken in this run
        self._is_blamed = False  # requests without dates are answered, those with dates are not
        self._before: object = None

    def worked(self, stretch: Stretch) -> None:
        """Dates as they are spelled now were taken."""
        self._worked |= _arguments(stretch)

    def allowed(self, stretch: Stretch) -> Stretch:
        """Return the stretch without the arguments that the repository lately failed at."""
        since = None if self._may_drop(FROM) and is_resting(self._work, FROM) else stretch.since
        until = None if self._may_drop(UNTIL) and is_resting(self._work, UNTIL) else stretch.until
        return Stretch(since, until)

    def answer(self, result: Result, window: StoredWindow, *, verb: str = "ListRecords") -> Stretch | None:
        """Give what to ask for instead of what was refused; None when there is nothing else to try."""
        work = self._work
        stretch = Stretch(window.since, window.until)
        if not _arguments(stretch) - self._worked:
            return None
        is_failure = result.ending is Ending.BROKEN
        if result.code != "badArgument" and not (is_failure and self._is_to_blame(result, window, verb)):
            return None
        if not self._is_tried and not self._worked and work.settings.granularity == "auto":
            self._flip(result)
            return stretch
        if self._is_tried and not self._worked:
            self._unflip()
        return self._without(result, window, verb) if self._is_blamed else self._dateless(result)

    def _dateless(self, result: Result) -> Stretch | None:
        """A repository that says that it takes no dates: that costs little, so it is tried every time."""
        if not self._may_drop(FROM, UNTIL):
            return None
        words = f"{result.reason}; it takes no dates, so everything is asked for"
        self._work.tell("no-dates", words, weight=Weight.NOTE)
        return Stretch(None, None)

    def _is_to_blame(self, result: Result, window: StoredWindow, verb: str) -> bool:
        """Do requests with these dates fail whatever they ask for, while one without dates is answered?

        A server that is down fails at both, and a record that breaks its page leaves ListIdentifiers whole.
        """
        if self._is_blamed:
            return True
        if window.token or (isinstance(result.error, Unreachable) and not self._is_up()):
            return False
        if verb != "ListIdentifiers" and self._is_answered("ListIdentifiers", window):
            return False
        self._is_blamed = self._is_answered(verb, replace(window, since=None, until=None))
        return self._is_blamed

    def _is_up(self) -> bool:
        """Does the repository answer anything? One request tells a dead host from a query that never ends."""
        try:
            self._work.client.identify()
        except UpstreamBusy:
            raise
        except UpstreamError as exc:
            return not isinstance(exc, Unreachable)
        return True

    def _without(self, result: Result, window: StoredWindow, verb: str) -> Stretch | None:
        """Leave out `until` alone where that helps, else both; remember it: finding out costs many tries."""
        work = self._work
        failed, offered = _arguments(Stretch(window.since, window.until)), Stretch(None, None)
        if failed == {FROM, UNTIL} and self._may_drop(UNTIL):
            open_ended = replace(window, until=None)
            if self._is_answered(verb, open_ended):
                failed, offered = {UNTIL}, Stretch(window.since, None)
        names = " and ".join(f"`{name}`" for name in sorted(failed))
        if not self._may_drop(*failed):
            words = f"requests with {names} fail here, those without are answered: harvest it without dates"
            work.tell("dates-fail", words, weight=Weight.NOTE)
            return None
        for name in failed:
            rest(work, name)
        words = f"{result.reason}; requests without {names} are answered, so everything is asked for"
        work.tell("dates-fail", words, weight=Weight.NOTE)
        return offered

    def _is_answered(self, verb: str, window: StoredWindow) -> bool:
        work = self._work
        request = first_request(verb, work, window)
        try:
            page = parse_page(ask_once(work.client.ask, request, stopper=work.stopper).body)
        except UpstreamBusy:
            raise
        except UpstreamError:
            return False
        return all(fault.code == "noRecordsMatch" for fault in page.faults)

    def _may_drop(self, *names: str) -> bool:
        """May these arguments be left out? Not where a person wants only a part."""
        settings, options = self._work.settings, self._work.options
        wanted = {FROM: options.since or settings.from_, UNTIL: options.until or settings.until}
        return not options.is_adhoc and not any(wanted[name] for name in names)

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


def _arguments(stretch: Stretch) -> set[str]:
    """Return the names of the arguments that a stretch makes."""
    return {name for name, value in ((FROM, stretch.since), (UNTIL, stretch.until)) if value}
