"""Records of other sets in the list of one set.

Some repositories take the `set` argument of a first request and forget it in their own tokens: from the
second page on they list everything. Others ignore it altogether. Headers name the sets of a record, so both
can be recognised, but only where the headers of the list do name the set: virtual sets often are not there.
"""

from __future__ import annotations

from dataclasses import replace

from windrow.harvest.work import Work
from windrow.model.record import Record
from windrow.wire.oai.page import Page

_THIRD = 3  # offsets that leave the set out often do so from the second page on, and sometimes later
_ENOUGH = 3  # odd pages that are looked into
_MOST_KNOWN = 200_000  # identifiers of a list that are remembered
_FEW = 5  # records by which the size of a list may change while it is read


def is_in_set(record: Record, spec: str) -> bool:
    """Return True if the header names the set or one below it. A tombstone need not name any."""
    if record.is_deleted and not record.sets:
        return True
    return any(each == spec or each.startswith(f"{spec}:") for each in record.sets)


def is_ignored_set(work: Work, spec: str) -> bool:
    """Return True if this repository is known to list everything when asked for this set."""
    known = work.identity.get("ignored_sets")
    return isinstance(known, list) and spec in known


def size_of(page: Page) -> int | None:
    """Return the size of the whole list, if the page states one."""
    return page.token.size if page.token else None


class SetFilter:
    """What the headers of one list have said about its set so far."""

    def __init__(self, spec: str, *, is_ignored: bool = False) -> None:
        self.spec = spec
        self.is_named: bool | None = None  # every header names the set; None before the first page
        self.is_ignored = is_ignored  # the repository lists all sets, and records of others are left out
        self.left_out = 0
        self.is_kept: bool | None = None  # tokens keep a set that headers do not name; None: not known yet
        self.unverified = 0  # pages since the last one that was found to be of the set, the one at hand too
        self._verified = 0  # so many pages of a list are known to be of the set
        self._first: Page | None = None  # of the list at hand
        self._number = 0  # of the page at hand
        self._known: set[int] = set()  # what the list has named so far, where headers do not name the set
        self._last_stamp = ""
        self._is_ordered = True  # by datestamp
        self._is_odd = False  # the page at hand does not go on where the one before ended
        self._explained = 0  # odd pages that belong to the set all the same: the list has no order

    def start_list(self, page: Page) -> None:
        """Remember the first page of a list, to compare later ones with it."""
        self._first, self._number, self.unverified = page, 1, 0
        self._known, self._last_stamp, self._is_ordered = set(), "", True
        self.go_on(page)

    def follow(self, page: Page) -> None:
        """Compare a later page with those before it, where headers do not name the set."""
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
            if len(self._known) < _MOST_KNOWN:
                self._known.update(hash(record.identifier) for record in page.records)

    def confirm(self) -> None:
        """Note that the page at hand is known to belong to the set."""
        self.is_kept, self.unverified = True, 0
        self._verified = max(self._verified, self._number)
        self._explained += self._is_odd

    def is_suspicious(self, page: Page) -> bool:
        """Return True if a later page of a list whose headers do not name its set may be of another list.

        Its size is another one, it repeats records, or its datestamps go back. Where there is no size to go
        by, the pages 2, 3, 6, 12 and so on and the last one are looked at: tokens may forget the set later.
        """
        if not self.spec or self.is_named or self.is_ignored or not page.records:
            return False
        if self._first is None:  # the list goes on from an earlier run
            return not self.is_kept
        if self._is_odd or self.is_larger(page):
            return True
        if size_of(self._first) is not None or self._number <= self._verified:
            return False
        is_last = not (page.token and page.token.value) and self.unverified > 1
        return is_last or self._number >= 2 * self._verified or self._number == _THIRD

    def is_certain(self, page: Page) -> bool:
        """Return True if a page contradicts those before it."""
        is_sized = self._first is not None and size_of(self._first) is not None
        return self.is_larger(page) or (not is_sized and self._repeats(page))

    def is_larger(self, page: Page) -> bool:
        """Return True if the list has become much longer than its first page stated."""
        before, now = None if self._first is None else size_of(self._first), size_of(page)
        return before is not None and now is not None and now - before > max(_FEW, before // 10)

    def is_known(self, identifier: str) -> bool:
        """Return True if an earlier page of the list has named a record."""
        return hash(identifier) in self._known

    def _repeats(self, page: Page) -> bool:
        return any(self.is_known(record.identifier) for record in page.records)

    def begin(self, page: Page) -> bool:
        """Learn from the first page with live records; return True if some of them do not name the set."""
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
