"""One look at a folder: which files are new, which changed, which are gone, compared with the library.

Reads only. `files` stores what was found, the preview counts it, `keeping_fresh` asks whether there is any.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from windrow.harvest.stopping import Stopper
from windrow.model.run import Counters, Problem, Weight
from windrow.model.stamp import read_stamp
from windrow.sources.files.describe import describe, header, modified, type_of
from windrow.sources.files.mime_sets import set_of
from windrow.sources.files.published import PublishedFolder
from windrow.sources.files.walk import FoundFile, Tree, look_up, walk
from windrow.store import checkpoints, present, sources
from windrow.store.guards import guard_set
from windrow.store.present import Bounds, Present
from windrow.store.store import Store

DESCRIPTION, HEADER = "oai_dc", "http_header"  # the formats kept of each file; the first keeps the time
MAX_PROBLEMS = 500
_CHECKED_EVERY = 100  # files between two questions whether to stop
# A file that was written in the second of the last look, or just before, may have been written once more
# after it was looked at, and keep its time and size. Some file systems count in steps of two seconds.
DOUBTFUL_SECONDS = 2


@dataclass(frozen=True, slots=True)
class Known:
    """What the library has of a folder, and when it was last looked at."""

    records: dict[str, Present]
    combinations: dict[int, frozenset[str]]
    looked_at: int | None  # the Unix second in which the last whole look began; None: there was none
    size: int | None  # how many files it saw


@dataclass(frozen=True, slots=True)
class Find:
    """A file that is new or may have changed, with what is to be kept of it."""

    identifier: str
    modified: int
    sets: tuple[str, ...]
    header: bytes
    description: bytes
    known: Present | None


@dataclass(slots=True)
class Look:
    """A look under way. `paths` are what to look at; None: everything."""

    folder: PublishedFolder
    known: Known
    stopper: Stopper
    paths: Sequence[str] | None = None
    is_full: bool = False  # describe everything again
    limit: int | None = None
    counters: Counters = field(default_factory=Counters)
    problems: list[Problem] = field(default_factory=list)
    doubtful: int = 0  # files described again only because of when they were written
    _lost: list[str] = field(default_factory=list)  # paths at and below which nothing could be seen
    _met: set[str] = field(default_factory=set)

    @property
    def is_whole(self) -> bool:
        """Has it seen everything there is?"""
        return self.paths is None and self.limit is None

    def has_root(self) -> bool:
        """Can the folder itself be looked at, and is anything in it? A drive that is not mounted is empty."""
        try:
            with os.scandir(self.folder.root) as listing:
                return next(listing, None) is not None
        except OSError as exc:
            self._note_lost("", exc)
            return False

    @property
    def is_bare(self) -> bool:
        """Does a folder of which the library has files show none any more?"""
        return self.counters.seen == 0 and any(not item.is_deleted for item in self.known.records.values())

    def finds(self) -> Iterator[Find]:
        """Give what is new or may have changed; count everything that is seen."""
        tree = Tree.at(self.folder.root, self.folder.rules)
        for file in self._files():
            if self.limit is not None and self.counters.seen >= self.limit:
                return
            self.counters.seen += 1
            if self.counters.seen % _CHECKED_EVERY == 0:
                self.stopper.check()
            identifier = self.folder.address(file.path)
            self._met.add(identifier)
            sets = (set_of(type_of(file)), *map(guard_set, file.guards))
            head, known = header(file), self.known.records.get(identifier)
            if known is not None and self._is_same(file, known, head, sets):
                self.counters.unchanged += 1
                continue
            words = describe(self.folder, tree, file, on_trouble=self._note_description)
            yield Find(identifier, modified(file), sets, head, words, known)

    def gone(self) -> list[str]:
        """Give the files that the library has and the folder no longer shows; to be asked after `finds`."""
        if self.limit is not None:
            return []
        lost = [self.folder.address(path) if path else "" for path in self._lost]
        return [
            identifier
            for identifier, item in self.known.records.items()
            if not item.is_deleted and identifier not in self._met and not _is_below(identifier, lost)
        ]

    def _is_same(self, file: FoundFile, known: Present, head: bytes, sets: tuple[str, ...]) -> bool:
        """Is the library's record of a file still right, without a look into the file?"""
        if self.is_full or known.is_deleted or known.digest != present.digest_of(head):
            return False
        if self.known.combinations.get(known.group, frozenset()) != frozenset(sets):
            return False
        looked_at = self.known.looked_at
        is_doubtful = looked_at is None or modified(file) >= looked_at - DOUBTFUL_SECONDS
        self.doubtful += is_doubtful
        return not is_doubtful

    def _files(self) -> Iterator[FoundFile]:
        root, rules = self.folder.root, self.folder.rules
        if self.paths is None:
            yield from walk(root, rules, on_error=self._note_lost)
            return
        for path in self.paths:
            found = look_up(root, path, rules) if path else None
            if found is not None:
                yield found
            else:
                yield from walk(root, rules, under=path, on_error=self._note_lost)

    def _note_lost(self, path: str, exc: Exception) -> None:
        if isinstance(exc, UnicodeError):
            shown = path.encode("utf-8", "backslashreplace").decode()
            self._tell("name", f"{shown} has a name that is not UTF-8, so it has no address", Weight.NOTE)
            return
        self._lost.append(path)
        words = getattr(exc, "strerror", None) or str(exc)
        if not path:
            told = f"{self.folder.root} could not be looked at ({words}); nothing was changed"
            advice = "check the path, and that its drive is there"
            self._tell("unreadable", f"{told}: {advice}", Weight.FATAL)
            return
        self._tell("unreadable", f"{path} could not be looked at ({words}); what is known of it stays")

    def _note_description(self, path: str, words: str) -> None:
        self._tell("description", f"{path} {words}")

    def _tell(self, code: str, message: str, weight: Weight = Weight.PROBLEM) -> None:
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(Problem(code, message, weight))
        elif len(self.problems) == MAX_PROBLEMS:
            self.problems.append(Problem("more", "and more of the like", weight))


def know(store: Store, folder: PublishedFolder, paths: Sequence[str] | None = None) -> Known:
    """Read what the library has of a folder: of some paths and what is below them, or (None) all."""
    with store.reading() as connection:
        source = sources.find(connection, folder.name)
        if source is None:
            return Known({}, {}, None, None)
        cursor = checkpoints.cursor(connection, source.id, DESCRIPTION, "")
        # No cursor: the first look, or the first at a new address, under which every file has a new
        # identifier. What there is under others is to be found gone.
        bounds = None if cursor is None else _bounds(folder, paths)
        held = present.present(connection, source.id, HEADER, bounds)
        looked_at = read_second(cursor.next_from) if cursor else None
        groups = present.combinations(connection, source.id)
        return Known(held, dict(groups), looked_at, cursor.size if cursor else None)


def _bounds(folder: PublishedFolder, paths: Sequence[str] | None) -> list[Bounds]:
    """What identifiers can have these paths, or lie below them: "0" is what comes after the slash."""
    if paths is None or "" in paths:
        return [(folder.url, folder.url[:-1] + "0")]
    addresses = [folder.address(path) for path in paths]
    exact = [(address, address + "\0") for address in addresses]
    return exact + [(f"{address}/", f"{address}0") for address in addresses]


def _is_below(identifier: str, addresses: Sequence[str]) -> bool:
    return any(not at or identifier == at or identifier.startswith(f"{at}/") for at in addresses)


def read_second(stamp: str | None) -> int | None:
    """Give the Unix second that a datestamp stands for."""
    moment = read_stamp(stamp or "")
    return None if moment is None else int(moment.timestamp())
