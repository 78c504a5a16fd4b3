"""Detection of truncated lists: the ends of a list, or its halves, are requested once more.

Some servers send their first page and stop, without a token or a size; with others the token expires, and it
remains open whether that was the end. A window that returns what the list did not proves the truncation.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from itertools import islice

from windrow.errors import OaiError, UpstreamError
from windrow.harvest.oai.capabilities import is_suspended, is_unavailable, note_failure
from windrow.harvest.oai.identifiers import IdentifierHarvest, IdentifierList
from windrow.harvest.oai.list_records import WindowHarvest, first_request
from windrow.harvest.oai.page_chain import WindowEnding, WindowStatistics, ask_interruptibly
from windrow.harvest.oai.run_context import HarvestContext
from windrow.harvest.oai.windows import DateRange, ListCheckpoint, WindowSplitter
from windrow.model.record import Record, format_datestamp, parse_datestamp
from windrow.protocols.oai.oai_page import Page
from windrow.protocols.oai.page_parser import parse_page
from windrow.store import sources
from windrow.store.harvests import list_comparison, quarantine_cases
from windrow.store.harvests.checkpoints import StoredWindow
from windrow.store.records import record_reader

LIMIT_MULTIPLE = 50  # limits of lists are multiples of this
_BINARY = 255  # least number that is taken for a power of two
_CHUNK = 500
_MAX_PAGES = 10  # pages of identifiers that are examined behind the end of a list
_SLACK_COUNT = 1  # records that may be added while a list is read
_SLACK = timedelta(days=1)  # local time where UTC is required


def holds_more(
    work: HarvestContext, window: StoredWindow, *, until: datetime | None, since: datetime | None
) -> bool:
    """Return whether records up to one moment, or from the other on, are missing from the library.

    Examines the first page of each, with two requests. Errors count as no.
    """
    if until is None or since is None:
        return False
    low, high = format_datestamp(until, work.granularity), format_datestamp(since, work.granularity)
    halves = (replace(window, token=None, since=high), replace(window, token=None, until=low))
    pages = (_first_page(work, half) or _first_page(work, half, verb="ListRecords") for half in halves)
    return any(page is not None and find_missing(work, window.format, page) for page in pages)


def lists_more(
    work: HarvestContext, window: StoredWindow, *, before: datetime | None = None, is_ordered: bool = False
) -> bool:
    """Return whether a window's identifiers include records that the library lacks.

    Only a few pages are examined, which covers a window that starts with the last record of a list: more than
    one page of records rarely has the same datestamp. Records newer than `before` were added meanwhile, and
    are left to the next harvest. Errors count as no.
    """
    if is_unavailable(work, "ListIdentifiers"):
        return _first_page_lacks(work, window, before=before)
    identifiers = IdentifierList(work, replace(window, seen=0, claimed=None))
    try:
        for page in islice(identifiers.pages(), _MAX_PAGES):
            if find_missing(work, window.format, page, before=before):
                return True
            if is_ordered and page.records and _is_later(page.records[0], before):
                return False
            if identifiers.stats.is_outside:
                return False  # it ignores dates, and this is the beginning of the whole list
    except UpstreamError:
        pass
    if not identifiers.stats.pages and identifiers.result.ending is not WindowEnding.DONE:
        return _first_page_lacks(work, window, before=before)
    return False


def _first_page_lacks(work: HarvestContext, window: StoredWindow, *, before: datetime | None) -> bool:
    """Return whether the first page of a window's records includes some that the library lacks.

    For repositories without ListIdentifiers.
    """
    page = _first_page(work, replace(window, token=None), verb="ListRecords")
    if page is None:
        return False
    if _is_outside(window, page):
        return False
    lacking = find_missing(work, window.format, page, before=before)
    return bool(lacking) or (before is not None and _states_more(work, window, page))


def lists_more_than_came(
    work: HarvestContext,
    window: StoredWindow,
    stats: WindowStatistics,
    *,
    before: datetime | None,
    is_suspicious: bool,
) -> bool | None:
    """Return whether more is listed than a properly closed list held; None if only as identifiers.

    Search engines cap their results, and some count no further (10,000 by default). Costs one request: from
    the last datestamp on, or up to it, if the list was ordered, else from its middle on. `is_suspicious`:
    without a stated size, more pages are read to find missing records.
    """
    part, most = replace(window, token=None), _MAX_PAGES
    if stats.newest is not None:
        part = replace(part, since=format_datestamp(stats.newest, work.granularity))
    elif stats.oldest is not None:
        part = replace(part, until=format_datestamp(stats.oldest, work.granularity))
    elif stats.halfway is not None:
        part, most = replace(part, since=format_datestamp(stats.halfway, work.granularity)), 1
    else:
        return False
    if is_unavailable(work, "ListIdentifiers"):
        return _first_page_lacks(work, part, before=before)
    try:
        page = _ask_first_page(work, part)
        for fault in page.faults:
            if fault.code != "noRecordsMatch":
                raise OaiError(fault.code, fault.text)
    except UpstreamError as exc:
        note_failure(work, "ListIdentifiers", exc)
        return _first_page_lacks(work, part, before=before)
    if not page.records or _is_outside(part, page):
        return False
    if find_missing(work, window.format, page, before=before):
        return True if not stats.is_sorted or _first_page_lacks(work, part, before=before) else None
    if not (page.token and page.token.value):
        return False
    if most == 1 and page.token.size is not None:
        return _states_more(work, part, page)
    rest, is_ordered = replace(part, token=page.token.value), stats.newest is not None
    return (most > 1 or is_suspicious) and lists_more(work, rest, before=before, is_ordered=is_ordered)


def _states_more(work: HarvestContext, window: StoredWindow, page: Page) -> bool:
    size = page.token.size if page.token else None
    if size is None:
        return False
    with work.store.writing() as connection:
        of_list = (work.source.id, sources.format_id(connection, window.format), window.spec)
        ours = list_comparison.count_between(connection, *of_list, window.since or "", window.until)
    return size > ours + _SLACK_COUNT


def _is_outside(window: StoredWindow, page: Page) -> bool:
    stats = WindowStatistics(DateRange(window.since, window.until))
    stats.add(page)
    return stats.is_outside


def is_last(work: HarvestContext, window: StoredWindow) -> bool:
    """Return whether the library holds all records of a window that starts with the last record of a list.

    A repository that ignores dates lists older records, which proves nothing.
    """
    page, since = _first_page(work, window), parse_datestamp(window.since or "")
    moments = [parse_datestamp(record.stamp) for record in page.records] if page is not None else []
    if page is None or since is None or any(each is None or each < since - _SLACK for each in moments):
        return False
    return bool(moments) and not find_missing(work, window.format, page)


def _first_page(work: HarvestContext, window: StoredWindow, *, verb: str = "ListIdentifiers") -> Page | None:
    """Return the first page of a window's identifiers; None on errors."""
    if is_suspended(work, verb):
        return None
    try:
        page = _ask_first_page(work, window, verb=verb)
    except UpstreamError:
        return None
    is_refused = any(fault.code != "noRecordsMatch" for fault in page.faults)
    return None if is_refused else page


