"""The chain of pages of one list window: prefetching, loop guards, statistics, endings and recovery."""

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

# Prefetching: the next page is requested while the last one is being stored. Tokens expire while a harvester
# is busy with its database, so the fetching thread never waits for it, within a bound on memory. It guesses
# the next token from a page's last bytes. The parser of the page decides, and starts a new chain if the guess
# was wrong.

MAX_PREFETCHED_PAGES = 64
MAX_PREFETCHED_BYTES = 16 * 1024 * 1024
_POLL_SECONDS = 0.2


@dataclass(frozen=True, slots=True)
class FetchedPage:
    """A request, its response or failure, and the token that continues the chain."""

    request: Request
    answer: Answer | None
    failure: BaseException | None
    token: str | None


class Prefetcher:
    """One chain of pages, fetched in a thread of its own until its end, a failure or `close`.

    After a request to stop nothing more is fetched, but fetched pages can still be read.
    """

    def __init__(
        self, ask: Callable[[Request], Answer], request: Request, *, stopper: Stopper, is_single: bool = False
    ) -> None:
        self._ask = ask
        self._is_single = is_single
        self._stopper = stopper
        self._ready: deque[FetchedPage] = deque()
        self._tokens: set[int] = set()  # hashes of the tokens of this chain, so that loops are not prefetched
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
        return bool(self._ready)

    def close(self) -> None:
        """Stop fetching; wait for the pending request, as the next chain uses the same connection."""
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
        except BaseException as exc:  # noqa: BLE001 - passed to the consuming thread
            return FetchedPage(request, None, exc, None)
        self._tokens.add(hash(request.token))
        token = None if self._is_single else peek_token(answer.body)
        return FetchedPage(request, answer, None, token if hash(token) not in self._tokens else None)

    def _is_full(self) -> bool:
        return len(self._ready) >= MAX_PREFETCHED_PAGES or (
            self._bytes >= MAX_PREFETCHED_BYTES and bool(self._ready)
        )


def ask_interruptibly(ask: Callable[[Request], Answer], request: Request, *, stopper: Stopper) -> Answer:
    """Send one request in a thread of its own, so that a request to stop is noticed meanwhile."""
    ahead = Prefetcher(ask, request, stopper=stopper, is_single=True)
    try:
        fetched = next(iter(ahead))
    finally:
        ahead.close()
    if fetched.failure is not None:
        raise fetched.failure
    assert fetched.answer is not None
    return fetched.answer


# Guards on a chain of pages: repeated tokens, repeated pages and empty pages.

MAX_EMPTY_PAGES = 10
MAX_COUNTED_PAGES = 100  # the same if every cursor exceeds the last one: withheld records leave such holes
MAX_REPEATED_PAGES = 3
MAX_STALE_PAGES = 10  # consecutive pages with nothing but repeated records, in any order
MAX_CHAIN_PAGES = 5_000_000
ENDLESS_CHAIN = f"{MAX_STALE_PAGES} pages in a row held nothing but records that had come before"
_identifier = attrgetter("identifier")


class ChainGuard:
    """Detects loops in a chain of pages, with a few bytes per page."""

    def __init__(self) -> None:
        self._tokens: set[int] = set()
        self._pages: set[int] = set()
        self._empty = 0
        self._counted = 0  # consecutive empty pages whose cursor exceeded the last one
        self._cursor = -1
        self._repeated = 0

    def objection(self, page: Page) -> str | None:
        """Return why this chain must not be followed further; None if it may."""
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
        """Return whether the cursor exceeds that of the page before, and is within the stated size."""
        token = page.token
        if token is None or token.cursor is None or token.size is None:
            return False
        before, self._cursor = self._cursor, token.cursor
        return before < token.cursor < token.size

    def is_repeat(self, page: Page) -> bool:
        """Return whether exactly this page has been seen before."""
        return bool(page.records) and _page_fingerprint(page) in self._pages


def _page_fingerprint(page: Page) -> int:
    bad = (reject.identifier or reject.raw for reject in page.rejects)
    return hash((*map(_identifier, page.records), *bad))


# How a window's list ended, and how errors are classified.

_TOO_MUCH = ("too many", "too large", "too much", "exceed", "result limit", "result window")
_TOO_MUCH_STATUS = 413


class WindowEnding(Enum):
    """How the list of a window ended."""

    DONE = "done"
    DOUBTFUL = "doubtful"  # it ended, but perhaps too early
    EXPIRED = "expired"  # the token expired midway
    STALE = "stale"  # the token of an earlier run had already expired
    TOO_MUCH = "too much"  # the repository refuses a list of this length
    BROKEN = "broken"  # a page could not be fetched or parsed
    REFUSED = "refused"  # an OAI-PMH error that a retry does not fix
    LIMIT = "limit"  # the requested number of records was reached


@dataclass(frozen=True, slots=True)
class WindowResult:
    """How a window ended, why, and with which error."""

    ending: WindowEnding
    reason: str = ""
    error: UpstreamError | None = None
    code: str = ""


