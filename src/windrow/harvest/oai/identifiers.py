"""Harvest with ListIdentifiers: list the identifiers of a window, then fetch single records with GetRecord.

Used to check a list of records, to harvest lists that break, and to find records that vanished.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from windrow.errors import BadXml, HttpRefused, NotOai, TooLarge, Unreachable, UpstreamError
from windrow.harvest.oai.list_records import (
    LEFT_LIST,
    SetFilter,
    first_request,
    has_left_set,
    is_ignored_set,
    is_in_set,
    lists_everything,
    report_unnamed_set,
)
from windrow.harvest.oai.page_chain import (
    ENDLESS_CHAIN,
    MAX_STALE_PAGES,
    ChainGuard,
    PageRecovery,
    RecoveryStep,
    WindowEnding,
    WindowResult,
    WindowStatistics,
    ask_interruptibly,
    ending_for_error,
)
from windrow.harvest.oai.run_context import HarvestContext
from windrow.harvest.oai.windows import DateRange, next_harvest_start
from windrow.model.record import Record, Reject
from windrow.model.run import Severity
from windrow.protocols.oai.oai_page import Page
from windrow.protocols.oai.oai_request import Request, record_request
from windrow.protocols.oai.page_parser import parse_page, parse_records
from windrow.store import sources
from windrow.store.connection import Connection
from windrow.store.harvests import checkpoints, list_comparison
from windrow.store.harvests.checkpoints import StoredWindow
from windrow.store.records import record_reader


class IdentifierList:
    """Follows the chain of header pages of one window; `result` then holds its ending."""

    def __init__(
        self, work: HarvestContext, window: StoredWindow, *, before: IdentifierList | None = None
    ) -> None:
        self._work = work
        self._window = window
        # A further pass over a list counts only identifiers that are new to all passes, and may not be much
        # longer.
        self._is_further = before is not None
        self._most = None if before is None else 2 * before.listed
        self._repeated = 0  # entries of a first pass that repeat an identifier
        self._stale = 0  # consecutive pages without a new identifier
        self._sets = SetFilter(window.spec, is_ignored=is_ignored_set(work, window.spec))
        self._asked_at = work.now()
        self._order = 0  # hash of the identifiers in order, to compare two passes
        self._chain = ChainGuard()
        self._trouble = PageRecovery(work)
        self.stats = WindowStatistics(DateRange(window.since, window.until), is_resumed=bool(window.token))
        self.listed: int = window.seen if window.token else 0  # entries
        self.distinct = 0  # identifiers that had not been listed before
        self.nameless = 0  # headers without an identifier
        self.claimed = window.claimed
        self.is_steady = True  # the stated size has always been the same
        self.has_repeated_page = False  # a whole page was repeated, perhaps in place of another
        self.started_at = window.started_at
        self.result = WindowResult(WindowEnding.BROKEN, "the list was not read to its end")

    @property
    def is_whole(self) -> bool:
        """Return whether the list ended properly, with as many entries as stated."""
        return self.result.ending is WindowEnding.DONE

    @property
    def is_as_promised(self) -> bool:
        """Return whether exactly the stated number arrived. If more arrived, the number is worthless."""
        return self.listed == self.claimed

    @property
    def is_all_there(self) -> bool:
        """Return whether at least the stated number of distinct entries arrived."""
        return self.claimed is not None and self.listed - self._repeated >= self.claimed

    def pages(self) -> Iterator[Page]:
        """Yield the pages. Requests that the caller makes between two pages do not disturb the list."""
        if not self._is_further:
            with self._work.store.writing() as connection:
                list_comparison.clear(connection, -self._work.run_id)
        request: Request | None = first_request("ListIdentifiers", self._work, self._window)
        while request is not None:
            self._work.stopper.check()
            page = self._read(request)
            self._work.tally()
            if isinstance(page, RecoveryStep):
                self.result = page.result or self.result
                request = page.request
                continue
            is_repeat, objection = self._chain.is_repeat(page), self._chain.objection(page)
            self.has_repeated_page = self.has_repeated_page or is_repeat
            if not (objection and is_repeat):
                is_first = not (self.stats.pages or self._window.token)
                if is_first:
                    self._sets.start_list(page)
                if self._sets.begin(page):
                    self._sets.is_ignored = ignores_set(self._work, self._window, page)
                if has_left_set(
                    self._work, self._window, self._sets, page, verb="ListIdentifiers", is_first=is_first
                ):
                    words = f"the list of the set {self._sets.spec} goes on with records of other sets"
                    self.result = WindowResult(WindowEnding.DOUBTFUL, words, code=LEFT_LIST)
                    return
                self._take(page)
                yield self._sets.keep_own(page)
            token = page.token.value if page.token else ""
            if objection is None and token and self._is_endless:
                objection = ENDLESS_CHAIN
            request = request.with_token(token) if token and objection is None else None
            if request is None:
                self.result = self._ended(objection)

    def _read(self, request: Request) -> Page | RecoveryStep:
        work = self._work
        try:
            page = parse_page(ask_interruptibly(work.client.ask, request, stopper=work.stopper).body)
        except (BadXml, NotOai) as exc:
            return self._trouble.damaged(exc, request, is_begun=bool(self.stats.pages))
        except (HttpRefused, TooLarge) as exc:
            return RecoveryStep(ending_for_error(exc))
        if page.faults:
            self._note_start(page)
            return self._trouble.refused(page.faults[0], request, self)
        self._trouble.forget()
        return page

    @property
    def is_shorter_than_stated(self) -> bool:
        """Return whether the list ended properly below a stated size that never changed."""
        return self.is_shorter_than_some and self.is_steady

    @property
    def is_shorter_than_some(self) -> bool:
        """Return whether the list ended properly below the largest size that it stated."""
        stats = self.stats
        is_short = self.claimed is not None and self.listed < self.claimed
        is_at_limit = stats.has_full_end and stats.is_one_moment  # dates cannot show what is behind it
        return is_short and stats.has_end and not (stats.has_doubtful_end or is_at_limit)

    @property
    def order(self) -> int:
        """A number that is equal for two passes with the same identifiers in the same order."""
        return self._order

    @property
    def _is_endless(self) -> bool:
        is_too_long = self._most is not None and self.listed > self._most
        return is_too_long or self._stale >= MAX_STALE_PAGES

    def _note_start(self, page: Page) -> None:
        self.started_at = self.started_at or next_harvest_start(page.response_date, asked_at=self._asked_at)

    def _take(self, page: Page) -> None:
        self.stats.add(page)
        self._note_start(page)
        names = [record.identifier for record in page.records]
        self._order = hash((self._order, *names))
        with self._work.store.writing() as connection:
            fresh = list_comparison.add(connection, -self._work.run_id, names)
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

    def _ended(self, objection: str | None) -> WindowResult:
        if objection is not None:
            return WindowResult(WindowEnding.DONE if self.is_all_there else WindowEnding.DOUBTFUL, objection)
        if self.claimed is not None and self.listed < self.claimed:
            words = f"the list of identifiers ended after {self.listed:,} of {self.claimed:,}"
            return WindowResult(WindowEnding.DOUBTFUL, words)
        return WindowResult(WindowEnding.DONE)


def ignores_set(work: HarvestContext, window: StoredWindow, first: Page) -> bool:
    """Return whether a list of identifiers ignores its set, and so lists records of others.

    Headers need not name a virtual set. A set that is named on this page, or by records in the library, is
    not virtual.
    """
    if not lists_everything(work, window, first):
        return False
    if any(is_in_set(record, window.spec) for record in first.records if record.sets):
        return True
    with work.store.reading() as connection:
        is_known = list_comparison.count_live(connection, work.source.id, (window.spec,)) > 0
    if not is_known and window.id and any(record.sets for record in first.records):
        report_unnamed_set(
            work, window.spec
        )  # a window of its own: these records are harvested, not compared
    return is_known


# Identifiers first, then each record alone: for lists that break, and to check that nothing is missing.

MAX_FAILURES = 25  # consecutive failures of single records before the window is abandoned
MAX_IN_VAIN = 50  # listed records that do not exist, or not in this format, before a comparison stops asking
MAX_UNREACHABLE = 3  # the same if there is no answer at all
_OTHER_FORMATS = ("cannotDisseminateFormat", "noMetadataFormats")
_CHUNK = 500  # identifiers per query
MAX_PASSES = 12  # over a list whose order changes; with 500 records in five pages, each pass misses a third
_QUIET_PASSES = 2  # passes without anything new, after which no more is expected


@dataclass(slots=True)
class PassCounts:
    """What a pass over the identifiers found."""

    lacking: int = 0  # were missing from the library, or older there
    fetched: int = 0
    failed: int = 0  # were quarantined instead
    oldest: str = ""  # oldest datestamp of the fetched records
    absent: int = 0  # listed, but do not exist when requested
    elsewhere: int = 0  # listed, but not available in this format
    reason: str = ""  # why the pass is incomplete; "" if it is complete
    is_hopeless: bool = False  # record after record failed
    is_abandoned: bool = False  # more records are missing than should be fetched one by one


class IdentifierHarvest:
    """Lists the identifiers of a window and fetches the records that the library lacks.

    `by_stamp`: a record that the library holds with another datestamp counts as missing, too. `most`: abandon
    the pass if more records are missing. `is_bounded`: if none of the first `MAX_IN_VAIN` can be fetched,
    skip the others. `on_page` is called in the transaction of each page.
    """

    def __init__(
        self,
        work: HarvestContext,
        window: StoredWindow,
        *,
        by_stamp: bool,
        most: int | None = None,
        is_checkpointed: bool = False,
        is_bounded: bool = False,
        on_page: Callable[[Connection, Page], None] | None = None,
    ) -> None:
        self._work = work
        self.window = window
        self._by_stamp = by_stamp
        self._most = most
        self._is_checkpointed = is_checkpointed
        self._is_bounded = is_bounded
        self._failures = 0
        self._on_page = on_page
        self._tried: set[str] = set()  # could not be fetched; further passes skip them
        self.listed = IdentifierList(work, window)
        self.tally = PassCounts()
        self.distinct = 0  # distinct identifiers that were listed
        self.is_stable = True  # the order of the list does not change between two requests

    def run(self) -> PassCounts:
        """List the identifiers, as often as their order requires, and fetch the missing records."""
        if self._pass() and self.distinct < self.listed.listed:
            self._go_over_again()
        self._report()
        return self.tally

    def _pass(self) -> bool:
        """List the identifiers once; return True if the list came to its end."""
        limit = self._work.options.limit
        for page in self.listed.pages():
            self._bring(page)
            if self.tally.is_hopeless or self.tally.is_abandoned:
                return False
            self._note(page)
            if limit is not None and self.listed.listed >= limit:
                return False
        self.distinct += self.listed.distinct
        self.tally.reason = "" if self.listed.is_whole else self.listed.result.reason
        return self.listed.is_whole

    def _go_over_again(self) -> None:
        """Repeat the pass until all that was stated has arrived, or nothing new arrives.

        In a list without an order (no ORDER BY in the provider's query), each page is a new draw: repeated
        records displace others. In an ordered list a repeated record is harmless, unless a whole page is
        repeated.
        """
        quiet, window = 0, replace(self.window, token=None, seen=0, claimed=None)
        for _ in range(MAX_PASSES):
            before = self.listed
            self.listed = IdentifierList(self._work, window, before=before)
            if not self._pass():
                return
            if self.is_stable and self.listed.order == before.order:
                is_short = self.listed.claimed is None or self.distinct < self.listed.claimed
                if before.has_repeated_page and is_short:
                    self.tally.reason = "a page of it came twice, perhaps in the place of another"
                return
            self.is_stable = False
            if self.listed.claimed is not None and self.distinct >= self.listed.claimed:
                return
            quiet = 0 if self.listed.distinct else quiet + 1
            if quiet >= _QUIET_PASSES and self.listed.claimed is None:
                break
        self.tally.reason = (
            f"its order changes from request to request; {self.distinct:,} different identifiers were listed"
        )

    @property
    def is_whole(self) -> bool:
        """Return whether every identifier was listed, and every missing record fetched or quarantined."""
        return self.listed.is_whole and not self.tally.reason and not self.tally.is_abandoned

    def _bring(self, page: Page) -> None:
        lacking = self._lacking(page.records)
        self.tally.lacking += len(lacking)
        if self._most is not None and self.tally.lacking > self._most:
            self.tally.is_abandoned = True
            return
        for place, header in enumerate(lacking):
            self._work.stopper.check()
            if self._is_bounded and self._is_in_vain:
                self._leave(len(lacking) - place)
                return
            self._fetch(header)
            if self._failures >= MAX_FAILURES:
                self.tally.reason = f"{self._failures} records in a row could not be fetched"
                self.tally.is_hopeless = True
                return

    @property
    def _is_in_vain(self) -> bool:
        tally = self.tally
        return not tally.fetched and tally.absent + tally.elsewhere >= MAX_IN_VAIN

    def _leave(self, count: int) -> None:
        """Count the remaining records like those before.

        A list that ignores the format may name hundreds of thousands of them.
        """
        if self.tally.absent:
            self.tally.absent += count
        else:
            self.tally.elsewhere += count

    def _note(self, page: Page) -> None:
        work, listed = self._work, self.listed
        with work.storing() as connection:
            gone = self._gone(connection, page)
            # A header without an identifier is a record that cannot be fetched. A comparison (not `by_stamp`)
            # counts those separately: the list of records has quarantined them already.
            rejects = page.rejects if self._by_stamp else ()
            work.put(connection, self.window.format, gone, rejects)
            if self._on_page is not None:
                self._on_page(connection, page)
            if self._is_checkpointed:
                checkpoints.advance(
                    connection,
                    self.window.id,
                    token=(page.token.value or None) if page.token else None,
                    seen=listed.listed,
                    claimed=listed.claimed,
                    started_at=listed.started_at,
                )
        work.show()

    def _gone(self, connection: Connection, page: Page) -> list[Record]:
        """Return the tombstones of a page, except for records that are held in a newer version.

        A list may name a record twice, live and deleted. In a comparison, a tombstone as old as the record is
        not trusted either: a record that was really deleted is no longer listed as live.
        """
        gone = [record for record in page.records if record.is_deleted]
        names = list({record.identifier for record in gone})
        held: dict[str, str] = {}
        for start in range(0, len(names), _CHUNK):
            held |= record_reader.find_live_stamps(
                connection, self._work.source.id, names[start : start + _CHUNK]
            )
        return [
            record
            for record in gone
            if record.identifier not in held
            or record.stamp > held[record.identifier]
            or (self._by_stamp and record.stamp == held[record.identifier])
        ]

    def _lacking(self, headers: list[Record]) -> list[Record]:
        live = {record.identifier: record for record in headers if not record.is_deleted}
        names = list(live)
        have: dict[str, str] = {}
        with self._work.store.writing() as connection:
            merged = self._work.merged(connection)
            names = [name for name in names if name not in merged]
            format_id = sources.format_id(connection, self.window.format)
            for start in range(0, len(names), _CHUNK):
                chunk = names[start : start + _CHUNK]
                have |= record_reader.find_stamps_in_format(
                    connection, self._work.source.id, chunk, format_id
                )
        return [
            live[name]
            for name in names
            if (name not in have or (self._by_stamp and have[name] != live[name].stamp))
            and name not in self._tried
        ]

    def _fetch(self, header: Record) -> None:
        found = fetch_record(self._work, header.identifier, self.window.format, failures=self._failures)
        if not isinstance(found, list) or not found:
            self._tried.add(header.identifier)
        if found is None:
            self.tally.absent += 1
            return
        self.tally.elsewhere += found == []
        rejects = [found] if isinstance(found, Reject) else []
        with self._work.storing() as connection:
            stored = found if isinstance(found, list) else []
            self._work.put(connection, self.window.format, stored, rejects)
        if stored:
            self.tally.fetched += 1
            self.tally.oldest = min(self.tally.oldest or header.stamp, header.stamp)
        self.tally.failed += len(rejects)
        self._failures = self._failures + 1 if rejects else 0
        self._work.tally()
        self._work.show()

    def _report(self) -> None:
        if self.tally.absent:
            words = f"{self.tally.absent:,} listed identifiers have no record in {self.window.format}"
            self._work.note("absent", words, weight=Severity.PROBLEM)


def fetch_record(
    work: HarvestContext, identifier: str, prefix: str, *, failures: int = 0
) -> list[Record] | Reject | None:
    """Fetch one record.

    Return a reject with the reason on failure, None if the record does not exist, [] if it is not available
    in this format. Raises Unreachable only after several records in a row (`failures` before this one)
    without any answer.
    """
    request = record_request(identifier, prefix=prefix)
    try:
        page = parse_records(ask_interruptibly(work.client.ask, request, stopper=work.stopper).body)
    except (BadXml, NotOai) as exc:
        return Reject(f"GetRecord: {exc}", exc.body, identifier)
    except (HttpRefused, TooLarge) as exc:
        return Reject(f"GetRecord: {_without_address(exc)}", b"", identifier)
    except Unreachable as exc:
        if failures + 1 >= MAX_UNREACHABLE:
            raise
        return Reject(f"GetRecord: {_without_address(exc)}", b"", identifier)
    return _find_record(work, identifier, page)


def _find_record(work: HarvestContext, identifier: str, page: Page) -> list[Record] | Reject | None:
    for fault in page.faults:
        if fault.code == "idDoesNotExist":
            return None
        if fault.code in _OTHER_FORMATS:
            return []
        return Reject(f"GetRecord: {fault.code}: {fault.text}", b"", identifier)
    if page.repairs:
        work.note("repaired", f"{identifier} was not well-formed: " + "; ".join(page.repairs))
    found = [record for record in page.records if record.identifier == identifier]
    if found:
        return found
    reject = page.rejects[0] if page.rejects else Reject("GetRecord brought another record", b"", identifier)
    return Reject(reject.reason, reject.raw, identifier)


def _without_address(exc: UpstreamError) -> str:
    """Return the reason without its address. It must be the same each time, or each try makes a new case."""
    return str(exc).partition(": ")[2] or str(exc)
