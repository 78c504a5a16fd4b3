"""One window harvested with ListRecords: pages followed, guarded, stored, each with its checkpoint.

What a page that is no page means is decided in `trouble`; what the window's ending calls for, in `lists`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from windrow.errors import BadXml, HttpRefused, Interrupted, NotOai, TooLarge, Unreachable, UpstreamError
from windrow.harvest.ahead import Ahead, Fetched
from windrow.harvest.chain import Chain
from windrow.harvest.ending import Ending, Result, broken
from windrow.harvest.gist import Gist
from windrow.harvest.server_time import believed
from windrow.harvest.trouble import Trouble, Turn
from windrow.harvest.windows import Stretch, fit
from windrow.harvest.work import Work
from windrow.model.record import Reject
from windrow.model.run import Weight
from windrow.store import checkpoints
from windrow.store.checkpoints import StoredWindow
from windrow.wire.oai.page import Page
from windrow.wire.oai.parse import parse_page
from windrow.wire.oai.request import Request, list_request

GROUP_RECORDS = 1000  # pages that are here already are stored together, up to so many records
_NAMED = 3  # quarantined records that a problem names


class Listing:
    """Follows one window's chain of pages. `is_first`: the library has nothing of this list yet."""

    def __init__(self, work: Work, window: StoredWindow, *, is_first: bool = False) -> None:
        self._work = work
        self._window = window
        self._is_first = is_first
        self._chain = Chain()
        self._trouble = Trouble(work)
        self._waiting: list[Page] = []
        self._again = 0  # entries for records that came before in this list
        self.gist = Gist(Stretch(window.since, window.until))
        self.seen = window.seen if window.token else 0
        self.claimed = window.claimed if window.token else None
        self.started_at = window.started_at
        self.on_stored: Callable[[], None] = lambda: None

    def run(self) -> Result:
        """Harvest the window from its checkpoint, or from its start."""
        turn = Turn(request=first_request("ListRecords", self._work, self._window))
        while turn.request is not None:
            self._work.stopper.check()
            ahead = Ahead(
                self._work.client.ask,
                turn.request,
                stopper=self._work.stopper,
                is_single=self._work.options.limit is not None,
            )
            try:
                turn = self._consume(ahead)
            except (UpstreamError, Interrupted):
                self._store()
                raise
            finally:
                ahead.close()
        assert turn.result is not None
        return turn.result

    def _consume(self, ahead: Ahead) -> Turn:
        """Take pages until the chain ends or has to start anew."""
        for fetched in ahead:
            page = self._read(fetched)
            turn = self._follow(page, fetched) if isinstance(page, Page) else page
            if turn is not None:
                self._store()
                return turn
            if not ahead.has_ready or sum(len(page.records) for page in self._waiting) >= GROUP_RECORDS:
                self._store()
        self._work.stopper.check()  # asked to stop, the fetching thread goes no further than it is
        raise AssertionError("a chain ends with a page or a failure")  # pragma: no cover

    def _read(self, fetched: Fetched) -> Page | Turn:
        """Parse a page; where that fails, say what to do instead."""
        try:
            if fetched.failure is not None:
                raise fetched.failure
            assert fetched.answer is not None
            page = parse_page(fetched.answer.body)
        except (BadXml, NotOai) as exc:
            return self._trouble.damaged(exc, fetched.request, is_begun=bool(self.gist.pages or self.seen))
        except (HttpRefused, TooLarge, Unreachable) as exc:
            return Turn(broken(exc))
        if page.faults:
            self.started_at = self.started_at or believed(page.response_date, now=self._work.now())
            return self._trouble.refused(page.faults[0], fetched.request, self)
        self._trouble.forget()
        return page

    def _follow(self, page: Page, fetched: Fetched) -> Turn | None:
        """Take a page in; say where the chain goes where it does not simply go on."""
        is_repeat = self._chain.is_repeat(page)
        objection = self._chain.objection(page)
        token = page.token.value if page.token else ""
        if not (objection and is_repeat):
            limited = self._limited(page)
            self._take(limited, fetched)
            if limited is not page:
                return Turn(Result(Ending.LIMIT))
        if objection is not None:
            return Turn(self._looped(objection))
        if not token:
            return Turn(self._ended())
        return None if fetched.token == token else Turn(request=fetched.request.with_token(token))

    def _limited(self, page: Page) -> Page:
        limit = self._work.options.limit
        if limit is None or self.seen + len(page.records) < limit:
            return page
        return replace(page, records=page.records[: limit - self.seen], rejects=[])

    def _take(self, page: Page, fetched: Fetched) -> None:
        if page.repairs or page.rejects:
            self._tell(page, fetched)
        self.gist.add(page)
        self.started_at = self.started_at or believed(page.response_date, now=self._work.now())
        if page.token and page.token.size is not None:
            self.claimed = max(page.token.size, self.claimed or 0)  # it may count down, or shrink on the way
        self.seen += len(page.records) + len(page.rejects)
        self._work.counters.pages += 1
        self._waiting.append(page)

    def _tell(self, page: Page, fetched: Fetched) -> None:
        """Put on record what was wrong with a page, and keep the page as it came."""
        body = fetched.answer.body if fetched.answer else None
        url = self._work.client.address(fetched.request)
        if page.repairs:
            words = "the page was not well-formed: " + "; ".join(page.repairs)
            self._work.tell("repaired", words, url=url, body=body)
        if page.rejects:
            self._work.tell(
                "quarantined", _name(page.rejects), url=url, body=body if not page.repairs else None
            )

    def _store(self) -> None:
        """Store what waits, and how far that brings us, in one transaction."""
        if not self._waiting:
            return
        work, last = self._work, self._waiting[-1]
        with work.storing() as connection:
            records = [record for page in self._waiting for record in page.records]
            rejects = [reject for page in self._waiting for reject in page.rejects]
            delta = work.put(connection, self._window.format, records, rejects)
            checkpoints.advance(
                connection,
                self._window.id,
                token=(last.token.value or None) if last.token else None,
                seen=self.seen,
                claimed=self.claimed,
                started_at=self.started_at,
            )
        if self._is_first:
            self._again += delta.changed + delta.unchanged + delta.duplicates
        self._waiting = []
        work.tally()
        self.on_stored()
        work.show()

    def _looped(self, objection: str) -> Result:
        if self.is_all_there:
            self._work.tell("token-after-end", f"after the last page {objection}", weight=Weight.NOTE)
            return Result(Ending.DONE)
        return Result(Ending.DOUBTFUL, objection)

    def _ended(self) -> Result:
        self._store()
        distinct = self.seen - self._again
        if self.claimed is not None and self.seen < self.claimed:
            return Result(Ending.DOUBTFUL, f"the list ended after {self.seen:,} of {self.claimed:,} records")
        if self.claimed is not None and distinct < self.claimed:
            # Updated while we read, a record moves to the end, and the next page skips one.
            words = f"{self._again:,} of {self.seen:,} entries came twice; {self.claimed:,} were promised"
            return Result(Ending.DOUBTFUL, words)
        if self.claimed is not None and self.seen > self.claimed:
            words = f"the repository promised {self.claimed:,} records and sent {self.seen:,}"
            self._work.tell("longer-than-claimed", words, weight=Weight.NOTE)
        return Result(Ending.DONE)

    @property
    def is_all_there(self) -> bool:
        """Has as much come as the repository promised?"""
        return self.claimed is not None and self.seen >= self.claimed


def first_request(verb: str, work: Work, window: StoredWindow) -> Request:
    """Give the request that begins a window, or goes on in it."""
    stretch = fit(Stretch(window.since, window.until), work.granularity)
    request = list_request(
        verb, prefix=window.format, spec=window.spec or None, since=stretch.since, until=stretch.until
    )
    return request.with_token(window.token) if window.token else request


def _name(rejects: list[Reject]) -> str:
    names = [f"{reject.identifier or 'one without identifier'} ({reject.reason})" for reject in rejects]
    more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
    return f"{len(names):,} of the page's records quarantined: " + "; ".join(names[:_NAMED]) + more
