"""One run of a source that is a folder: looked at, compared, stored. The counterpart of `runner`.

Every file is a record in two formats. What a file was is in the library, so nothing else is remembered from
one look to the next. A file that is gone becomes a tombstone.
"""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from windrow.errors import Interrupted, UsageError, WindrowError
from windrow.harvest.attempt import Attempt, attempting
from windrow.harvest.folder_look import DESCRIPTION, HEADER, Find, Look, know
from windrow.harvest.folder_writer import FolderWriter, differing
from windrow.harvest.observer import Nobody, Observer
from windrow.harvest.options import HarvestOptions
from windrow.harvest.stopping import Stopper
from windrow.model.run import Problem, Run, Weight
from windrow.sources.files.describe import stamp_of
from windrow.sources.files.published import PublishedFolder
from windrow.store import checkpoints, leases, runs, sources
from windrow.store.connection import Connection
from windrow.store.store import Store

# Files stored in one transaction, and so the most that are held in memory. The first harvest of a folder
# should be one: its records are dated as the files are, and whoever asks between two transactions would
# never hear of the old files in the second.
BATCH = 50_000
_SHOWN_EVERY = 500
_BEAT_SECONDS = 10.0
_MEANINGLESS = {
    "since": "--from",
    "until": "--until",
    "sets": "--set",
    "formats": "--format",
    "is_one_by_one": "--one-by-one",
    "is_verifying": "--verify",
}


def _utc_now() -> datetime:
    return datetime.now(UTC)


