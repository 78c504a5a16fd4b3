"""Stretches of time: how a history is cut into windows, and a window that is too much into two."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from windrow.harvest.oai.run_context import HarvestContext
from windrow.model.record import Granularity, format_datestamp, parse_datestamp, truncate_to_granularity
from windrow.model.run import Severity
from windrow.store import sources
from windrow.store.connection import Connection
from windrow.store.harvests import checkpoints, list_comparison
from windrow.store.harvests.checkpoints import PLANNED, StoredWindow

LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)
_EVER = datetime(1000, 1, 1, tzinfo=UTC)  # years are written with four digits
_DAY_LENGTH = len("YYYY-MM-DD")


@dataclass(frozen=True, slots=True)
class DateRange:
    """From and until as they stand in a request; None leaves that end open."""

    since: str | None
    until: str | None

    def __str__(self) -> str:
        return f"{self.since or 'the beginning'} to {self.until or 'now'}"

    @property
    def is_backwards(self) -> bool:
        """Does it end before it begins? Then there is nothing in it to ask for."""
        low, high = parse_datestamp(self.since or ""), _last_second(self.until)
        return low is not None and high is not None and high < low


def fit_range(stretch: DateRange, granularity: Granularity) -> DateRange:
    """Return the stretch as a repository of this granularity takes it; no day at its ends gets lost."""
    return DateRange(
        _fit_stamp(stretch.since, granularity), _fit_stamp(stretch.until, granularity, is_end=True)
    )


def _fit_stamp(stamp: str | None, granularity: Granularity, *, is_end: bool = False) -> str | None:
    moment = _last_second(stamp) if is_end else parse_datestamp(stamp or "")
    return format_datestamp(moment, granularity) if moment else None


def _last_second(until: str | None) -> datetime | None:
    """The last second that an `until` takes in: a day's end where it names a day."""
    moment = parse_datestamp(until or "")
    if moment is None or until is None or len(until.strip()) > _DAY_LENGTH:
        return moment
    return moment + timedelta(days=1, seconds=-1)


def plan_windows(
    kind: str, stretch: DateRange, *, earliest: str, now: datetime, granularity: Granularity
) -> list[DateRange]:
    """Cut a history into years, months or days, none of which begins in the future.

    The first window's start and the last one's end stay open where they were: what a repository says
    about its earliest datestamp is often wrong.
    """
    if stretch.is_backwards:
        return []
    low = parse_datestamp(stretch.since or "") or parse_datestamp(earliest) or LONG_AGO
    high = min(parse_datestamp(stretch.until or "") or now, now)
    left: list[DateRange] = []
    for moment in _period_starts(kind, max(low, LONG_AGO), high):
        first, stretch = _cut_at(stretch, moment, granularity)
        left.append(first)
    return [*left, stretch]


def split_window(
    stretch: DateRange, middle: datetime | None, *, earliest: str, now: datetime, granularity: Granularity
) -> tuple[DateRange, DateRange] | None:
    """Cut a window in two, at the middle of what is known to be in it, else at the middle of its time.

    None when it is as small as datestamps go.
    """
    halves = _halves(stretch, middle, granularity) if middle else None
    if halves:
        return halves
    high = truncate_to_granularity(parse_datestamp(stretch.until or "") or now, granularity)
    for low in _start_candidates(stretch, earliest):
        start = truncate_to_granularity(low, granularity)
        if high - start >= granularity.step:
            half = truncate_to_granularity(start + (high - start) / 2, granularity)
            return _halves(stretch, half + granularity.step, granularity)
    return None


def _start_candidates(stretch: DateRange, earliest: str) -> list[datetime]:
    """Where a stretch may begin, likeliest first.

    Where that is open, the repository's earliest datestamp may be a lie: then look further back.
    """
    known = parse_datestamp(stretch.since or "")
    if known is not None:
        return [known]
    told = parse_datestamp(earliest)
    return [*([max(told, _EVER)] if told else []), LONG_AGO, _EVER]


def _halves(
    stretch: DateRange, middle: datetime, granularity: Granularity
) -> tuple[DateRange, DateRange] | None:
    """The two sides of a moment; None where one of them would be no smaller than the whole."""
    first, second = _cut_at(stretch, truncate_to_granularity(middle, granularity), granularity)
    if first.is_backwards or first.until == stretch.until or second.since == stretch.since:
        return None
    low, high = parse_datestamp(stretch.since or ""), parse_datestamp(stretch.until or "")
    is_inside = (low is None or low < middle) and (high is None or middle <= high)
    return (first, second) if is_inside else None


def _cut_at(stretch: DateRange, moment: datetime, granularity: Granularity) -> tuple[DateRange, DateRange]:
    """Before a moment, and from it on.

    Where time is told by the second, the second half starts a second early: some repositories keep
    fractions, and 23:59:59.5 lies between 23:59:59 and 00:00:00.
    """
    last = format_datestamp(moment - granularity.step, granularity)
    is_wide = granularity is Granularity.SECOND and last != stretch.since
    return DateRange(stretch.since, last), DateRange(
        last if is_wide else format_datestamp(moment, granularity), stretch.until
    )


