"""One look at a folder: which files are new, which changed, which are gone, compared with the library.

Reads only. `files` stores what was found, the preview counts it, `keeping_fresh` asks whether there is any.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from windrow.harvest.folder_walk import DOUBTFUL_SECONDS, FolderWalk, is_below
from windrow.model.stamp import read_stamp
from windrow.sources.files.describe import describe, header, modified, type_of
from windrow.sources.files.mime_sets import set_of
from windrow.sources.files.published import PublishedFolder
from windrow.sources.files.walk import FoundFile, Tree
from windrow.store import checkpoints, present, sources
from windrow.store.guards import guard_set
from windrow.store.present import Bounds, Present
from windrow.store.store import Store

DESCRIPTION, HEADER = "oai_dc", "http_header"  # the formats kept of each file; the first keeps the time


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


@dataclass(slots=True, kw_only=True)
class Look(FolderWalk):
    """A look under way, at files that are only listed."""

    known: Known
    is_full: bool = False  # describe everything again
    _met: set[str] = field(default_factory=set)

    @property
    def is_bare(self) -> bool:
        """Does a folder of which the library has files show none any more?"""
        return self.counters.seen == 0 and any(not item.is_deleted for item in self.known.records.values())

    @property
    def expected(self) -> int | None:
        """How many files the last look saw."""
        return self.known.size

    def finds(self) -> Iterator[Find]:
        """Give what is new or may have changed; count everything that is seen."""
        tree = Tree.at(self.folder.root, self.folder.rules)
        for file in self.files():
            self.counters.seen += 1
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
        lost = [self.folder.address(path) if path else "" for path in self.lost]
        return [
            identifier
            for identifier, item in self.known.records.items()
            if not item.is_deleted and identifier not in self._met and not is_below(identifier, lost)
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

    def _note_description(self, path: str, words: str) -> None:
        self.tell("description", f"{path} {words}")


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


def read_second(stamp: str | None) -> int | None:
    """Give the Unix second that a datestamp stands for."""
    moment = read_stamp(stamp or "")
    return None if moment is None else int(moment.timestamp())
