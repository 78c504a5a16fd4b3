"""Stated sizes of lists: request the size of a whole list, and remember how far it can be relied on.

Sizes may be estimates, count withheld records, or stop at 10,000. The usual difference between a size and the
holdings is remembered as its baseline; a size that drifts without anything missing is ignored for a while.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from windrow.errors import OaiError, UpstreamError
from windrow.harvest.oai.capabilities import FAILED, SUSPENSION, is_unavailable, note_failure
from windrow.harvest.oai.identifiers import IdentifierHarvest, ignores_set
from windrow.harvest.oai.list_records import first_request, is_ignored_set, is_in_set
from windrow.harvest.oai.page_chain import ask_interruptibly
from windrow.harvest.oai.run_context import HarvestContext
from windrow.harvest.oai.truncation import find_missing
from windrow.model.run import Severity
from windrow.protocols.oai.page_parser import parse_page
from windrow.store import sources
from windrow.store.harvests import list_comparison
from windrow.store.harvests.checkpoints import PLANNED, StoredWindow

if TYPE_CHECKING:
    from windrow.harvest.oai.list_harvest import ListHarvest
    from windrow.protocols.oai.oai_page import Page

MAX_DRIFTS = 2  # consecutive comparisons without a result, after which small differences of size are ignored
FEW = 5  # records whose loss needs no second check
# Keys of the source's identity; each holds a value for each list, by format and set.
_BASELINES, _LOWS = "size_differences", "size_lows"
_DRIFTS, _DRIFTED_AT = "size_drifts", "size_drifted_at"
_UNOBTAINABLE, _SET_SIZES = "unobtainable", "set_sizes"
_FAILED = FAILED.format("ListIdentifiers")


@dataclass(frozen=True, slots=True)
class ListSize:
    """What the first page of a whole list reveals of it."""

    total: int | None  # None: there are more pages, and no size is stated
    lacking: frozenset[str] = frozenset()  # live records on the page that the library does not hold
    page: Page | None = None  # None: the list is empty
    verb: str = "ListIdentifiers"

    @property
    def is_of_records(self) -> bool:
        """Return whether the page is of ListRecords, because ListIdentifiers is not available."""
        return self.verb == "ListRecords"

    @property
    def names(self) -> int:
        return 0 if self.page is None else len({record.identifier for record in self.page.records})


def is_large_loss(lost: int, held: int) -> bool:
    """Return whether a loss is too large to be accepted without a second check."""
    return lost > max(FEW, held // 10)


def whole_list_window(prefix: str, spec: str) -> StoredWindow:
    return StoredWindow(0, prefix, spec, None, None, PLANNED, None, 0, None, None)


def has_bounds(work: HarvestContext) -> bool:
    """Return whether only a part of the list is harvested; its stated size then does not apply."""
    return bool(work.settings.from_ or work.settings.until)


def has_useful_size(work: HarvestContext, spec: str) -> bool:
    """Return whether the size of a list is useful: it can be obtained, and is not that of another list."""
    unchecked = work.identity.get("unchecked_sets")
    is_other = is_ignored_set(work, spec) or (isinstance(unchecked, list) and spec in unchecked)
    return not (has_bounds(work) or is_other)


def request_size(work: HarvestContext, harvest: ListHarvest) -> ListSize | None:
    """Fetch the first page of identifiers, else of records; None if neither is available."""
    prefix, spec = harvest.prefix, harvest.spec
    size = None
    if not is_unavailable(work, "ListIdentifiers"):
        size = _request_first_page(work, prefix, spec, verb="ListIdentifiers")
    # a list that was read from its beginning has revealed its size
    if size is None and not harvest.is_history:
        size = _request_first_page(work, prefix, spec, verb="ListRecords")
    return size


def _request_first_page(work: HarvestContext, prefix: str, spec: str, *, verb: str) -> ListSize | None:
    request = first_request(verb, work, whole_list_window(prefix, spec))
    try:
        page = parse_page(ask_interruptibly(work.client.ask, request, stopper=work.stopper).body)
        for fault in page.faults:
            if fault.code == "noRecordsMatch":
                return ListSize(0, verb=verb)
            raise OaiError(fault.code, fault.text)
    except UpstreamError as exc:
        words = f"{verb} failed, so the size of the list was not checked: {exc}"
        work.note("size", words, weight=Severity.NOTE)
        note_failure(work, verb, exc)
        return None
    if verb == "ListIdentifiers" and work.identity.get(_FAILED) is not None:
        work.learn(**{_FAILED: None})
    is_last = not (page.token and page.token.value)
    stated = page.token.size if page.token else None
    names = {record.identifier for record in page.records}
    lacking = find_missing(work, prefix, page)
    with work.store.writing() as connection:
        live = [record.identifier for record in page.records if not record.is_deleted]
        if list_comparison.has_suspects(connection, work.source.id, live):
            # A missed record is listed again, so a later loss is a new one and needs its own second
            # comparison.
            list_comparison.forget_suspects(connection, work.source.id)
    return ListSize(len(names) if is_last else stated, lacking, page=page if names else None, verb=verb)


def has_wrong_size(check: IdentifierHarvest) -> bool:
    """Return whether a list ended properly and only its stated size was wrong.

    A size that changes from page to page and is only slightly too large is an estimate.
    """
    listed = check.listed
    excess = (listed.claimed or 0) - listed.listed
    is_estimate = listed.is_shorter_than_some and not is_large_loss(excess, listed.listed)
    return listed.is_shorter_than_stated or is_estimate


def is_set_ignored(work: HarvestContext, harvest: ListHarvest, size: ListSize) -> bool:
    """Return whether ListIdentifiers ignores the set, which makes its size meaningless; remember that."""
    spec, page = harvest.spec, size.page
    if not spec or page is None or all(is_in_set(record, spec) for record in page.records):
        return False
    if not ignores_set(work, whole_list_window(harvest.prefix, spec), page):
        return False
    known = work.identity.get("unchecked_sets")
    work.learn(unchecked_sets=[*(known if isinstance(known, list) else []), spec])
    words = f"ListIdentifiers ignores the set {spec}, so the size of the list cannot be checked"
    work.note("size", words, weight=Severity.NOTE)
    return True


class SizeMemory:
    """What earlier runs have found out about the size of one list; kept with the source's identity."""

    def __init__(self, work: HarvestContext, prefix: str, spec: str) -> None:
        self._work = work
        self._prefix = prefix
        self._spec = spec
        self._key = f"{prefix} {spec}"

    @property
    def has_baseline(self) -> bool:
        return self._key in _facts(self._work, _BASELINES)

    @property
    def baseline(self) -> int:
        """The usual difference between the stated size and the holdings."""
        return _number(_facts(self._work, _BASELINES), self._key)

    @property
    def lowest_difference(self) -> int:
        """The baseline, or the difference of the last list if that was lower."""
        lowest = _facts(self._work, _LOWS).get(self._key)
        return min(self.baseline, lowest) if isinstance(lowest, int) else self.baseline

    def learn_lowest_difference(self, difference: int) -> None:
        self._learn(_LOWS, difference)

    def learn_baseline(self, total: int) -> None:
        """Remember the difference between a stated size and the holdings after a complete comparison.

        Sizes may be estimates, count withheld records, or stop at 10,000: a constant difference is no gap.
        """
        work = self._work
        with work.store.writing() as connection:
            format_id = sources.format_id(connection, self._prefix)
            ours = list_comparison.count_holdings(
                connection, work.source.id, self._prefix, format_id, self._spec
            )
        difference = total - ours.listed(lists_tombstones=work.identity.get("deletion") != "no")
        baselines, lows = _facts(work, _BASELINES), _facts(work, _LOWS)
        if difference != self.baseline or self._key in lows:
            lows = {each: value for each, value in lows.items() if each != self._key}
            work.learn(**{_LOWS: lows, _BASELINES: {**baselines, self._key: difference}})

    @property
    def is_unreliable(self) -> bool:
        """Return whether the sizes of this list differed repeatedly of late, while nothing was missing.

        Otherwise a drifting size would cause a comparison of all identifiers each night.
        """
        if self.drifts < MAX_DRIFTS:
            return False
        last = _facts(self._work, _DRIFTED_AT).get(self._key)
        return isinstance(last, str) and self._work.now() - datetime.fromisoformat(last) < SUSPENSION

    @property
    def drifts(self) -> int:
        """How many times in a row a size has caused a comparison that found nothing."""
        return _number(_facts(self._work, _DRIFTS), self._key)

    def learn_reliability(self, *, is_in_vain: bool) -> None:
        """Count a comparison that the size has caused; `is_in_vain`: nothing was missing."""
        if is_in_vain or self.drifts:
            self._learn(_DRIFTS, self.drifts + 1 if is_in_vain else 0)
            self._learn(_DRIFTED_AT, self._work.now().isoformat())

    @property
    def unobtainable(self) -> frozenset[str]:
        """The records of the first page that the last comparison could not fetch."""
        found = _facts(self._work, _UNOBTAINABLE).get(self._key)
        return frozenset(found) if isinstance(found, list) else frozenset()

    def learn_unobtainable(self, size: ListSize) -> None:
        lacking = frozenset() if size.page is None else find_missing(self._work, self._prefix, size.page)
        if lacking != self.unobtainable:
            self._learn(_UNOBTAINABLE, sorted(lacking))

    @property
    def last_size(self) -> int | None:
        """The last stated size of the list of a set that no header names; None if it is not known."""
        found = _facts(self._work, _SET_SIZES).get(self._key)
        return found if isinstance(found, int) else None

    def learn_last_size(self, total: int) -> None:
        if total != self.last_size:
            self._learn(_SET_SIZES, total)

    def _learn(self, name: str, value: object) -> None:
        self._work.learn(**{name: {**_facts(self._work, name), self._key: value}})


def adjust_baselines(work: HarvestContext, deleted: int) -> None:
    """Adjust the known differences for records that a comparison has marked as deleted."""
    for name in (_LOWS, _BASELINES) if deleted else ():
        known = _facts(work, name)
        below = {key: min(_number(known, key) + deleted, 0) for key in known if _number(known, key) < 0}
        if below:
            work.learn(**{name: {**known, **below}})


def _facts(work: HarvestContext, name: str) -> Mapping[str, object]:
    """Return what is known about the lists of a source, by format and set."""
    found = work.identity.get(name)
    return found if isinstance(found, dict) else {}


def _number(facts: Mapping[str, object], key: str) -> int:
    found = facts.get(key)
    return found if isinstance(found, int) else 0