class ListFailed(Exception):
    """A list that cannot be harvested; other lists of the source may still work."""

    def __init__(self, reason: str, *, cause: UpstreamError | None = None) -> None:
        super().__init__(reason)
        self.cause = cause


def is_too_much(fault: Fault) -> bool:
    """Return whether an error means that the list would be too long."""
    text = fault.text.lower()
    return any(words in text for words in _TOO_MUCH)


def ending_for_error(error: UpstreamError) -> WindowResult:
    """Return the ending for a page that could not be fetched at all."""
    is_too_long = isinstance(error, HttpRefused) and error.status == _TOO_MUCH_STATUS
    return WindowResult(WindowEnding.TOO_MUCH if is_too_long else WindowEnding.BROKEN, str(error), error)


def is_fatal(error: UpstreamError | None) -> bool:
    """Return whether further requests to this repository are pointless for now."""
    return isinstance(error, Unreachable | UpstreamBusy)


def is_hopeless(error: UpstreamError | None) -> bool:
    """Return whether a failed first page means that other requests will fail, too."""
    if isinstance(error, HttpRefused):
        return error.status < 500
    # If only headers came, identifiers can be listed, and single records perhaps be fetched.
    return isinstance(error, NotOai) and not isinstance(error, HeadersOnly)


_SLACK = timedelta(days=1)  # local time where UTC is required
_FEWEST = 10  # records on a page that may be the first of several
_MOST_HOLES = 5  # empty pages that are examined


class WindowStatistics:
    """Statistics on the pages of one window, in a few bytes per page."""

    def __init__(self, stretch: DateRange, *, is_resumed: bool = False) -> None:
        self._is_resumed = is_resumed  # an earlier run fetched pages of this window
        self._since = parse_datestamp(stretch.since or "")
        self._until = parse_datestamp(stretch.until or "")
        self._stamps: list[str] = []  # one per page, or all of a single page
        self._sizes = (0, 0)  # records on the first page, and on the last nonempty one
        self._is_sampled = False
        self._has_token = False
        self._range = ("", "")  # lowest and highest datestamp, as written
        self._last_stamp = ""  # of the last record
        self._is_ordered = True  # by datestamp
        self._is_reversed = True  # by datestamp, newest first
        self.is_empty_end = False
        self._has_final_token = False
        self._cursor: tuple[int, int] | None = None  # cursor of the last page, and its number of records
        self._is_counting = False  # cursors advance by the number of records on a page
        self._skipped = 0
        self._before_hole = ""  # last datestamp before the current empty page
        self._holes: list[tuple[str, str]] = []
        self.pages = 0
        self.has_end = False  # the last page had no token
        self.is_outside = False  # no record on the first page is in the window

    def add(self, page: Page) -> None:
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
        """The datestamps around each of the first empty pages (but not the last page), older one first."""
        ends = ((parse_datestamp(before), parse_datestamp(after)) for before, after in self._holes)
        return [(min(low, high), max(low, high)) for low, high in ends if low and high]

    @property
    def skipped(self) -> int:
        """The number of records skipped between pages, if the cursors count records."""
        return self._skipped if self._is_counting else 0

    @property
    def is_barren(self) -> bool:
        """Pages without a single record: smaller windows are unlikely to have more."""
        return self.pages > 0 and not self._stamps

    @property
    def middle(self) -> datetime | None:
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
        """The approximate oldest and newest datestamps."""
        moments = [moment for moment in map(parse_datestamp, self._stamps) if moment is not None]
        return min(moments, default=None), max(moments, default=None)

    @property
    def is_long(self) -> bool:
        """The list had several pages, those of an earlier run included."""
        return self.pages > 1 or (self.pages == 1 and self._is_resumed)

    @property
    def has_doubtful_end(self) -> bool:
        """The list had several pages, and the last one is empty or lacks the token that closes a list.

        An incomplete list must end with an empty resumptionToken (OAI-PMH 2.0 §3.5). Many repositories omit
        it although their lists are complete; in others its absence means that a page failed.
        """
        return self.is_long and self.has_end and (self.is_empty_end or not self._has_final_token)

    @property
    def has_full_end(self) -> bool:
        """The list had several pages, and the last one is as long as the first.

        About one list in a hundred ends like that by chance. Lists that end at a limit always do, such as the
        10,000 results at which a search engine stops.
        """
        is_full = self._sizes[1] >= self._sizes[0] and not self.is_empty_end
        return self.pages > 1 and self.has_end and is_full

    @property
    def is_one_moment(self) -> bool:
        """All records have the same datestamp, such as those of a bulk import: dates cannot separate them."""
        low, high = self._range
        return bool(low) and low == high and not self._is_resumed

    @property
    def newest(self) -> datetime | None:
        """The datestamp of the last record, if the list was in datestamp order."""
        return parse_datestamp(self._last_stamp) if self._is_ordered else None

    @property
    def is_sorted(self) -> bool:
        """The list was in datestamp order, ascending or descending."""
        return self._is_ordered or self._is_reversed

    @property
    def oldest(self) -> datetime | None:
        """The datestamp of the last record, if the list was in descending datestamp order."""
        return parse_datestamp(self._last_stamp) if self._is_reversed else None

    @property
    def page_size(self) -> int | None:
        """The number of records on a page; None if unknown."""
        return self._sizes[0] if self.pages > 1 else None

    @property
    def has_short_end(self) -> bool:
        """The last page was shorter than the first, as is usual."""
        return self._sizes[1] < self._sizes[0]

    @property
    def looks_cut(self) -> bool:
        """A single page without a token: a list cut off after its first page looks like this."""
        return self.pages == 1 and not self._has_token and self._sizes[0] >= _FEWEST

    def _lies_outside(self, stamps: list[str]) -> bool:
        moments = [parse_datestamp(stamp) for stamp in stamps]
        return bool(moments) and all(moment is not None and self._is_out(moment) for moment in moments)

    def _is_out(self, moment: datetime) -> bool:
        is_early = self._since is not None and moment < self._since - _SLACK
        return is_early or (self._until is not None and moment > self._until + _SLACK)


