"""Runs over folders of documents: harvest, retry of unreadable files, and drop, hide and restore by hand.

Only new and changed files are read, in separate processes, and stored continuously. A file that is gone
becomes a tombstone, a moved one keeps its record, an unreadable one is quarantined.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from windrow.config.schema import DOCUMENT_FORMATS
from windrow.errors import Interrupted, NotFound, UsageError, WindrowError
from windrow.harvest.documents.document_intake import DocumentIntake, IntakeSettings
from windrow.harvest.documents.document_scan import (
    LEFT_OUT,
    REPORTED,
    ChangePlanner,
    DocumentScan,
    FileAction,
    load_known_documents,
    update_addresses,
)
from windrow.harvest.documents.document_writer import DocumentWriter, document_sets, picture_key
from windrow.harvest.folder.folder_run import FolderRunner
from windrow.harvest.options import HarvestOptions
from windrow.harvest.quarantine_retry import CaseOutcome, RetriedCase
from windrow.harvest.run import Attempt, Identity, running, utc_now
from windrow.model.record import Record
from windrow.model.run import Counters, RecordCounter, Run
from windrow.sources.files.file_description import format_second
from windrow.sources.files.published_folder import PublishedFolder
from windrow.sources.files.sidecars import widen_paths
from windrow.store import sources
from windrow.store.connection import Connection
from windrow.store.harvests import folder_state, quarantine_cases
from windrow.store.harvests.folder_state import DROPPED, HIDDEN, SHOWN, KnownFile
from windrow.store.records.page_writer import PageWriter
from windrow.store.records.record_reader import dated_transaction
from windrow.store.records.set_hierarchy import SetGroups
from windrow.store.store import Store

if TYPE_CHECKING:
    from windrow.extract.picture_store import PictureStore
    from windrow.harvest.options import Observer, Stopper
    from windrow.store.harvests.quarantine_cases import QuarantineCase


class DocumentsRunner(FolderRunner[DocumentScan]):
    """Harvests one folder and reads its files."""

    formats = DOCUMENT_FORMATS
    passing = frozenset({"moved", LEFT_OUT, *REPORTED})

    def __init__(
        self,
        folder: PublishedFolder,
        *,
        store: Store,
        means: IntakeSettings,
        observer: Observer | None = None,
        stopper: Stopper | None = None,
        now: Callable[[], datetime] = utc_now,
    ) -> None:
        super().__init__(folder, store=store, observer=observer, stopper=stopper, now=now)
        self._means = means

    def run(self, options: HarvestOptions) -> Run:
        """Harvest once, and delete the pictures of documents that are gone."""
        run = super().run(options)
        if run.counters.deleted or run.counters.changed:
            prune_pictures(self._store, self._means.derived)
        return run

    def refresh(self, paths: Sequence[str] | None = None) -> Run | None:
        """Refresh paths as any folder does, plus the surroundings of files that may describe others."""
        has_sidecars = self._means.has_sidecars
        return super().refresh(widen_paths(paths) if paths is not None and has_sidecars else paths)

    def left_out(self) -> list[tuple[str, str]]:
        """Return the files and folders that are not made into documents, with the reasons. Stores nothing."""
        scan = self._new_scan(HarvestOptions(), None)
        list(scan.documents())
        if "" in scan.lost:
            raise WindrowError(scan.problems[0].message)
        return sorted(scan.left_out)

    def _new_scan(self, options: HarvestOptions, paths: Sequence[str] | None) -> DocumentScan:
        return DocumentScan(
            folder=self._folder,
            stopper=self._stopper,
            known=load_known_documents(
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

    def _count(self, scan: DocumentScan) -> None:
        candidates, gone = scan.candidates(), scan.gone()
        planner = self._planner(scan, gone)
        steps = [step for step in map(planner.settle, candidates) if step is not None]
        scan.counters.seen += len(steps)
        scan.counters.added = sum(step.former is None for step in steps)
        noted = sum(step.action is FileAction.NOTE for step in steps)
        scan.counters.changed = len(steps) - scan.counters.added - noted
        scan.counters.unchanged += noted
        scan.counters.deleted = sum(row.path not in planner.moved for row in self._new_tombstones(gone))

    def _has_something(self, scan: DocumentScan) -> bool:
        planner, rows = self._planner(scan, ()), []
        for candidate in scan.candidates():
            step = planner.settle(candidate) if candidate.held is not None else None
            if candidate.held is None or (step is not None and step.action is not FileAction.NOTE):
                return True
            rows += [] if step is None else [step.row]
        if rows:  # examined because of their times, and found unchanged
            with self._store.writing() as connection:
                source = sources.find(connection, self._folder.name)
                assert source is not None, "it has files"
                folder_state.put_files(connection, source.id, rows)
        return False

    def _has_gone(self, scan: DocumentScan) -> bool:
        return bool(self._new_tombstones(scan.gone()))

    def _new_tombstones(self, gone: Sequence[KnownFile]) -> list[KnownFile]:
        """Return what becomes a tombstone; documents dropped by hand already are tombstones."""
        return [] if self._means.keeps_gone else [row for row in gone if not row.is_verdict]

    def _planner(self, scan: DocumentScan, gone: Sequence[KnownFile]) -> ChangePlanner:
        return ChangePlanner(scan, gone, now=self._second)

    def _harvest(self, attempt: Attempt, options: HarvestOptions, paths: Sequence[str] | None) -> None:
        started = self._second()
        self._observer.started(self._folder.name, "documents")
        update_addresses(self._store, self._folder, attempt.source.id)
        scan = self._new_scan(options, paths)
        scan.counters, scan.problems = attempt.counters, attempt.problems
        is_there = scan.has_root()
        candidates = scan.candidates() if is_there else []
        if self._judge_root(scan, options) or (paths is not None and not is_there):
            return
        writer = DocumentWriter(attempt.source.id, attempt.run_id)
        means = replace(self._means, keeps_gone=self._means.keeps_gone or options.is_keeping_old)
        taking = DocumentIntake(
            scan,
            means,
            writer,
            store=self._store,
            now=self._second,
            show=lambda: self._show(attempt, scan, is_due=True),
        )
        taking.take(candidates)
        self._finish(attempt, scan, writer, started)
        self._observer.advanced(self._folder.name, scan.counters, scan.counters.seen)

    def _finish(self, attempt: Attempt, scan: DocumentScan, writer: DocumentWriter, started: int) -> None:
        """Close settled cases; after a complete scan note its start."""
        with dated_transaction(self._store, attempt.source.id, self._second) as (connection, now):
            writer.close_stored(connection, now=now)
            if not scan.is_whole:
                return
            if not scan.known.is_settled:
                strays = folder_state.find_strays(connection, attempt.source.id)
                attempt.counters.add(writer.bury_records(connection, strays, now=now))
            self._move_cursors(connection, attempt.source.id, scan, started, attempt.run_id)


def prune_pictures(store: Store, derived: PictureStore) -> None:
    """Delete the pictures of files that are no longer in any folder of the library."""
    with store.reading() as connection:
        held = folder_state.list_contents(connection)
    derived.prune({picture_key(sha256, member) for sha256, member in held})


# Manual retry of unreadable files: the counterpart of `quarantine_retry` for folders of documents.


def retry_documents(
    store: Store, runner: DocumentsRunner, name: str, wanted: Sequence[QuarantineCase]
) -> list[RetriedCase]:
    """Read the files of these cases again and return the outcome of each, in order."""
    with store.writing() as connection:
        rows = _case_rows(connection, name, wanted)
        paths = {row.path for row in rows.values()}
        source = sources.find(connection, name)
        if source is not None:
            archives = [folder_state.find_at(connection, source.id, path) for path in paths]
            again = {row.identifier: row for row in (*archives, *rows.values()) if row is not None}
            folder_state.put_files(connection, source.id, [row._replace(reader="") for row in again.values()])
    try:
        runner.refresh(sorted(paths))
    except Interrupted:
        return [RetriedCase(case, CaseOutcome.UNASKED) for case in wanted]
    with store.writing() as connection:
        after = _case_rows(connection, name, wanted)
        return [_retried_case(connection, case, after.get(case.identifier or "")) for case in wanted]


def _case_rows(connection: Connection, name: str, wanted: Sequence[QuarantineCase]) -> dict[str, KnownFile]:
    source = sources.find(connection, name)
    if source is None:
        return {}
    found = (folder_state.find_file(connection, source.id, case.identifier or "") for case in wanted)
    return {row.identifier: row for row in found if row is not None}


def _retried_case(connection: Connection, case: QuarantineCase, row: KnownFile | None) -> RetriedCase:
    if row is None:
        quarantine_cases.resolve(connection, case.id, now=utc_now())
        return RetriedCase(case, CaseOutcome.GONE)
    waiting = quarantine_cases.list_cases(connection, source=case.source, identifier=case.identifier)
    now = next((each for each in waiting if each.id == case.id), None)
    if now is None:
        return RetriedCase(case, CaseOutcome.STORED)
    return RetriedCase(case, CaseOutcome.STILL_BAD, now.reason)


# Documents dropped, hidden and restored by hand; later runs respect these decisions. A dropped document is a
# tombstone. A hidden one stays in the library, under a guard that no user satisfies. Each decision is a run
# of its own kind, so that the index, the front ends and the history follow.

_Action = Callable[[Connection, DocumentWriter, Attempt, Sequence[KnownFile]], Counters]


def drop_documents(
    store: Store, folder: PublishedFolder, names: Sequence[str]
) -> tuple[Run, list[KnownFile]]:
    """Make documents (by path or identifier) tombstones, permanently."""
    return _apply_decision(store, folder, names, "drop", _drop_rows)


def hide_documents(
    store: Store, folder: PublishedFolder, names: Sequence[str]
) -> tuple[Run, list[KnownFile]]:
    """Hide documents (by path or identifier) from all users; they stay in the library."""
    with store.reading() as connection:
        dropped = [name for name in names if find_document(connection, folder, name)[1].state == DROPPED]
    if dropped:
        raise UsageError(
            f"{', '.join(dropped)}: dropped already, which nobody sees either",
            hint="To have it back and hide it: windrow document restore, then hide.",
        )
    return _apply_decision(store, folder, names, "hide", _hide_rows)


def release_documents(store: Store, folder: PublishedFolder, names: Sequence[str]) -> list[KnownFile]:
    """Undo dropping or hiding of documents; the next harvest reads them again."""
    with store.writing() as connection:
        rows, source = _find_documents(connection, folder, names), sources.find(connection, folder.name)
        assert source is not None, "it has documents"
        freed = [row._replace(state=SHOWN, reader="") for row in rows]
        archives = [folder_state.find_at(connection, source.id, row.path) for row in rows if row.member]
        again = [row._replace(reader="") for row in archives if row is not None and row.state == SHOWN]
        folder_state.put_files(connection, source.id, (*again, *freed))
        return freed


def find_document(connection: Connection, folder: PublishedFolder, name: str) -> tuple[int, KnownFile]:
    """Return the source number and the document with a given name.

    The name is a path, a path and member (`a.zip#b.txt`), or an identifier.
    """
    source = sources.find(connection, folder.name)
    path, _, member = name.partition("#")
    row = (
        None
        if source is None
        else (
            folder_state.find_at(connection, source.id, name)
            or folder_state.find_at(connection, source.id, path, member)
            or folder_state.find_file(connection, source.id, name)
            or folder_state.find_file(connection, source.id, folder.address(name))
        )
    )
    if source is None or row is None:
        raise NotFound(
            f"{folder.name} has no document {name}",
            hint=f"`windrow document list {folder.name}` lists them; a new file is harvested first.",
        )
    return source.id, row


def _apply_decision(
    store: Store, folder: PublishedFolder, names: Sequence[str], kind: str, action: _Action
) -> tuple[Run, list[KnownFile]]:
    with store.reading() as connection:
        _find_documents(connection, folder, names)
    arguments = {"documents": list(names)}
    source = Identity(folder.name, folder.url)
    with (
        running(store, source, kind, arguments=arguments, is_raising=True) as attempt,
        store.writing() as connection,
    ):
        rows = _find_documents(connection, folder, names)
        writer = DocumentWriter(attempt.source.id, attempt.run_id)
        attempt.counters.add(action(connection, writer, attempt, rows))
    return attempt.run, rows


def _drop_rows(
    connection: Connection, writer: DocumentWriter, _: Attempt, rows: Sequence[KnownFile]
) -> Counters:
    counters = writer.bury(connection, rows, now=int(utc_now().timestamp()))
    writer.note(connection, [row._replace(state=DROPPED) for row in rows])
    return counters


def _hide_rows(
    connection: Connection, writer: DocumentWriter, attempt: Attempt, rows: Sequence[KnownFile]
) -> Counters:
    hidden = [row._replace(state=HIDDEN) for row in rows if row.state != DROPPED]
    live = folder_state.find_live(connection, writer.source_id, [row.identifier for row in hidden])
    stamp = format_second(int(utc_now().timestamp()))
    records = [
        Record(row.identifier, stamp, document_sets(row), False) for row in hidden if row.identifier in live
    ]
    groups, tally = SetGroups(writer.source_id), RecordCounter()
    pages = PageWriter(writer.source_id, None, run_id=attempt.run_id, groups=groups, tally=tally)
    pages.write(connection, records)
    writer.note(connection, hidden)
    counters = Counters()
    tally.write_to(counters)
    return counters


def _find_documents(connection: Connection, folder: PublishedFolder, names: Sequence[str]) -> list[KnownFile]:
    """Return the named documents, with the members of archives. Raises NotFound for an unknown name."""
    found: dict[str, KnownFile] = {}
    for name in names:
        source_id, row = find_document(connection, folder, name)
        inner = () if row.member else folder_state.list_members(connection, source_id, row.path)
        found |= {each.identifier: each for each in (row, *inner)}
    return list(found.values())