class FilesRunner:
    """Harvests one folder."""

    def __init__(
        self,
        folder: PublishedFolder,
        *,
        store: Store,
        observer: Observer | None = None,
        stopper: Stopper | None = None,
        now: Callable[[], datetime] = _utc_now,
    ) -> None:
        self._folder = folder
        self._store = store
        self._observer = observer or Nobody()
        self._stopper = stopper or Stopper()
        self._now = now
        self._beaten = 0.0
        self._told: frozenset[str] = frozenset()  # what `refresh` found wrong and has told of

    def run(self, options: HarvestOptions) -> Run:
        """Harvest once; give the run as the store remembers it. Raises only what concerns the library."""
        refuse_meaningless(self._folder.name, options)
        run = self._run(options, None, {key: value for key, value in asdict(options).items() if value})
        self._store.settle()
        return run

    def refresh(self, paths: Sequence[str] | None = None) -> Run | None:
        """Look at these paths and what is below them, or (None) at everything; store what changed.

        Where nothing did it gives None and leaves no trace, so it can be done every second.
        """
        started = self._second()
        look = self._looking(HarvestOptions(), paths)
        if paths is not None and not look.has_root():
            return self.refresh()  # which finds out what is wrong
        if self._has_news(look):
            return self._run(HarvestOptions(), paths, {"paths": len(paths)} if paths else {})
        if look.is_whole and look.doubtful:
            self._note_look(look, started)
        return None

    def look(self, options: HarvestOptions) -> Look:
        """Look at everything and store nothing; give the look with its numbers."""
        refuse_meaningless(self._folder.name, options)
        look = self._looking(options, None)
        if look.has_root():
            with self._store.reading() as connection:
                changed = list(differing(connection, look.known, list(look.finds())))
            look.counters.added = sum(find.known is None for find in changed)
            look.counters.changed = len(changed) - look.counters.added
            look.counters.unchanged = look.counters.seen - len(changed)
            look.counters.deleted = len(look.gone())
        self._judge_root(look, options)
        return look

    def _run(
        self, options: HarvestOptions, paths: Sequence[str] | None, arguments: Mapping[str, object]
    ) -> Run:
        name = self._folder.name
        with self._store.reading() as connection:
            before = sources.find(connection, name)
        with attempting(
            self._store,
            name,
            self._folder.url,
            kind="harvest",
            lease=leases.lease_name(name),
            arguments=arguments,
        ) as attempt:
            if before is not None and before.url != self._folder.url:
                words = f"the address was {before.url}; every file has a new identifier now"
                attempt.problems.append(Problem("moved", words, Weight.NOTE))
            run = self._guarded(attempt, options, paths)
        self._observer.ended(run)
        return run

    def _guarded(self, attempt: Attempt, options: HarvestOptions, paths: Sequence[str] | None) -> Run:
        """Attempt it and write down how it went."""
        is_interrupted = False
        try:
            self._harvest(attempt, options, paths)
        except Interrupted:
            is_interrupted = True
        except WindrowError:  # the library's own trouble, or a setting's: the person must hear of it
            raise
        except Exception as exc:  # noqa: BLE001 - the worker loop: one source's defect leaves the others be
            place = traceback.extract_tb(exc.__traceback__)[-1]
            words = f"{type(exc).__name__}: {exc} ({Path(place.filename).name}, line {place.lineno})"
            words = f"a defect of Windrow, please report it: {words}"
            attempt.problems.append(Problem("unexpected", words, Weight.FATAL))
        for problem in attempt.problems:
            self._observer.noted(self._folder.name, problem)
        told = frozenset(problem.message for problem in attempt.problems if problem.code != "moved")
        self._told = told if paths is None else self._told | told
        return attempt.end(is_interrupted=is_interrupted)

    def _harvest(self, attempt: Attempt, options: HarvestOptions, paths: Sequence[str] | None) -> None:
        started = self._second()
        self._observer.started(self._folder.name, "folder")
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
        with self._store.writing() as connection:
            now = self._second()
            attempt.counters.add(writer.write(connection, finds, now=now))
            if gone:
                attempt.counters.add(writer.bury(connection, gone, now=now))
            if look is not None and look.is_whole:
                _move_cursors(connection, attempt.source.id, look, started, attempt.run_id)

    def _looking(self, options: HarvestOptions, paths: Sequence[str] | None) -> Look:
        known = know(self._store, self._folder, paths)
        return Look(self._folder, known, self._stopper, paths, is_full=options.is_full, limit=options.limit)

    def _has_news(self, look: Look) -> bool:
        """Is there anything to store, or to tell that was not told? A look ends at the first such thing."""
        is_there = look.has_root()
        if is_there:
            with self._store.reading() as connection:
                if any(any(differing(connection, look.known, [find])) for find in look.finds()):
                    return True
        is_lost = self._judge_root(look, HarvestOptions())
        found = frozenset(problem.message for problem in look.problems)
        if found != self._told if look.is_whole else found - self._told:
            return True
        return not is_lost and bool(look.gone())

    def _judge_root(self, look: Look, options: HarvestOptions) -> bool:
        """Is the folder itself the problem? Then nothing of it counts as gone."""
        if any(problem.weight is Weight.FATAL for problem in look.problems):
            return True
        if not look.is_whole or not look.is_bare or options.is_reconciling:
            return False
        words = (
            f"{self._folder.root} shows no file, though the library has some of it: is it mounted, may it be"
            " read? If all are gone for good, `windrow harvest --reconcile` with its name says so"
        )
        look.problems.append(Problem("empty", words, Weight.FATAL))
        return True

    def _note_look(self, look: Look, started: int) -> None:
        """Note that nothing has changed up to a moment, in the name of the last run."""
        with self._store.writing() as connection:
            source = sources.find(connection, self._folder.name)
            last = runs.latest(connection, source=self._folder.name, limit=1)
            if source is not None and last:
                _move_cursors(connection, source.id, look, started, last[0].id)

    def _show(self, attempt: Attempt, look: Look) -> None:
        """Tell the observer how far we are, and others now and then that we live."""
        if look.counters.seen % _SHOWN_EVERY:
            return
        self._observer.advanced(self._folder.name, look.counters, look.known.size)
        if time.monotonic() - self._beaten > _BEAT_SECONDS:
            self._beaten = time.monotonic()
            with self._store.writing() as connection:
                leases.beat(connection, leases.lease_name(self._folder.name))
                runs.progress(connection, attempt.run_id, look.counters, None)

    def _second(self) -> int:
        return int(self._now().timestamp())


def refuse_meaningless(name: str, options: HarvestOptions) -> None:
    """Refuse what only a repository can be asked for."""
    for key, flag in _MEANINGLESS.items():
        if getattr(options, key):
            raise UsageError(
                f"{name} is a folder, and {flag} means nothing there",
                hint="A folder is always looked at whole; --full describes every file again.",
            )


def _move_cursors(connection: Connection, source_id: int, look: Look, started: int, run_id: int) -> None:
    for prefix in (DESCRIPTION, HEADER):
        checkpoints.move_cursor(
            connection,
            source_id,
            prefix,
            "",
            next_from=stamp_of(started),
            size=look.counters.seen,
            run_id=run_id,
        )
