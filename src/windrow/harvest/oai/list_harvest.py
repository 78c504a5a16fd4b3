"""Harvest one list of a source (a format, with a set or without) completely, window by window.

The ending of a window decides the next step: continue, split the window, start it again, fetch its records
one by one, compare it with the identifiers, or abandon it and report that.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

from windrow.errors import OaiError, Unreachable, UpstreamError
from windrow.harvest.oai.capabilities import DateNegotiation, is_suspended
from windrow.harvest.oai.identifiers import IdentifierHarvest
from windrow.harvest.oai.list_records import LEFT_LIST, SetFilter, WindowHarvest, is_ignored_set
from windrow.harvest.oai.page_chain import (
    ENDLESS_CHAIN,
    ListFailed,
    WindowEnding,
    WindowResult,
    WindowStatistics,
    is_hopeless,
)
from windrow.harvest.oai.run_context import HarvestContext
from windrow.harvest.oai.stated_sizes import SizeMemory
from windrow.harvest.oai.truncation import EndChecks, holds_more, is_last, lists_more
from windrow.harvest.oai.windows import DateRange, ListCheckpoint, WindowSplitter
from windrow.harvest.run import describe
from windrow.model.record import format_datestamp, parse_datestamp
from windrow.model.run import Severity
from windrow.store.harvests import checkpoints, list_comparison
from windrow.store.harvests.checkpoints import StoredWindow
from windrow.store.records.page_writer import RecordMarks

MAX_ENDLESS_WINDOWS = 3  # windows that keep repeating records, before splitting stops
MAX_FRUITLESS_SPLITS = 40  # halves that hold as much as the whole: a century has 2**32 seconds
MAX_RECORDS_BEHIND_END = (
    20  # records behind a doubtful end that are fetched one by one before the list is continued there
)
_LONG_LIST = timedelta(hours=1)  # between the beginning of a list and its end, by the repository's clock
MAX_MISSING_RECORDS = 1000  # records that are fetched one by one before splitting is better


class ListHarvest:
    """Harvests one list: a format, with a set or without."""

    def __init__(self, work: HarvestContext, prefix: str, spec: str, *, is_again: bool = False) -> None:
        self._work = work
        self.prefix = prefix
        self.spec = spec
        self._is_again = is_again
        self._checkpoint = ListCheckpoint(work, prefix, spec, is_again=is_again)
        self._sets = SetFilter(spec, is_ignored=is_ignored_set(work, spec))
        self._negotiation = DateNegotiation(work)
        self._splitter = WindowSplitter(work, self._checkpoint)
        self._ends = EndChecks(work, self._checkpoint, self._splitter)
        self._memory = SizeMemory(work, prefix, spec)
        self._queue: list[StoredWindow] = []
        self._size = 0
        self._latest: datetime | None = None  # the repository's own time in the last response
        self._added_before = work.counters.added
        self._endless = 0  # windows that kept repeating records; smaller ones would do the same
        self._fruitless = 0  # windows with a repeated page that splitting did not make smaller
        self._distinct = 0  # identifiers in the last window that was compared: splitting must reduce them
        self._is_complete = True
        self._is_any = False  # there was something to request
        self.is_longer_than_stated = False  # the stated sizes are too small
        self._is_unordered = False  # each request returns another order
        self._page_size: int | None = None
        self._marks: RecordMarks | None = RecordMarks()  # of all windows; None if one was not read as a list

    @property
    def is_whole(self) -> bool:
        """Return whether the whole list has been harvested, as far as can be determined."""
        return self._is_complete and self._checkpoint.is_history

    @property
    def is_history(self) -> bool:
        """Return whether this run covers the whole list, not only changes."""
        return self._checkpoint.is_history

    @property
    def is_resumed(self) -> bool:
        """Return whether this run resumed a list that an earlier run started.

        Changes since then are not in it.
        """
        start, latest = self.started_at, self._latest
        is_old = start is not None and latest is not None and latest - start > _LONG_LIST
        return self._checkpoint.is_resumed and self._is_complete and is_old

    @property
    def since(self) -> str | None:
        """The start of the last complete harvest of this list; None if there was none."""
        return self._checkpoint.since

    @property
    def started_at(self) -> datetime | None:
        """The repository's own time at the start of this list."""
        return self._checkpoint.started_at

    @property
    def marks(self) -> RecordMarks | None:
        """The records that the lists named, if all were read as lists and in this run."""
        return self._marks

    @property
    def size(self) -> int:
        """The number of entries that this run has received."""
        return self._size

    @property
    def added(self) -> int:
        return self._work.counters.added - self._added_before

    def seen(self) -> int:
        """Return how many entries the list had, over all runs that it took."""
        return self._checkpoint.seen()

    def hold(self) -> None:
        """Keep the start of the next harvest where it is, because this one cannot be complete."""
        self._is_complete = False

    def run(self) -> None:
        """Harvest what an earlier run left, or plan new windows."""
        work = self._work
        self._queue = self._checkpoint.open()
        self._is_any = bool(self._queue)
        self._leave_out_refused_dates()
        # its first pages decided whether headers name the set
        if self.spec and any(window.token for window in self._queue):
            with work.store.reading() as connection:
                self._sets.is_named = list_comparison.count_live(connection, work.source.id, (self.spec,)) > 0
        self._expect()
        while self._queue:
            window = self._queue.pop(0)
            if window.state != checkpoints.DONE:
                self._queue[:0] = self._bring(window)
            else:
                self._marks = None
        if self._sets.left_out:
            words = f"{self._sets.left_out:,} records of other sets than {self.spec} were left out"
            work.note("set-ignored", words, weight=Severity.NOTE)

    def finish(self) -> None:
        if self._page_size is not None and self._page_size != self._work.identity.get("page_size"):
            self._work.learn(page_size=self._page_size)
        if self._is_any:
            self._checkpoint.finish(size=self._size, is_complete=self._is_complete)

    def _expect(self) -> None:
        """Estimate the number of entries for the progress bar, until the repository states it."""
        work, size = self._work, self._checkpoint.size
        if size and self._checkpoint.is_history and work.claimed is None:
            work.expected = work.counters.seen + size

    def _bring(self, window: StoredWindow) -> list[StoredWindow]:
        """Harvest one window; return the windows that replace it if it is split or restarted."""
        work = self._work
        if work.options.is_one_by_one or work.settings.mode == "one-by-one":
            return self._one_by_one(window, reason="")
        listing = WindowHarvest(work, window, self._sets)
        result = self._run(listing)
        self._page_size = listing.stats.page_size or self._page_size
        self._checkpoint.begun(listing.started_at)
        self._latest = parse_datestamp(listing.response_date or "") or self._latest
        if listing.stats.is_outside and not self._splitter.is_dateless:
            words = "the repository ignores from and until: it lists records outside the window"
            work.note("dates-ignored", words, weight=Severity.NOTE)
            is_done = result.ending is WindowEnding.DONE
            self._merge([] if is_done else [window])
            if not is_done:
                return []
        return self._cope(window, listing, result)

    def _run(self, listing: WindowHarvest) -> WindowResult:
        """Harvest a window and pass the stated size to the progress bar."""
        work = self._work
        promised, seen_before = work.claimed or 0, work.counters.seen - listing.seen

        def show() -> None:
            if listing.claimed is not None:
                work.claimed = promised + listing.claimed
                work.expected = max(seen_before + listing.claimed, work.counters.seen)

        listing.on_stored = show
        return listing.run()

    def _cope(self, window: StoredWindow, listing: WindowHarvest, result: WindowResult) -> list[StoredWindow]:
        match result.ending:
            case WindowEnding.DONE:
                return self._done(window, listing)
            case WindowEnding.LIMIT:
                return self._close(window, listing)
            case WindowEnding.STALE:
                words = f"{result.reason}; the window is harvested again from its start"
                self._work.note("token-expired", words, weight=Severity.NOTE)
                return [self._checkpoint.restart(window)]
            case WindowEnding.DOUBTFUL:
                return self._settle(window, listing, result)
            case WindowEnding.TOO_MUCH | WindowEnding.EXPIRED:
                # a token that loses the arguments of its request is not continued
                if result.code == LEFT_LIST:
                    window = self._checkpoint.restart(window)
                return self._splitter.split(window, listing.stats, result.reason) or self._one_by_one(
                    window, reason=result.reason, stats=listing.stats
                )
            case WindowEnding.BROKEN:
                return self._broken(window, listing, result)
            case _:
                return self._refused(window, result)

    # Windows that ended well

    def _done(self, window: StoredWindow, listing: WindowHarvest) -> list[StoredWindow]:
        work = self._work
        if listing.stats.is_one_moment and (parts := self._part_moment(window, listing)):
            return parts
        if listing.stats.looks_cut and not work.options.is_adhoc and self._ends.is_cut(window, listing):
            self._ends.cut_at = listing.seen
            reason = f"the list is cut off after {listing.seen:,} records, without a token"
            return self._splitter.split(window, listing.stats, reason) or self._give_up(
                window, listing, reason
            )
        if listing.claimed is None and listing.stats.holes and not work.options.is_adhoc:
            reason = "a page in the middle of the list was empty"
            if not (listing.stats.is_sorted and self._ends.can_be_parted(listing)):
                return self._settle(window, listing, WindowResult(WindowEnding.DOUBTFUL, reason))
            if self._ends.is_missing_in_holes(window, listing):
                reason = f"{reason}, and records of its dates are missing"
                return self._splitter.split(window, listing.stats, reason) or self._give_up(
                    window, listing, reason
                )
        if not listing.is_as_promised:
            if listing.stats.has_doubtful_end:
                return self._examine_end(window, listing)
            if listing.stats.is_long and not work.options.is_adhoc:
                return self._examine_proper_end(window, listing)
        elif self._ends.may_be_limited(listing) and self._ends.can_be_parted(listing):
            is_known = self._ends.is_at_limit(listing)
            if is_known or self._ends.has_missed(window, listing, is_suspicious=True):
                self._ends.note_limit(listing)
                reason = f"the list ended after {listing.seen:,} records, as stated, and more are listed"
                halves = self._splitter.split(window, listing.stats, reason)
                return halves or self._give_up(window, listing, reason)
        return self._end_well(window, listing)

    def _part_moment(self, window: StoredWindow, listing: WindowHarvest) -> list[StoredWindow]:
        """Replace a window whose records all have one datestamp, if more is listed before or after it.

        Dates cannot separate those records, but they reveal that the list was cut off, and return the others.
        """
        work, moment = self._work, listing.stats.ends[0]
        is_cut = listing.stats.looks_cut and listing.seen > self._ends.known_whole()
        if moment is None or not (is_cut or self._ends.may_be_limited(listing)):
            return []
        if work.options.is_adhoc or self._splitter.is_exhausted:
            return []
        step = work.granularity.step
        low, here, high = (
            format_datestamp(each, work.granularity) for each in (moment - step, moment, moment + step)
        )
        before, after = DateRange(window.since, low), DateRange(high, window.until)
        beside = [each for each in (before, after) if not each.is_backwards]
        parts = [replace(window, token=None, since=each.since, until=each.until) for each in beside]
        if (window.since, window.until) in ((here, here), (here, high)) or not any(
            lists_more(work, part, before=self._checkpoint.started_at) for part in parts
        ):
            return []
        self._ends.note_limit(listing)
        words = f"the list ended after {listing.seen:,} records, all of one datestamp, and more are listed"
        work.note("split", f"{words}; what is before it and after it is read by itself", weight=Severity.NOTE)
        # Some servers keep fractions of a second, which lie between this moment and the next.
        moments = [DateRange(here, high), DateRange(here, here)]
        return self._splitter.replace(window, [*beside[::-1], *moments])

    def _end_well(self, window: StoredWindow, listing: WindowHarvest) -> list[StoredWindow]:
        is_round = self._ends.has_round_size(listing) and not self._work.options.is_adhoc
        if listing.stats.is_one_moment and self._ends.is_at_limit(listing):
            reason = (
                f"the list ended after {listing.seen:,} records of one datestamp, and others end there too"
            )
            return self._give_up(window, listing, reason)
        if is_round and listing.stats.is_one_moment:
            words = f"the list ended after {listing.seen:,} records, all of one datestamp"
            action = "a limit of the repository would look the same, and no dates can show what is behind it"
            self._work.note("one-moment", f"{words}: {action}", weight=Severity.NOTE)
        self._negotiation.worked(DateRange(window.since, window.until))
        self._close(window, listing)
        if self._work.options.is_verifying and self._work.options.is_adhoc:
            self._verify(window)
        return []

    def _examine_end(self, window: StoredWindow, listing: WindowHarvest) -> list[StoredWindow]:
        """Check whether anything follows a list that ended without the token that closes it."""
        work = self._work
        reason = f"the list ended after {listing.seen:,} records without the token that closes a list"
        since = self._ends.last_moment(window, listing)
        if since is not None:
            rest = replace(window, token=None, seen=0, claimed=None, since=since)
            check = IdentifierHarvest(work, rest, by_stamp=False, most=MAX_RECORDS_BEHIND_END)
            check.run()
            if check.is_whole and not check.listed.stats.has_doubtful_end:
                if check.tally.lacking:
                    self._report_check(check, reason, is_settled=True)
                return self._end_well(window, listing)
            return self._read_on(window, listing, reason, since)
        fresh = replace(window, token=None, seen=0, claimed=None)
        check = IdentifierHarvest(work, fresh, by_stamp=False, most=self._most(window, listing.stats))
        check.run()
        is_same = check.is_whole and not check.tally.lacking and check.listed.listed == listing.seen
        is_natural = listing.stats.has_short_end and not listing.stats.is_empty_end
        if (check.is_whole and not check.listed.stats.has_doubtful_end) or (is_same and is_natural):
            if check.tally.lacking:
                self._report_check(check, reason, is_settled=True)
            return self._end_well(window, listing)
        halves = [] if listing.stats.is_one_moment else self._splitter.split(window, listing.stats, reason)
        return halves or self._give_up(window, listing, reason)

    def _examine_proper_end(self, window: StoredWindow, listing: WindowHarvest) -> list[StoredWindow]:
        """Check a list that ended properly, but without a size that confirms its end.

        One request shows whether the repository lists more from the last datestamp on.
        """
        reason = f"the list ended after {listing.seen:,} records, and more are listed behind its last one"
        since = self._ends.last_moment(window, listing)
        if since is not None:
            rest = replace(window, token=None, since=since)
            if lists_more(self._work, rest, before=self._checkpoint.started_at):
                self._ends.note_limit(listing)
                return self._read_on(window, listing, reason, since)
            return self._end_well(window, listing)
        is_cut = self._ends.can_be_parted(listing) and (
            bool(self._ends.has_missed(window, listing, is_suspicious=True))
            or (listing.stats.has_full_end and self._ends.is_cut_between(window, listing))
            # Without ListIdentifiers, what is behind a limit appears only if less is requested.
            or (
                listing.stats.has_full_end
                and not listing.stats.is_sorted
                and is_suspended(self._work, "ListIdentifiers")
            )
        )
        if is_cut:
            self._ends.note_limit(listing)
        halves = self._splitter.split(window, listing.stats, reason) if is_cut else []
        return halves or self._end_well(window, listing)

    def _read_on(
        self, window: StoredWindow, listing: WindowHarvest, reason: str, since: str
    ) -> list[StoredWindow]:
        """Replace a window that ended too early by one that starts with its last datestamp."""
        self._work.note("went-on", f"{reason}; it is read on from {since}", weight=Severity.NOTE)
        self._add_up(listing)
        return self._checkpoint.replace([window], [DateRange(since, window.until)])

    def _close(self, window: StoredWindow, listing: WindowHarvest) -> list[StoredWindow]:
        self._add_up(listing)
        self._checkpoint.close(window, seen=listing.seen, claimed=listing.claimed)
        return []

    def _add_up(self, listing: WindowHarvest) -> None:
        self._size += listing.seen
        if listing.claimed is not None and listing.seen > listing.claimed:
            self.is_longer_than_stated = True
        if listing.is_resumed:
            self._marks = None
        elif self._marks is not None:
            self._marks.merge(listing.marks)
        if listing.marks.conflicts:
            words = f"{listing.marks.conflicts:,} identifiers came both as live and as deleted"
            self._work.note("contradiction", f"{words}; the newer datestamp counts", weight=Severity.NOTE)

    def _verify(self, window: StoredWindow) -> None:
        check = IdentifierHarvest(
            self._work, replace(window, token=None, seen=0, claimed=None), by_stamp=False
        )
        check.run()
        self._report_check(check, "asked to verify", is_settled=check.is_whole)

    # Windows that did not end well

    def _settle(
        self, window: StoredWindow, listing: WindowHarvest, result: WindowResult
    ) -> list[StoredWindow]:
        """Compare a doubtful window with its identifiers, fetch missing records, or else split it."""
        self._endless += result.code == ENDLESS_CHAIN
        is_divisible = self._endless <= MAX_ENDLESS_WINDOWS and not (
            listing.stats.has_end and listing.stats.is_one_moment
        )
        # order does not matter within a page: split the window until it fits on one
        if self._is_unordered and is_divisible:
            halves = self._splitter.split(window, listing.stats, result.reason)
            if halves:
                return halves
        may_be_cut = self._ends.has_round_size(listing) and self._ends.can_be_parted(listing)
        is_doubled = may_be_cut and listing.is_as_promised and bool(listing.marks.repeated)
        is_cut = is_doubled and self._ends.has_missed(window, listing, is_suspicious=True)
        # The list is being read again because something is missing: its end does not show what.
        is_ended = may_be_cut and self._is_again and listing.stats.has_end and not listing.is_all_there
        halves = self._splitter.split(window, listing.stats, result.reason) if is_cut or is_ended else []
        if halves:
            return halves
        since = None if listing.marks.repeated else self._ends.last_moment(window, listing)
        is_regular = listing.claimed is not None or not listing.stats.has_short_end
        if (
            since is not None
            and is_regular
            and lists_more(self._work, replace(window, token=None, since=since))
        ):
            return self._read_on(window, listing, result.reason, since)
        fresh = replace(window, token=None, seen=0, claimed=None)
        check = IdentifierHarvest(self._work, fresh, by_stamp=False, most=self._most(window, listing.stats))
        check.run()
        self._is_unordered = self._is_unordered or not check.is_stable
        self._fruitless += check.listed.has_repeated_page and check.distinct == self._distinct
        self._distinct = check.distinct
        is_divisible = is_divisible and self._fruitless <= MAX_FRUITLESS_SPLITS
        if check.is_whole and check.listed.stats.has_doubtful_end and not check.listed.is_as_promised:
            return self._examine_end(window, listing)
        is_short = listing.claimed is not None and listing.claimed - listing.seen > self._memory.baseline
        if is_short and not check.is_whole and since is None and self._ends.is_cut_between(window, listing):
            halves = self._splitter.split(window, listing.stats, result.reason)
            if halves:
                return halves
        if check.is_whole or self._is_agreed(check, listing, result):
            self._report_check(check, result.reason, is_settled=True)
            return self._close(window, listing)
        reason = f"{result.reason}; ListIdentifiers could not settle it: {check.tally.reason}"
        halves = self._splitter.split(window, listing.stats, result.reason) if is_divisible else []
        return halves or self._give_up(window, listing, reason)

    def _is_agreed(self, check: IdentifierHarvest, listing: WindowHarvest, result: WindowResult) -> bool:
        """Return whether records and identifiers agree on a length.

        They may agree despite a larger stated size, or a doubtful ending.
        """
        listed, tally = check.listed, check.tally
        is_same = listed.listed == listing.seen and not tally.lacking
        is_odd = listed.has_repeated_page or not check.is_stable or not listed.is_steady
        if not is_same or is_odd or tally.is_abandoned:
            return False
        if listing.claimed is not None and result.ending is WindowEnding.DOUBTFUL and listing.stats.has_end:
            words = f"{listing.claimed:,} records were promised; both lists end after {listing.seen:,}"
            is_usual = listing.claimed - listing.seen <= self._memory.baseline
            self._work.note(
                "shorter-than-claimed", words, weight=Severity.NOTE if is_usual else Severity.PROBLEM
            )
            return True
        if listing.claimed is not None:
            return False
        if not listing.stats.has_short_end:
            since = self._ends.last_moment(check.window, listing)
            return since is not None and is_last(self._work, replace(check.window, since=since))
        first, last = listing.stats.ends
        return not holds_more(self._work, check.window, until=first, since=last)

    def _report_check(self, check: IdentifierHarvest, reason: str, *, is_settled: bool) -> None:
        tally = check.tally
        if tally.lacking:
            self._marks = None
        words = f"{reason}; of the {check.listed.listed:,} in ListIdentifiers {tally.lacking:,} were lacking"
        if tally.lacking:
            words += f" and {tally.fetched:,} have been fetched one by one"
        if not check.is_whole and tally.reason:
            words += f" ({tally.reason})"
        is_fine = is_settled and tally.fetched == tally.lacking
        self._work.note("checked", words, weight=Severity.NOTE if is_fine else Severity.PROBLEM)

    def _give_up(self, window: StoredWindow, listing: WindowHarvest, reason: str) -> list[StoredWindow]:
        """Keep what arrived, report what is missing, and keep the start of the next harvest."""
        amount = f" ({listing.seen:,} of {listing.claimed:,})" if listing.claimed is not None else ""
        self._work.note("incomplete", f"{reason}{amount}; the list is not complete")
        self._is_complete = False
        self._close(window, listing)
        self._marks = None
        return []

    def _broken(
        self, window: StoredWindow, listing: WindowHarvest, result: WindowResult
    ) -> list[StoredWindow]:
        """Handle a page that cannot be fetched: fetch the rest of its window one by one, if that works."""
        work, error = self._work, result.error
        is_begun = bool(listing.stats.pages or listing.seen)
        if not is_begun and (offered := self._negotiation.answer(result, window)) is not None:
            return self._ask_instead(window, offered)
        if isinstance(error, Unreachable) and not work.client.traffic.requests:
            raise error  # nothing has answered in this run
        if is_hopeless(error) and not is_begun:
            raise ListFailed(describe(error) if error else result.reason, cause=error)
        return self._one_by_one(window, reason=result.reason, stats=listing.stats, cause=error)

    def _refused(self, window: StoredWindow, result: WindowResult) -> list[StoredWindow]:
        """Handle an OAI-PMH error: other dates may help, all else fails the list."""
        offered = self._negotiation.answer(result, window)
        if offered is None:
            raise ListFailed(self._explain(result), cause=OaiError(result.code, result.reason))
        return self._ask_instead(window, offered)

    def _ask_instead(self, window: StoredWindow, offered: DateRange) -> list[StoredWindow]:
        """Harvest with other dates: the same window in another notation, or the rest as one list."""
        if offered == DateRange(window.since, window.until):
            return [window]
        self._merge([replace(window, since=offered.since, until=offered.until)])
        return []

    def _explain(self, result: WindowResult) -> str:
        if result.code != "cannotDisseminateFormat":
            return result.reason
        try:
            offered = ", ".join(item.prefix for item in self._work.client.formats())
        except UpstreamError:
            return result.reason
        return f"{result.reason}. The repository offers: {offered}"

    def _one_by_one(
        self,
        window: StoredWindow,
        *,
        reason: str,
        stats: WindowStatistics | None = None,
        cause: UpstreamError | None = None,
    ) -> list[StoredWindow]:
        """Fetch the records of a window that the library lacks, each with a request of its own."""
        work, is_chosen = self._work, not reason
        if reason and work.settings.mode == "list":
            raise ListFailed(describe(cause) if cause else reason, cause=cause)
        if reason:
            words = f"{reason}; the window's records are fetched one by one"
            work.note("one-by-one", words, weight=Severity.NOTE)
        fresh = window if is_chosen else replace(window, token=None, seen=0, claimed=None)
        most = None if stats is None else self._most(window, stats)
        self._marks = None
        each = IdentifierHarvest(work, fresh, by_stamp=True, most=most, is_checkpointed=is_chosen)
        tally = each.run()
        listed = each.listed
        self._checkpoint.begun(listed.started_at)
        if listed.result.ending is WindowEnding.STALE:
            return [self._checkpoint.restart(window)]
        if (
            is_chosen
            and not listed.listed
            and listed.result.ending in (WindowEnding.BROKEN, WindowEnding.REFUSED)
        ):
            offered = self._negotiation.answer(listed.result, window, verb="ListIdentifiers")
            if offered is not None:
                return self._ask_instead(window, offered)
        if self._is_limited(each) or (each.is_whole and self._is_last(window, each)):
            self._size += listed.listed
            self._checkpoint.close(window, seen=listed.listed, claimed=listed.claimed)
            return []
        if each.is_whole:
            why = (
                "without the token that closes it" if listed.stats.has_doubtful_end else "and more are listed"
            )
            words = f"the list of identifiers ended after {listed.listed:,} {why}"
            halves = self._splitter.split(window, listed.stats, words)
            if halves:
                return halves
            work.note("incomplete", f"{words}; the list is not complete")
            self._is_complete = False
            self._checkpoint.close(window, seen=listed.listed, claimed=listed.claimed)
            return []
        if not tally.is_hopeless and (listed.listed or listed.result.ending is WindowEnding.TOO_MUCH):
            halves = self._splitter.split(window, stats or listed.stats, tally.reason or reason)
            if halves:
                return halves
        if is_chosen and listed.result.code == LEFT_LIST:
            self._checkpoint.restart(window)
        reasons = dict.fromkeys(part for part in (reason, tally.reason) if part)
        raise ListFailed("; ".join(reasons), cause=cause or listed.result.error)

    def _is_last(self, window: StoredWindow, each: IdentifierHarvest) -> bool:
        """Return whether nothing follows the last of the identifiers; fetches what follows."""
        listed = each.listed
        if not listed.stats.has_doubtful_end or listed.is_as_promised:
            return not self._ends.is_limit(window, each)
        newest = listed.stats.newest
        since = None if newest is None else format_datestamp(newest, self._work.granularity)
        if since is None or since == window.since or self._splitter.is_dateless:
            return listed.stats.has_short_end and not listed.stats.is_empty_end
        rest = replace(window, token=None, seen=0, claimed=None, since=since)
        check = IdentifierHarvest(self._work, rest, by_stamp=True)
        check.run()
        return check.is_whole and self._is_last(rest, check)

    def _is_limited(self, each: IdentifierHarvest) -> bool:
        limit = self._work.options.limit
        return limit is not None and each.listed.listed >= limit

    # Splitting and merging windows

    def _most(self, window: StoredWindow, stats: WindowStatistics) -> int | None:
        """Return how many records to fetch one by one; None (no limit) if there is no other way."""
        return MAX_MISSING_RECORDS if self._splitter.halves(window, stats) else None

    def _leave_out_refused_dates(self) -> None:
        """Omit dates with which the repository failed lately, rather than find that out each time."""
        rest = [item for item in self._queue if item.state != checkpoints.DONE]
        allowed = [self._negotiation.allowed(DateRange(item.since, item.until)) for item in rest]
        fresh = [
            replace(item, since=each.since, until=each.until)
            for item, each in zip(rest, allowed, strict=True)
        ]
        if fresh == rest or any(item.token for item in rest):
            return
        words = "requests with dates failed here lately, so everything is asked for"
        self._work.note("dates-fail", words, weight=Severity.NOTE)
        self._queue = []
        self._merge(fresh)

    def _merge(self, more: list[StoredWindow]) -> None:
        """Harvest all remaining windows as one list, because the repository ignores dates."""
        rest = more + [item for item in self._queue if item.state != checkpoints.DONE]
        self._queue = self._splitter.merge(rest)
