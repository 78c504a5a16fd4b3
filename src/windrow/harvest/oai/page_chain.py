"""What is remembered of a window's pages: enough to see that a list is odd, and where to split it."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum
from operator import attrgetter
from typing import Protocol

from windrow.errors import BadXml, HeadersOnly, HttpRefused, NotOai, Unreachable, UpstreamBusy, UpstreamError
from windrow.harvest.oai.run_context import HarvestContext
from windrow.harvest.oai.windows import DateRange
from windrow.harvest.options import Stopper
from windrow.model.record import parse_datestamp
from windrow.model.run import Severity
from windrow.net.client import Answer
from windrow.protocols.oai.oai_page import Fault, Page
from windrow.protocols.oai.oai_request import Request, render_url
from windrow.protocols.oai.page_parser import peek_token

# Fetching ahead: the next page is asked for while the last one is still being stored.
# Tokens die while a harvester is busy with its database, so the fetching thread never waits for it,
# within a bound on memory. It guesses the next token from a page's last bytes; whoever parses the page
# has the last word, and starts a new chain where the guess was wrong.

MAX_PREFETCHED_PAGES = 64
MAX_PREFETCHED_BYTES = 16 * 1024 * 1024
_POLL_SECONDS = 0.2


@dataclass(frozen=True, slots=True)
class FetchedPage:
    """A request, what came of it, and the token by which the chain goes on."""

    request: Request
    answer: Answer | None
    failure: BaseException | None
    token: str | None


class Prefetcher:
    """One chain of pages, fetched in a thread of its own until its end, a failure or `close`.

    Asked to stop, it fetches no more; what is here already can still be had.
    """

    def __init__(
        self, ask: Callable[[Request], Answer], request: Request, *, stopper: Stopper, is_single: bool = False
    ) -> None:
        self._ask = ask
        self._is_single = is_single
        self._stopper = stopper
        self._ready: deque[FetchedPage] = deque()
        self._tokens: set[int] = set()  # that this chain has asked with: a loop is not run ahead in
        self._bytes = 0
        self._is_closed = False
        self._is_ended = False
        self._change = threading.Condition()
        self._thread = threading.Thread(target=self._run, args=(request,), name="fetch", daemon=True)
        self._thread.start()

    def __iter__(self) -> Iterator[FetchedPage]:
        while (fetched := self._next()) is not None:
            yield fetched

    @property
    def has_ready(self) -> bool:
        """Is the next page here already?"""
        return bool(self._ready)

    def close(self) -> None:
        """Stop fetching; wait for the request under way, as the next chain uses the same connection."""
        with self._change:
            self._is_closed = True
            self._change.notify_all()
        while self._thread.is_alive():
            self._thread.join(_POLL_SECONDS)
            if self._stopper.is_stopping:
                return

    def _next(self) -> FetchedPage | None:
        with self._change:
            while not self._ready:
                if self._is_ended:
                    return None
                self._stopper.check()
                self._change.wait(_POLL_SECONDS)
            fetched = self._ready.popleft()
            self._bytes -= len(fetched.answer.body) if fetched.answer else 0
            self._change.notify_all()
            return fetched

    def _run(self, request: Request) -> None:
        following: Request | None = request
        while following is not None:
            fetched = self._fetch(following)
            following = following.with_token(fetched.token) if fetched.token else None
            with self._change:
                while self._is_full() and not self._is_closed:
                    self._change.wait()
                self._ready.append(fetched)
                self._bytes += len(fetched.answer.body) if fetched.answer else 0
                if self._is_closed or self._stopper.is_stopping:
                    following = None
                self._is_ended = following is None
                self._change.notify_all()

    def _fetch(self, request: Request) -> FetchedPage:
        try:
            answer = self._ask(request)
        except BaseException as exc:  # noqa: BLE001 - handed over to the thread that consumes
            return FetchedPage(request, None, exc, None)
        self._tokens.add(hash(request.token))
        token = None if self._is_single else peek_token(answer.body)
        return FetchedPage(request, answer, None, token if hash(token) not in self._tokens else None)

    def _is_full(self) -> bool:
        return len(self._ready) >= MAX_PREFETCHED_PAGES or (
            self._bytes >= MAX_PREFETCHED_BYTES and bool(self._ready)
        )


def ask_interruptibly(ask: Callable[[Request], Answer], request: Request, *, stopper: Stopper) -> Answer:
    """Ask once, in a thread of its own, so that a request to stop is heard meanwhile."""
    ahead = Prefetcher(ask, request, stopper=stopper, is_single=True)
    try:
        fetched = next(iter(ahead))
    finally:
        ahead.close()
    if fetched.failure is not None:
        raise fetched.failure
    assert fetched.answer is not None
    return fetched.answer


# Guards on a chain of pages: tokens that repeat, pages that come again, pages that hold nothing.

MAX_EMPTY_PAGES = 10
MAX_COUNTED_PAGES = 100  # the same where each cursor is beyond the last: withheld records leave such holes
MAX_REPEATED_PAGES = 3
MAX_STALE_PAGES = 10  # in a row with nothing but records that came before, in whatever order
MAX_CHAIN_PAGES = 5_000_000
ENDLESS_CHAIN = f"{MAX_STALE_PAGES} pages in a row held nothing but records that had come before"
_identifier = attrgetter("identifier")


class ChainGuard:
    """Remembers what a chain of pages has shown so far, in a few bytes a page."""

    def __init__(self) -> None:
        self._tokens: set[int] = set()
        self._pages: set[int] = set()
        self._empty = 0
        self._counted = 0  # those of the empty pages that came with a cursor beyond the last one
        self._cursor = -1
        self._repeated = 0

    def objection(self, page: Page) -> str | None:
        """Return why this chain must not be followed further; None when it may."""
        token = page.token.value if page.token else ""
        if not token:
            return None
        is_known_token = hash(token) in self._tokens
        self._tokens.add(hash(token))
        if not page.records and not page.rejects:
            self._empty += 1
            self._counted += self._goes_on(page)
            if self._empty >= (MAX_COUNTED_PAGES if self._counted == self._empty else MAX_EMPTY_PAGES):
                return f"{self._empty} empty pages in a row, each with a token for another"
            return "an empty page with a token already used" if is_known_token else None
        self._empty = self._counted = 0
        self._goes_on(page)
        content = _page_fingerprint(page)
        is_known_page = content in self._pages
        self._pages.add(content)
        self._repeated = self._repeated + 1 if is_known_page else 0
        if is_known_page and is_known_token:
            return "the token leads back to a page that was here before"
        if self._repeated >= MAX_REPEATED_PAGES:
            return f"the same page {self._repeated + 1} times under different tokens"
        return "the list does not end" if len(self._tokens) > MAX_CHAIN_PAGES else None

    def _goes_on(self, page: Page) -> bool:
        """Return True if the cursor is beyond that of the page before, and within the stated size."""
        token = page.token
        if token is None or token.cursor is None or token.size is None:
            return False
        before, self._cursor = self._cursor, token.cursor
        return before < token.cursor < token.size

    def is_repeat(self, page: Page) -> bool:
        """Has exactly this page been here before?"""
        return bool(page.records) and _page_fingerprint(page) in self._pages


def _page_fingerprint(page: Page) -> int:
    """Return a number for what is on a page, records that cannot be kept included."""
    bad = (reject.identifier or reject.raw for reject in page.rejects)
    return hash((*map(_identifier, page.records), *bad))


# How a window's list can come to its end, and what an error says about that.

_TOO_MUCH = ("too many", "too large", "too much", "exceed", "result limit", "result window")
_TOO_MUCH_STATUS = 413


class WindowEnding(Enum):
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
class WindowResult:
    """How a window ended, why, and the error behind it if there was one."""

    ending: WindowEnding
    reason: str = ""
    error: UpstreamError | None = None
    code: str = ""


class ListFailed(Exception):
    """This list cannot be had; the others of the source may."""

    def __init__(self, reason: str, *, cause: UpstreamError | None = None) -> None:
        super().__init__(reason)
        self.cause = cause


def is_too_much(fault: Fault) -> bool:
    """Does the repository say that the list would be too long?"""
    text = fault.text.lower()
    return any(words in text for words in _TOO_MUCH)


def ending_for_error(error: UpstreamError) -> WindowResult:
    """Return the ending for a page that could not be had at all."""
    is_too_long = isinstance(error, HttpRefused) and error.status == _TOO_MUCH_STATUS
    return WindowResult(WindowEnding.TOO_MUCH if is_too_long else WindowEnding.BROKEN, str(error), error)


def is_fatal(error: UpstreamError | None) -> bool:
    """Is there no point in asking this repository anything else just now?"""
    return isinstance(error, Unreachable | UpstreamBusy)


def is_hopeless(error: UpstreamError | None) -> bool:
    """Does a first page that failed so mean that no other request will do better?"""
    if isinstance(error, HttpRefused):
        return error.status < 500
    # Where only headers came, identifiers can be listed, and single records perhaps be fetched.
    return isinstance(error, NotOai) and not isinstance(error, HeadersOnly)


_SLACK = timedelta(days=1)  # local time where UTC is meant
_FEWEST = 10  # records on a page that may be the first of several
_MOST_HOLES = 5  # empty pages that are looked into


class WindowStatistics:
    """A few facts of the pages of one window, in a few bytes a page."""

    def __init__(self, stretch: DateRange, *, is_resumed: bool = False) -> None:
        self._is_resumed = is_resumed  # pages of this window came in an earlier run
        self._since = parse_datestamp(stretch.since or "")
        self._until = parse_datestamp(stretch.until or "")
        self._stamps: list[str] = []  # one a page, or all of a single page
        self._sizes = (0, 0)  # records on the first page, and on the last that had any
        self._is_sampled = False
        self._has_token = False
        self._range = ("", "")  # the lowest and the highest stamp, as they are written
        self._last_stamp = ""  # of the last record of all
        self._is_ordered = True  # by datestamp
        self._is_reversed = True  # by datestamp, the newest first
        self.is_empty_end = False
        self._has_final_token = False
        self._cursor: tuple[int, int] | None = None  # of the last page, and how many records that had
        self._is_counting = False  # cursors go on by as much as a page holds
        self._skipped = 0
        self._before_hole = ""  # the last datestamp before the empty page at hand
        self._holes: list[tuple[str, str]] = []
        self.pages = 0
        self.has_end = False  # the last page said that it was the last
        self.is_outside = False  # nothing on the first page lies in the window

    def add(self, page: Page) -> None:
        """Take a page in."""
        self.pages += 1
        self._has_token = self._has_token or page.token is not None
        self.has_end = not (page.token and page.token.value)
        self._has_final_token = page.token is not None
        count = len(page.records) + len(page.rejects)
        self.is_empty_end = not count
        self._follow_cursor(page, count)
        stamps = [record.stamp for record in page.records]
        if not count and not self.has_end:
            self._before_hole = self._last_stamp
        elif stamps:
            if self._before_hole and len(self._holes) < _MOST_HOLES:
                self._holes.append((self._before_hole, stamps[0]))
            self._before_hole = ""
            following = [self._last_stamp, *stamps]
            self._is_ordered = self._is_ordered and following == sorted(following)
            falling = following if self._last_stamp else stamps
            self._is_reversed = self._is_reversed and falling == sorted(falling, reverse=True)
            self._last_stamp = stamps[-1]
            low, high = self._range
            self._range = (min([low or stamps[0], *stamps]), max(high, *stamps))
        if self.pages == 1:
            self._sizes = (count, count)
            self._stamps = stamps
            self.is_outside = self._lies_outside(self._stamps)
        elif page.records:
            self._sizes = (self._sizes[0], count)
            if not self._is_sampled:
                self._is_sampled = True
                del self._stamps[1:]
            self._stamps.append(page.records[0].stamp)

    def _follow_cursor(self, page: Page, count: int) -> None:
        cursor = page.token.cursor if page.token else None
        if cursor is not None and self._cursor is not None:
            before, expected = self._cursor
            self._is_counting = self._is_counting or cursor - before == expected
            self._skipped += max(0, cursor - before - expected)
        self._cursor = None if cursor is None else (cursor, count)

    @property
    def holes(self) -> list[tuple[datetime, datetime]]:
        """The datestamps around each of the first pages that were empty and not the last, the older first."""
        ends = ((parse_datestamp(before), parse_datestamp(after)) for before, after in self._holes)
        return [(min(low, high), max(low, high)) for low, high in ends if low and high]

    @property
    def skipped(self) -> int:
        """How many records lie between the pages, going by cursors that count records elsewhere."""
        return self._skipped if self._is_counting else 0

    @property
    def is_barren(self) -> bool:
        """Pages came, and not one of them had a record: smaller windows are unlikely to have more."""
        return self.pages > 0 and not self._stamps

    @property
    def middle(self) -> datetime | None:
        """A moment with about as much of what came before it as after it."""
        moments = sorted(moment for moment in map(parse_datestamp, self._stamps) if moment is not None)
        if not moments:
            return None
        place = len(moments) // 2  # the first record of a page is its oldest one, or its newest
        return moments[len(moments) - 1 - place if self._is_reversed else place]

    @property
    def halfway(self) -> datetime | None:
        """The moment between the oldest and the newest datestamp."""
        low, high = (parse_datestamp(stamp) for stamp in self._range)
        return low + (high - low) / 2 if low is not None and high is not None else None

    @property
    def ends(self) -> tuple[datetime | None, datetime | None]:
        """About the oldest and the newest of what came."""
        moments = [moment for moment in map(parse_datestamp, self._stamps) if moment is not None]
        return min(moments, default=None), max(moments, default=None)

    @property
    def is_long(self) -> bool:
        """The list was cut into pages; those of an earlier run count."""
        return self.pages > 1 or (self.pages == 1 and self._is_resumed)

    @property
    def has_doubtful_end(self) -> bool:
        """The list was cut into pages, and its last page is empty or lacks the token that closes a list.

        An incomplete list must end with an empty resumptionToken (OAI-PMH 2.0 §3.5). Many repositories leave
        it out and are complete all the same; in others it means that a page failed.
        """
        return self.is_long and self.has_end and (self.is_empty_end or not self._has_final_token)

    @property
    def has_full_end(self) -> bool:
        """The list was cut into pages, and its last page is as long as the first.

        By chance, one list in a hundred or so ends like that. Lists that end at a limit always do, such as
        the 10,000 results that a search engine gives at most.
        """
        is_full = self._sizes[1] >= self._sizes[0] and not self.is_empty_end
        return self.pages > 1 and self.has_end and is_full

    @property
    def is_one_moment(self) -> bool:
        """All records have the same datestamp, such as those of a bulk import: dates cannot part them."""
        low, high = self._range
        return bool(low) and low == high and not self._is_resumed

    @property
    def newest(self) -> datetime | None:
        """The datestamp of the last record, where the list came in the order of its datestamps."""
        return parse_datestamp(self._last_stamp) if self._is_ordered else None

    @property
    def is_sorted(self) -> bool:
        """The list came in the order of its datestamps, or in the opposite one."""
        return self._is_ordered or self._is_reversed

    @property
    def oldest(self) -> datetime | None:
        """The datestamp of the last record, where the list came with the newest first."""
        return parse_datestamp(self._last_stamp) if self._is_reversed else None

    @property
    def page_size(self) -> int | None:
        """How many records a page of this repository holds, where that could be seen."""
        return self._sizes[0] if self.pages > 1 else None

    @property
    def has_short_end(self) -> bool:
        """Was the last page shorter than the first, as the last page of a list is?"""
        return self._sizes[1] < self._sizes[0]

    @property
    def looks_cut(self) -> bool:
        """One page, and not a word about more: a list cut off after its first page looks like this."""
        return self.pages == 1 and not self._has_token and self._sizes[0] >= _FEWEST

    def _lies_outside(self, stamps: list[str]) -> bool:
        moments = [parse_datestamp(stamp) for stamp in stamps]
        return bool(moments) and all(moment is not None and self._is_out(moment) for moment in moments)

    def _is_out(self, moment: datetime) -> bool:
        is_early = self._since is not None and moment < self._since - _SLACK
        return is_early or (self._until is not None and moment > self._until + _SLACK)


# A page that is no page: asked for again, its token escaped otherwise, or the end of the chain.

MAX_CUT_SHORT_RETRIES = 3  # times a page that came cut short is asked for again
MAX_DAMAGED_RETRIES = 1  # the same for one that is broken otherwise, which it mostly stays


@dataclass(frozen=True, slots=True)
class RecoveryStep:
    """Where a chain goes when it does not simply go on: it ends, or starts anew with another request."""

    result: WindowResult | None = None
    request: Request | None = None


class ChainProgress(Protocol):
    """How far a chain has come."""

    gist: WindowStatistics
    claimed: int | None

    @property
    def is_all_there(self) -> bool:
        """Has as much come as the repository promised?"""


class PageRecovery:
    """Remembers what has been tried for the page at hand."""

    def __init__(self, work: HarvestContext) -> None:
        self._work = work
        self._asked = 0
        self._is_unescaped = False  # the token is being tried as it is

    def forget(self) -> None:
        """The page has come: what helped once may be tried again for the next."""
        self._asked = 0
        self._is_unescaped = False

    def damaged(self, exc: BadXml | NotOai, request: Request, *, is_begun: bool) -> RecoveryStep:
        """A page cut short or replaced by a web page may be whole the next time."""
        work = self._work
        is_cut = isinstance(exc, NotOai) or exc.is_truncated
        most = MAX_CUT_SHORT_RETRIES if is_cut else MAX_DAMAGED_RETRIES
        if self._asked < most and (is_begun or not isinstance(exc, NotOai)):
            self._asked += 1
            work.client.traffic.retries += 1
            work.stopper.sleep(work.settings.backoff * 2 ** (self._asked - 1))
            return RecoveryStep(request=request)
        work.tell("damaged", str(exc), url=work.client.address(request), body=exc.body, weight=Severity.NOTE)
        return RecoveryStep(WindowResult(WindowEnding.BROKEN, str(exc), exc))

    def refused(self, fault: Fault, request: Request, progress: ChainProgress) -> RecoveryStep:
        """An OAI-PMH error in place of a page."""
        words = f"{fault.code}: {fault.text}".strip(": ")
        if is_too_much(fault):
            return RecoveryStep(WindowResult(WindowEnding.TOO_MUCH, words))
        if request.token is not None:
            return self._dead(words, request, progress)
        if fault.code == "noRecordsMatch":
            return RecoveryStep(WindowResult(WindowEnding.DONE))
        return RecoveryStep(WindowResult(WindowEnding.REFUSED, words, code=fault.code))

    def _dead(self, words: str, request: Request, progress: ChainProgress) -> RecoveryStep:
        """The token was refused: it wants no escaping, or was one too many, or is really dead."""
        client = self._work.client
        if progress.gist.pages <= 1 and client.escape_fully and self._is_changed_by_escaping(request):
            client.escape_fully = False
            self._is_unescaped = True
            return RecoveryStep(request=request)
        if self._is_unescaped:  # it was not that
            client.escape_fully = True
        reason = f"the repository refused its own token ({words})"
        if not progress.gist.pages:
            return RecoveryStep(WindowResult(WindowEnding.STALE, reason))
        if progress.is_all_there:
            self._work.tell(
                "token-after-end", f"the last page carried a token; {reason}", weight=Severity.NOTE
            )
            return RecoveryStep(WindowResult(WindowEnding.DONE))
        return RecoveryStep(
            WindowResult(WindowEnding.DOUBTFUL if progress.claimed is None else WindowEnding.EXPIRED, reason)
        )

    def _is_changed_by_escaping(self, request: Request) -> bool:
        bare = render_url(self._work.client.url, request, escape_fully=False)
        return bare != self._work.client.address(request)
