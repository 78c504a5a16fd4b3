"""One window's identifiers, with ListIdentifiers: what there is, without bringing it in.

Used to check a list of records, to fetch records one by one, and to find out what vanished.
"""

from __future__ import annotations

from collections.abc import Iterator

from windrow.errors import BadXml, HttpRefused, NotOai, TooLarge
from windrow.harvest.ahead import ask_once
from windrow.harvest.chain import ENDLESS, MAX_STALE_PAGES, Chain
from windrow.harvest.ending import Ending, Result, broken
from windrow.harvest.gist import Gist
from windrow.harvest.listing import LEFT, first_request, has_left_set, lists_everything, tell_unnamed_set
from windrow.harvest.server_time import harvest_start
from windrow.harvest.set_filter import SetFilter, is_ignored_set, is_in_set
from windrow.harvest.trouble import Trouble, Turn
from windrow.harvest.windows import Stretch
from windrow.harvest.work import Work
from windrow.store import listed
from windrow.store.checkpoints import StoredWindow
from windrow.wire.oai.page import Page
from windrow.wire.oai.parse import parse_page
from windrow.wire.oai.request import Request


class Identifiers:
    """Follows one window's chain of headers; `result` says afterwards how it ended."""

    def __init__(self, work: Work, window: StoredWindow, *, before: Identifiers | None = None) -> None:
        self._work = work
        self._window = window
        # A pass over a list that was read before: what is new to both counts, and it is not much longer.
        self._is_further = before is not None
        self._most = None if before is None else 2 * before.listed
        self._repeated = 0  # entries of a first pass that name an identifier again
        self._stale = 0  # pages in a row that name nothing else
        self._sets = SetFilter(window.spec, is_ignored=is_ignored_set(work, window.spec))
        self._asked_at = work.now()
        self._order = 0  # of the identifiers, as a number: two passes in the same order have the same
        self._chain = Chain()
        self._trouble = Trouble(work)
        self.gist = Gist(Stretch(window.since, window.until), is_resumed=bool(window.token))
        self.listed: int = window.seen if window.token else 0  # entries
        self.distinct = 0  # identifiers that had not been listed before
        self.nameless = 0  # headers without an identifier
        self.claimed = window.claimed
        self.is_steady = True  # the size it claims has always been the same
        self.has_repeated_page = False  # a whole page came twice, perhaps in the place of another
        self.started_at = window.started_at
        self.result = Result(Ending.BROKEN, "the list was not read to its end")

    @property
    def is_whole(self) -> bool:
        """Did the list come to a proper end, with as much in it as was promised?"""
        return self.result.ending is Ending.DONE

    @property
    def is_as_promised(self) -> bool:
        """Has exactly as much come as the repository promised? More than that makes the number worthless."""
        return self.listed == self.claimed

    @property
    def is_all_there(self) -> bool:
        """Has as much come as the repository promised, what came twice left out?"""
        return self.claimed is not None and self.listed - self._repeated >= self.claimed

    def pages(self) -> Iterator[Page]:
        """Give the pages. What is asked for while one is looked at does not disturb the list."""
        if not self._is_further:
            with self._work.store.writing() as connection:
                listed.clear(connection, -self._work.run_id)
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
            self.has_repeated_page = self.has_repeated_page or is_repeat
            if not (objection and is_repeat):
                is_first = not (self.gist.pages or self._window.token)
                if is_first:
                    self._sets.start_list(page)
                if self._sets.begin(page):
                    self._sets.is_ignored = ignores_set(self._work, self._window, page)
                if has_left_set(
                    self._work, self._window, self._sets, page, verb="ListIdentifiers", is_first=is_first
                ):
                    words = f"the list of the set {self._sets.spec} goes on with records of other sets"
                    self.result = Result(Ending.DOUBTFUL, words, code=LEFT)
                    return
                self._take(page)
                yield self._sets.keep_own(page)
            token = page.token.value if page.token else ""
            if objection is None and token and self._is_endless:
                objection = ENDLESS
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
            self._note_start(page)
            return self._trouble.refused(page.faults[0], request, self)
        self._trouble.forget()
        return page

    @property
    def is_shorter_than_stated(self) -> bool:
        """Did the list come to its own end, always stating the same size, and that a larger one?"""
        return self.is_shorter_than_some and self.is_steady

    @property
    def is_shorter_than_some(self) -> bool:
        """Did the list come to its own end, before the largest of the sizes that it stated?"""
        gist = self.gist
        is_short = self.claimed is not None and self.listed < self.claimed
        is_at_limit = gist.has_full_end and gist.is_one_moment  # and dates cannot show what is behind it
        return is_short and gist.has_end and not (gist.has_doubtful_end or is_at_limit)

    @property
    def order(self) -> int:
        """A number that is the same for two passes that listed the same identifiers in the same order."""
        return self._order

    @property
    def _is_endless(self) -> bool:
        is_too_long = self._most is not None and self.listed > self._most
        return is_too_long or self._stale >= MAX_STALE_PAGES

    def _note_start(self, page: Page) -> None:
        self.started_at = self.started_at or harvest_start(page.response_date, asked_at=self._asked_at)

    def _take(self, page: Page) -> None:
        self.gist.add(page)
        self._note_start(page)
        names = [record.identifier for record in page.records]
        self._order = hash((self._order, *names))
        with self._work.store.writing() as connection:
            fresh = listed.add(connection, -self._work.run_id, names)
        self.distinct += fresh
        if not self._is_further:
            self._repeated += len(names) - fresh
            self._stale = self._stale + 1 if names and not fresh else 0
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


def ignores_set(work: Work, window: StoredWindow, first: Page) -> bool:
    """Return True if a list of identifiers ignores its set, and so lists records of others.

    Headers need not name a virtual set. One that is named on this page, or by records in the library, is not
    of that kind.
    """
    if not lists_everything(work, window, first):
        return False
    if any(is_in_set(record, window.spec) for record in first.records if record.sets):
        return True
    with work.store.reading() as connection:
        is_known = listed.live(connection, work.source.id, (window.spec,)) > 0
    if not is_known and window.id and any(record.sets for record in first.records):
        tell_unnamed_set(work, window.spec)  # a window of its own: these records are harvested, not compared
    return is_known
