"""One window harvested with ListRecords: pages followed, guarded, stored, each with its checkpoint."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum

from windrow.errors import BadXml, HttpRefused, NotOai, UpstreamBusy, UpstreamError, Unreachable
from windrow.harvest.ahead import Ahead, Fetched
from windrow.harvest.chain import Chain
from windrow.harvest.work import Work
from windrow.model.run import Weight
from windrow.store import checkpoints
from windrow.store.checkpoints import StoredWindow
from windrow.wire.oai.page import Fault, Page
from windrow.wire.oai.parse import parse_page
from windrow.wire.oai.request import Request, list_request

GROUP_RECORDS = 1000  # pages that are here already are stored together, up to so many records
REASKED = 3  # times a page that came damaged is asked for again


class Ending(Enum):
    """How a window's list came to its end."""

    DONE = "done"
    DOUBTFUL = "doubtful"  # it ended, but perhaps not where it should have
    EXPIRED = "expired"  # the token died on the way
    STALE = "stale"  # the token of an earlier run was dead from the start
    TOO_MUCH = "too much"  # the repository refuses so long a list
    BROKEN = "broken"  # a page that cannot be had
    REFUSED = "refused"  # an OAI-PMH error that asking again does not mend
    LIMIT = "limit"  # as many as were asked for


@dataclass(frozen=True, slots=True)
class Result:
    """How a window ended, why, and the error behind it if there was one."""

    ending: Ending
    reason: str = ""
    error: UpstreamError | None = None
    code: str = ""


