"""Finding what vanished without a word: a full pass over the identifiers, believed only if it was whole."""

from __future__ import annotations

from datetime import timedelta

from windrow.harvest.one_by_one import Tally, headers
from windrow.harvest.work import Work
from windrow.model.record import Record
from windrow.model.run import Weight
from windrow.model.stamp import Granularity, write_stamp
from windrow.store import listed, sources
from windrow.store.checkpoints import PLANNED, StoredWindow

MAX_SHARE = 0.5  # of a library that may vanish at once where the repository does not state its size
_CHUNK = 1000


def is_due(work: Work) -> bool:
    """Should this run compare all identifiers? Only where deletions are not reported, and not every time."""
    if work.options.is_reconciling:
        return True
    if work.options.is_adhoc or work.settings.reconcile is None or work.settings.from_ or work.settings.until:
        return False
    if work.identity.get("deletion") == "persistent":
        return False
    last = work.source.reconciled_at
    if last is None:
        return False  # the first full harvest is the first comparison
    return work.options.is_full or work.now() - last >= timedelta(seconds=work.settings.reconcile)


def reconcile(work: Work, prefix: str, specs: tuple[str, ...]) -> None:
    """Mark as deleted what the repository no longer lists."""
    work.observer.started(work.name, "reconcile")
    tally = Tally()
    for spec in specs or ("",):
        window = StoredWindow(0, prefix, spec, None, None, PLANNED, None, 0, None, None)
        tally = Tally()
        for page in headers(work, window, tally):
            with work.store.writing() as connection:
                live = (record.identifier for record in page.records if not record.is_deleted)
                listed.add(connection, work.run_id, live)
                gone = [record for record in page.records if record.is_deleted]
                work.put(connection, prefix, gone)
        if not tally.is_whole:
            _refuse(work, f"the list of identifiers is not complete ({tally.reason or 'no reason given'})")
            return
    _apply(work, specs, is_sized=tally.claimed is not None)


def _apply(work: Work, specs: tuple[str, ...], *, is_sized: bool) -> None:
    with work.store.reading() as connection:
        present = listed.count(connection, work.run_id)
        ours = listed.live(connection, work.source.id, specs)
        missing = len(listed.vanished(connection, work.source.id, work.run_id, specs))
    if not present:
        _refuse(work, "the list of identifiers is empty")
        return
    if not is_sized and missing > max(10, ours * MAX_SHARE) and not work.options.is_reconciling:
        _refuse(work, f"{missing:,} of {ours:,} records would go, and the repository does not state its size")
        return
    _bury(work, specs)
    with work.store.writing() as connection:
        listed.clear(connection, work.run_id)
        sources.note(connection, work.source.id, reconciled_at=work.now())
    words = f"compared {present:,} identifiers with the library: {missing:,} records had vanished"
    work.tell("reconciled", words, weight=Weight.NOTE)


def _bury(work: Work, specs: tuple[str, ...]) -> None:
    stamp = write_stamp(work.now(), Granularity.SECOND)
    while True:
        with work.store.writing() as connection:
            names = listed.vanished(connection, work.source.id, work.run_id, specs, limit=_CHUNK)
            if not names:
                return
            tombstones = [Record(name, stamp, (), is_deleted=True) for name in names]
            work.bury(connection, tombstones)
        work.show()


def _refuse(work: Work, reason: str) -> None:
    with work.store.writing() as connection:
        listed.clear(connection, work.run_id)
    work.tell("not-reconciled", f"nothing was marked as deleted: {reason}")
