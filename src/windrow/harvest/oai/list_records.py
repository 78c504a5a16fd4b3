"""Harvest one window with ListRecords: follow its pages, check them and store each with a checkpoint.

Pages that cannot be used are handled in `page_chain`, the endings of windows in `list_harvest`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from windrow.errors import (
    BadXml,
    HttpRefused,
    Interrupted,
    NotOai,
    OaiError,
    TooLarge,
    Unreachable,
    UpstreamError,
)
from windrow.harvest.oai.page_chain import (
    ENDLESS_CHAIN,
    MAX_STALE_PAGES,
    ChainGuard,
    FetchedPage,
    PageRecovery,
    Prefetcher,
    RecoveryStep,
    WindowEnding,
    WindowResult,
    WindowStatistics,
    ask_interruptibly,
    ending_for_error,
)
from windrow.harvest.oai.run_context import HarvestContext
from windrow.harvest.oai.windows import DateRange, fit_range, next_harvest_start
from windrow.model.record import Record, Reject, format_datestamp, parse_datestamp
from windrow.model.run import Severity
from windrow.protocols.oai.oai_page import Page
from windrow.protocols.oai.oai_request import Request, list_request, record_request
from windrow.protocols.oai.page_parser import parse_page, parse_records
from windrow.store.harvests import checkpoints
from windrow.store.harvests.checkpoints import StoredWindow
from windrow.store.records.page_writer import RecordMarks

# Records of other sets in the list of one set. Some repositories honour the `set` argument of the first
# request but lose it in their own tokens: from the second page on they list everything. Others ignore it
# altogether. Record headers name their sets, so both faults can be detected, but only if the headers of the
# list name its set: virtual sets are often missing there.

_THIRD = 3  # tokens that lose the set often do so from the second page on, and sometimes later
_ENOUGH = 3  # odd pages that are examined
_MAX_REMEMBERED = 200_000  # identifiers of a list
_FEW = 5  # records by which the size of a list may change while it is read


def is_in_set(record: Record, spec: str) -> bool:
    """Return whether the header names the set or a subset of it; a tombstone need not name any."""
    if record.is_deleted and not record.sets:
        return True
    return any(each == spec or each.startswith(f"{spec}:") for each in record.sets)


def is_ignored_set(work: HarvestContext, spec: str) -> bool:
    """Return whether this repository is known to list everything when asked for this set."""
    known = work.identity.get("ignored_sets")
    return isinstance(known, list) and spec in known


def stated_size(page: Page) -> int | None:
    return page.token.size if page.token else None


class SetFilter:
    """Decides from record headers and page order whether a list still belongs to its set."""

    def __init__(self, spec: str, *, is_ignored: bool = False) -> None:
        self.spec = spec
        self.is_named: bool | None = None  # every header names the set; None before the first page
        self.is_ignored = is_ignored  # the repository lists all sets; records of other sets are dropped
        self.left_out = 0
        self.is_kept: bool | None = None
        self.unverified = 0  # tokens keep a set that headers do not name; None: not known yet
        # pages since the last one that was verified to belong to the set, including the current one
        self._verified = 0
        self._first: Page | None = None  # number of pages that are known to belong to the set
        self._number = 0  # first page of the current list
        self._known: set[int] = set()  # number of the current page
        self._last_stamp = ""
        self._is_ordered = True  # hashes of the identifiers listed so far, if headers do not name the set
        self._is_odd = False
        self._explained = 0  # by datestamp

    def start_list(self, page: Page) -> None:
        """Remember the first page of a list, to compare later ones with it."""
        self._first, self._number, self.unverified = page, 1, 0
        self._known, self._last_stamp, self._is_ordered = set(), "", True
        self.go_on(page)

    def follow(self, page: Page) -> None:
        """Compare a later page with the earlier ones, if headers do not name the set."""
        if not self.spec or self.is_named or self.is_ignored or not page.records:
            return
        self._number += 1
        self.unverified += 1
        is_back = self._is_ordered and page.records[0].stamp < self._last_stamp
        self._is_odd = self._explained < _ENOUGH and (is_back or self._repeats(page))

    def go_on(self, page: Page) -> None:
        """Remember a page that belongs to the list, to compare later ones with it."""
        stamps = [record.stamp for record in page.records]
        if stamps and self.spec and not self.is_named:
            following = [self._last_stamp, *stamps]
            self._is_ordered = self._is_ordered and following == sorted(following)
            self._last_stamp = stamps[-1]
            if len(self._known) < _MAX_REMEMBERED:
                self._known.update(hash(record.identifier) for record in page.records)

    def confirm(self) -> None:
        self.is_kept, self.unverified = True, 0
        self._verified = max(self._verified, self._number)
        self._explained += self._is_odd

    def is_suspicious(self, page: Page) -> bool:
        """Return whether a later page may belong to another list, if headers do not name the set.

        Signs are another stated size, repeated records and decreasing datestamps. Without a stated size, the
        pages 2, 3, 6, 12 and so on and the last one are checked, as tokens may lose the set later.
        """
        if not self.spec or self.is_named or self.is_ignored or not page.records:
            return False
        if self._first is None:  # the list is continued from an earlier run
            return not self.is_kept
        if self._is_odd or self.is_larger(page):
            return True
        if stated_size(self._first) is not None or self._number <= self._verified:
            return False
        is_last = not (page.token and page.token.value) and self.unverified > 1
        return is_last or self._number >= 2 * self._verified or self._number == _THIRD

    def is_certain(self, page: Page) -> bool:
        """Return whether a page contradicts those before it."""
        is_sized = self._first is not None and stated_size(self._first) is not None
        return self.is_larger(page) or (not is_sized and self._repeats(page))

    def is_larger(self, page: Page) -> bool:
        before, now = None if self._first is None else stated_size(self._first), stated_size(page)
        return before is not None and now is not None and now - before > max(_FEW, before // 10)

    def is_known(self, identifier: str) -> bool:
        return hash(identifier) in self._known

    def _repeats(self, page: Page) -> bool:
        return any(self.is_known(record.identifier) for record in page.records)

    def begin(self, page: Page) -> bool:
        """Examine the first page with live records; return True if some of them do not name the set."""
        live = [record for record in page.records if not record.is_deleted]
        if not self.spec or self.is_named is not None or self.is_ignored or not live:
            return False
        self.is_named = all(is_in_set(record, self.spec) for record in live)
        return not self.is_named

    def first_foreign(self, page: Page) -> Record | None:
        """Return the first record that does not name the set, in a list whose headers named it so far."""
        if not self.spec or not self.is_named or self.is_ignored:
            return None
        return next((record for record in page.records if not is_in_set(record, self.spec)), None)

    def keep_own(self, page: Page) -> Page:
        """Return the page without the records of other sets, if the repository ignores the set."""
        if not self.is_ignored:
            return page
        own = [record for record in page.records if is_in_set(record, self.spec)]
        self.left_out += len(page.records) - len(own)
        return replace(page, records=own)


GROUP_RECORDS = 1000  # pages that have already been received are stored together, up to this many records
LEFT_LIST = "left"  # reason to abandon a list: its tokens lose the set or the format
_COMMON_FORMAT = "oai_dc"  # the format that servers fall back to
_ROOT = re.compile(rb"<(?:[\w.-]+:)?([\w.-]+)")
_SAMPLED = 5  # records of a page that are requested, to see whether they are in the set
_NAMED = 3  # quarantined records that a problem names


class WindowHarvest:
    """Follows the chain of pages of one window."""

    def __init__(self, work: HarvestContext, window: StoredWindow, sets: SetFilter) -> None:
        self._work = work
        self._window = window
        self._sets = sets
        self._asked_at = work.now()
        self._chain = ChainGuard()
        self._trouble = PageRecovery(work)
        self._waiting: list[Page] = []
        self._distinct = 0  # distinct records
        self._stale = 0  # consecutive pages with nothing but repeated records
        self._roots: set[bytes] = set()  # names of the root elements of payloads
        self.marks = RecordMarks()
        self.stats = WindowStatistics(DateRange(window.since, window.until), is_resumed=bool(window.token))
        self.seen = window.seen if window.token else 0
        self.claimed = window.claimed if window.token else None
        self.started_at = window.started_at
        self.response_date: str | None = None  # of the last page
        self.is_resumed = bool(window.token)
        self.on_stored: Callable[[], None] = lambda: None

    def run(self) -> WindowResult:
        turn = RecoveryStep(request=first_request("ListRecords", self._work, self._window))
        while turn.request is not None:
            self._work.stopper.check()
            ahead = Prefetcher(
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

    def _consume(self, ahead: Prefetcher) -> RecoveryStep:
        for fetched in ahead:
            page = self._read(fetched)
            turn = self._follow(page, fetched) if isinstance(page, Page) else page
            if turn is not None:
                self._store()
                return turn
            if not ahead.has_ready or sum(len(page.records) for page in self._waiting) >= GROUP_RECORDS:
                self._store()
                if self._stale >= MAX_STALE_PAGES:
                    return RecoveryStep(self._looped(ENDLESS_CHAIN, code=ENDLESS_CHAIN))
        self._work.stopper.check()  # after a request to stop, the fetching thread ends early
        raise AssertionError("a chain ends with a page or a failure")  # pragma: no cover

    def _read(self, fetched: FetchedPage) -> Page | RecoveryStep:
        """Parse a page; on failure, return the next step instead."""
        try:
            if fetched.failure is not None:
                raise fetched.failure
            assert fetched.answer is not None
            page = parse_records(fetched.answer.body)
        except (BadXml, NotOai) as exc:
            return self._trouble.damaged(exc, fetched.request, is_begun=bool(self.stats.pages or self.seen))
        except (HttpRefused, TooLarge, Unreachable) as exc:
            return RecoveryStep(ending_for_error(exc))
        if page.faults:
            self._note_start(page)
            self._store()
            return self._trouble.refused(page.faults[0], fetched.request, self)
        self._trouble.forget()
        return page

    def _note_start(self, page: Page) -> None:
        self.response_date = page.response_date or self.response_date
        self.started_at = self.started_at or next_harvest_start(page.response_date, asked_at=self._asked_at)

    def _follow(self, page: Page, fetched: FetchedPage) -> RecoveryStep | None:
        """Process a page; return the next step if the chain does not simply continue."""
        is_first = not (self.stats.pages or self.is_resumed)
        if is_first:
            self._sets.start_list(page)
        if self._sets.begin(page):
            self._examine_set(page)
        if has_left_set(self._work, self._window, self._sets, page, verb="ListRecords", is_first=is_first):
            words = f"the list of the set {self._sets.spec} goes on with records of other sets"
            return RecoveryStep(WindowResult(WindowEnding.TOO_MUCH, words, code=LEFT_LIST))
        if self._is_in_other_format(page):
            words = f"the list goes on with records in another format than {self._window.format}"
            return RecoveryStep(WindowResult(WindowEnding.TOO_MUCH, words, code=LEFT_LIST))
        page = self._sets.keep_own(page)
        is_repeat = self._chain.is_repeat(page)
        objection = self._chain.objection(page)
        token = page.token.value if page.token else ""
        if not (objection and is_repeat):
            limited = self._limited(page)
            self._take(limited, fetched)
            if limited is not page:
                return RecoveryStep(WindowResult(WindowEnding.LIMIT))
        if objection is not None:
            return RecoveryStep(self._looped(objection))
        if not token:
            return RecoveryStep(self._ended())
        return None if fetched.token == token else RecoveryStep(request=fetched.request.with_token(token))

    def _examine_set(self, first: Page) -> None:
        """Find out whether a list whose headers do not all name its set is the list of everything."""
        if not lists_everything(self._work, self._window, first):
            return
        spec = self._sets.spec
        self._sets.is_ignored = any(is_in_set(each, spec) for each in first.records if each.sets)
        if self._sets.is_ignored:
            known = self._work.identity.get("ignored_sets")
            self._work.learn(ignored_sets=[*(known if isinstance(known, list) else []), spec])
            words = f"the repository ignores the set {spec} and lists everything; other sets are left out"
            self._work.note("set-ignored", words, weight=Severity.NOTE)
        elif any(record.sets for record in first.records) or ignores_all_sets(
            self._work, self._window, first
        ):
            report_unnamed_set(self._work, spec)

    def _is_in_other_format(self, page: Page) -> bool:
        """Return whether a page after the first has records of another format, because the token lost it.

        Only the first payload of a page is examined. If its root element differs from the earlier ones, the
        record is requested alone, since a format may have several root elements.
        """
        found = next(((each, root) for each in page.records if (root := _root_name(each)) is not None), None)
        if found is None or found[1] in self._roots:
            return False
        record, root = found
        if self._roots or (self.is_resumed and self._window.format != _COMMON_FORMAT):
            request = record_request(record.identifier, prefix=self._window.format)
            try:
                alone = parse_records(
                    ask_interruptibly(self._work.client.ask, request, stopper=self._work.stopper).body
                )
            except UpstreamError:
                alone = None
            roots = {_root_name(each) for each in alone.records} if alone is not None else set()
            if roots - {None} and root not in roots:
                return True
        self._roots.add(root)
        return False

    def _limited(self, page: Page) -> Page:
        limit = self._work.options.limit
        if limit is None or self.seen + len(page.records) < limit:
            return page
        return replace(page, records=page.records[: limit - self.seen], rejects=[])

    def _take(self, page: Page, fetched: FetchedPage) -> None:
        if page.repairs or page.rejects:
            self._report(page, fetched)
        self.stats.add(page)
        self._note_start(page)
        is_exceeded = self.claimed is not None and self.seen >= self.claimed and bool(page.records)
        if page.token and page.token.size is not None and not is_exceeded:
            # servers may count down, and lists may shrink meanwhile
            self.claimed = max(page.token.size, self.claimed or 0)
        self.seen += len(page.records) + len(page.rejects)
        self._work.counters.pages += 1
        self._waiting.append(page)

    def _report(self, page: Page, fetched: FetchedPage) -> None:
        """Record what was wrong with a page, and keep the page unchanged."""
        body = fetched.answer.body if fetched.answer else None
        url = self._work.client.address(fetched.request)
        if page.repairs:
            words = "the page was not well-formed: " + "; ".join(page.repairs)
            self._work.note("repaired", words, url=url, body=body)
        if page.rejects:
            self._work.note(
                "quarantined",
                _describe_rejects(page.rejects),
                url=url,
                body=body if not page.repairs else None,
            )

    def _store(self) -> None:
        """Store the waiting pages and the checkpoint in one transaction."""
        if not self._waiting:
            return
        work, last = self._work, self._waiting[-1]
        with work.storing() as connection:
            records = [record for page in self._waiting for record in page.records]
            rejects = [reject for page in self._waiting for reject in page.rejects]
            work.put(connection, self._window.format, records, rejects, marks=self.marks)
            checkpoints.advance(
                connection,
                self._window.id,
                token=(last.token.value or None) if last.token else None,
                seen=self.seen,
                claimed=self.claimed,
                started_at=self.started_at,
            )
        distinct, pages = self.seen - self.marks.repeated, len(self._waiting)
        self._distinct, self._stale = distinct, 0 if distinct > self._distinct else self._stale + pages
        self._waiting = []
        work.tally()
        self.on_stored()
        work.show()

    def _looped(self, objection: str, *, code: str = "") -> WindowResult:
        self._store()
        if self.is_all_there:
            self._work.note("token-after-end", f"after the last page {objection}", weight=Severity.NOTE)
            return WindowResult(WindowEnding.DONE)
        return WindowResult(WindowEnding.DOUBTFUL, objection, code=code)

    def _ended(self) -> WindowResult:
        self._store()
        repeated = self.marks.repeated
        if self.claimed is not None and self.seen < self.claimed:
            return WindowResult(
                WindowEnding.DOUBTFUL, f"the list ended after {self.seen:,} of {self.claimed:,} records"
            )
        if repeated and (self.claimed is None or self.seen - repeated < self.claimed):
            # A record updated meanwhile moves to the end, and the next page skips another. Without an order,
            # each page is a new draw. Every repeated record has displaced one that was not listed.
            return WindowResult(WindowEnding.DOUBTFUL, f"{repeated:,} of {self.seen:,} entries came twice")
        if self.claimed is None and self.stats.skipped and not self._sets.is_ignored:
            words = f"the cursors of the list go over {self.stats.skipped:,} records that did not come"
            return WindowResult(WindowEnding.DOUBTFUL, words)
        if self.claimed is not None and self.seen > self.claimed:
            words = f"the repository promised {self.claimed:,} records and sent {self.seen:,}"
            self._work.note("longer-than-claimed", words, weight=Severity.NOTE)
        return WindowResult(WindowEnding.DONE)

    @property
    def is_as_promised(self) -> bool:
        """Return whether exactly the stated number arrived. If more arrived, the number is worthless."""
        return self.seen == self.claimed

    @property
    def is_all_there(self) -> bool:
        """Return whether at least the stated number of distinct records arrived."""
        return self.claimed is not None and self.seen - self.marks.repeated >= self.claimed


def _root_name(record: Record) -> bytes | None:
    found = _ROOT.search(record.payload) if record.payload is not None else None
    return found[1] if found else None


def first_request(verb: str, work: HarvestContext, window: StoredWindow) -> Request:
    stretch = fit_range(DateRange(window.since, window.until), work.granularity)
    request = list_request(
        verb, prefix=window.format, spec=window.spec or None, since=stretch.since, until=stretch.until
    )
    return request.with_token(window.token) if window.token else request


def lists_everything(work: HarvestContext, window: StoredWindow, first: Page) -> bool:
    """Return whether the first page of a set's list equals that of the list of everything."""
    everything = _first_names("ListIdentifiers", work, replace(window, spec="", token=None))
    names = [record.identifier for record in first.records]
    length = min(len(names), len(everything))
    return bool(length) and names[:length] == everything[:length]