def _period_starts(kind: str, low: datetime, high: datetime) -> Iterator[datetime]:
    """The moments after `low`, up to `high`, at which a new year, month or day begins."""
    moment = truncate_to_granularity(low, Granularity.DAY)
    while kind != "none" and moment < high:
        if kind == "day":
            moment += timedelta(days=1)
        elif kind == "month":
            moment = (moment.replace(day=1) + timedelta(days=32)).replace(day=1)
        else:
            moment = datetime(moment.year + 1, 1, 1, tzinfo=UTC)
        if moment > high:
            return
        yield moment


# The time at which a repository was asked, by its clock or by ours: where the next harvest will start.
# Taken when the first page of a list comes in, not at its end: a list may take days, and be resumed.

GRACE = timedelta(days=1)  # where there is no responseDate to go by, or one that is further ahead than this


def next_harvest_start(response_date: str | None, *, asked_at: datetime) -> str:
    """Return the repository's time, but never a time later than our own clock when the request was sent.

    A responseDate ahead of us is a clock that is wrong, or local time written as UTC, while datestamps are
    in UTC: what changes in the hours between would never be asked for. A clock behind ours costs only a few
    records that come again.
    """
    moment = parse_datestamp(response_date or "")
    if response_date is None or moment is None or moment > asked_at + GRACE:
        return format_datestamp(asked_at - GRACE, Granularity.SECOND)
    if moment > asked_at:
        return format_datestamp(asked_at, Granularity.SECOND)
    return response_date


# Where one list stands: its windows, when it was begun, where the next harvest starts.
# Kept in the store, so that a killed run goes on from its last page; a look at a part of a list
# (`--from`, `--until`, `--limit`) keeps its windows in memory only, and leaves no trace behind.

MAX_AUTO_OVERLAP = timedelta(days=3)
USUAL_PAGE = 50  # records, where the size of a source's pages is not known yet


