"""One look at a folder of documents: which files are new or may have changed, and which are gone.

By size, time, guards and what lies beside them; no file is opened but those that describe others. `documents`
has the changed ones settled and read.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from io import BufferedReader
from typing import NamedTuple, cast
from urllib.parse import quote

from windrow.config.schema import DOCUMENT_FORMATS, MOST_ARCHIVE_MEMBERS
from windrow.formats.windrow_document import StatedFact
from windrow.harvest.folder.folder_run import DOUBTFUL_SECONDS, FolderScan, is_below_any
from windrow.model.file_content import (
    BYTES_CUT,
    MEMBERS_CUT,
    MEMBERS_LEFT_OUT,
    NO_TEXT_LAYER,
    NOT_READ,
    TEXT_LAYER_GAPS,
    TEXT_TOO_LONG,
    Extract,
)
from windrow.model.run import Problem, Severity
from windrow.sources.files.file_description import NANOSECONDS
from windrow.sources.files.published_folder import PublishedFolder
from windrow.sources.files.sidecars import (
    Sidecars,
    WasSidecar,
    file_signature,
    given_digest,
    split_signatures,
)
from windrow.sources.files.visible_files import FoundFile, Tree, open_visible
from windrow.store import sources
from windrow.store.harvests import checkpoints, folder_state
from windrow.store.harvests.folder_state import DROPPED, HIDDEN, REFUSED, KnownFile
from windrow.store.store import Store

# What is to be known of documents that were not read, or only in part: kept by codes, reported by runs.
# A remark is a code, with two numbers where it counts something: `members-cut:1000/30000`. It stands in
# the row of the file, so that `windrow document list` shows it and every later run can report what is
# still missing.

LEFT_OUT = "left-out"
_CUT = re.compile(rf"({MEMBERS_CUT}|{BYTES_CUT}):(\d+)/(\d+)")
_EXAMPLES = 3
# What a run reports of the files it read, by code.
REPORTED = {
    NO_TEXT_LAYER: "without a text layer: the pages are pictures, and their words cannot be searched",
    TEXT_LAYER_GAPS: "with pages that are pictures without text, whose words cannot be searched",
    NOT_READ: "not read: of a kind that nothing here reads, or too large; name, size and time are kept",
    MEMBERS_LEFT_OUT: "with files inside that were left out, each for a reason that its record gives",
    TEXT_TOO_LONG: "with more text than is kept; documents.text_limit is the limit",
}


def extract_remarks(extract: Extract, *, most_members: int) -> str:
    """Return the remarks on what was read of a file, as its row holds them."""
    facts = dict(extract.measured)
    found = []
    if facts.get("text-layer"):
        found.append(NO_TEXT_LAYER if facts["text-layer"] == "none" else TEXT_LAYER_GAPS)
    if facts.get("content"):
        found.append(NOT_READ if facts["content"] == "not read" else TEXT_TOO_LONG)
    beyond = int(facts.get("members-beyond-limit") or 0)
    if beyond:
        taken = len(extract.members)
        code = MEMBERS_CUT if taken >= most_members else BYTES_CUT
        found.append(f"{code}:{taken}/{taken + beyond}")
    if facts.get("members-left-out"):
        found.append(f"{MEMBERS_LEFT_OUT}:{facts['members-left-out']}")
    return " ".join(found)


def remark_codes(remarks: str) -> list[str]:
    """Return the codes of remarks, without their numbers."""
    return [each.partition(":")[0] for each in remarks.split()]


def without_cut(remarks: str) -> str:
    """Return remarks without what they say of an archive's files, for one that is to stay closed."""
    return " ".join(each for each in remarks.split() if not _CUT.fullmatch(each))


def is_cut_below(remarks: str, most_members: int) -> bool:
    """Return whether an archive has files that would be taken now that so many are allowed."""
    cut = _CUT.search(remarks)
    return cut is not None and cut[1] == MEMBERS_CUT and int(cut[2]) < most_members


def truncated_archive_problem(row: KnownFile) -> Problem | None:
    """Return what a run reports of an archive of which not all files were taken; None for other files."""
    cut = _CUT.search(row.remarks)
    if cut is None:
        return None
    taken, total = int(cut[2]), int(cut[3])
    if cut[1] == BYTES_CUT:
        way = "they unpack to more than is taken from one archive; unpack it into the folder"
    elif total > MOST_ARCHIVE_MEMBERS:
        way = f"no more than {MOST_ARCHIVE_MEMBERS:,} can be; unpack it into the folder"
    else:
        way = f"set documents.archive_members to {total} or more"
    words = f"{public_name(row)} has {total:,} files, and only the first {taken:,} were taken: {way}"
    return Problem(MEMBERS_CUT, words, Severity.PROBLEM)


def public_name(row: KnownFile) -> str:
    """Return what a run may call a file: runs are shown to everybody, protected files are not."""
    if row.guards or row.state == HIDDEN:
        return "a protected file"
    return f"{row.path}#{row.member}" if row.member else row.path


