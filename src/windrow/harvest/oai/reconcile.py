"""Reconciliation: compare all identifiers of a source with the library.

It finds records that were deleted without notice. Listed records that are missing from the library are
fetched; records that are no longer listed are marked as deleted. A comparison counts only if its lists were
complete, and a large loss only if a second comparison in a later run confirms it: while a provider rebuilds
its index, its lists are short and look complete.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from windrow.errors import UpstreamError
from windrow.harvest.oai.completeness import compare
from windrow.harvest.oai.identifiers import MAX_UNREACHABLE, IdentifierHarvest, fetch_record
from windrow.harvest.oai.run_context import HarvestContext
from windrow.harvest.oai.stated_sizes import adjust_baselines, is_large_loss
from windrow.model.record import Granularity, Record, format_datestamp
from windrow.model.run import Severity
from windrow.protocols.oai.oai_page import Page
from windrow.store import sources
from windrow.store.connection import Connection
from windrow.store.harvests import list_comparison

MAX_CONFIRMED = 50  # seemingly vanished records that are requested before they are marked
CONFIRMED_AFTER = timedelta(hours=1)  # an immediate second comparison would meet the same index
_CHUNK = 1000


class _UnreliablePass(Exception):
    """A pass that does not show what vanished."""


def is_due(work: HarvestContext) -> bool:
    """Return whether this run should compare all identifiers.

    Only if deletions are not reported, and not every time; at once if much is missing or awaits a second
    comparison.
    """
    if work.options.is_reconciling or work.options.is_keeping_old:
        return work.options.is_reconciling
    if work.options.is_adhoc or work.settings.reconcile is None or work.settings.from_ or work.settings.until:
        return False
    with work.store.reading() as connection:
        suspected = list_comparison.get_suspected_at(connection, work.source.id)
    if suspected is not None:
        return work.now() - datetime.fromisoformat(suspected) >= CONFIRMED_AFTER
    if work.identity.get("deletion") == "persistent":
        return False
    last = work.source.reconciled_at
    if last is None:
        return False  # the first full harvest is the first comparison
    if work.options.is_full or work.is_reduced:
        return True
    return work.now() - last >= timedelta(seconds=work.settings.reconcile)


def reconcile(work: HarvestContext, prefixes: tuple[str, ...], specs: tuple[str, ...]) -> None:
    """Fetch listed records that are missing here; mark as deleted what no format lists any more."""
    work.observer.started(work.name, "reconcile")
    try:
        passes = [_note_list(work, prefix, spec) for prefix in prefixes for spec in specs or ("",)]
        _apply(work, prefixes, specs, sum(each.tally.lacking for each in passes))
    except (_UnreliablePass, UpstreamError) as exc:
        work.note("not-reconciled", f"nothing was marked as deleted: {exc}")
    finally:
        with work.store.writing() as connection:
            list_comparison.clear_source(connection, work.source.id)


def _note_list(work: HarvestContext, prefix: str, spec: str) -> IdentifierHarvest:
    def note(connection: Connection, page: Page) -> None:
        live = (record.identifier for record in page.records if not record.is_deleted)
        list_comparison.add(connection, work.run_id, live)

    found = compare(work, prefix, spec, reason="all identifiers were compared", on_page=note)
    if not found.is_whole:
        reason = found.tally.reason or found.listed.result.reason
        raise _UnreliablePass(f"the list of identifiers is not complete ({reason})")
    if found.listed.nameless:
        raise _UnreliablePass(f"{found.listed.nameless:,} entries of the list have no identifier")
    if not found.distinct and _holds_any(work, spec):
        raise _UnreliablePass(f"the list of identifiers is empty ({prefix} {spec})".replace(" )", ")"))
    return found


def _holds_any(work: HarvestContext, spec: str) -> bool:
    with work.store.reading() as connection:
        return list_comparison.count_live(connection, work.source.id, (spec,) if spec else ()) > 0


def _apply(work: HarvestContext, prefixes: tuple[str, ...], specs: tuple[str, ...], fetched: int) -> None:
    with work.store.reading() as connection:
        present = list_comparison.count(connection, work.run_id)
        ours = list_comparison.count_live(connection, work.source.id, specs)
        missing = len(list_comparison.find_vanished(connection, work.source.id, work.run_id, specs))
    missing -= _confirm(work, prefixes, specs)
    if is_large_loss(missing, ours):
        _require_second(work, specs, missing, ours)
    _mark_deleted(work, specs)
    adjust_baselines(work, missing)
    with work.store.writing() as connection:
        list_comparison.forget_suspects(connection, work.source.id)
        sources.note(connection, work.source.id, reconciled_at=work.now())
    words = f"compared {present:,} identifiers with the library: {missing:,} records had vanished"
    if fetched:
        words += f", {fetched:,} had been missing here"
    work.note("reconciled", words, weight=Severity.NOTE)


def _require_second(work: HarvestContext, specs: tuple[str, ...], missing: int, ours: int) -> None:
    """Raise _UnreliablePass unless an earlier comparison missed the same records."""
    with work.store.writing() as connection:
        before = list_comparison.get_suspected_at(connection, work.source.id)
        more = len(list_comparison.find_vanished(connection, work.source.id, work.run_id, specs, is_new=True))
        if before is not None and not is_large_loss(more, ours):
            return
        list_comparison.note_suspects(
            connection, work.source.id, work.run_id, specs, at=work.now().isoformat()
        )
    words = f"{missing:,} of {ours:,} records would go, which a second comparison must confirm"
    action = (
        f"the next harvest in an hour or later makes it, or `windrow harvest {work.name} --reconcile` now"
    )
    raise _UnreliablePass(f"{words}; {action}")


def _confirm(work: HarvestContext, prefixes: tuple[str, ...], specs: tuple[str, ...]) -> int:
    """Request the records that seem to have vanished; keep those that still exist and return their number.

    A record that changes while the list is read moves to its end, and the next page then skips another.
    """
    with work.store.reading() as connection:
        names = list_comparison.find_vanished(
            connection, work.source.id, work.run_id, specs, limit=MAX_CONFIRMED + 1
        )
    there = [name for name in names[:MAX_CONFIRMED] if _is_there(work, name, prefixes)]
    if there and len(names) > MAX_CONFIRMED:
        raise _UnreliablePass(f"{there[0]} is not in the list of identifiers, but is there when asked for")
    with work.store.writing() as connection:
        list_comparison.add(connection, work.run_id, there)
    return len(there)


def _is_there(work: HarvestContext, name: str, prefixes: tuple[str, ...]) -> bool:
    work.stopper.check()
    for prefix in prefixes:
        found = fetch_record(work, name, prefix, failures=MAX_UNREACHABLE)
        if isinstance(found, list) and any(not record.is_deleted for record in found):
            # it may be in other sets now, and therefore in none of the lists
            with work.storing() as connection:
                work.put(connection, prefix, found)
            return True
    return False


def _mark_deleted(work: HarvestContext, specs: tuple[str, ...]) -> None:
    stamp = format_datestamp(work.now(), Granularity.SECOND)
    while True:
        with work.storing() as connection:
            names = list_comparison.find_vanished(
                connection, work.source.id, work.run_id, specs, limit=_CHUNK
            )
            if not names:
                return
            work.bury(connection, [Record(name, stamp, (), is_deleted=True) for name in names])
        work.show()