class ListCheckpoint:
    """The windows of one list, (format, set)."""

    def __init__(self, work: HarvestContext, prefix: str, spec: str, *, is_again: bool = False) -> None:
        self._work = work
        self._is_again = is_again  # all of the list once more, beside the harvest proper
        self._is_fleeting = work.options.is_adhoc or is_again
        self._prefix = prefix
        self._spec = spec
        self._key = (work.source.id, prefix, spec)
        self._fleeting = 0  # windows kept in memory are numbered downwards
        self._started_at: str | None = None
        self.since: str | None = None  # where the last harvest of this list began; None if none was complete
        self.is_resumed = False  # an earlier run has left windows
        self.is_history = False  # from the beginning to now, not only what is new
        self.size: int | None = None  # of the list, when it was last harvested whole

    def open(self) -> list[StoredWindow]:
        """Return the windows that an earlier run left, or plan new ones."""
        work = self._work
        with work.store.writing() as connection:
            found = [] if self._is_fleeting else self._left_over(connection)
            cursor = checkpoints.cursor(connection, *self._key)
            self.size = cursor.size if cursor else None
            self.since = cursor.next_from if cursor else None
            self.is_resumed = bool(found)
            if not found:
                found = self._plan(connection)
        self._started_at = min((item.started_at for item in found if item.started_at), default=None)
        self.is_history = any(not item.since for item in found) and any(not item.until for item in found)
        if any(item.token for item in found):
            work.tell("resumed", "going on where an earlier run stopped", weight=Severity.NOTE)
        return found

    def _left_over(self, connection: Connection) -> list[StoredWindow]:
        """What an earlier run left, unless something else is wanted now."""
        if not self._is_as_before(connection):
            checkpoints.forget_list(connection, *self._key)
        elif self._work.options.is_full:
            checkpoints.discard_list(connection, *self._key)
        return checkpoints.find_unfinished(connection, *self._key)

    def _is_as_before(self, connection: Connection) -> bool:
        """Is the source to be harvested from and until where it was? A list cut otherwise starts anew."""
        work, key = self._work, f"{self._prefix} {self._spec}"
        bounds = [work.settings.from_, work.settings.until]
        known = work.identity.get("bounds")
        known = known if isinstance(known, dict) else {}
        if known.get(key, [None, None]) == bounds:
            return True
        work.identity["bounds"] = {**known, key: bounds}
        sources.note(connection, work.source.id, identity=work.identity)
        return False

    def _plan(self, connection: Connection) -> list[StoredWindow]:
        work = self._work
        options, settings = work.options, work.settings
        cursor = checkpoints.cursor(connection, *self._key)
        since, until = options.since or settings.from_, options.until or settings.until
        is_going_on = cursor is not None and not options.is_full and not self._is_fleeting
        if is_going_on and cursor is not None:
            since = self._with_overlap(connection, cursor.next_from, since)
        stretches = plan_windows(
            "none" if is_going_on else settings.window,
            fit_range(DateRange(since, until), work.granularity),
            earliest=work.earliest,
            now=work.now(),
            granularity=work.granularity,
        )
        return self._note(connection, stretches)

    def _with_overlap(self, connection: Connection, next_from: str | None, bound: str | None) -> str | None:
        """Return where to start: before the last harvest, for records that are listed late.

        An import at night may give its records the datestamps of the day before. The setting `overlap` says
        how far to go back. Without it, as far as one page of known records reaches, so that the answer takes
        no more requests than one that starts where the last harvest did.
        """
        work, moment = self._work, parse_datestamp(next_from or "")
        if moment is None:
            return next_from or bound
        if work.settings.overlap is not None:
            start = moment - timedelta(seconds=work.settings.overlap)
        else:
            start = self._one_page_back(connection, moment)
        lowest = parse_datestamp(work.settings.from_ or "")
        start = max(start, lowest) if lowest is not None else start
        return format_datestamp(truncate_to_granularity(start, work.granularity), work.granularity)

    def _one_page_back(self, connection: Connection, moment: datetime) -> datetime:
        work = self._work
        lowest = truncate_to_granularity(moment - MAX_AUTO_OVERLAP, work.granularity)
        known = work.identity.get("page_size")
        most = max(1, (known if isinstance(known, int) else USUAL_PAGE) // 2)
        since = format_datestamp(lowest, Granularity.DAY)  # the beginning of any way to write it
        stamps = list_comparison.read_recent_stamps(connection, work.source.id, since, most + 1)
        if len(stamps) <= most:
            return lowest
        beyond = parse_datestamp(stamps[-1])  # and all that are as old as this one are too many
        if beyond is None:
            return moment
        return min(
            max(lowest, truncate_to_granularity(beyond, work.granularity) + work.granularity.step), moment
        )

    def _note(self, connection: Connection, stretches: Sequence[DateRange]) -> list[StoredWindow]:
        work = self._work
        if not self._is_fleeting:
            planned = [(self._prefix, self._spec, item.since, item.until) for item in stretches]
            return checkpoints.plan(
                connection, work.source.id, work.run_id, planned, started_at=self._started_at
            )
        made: list[StoredWindow] = []
        for item in stretches:
            self._fleeting -= 1
            ends = (item.since, item.until)
            made.append(
                StoredWindow(
                    self._fleeting, self._prefix, self._spec, *ends, PLANNED, None, 0, None, self._started_at
                )
            )
        return made

    def replace(self, old: Sequence[StoredWindow], stretches: Sequence[DateRange]) -> list[StoredWindow]:
        """Put other windows in the place of these."""
        with self._work.store.writing() as connection:
            for window in old:
                checkpoints.drop(connection, window.id)
            return self._note(connection, stretches)

    def restart(self, window: StoredWindow) -> StoredWindow:
        """Take a window back to its start."""
        fresh = replace(window, token=None, seen=0, claimed=None)
        with self._work.store.writing() as connection:
            checkpoints.advance(
                connection, window.id, token=None, seen=0, claimed=None, started_at=window.started_at
            )
        return fresh

    def begun(self, started_at: str | None) -> None:
        """Note when the repository says it is: the first time counts for the whole list."""
        self._started_at = self._started_at or started_at

    def seen(self) -> int:
        """Return how many entries the windows of this list have brought, those of an earlier run included."""
        with self._work.store.reading() as connection:
            return sum(item.seen for item in checkpoints.find_unfinished(connection, *self._key))

    @property
    def started_at(self) -> datetime | None:
        """The repository's own time at the start of this list."""
        return parse_datestamp(self._started_at or "")

    def close(self, window: StoredWindow, *, seen: int, claimed: int | None) -> None:
        """Note that a window came to its end."""
        with self._work.store.writing() as connection:
            checkpoints.advance(
                connection, window.id, token=None, seen=seen, claimed=claimed, started_at=self._started_at
            )
            checkpoints.finish(connection, window.id)

    def finish(self, *, size: int, is_complete: bool) -> None:
        """All windows are through. Where nothing lacks, the next harvest starts where this one did."""
        work = self._work
        if self._is_fleeting:
            return
        with work.store.writing() as connection:
            if is_complete:
                checkpoints.move_cursor(
                    connection,
                    *self._key,
                    next_from=self._next_from(),
                    size=size if self.is_history else None,
                    run_id=work.run_id,
                )
            checkpoints.discard_list(connection, *self._key)

    def _next_from(self) -> str:
        """The server's own time at the start, cut to its granularity; never the newest datestamp."""
        moment = self.started_at or self._work.now() - GRACE  # no page of it came: nothing to be missed
        return format_datestamp(
            truncate_to_granularity(moment, self._work.granularity), self._work.granularity
        )