class RemarkCounter:
    """Counts the remarks on the files that one run reads."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._examples: dict[str, list[str]] = {}

    def add(self, row: KnownFile) -> None:
        """Count the remarks on a file."""
        for code in remark_codes(row.remarks):
            self._counts[code] += 1
            examples = self._examples.setdefault(code, [])
            if len(examples) < _EXAMPLES:
                examples.append(public_name(row))

    def problems(self, source: str) -> Iterator[Problem]:
        """Return one note a code, with the first of the files and the way to all of them."""
        for code, words in REPORTED.items():
            count = self._counts[code]
            if count:
                names = ", ".join(self._examples[code]) + (", …" if count > _EXAMPLES else "")
                listing = f"`windrow document list {source} --remark {code}`"
                noun = "document" if count == 1 else "documents"
                message = f"{count:,} {noun} {words} ({names}); {listing} lists them"
                yield Problem(code, message, Severity.NOTE)


def left_out_notes(left_out: Sequence[tuple[str, str]], source: str) -> list[Problem]:
    """Return one note a reason for which files and folders were left out. Names are for their owner alone."""
    counts = Counter(reason for _, reason in left_out)
    listing = f"`windrow document list {source} --left-out` lists them"
    return [
        Problem(LEFT_OUT, f"{count:,} left out: {reason}; {listing}", Severity.NOTE)
        for reason, count in counts.items()
    ]


# The version of what reads documents: raised when it finds more, so that the next harvest reads them again.
READER_VERSION = "2"
CLOSED_ARCHIVE = (
    f"{READER_VERSION} closed"  # of an archive whose members were left alone, as the source then said
)
AS_SIDECAR = "it describes the files beside it (sidecars = false takes it in as a document)"
_SAFE = "/~!$&'()*+,;=:@"  # RFC 3986, 3.5: what may stand in a fragment as it is
_BETWEEN = "\x1e"  # guards; no path can be so written in an .htaccess


class Candidate(NamedTuple):
    """A file that is new or may have changed."""

    file: FoundFile
    held: KnownFile | None
    beside: str
    is_trusted: bool  # is its content as it was, by all signs but the content itself?


@dataclass(frozen=True, slots=True)
class KnownDocuments:
    """What the library has of a folder: its files by path, and the members of its archives."""

    files: Mapping[str, KnownFile]
    absent: Sequence[KnownFile]  # those dropped or hidden elsewhere: one may come back under another name
    is_settled: bool  # was there a whole look at this address, at documents?
    size: int | None  # how many files the last whole look saw


@dataclass(slots=True, kw_only=True)
class DocumentScan(FolderScan):
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
        """Return what is new or may have changed; count the others as unchanged."""
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

    def gone(self) -> list[KnownFile]:
        """Return the files that the folder no longer shows, dropped ones too; to be asked afterwards."""
        if self.limit is not None:
            return []
        rows = self.known.files.values()
        return [row for row in rows if row.path not in self._met and not is_below_any(row.path, self.lost)]

    def given(self, path: str) -> Sequence[StatedFact]:
        """Return what other files say of the one at a path."""
        return self.sidecars.given(path) if self.sidecars is not None else ()

    def tell_cut(self, row: KnownFile) -> None:
        """Report an archive of which not all files are in the library, whenever it was read."""
        problem = truncated_archive_problem(row) if row.state != DROPPED else None
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
                verdicts |= split_signatures(row.beside)
        return lambda file: verdicts.get(file_signature(file))

    def _beside(self, path: str) -> str:
        return self.sidecars.beside(path) if self.sidecars is not None else ""

    def _is_same(self, file: FoundFile, held: KnownFile, beside: str) -> bool:
        """Is all that the library has of a file still right, if its content is as it was?"""
        is_read = not self.is_full and held.reader == READER_VERSION
        return is_read and held.beside == beside and held.guards == join_guards(file.guards)

    def _is_trusted(self, file: FoundFile, held: KnownFile) -> bool:
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


def load_known_documents(
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
        rows = folder_state.list_files(connection, source.id, paths)
        states = () if paths is None else (DROPPED, HIDDEN)
        judged = [row for state in states for row in folder_state.list_in_state(connection, source.id, state)]
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


def _close_archives(files: dict[str, KnownFile], rows: Sequence[KnownFile]) -> None:
    """Have archives that were opened read again, now that they are to be left closed, and those alone."""
    files |= {
        path: row._replace(reader=READER_VERSION)
        for path, row in files.items()
        if row.reader == CLOSED_ARCHIVE
    }
    opened = {row.path for row in rows if row.member and not row.is_verdict}
    files |= {path: files[path]._replace(reader="") for path in opened & files.keys()}


def update_addresses(store: Store, folder: PublishedFolder, source_id: int) -> None:
    """Give the files of a folder that has a new address their new identifiers; each is to be read again."""
    with store.reading() as connection:
        rows = folder_state.list_files(connection, source_id)
    if all(row.identifier.startswith(folder.url) for row in rows):
        return
    renamed = [row._replace(identifier=document_identifier(folder, row), reader="") for row in rows]
    with store.writing() as connection:
        folder_state.remove_files(connection, source_id, rows)
        folder_state.put_files(connection, source_id, renamed)


def document_identifier(folder: PublishedFolder, row: KnownFile) -> str:
    """Return the identifier that a document has by its place."""
    address = folder.address(row.path)
    return f"{address}#{encode_member(row.member)}" if row.member else address


def encode_member(member: str) -> str:
    """Return the path of a member as it stands behind the # of its identifier."""
    return quote(member, safe=_SAFE)


