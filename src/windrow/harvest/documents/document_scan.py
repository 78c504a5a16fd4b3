"""One look at a folder of documents: which files are new or may have changed, and which are gone.

By size, time, guards and what lies beside them; no file is opened but those that describe others. `documents`
has the changed ones settled and read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple
from urllib.parse import quote

from windrow.config.schema import DOCUMENT_FORMATS
from windrow.formats.extracted import Given
from windrow.harvest.document_remarks import cut_problem, is_cut_below, left_out_notes
from windrow.harvest.folder_walk import DOUBTFUL_SECONDS, FolderWalk, is_below
from windrow.sources.files.describe import NANOSECONDS
from windrow.sources.files.published import PublishedFolder
from windrow.sources.files.sidecars import Sidecars, WasSidecar, sign_of, verdicts_in
from windrow.sources.files.walk import FoundFile, Tree
from windrow.store import checkpoints, held_files, sources
from windrow.store.held_files import DROPPED, HIDDEN, HeldRow
from windrow.store.store import Store

# The version of what reads documents: raised when it finds more, so that the next harvest reads them again.
READING = "2"
CLOSED = f"{READING} closed"  # of an archive whose members were left alone, as the source then said
AS_SIDECAR = "it describes the files beside it (sidecars = false takes it in as a document)"
_SAFE = "/~!$&'()*+,;=:@"  # RFC 3986, 3.5: what may stand in a fragment as it is
_BETWEEN = "\x1e"  # guards; no path can be so written in an .htaccess


class Candidate(NamedTuple):
    """A file that is new or may have changed."""

    file: FoundFile
    held: HeldRow | None
    beside: str
    is_trusted: bool  # is its content as it was, by all signs but the content itself?


@dataclass(frozen=True, slots=True)
class KnownDocuments:
    """What the library has of a folder: its files by path, and the members of its archives."""

    files: Mapping[str, HeldRow]
    absent: Sequence[HeldRow]  # those dropped or hidden elsewhere: one may come back under another name
    is_settled: bool  # was there a whole look at this address, at documents?
    size: int | None  # how many files the last whole look saw


@dataclass(slots=True, kw_only=True)
class DocumentLook(FolderWalk):
    """A look under way, at files that are read."""

    known: KnownDocuments
    is_full: bool = False  # read everything again
    has_sidecars: bool = True
    tree: Tree = field(init=False)
    sidecars: Sidecars | None = None
    left_out: list[tuple[str, str]] = field(default_factory=list)  # paths, and why
    _met: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.tree = Tree.at(self.folder.root, self.folder.rules)

    @property
    def is_bare(self) -> bool:
        """Does a folder of which the library has files show none any more?"""
        return not self._met and any(not row.is_verdict for row in self.known.files.values())

    @property
    def expected(self) -> int | None:
        """How many files there are in all."""
        return max(len(self._met), self.counters.seen) or self.known.size

    def candidates(self) -> list[Candidate]:
        """Give what is new or may have changed; count the others as unchanged."""
        found = list(self.documents())
        self.counters.left_out += len(self.left_out)
        if self.is_whole:
            self.problems += left_out_notes(self.left_out, self.folder.name)
        self._met.update(file.path for file in found)
        changed = []
        for file in found:
            held, beside = self.known.files.get(file.path), self._beside(file.path)
            is_trusted = held is not None and self._is_trusted(file, held)
            if held is not None and (
                held.state == DROPPED or (is_trusted and self._is_same(file, held, beside))
            ):
                self.counters.seen += 1
                self.counters.unchanged += 1
                self.tell_cut(held)
            else:
                changed.append(Candidate(file, held, beside, is_trusted))
        return changed

    def gone(self) -> list[HeldRow]:
        """Give the files that the folder no longer shows, dropped ones too; to be asked afterwards."""
        if self.limit is not None:
            return []
        rows = self.known.files.values()
        return [row for row in rows if row.path not in self._met and not is_below(row.path, self.lost)]

    def given(self, path: str) -> Sequence[Given]:
        """Give what other files say of the one at a path."""
        return self.sidecars.given(path) if self.sidecars is not None else ()

    def tell_cut(self, row: HeldRow) -> None:
        """Report an archive of which not all files are in the library, whenever it was read."""
        problem = cut_problem(row) if row.state != DROPPED else None
        if problem is not None:
            self.tell(problem.code, problem.message, problem.weight)

    def documents(self) -> Iterable[FoundFile]:
        """The files that are documents; those that only describe others are set aside."""
        if not self.has_sidecars:
            return self.files()
        self.sidecars = Sidecars(
            self.tree,
            list(self.files()),
            is_whole=self.is_whole,
            was_sidecar=self._was_sidecar(),
            on_trouble=self._note_sidecar,
        )
        self.left_out += [(path, AS_SIDECAR) for path in self.sidecars.describing]
        return self.sidecars.documents

    def _was_sidecar(self) -> WasSidecar:
        """What tells sidecars by what the library knows: none of them is read to find out what it is."""
        verdicts: dict[str, bool] = {}
        for row in self.known.files.values():
            if row.beside:
                verdicts |= verdicts_in(row.beside)
        return lambda file: verdicts.get(sign_of(file))

    def _beside(self, path: str) -> str:
        return self.sidecars.beside(path) if self.sidecars is not None else ""

    def _is_same(self, file: FoundFile, held: HeldRow, beside: str) -> bool:
        """Is all that the library has of a file still right, if its content is as it was?"""
        is_read = not self.is_full and held.reader == READING
        return is_read and held.beside == beside and held.guards == joined(file.guards)

    def _is_trusted(self, file: FoundFile, held: HeldRow) -> bool:
        """Is the content of a file as it was, without a look into it?"""
        if (file.size, file.mtime_ns) != (held.size, held.mtime_ns):
            return False
        is_doubtful = file.mtime_ns // NANOSECONDS >= held.looked_at - DOUBTFUL_SECONDS
        self.doubtful += is_doubtful
        return not is_doubtful

    def _leave_out(self, path: str, reason: str) -> None:
        self.left_out.append((path, reason))

    def _note_sidecar(self, path: str, words: str) -> None:
        self.tell("sidecar", f"{path} {words}")


def know_documents(
    store: Store,
    folder: PublishedFolder,
    paths: Sequence[str] | None = None,
    *,
    has_archives: bool = True,
    archive_members: int = 0,
) -> KnownDocuments:
    """Read what the library has of a folder: of some paths and what is below them, or (None) all."""
    with store.reading() as connection:
        source = sources.find(connection, folder.name)
        if source is None:
            return KnownDocuments({}, (), False, None)
        cursor = checkpoints.cursor(connection, source.id, DOCUMENT_FORMATS[0], "")
        rows = held_files.rows(connection, source.id, paths)
        states = () if paths is None else (DROPPED, HIDDEN)
        judged = [row for state in states for row in held_files.in_state(connection, source.id, state)]
    # Under a new address every document has a new identifier, so it is described again.
    ours = (row if row.identifier.startswith(folder.url) else row._replace(reader="") for row in rows)
    files = {row.path: row for row in ours if not row.member}
    if not has_archives:
        _close_archives(files, rows)
    files |= {  # of which more may be taken by now
        path: row._replace(reader="")
        for path, row in files.items()
        if is_cut_below(row.remarks, archive_members)
    }
    absent = [row for row in judged if not row.member and row.path not in files]
    return KnownDocuments(files, absent, cursor is not None, cursor.size if cursor else None)


def _close_archives(files: dict[str, HeldRow], rows: Sequence[HeldRow]) -> None:
    """Have archives that were opened read again, now that they are to be left closed, and those alone."""
    files |= {path: row._replace(reader=READING) for path, row in files.items() if row.reader == CLOSED}
    opened = {row.path for row in rows if row.member and not row.is_verdict}
    files |= {path: files[path]._replace(reader="") for path in opened & files.keys()}


def readdress(store: Store, folder: PublishedFolder, source_id: int) -> None:
    """Give the files of a folder that has a new address their new identifiers; each is to be read again."""
    with store.reading() as connection:
        rows = held_files.rows(connection, source_id)
    if all(row.identifier.startswith(folder.url) for row in rows):
        return
    renamed = [row._replace(identifier=identifier_of(folder, row), reader="") for row in rows]
    with store.writing() as connection:
        held_files.remove(connection, source_id, rows)
        held_files.put(connection, source_id, renamed)


def identifier_of(folder: PublishedFolder, row: HeldRow) -> str:
    """Give the identifier that a document has by its place."""
    address = folder.address(row.path)
    return f"{address}#{in_fragment(row.member)}" if row.member else address


def in_fragment(member: str) -> str:
    """Give the path of a member as it stands behind the # of its identifier."""
    return quote(member, safe=_SAFE)


def joined(guards: Sequence[str]) -> str:
    """Give guards as one text."""
    return _BETWEEN.join(guards)


def parted(guards: str) -> tuple[str, ...]:
    """Give guards out of one text."""
    return tuple(guards.split(_BETWEEN)) if guards else ()
