"""Dates tried out: is a window honoured, at which granularity, and what does "nothing new" look like?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from windrow.errors import OaiError, Unreachable, UpstreamError
from windrow.model.record import Record
from windrow.model.stamp import Granularity, cut, read_granularity, read_stamp, write_stamp
from windrow.sources.asking import Asker
from windrow.sources.findings.finding import Finding, good, note, problem
from windrow.sources.findings.pages import stamps_of
from windrow.wire.oai.page import Page
from windrow.wire.oai.request import Request, list_request

_EVERYTHING = "asks for everything at every harvest, and stores only what changed"
_ALL_AGAIN = "recognises what it has and stores nothing twice, but fetches everything every time"


@dataclass(slots=True)
class DateProbe:
    """Asks for the time of one known record, and for what is new since the server's own now."""

    asker: Asker
    prefix: str
    said: str  # the granularity, as Identify has it
    records: Sequence[Record]
    now: str | None  # the server's clock, as it tells it
    _taken: Granularity | None = field(default=None, init=False)
    _is_ignored: bool = field(default=False, init=False)

    def findings(self) -> list[Finding]:
        """Ask, and say what dates are good for here."""
        moments = sorted(stamps_of(self.records))
        if not moments:
            return []
        found = self._window(moments[len(moments) // 2])
        if self._taken is not None and not self._is_ignored:
            found += self._nothing_new(self._taken)
        return found

    def _window(self, moment: datetime) -> list[Finding]:
        told = read_granularity(self.said) or Granularity.DAY
        other = Granularity.DAY if told is Granularity.SECOND else Granularity.SECOND
        refusal = failure = ""
        for granularity in (told, other):
            try:
                page = self.asker.page(f"A window of one {granularity}", self._request(moment, granularity))
            except OaiError as exc:
                if exc.code != "badArgument":
                    return self._odd(exc, moment, granularity)
                refusal = str(exc)
            except Unreachable as exc:
                failure = str(exc)
                break
            except UpstreamError as exc:
                failure = str(exc)
            else:
                self._taken = granularity
                return [self._honoured(page, moment, granularity, told)]
        if failure:
            return [problem("dates", f"requests with dates fail: {failure}", _EVERYTHING)]
        return [problem("dates", f"it takes no dates ({refusal})", _EVERYTHING)]

    def _request(self, moment: datetime, granularity: Granularity) -> Request:
        stamp = write_stamp(moment, granularity)
        return list_request("ListRecords", prefix=self.prefix, since=stamp, until=stamp)

    def _odd(self, exc: OaiError, moment: datetime, granularity: Granularity) -> list[Finding]:
        if exc.code == "noRecordsMatch":
            self._taken = granularity
            stamp = write_stamp(moment, granularity)
            words = f"asked for {stamp}, when it has a record, it says there is none"
            action = "may miss changes: try the setting `granularity`, or harvest with --full now and then"
            return [problem("dates", words, action)]
        return [
            problem("dates", f"a request with dates is refused ({exc})", "can only harvest it as a whole")
        ]

    def _honoured(self, page: Page, moment: datetime, granularity: Granularity, told: Granularity) -> Finding:
        facts = {"granularity": granularity.value, "said": self.said}
        outside = [found for found in stamps_of(page.records) if not _is_within(found, moment, granularity)]
        if outside and all(_is_within(found, moment, Granularity.DAY) for found in outside):
            words = f"dates by the {granularity} are taken, but count as whole days"
            return note("dates", words, "gets a little twice and stores it once", **facts)
        if outside:
            self._is_ignored = True
            return problem(
                "dates", "dates are ignored: records from outside the window came", _ALL_AGAIN, **facts
            )
        if granularity is not told:
            words = f"Identify says dates by the {told}, but only dates by the {granularity} are taken"
            return note("dates", words, f"finds out and asks by the {granularity}", **facts)
        words = f"dates by the {granularity} are honoured"
        return good("dates", words, "asks only for what is new", **facts)

    def _nothing_new(self, granularity: Granularity) -> list[Finding]:
        now = read_stamp(self.now or "")
        if now is None:
            return []
        since = write_stamp(now, granularity)
        try:
            page = self.asker.page(
                "What is new", list_request("ListRecords", prefix=self.prefix, since=since)
            )
        except OaiError as exc:
            return self._said_nothing(exc)
        except UpstreamError as exc:
            return [problem("new", f"asked for what is new, it fails: {exc}", _EVERYTHING)]
        if not page.records:
            return [note("new", "nothing new is an empty list here, not an error", "takes both")]
        start = cut(now, granularity)
        if any(found < start for found in stamps_of(page.records)):
            return [problem("new", "asked for what is new, it sends what is old", _ALL_AGAIN)]
        return []

    def _said_nothing(self, exc: OaiError) -> list[Finding]:
        found = []
        if exc.code != "noRecordsMatch":
            action = "reports that as a failed harvest until something is new"
            found.append(note("new", f"nothing new is called {exc} here", action, code=exc.code))
        status = self.asker.answers[-1].status
        if status >= 400:
            words = f"OAI-PMH errors come with HTTP status {status}"
            found.append(note("error-status", words, "reads them all the same", status=status))
        return found


def _is_within(found: datetime, moment: datetime, granularity: Granularity) -> bool:
    return cut(found, granularity) == cut(moment, granularity)
