"""One window's identifiers, with ListIdentifiers: what there is, without bringing it in.

Used to check a list of records, to fetch records one by one, and to find out what vanished.
"""

from __future__ import annotations

from collections.abc import Iterator

from windrow.errors import BadXml, HttpRefused, NotOai, TooLarge
from windrow.harvest.ahead import ask_once
from windrow.harvest.chain import Chain
from windrow.harvest.ending import Ending, Result, broken
from windrow.harvest.gist import Gist
from windrow.harvest.listing import first_request
from windrow.harvest.server_time import believed
from windrow.harvest.trouble import Trouble, Turn
from windrow.harvest.windows import Stretch
from windrow.harvest.work import Work
from windrow.store.checkpoints import StoredWindow
from windrow.wire.oai.page import Page
from windrow.wire.oai.parse import parse_page
from windrow.wire.oai.request import Request


class Identifiers:
    """Follows one window's chain of headers; `result` says afterwards how it ended."""

    def __init__(self, work: Work, window: StoredWindow) -> None:
        self._work = work
        self._window = window
        self._chain = Chain()
        self._trouble = Trouble(work)
        self.gist = Gist(Stretch(window.since, window.until))
        self.listed = window.seen if window.token else 0
        self.nameless = 0  # headers without an identifier
        self.claimed = window.claimed
        self.is_steady = True  # the size it claims has always been the same
        self.started_at = window.started_at
        self.result = Result(Ending.BROKEN, "the list was not read to its end")

    @property
    def is_whole(self) -> bool:
        """Did the list come to a proper end, with as much in it as was promised?"""
        return self.result.ending is Ending.DONE

    @property
    def is_all_there(self) -> bool:
        """Has as much come as the repository promised?"""
        return self.claimed is not None and self.listed >= self.claimed

    def pages(self) -> Iterator[Page]:
        """Give the pages. What is asked for while one is looked at does not disturb the list."""
        request: Request | None = first_request("ListIdentifiers", self._work, self._window)
        while request is not None:
            self._work.stopper.check()
            page = self._read(request)
            self._work.tally()
            if isinstance(page, Turn):
                self.result = page.result or self.result
                request = page.request
                continue
            is_repeat, objection = self._chain.is_repeat(page), self._chain.objection(page)
            if not (objection and is_repeat):
                self._take(page)
                yield page
            token = page.token.value if page.token else ""
            request = request.with_token(token) if token and objection is None else None
            if request is None:
                self.result = self._ended(objection)

    def _read(self, request: Request) -> Page | Turn:
        work = self._work
        try:
            page = parse_page(ask_once(work.client.ask, request, stopper=work.stopper).body)
        except (BadXml, NotOai) as exc:
            return self._trouble.damaged(exc, request, is_begun=bool(self.gist.pages))
        except (HttpRefused, TooLarge) as exc:
            return Turn(broken(exc))
        if page.faults:
            self.started_at = self.started_at or believed(page.response_date, now=work.now())
            return self._trouble.refused(page.faults[0], request, self)
        self._trouble.forget()
        return page

    def _take(self, page: Page) -> None:
        self.gist.add(page)
        self.started_at = self.started_at or believed(page.response_date, now=self._work.now())
        self.listed += len(page.records) + len(page.rejects)
        self.nameless += len(page.rejects)
        size = page.token.size if page.token else None
        if size is not None:
            self.is_steady = self.is_steady and self.claimed in (None, size)
            self.claimed = max(size, self.claimed or 0)

    def _ended(self, objection: str | None) -> Result:
        if objection is not None:
            return Result(Ending.DONE if self.is_all_there else Ending.DOUBTFUL, objection)
        if self.claimed is not None and self.listed < self.claimed:
            words = f"the list of identifiers ended after {self.listed:,} of {self.claimed:,}"
            return Result(Ending.DOUBTFUL, words)
        return Result(Ending.DONE)