def _ask_first_page(work: HarvestContext, window: StoredWindow, *, verb: str = "ListIdentifiers") -> Page:
    request = first_request(verb, work, replace(window, token=None))
    return parse_page(ask_interruptibly(work.client.ask, request, stopper=work.stopper).body)


def find_missing(
    work: HarvestContext, prefix: str, page: Page, *, before: datetime | None = None
) -> frozenset[str]:
    """Return the live records of a page that are neither held in this format nor in quarantine.

    Records with a datestamp later than `before` are skipped.
    """
    live = (record for record in page.records if not record.is_deleted and not _is_later(record, before))
    present: set[str] = set()
    with work.store.writing() as connection:
        format_id = sources.format_id(connection, prefix)
        merged = work.merged(connection)
        names = list({record.identifier for record in live} - merged)
        for start in range(0, len(names), _CHUNK):
            chunk = names[start : start + _CHUNK]
            present.update(record_reader.find_stamps_in_format(connection, work.source.id, chunk, format_id))
        if len(present) < len(names):
            known = quarantine_cases.list_cases(connection, source=work.name, include_dismissed=True)
            present.update(case.identifier or "" for case in known)
    return frozenset(names) - present


def _is_later(record: Record, moment: datetime | None) -> bool:
    stamp = None if moment is None else parse_datestamp(record.stamp)
    return moment is not None and stamp is not None and stamp > moment


# The ends of the windows of one list


def is_like_limit(size: int) -> bool:
    """Return whether a size is a multiple of 50 or a large power of two, plus or minus one.

    Limits are such numbers, and some servers count one too many or too few.
    """
    is_binary = size >= _BINARY and any((each & (each - 1)) == 0 for each in (size - 1, size, size + 1))
    return size > 1 and (size % LIMIT_MULTIPLE in (0, 1, LIMIT_MULTIPLE - 1) or is_binary)


