"""Completeness check: is everything that a repository lists in the library? Run after each list of each run.

If the repository states the size of its lists, one request reveals a gap. Its cause may be a list that
was incomplete while the provider's index was being built, records listed late under old datestamps, or
records wrongly marked as deleted. A gap is closed by comparing the identifiers and fetching what is missing.

The start of the next harvest is moved only after this check: a repository that suddenly lists nothing, or far
less than before, is more often being rebuilt than emptied.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from difflib import get_close_matches
from typing import TYPE_CHECKING

from windrow.errors import OaiError, UpstreamError
from windrow.harvest.oai.identifiers import (
    MAX_UNREACHABLE,
    IdentifierHarvest,
    IdentifierList,
    fetch_record,
)
from windrow.harvest.oai.list_harvest import ListHarvest
from windrow.harvest.oai.list_records import is_in_set
from windrow.harvest.oai.page_chain import ListFailed
from windrow.harvest.oai.run_context import HarvestContext
from windrow.harvest.oai.stated_sizes import (
    FEW,
    ListSize,
    SizeMemory,
    has_bounds,
    has_useful_size,
    has_wrong_size,
    is_large_loss,
    is_set_ignored,
    request_size,
    whole_list_window,
)
from windrow.harvest.oai.truncation import LIMIT_MULTIPLE, find_missing
from windrow.model.record import format_datestamp, parse_datestamp, truncate_to_granularity
from windrow.model.run import Severity
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
MAX_RECHECKED = 3  # vanished records that are requested if no sizes are stated
_NAMED_SETS = 5


def check_list(work: HarvestContext, harvest: ListHarvest) -> None:
    """Check the harvest of one list, before the start of the next harvest is moved."""
    if work.options.is_adhoc:
        if not harvest.size:
            _check_set(work, harvest.spec)
        return
    if harvest.since is None and not harvest.seen():
        _check_set(work, harvest.spec)
        words = f"{_label(harvest)}: the list is empty; the next harvest asks for everything again"
        work.note("empty", words, weight=Severity.NOTE)
        harvest.hold()
    try:
        if work.options.is_verifying:
            compare(work, harvest.prefix, harvest.spec, reason="as --verify asks", harvest=harvest)
        if not _check_loss(work, harvest):
            _check_size(work, harvest)
    except UpstreamError as exc:
        work.note("size", f"{_label(harvest)}: the list could not be compared with the library: {exc}")
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
            work.note(
                "missing", f"{reason}; the list could not be read again: {failure}", weight=Severity.NOTE
            )
        brought = work.counters.touched - before + singly
        check = IdentifierHarvest(work, window, by_stamp=False, is_bounded=True, on_page=on_page)
        check.run()
        check.tally.fetched += brought
        check.tally.lacking += brought
    if check.is_whole or check.tally.lacking or on_page is None:
        _report(work, check, reason)
    if harvest is not None and harvest.since is not None:
        _report_late(work, check, harvest.since)
    return check


def _is_cut_at_limit(check: IdentifierHarvest) -> bool:
    """Return whether a list of identifiers ended before its stated size, perhaps because of a limit.

    Such a list can be read completely as windows.
    """
    listed, stats = check.listed, check.listed.stats
    is_round = stats.has_full_end or listed.listed % LIMIT_MULTIPLE == 0
    # otherwise the size may be an estimate
    is_large = is_large_loss((listed.claimed or 0) - listed.listed, listed.listed)
    return listed.is_shorter_than_some and is_large and is_round and not stats.is_one_moment


def _report(work: HarvestContext, check: IdentifierHarvest, reason: str) -> None:
    tally, prefix, spec = check.tally, check.window.format, check.window.spec
    words = f"{prefix} {spec}".strip()
    words += f": {reason}; of {check.distinct:,} listed records {tally.lacking:,} were missing here"
    if tally.lacking:
        words += f" and {tally.fetched:,} have been fetched"
    if not check.is_whole and tally.reason:
        words += f" ({tally.reason})"
    is_end = check.is_whole or (has_wrong_size(check) and SizeMemory(work, prefix, spec).drifts > 0)
    is_fine = is_end and tally.fetched + tally.elsewhere >= tally.lacking
    if tally.lacking or not is_fine or work.options.is_verifying:
        work.note("missing", words, weight=Severity.NOTE if is_fine else Severity.PROBLEM)


def _report_late(work: HarvestContext, check: IdentifierHarvest, since: str) -> None:
    """Recommend an overlap if the missing records have datestamps from before the last harvest."""
    oldest, start = parse_datestamp(check.tally.oldest), parse_datestamp(since)
    if not check.tally.fetched or oldest is None or start is None or oldest >= start:
        return
    late = start - oldest
    if late > timedelta(days=365):
        return  # not late, but never listed
    days = late.days + 1
    known = work.identity.get("late_days")
    work.learn(late_days=max(days, known if isinstance(known, int) else 0))
    words = f"records were listed late, with datestamps from up to {days} days before the last harvest"
    action = f"`windrow source edit {work.name} --set-option overlap={days}d` asks for them each time"
    work.note("late", f"{words}; {action}", weight=Severity.NOTE)


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
            work.note(
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
    if marks is None or not harvest.is_history or has_bounds(work):
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
        if missed > max(FEW, moved):
            break
    if moved:
        words = f"{moved:,} records have left the set and are in others now"
        work.note("moved-sets", f"{_label(harvest)}: {words}", weight=Severity.NOTE)
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
    work.note("reduced", f"{words}. {action}")


# Sizes


def _check_size(work: HarvestContext, harvest: ListHarvest) -> None:
    size = request_size(work, harvest) if has_useful_size(work, harvest.spec) else None
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
    lacking = size.lacking - _memory(work, harvest).unobtainable
    if known := len(size.lacking - lacking):
        words = f"{known:,} listed records could not be had when the list was last compared"
        action = f"`windrow harvest {work.name} --verify` asks for them again"
        work.note("missing", f"{_label(harvest)}: {words}; {action}", weight=Severity.NOTE)
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
    memory = _memory(work, harvest)
    expected = ours.listed(lists_tombstones=work.identity.get("deletion") != "no")
    difference = total - expected
    gap = difference - memory.lowest_difference
    if gap > 0 or lacking:
        if is_set_ignored(work, harvest, size):
            return
        if memory.is_unreliable and not is_large_loss(gap, ours.live):
            _fetch_listed(work, harvest, size, lacking)
        elif not _is_new(work, harvest, max(gap, len(lacking))):
            _close_gap(work, harvest, size, expected)
    elif size.is_of_records and size.page is not None:
        return  # a size that is too small may be a limit, which only identifiers would reveal
    elif is_large_loss(memory.baseline - difference, ours.live) or (size.page is None and ours.live):
        _examine_shortfall(work, harvest, size, ours)
    elif harvest.is_longer_than_stated and not memory.has_baseline:
        _close_gap(work, harvest, size, expected)  # a size that is too small hides as many missing records
    # the repository may have dropped tombstones, for example, which must not hide missing records
    elif difference < memory.lowest_difference:
        memory.learn_lowest_difference(difference)


def _check_unnamed_set(work: HarvestContext, harvest: ListHarvest, size: ListSize) -> None:
    """Check the list of a set that no header names, whose records cannot be distinguished in the library.

    Only its size can be compared with the last one, and the records of its first page with the library.
    """
    memory = _memory(work, harvest)
    last = memory.last_size
    known = 0 if harvest.is_history else last or 0
    brought = harvest.size if harvest.is_history else harvest.added
    gap = 0 if size.total is None else size.total - known - brought
    is_known = harvest.is_history or last is not None
    if size.total is not None:
        memory.learn_last_size(size.total)
    lacking = size.lacking - memory.unobtainable
    if (lacking or (gap > 0 and is_known)) and not _is_new(work, harvest, max(gap, len(lacking))):
        words = "records are listed that are not here"
        if size.is_of_records:
            _reread_list(work, harvest, reason=words)
        else:
            compare(work, harvest.prefix, harvest.spec, reason=words, harvest=harvest)
        memory.learn_unobtainable(size)


def _check_unsized(
    work: HarvestContext, harvest: ListHarvest, size: ListSize, lacking: frozenset[str]
) -> None:
    """Examine a list without a stated size that seems to contain more than the library holds."""
    if is_set_ignored(work, harvest, size):
        return
    memory = _memory(work, harvest)
    if memory.is_unreliable:
        _fetch_listed(work, harvest, size, lacking)
    elif not _is_new(work, harvest, max(1, len(lacking))):
        words = "records are listed that are not here"
        if not lacking:
            words = "the list of identifiers goes on after all records that are here"
        if size.is_of_records:
            brought = _reread_list(work, harvest, reason=words)
        else:
            brought = compare(work, harvest.prefix, harvest.spec, reason=words, harvest=harvest).tally.fetched
        memory.learn_unobtainable(size)
        memory.learn_reliability(is_in_vain=not brought)


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
    total, memory = size.total or 0, _memory(work, harvest)
    words = f"the repository lists {total:,} records and the library holds {expected:,}"
    if size.is_of_records:
        brought = _reread_list(work, harvest, reason=words)
        memory.learn_baseline(total)
        memory.learn_unobtainable(size)
        memory.learn_reliability(is_in_vain=not brought)
        return
    check = compare(work, harvest.prefix, harvest.spec, reason=words, harvest=harvest)
    if check.is_whole or check.listed.is_shorter_than_stated:
        memory.learn_baseline(total)
        memory.learn_unobtainable(size)
        memory.learn_reliability(is_in_vain=not check.tally.fetched)
    elif has_wrong_size(check):
        memory.learn_reliability(is_in_vain=not check.tally.fetched)


def _reread_list(work: HarvestContext, harvest: ListHarvest, *, reason: str) -> int:
    """Read a whole list again if its identifiers are not available; return how many records that brought."""
    before = work.counters.touched
    again = ListHarvest(work, harvest.prefix, harvest.spec, is_again=True)
    try:
        again.run()
    except ListFailed as failure:
        work.note("missing", f"{_label(harvest)}: {reason}; the list could not be read again: {failure}")
        return 0
    brought = work.counters.touched - before
    words = f"{reason}; the whole list was read again, which brought {brought:,} records"
    work.note("missing", f"{_label(harvest)}: {words}", weight=Severity.NOTE)
    return brought


def _fetch_listed(work: HarvestContext, harvest: ListHarvest, size: ListSize, names: frozenset[str]) -> None:
    """Fetch the missing records of the first page, if the whole list is not compared."""
    for name in sorted(names)[:MAX_SINGLE_REQUESTS]:
        work.stopper.check()
        found = fetch_record(work, name, harvest.prefix, failures=MAX_UNREACHABLE)
        if isinstance(found, list):
            with work.storing() as connection:
                work.put(connection, harvest.prefix, found)
    if names:
        _memory(work, harvest).learn_unobtainable(size)


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
        _memory(work, harvest).learn_baseline(total)
        return
    if _is_cut_off(work, harvest):
        _memory(work, harvest).learn_baseline(total)
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


def _memory(work: HarvestContext, harvest: ListHarvest) -> SizeMemory:
    return SizeMemory(work, harvest.prefix, harvest.spec)


def _label(harvest: ListHarvest) -> str:
    return f"{harvest.prefix} {harvest.spec}".strip()