def report_unnamed_set(work: HarvestContext, spec: str) -> None:
    """Report a set that no header names, and whose list equals the list of everything."""
    words = f"the repository lists the same records without the set {spec}, and no header names it"
    work.note("set-ignored", f"{words}: it may ignore the set, and all of them were stored")


def has_left_set(
    work: HarvestContext, window: StoredWindow, sets: SetFilter, page: Page, *, verb: str, is_first: bool
) -> bool:
    """Return whether a list continues with records of other sets.

    A header may merely lack the name of its set. Repositories lose the set in their tokens, so the first page
    of a list that starts with this record shows whether the record belongs to the set.
    """
    record = sets.first_foreign(page)
    if record is None:
        if is_first:
            return False
        sets.follow(page)
        if sets.is_suspicious(page) and _has_forgotten_set(work, window, sets, page, verb):
            return True
        sets.go_on(page)
        return False
    moment = parse_datestamp(record.stamp)
    day = None if moment is None else format_datestamp(moment, work.granularity)
    alone = replace(window, token=None, since=day, until=day)
    if day is None or record.identifier not in _first_names(verb, work, alone):
        return True
    sets.is_named = False
    return False


def _has_forgotten_set(
    work: HarvestContext, window: StoredWindow, sets: SetFilter, page: Page, verb: str
) -> bool:
    """Return whether a page belongs to another list than the first one, if headers do not name the set.

    The set's records of the same days are requested; the first page of that list is reliable. If they do not
    fit on one page, a few records are requested by their own datestamps.
    """
    if sets.is_kept is False:
        return True
    stamps = {
        record.identifier: moment for record in page.records if (moment := parse_datestamp(record.stamp))
    }
    if not stamps:
        return False
    found = _names_between(work, window, verb, min(stamps.values()), max(stamps.values()))
    if found is None:
        fresh = sorted(name for name in stamps if not sets.is_known(name))
        candidates = fresh[:: max(1, len(fresh) // _SAMPLED)][:_SAMPLED]
        answers = [_names_between(work, window, verb, stamps[name], stamps[name]) for name in candidates]
        pairs = zip(candidates, answers, strict=True)
        foreign = [name not in answer for name, answer in pairs if answer is not None]
    else:
        foreign = [name not in found for name in stamps]
    if not foreign:
        return sets.is_certain(page)
    if any(foreign) or (found is None and sets.is_larger(page)):
        sets.is_kept = False
        return True
    sets.confirm()
    return False


def _names_between(
    work: HarvestContext, window: StoredWindow, verb: str, low: datetime, high: datetime
) -> set[str] | None:
    """Return what a set lists between two datestamps; None on errors or if it exceeds one page."""
    since, until = (format_datestamp(moment, work.granularity) for moment in (low, high))
    try:
        request = first_request(verb, work, replace(window, token=None, since=since, until=until))
        found = parse_page(ask_interruptibly(work.client.ask, request, stopper=work.stopper).body)
    except UpstreamError:
        return None
    if found.token and found.token.value:
        return None
    return {record.identifier for record in found.records}


def ignores_all_sets(work: HarvestContext, window: StoredWindow, first: Page) -> bool:
    """Return whether the list of another set starts like that of everything, too."""
    if window.since is not None or window.until is not None:
        return False
    spec = window.spec
    try:
        other = next((each.spec for each in work.client.sets() if not _is_similar(each.spec, spec)), None)
    except OaiError as exc:
        return exc.code == "noSetHierarchy"
    except UpstreamError:
        return False
    if other is None:
        return False
    names = [record.identifier for record in first.records]
    return (
        _first_names("ListIdentifiers", work, replace(window, spec=other, token=None))[: len(names)] == names
    )


def _is_similar(one: str, other: str) -> bool:
    return one == other or one.startswith(f"{other}:") or other.startswith(f"{one}:")


def _first_names(verb: str, work: HarvestContext, window: StoredWindow) -> list[str]:
    """Return the identifiers on the first page of a list, [] on errors."""
    request = first_request(verb, work, window)
    try:
        page = parse_page(ask_interruptibly(work.client.ask, request, stopper=work.stopper).body)
    except UpstreamError:
        return []
    return [record.identifier for record in page.records]


def _describe_rejects(rejects: list[Reject]) -> str:
    names = [f"{reject.identifier or 'one without identifier'} ({reject.reason})" for reject in rejects]
    more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
    return f"{len(names):,} of the page's records quarantined: " + "; ".join(names[:_NAMED]) + more