class Listing:
    """Follows one window's chain of pages."""

    def __init__(self, work: Work, window: StoredWindow, *, is_checkpointed: bool = True) -> None:
        self._work = work
        self._window = window
        self._is_checkpointed = is_checkpointed
        self._chain = Chain()
        self._pages = 0  # of this chain, in this run
        self._reasked = 0
        self._waiting: list[Page] = []
        self.seen = window.seen
        self.claimed = window.claimed
        self.started_at = window.started_at
        self.first_page = 0  # fingerprint, to notice servers that ignore dates
        self.on_stored: Callable[[], None] = lambda: None

    def run(self) -> Result:
        """Harvest the window from its checkpoint, or from its start."""
        request = list_request(
            "ListRecords",
            prefix=self._window.format,
            spec=self._window.spec or None,
            since=self._window.since,
            until=self._window.until,
        )
        following: Request | None = request.with_token(self._window.token) if self._window.token else request
        result: Result | None = None
        while result is None:
            assert following is not None
            ahead = Ahead(self._work.client.ask, following, stopper=self._work.stopper)
            try:
                result, following = self._consume(ahead)
            finally:
                ahead.close()
        return result

    def _consume(self, ahead: Ahead) -> tuple[Result | None, Request | None]:
        """Take pages until the chain ends; give its result, or the request to start another chain with."""
        for fetched in ahead:
            self._work.stopper.check()
            page, outcome = self._read(fetched)
            if page is None:
                self._store()
                return outcome
            result, following = self._follow(page, fetched)
            if result is not None or following is not None:
                self._store()
                return result, following
            if not ahead.has_ready or sum(len(page.records) for page in self._waiting) >= GROUP_RECORDS:
                self._store()
        raise AssertionError("a chain ends with a page or a failure")  # pragma: no cover

    def _read(self, fetched: Fetched) -> tuple[Page | None, tuple[Result | None, Request | None]]:
        """Parse a page; where that fails, what to do instead."""
        try:
            if fetched.failure is not None:
                raise fetched.failure
            assert fetched.answer is not None
            page = parse_page(fetched.answer.body)
        except (BadXml, NotOai) as exc:
            return None, self._damaged(exc, fetched)
        except HttpRefused as exc:
            if exc.status == 413:
                return None, (Result(Ending.TOO_MUCH, str(exc), exc), None)
            return None, (Result(Ending.BROKEN, str(exc), exc), None)
        if page.faults:
            return None, self._refused(page, fetched)
        self._reasked = 0
        return page, (None, None)

    def _damaged(self, exc: BadXml | NotOai, fetched: Fetched) -> tuple[Result | None, Request | None]:
        """A page cut short or replaced by a web page may be whole the next time."""
        if self._reasked < REASKED and not (isinstance(exc, NotOai) and not self._pages and not self.seen):
            self._reasked += 1
            self._work.counters.retries += 1
            self._work.stopper.sleep(self._work.settings.backoff * 2 ** (self._reasked - 1))
            return None, fetched.request
        self._work.tell(
            "damaged", f"{exc}", url=self._work.client.address(fetched.request), body=exc.body, weight=Weight.NOTE
        )
        return Result(Ending.BROKEN, str(exc), exc), None

    def _refused(self, page: Page, fetched: Fetched) -> tuple[Result | None, Request | None]:
        fault = page.faults[0]
        is_resumed = "resumptionToken" in dict(fetched.request.arguments)
        if fault.code == "noRecordsMatch" and not is_resumed:
            self.started_at = self.started_at or page.response_date
            return Result(Ending.DONE), None
        if fault.code in ("badResumptionToken", "noRecordsMatch") and is_resumed:
            return self._dead(fault, fetched)
        if is_too_much(fault):
            return Result(Ending.TOO_MUCH, f"{fault.code}: {fault.text}"), None
        if is_resumed and fault.code in ("badArgument", "badVerb", "") and self._is_odd(fetched):
            return self._dead(fault, fetched)
        return Result(Ending.REFUSED, f"{fault.code}: {fault.text}".strip(": "), code=fault.code), None

    def _dead(self, fault: Fault, fetched: Fetched) -> tuple[Result | None, Request | None]:
        """The token was refused: escaped otherwise, or at the list's end, or really dead."""
        if self._pages <= 1 and self._work.client.escape_fully and self._is_odd(fetched):
            self._work.client.escape_fully = False
            return None, fetched.request
        reason = f"the repository refused its own token: {fault.code} {fault.text}".strip()
        if not self._pages:
            return Result(Ending.STALE, reason), None
        if self.claimed is not None and self.seen >= self.claimed:
            self._work.tell("token-after-end", f"the last page carried a token; {reason}", weight=Weight.NOTE)
            return Result(Ending.DONE), None
        return Result(Ending.DOUBTFUL if self.claimed is None else Ending.EXPIRED, reason), None

    def _is_odd(self, fetched: Fetched) -> bool:
        token = dict(fetched.request.arguments).get("resumptionToken", "")
        return not token.replace("-", "").replace("_", "").replace(".", "").isalnum()

    def _follow(self, page: Page, fetched: Fetched) -> tuple[Result | None, Request | None]:
        """Take a page in and say whether and how the chain goes on."""
        is_repeat = self._chain.is_repeat(page)
        objection = self._chain.objection(page)
        self._pages += 1
        token = page.token.value if page.token else ""
        if not (objection and is_repeat):
            limited = self._limited(page)
            self._take(limited, fetched)
            if limited is not page:
                return Result(Ending.LIMIT), None
        if objection is not None:
            return self._looped(objection), None
        if not token:
            return self._ended(), None
        return None, (None if fetched.token == token else fetched.request.with_token(token))

    def _limited(self, page: Page) -> Page:
        limit = self._work.options.limit
        if limit is None or self.seen + len(page.records) < limit:
            return page
        return replace(page, records=page.records[: limit - self.seen], rejects=[])

    def _take(self, page: Page, fetched: Fetched) -> None:
        if page.repairs:
            self._work.tell(
                "repaired",
                "the page was not well-formed: " + "; ".join(page.repairs),
                url=self._work.client.address(fetched.request),
                body=fetched.answer.body if fetched.answer else None,
            )
        if not self.first_page:
            self.first_page = hash(tuple(record.identifier for record in page.records)) or 1
        self.started_at = self.started_at or page.response_date
        if page.token and page.token.size is not None:
            self.claimed = page.token.size
        self.seen += len(page.records) + len(page.rejects)
        self._work.counters.pages += 1
        self._waiting.append(page)

    def _store(self) -> None:
        """Store what waits, and how far that brings us, in one transaction."""
        if not self._waiting:
            return
        work, last = self._work, self._waiting[-1]
        token = (last.token.value or None) if last.token else None
        with work.store.writing() as connection:
            records = [record for page in self._waiting for record in page.records]
            rejects = [reject for page in self._waiting for reject in page.rejects]
            work.put(connection, self._window.format, records, rejects)
            if self._is_checkpointed:
                checkpoints.advance(
                    connection,
                    self._window.id,
                    token=token,
                    seen=self.seen,
                    claimed=self.claimed,
                    started_at=self.started_at,
                )
        self._waiting = []
        work.tally()
        self.on_stored()
        work.show()

    def _looped(self, objection: str) -> Result:
        if self.claimed is not None and self.seen >= self.claimed:
            self._work.tell("token-after-end", f"after the last page {objection}", weight=Weight.NOTE)
            return Result(Ending.DONE)
        return Result(Ending.DOUBTFUL, objection)

    def _ended(self) -> Result:
        if self.claimed is not None and self.seen < self.claimed:
            return Result(Ending.DOUBTFUL, f"the list ended after {self.seen:,} of {self.claimed:,} records")
        if self.claimed is not None and self.seen > self.claimed:
            words = f"the repository promised {self.claimed:,} records and sent {self.seen:,}"
            self._work.tell("longer-than-claimed", words, weight=Weight.NOTE)
        return Result(Ending.DONE)


def is_too_much(fault: Fault) -> bool:
    """Does the repository say that the list would be too long?"""
    words = fault.text.lower()
    return any(word in words for word in ("too many", "too large", "too much", "exceed", "result limit"))


def is_fatal(error: UpstreamError | None) -> bool:
    """Is there no point in asking this repository anything else just now?"""
    return isinstance(error, Unreachable | UpstreamBusy)


