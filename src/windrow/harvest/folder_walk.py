"""A walk through a folder on behalf of a run: its visible files, and what could not be looked at.

What `folder_look`, which lists files, and `document_look`, which reads them, have in common.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from windrow.harvest.stopping import Stopper
from windrow.model.run import Counters, Problem, Weight
from windrow.sources.files.published import PublishedFolder
from windrow.sources.files.walk import FoundFile, NotUnderstood, Withheld, look_up, walk

MAX_PROBLEMS = 500
_CHECKED_EVERY = 100  # files between two questions whether to stop
# A file that was written in the second of the last look, or just before, may have been written once more
# after it was looked at, and keep its time and size. Some file systems count in steps of two seconds.
DOUBTFUL_SECONDS = 2


@dataclass(slots=True, kw_only=True)
class FolderWalk:
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
        """Give the visible files, no more than the limit, and stop when asked to."""
        for number, file in enumerate(self._all()):
            if self.limit is not None and number >= self.limit:
                return
            if (number + 1) % _CHECKED_EVERY == 0:
                self.stopper.check()
            yield file

    def tell(self, code: str, message: str, weight: Weight = Weight.PROBLEM) -> None:
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
            self.tell("name", f"{shown} has a name that is not UTF-8, so it has no address", Weight.NOTE)
            self._leave_out(shown, "the name is not UTF-8, so it has no address")
            return
        if isinstance(exc, Withheld):
            self.is_withheld = True
            return
        if isinstance(exc, NotUnderstood):
            words = str(exc).encode("utf-8", "backslashreplace").decode()
            self.tell("htaccess", f"{words}; what it may apply to is not shown", Weight.NOTE)
            return
        self.lost.append(path)
        words = getattr(exc, "strerror", None) or str(exc)
        if not path:
            told = f"{self.folder.root} could not be looked at ({words}); nothing was changed"
            advice = "check the path, and that its drive is there"
            self.tell("unreadable", f"{told}: {advice}", Weight.FATAL)
            return
        self.tell("unreadable", f"{path} could not be looked at ({words}); what is known of it stays")


def is_below(path: str, places: Sequence[str]) -> bool:
    """Say whether a path, or an address, is one of these places or lies below one; "" is above everything."""
    return any(not at or path == at or path.startswith(f"{at}/") for at in places)
