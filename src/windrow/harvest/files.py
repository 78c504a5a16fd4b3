"""One run of a source that is a folder: looked at, compared, stored. The counterpart of `runner`.

Every file is a record in two formats. What a file was is in the library, so nothing else is remembered from
one look to the next. A file that is gone becomes a tombstone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from windrow.config.schema import DOCUMENT_FORMATS
from windrow.harvest.folder_look import DESCRIPTION, HEADER, Find, Look, know
from windrow.harvest.folder_runner import FolderRunner
from windrow.harvest.folder_writer import FolderWriter, differing
from windrow.harvest.options import HarvestOptions
from windrow.harvest.run import Attempt
from windrow.store import held_files, sources
from windrow.store.stamps import writing_dated

# Files stored in one transaction, and so the most that are held in memory. The first harvest of a folder
# should be one: its records are dated as the files are, and whoever asks between two transactions would
# never hear of the old files in the second.
BATCH = 50_000


class FilesRunner(FolderRunner[Look]):
    """Harvests one folder, and lists its files."""

    formats = (DESCRIPTION, HEADER)

    def _count(self, look: Look) -> None:
        """Look at everything, and count what a harvest would do."""
        with self._store.reading() as connection:
            changed = list(differing(connection, look.known, list(look.finds())))
        look.counters.added = sum(find.known is None for find in changed)
        look.counters.changed = len(changed) - look.counters.added
        look.counters.unchanged = look.counters.seen - len(changed)
        look.counters.deleted = len(look.gone())

    def _harvest(self, attempt: Attempt, options: HarvestOptions, paths: Sequence[str] | None) -> None:
        started = self._second()
        self._observer.started(self._folder.name, "folder")
        if self._were_documents(attempt):
            options, paths = replace(options, is_full=True), None
        look = self._looking(options, paths)
        look.counters, look.problems = attempt.counters, attempt.problems
        writer = FolderWriter(attempt.source.id, attempt.run_id, look.known)
        finds: list[Find] = []
        is_there = look.has_root()
        if is_there:
            for find in look.finds():
                finds.append(find)
                self._show(attempt, look)
                if len(finds) >= BATCH:
                    self._store_batch(attempt, writer, finds)
                    finds = []
        if self._judge_root(look, options) or (paths is not None and not is_there):
            return
        self._store_batch(attempt, writer, finds, gone=look.gone(), look=look, started=started)
        self._observer.advanced(self._folder.name, look.counters, look.counters.seen)

    def _were_documents(self, attempt: Attempt) -> bool:
        """Were the files read as documents until now? Then what was read of them is forgotten."""
        with self._store.reading() as connection:
            if not held_files.has_any(connection, attempt.source.id):
                return False
        with self._store.writing() as connection:
            held_files.forget(connection, attempt.source.id, DOCUMENT_FORMATS[0])
        return True

    def _store_batch(
        self,
        attempt: Attempt,
        writer: FolderWriter,
        finds: Sequence[Find],
        *,
        gone: Sequence[str] = (),
        look: Look | None = None,
        started: int = 0,
    ) -> None:
        """Store some files; after the last of them what is gone, and when the look began."""
        with writing_dated(self._store, attempt.source.id, self._second) as (connection, now):
            attempt.counters.add(writer.write(connection, finds, now=now))
            if gone:
                attempt.counters.add(writer.bury(connection, gone, now=now))
            if look is not None and look.is_whole:
                self._move_cursors(connection, attempt.source.id, look, started, attempt.run_id)

    def _looking(self, options: HarvestOptions, paths: Sequence[str] | None) -> Look:
        return Look(
            folder=self._folder,
            known=know(self._store, self._folder, paths),
            stopper=self._stopper,
            paths=paths,
            is_full=options.is_full,
            limit=options.limit,
        )

    def _has_something(self, look: Look) -> bool:
        with self._store.reading() as connection:
            source = sources.find(connection, self._folder.name)
            if source is not None and held_files.has_any(connection, source.id):
                return True  # until now its files were documents
            return any(any(differing(connection, look.known, [find])) for find in look.finds())

    def _has_gone(self, look: Look) -> bool:
        return bool(look.gone())
