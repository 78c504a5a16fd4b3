"""Finding what vanished without a word: a full pass over the identifiers, believed only if it was whole."""

from __future__ import annotations

from datetime import timedelta

from windrow.errors import UpstreamError
from windrow.harvest.identifiers import Identifiers
from windrow.harvest.one_by_one import MAX_UNREACHABLE, fetch_record
from windrow.harvest.work import Work
from windrow.model.record import Record
from windrow.model.run import Weight
from windrow.model.stamp import Granularity, write_stamp
from windrow.store import listed, sources
from windrow.store.checkpoints import PLANNED, StoredWindow

MAX_SHARE = 0.5  # of a library that may vanish at once where the repository does not state its size
MAX_CONFIRMED = 50  # records that seem to have vanished and are asked for before they are marked
_FEW = 10
_CHUNK = 1000


class _NotBelieved(Exception):
    """This pass says nothing about what vanished."""


def is_due(work: Work) -> bool:
    """Should this run compare all identifiers? Only where deletions are not reported, and not every time."""
    if work.options.is_reconciling or work.options.is_keeping_old:
        return work.options.is_reconciling
    if work.options.is_adhoc or work.settings.reconcile is None or work.settings.from_ or work.settings.until:
        return False
    if work.identity.get("deletion") == "persistent":
        return False
    last = work.source.reconciled_at
    if last is None:
        return False  # the first full harvest is the first comparison
    return work.options.is_full or work.now() - last >= timedelta(seconds=work.settings.reconcile)


def reconcile(work: Work, prefixes: tuple[str, ...], specs: tuple[str, ...]) -> None:
    """Mark as deleted what the repository lists in none of these formats any more."""
    work.observer.started(work.name, "reconcile")
    try:
        passes = [_list(work, prefix, spec) for prefix in prefixes for spec in specs or ("",)]
        _apply(work, prefixes, specs, is_sized=all(each.claimed is not None for each in passes))
    except (_NotBelieved, UpstreamError) as exc:
        work.tell("not-reconciled", f"nothing was marked as deleted: {exc}")
    finally:
        with work.store.writing() as connection:
            listed.clear(connection, work.run_id)


def _list(work: Work, prefix: str, spec: str) -> Identifiers:
    """Note every identifier of one list."""
    found = Identifiers(work, StoredWindow(0, prefix, spec, None, None, PLANNED, None, 0, None, None))
    for page in found.pages():
        with work.store.writing() as connection:
            live = (record.identifier for record in page.records if not record.is_deleted)
            listed.add(connection, work.run_id, live)
            work.put(connection, prefix, [record for record in page.records if record.is_deleted])
    if not found.is_whole:
        raise _NotBelieved(f"the list of identifiers is not complete ({found.result.reason})")
    if found.nameless:
        raise _NotBelieved(f"{found.nameless:,} entries of the list have no identifier")
    if not found.listed:
        raise _NotBelieved(f"the list of identifiers is empty ({prefix} {spec})".replace(" )", ")"))
    return found


def _apply(work: Work, prefixes: tuple[str, ...], specs: tuple[str, ...], *, is_sized: bool) -> None:
    with work.store.reading() as connection:
        present = listed.count(connection, work.run_id)
        ours = listed.live(connection, work.source.id, specs)
        missing = len(listed.vanished(connection, work.source.id, work.run_id, specs))
    missing -= _confirm(work, prefixes, specs)
    if not is_sized and missing > max(_FEW, ours * MAX_SHARE) and not work.options.is_reconciling:
        raise _NotBelieved(f"{missing:,} of {ours:,} records would go, and no list states its size")
    _bury(work, specs)
    with work.store.writing() as connection:
        sources.note(connection, work.source.id, reconciled_at=work.now())
    words = f"compared {present:,} identifiers with the library: {missing:,} records had vanished"
    work.tell("reconciled", words, weight=Weight.NOTE)


def _confirm(work: Work, prefixes: tuple[str, ...], specs: tuple[str, ...]) -> int:
    """Ask for what seems to have vanished; keep what is still there, and give how much that is.

    A record that changes while the list is read moves to its end, and the next page then skips another.
    """
    with work.store.reading() as connection:
        names = listed.vanished(connection, work.source.id, work.run_id, specs, limit=MAX_CONFIRMED + 1)
    there = [name for name in names[:MAX_CONFIRMED] if _is_there(work, name, prefixes)]
    if there and len(names) > MAX_CONFIRMED:
        raise _NotBelieved(f"{there[0]} is not in the list of identifiers, but is there when asked for")
    with work.store.writing() as connection:
        listed.add(connection, work.run_id, there)
    return len(there)


def _is_there(work: Work, name: str, prefixes: tuple[str, ...]) -> bool:
    work.stopper.check()
    for prefix in prefixes:
        found = fetch_record(work, name, prefix, failures=MAX_UNREACHABLE)
        if isinstance(found, list) and any(not record.is_deleted for record in found):
            return True
    return False


def _bury(work: Work, specs: tuple[str, ...]) -> None:
    stamp = write_stamp(work.now(), Granularity.SECOND)
    while True:
        with work.store.writing() as connection:
            names = listed.vanished(connection, work.source.id, work.run_id, specs, limit=_CHUNK)
            if not names:
                return
            work.bury(connection, [Record(name, stamp, (), is_deleted=True) for name in names])
        work.show()