class EndChecks:
    """Checks whether the windows of one list ended too early, and remembers the limits that were found."""

    def __init__(self, work: HarvestContext, checkpoint: ListCheckpoint, splitter: WindowSplitter) -> None:
        self._work = work
        self._checkpoint = checkpoint
        self._splitter = splitter
        self.limit: int | None = None  # lists of at least this size are known to be longer
        self.cut_at: int | None = None  # lists with this many records are known to be cut off

    def note_limit(self, listing: WindowHarvest) -> None:
        """Remember that a list ended too early at this size."""
        self.limit = min(listing.seen, self.limit or listing.seen)

    def is_at_limit(self, listing: WindowHarvest) -> bool:
        return self.limit is not None and listing.seen >= self.limit

    def has_missed(self, window: StoredWindow, listing: WindowHarvest, *, is_suspicious: bool) -> bool | None:
        return lists_more_than_came(
            self._work,
            window,
            listing.stats,
            before=self._checkpoint.started_at,
            is_suspicious=is_suspicious,
        )

    def is_missing_in_holes(self, window: StoredWindow, listing: WindowHarvest) -> bool:
        """Return whether records are missing that are dated between those before and after an empty page."""
        for low, high in listing.stats.holes:
            ends = (format_datestamp(moment, self._work.granularity) for moment in (low, high))
            part = replace(window, token=None, since=next(ends), until=next(ends))
            if lists_more(self._work, part, before=self._checkpoint.started_at):
                return True
        return False

    def has_round_size(self, listing: WindowHarvest) -> bool:
        """Return whether a list of several pages ends at a size at which a search engine may stop."""
        return listing.stats.is_long and listing.seen > 0 and listing.seen % LIMIT_MULTIPLE == 0

    def may_be_limited(self, listing: WindowHarvest) -> bool:
        """Return whether a list of several pages ends at a size that may be a limit, or with a full page."""
        return listing.stats.is_long and (is_like_limit(listing.seen) or listing.stats.has_full_end)

    def can_be_parted(self, listing: WindowHarvest) -> bool:
        """Return whether dates can show what is behind the end of a list."""
        return not (self._splitter.is_dateless or self._work.options.is_adhoc or listing.stats.is_one_moment)

    def is_cut(self, window: StoredWindow, listing: WindowHarvest) -> bool:
        if self._splitter.is_dateless or window.token:
            return False
        if self.cut_at is not None:
            return listing.seen >= self.cut_at
        if listing.seen <= self.known_whole():
            return False
        middle = listing.stats.middle
        is_cut = holds_more(self._work, window, until=middle, since=middle)
        if not is_cut:
            self._work.learn(whole_page=listing.seen)
        return is_cut

    def known_whole(self) -> int:
        """Return how many records a single page has held without being cut off.

        A repository that sends tokens has no reason to omit one before its pages are full.
        """
        whole, page = (self._work.identity.get(key) for key in ("whole_page", "page_size"))
        return max(whole if isinstance(whole, int) else 0, page - 1 if isinstance(page, int) else 0)

    def is_cut_between(self, window: StoredWindow, listing: WindowHarvest) -> bool:
        """Return whether the halves of a list without date order hold more than the list did."""
        halves = self._splitter.halves(window, listing.stats) if not listing.stats.is_one_moment else None
        for half in halves or ():
            part = replace(window, token=None, seen=0, claimed=None, since=half.since, until=half.until)
            if lists_more(self._work, part, before=self._checkpoint.started_at):
                return True
        return False

    def last_moment(self, window: StoredWindow, listing: WindowHarvest) -> str | None:
        """Return the datestamp from which a list can be continued; None if dates do not help."""
        newest = listing.stats.newest
        if newest is None or self._splitter.is_dateless or listing.stats.is_one_moment:
            return None
        since = format_datestamp(newest, self._work.granularity)
        return since if since != window.since else None

    def is_limit(self, window: StoredWindow, each: IdentifierHarvest) -> bool:
        """Return whether identifiers ended properly at a size that may be a limit, and more are listed."""
        listed, work = each.listed, self._work
        if work.options.is_adhoc or self._splitter.is_dateless or listed.stats.is_one_moment:
            return False
        if listed.stats.looks_cut and listed.claimed is None:
            middle = listed.stats.middle
            return listed.listed > self.known_whole() and holds_more(work, window, until=middle, since=middle)
        is_round = listed.listed > 0 and listed.listed % LIMIT_MULTIPLE == 0
        if not (is_round and listed.stats.is_long):
            return False
        before = self._checkpoint.started_at
        found = lists_more_than_came(work, window, listed.stats, before=before, is_suspicious=True)
        return found is not False
