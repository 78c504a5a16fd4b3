"""One run of a folder of documents: looked at, settled, read, stored. Beside `files`, which only lists files.

Only what is new or changed is read, in processes of their own, and stored as it comes. A file that is gone
becomes a tombstone; one that was moved keeps its record; one that cannot be read goes to quarantine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from windrow.config.schema import DOCUMENT_FORMATS
from windrow.errors import WindrowError
from windrow.harvest.document_finding import picture_key
from windrow.harvest.document_look import DocumentLook, know_documents, readdress
from windrow.harvest.document_remarks import LEFT_OUT, REPORTED
from windrow.harvest.document_settling import Deed, Settler
from windrow.harvest.document_taking import DocumentMeans, DocumentTaking
from windrow.harvest.document_writer import DocumentWriter
from windrow.harvest.folder_runner import FolderRunner
from windrow.harvest.options import HarvestOptions
from windrow.harvest.run import utc_now
from windrow.sources.files.sidecars import widened
from windrow.store import held_files, sources
from windrow.store.held_files import HeldRow
from windrow.store.stamps import writing_dated

if TYPE_CHECKING:
    from windrow.extract.derived import Derived
    from windrow.harvest.observer import Observer
    from windrow.harvest.run import Attempt
    from windrow.harvest.stopping import Stopper
    from windrow.model.run import Run
    from windrow.sources.files.published import PublishedFolder
    from windrow.store.store import Store


class DocumentsRunner(FolderRunner[DocumentLook]):
    """Harvests one folder, and reads its files."""

    formats = DOCUMENT_FORMATS
    passing = frozenset({"moved", LEFT_OUT, *REPORTED})

    def __init__(
        self,
        folder: PublishedFolder,
        *,
        store: Store,
        means: DocumentMeans,
        observer: Observer | None = None,
        stopper: Stopper | None = None,
        now: Callable[[], datetime] = utc_now,
    ) -> None:
        super().__init__(folder, store=store, observer=observer, stopper=stopper, now=now)
        self._means = means

    def run(self, options: HarvestOptions) -> Run:
        """Harvest once, and let go of pictures of what is no longer there."""
        run = super().run(options)
        if run.counters.deleted or run.counters.changed:
            prune_pictures(self._store, self._means.derived)
        return run

    def refresh(self, paths: Sequence[str] | None = None) -> Run | None:
        """Do as any folder's runner; what may describe others is looked at with all that is around it."""
        has_sidecars = self._means.has_sidecars
        return super().refresh(widened(paths) if paths is not None and has_sidecars else paths)

    def left_out(self) -> list[tuple[str, str]]:
        """Return the files and folders of which no document is made, with the reasons. Nothing is stored."""
        look = self._looking(HarvestOptions(), None)
        list(look.documents())
        if "" in look.lost:
            raise WindrowError(look.problems[0].message)
        return sorted(look.left_out)

    def _looking(self, options: HarvestOptions, paths: Sequence[str] | None) -> DocumentLook:
        return DocumentLook(
            folder=self._folder,
            stopper=self._stopper,
            known=know_documents(
                self._store,
                self._folder,
                paths,
                has_archives=self._means.has_archives,
                archive_members=self._means.archive_members,
            ),
            paths=paths,
            limit=options.limit,
            is_full=options.is_full,
            has_sidecars=self._means.has_sidecars,
        )

    def _count(self, look: DocumentLook) -> None:
        """Look at everything, and count what a harvest would do."""
        candidates, gone = look.candidates(), look.gone()
        settler = self._settler(look, gone)
        steps = [step for step in map(settler.settle, candidates) if step is not None]
        look.counters.seen += len(steps)
        look.counters.added = sum(step.former is None for step in steps)
        noted = sum(step.deed is Deed.NOTE for step in steps)
        look.counters.changed = len(steps) - look.counters.added - noted
        look.counters.unchanged += noted
        look.counters.deleted = sum(row.path not in settler.moved for row in self._buried(gone))

    def _has_something(self, look: DocumentLook) -> bool:
        settler, rows = self._settler(look, ()), []
        for candidate in look.candidates():
            step = settler.settle(candidate) if candidate.held is not None else None
            if candidate.held is None or (step is not None and step.deed is not Deed.NOTE):
                return True
            rows += [] if step is None else [step.row]
        if rows:  # looked into because of when they were written, and found to be as they were
            with self._store.writing() as connection:
                source = sources.find(connection, self._folder.name)
                assert source is not None, "it has files"
                held_files.put(connection, source.id, rows)
        return False

    def _has_gone(self, look: DocumentLook) -> bool:
        return bool(self._buried(look.gone()))

    def _buried(self, gone: Sequence[HeldRow]) -> list[HeldRow]:
        """What becomes a tombstone; what was dropped by hand is one already, and stays dropped."""
        return [] if self._means.keeps_gone else [row for row in gone if not row.is_verdict]

    def _settler(self, look: DocumentLook, gone: Sequence[HeldRow]) -> Settler:
        return Settler(look, gone, now=self._second)

    def _harvest(self, attempt: Attempt, options: HarvestOptions, paths: Sequence[str] | None) -> None:
        started = self._second()
        self._observer.started(self._folder.name, "documents")
        readdress(self._store, self._folder, attempt.source.id)
        look = self._looking(options, paths)
        look.counters, look.problems = attempt.counters, attempt.problems
        is_there = look.has_root()
        candidates = look.candidates() if is_there else []
        if self._judge_root(look, options) or (paths is not None and not is_there):
            return
        writer = DocumentWriter(attempt.source.id, attempt.run_id)
        means = replace(self._means, keeps_gone=self._means.keeps_gone or options.is_keeping_old)
        taking = DocumentTaking(
            look,
            means,
            writer,
            store=self._store,
            now=self._second,
            show=lambda: self._show(attempt, look, is_due=True),
        )
        taking.take(candidates)
        self._finish(attempt, look, writer, started)
        self._observer.advanced(self._folder.name, look.counters, look.counters.seen)

    def _finish(self, attempt: Attempt, look: DocumentLook, writer: DocumentWriter, started: int) -> None:
        """Close what is settled; after a whole look note when it began."""
        with writing_dated(self._store, attempt.source.id, self._second) as (connection, now):
            writer.close_stored(connection, now=now)
            if not look.is_whole:
                return
            if not look.known.is_settled:
                strays = held_files.strays(connection, attempt.source.id)
                attempt.counters.add(writer.bury_records(connection, strays, now=now))
            self._move_cursors(connection, attempt.source.id, look, started, attempt.run_id)


def prune_pictures(store: Store, derived: Derived) -> None:
    """Let go of the pictures of files that are in no folder of the library any more."""
    with store.reading() as connection:
        held = held_files.contents(connection)
    derived.prune({picture_key(sha256, member) for sha256, member in held})
