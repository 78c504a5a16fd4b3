"""What is remembered of a window's pages: enough to see that a list is odd, and where to split it."""

from __future__ import annotations

from datetime import datetime, timedelta

from windrow.harvest.windows import Stretch
from windrow.model.stamp import read_stamp
from windrow.wire.oai.page import Page

_SLACK = timedelta(days=1)  # local time where UTC is meant
_FEWEST = 10  # records on a page that may be the first of several
_MOST_HOLES = 5  # empty pages that are looked into


class Gist:
    """A few facts of the pages of one window, in a few bytes a page."""

    def __init__(self, stretch: Stretch, *, is_resumed: bool = False) -> None:
        self._is_resumed = is_resumed  # pages of this window came in an earlier run
        self._since = read_stamp(stretch.since or "")
        self._until = read_stamp(stretch.until or "")
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
        ends = ((read_stamp(before), read_stamp(after)) for before, after in self._holes)
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
        moments = sorted(moment for moment in map(read_stamp, self._stamps) if moment is not None)
        if not moments:
            return None
        place = len(moments) // 2  # the first record of a page is its oldest one, or its newest
        return moments[len(moments) - 1 - place if self._is_reversed else place]

    @property
    def halfway(self) -> datetime | None:
        """The moment between the oldest and the newest datestamp."""
        low, high = (read_stamp(stamp) for stamp in self._range)
        return low + (high - low) / 2 if low is not None and high is not None else None

    @property
    def ends(self) -> tuple[datetime | None, datetime | None]:
        """About the oldest and the newest of what came."""
        moments = [moment for moment in map(read_stamp, self._stamps) if moment is not None]
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
        return read_stamp(self._last_stamp) if self._is_ordered else None

    @property
    def is_sorted(self) -> bool:
        """The list came in the order of its datestamps, or in the opposite one."""
        return self._is_ordered or self._is_reversed

    @property
    def oldest(self) -> datetime | None:
        """The datestamp of the last record, where the list came with the newest first."""
        return read_stamp(self._last_stamp) if self._is_reversed else None

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
        moments = [read_stamp(stamp) for stamp in stamps]
        return bool(moments) and all(moment is not None and self._is_out(moment) for moment in moments)

    def _is_out(self, moment: datetime) -> bool:
        is_early = self._since is not None and moment < self._since - _SLACK
        return is_early or (self._until is not None and moment > self._until + _SLACK)
