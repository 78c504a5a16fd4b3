"""One list of a source (a format, a set or everything) brought in whole, window by window.

What one window's ending calls for is decided here: go on, split it, start it again, fetch its records
one by one, check it against the identifiers, or give it up and say so.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta

from windrow.errors import NotOai, OaiError, UpstreamError
from windrow.harvest import windows
from windrow.harvest.listing import Ending, Listing, Result, is_fatal
from windrow.harvest.one_by_one import fetch_lacking
from windrow.harvest.windows import Stretch
from windrow.harvest.work import Work, describe
from windrow.model.run import Weight
from windrow.model.stamp import Granularity, cut, read_stamp, write_stamp
from windrow.store import checkpoints
from windrow.store.checkpoints import StoredWindow

MAX_WINDOWS = 20_000  # that splitting may make of one list


class ListFailed(Exception):  # noqa: N818 - a verdict on one list, never shown
    """This list cannot be had; the others of the source may."""

    def __init__(self, reason: str, *, cause: UpstreamError | None = None) -> None:
        super().__init__(reason)
        self.cause = cause


@dataclass(slots=True)
class _Split:
    """The first half of a window that was split, to see whether the second differs from it."""

    first_page: int
    claimed: int | None


class ListHarvest:
    """Brings in one list: (format, set)."""

    def __init__(self, work: Work, prefix: str, spec: str) -> None:
        self._work = work
        self._prefix = prefix
        self._spec = spec
        self._started_at: str | None = None
        self._size = 0
        self._spawned = 0
        self._halves: dict[int, _Split] = {}  # by the id of the second half
        self._is_dateless = False  # the server ignores from and until

    def run(self, resumed: list[StoredWindow]) -> None:
        """Harvest what is left of an earlier run, or plan anew; note where the next one starts."""
        work = self._work
        queue = resumed or self._plan()
        self._expect(queue)
        while queue:
            window = queue.pop(0)
            if window.state != checkpoints.DONE:
                queue[:0] = self._bring(window)
            else:
                self._started_at = self._started_at or window.started_at
        self._finish()

    def _plan(self) -> list[StoredWindow]:
        work = self._work
        options, settings = work.options, work.settings
        with work.store.writing() as connection:
            cursor = checkpoints.cursor(connection, work.source.id, self._prefix, self._spec)
            since = options.since or settings.from_
            if cursor is not None and not options.is_full and not options.is_adhoc:
                since = cursor.next_from or since
            since, until = self._fitted(since), self._fitted(options.until or settings.until)
            is_history = cursor is None or options.is_full
            stretches = windows.plan(
                settings.window if is_history else "none",
                since,
                until,
                earliest=work.earliest,
                now=work.now(),
                granularity=work.granularity,
            )
            planned = [(self._prefix, self._spec, item.since, item.until) for item in stretches]
            return checkpoints.plan(connection, work.source.id, work.run_id, planned)

    def _fitted(self, stamp: str | None) -> str | None:
        """A date as this repository takes it."""
        moment = read_stamp(stamp or "")
        return write_stamp(moment, self._work.granularity) if moment else None

    def _expect(self, queue: list[StoredWindow]) -> None:
        """Guess how many entries will come, for the progress bar, until the repository says."""
        work = self._work
        with work.store.reading() as connection:
            cursor = checkpoints.cursor(connection, work.source.id, self._prefix, self._spec)
        is_whole = any(window.since is None for window in queue)
        if cursor and cursor.size and is_whole and work.claimed is None:
            work.expected = work.counters.seen + cursor.size

    def _bring(self, window: StoredWindow) -> list[StoredWindow]:
        """Harvest one window; give the windows that take its place, if it has to be split or begun again."""
        work = self._work
        if work.options.is_one_by_one or work.settings.mode == "one-by-one":
            self._one_by_one(window, reason="")
            return []
        listing = Listing(work, window)
        seen_before = work.counters.seen - window.seen
        result = self._run(listing, seen_before)
        self._started_at = self._started_at or listing.started_at
        self._size += listing.seen
        if result.ending in (Ending.DONE, Ending.LIMIT):
            self._close(window, listing)
            if work.options.is_verifying:
                self._check(window, "asked to verify")
            return []
        return self._cope(window, listing, result)

    def _run(self, listing: Listing, seen_before: int) -> Result:
        """Run a listing with the progress bar told what the repository promises."""
        work = self._work
        promised = work.claimed or 0

        def show() -> None:
            if listing.claimed is not None:
                work.claimed = promised + listing.claimed
                work.expected = max(seen_before + listing.claimed, work.counters.seen)

        listing.on_stored = show
        return listing.run()

    def _cope(self, window: StoredWindow, listing: Listing, result: Result) -> list[StoredWindow]:
        work = self._work
        if result.ending is Ending.STALE:
            work.tell("token-expired", f"{result.reason}; the window is harvested again from its start", weight=Weight.NOTE)
            return [self._again(window)]
        if result.ending is Ending.DOUBTFUL:
            self._check(window, result.reason, claimed=listing.claimed, seen=listing.seen)
            return []
        if result.ending in (Ending.TOO_MUCH, Ending.EXPIRED):
            halves = self._split(window, listing, result)
            if halves:
                return halves
            self._one_by_one(replace(window, token=None), reason=result.reason)
            return []
        if result.ending is Ending.BROKEN:
            return self._broken(window, listing, result)
        return self._refused(window, result)

    def _again(self, window: StoredWindow) -> StoredWindow:
        with self._work.store.writing() as connection:
            checkpoints.advance(
                connection, window.id, token=None, seen=0, claimed=None, started_at=window.started_at
            )
        return replace(window, token=None, seen=0, claimed=None)

    def _split(self, window: StoredWindow, listing: Listing, result: Result) -> list[StoredWindow]:
        """Two halves in place of a window that is too much at once; nothing where dates do not help."""
        work = self._work
        parent = self._halves.get(window.id)
        if parent and listing.first_page and parent.first_page == listing.first_page:
            self._is_dateless = True
        if self._is_dateless or self._spawned >= MAX_WINDOWS:
            return []
        halves = windows.halve(
            Stretch(window.since, window.until),
            earliest=work.earliest,
            now=read_stamp(listing.started_at or "") or work.now(),
            granularity=work.granularity,
        )
        if halves is None:
            return []
        self._spawned += 2
        work.tell("split", f"{result.reason}; the window {Stretch(window.since, window.until)} is split", weight=Weight.NOTE)
        with work.store.writing() as connection:
            checkpoints.drop(connection, window.id)
            planned = [(self._prefix, self._spec, half.since, half.until) for half in halves]
            made = checkpoints.plan(
                connection, work.source.id, work.run_id, planned, started_at=self._started_at
            )
        self._halves[made[0].id] = _Split(listing.first_page, listing.claimed)
        self._halves[made[1].id] = _Split(listing.first_page, listing.claimed)
        return made

    def _broken(self, window: StoredWindow, listing: Listing, result: Result) -> list[StoredWindow]:
        """A page that cannot be had: the rest of its window is fetched one by one, if that works."""
        is_nothing = isinstance(result.error, NotOai) and not listing.seen
        if is_fatal(result.error) or is_nothing or self._work.settings.mode == "list":
            raise ListFailed(describe(result.error) if result.error else result.reason, cause=result.error)
        self._one_by_one(replace(window, token=None), reason=result.reason)
        return []

    def _refused(self, window: StoredWindow, result: Result) -> list[StoredWindow]:
        """An OAI-PMH error: dates the repository does not take, or something we cannot mend."""
        work = self._work
        dated = window.since or window.until
        is_tried = "negotiated" in work.identity
        if result.code == "badArgument" and dated and not is_tried and work.settings.granularity == "auto":
            other = Granularity.DAY if work.granularity is Granularity.SECOND else Granularity.SECOND
            work.learn(negotiated=other.value)
            work.tell("granularity", f"{result.reason}; trying again with dates by the {other}", weight=Weight.NOTE)
            fitted = replace(window, since=self._fitted(window.since), until=self._fitted(window.until), token=None)
            with work.store.writing() as connection:
                checkpoints.drop(connection, window.id)
                made = checkpoints.plan(
                    connection,
                    work.source.id,
                    work.run_id,
                    [(self._prefix, self._spec, fitted.since, fitted.until)],
                    started_at=self._started_at,
                )
            return made
        raise ListFailed(self._explain(result), cause=OaiError(result.code, result.reason))

    def _explain(self, result: Result) -> str:
        if result.code != "cannotDisseminateFormat":
            return result.reason
        try:
            offered = ", ".join(item.prefix for item in self._work.client.formats())
        except UpstreamError:
            return result.reason
        return f"{result.reason}. The repository offers: {offered}"

    def _one_by_one(self, window: StoredWindow, *, reason: str) -> None:
        work = self._work
        if reason:
            work.tell("one-by-one", f"{reason}; the window's records are fetched one by one")
        tally = fetch_lacking(work, window, by_stamp=True, is_checkpointed=not reason)
        self._started_at = self._started_at or tally.started_at
        self._size += tally.listed
        if not tally.is_whole:
            raise ListFailed(f"{reason or 'ListIdentifiers'}: {tally.reason}".strip(": "))
        self._close(window, None)

    def _check(self, window: StoredWindow, reason: str, *, claimed: int | None = None, seen: int = 0) -> None:
        """Compare a window with its identifiers and fetch what lacks; tell the difference."""
        work = self._work
        tally = fetch_lacking(work, replace(window, token=None, claimed=None), by_stamp=False)
        if tally.is_whole and not tally.failed:
            weight = Weight.NOTE if tally.lacking == 0 else Weight.PROBLEM
            words = f"{reason}; ListIdentifiers lists {tally.listed:,}, of which {tally.lacking:,} were lacking"
            fetched = f" and {tally.fetched:,} have been fetched one by one" if tally.lacking else ""
            work.tell("checked", words + fetched, weight=weight)
        else:
            doubt = tally.reason or f"{tally.failed} could not be fetched"
            amount = f" ({seen:,} of {claimed:,})" if claimed is not None else ""
            work.tell("incomplete", f"{reason}{amount}; ListIdentifiers could not settle it: {doubt}")
        self._close(window, None)

    def _close(self, window: StoredWindow, listing: Listing | None) -> None:
        with self._work.store.writing() as connection:
            if listing is not None:
                checkpoints.advance(
                    connection,
                    window.id,
                    token=None,
                    seen=listing.seen,
                    claimed=listing.claimed,
                    started_at=listing.started_at,
                )
            checkpoints.finish(connection, window.id)

    def _finish(self) -> None:
        """All windows are through: the next harvest starts where this one did."""
        work = self._work
        if work.options.is_adhoc:
            with work.store.writing() as connection:
                checkpoints.discard_list(connection, work.source.id, self._prefix, self._spec)
            return
        next_from = self._next_from()
        with work.store.writing() as connection:
            cursor = checkpoints.cursor(connection, work.source.id, self._prefix, self._spec)
            is_whole = cursor is None or work.options.is_full
            checkpoints.move_cursor(
                connection,
                work.source.id,
                self._prefix,
                self._spec,
                next_from=next_from,
                size=self._size if is_whole else None,
                run_id=work.run_id,
            )
            checkpoints.discard_list(connection, work.source.id, self._prefix, self._spec)

    def _next_from(self) -> str:
        """The server's own time at the start, cut to its granularity; never the newest datestamp.

        A server that does not tell the time is given a day's grace.
        """
        moment = read_stamp(self._started_at or "")
        if moment is None:
            moment = self._work.now() - timedelta(days=1)
        return write_stamp(cut(moment, self._work.granularity), self._work.granularity)