# Recovery from unusable pages: request the page again, escape its token differently, or end the chain.

MAX_CUT_SHORT_RETRIES = 3  # retries of a truncated page
MAX_DAMAGED_RETRIES = 1  # retries of a page damaged otherwise, which usually stays damaged


@dataclass(frozen=True, slots=True)
class RecoveryStep:
    """The next step of a chain that does not simply continue: its ending, or a new request."""

    result: WindowResult | None = None
    request: Request | None = None


class ChainProgress(Protocol):
    """How far a chain has come."""

    stats: WindowStatistics
    claimed: int | None

    @property
    def is_all_there(self) -> bool:
        """Return whether at least the stated number of records arrived."""


class PageRecovery:
    """Decides on the next step after an unusable page, and remembers what has been tried."""

    def __init__(self, work: HarvestContext) -> None:
        self._work = work
        self._asked = 0
        self._is_unescaped = False  # the unescaped token is being tried

    def forget(self) -> None:
        """Reset after a good page, so that every remedy may be tried again."""
        self._asked = 0
        self._is_unescaped = False

    def damaged(self, exc: BadXml | NotOai, request: Request, *, is_begun: bool) -> RecoveryStep:
        """Handle a truncated page, or a web page in place of one: a retry may succeed."""
        work = self._work
        is_cut = isinstance(exc, NotOai) or exc.is_truncated
        most = MAX_CUT_SHORT_RETRIES if is_cut else MAX_DAMAGED_RETRIES
        if self._asked < most and (is_begun or not isinstance(exc, NotOai)):
            self._asked += 1
            work.client.traffic.retries += 1
            work.stopper.sleep(work.settings.backoff * 2 ** (self._asked - 1))
            return RecoveryStep(request=request)
        work.note("damaged", str(exc), url=work.client.address(request), body=exc.body, weight=Severity.NOTE)
        return RecoveryStep(WindowResult(WindowEnding.BROKEN, str(exc), exc))

    def refused(self, fault: Fault, request: Request, progress: ChainProgress) -> RecoveryStep:
        words = f"{fault.code}: {fault.text}".strip(": ")
        if is_too_much(fault):
            return RecoveryStep(WindowResult(WindowEnding.TOO_MUCH, words))
        if request.token is not None:
            return self._dead(words, request, progress)
        if fault.code == "noRecordsMatch":
            return RecoveryStep(WindowResult(WindowEnding.DONE))
        return RecoveryStep(WindowResult(WindowEnding.REFUSED, words, code=fault.code))

    def _dead(self, words: str, request: Request, progress: ChainProgress) -> RecoveryStep:
        """Handle a refused token: it must not be escaped, came after the last page, or has really expired."""
        client = self._work.client
        if progress.stats.pages <= 1 and client.escape_fully and self._is_changed_by_escaping(request):
            client.escape_fully = False
            self._is_unescaped = True
            return RecoveryStep(request=request)
        if self._is_unescaped:  # escaping was not the cause
            client.escape_fully = True
        reason = f"the repository refused its own token ({words})"
        if not progress.stats.pages:
            return RecoveryStep(WindowResult(WindowEnding.STALE, reason))
        if progress.is_all_there:
            self._work.note(
                "token-after-end", f"the last page carried a token; {reason}", weight=Severity.NOTE
            )
            return RecoveryStep(WindowResult(WindowEnding.DONE))
        return RecoveryStep(
            WindowResult(WindowEnding.DOUBTFUL if progress.claimed is None else WindowEnding.EXPIRED, reason)
        )

    def _is_changed_by_escaping(self, request: Request) -> bool:
        bare = render_url(self._work.client.url, request, escape_fully=False)
        return bare != self._work.client.address(request)
