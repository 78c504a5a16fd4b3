"""Completeness check: is everything that a repository lists in the library? Run after each list of each run.

If the repository states the size of its lists, one request reveals a gap. Its cause may be a list that
was incomplete while the provider's index was being built, records listed late under old datestamps, or
records wrongly marked as deleted. A gap is closed by comparing the identifiers and fetching what is missing.

The start of the next harvest is moved only after this check: a repository that suddenly lists nothing, or far
less than before, is more often being rebuilt than emptied.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from difflib import get_close_matches
from typing import TYPE_CHECKING

from windrow.errors import OaiError, UpstreamError
from windrow.harvest.oai.capabilities import FAILED, SUSPENSION, is_unavailable, note_failure
from windrow.harvest.oai.identifiers import (
    MAX_UNREACHABLE,
    IdentifierHarvest,
    IdentifierList,
    fetch_record,
    ignores_set,
)
from windrow.harvest.oai.list_harvest import LIMIT_MULTIPLE, ListHarvest
from windrow.harvest.oai.list_records import first_request, is_ignored_set, is_in_set
from windrow.harvest.oai.page_chain import ListFailed, ask_interruptibly
from windrow.harvest.oai.run_context import HarvestContext
from windrow.harvest.oai.truncation import find_missing
from windrow.model.record import format_datestamp, parse_datestamp, truncate_to_granularity
from windrow.model.run import Severity
from windrow.protocols.oai.page_parser import parse_page
from windrow.store import sources
from windrow.store.harvests import list_comparison
from windrow.store.harvests.checkpoints import PLANNED, StoredWindow
from windrow.store.records.payloads import read_identifiers

if TYPE_CHECKING:
    from windrow.protocols.oai.oai_page import Page
    from windrow.store.connection import Connection
    from windrow.store.harvests.list_comparison import ListHoldings

MAX_SINGLE_REQUESTS = 50  # missing records that are fetched one by one before the whole list is read again
MAX_MOVED_RECORDS = 1000  # records of a set that are requested, to see whether they have moved to another
MAX_DRIFTS = 2  # consecutive comparisons without a result, after which small differences of size are ignored
MAX_RECHECKED = 3  # vanished records that are requested if no sizes are stated
_FEW = 5
_LOWS = "size_lows"  # by how much lists were last shorter than the holdings (a key of the source's identity)
_FAILED = FAILED.format("ListIdentifiers")
_NAMED_SETS = 5


def is_large_loss(lost: int, held: int) -> bool:
    """Return whether a loss is too large to be accepted without a second check."""
    return lost > max(_FEW, held // 10)


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


def check_list(work: HarvestContext, harvest: ListHarvest) -> None:
    """Check the harvest of one list, before the start of the next harvest is moved."""
    if work.options.is_adhoc:
        if not harvest.size:
            _check_set(work, harvest.spec)
        return
    if harvest.since is None and not harvest.seen():
        _check_set(work, harvest.spec)
        words = f"{_label(harvest)}: the list is empty; the next harvest asks for everything again"
        work.tell("empty", words, weight=Severity.NOTE)
        harvest.hold()
    try:
        if work.options.is_verifying:
            compare(work, harvest.prefix, harvest.spec, reason="as --verify asks", harvest=harvest)
        if not _check_loss(work, harvest):
            _check_size(work, harvest)
    except UpstreamError as exc:
        work.tell("size", f"{_label(harvest)}: the list could not be compared with the library: {exc}")
    with work.store.writing() as connection:
        list_comparison.clear(connection, -work.run_id)


def compare(
    work: HarvestContext,
    prefix: str,
    spec: str,
    *,
    reason: str,
    on_page: Callable[[Connection, Page], None] | None = None,
    harvest: ListHarvest | None = None,
) -> IdentifierHarvest:
    """Compare the identifiers of a whole list with the library, and fetch what is missing."""
    work.observer.started(work.name, f"compare {prefix} {spec}".strip())
    window = whole_list_window(prefix, spec)
    check = IdentifierHarvest(work, window, by_stamp=False, most=MAX_SINGLE_REQUESTS, on_page=on_page)
    check.run()
    if check.tally.is_abandoned or _is_cut_at_limit(check):
        before, singly = work.counters.touched, check.tally.fetched
        try:
            ListHarvest(work, prefix, spec, is_again=True).run()
        except ListFailed as failure:
            work.tell(
                "missing", f"{reason}; the list could not be read again: {failure}", weight=Severity.NOTE
            )
        brought = work.counters.touched - before + singly
        check = IdentifierHarvest(work, window, by_stamp=False, is_bounded=True, on_page=on_page)
        check.run()
        check.tally.fetched += brought
        check.tally.lacking += brought
    if check.is_whole or check.tally.lacking or on_page is None:
        _report(work, check, f"{prefix} {spec}", reason)
    if harvest is not None and harvest.since is not None:
        _report_late(work, check, harvest.since)
    return check


def _is_cut_at_limit(check: IdentifierHarvest) -> bool:
    """Return whether a list of identifiers ended before its stated size, perhaps because of a limit.

    Such a list can be read completely as windows.
    """
    listed, gist = check.listed, check.listed.gist
    is_round = gist.has_full_end or listed.listed % LIMIT_MULTIPLE == 0
    # otherwise the size may be an estimate
    is_large = is_large_loss((listed.claimed or 0) - listed.listed, listed.listed)
    return listed.is_shorter_than_some and is_large and is_round and not gist.is_one_moment


def whole_list_window(prefix: str, spec: str) -> StoredWindow:
    return StoredWindow(0, prefix, spec, None, None, PLANNED, None, 0, None, None)


def _report(work: HarvestContext, check: IdentifierHarvest, key: str, reason: str) -> None:
    tally = check.tally
    words = (
        f"{key.strip()}: {reason}; of {check.distinct:,} listed records {tally.lacking:,} were missing here"
    )
    if tally.lacking:
        words += f" and {tally.fetched:,} have been fetched"
    if not check.is_whole and tally.reason:
        words += f" ({tally.reason})"
    is_end = check.is_whole or (_has_wrong_size(check) and _drift_count(work, key) > 0)
    is_fine = is_end and tally.fetched + tally.elsewhere >= tally.lacking
    if tally.lacking or not is_fine or work.options.is_verifying:
        work.tell("missing", words, weight=Severity.NOTE if is_fine else Severity.PROBLEM)


def _report_late(work: HarvestContext, check: IdentifierHarvest, since: str) -> None:
    """Recommend an overlap if the missing records have datestamps from before the last harvest."""
    oldest, start = parse_datestamp(check.tally.oldest), parse_datestamp(since)
    if not check.tally.fetched or oldest is None or start is None or oldest >= start:
        return
    late = start - oldest
    if late > timedelta(days=365):
        return  # not late, but never listed
    days = late.days + 1
    work.learn(late_days=max(days, _number(work.identity, "late_days")))
    words = f"records were listed late, with datestamps from up to {days} days before the last harvest"
    action = f"`windrow source edit {work.name} --set-option overlap={days}d` asks for them each time"
    work.tell("late", f"{words}; {action}", weight=Severity.NOTE)


# A list that is shorter than expected


def _check_set(work: HarvestContext, spec: str) -> None:
    """Raise ListFailed if an empty list belongs to a set that the repository does not have."""
    if not spec:
        return
    doubts: list[str] = []
    try:
        known = {entry.spec for entry in work.client.sets(on_endless=doubts.append)}
    except UpstreamError as exc:
        if not isinstance(exc, OaiError) or exc.code != "noSetHierarchy":
            work.tell(
                "set", f"ListSets failed, so it is not known if {spec} exists: {exc}", weight=Severity.NOTE
            )
            return
        known = set()
    if doubts or any(each == spec or each.startswith(f"{spec}:") for each in known):
        return
    near = get_close_matches(spec, known, n=_NAMED_SETS) or sorted(known)[:_NAMED_SETS]
    offered = f"its sets are {', '.join(near)}" if near else "it has no sets"
    if len(known) > len(near) > 0:
        offered = f"of its {len(known):,} sets the nearest are {', '.join(near)}"
    raise ListFailed(f"the repository has no set {spec}: {offered}")


def _check_loss(work: HarvestContext, harvest: ListHarvest) -> bool:
    """Return whether a complete pass missed much of what the library holds; if so, report it."""
    marks = harvest.marks
    if marks is None or not harvest.is_history or _has_bounds(work):
        return False
    with work.store.writing() as connection:
        format_id = sources.format_id(connection, harvest.prefix)
        numbers = list_comparison.read_live_numbers(connection, work.source.id, format_id, harvest.spec)
        live, unmet = len(numbers), marks.unmet(numbers)
        some = unmet[:MAX_MOVED_RECORDS] if harvest.spec else ()
        names = list(read_identifiers(connection, some).values())
    lost = len(unmet)
    if harvest.spec and (is_large_loss(lost, live) or lost == live):
        lost -= _update_moved(work, harvest, names)
    if not is_large_loss(lost, live) and (lost < live or not lost):
        return False
    _check_reduced(work, harvest, live - len(unmet), live)
    return True


def _update_moved(work: HarvestContext, harvest: ListHarvest, names: Sequence[str]) -> int:
    """Update those vanished records of a set that are in other sets now; return their number.

    A record that leaves a set is no longer in its list, and OAI-PMH has no tombstone for that.
    """
    moved = missed = 0
    for name in names:
        work.stopper.check()
        found = fetch_record(work, name, harvest.prefix, failures=MAX_UNREACHABLE)
        records = found if isinstance(found, list) else []
        if any(each.sets and not each.is_deleted and not is_in_set(each, harvest.spec) for each in records):
            moved += 1
            with work.storing() as connection:
                work.put(connection, harvest.prefix, records, ())
        else:
            missed += 1
        if missed > max(_FEW, moved):
            break
    if moved:
        words = f"{moved:,} records have left the set and are in others now"
        work.tell("moved-sets", f"{_label(harvest)}: {words}", weight=Severity.NOTE)
    return moved


def _check_reduced(work: HarvestContext, harvest: ListHarvest, there: int, ours: int) -> None:
    """Report that the repository lists far less than the library holds; nothing is deleted for that yet."""
    harvest.hold()
    work.is_reduced = True
    words = f"{_label(harvest)}: the repository lists {there:,} of the {ours:,} records held here"
    words += "; its index may be incomplete, so the next harvest starts where this one did"
    action = f"`windrow harvest {work.name} --reconcile`, made twice, marks what was deleted there"
    if not there:
        action = (
            "Nothing is marked as deleted while a list is empty; if the repository was emptied for good, "
        )
        action += f"`windrow source remove {work.name}` removes its records"
        if harvest.spec:
            action = f"If the set {harvest.spec} is no longer used, take it out of the settings of the source"
    work.tell("reduced", f"{words}. {action}")


# Sizes


def _check_size(work: HarvestContext, harvest: ListHarvest) -> None:
    key = _key(harvest)
    size = _ask_size(work, harvest) if _has_useful_size(work, harvest.spec) else None
    if size is None:
        if not harvest.size:
            # nothing came, and nothing shows that the list is empty: asking again costs nothing
            harvest.hold()
        return
    with work.store.writing() as connection:
        format_id = sources.format_id(connection, harvest.prefix)
        ours = list_comparison.count_holdings(
            connection, work.source.id, harvest.prefix, format_id, harvest.spec
        )
    if harvest.spec and not ours.live and not ours.tombstones:
        _check_unnamed_set(work, harvest, size)
        return
    lacking = size.lacking - _unobtainable(work, key)
    if known := len(size.lacking - lacking):
        words = f"{known:,} listed records could not be had when the list was last compared"
        action = f"`windrow harvest {work.name} --verify` asks for them again"
        work.tell("missing", f"{_label(harvest)}: {words}; {action}", weight=Severity.NOTE)
    if size.total is None:
        work.is_unsized = True
        if lacking or ours.listed(lists_tombstones=True) <= size.names:
            _check_unsized(work, harvest, size, lacking)
    else:
        _check_total(work, harvest, size, size.total, ours, lacking)


def _check_total(
    work: HarvestContext,
    harvest: ListHarvest,
    size: ListSize,
    total: int,
    ours: ListHoldings,
    lacking: frozenset[str],
) -> None:
    """Compare a stated size with the holdings, less the difference that is known to be usual."""
    key = _key(harvest)
    expected = ours.listed(lists_tombstones=work.identity.get("deletion") != "no")
    difference, usual = total - expected, _number(_baselines(work), key)
    lowest = min(usual, _number({key: usual, **_facts(work, _LOWS)}, key))
    gap = difference - lowest
    if gap > 0 or lacking:
        if _ignores_set(work, harvest, size):
            return
        if _is_unreliable(work, key) and not is_large_loss(gap, ours.live):
            _fetch_listed(work, harvest, size, lacking)
        elif not _is_new(work, harvest, max(gap, len(lacking))):
            _close_gap(work, harvest, size, expected)
    elif size.is_of_records and size.page is not None:
        return  # a size that is too small may be a limit, which only identifiers would reveal
    elif is_large_loss(usual - difference, ours.live) or (size.page is None and ours.live):
        _examine_shortfall(work, harvest, size, ours)
    elif harvest.is_longer_than_stated and key not in _baselines(work):
        _close_gap(work, harvest, size, expected)  # a size that is too small hides as many missing records
    # the repository may have dropped tombstones, for example, which must not hide missing records
    elif difference < lowest:
        work.learn(**{_LOWS: {**_facts(work, _LOWS), key: difference}})


def _check_unnamed_set(work: HarvestContext, harvest: ListHarvest, size: ListSize) -> None:
    """Check the list of a set that no header names, whose records cannot be distinguished in the library.

    Only its size can be compared with the last one, and the records of its first page with the library.
    """
    key, sizes = _key(harvest), _facts(work, "set_sizes")
    known = 0 if harvest.is_history else _number(sizes, key)
    brought = harvest.size if harvest.is_history else harvest.added
    gap = 0 if size.total is None else size.total - known - brought
    is_known = harvest.is_history or key in sizes
    if size.total is not None and sizes.get(key) != size.total:
        work.learn(set_sizes={**sizes, key: size.total})
    lacking = size.lacking - _unobtainable(work, key)
    if (lacking or (gap > 0 and is_known)) and not _is_new(work, harvest, max(gap, len(lacking))):
        words = "records are listed that are not here"
        if size.is_of_records:
            _reread_list(work, harvest, reason=words)
        else:
            compare(work, harvest.prefix, harvest.spec, reason=words, harvest=harvest)
        _learn_unobtainable(work, harvest, size)


def _check_unsized(
    work: HarvestContext, harvest: ListHarvest, size: ListSize, lacking: frozenset[str]
) -> None:
    """Examine a list without a stated size that seems to contain more than the library holds."""
    if _ignores_set(work, harvest, size):
        return
    if _is_unreliable(work, _key(harvest)):
        _fetch_listed(work, harvest, size, lacking)
    elif not _is_new(work, harvest, max(1, len(lacking))):
        words = "records are listed that are not here"
        if not lacking:
            words = "the list of identifiers goes on after all records that are here"
        if size.is_of_records:
            brought = _reread_list(work, harvest, reason=words)
        else:
            brought = compare(work, harvest.prefix, harvest.spec, reason=words, harvest=harvest).tally.fetched
        _learn_unobtainable(work, harvest, size)
        _learn_reliability(work, harvest, is_in_vain=not brought)


def _has_useful_size(work: HarvestContext, spec: str) -> bool:
    """Return whether the size of a list is useful: it can be obtained, and is not that of another list."""
    unchecked = work.identity.get("unchecked_sets")
    is_other = is_ignored_set(work, spec) or (isinstance(unchecked, list) and spec in unchecked)
    return not (_has_bounds(work) or is_other)


def _ask_size(work: HarvestContext, harvest: ListHarvest) -> ListSize | None:
    """Fetch the first page of identifiers, else of records; None if neither is available."""
    prefix, spec = harvest.prefix, harvest.spec
    size = None
    if not is_unavailable(work, "ListIdentifiers"):
        size = _ask_first_page(work, prefix, spec, verb="ListIdentifiers")
    # a list that was read from its beginning has revealed its size
    if size is None and not harvest.is_history:
        size = _ask_first_page(work, prefix, spec, verb="ListRecords")
    return size


def _ask_first_page(work: HarvestContext, prefix: str, spec: str, *, verb: str) -> ListSize | None:
    request = first_request(verb, work, whole_list_window(prefix, spec))
    try:
        page = parse_page(ask_interruptibly(work.client.ask, request, stopper=work.stopper).body)
        for fault in page.faults:
            if fault.code == "noRecordsMatch":
                return ListSize(0, verb=verb)
            raise OaiError(fault.code, fault.text)
    except UpstreamError as exc:
        words = f"{verb} failed, so the size of the list was not checked: {exc}"
        work.tell("size", words, weight=Severity.NOTE)
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


def _is_new(work: HarvestContext, harvest: ListHarvest, gap: int) -> bool:
    """Return whether a gap consists of what the repository has added since the harvest began."""
    start = harvest.started_at
    if start is None:
        return False
    since = format_datestamp(truncate_to_granularity(start, work.granularity), work.granularity)
    window = StoredWindow(0, harvest.prefix, harvest.spec, since, None, PLANNED, None, 0, None, None)
    found = 0
    for page in IdentifierList(work, window).pages():
        new = [
            each
            for each in page.records
            if (parse_datestamp(each.stamp) or start) >= truncate_to_granularity(start, work.granularity)
        ]
        if page.records and not new:
            return False  # it ignores dates, and lists old records
        found += len(find_missing(work, harvest.prefix, replace(page, records=new)))
        if found >= gap:
            return True
    return False


def _close_gap(work: HarvestContext, harvest: ListHarvest, size: ListSize, expected: int) -> None:
    total = size.total or 0
    words = f"the repository lists {total:,} records and the library holds {expected:,}"
    if size.is_of_records:
        brought = _reread_list(work, harvest, reason=words)
        _learn_baseline(work, harvest, total)
        _learn_unobtainable(work, harvest, size)
        _learn_reliability(work, harvest, is_in_vain=not brought)
        return
    check = compare(work, harvest.prefix, harvest.spec, reason=words, harvest=harvest)
    if check.is_whole or check.listed.is_shorter_than_stated:
        _learn_baseline(work, harvest, total)
        _learn_unobtainable(work, harvest, size)
        _learn_reliability(work, harvest, is_in_vain=not check.tally.fetched)
    elif _has_wrong_size(check):
        _learn_reliability(work, harvest, is_in_vain=not check.tally.fetched)


def _reread_list(work: HarvestContext, harvest: ListHarvest, *, reason: str) -> int:
    """Read a whole list again if its identifiers are not available; return how many records that brought."""
    before = work.counters.touched
    again = ListHarvest(work, harvest.prefix, harvest.spec, is_again=True)
    try:
        again.run()
    except ListFailed as failure:
        work.tell("missing", f"{_label(harvest)}: {reason}; the list could not be read again: {failure}")
        return 0
    brought = work.counters.touched - before
    words = f"{reason}; the whole list was read again, which brought {brought:,} records"
    work.tell("missing", f"{_label(harvest)}: {words}", weight=Severity.NOTE)
    return brought


def _has_wrong_size(check: IdentifierHarvest) -> bool:
    """Return whether a list ended properly and only its stated size was wrong.

    A size that changes from page to page and is only slightly too large is an estimate.
    """
    listed = check.listed
    excess = (listed.claimed or 0) - listed.listed
    is_estimate = listed.is_shorter_than_some and not is_large_loss(excess, listed.listed)
    return listed.is_shorter_than_stated or is_estimate


def _ignores_set(work: HarvestContext, harvest: ListHarvest, size: ListSize) -> bool:
    """Return whether ListIdentifiers ignores the set, which makes its size meaningless; remember that."""
    spec, page = harvest.spec, size.page
    if not spec or page is None or all(is_in_set(record, spec) for record in page.records):
        return False
    if not ignores_set(work, whole_list_window(harvest.prefix, spec), page):
        return False
    known = work.identity.get("unchecked_sets")
    work.learn(unchecked_sets=[*(known if isinstance(known, list) else []), spec])
    words = f"ListIdentifiers ignores the set {spec}, so the size of the list cannot be checked"
    work.tell("size", words, weight=Severity.NOTE)
    return True


def _is_unreliable(work: HarvestContext, key: str) -> bool:
    """Return whether the sizes of this list differed repeatedly of late, while nothing was missing.

    Otherwise a drifting size would cause a comparison of all identifiers each night.
    """
    if _drift_count(work, key) < MAX_DRIFTS:
        return False
    last = _facts(work, "size_drifted_at").get(key)
    return isinstance(last, str) and work.now() - datetime.fromisoformat(last) < SUSPENSION


def _drift_count(work: HarvestContext, key: str) -> int:
    """Return how many times in a row a size has caused a comparison that found nothing."""
    return _number(_facts(work, "size_drifts"), key)


def _fetch_listed(work: HarvestContext, harvest: ListHarvest, size: ListSize, names: frozenset[str]) -> None:
    """Fetch the missing records of the first page, if the whole list is not compared."""
    for name in sorted(names)[:MAX_SINGLE_REQUESTS]:
        work.stopper.check()
        found = fetch_record(work, name, harvest.prefix, failures=MAX_UNREACHABLE)
        if isinstance(found, list):
            with work.storing() as connection:
                work.put(connection, harvest.prefix, found)
    if names:
        _learn_unobtainable(work, harvest, size)


def _learn_reliability(work: HarvestContext, harvest: ListHarvest, *, is_in_vain: bool) -> None:
    key = _key(harvest)
    count = _drift_count(work, key)
    if is_in_vain or count:
        work.learn(
            size_drifts={**_facts(work, "size_drifts"), key: count + 1 if is_in_vain else 0},
            size_drifted_at={**_facts(work, "size_drifted_at"), key: work.now().isoformat()},
        )


def _unobtainable(work: HarvestContext, key: str) -> frozenset[str]:
    """Return the records of the first page that the last comparison could not fetch."""
    found = _facts(work, "unobtainable").get(key)
    return frozenset(found) if isinstance(found, list) else frozenset()


def _learn_unobtainable(work: HarvestContext, harvest: ListHarvest, size: ListSize) -> None:
    key = _key(harvest)
    lacking = frozenset() if size.page is None else find_missing(work, harvest.prefix, size.page)
    if lacking != _unobtainable(work, key):
        work.learn(unobtainable={**_facts(work, "unobtainable"), key: sorted(lacking)})


def _examine_shortfall(
    work: HarvestContext, harvest: ListHarvest, size: ListSize, ours: ListHoldings
) -> None:
    """Read the list that seems too short: its size may be wrong, as when a search engine caps it."""
    there, total, is_whole = 0, size.total or 0, size.page is None
    with work.store.writing() as connection:
        list_comparison.clear(connection, -work.run_id)
    if not is_whole:
        check = IdentifierHarvest(
            work, whole_list_window(harvest.prefix, harvest.spec), by_stamp=False, most=MAX_SINGLE_REQUESTS
        )
        check.run()
        there, is_whole = check.distinct, check.is_whole
    lost = ours.live - there
    if harvest.spec and is_whole and (is_large_loss(lost, ours.live) or not there):
        with work.store.reading() as connection:
            names = list_comparison.find_vanished(connection, work.source.id, -work.run_id, (harvest.spec,))
        lost -= _update_moved(work, harvest, names)
    if is_whole and not is_large_loss(lost, ours.live) and (there or not lost):
        _learn_baseline(work, harvest, total)
        return
    if _is_cut_off(work, harvest):
        _learn_baseline(work, harvest, total)
    else:
        _check_reduced(work, harvest, there, ours.live)


def _is_cut_off(work: HarvestContext, harvest: ListHarvest) -> bool:
    """Return whether a record that the list lacks is listed when its own date is requested.

    Repositories without tokens end each list after the first page; the rest is available only by date.
    """
    with work.store.reading() as connection:
        stamp = list_comparison.newest_unlisted(connection, work.source.id, -work.run_id, harvest.spec)
    moment = parse_datestamp(stamp or "")
    if moment is None:
        return False
    day = format_datestamp(moment, work.granularity)
    window = StoredWindow(0, harvest.prefix, harvest.spec, day, day, PLANNED, None, 0, None, None)
    check = IdentifierHarvest(work, window, by_stamp=False, most=0)
    check.run()
    return bool(check.distinct)


def _learn_baseline(work: HarvestContext, harvest: ListHarvest, total: int) -> None:
    """Remember the difference between the stated size and the holdings after a complete comparison.

    Sizes may be estimates, count withheld records, or stop at 10,000: a constant difference is no gap.
    """
    with work.store.writing() as connection:
        format_id = sources.format_id(connection, harvest.prefix)
        ours = list_comparison.count_holdings(
            connection, work.source.id, harvest.prefix, format_id, harvest.spec
        )
    difference = total - ours.listed(lists_tombstones=work.identity.get("deletion") != "no")
    key, lows = _key(harvest), _facts(work, _LOWS)
    if difference != _number(_baselines(work), key) or key in lows:
        lows = {each: value for each, value in lows.items() if each != key}
        work.learn(**{_LOWS: lows}, size_differences={**_baselines(work), key: difference})


def note_deleted(work: HarvestContext, count: int) -> None:
    """Adjust the known differences for records that a comparison has marked as deleted."""
    for name in (_LOWS, "size_differences") if count else ():
        known = _facts(work, name)
        below = {key: min(_number(known, key) + count, 0) for key in known if _number(known, key) < 0}
        if below:
            work.learn(**{name: {**known, **below}})


# Records that a comparison has marked as deleted, and that have reappeared


def recheck_vanished(work: HarvestContext, prefixes: tuple[str, ...], specs: tuple[str, ...]) -> None:
    """Request a few recently vanished records, if no size would show that they have reappeared."""
    interval = work.settings.reconcile
    if interval is None or work.options.is_adhoc or not work.is_unsized:
        return
    since = (work.now() - timedelta(seconds=interval)).isoformat()
    with work.store.reading() as connection:
        names = list_comparison.marked_since(connection, work.source.id, since)
    step = max(1, len(names) // MAX_RECHECKED)
    for name in names[::step][:MAX_RECHECKED]:
        work.stopper.check()
        try:
            found = fetch_record(work, name, prefixes[0], failures=MAX_UNREACHABLE)
        except UpstreamError:
            return
        if isinstance(found, list) and any(not record.is_deleted for record in found):
            for prefix in prefixes:
                for spec in specs or ("",):
                    compare(work, prefix, spec, reason="records that had vanished are there again")
            return


def _has_bounds(work: HarvestContext) -> bool:
    """Return whether only a part of the list is harvested; its stated size then does not apply."""
    return bool(work.settings.from_ or work.settings.until)


def _label(harvest: ListHarvest) -> str:
    return f"{harvest.prefix} {harvest.spec}".strip()


def _key(harvest: ListHarvest) -> str:
    return f"{harvest.prefix} {harvest.spec}"


def _baselines(work: HarvestContext) -> Mapping[str, object]:
    return _facts(work, "size_differences")


def _facts(work: HarvestContext, name: str) -> Mapping[str, object]:
    """Return what is known about the lists of a source, by format and set."""
    found = work.identity.get(name)
    return found if isinstance(found, dict) else {}


def _number(facts: Mapping[str, object], key: str) -> int:
    found = facts.get(key)
    return found if isinstance(found, int) else 0
