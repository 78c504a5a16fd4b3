"""Date windows of a list: planning, splitting, and the checkpoint that a killed run resumes from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from windrow.harvest.oai.run_context import HarvestContext
from windrow.model.record import Granularity, format_datestamp, parse_datestamp, truncate_to_granularity
from windrow.model.run import Severity
from windrow.store import sources
from windrow.store.connection import Connection
from windrow.store.harvests import checkpoints, list_comparison
from windrow.store.harvests.checkpoints import PLANNED, StoredWindow

if TYPE_CHECKING:
    from windrow.harvest.oai.page_chain import WindowStatistics

LONG_AGO = datetime(1970, 1, 1, tzinfo=UTC)
_EVER = datetime(1000, 1, 1, tzinfo=UTC)  # years are written with four digits
_DAY_LENGTH = len("YYYY-MM-DD")
MAX_WINDOWS = 20_000  # that splitting may create from one list
MAX_BARREN_WINDOWS = 5  # consecutive windows with only empty pages and no end, before splitting stops


@dataclass(frozen=True, slots=True)
class DateRange:
    """The `from` and `until` of a request; None leaves that end open."""

    since: str | None
    until: str | None

    def __str__(self) -> str:
        return f"{self.since or 'the beginning'} to {self.until or 'now'}"

    @property
    def is_backwards(self) -> bool:
        """Return whether the range ends before it starts, so that there is nothing to ask for."""
        low, high = parse_datestamp(self.since or ""), _last_second(self.until)
        return low is not None and high is not None and high < low


def fit_range(stretch: DateRange, granularity: Granularity) -> DateRange:
    """Convert a range to a granularity without losing a day at either end."""
    return DateRange(
        _fit_stamp(stretch.since, granularity), _fit_stamp(stretch.until, granularity, is_end=True)
    )


def _fit_stamp(stamp: str | None, granularity: Granularity, *, is_end: bool = False) -> str | None:
    moment = _last_second(stamp) if is_end else parse_datestamp(stamp or "")
    return format_datestamp(moment, granularity) if moment else None


def _last_second(until: str | None) -> datetime | None:
    """Return the last second that an `until` includes: the end of the day if it names a day."""
    moment = parse_datestamp(until or "")
    if moment is None or until is None or len(until.strip()) > _DAY_LENGTH:
        return moment
    return moment + timedelta(days=1, seconds=-1)


def plan_windows(
    kind: str, stretch: DateRange, *, earliest: str, now: datetime, granularity: Granularity
) -> list[DateRange]:
    """Cut a history into years, months or days, none of which starts in the future.

    An open start of the first window and an open end of the last one stay open, because the earliest
    datestamp in Identify is often wrong.
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
    """Split a window at the middle of its known records, else at the middle of its time.

    Return None if the window is as small as datestamps allow.
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
    """Return possible starts of a range, the likeliest first.

    If the range has no start, the repository's earliest datestamp may be wrong, so earlier ones follow.
    """
    known = parse_datestamp(stretch.since or "")
    if known is not None:
        return [known]
    told = parse_datestamp(earliest)
    return [*([max(told, _EVER)] if told else []), LONG_AGO, _EVER]


def _halves(
    stretch: DateRange, middle: datetime, granularity: Granularity
) -> tuple[DateRange, DateRange] | None:
    """Split a range at a moment; return None if one part would be no smaller than the whole."""
    first, second = _cut_at(stretch, truncate_to_granularity(middle, granularity), granularity)
    if first.is_backwards or first.until == stretch.until or second.since == stretch.since:
        return None
    low, high = parse_datestamp(stretch.since or ""), parse_datestamp(stretch.until or "")
    is_inside = (low is None or low < middle) and (high is None or middle <= high)
    return (first, second) if is_inside else None


def _cut_at(stretch: DateRange, moment: datetime, granularity: Granularity) -> tuple[DateRange, DateRange]:
    """Split a range into what is before a moment and what is from it on.

    With a granularity of seconds the second part starts one second early: some repositories keep fractions,
    and 23:59:59.5 is between 23:59:59 and 00:00:00.
    """
    last = format_datestamp(moment - granularity.step, granularity)
    is_wide = granularity is Granularity.SECOND and last != stretch.since
    return DateRange(stretch.since, last), DateRange(
        last if is_wide else format_datestamp(moment, granularity), stretch.until
    )


def _period_starts(kind: str, low: datetime, high: datetime) -> Iterator[datetime]:
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


# The start of the next harvest. It is taken from the first page of a list, not from its end: a list may take
# days, and may be resumed.

GRACE = timedelta(days=1)  # used where responseDate is missing, or is further ahead than this


def next_harvest_start(response_date: str | None, *, asked_at: datetime) -> str:
    """Return the repository's time, but never one later than the local clock when the request was sent.

    A responseDate in the future comes from a wrong clock, or is local time written as UTC, while datestamps
    are in UTC: changes of the hours between would never be harvested. A clock that is behind costs only a few
    records that are sent twice.
    """
    moment = parse_datestamp(response_date or "")
    if response_date is None or moment is None or moment > asked_at + GRACE:
        return format_datestamp(asked_at - GRACE, Granularity.SECOND)
    if moment > asked_at:
        return format_datestamp(asked_at, Granularity.SECOND)
    return response_date


# The checkpoint of a list is kept in the store, so that a killed run continues with its last page. Partial
# harvests (`--from`, `--until`, `--limit`) keep their windows in memory only and leave no trace.

MAX_AUTO_OVERLAP = timedelta(days=3)
USUAL_PAGE = 50  # records, until the page size of a source is known


class ListCheckpoint:
    """The windows of one list (format, set), and where the next harvest of it starts."""

    def __init__(self, work: HarvestContext, prefix: str, spec: str, *, is_again: bool = False) -> None:
        self._work = work
        self._is_again = is_again  # the whole list is read once more, beside the regular harvest
        self._is_fleeting = work.options.is_adhoc or is_again
        self._prefix = prefix
        self._spec = spec
        self._key = (work.source.id, prefix, spec)
        self._fleeting = 0  # windows kept in memory have negative numbers
        self._started_at: str | None = None
        # start of the last complete harvest of this list; None if there was none
        self.since: str | None = None
        self.is_resumed = False  # an earlier run left windows
        self.is_history = False  # covers everything from the beginning to now, not only changes
        self.size: int | None = None  # entries of the list when it was last harvested completely

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
            work.note("resumed", "going on where an earlier run stopped", weight=Severity.NOTE)
        return found

    def _left_over(self, connection: Connection) -> list[StoredWindow]:
        """Return the windows that an earlier run left, unless the request has changed."""
        if not self._is_as_before(connection):
            checkpoints.forget_list(connection, *self._key)
        elif self._work.options.is_full:
            checkpoints.discard_list(connection, *self._key)
        return checkpoints.find_unfinished(connection, *self._key)

    def _is_as_before(self, connection: Connection) -> bool:
        """Return whether the configured bounds are unchanged. Other bounds make the list start again."""
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
        """Return the start of the request: some time before the last harvest, for records that are listed
        late.

        An import at night may give its records the datestamps of the day before. The setting `overlap` is the
        time to go back. Without it, the overlap is what one page of known records covers, so that it costs no
        additional request.
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
        since = format_datestamp(lowest, Granularity.DAY)  # a prefix of every way to write the time
        stamps = list_comparison.read_recent_stamps(connection, work.source.id, since, most + 1)
        if len(stamps) <= most:
            return lowest
        beyond = parse_datestamp(stamps[-1])  # with the records of this datestamp there are too many
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
        with self._work.store.writing() as connection:
            for window in old:
                checkpoints.drop(connection, window.id)
            return self._note(connection, stretches)

    def restart(self, window: StoredWindow) -> StoredWindow:
        fresh = replace(window, token=None, seen=0, claimed=None)
        with self._work.store.writing() as connection:
            checkpoints.advance(
                connection, window.id, token=None, seen=0, claimed=None, started_at=window.started_at
            )
        return fresh

    def begun(self, started_at: str | None) -> None:
        """Note the repository's time; the first one counts for the whole list."""
        self._started_at = self._started_at or started_at

    def seen(self) -> int:
        """Return how many entries the windows of this list have brought, earlier runs included."""
        with self._work.store.reading() as connection:
            return sum(item.seen for item in checkpoints.find_unfinished(connection, *self._key))

    @property
    def started_at(self) -> datetime | None:
        return parse_datestamp(self._started_at or "")

    def close(self, window: StoredWindow, *, seen: int, claimed: int | None) -> None:
        with self._work.store.writing() as connection:
            checkpoints.advance(
                connection, window.id, token=None, seen=seen, claimed=claimed, started_at=self._started_at
            )
            checkpoints.finish(connection, window.id)

    def finish(self, *, size: int, is_complete: bool) -> None:
        """Close the list. If it is complete, the next harvest starts where this one started."""
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
        """Return the server's time at the start, cut to its granularity; never the newest datestamp."""
        moment = self.started_at or self._work.now() - GRACE  # no page was received, so nothing can be missed
        return format_datestamp(
            truncate_to_granularity(moment, self._work.granularity), self._work.granularity
        )


