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
        self._first: Page | None = None  # of the list at hand

    def start_list(self, page: Page) -> None:
        """Remember the first page of a list, to compare later ones with it."""
        self._first = page

    def is_suspicious(self, page: Page) -> bool:
        """Return True if a later page of a list whose headers do not name its set may be of another list.

        Its size is another one, or it repeats the first page, or there is no size to go by.
        """
        if not self.spec or self.is_named or self.is_ignored or self.is_kept or not page.records:
            return False
        first = self._first
        return first is None or size_of(first) is None or self.is_certain(page)

    def is_certain(self, page: Page) -> bool:
        """Return True if a page contradicts the first one of its list."""
        first = self._first
        if first is None:
            return False
        before, now = size_of(first), size_of(page)
        if before is not None and now is not None and now - before > max(_FEW, before // 10):
            return True
        known = {record.identifier for record in first.records}
        return before is None and any(record.identifier in known for record in page.records)

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
