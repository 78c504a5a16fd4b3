"""Runs over a folder: the scan of its visible files, and the run that stores them.

`FolderScan` and `FolderRunner` are shared by sources that list files (`file_listing`) and those that read
them (`documents.document_runs`).
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Generic, TypeVar

from windrow.harvest.options import HarvestOptions, NullObserver, Observer, Stopper
from windrow.harvest.run import Attempt, Identity, running, utc_now
from windrow.model.run import Counters, Problem, Run, Severity
from windrow.sources.files.file_description import format_second
from windrow.sources.files.published_folder import PublishedFolder
from windrow.sources.files.visible_files import FoundFile, NotUnderstood, Withheld, look_up, walk
from windrow.store import runs, sources
from windrow.store.connection import Connection
from windrow.store.harvests import checkpoints
from windrow.store.store import Store

# The walk through a folder: its visible files, and what could not be read.

MAX_PROBLEMS = 500
_CHECKED_EVERY = 100  # files between two checks for a request to stop
# A file written in the second of the last scan, or just before, may have been written again after the scan,
# with the same time and size. Some file systems count in steps of two seconds.
DOUBTFUL_SECONDS = 2


@dataclass(slots=True, kw_only=True)
class FolderScan:
    """A scan in progress. `paths` are the paths to scan; None: everything."""

    folder: PublishedFolder
    stopper: Stopper
    paths: Sequence[str] | None = None
    limit: int | None = None
    counters: Counters = field(default_factory=Counters)
    problems: list[Problem] = field(default_factory=list)
    doubtful: int = 0  # files examined again only because of their times
    lost: list[str] = field(default_factory=list)  # paths at and below which nothing could be read
    is_withheld: bool = False  # .htaccess files hide something

    @property
    def is_whole(self) -> bool:
        return self.paths is None and self.limit is None

    @property
    def is_bare(self) -> bool:
        """Return whether a folder with files in the library no longer shows any."""
        raise NotImplementedError

    @property
    def expected(self) -> int | None:
        """The expected number of files; None if unknown."""
        raise NotImplementedError

    def has_root(self) -> bool:
        """Return whether the folder can be read and is not empty: a drive that is not mounted is empty."""
        try:
            with os.scandir(self.folder.root) as listing:
                return next(listing, None) is not None
        except OSError as exc:
            self._note_lost("", exc)
            return False

    def files(self) -> Iterator[FoundFile]:
        """Yield the visible files up to the limit; raises Interrupted on a request to stop."""
        for number, file in enumerate(self._all()):
            if self.limit is not None and number >= self.limit:
                return
            if (number + 1) % _CHECKED_EVERY == 0:
                self.stopper.check()
            yield file

    def note(self, code: str, message: str, weight: Severity = Severity.PROBLEM) -> None:
        """Record a problem; of very many only the first."""
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(Problem(code, message, weight))
        elif len(self.problems) == MAX_PROBLEMS:
            self.problems.append(Problem("more", "and more of the like", weight))

    def _all(self) -> Iterator[FoundFile]:
        root, rules = self.folder.root, self.folder.rules
        if self.paths is None:
            yield from walk(root, rules, on_error=self._note_lost, on_left_out=self._leave_out)
            return
        for path in self.paths:
            found = look_up(root, path, rules) if path else None
            if found is not None:
                yield found
            else:
                yield from walk(
                    root, rules, under=path, on_error=self._note_lost, on_left_out=self._leave_out
                )

    def _leave_out(self, path: str, reason: str) -> None:
        """Record a path that the rules exclude; for subclasses."""

    def _note_lost(self, path: str, exc: Exception) -> None:
        if isinstance(exc, UnicodeError):
            shown = path.encode("utf-8", "backslashreplace").decode()
            self.note("name", f"{shown} has a name that is not UTF-8, so it has no address", Severity.NOTE)
            self._leave_out(shown, "the name is not UTF-8, so it has no address")
            return
        if isinstance(exc, Withheld):
            self.is_withheld = True
            return
        if isinstance(exc, NotUnderstood):
            words = str(exc).encode("utf-8", "backslashreplace").decode()
            self.note("htaccess", f"{words}; what it may apply to is not shown", Severity.NOTE)
            return
        self.lost.append(path)
        words = getattr(exc, "strerror", None) or str(exc)
        if not path:
            problem = f"{self.folder.root} could not be looked at ({words}); nothing was changed"
            advice = "check the path, and that its drive is there"
            self.note("unreadable", f"{problem}: {advice}", Severity.FATAL)
            return
        self.note("unreadable", f"{path} could not be looked at ({words}); what is known of it stays")


def is_below_any(path: str, places: Sequence[str]) -> bool:
    """Return whether a path or an address equals one of these places or is below it; "" contains all."""
    return any(not at or path == at or path.startswith(f"{at}/") for at in places)


L = TypeVar("L", bound=FolderScan)
_PROGRESS_FILES = 500
_BEAT_SECONDS = 10.0
_UNCHANGED_NOTE_SECONDS = 60  # between two notes that a scan found nothing changed


class FolderRunner(ABC, Generic[L]):
    """Harvests one folder."""

    formats: tuple[str, ...]  # the last scan is noted for these
    passing = frozenset({"moved"})  # codes of incidental reports, which do not start a run

    def __init__(
        self,
        folder: PublishedFolder,
        *,
        store: Store,
        observer: Observer | None = None,
        stopper: Stopper | None = None,
        now: Callable[[], datetime] = utc_now,
    ) -> None:
        self._folder = folder
        self._store = store
        self._observer = observer or NullObserver()
        self._stopper = stopper or Stopper()
        self._now = now
        self._reported: frozenset[str] = frozenset()  # problems that `refresh` has reported
        self._noted = 0  # Unix second of the last complete scan that was noted

    def run(self, options: HarvestOptions) -> Run:
        """Harvest once and return the stored run. Raises only errors of the library."""
        run = self._run(options, None, {key: value for key, value in asdict(options).items() if value})
        self._store.settle()
        return run

    def refresh(self, paths: Sequence[str] | None = None) -> Run | None:
        """Scan these paths and what is below them, or (None) everything, and store the changes.

        Without changes it returns None and leaves no run, so it can be called every second. The time of
        complete scans is noted about once a minute.
        """
        started = self._second()
        scan = self._new_scan(HarvestOptions(), paths)
        if paths is not None and not scan.has_root():
            return self.refresh()  # finds out what is wrong
        if self._has_news(scan):
            return self._run(HarvestOptions(), paths, {"paths": len(paths)} if paths else {})
        is_lost = any(problem.weight is Severity.FATAL for problem in scan.problems)
        if (
            scan.is_whole
            and not is_lost
            and (scan.doubtful or started - self._noted >= _UNCHANGED_NOTE_SECONDS)
        ):
            self._note_scan(scan, started)
        return None

    def scan(self, options: HarvestOptions) -> L:
        """Scan everything and store nothing; return the scan with its counters."""
        scan = self._new_scan(options, None)
        if scan.has_root():
            self._count(scan)
        self._judge_root(scan, options)
        return scan

    @abstractmethod
    def _new_scan(self, options: HarvestOptions, paths: Sequence[str] | None) -> L:
        """Return a scan that has not started."""

    @abstractmethod
    def _harvest(self, attempt: Attempt, options: HarvestOptions, paths: Sequence[str] | None) -> None:
        """Scan and store."""

    @abstractmethod
    def _has_something(self, scan: L) -> bool:
        """Return whether any file must be stored; called for an existing folder."""

    @abstractmethod
    def _has_gone(self, scan: L) -> bool:
        """Return whether any file is gone; called after all files were scanned."""

    @abstractmethod
    def _count(self, scan: L) -> None:
        """Count what a harvest would do."""

    def _run(
        self, options: HarvestOptions, paths: Sequence[str] | None, arguments: Mapping[str, object]
    ) -> Run:
        with running(
            self._store,
            Identity(self._folder.name, self._folder.url),
            "harvest",
            arguments=arguments,
            observer=self._observer,
            stopper=self._stopper,
        ) as attempt:
            if attempt.known is not None and attempt.known.url != self._folder.url:
                words = f"the address was {attempt.known.url}; every file has a new identifier now"
                attempt.note("moved", words, weight=Severity.NOTE)
            attempt.check()
            self._harvest(attempt, options, paths)
        found = (problem.message for problem in attempt.problems if problem.code not in self.passing)
        self._reported = frozenset(found) if paths is None else self._reported.union(found)
        return attempt.run

    def _has_news(self, scan: L) -> bool:
        """Return whether there is anything to store, or a new problem; a scan ends at the first finding."""
        if scan.has_root() and self._has_something(scan):
            return True
        is_lost = self._judge_root(scan, HarvestOptions())
        found = frozenset(problem.message for problem in scan.problems if problem.code not in self.passing)
        if found != self._reported if scan.is_whole else found - self._reported:
            return True
        return not is_lost and self._has_gone(scan)

    def _judge_root(self, scan: L, options: HarvestOptions) -> bool:
        """Return whether the folder itself is the problem; nothing in it then counts as gone."""
        if any(problem.weight is Severity.FATAL for problem in scan.problems):
            return True
        # What .htaccess files hide must not stay in the library, even if that is everything.
        if not scan.is_whole or not scan.is_bare or scan.is_withheld or options.is_reconciling:
            return False
        words = (
            f"{self._folder.root} shows no file, though the library has some of it: is it mounted, may it be"
            " read? If all are gone for good, `windrow harvest --reconcile` with its name says so"
        )
        scan.problems.append(Problem("empty", words, Severity.FATAL))
        return True

    def _note_scan(self, scan: L, started: int) -> None:
        """Note that nothing has changed up to a moment, in the name of the last run."""
        self._noted = started
        with self._store.writing() as connection:
            source = sources.find(connection, self._folder.name)
            last = runs.latest(connection, source=self._folder.name, limit=1)
            if source is not None and last:
                self._move_cursors(connection, source.id, scan, started, last[0].id)

    def _show(self, attempt: Attempt, scan: L, *, is_due: bool | None = None) -> None:
        if not (scan.counters.seen % _PROGRESS_FILES == 0 if is_due is None else is_due):
            return
        self._observer.advanced(self._folder.name, scan.counters, scan.expected)
        attempt.beat(every_seconds=_BEAT_SECONDS)

    def _move_cursors(
        self, connection: Connection, source_id: int, scan: L, started: int, run_id: int
    ) -> None:
        for prefix in self.formats:
            checkpoints.move_cursor(
                connection,
                source_id,
                prefix,
                "",
                next_from=format_second(started),
                size=scan.counters.seen,
                run_id=run_id,
            )

    def _second(self) -> int:
        return int(self._now().timestamp())