class WindowSplitter:
    """Splits the windows of one list, within bounds, and merges them again if dates do not help."""

    def __init__(self, work: HarvestContext, checkpoint: ListCheckpoint) -> None:
        self._work = work
        self._checkpoint = checkpoint
        self._spawned = 0
        self._barren = 0  # consecutive windows with only empty pages
        self.is_dateless = False  # the server ignores from and until

    @property
    def is_exhausted(self) -> bool:
        """Return whether dates do not help, or the bound of windows is reached."""
        return self.is_dateless or self._spawned >= MAX_WINDOWS

    def split(self, window: StoredWindow, stats: WindowStatistics, reason: str) -> list[StoredWindow]:
        """Split a window that is too large into two; return [] if dates do not help."""
        halves = self.halves(window, stats)
        self._barren = self._barren + 1 if stats.is_barren else 0
        if halves is None or self._barren > MAX_BARREN_WINDOWS:
            return []
        self._spawned += 2
        words = f"{reason}; the window {DateRange(window.since, window.until)} is split"
        self._work.note("split", words, weight=Severity.NOTE)
        # The later half first: if its first page is outside of it, the server ignores dates.
        return self._checkpoint.replace([window], [halves[1], halves[0]])

    def halves(self, window: StoredWindow, stats: WindowStatistics) -> tuple[DateRange, DateRange] | None:
        work = self._work
        if self.is_exhausted:
            return None
        return split_window(
            fit_range(DateRange(window.since, window.until), work.granularity),
            stats.middle,
            earliest=work.earliest,
            now=self._checkpoint.started_at or work.now(),
            granularity=work.granularity,
        )

    def replace(self, window: StoredWindow, parts: Sequence[DateRange]) -> list[StoredWindow]:
        """Replace a window by the given parts."""
        self._spawned += len(parts)
        return self._checkpoint.replace([window], parts)

    def merge(self, rest: list[StoredWindow]) -> list[StoredWindow]:
        """Replace windows by one that spans them all, because the repository ignores dates."""
        self.is_dateless = True
        return self._checkpoint.replace(rest, [_span_of_windows(rest)]) if rest else []


def _span_of_windows(rest: list[StoredWindow]) -> DateRange:
    starts, ends = [item.since for item in rest], [item.until for item in rest]
    since = None if None in starts else min(item for item in starts if item)
    return DateRange(since, None if None in ends else max(item for item in ends if item))