def join_guards(guards: Sequence[str]) -> str:
    """Return guards as one text."""
    return _BETWEEN.join(guards)


def split_guards(guards: str) -> tuple[str, ...]:
    """Return guards out of one text."""
    return tuple(guards.split(_BETWEEN)) if guards else ()


# What is to be done with a file that may have changed: nothing, describe it anew, or read it.
# By its SHA-256, the last of the signs after size and time. So a file that was moved is known again, and
# one with a new time and the same content is not read twice. Between `document_look` and
# `document_reading`.


class FileAction(Enum):
    """What is to be done with a file."""

    NOTE = "note"  # its time, its place: the record stays as it is
    DESCRIBE = "describe"  # again, from what was read before
    READ = "read"


class PlannedFile(NamedTuple):
    """A file, what is to be done with it, and what is to be known of it afterwards."""

    deed: FileAction
    row: KnownFile
    file: FoundFile
    former: KnownFile | None  # what was known of it, perhaps at another place


class ChangePlanner:
    """Settles the candidates of one look. `gone` are the files that the folder no longer shows."""

    def __init__(self, look: DocumentScan, gone: Iterable[KnownFile], *, now: Callable[[], int]) -> None:
        self._look = look
        self._now = now
        self._left: dict[str, list[KnownFile]] = {}
        for row in (*gone, *look.known.absent):
            self._left.setdefault(row.sha256, []).append(row)
        self.moved: set[str] = set()  # the paths from which files were moved

    def settle(self, candidate: Candidate) -> PlannedFile | None:
        """Return what is to be done with a file; None where it cannot be opened, which is told."""
        started, sha256 = self._now(), self._content(candidate)
        if sha256 is None:
            return None
        former = candidate.held or self._moved_here(sha256)
        row = self._row(candidate, former, sha256, started)
        return PlannedFile(self._deed(row, former), row, candidate.file, former)

    def _content(self, candidate: Candidate) -> str | None:
        """Return the SHA-256 of a file; it is not opened where nothing speaks for a change."""
        file = candidate.file
        if candidate.is_trusted and candidate.held is not None:
            return candidate.held.sha256
        try:
            with open_visible(self._look.tree, file.path) as opened:
                sha256 = hashlib.file_digest(cast("BufferedReader", opened), "sha256").hexdigest()
                status = os.fstat(opened.fileno())
        except OSError as exc:
            self._look.tell("unreadable", f"{file.path} could not be opened ({exc.strerror or 'it is gone'})")
            return None
        if (status.st_size, status.st_mtime_ns) == (file.size, file.mtime_ns):
            return sha256
        words = f"{file.path} is being written; the next harvest looks at it again"
        self._look.tell("changing", words, Severity.NOTE)
        return None

    def _moved_here(self, sha256: str) -> KnownFile | None:
        """Return what is known of a file that had this content, and is not where it was."""
        left = self._left.get(sha256, [])
        row = next((row for row in left if self._look.tree.look_up(row.path) is None), None)
        if row is not None:
            left.remove(row)
            self.moved.add(row.path)
        return row

    def _row(self, candidate: Candidate, former: KnownFile | None, sha256: str, now: int) -> KnownFile:
        file = candidate.file
        row = former or KnownFile(file.path, "", self._look.folder.address(file.path), 0, 0, "")
        return row._replace(
            path=file.path,
            size=file.size,
            mtime_ns=file.mtime_ns,
            sha256=sha256,
            guards=join_guards(file.guards),
            beside=candidate.beside,
            given=given_digest(self._look.given(file.path)),
            looked_at=former.looked_at if candidate.is_trusted and former is not None else now,
        )

    def _deed(self, row: KnownFile, former: KnownFile | None) -> FileAction:
        if former is None:
            return FileAction.READ
        if former.state == DROPPED:
            return FileAction.NOTE
        if self._look.is_full or former.reader != READER_VERSION or former.sha256 != row.sha256:
            return FileAction.READ
        if former.state == REFUSED:
            return FileAction.NOTE
        compared = ("path", "mtime_ns", "guards", "given")
        is_same = all(getattr(row, name) == getattr(former, name) for name in compared)
        return FileAction.NOTE if is_same else FileAction.DESCRIBE
