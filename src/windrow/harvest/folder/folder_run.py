"""One run of a source that is a folder, whatever is done with its files: claimed, attempted, written down.

`files` lists the files of a folder, `documents` reads them; both are this with a look and a way to store it.
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

# A walk through a folder on behalf of a run: its visible files, and what could not be looked at.
# What `folder_look`, which lists files, and `document_look`, which reads them, have in common.

MAX_PROBLEMS = 500
_CHECKED_EVERY = 100  # files between two questions whether to stop
# A file that was written in the second of the last look, or just before, may have been written once more
# after it was looked at, and keep its time and size. Some file systems count in steps of two seconds.
DOUBTFUL_SECONDS = 2


@dataclass(slots=True, kw_only=True)
class FolderScan:
    """A look under way. `paths` are what to look at; None: everything."""

    folder: PublishedFolder
    stopper: Stopper
    paths: Sequence[str] | None = None
    limit: int | None = None
    counters: Counters = field(default_factory=Counters)
    problems: list[Problem] = field(default_factory=list)
    doubtful: int = 0  # files looked into again only because of when they were written
    lost: list[str] = field(default_factory=list)  # paths at and below which nothing could be seen
    is_withheld: bool = False  # .htaccess files keep something back

    @property
    def is_whole(self) -> bool:
        """Has it seen everything there is?"""
        return self.paths is None and self.limit is None

    @property
    def is_bare(self) -> bool:
        """Does a folder of which the library has files show none any more?"""
        raise NotImplementedError

    @property
    def expected(self) -> int | None:
        """How many files there will be, as far as can be told."""
        raise NotImplementedError

    def has_root(self) -> bool:
        """Can the folder itself be looked at, and is anything in it? A drive that is not mounted is empty."""
        try:
            with os.scandir(self.folder.root) as listing:
                return next(listing, None) is not None
        except OSError as exc:
            self._note_lost("", exc)
            return False

    def files(self) -> Iterator[FoundFile]:
        """Yield the visible files, no more than the limit, and stop when asked to."""
        for number, file in enumerate(self._all()):
            if self.limit is not None and number >= self.limit:
                return
            if (number + 1) % _CHECKED_EVERY == 0:
                self.stopper.check()
            yield file

    def tell(self, code: str, message: str, weight: Severity = Severity.PROBLEM) -> None:
        """Note a problem; of very many only the first."""
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
        """Take note of what the rules leave out, where that is wanted."""

    def _note_lost(self, path: str, exc: Exception) -> None:
        if isinstance(exc, UnicodeError):
            shown = path.encode("utf-8", "backslashreplace").decode()
            self.tell("name", f"{shown} has a name that is not UTF-8, so it has no address", Severity.NOTE)
            self._leave_out(shown, "the name is not UTF-8, so it has no address")
            return
        if isinstance(exc, Withheld):
            self.is_withheld = True
            return
        if isinstance(exc, NotUnderstood):
            words = str(exc).encode("utf-8", "backslashreplace").decode()
            self.tell("htaccess", f"{words}; what it may apply to is not shown", Severity.NOTE)
            return
        self.lost.append(path)
        words = getattr(exc, "strerror", None) or str(exc)
        if not path:
            told = f"{self.folder.root} could not be looked at ({words}); nothing was changed"
            advice = "check the path, and that its drive is there"
            self.tell("unreadable", f"{told}: {advice}", Severity.FATAL)
            return
        self.tell("unreadable", f"{path} could not be looked at ({words}); what is known of it stays")


def is_below_any(path: str, places: Sequence[str]) -> bool:
    """Return whether a path, or an address, is one of these places or lies below one; "" is above everything."""
    return any(not at or path == at or path.startswith(f"{at}/") for at in places)


L = TypeVar("L", bound=FolderScan)
_PROGRESS_FILES = 500
_BEAT_SECONDS = 10.0
_UNCHANGED_NOTE_SECONDS = 60  # between two notes that a folder was looked at and nothing had changed


class FolderRunner(ABC, Generic[L]):
    """Harvests one folder."""

    formats: tuple[str, ...]  # of which the last look is noted
    passing = frozenset({"moved"})  # codes of what a run reports by the way, and for which none is begun

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
        self._told: frozenset[str] = frozenset()  # what `refresh` found wrong and has told of
        self._noted = 0  # the Unix second of the last whole look that was noted

    def run(self, options: HarvestOptions) -> Run:
        """Harvest once; give the run as the store remembers it. Raises only what concerns the library."""
        run = self._run(options, None, {key: value for key, value in asdict(options).items() if value})
        self._store.settle()
        return run

    def refresh(self, paths: Sequence[str] | None = None) -> Run | None:
        """Look at these paths and what is below them, or (None) at everything; store what changed.

        Where nothing did it gives None and leaves no run, so it can be done every second. That a whole look
        was had is noted now and then, for those who want to know.
        """
        started = self._second()
        look = self._looking(HarvestOptions(), paths)
        if paths is not None and not look.has_root():
            return self.refresh()  # which finds out what is wrong
        if self._has_news(look):
            return self._run(HarvestOptions(), paths, {"paths": len(paths)} if paths else {})
        is_lost = any(problem.weight is Severity.FATAL for problem in look.problems)
        if (
            look.is_whole
            and not is_lost
            and (look.doubtful or started - self._noted >= _UNCHANGED_NOTE_SECONDS)
        ):
            self._note_look(look, started)
        return None

    def look(self, options: HarvestOptions) -> L:
        """Look at everything and store nothing; give the look with its numbers."""
        look = self._looking(options, None)
        if look.has_root():
            self._count(look)
        self._judge_root(look, options)
        return look

    @abstractmethod
    def _looking(self, options: HarvestOptions, paths: Sequence[str] | None) -> L:
        """Return a look that has not begun."""

    @abstractmethod
    def _harvest(self, attempt: Attempt, options: HarvestOptions, paths: Sequence[str] | None) -> None:
        """Look and store."""

    @abstractmethod
    def _has_something(self, look: L) -> bool:
        """Is there any file to be stored? Asked of a folder that is there."""

    @abstractmethod
    def _has_gone(self, look: L) -> bool:
        """Is any file gone? Asked after all were looked at."""

    @abstractmethod
    def _count(self, look: L) -> None:
        """Look at everything, and count what a harvest would do."""

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
        self._told = frozenset(found) if paths is None else self._told.union(found)
        return attempt.run

    def _has_news(self, look: L) -> bool:
        """Is there anything to store, or to tell that was not told? A look ends at the first such thing."""
        if look.has_root() and self._has_something(look):
            return True
        is_lost = self._judge_root(look, HarvestOptions())
        found = frozenset(problem.message for problem in look.problems if problem.code not in self.passing)
        if found != self._told if look.is_whole else found - self._told:
            return True
        return not is_lost and self._has_gone(look)

    def _judge_root(self, look: L, options: HarvestOptions) -> bool:
        """Is the folder itself the problem? Then nothing of it counts as gone."""
        if any(problem.weight is Severity.FATAL for problem in look.problems):
            return True
        # What .htaccess files keep back must not stay in the library, even where that is everything.
        if not look.is_whole or not look.is_bare or look.is_withheld or options.is_reconciling:
            return False
        words = (
            f"{self._folder.root} shows no file, though the library has some of it: is it mounted, may it be"
            " read? If all are gone for good, `windrow harvest --reconcile` with its name says so"
        )
        look.problems.append(Problem("empty", words, Severity.FATAL))
        return True

    def _note_look(self, look: L, started: int) -> None:
        """Note that nothing has changed up to a moment, in the name of the last run."""
        self._noted = started
        with self._store.writing() as connection:
            source = sources.find(connection, self._folder.name)
            last = runs.latest(connection, source=self._folder.name, limit=1)
            if source is not None and last:
                self._move_cursors(connection, source.id, look, started, last[0].id)

    def _show(self, attempt: Attempt, look: L, *, is_due: bool | None = None) -> None:
        """Tell the observer how far we are, and others now and then that we live."""
        if not (look.counters.seen % _PROGRESS_FILES == 0 if is_due is None else is_due):
            return
        self._observer.advanced(self._folder.name, look.counters, look.expected)
        attempt.beat(every_seconds=_BEAT_SECONDS)

    def _move_cursors(
        self, connection: Connection, source_id: int, look: L, started: int, run_id: int
    ) -> None:
        for prefix in self.formats:
            checkpoints.move_cursor(
                connection,
                source_id,
                prefix,
                "",
                next_from=format_second(started),
                size=look.counters.seen,
                run_id=run_id,
            )

    def _second(self) -> int:
        return int(self._now().timestamp())
