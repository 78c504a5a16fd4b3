"""Scan a folder of documents: find new, changed and gone files, and plan what to do with them.

Changes are detected by size, time, guards and sidecars. Only sidecars are opened, and files whose content
hash is needed to decide.
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

# Remarks on documents that were not read, or only in part. A remark is a code, with two numbers if it counts
# something: `members-cut:1000/30000`. It is kept in the row of the file, so that `windrow document list`
# shows it and every later run can report what is still missing.

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
    """Return the remarks on an extract, as kept in the row of the file."""
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
    return [each.partition(":")[0] for each in remarks.split()]


def without_cut(remarks: str) -> str:
    """Return remarks without those on an archive's files, for an archive that stays closed."""
    return " ".join(each for each in remarks.split() if not _CUT.fullmatch(each))


def is_cut_below(remarks: str, most_members: int) -> bool:
    """Return whether an archive has files that the present limit would admit."""
    cut = _CUT.search(remarks)
    return cut is not None and cut[1] == MEMBERS_CUT and int(cut[2]) < most_members


def truncated_archive_problem(row: KnownFile) -> Problem | None:
    """Return the problem of an archive whose files were not all taken; None for other files."""
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
    """Return the name of a file in reports: runs are public, the names of protected files are not."""
    if row.guards or row.state == HIDDEN:
        return "a protected file"
    return f"{row.path}#{row.member}" if row.member else row.path


class RemarkCounter:
    """Counts the remarks on the files that one run reads."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._examples: dict[str, list[str]] = {}

    def add(self, row: KnownFile) -> None:
        for code in remark_codes(row.remarks):
            self._counts[code] += 1
            examples = self._examples.setdefault(code, [])
            if len(examples) < _EXAMPLES:
                examples.append(public_name(row))

    def problems(self, source: str) -> Iterator[Problem]:
        """Yield one note per code, with example files and the command that lists them all."""
        for code, words in REPORTED.items():
            count = self._counts[code]
            if count:
                names = ", ".join(self._examples[code]) + (", …" if count > _EXAMPLES else "")
                listing = f"`windrow document list {source} --remark {code}`"
                noun = "document" if count == 1 else "documents"
                message = f"{count:,} {noun} {words} ({names}); {listing} lists them"
                yield Problem(code, message, Severity.NOTE)


def left_out_notes(left_out: Sequence[tuple[str, str]], source: str) -> list[Problem]:
    """Return one note per reason for which files and folders were left out; only their owner sees names."""
    counts = Counter(reason for _, reason in left_out)
    listing = f"`windrow document list {source} --left-out` lists them"
    return [
        Problem(LEFT_OUT, f"{count:,} left out: {reason}; {listing}", Severity.NOTE)
        for reason, count in counts.items()
    ]


# Version of the document readers. Raise it when they extract more: the next harvest reads all files again.
READER_VERSION = "2"
CLOSED_ARCHIVE = (
    f"{READER_VERSION} closed"  # an archive whose members were left alone, as the source was configured
)
AS_SIDECAR = "it describes the files beside it (sidecars = false takes it in as a document)"
_SAFE = "/~!$&'()*+,;=:@"  # characters allowed in a fragment (RFC 3986, 3.5)
_BETWEEN = "\x1e"  # separates guards; no .htaccess can contain it in a path


class Candidate(NamedTuple):
    """A file that is new or may have changed."""

    file: FoundFile
    held: KnownFile | None
    beside: str
    is_trusted: bool  # its content is unchanged, judging by everything but the content itself


@dataclass(frozen=True, slots=True)
class KnownDocuments:
    """What the library has of a folder: its files by path, and the members of its archives."""

    files: Mapping[str, KnownFile]
    absent: Sequence[KnownFile]  # dropped or hidden elsewhere: one may reappear under another name
    is_settled: bool  # there was a complete scan of documents at this address
    size: int | None  # number of files in the last complete scan


@dataclass(slots=True, kw_only=True)
class DocumentScan(FolderScan):
    """A scan in progress, of files that are read."""

    known: KnownDocuments
    is_full: bool = False  # read everything again
    has_sidecars: bool = True
    tree: Tree = field(init=False)
    sidecars: Sidecars | None = None
    left_out: list[tuple[str, str]] = field(default_factory=list)  # paths and reasons
    _met: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.tree = Tree.at(self.folder.root, self.folder.rules)

    @property
    def is_bare(self) -> bool:
        """Return whether a folder with files in the library no longer shows any."""
        return not self._met and any(not row.is_verdict for row in self.known.files.values())

    @property
    def expected(self) -> int | None:
        return max(len(self._met), self.counters.seen) or self.known.size

    def candidates(self) -> list[Candidate]:
        """Return files that are new or may have changed; count the others as unchanged."""
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
                self.note_cut(held)
            else:
                changed.append(Candidate(file, held, beside, is_trusted))
        return changed

    def gone(self) -> list[KnownFile]:
        """Return the files that the folder no longer shows, dropped ones too; call it after `candidates`."""
        if self.limit is not None:
            return []
        rows = self.known.files.values()
        return [row for row in rows if row.path not in self._met and not is_below_any(row.path, self.lost)]

    def given(self, path: str) -> Sequence[StatedFact]:
        return self.sidecars.given(path) if self.sidecars is not None else ()

    def note_cut(self, row: KnownFile) -> None:
        """Report an archive whose files are not all in the library, whenever it was read."""
        problem = truncated_archive_problem(row) if row.state != DROPPED else None
        if problem is not None:
            self.note(problem.code, problem.message, problem.weight)

    def documents(self) -> Iterable[FoundFile]:
        """Return the files that are documents; those that only describe others are set aside."""
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
        """Return the known verdicts on sidecars, so that none has to be read to find out what it is."""
        verdicts: dict[str, bool] = {}
        for row in self.known.files.values():
            if row.beside:
                verdicts |= split_signatures(row.beside)
        return lambda file: verdicts.get(file_signature(file))

    def _beside(self, path: str) -> str:
        return self.sidecars.beside(path) if self.sidecars is not None else ""

    def _is_same(self, file: FoundFile, held: KnownFile, beside: str) -> bool:
        """Return whether everything stored of a file is current, if its content is unchanged."""
        is_read = not self.is_full and held.reader == READER_VERSION
        return is_read and held.beside == beside and held.guards == join_guards(file.guards)

    def _is_trusted(self, file: FoundFile, held: KnownFile) -> bool:
        """Return whether the content of a file is unchanged, judging by size and time."""
        if (file.size, file.mtime_ns) != (held.size, held.mtime_ns):
            return False
        is_doubtful = file.mtime_ns // NANOSECONDS >= held.looked_at - DOUBTFUL_SECONDS
        self.doubtful += is_doubtful
        return not is_doubtful

    def _leave_out(self, path: str, reason: str) -> None:
        self.left_out.append((path, reason))

    def _note_sidecar(self, path: str, words: str) -> None:
        self.note("sidecar", f"{path} {words}")


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
    files |= {  # a higher limit may admit more of their members
        path: row._replace(reader="")
        for path, row in files.items()
        if is_cut_below(row.remarks, archive_members)
    }
    absent = [row for row in judged if not row.member and row.path not in files]
    return KnownDocuments(files, absent, cursor is not None, cursor.size if cursor else None)


def _close_archives(files: dict[str, KnownFile], rows: Sequence[KnownFile]) -> None:
    """Mark opened archives for reading, because they are to stay closed from now on."""
    files |= {
        path: row._replace(reader=READER_VERSION)
        for path, row in files.items()
        if row.reader == CLOSED_ARCHIVE
    }
    opened = {row.path for row in rows if row.member and not row.is_verdict}
    files |= {path: files[path]._replace(reader="") for path in opened & files.keys()}


def update_addresses(store: Store, folder: PublishedFolder, source_id: int) -> None:
    """Update the identifiers of files after a change of the folder's address; each is read again."""
    with store.reading() as connection:
        rows = folder_state.list_files(connection, source_id)
    if all(row.identifier.startswith(folder.url) for row in rows):
        return
    renamed = [row._replace(identifier=document_identifier(folder, row), reader="") for row in rows]
    with store.writing() as connection:
        folder_state.remove_files(connection, source_id, rows)
        folder_state.put_files(connection, source_id, renamed)


def document_identifier(folder: PublishedFolder, row: KnownFile) -> str:
    address = folder.address(row.path)
    return f"{address}#{encode_member(row.member)}" if row.member else address


def encode_member(member: str) -> str:
    """Return a member's path as escaped behind the # of its identifier."""
    return quote(member, safe=_SAFE)


def join_guards(guards: Sequence[str]) -> str:
    return _BETWEEN.join(guards)


def split_guards(guards: str) -> tuple[str, ...]:
    return tuple(guards.split(_BETWEEN)) if guards else ()


# What to do with a file that may have changed is decided by its SHA-256, after size and time. So a moved file
# is recognised, and one with a new time and the same content is not read twice.


class FileAction(Enum):
    """The action for a file."""

    NOTE = "note"  # store its time and place; the record stays unchanged
    DESCRIBE = "describe"  # again, from the stored payload
    READ = "read"


class PlannedFile(NamedTuple):
    """A file, its action, and its future row."""

    action: FileAction
    row: KnownFile
    file: FoundFile
    former: KnownFile | None  # its row before, perhaps at another place


class ChangePlanner:
    """Plans the candidates of one scan. `gone` are the files that the folder no longer shows."""

    def __init__(self, scan: DocumentScan, gone: Iterable[KnownFile], *, now: Callable[[], int]) -> None:
        self._scan = scan
        self._now = now
        self._left: dict[str, list[KnownFile]] = {}
        for row in (*gone, *scan.known.absent):
            self._left.setdefault(row.sha256, []).append(row)
        self.moved: set[str] = set()  # paths from which files were moved

    def settle(self, candidate: Candidate) -> PlannedFile | None:
        """Return the plan for a file; None (with a report) if it cannot be opened."""
        started, sha256 = self._now(), self._content(candidate)
        if sha256 is None:
            return None
        former = candidate.held or self._moved_here(sha256)
        row = self._row(candidate, former, sha256, started)
        return PlannedFile(self._deed(row, former), row, candidate.file, former)

    def _content(self, candidate: Candidate) -> str | None:
        """Return the SHA-256 of a file, which is not opened if it seems unchanged."""
        file = candidate.file
        if candidate.is_trusted and candidate.held is not None:
            return candidate.held.sha256
        try:
            with open_visible(self._scan.tree, file.path) as opened:
                sha256 = hashlib.file_digest(cast("BufferedReader", opened), "sha256").hexdigest()
                status = os.fstat(opened.fileno())
        except OSError as exc:
            self._scan.note("unreadable", f"{file.path} could not be opened ({exc.strerror or 'it is gone'})")
            return None
        if (status.st_size, status.st_mtime_ns) == (file.size, file.mtime_ns):
            return sha256
        words = f"{file.path} is being written; the next harvest looks at it again"
        self._scan.note("changing", words, Severity.NOTE)
        return None

    def _moved_here(self, sha256: str) -> KnownFile | None:
        """Return the row of a file that had this content and has left its place."""
        left = self._left.get(sha256, [])
        row = next((row for row in left if self._scan.tree.look_up(row.path) is None), None)
        if row is not None:
            left.remove(row)
            self.moved.add(row.path)
        return row

    def _row(self, candidate: Candidate, former: KnownFile | None, sha256: str, now: int) -> KnownFile:
        file = candidate.file
        row = former or KnownFile(file.path, "", self._scan.folder.address(file.path), 0, 0, "")
        return row._replace(
            path=file.path,
            size=file.size,
            mtime_ns=file.mtime_ns,
            sha256=sha256,
            guards=join_guards(file.guards),
            beside=candidate.beside,
            given=given_digest(self._scan.given(file.path)),
            looked_at=former.looked_at if candidate.is_trusted and former is not None else now,
        )

    def _deed(self, row: KnownFile, former: KnownFile | None) -> FileAction:
        if former is None:
            return FileAction.READ
        if former.state == DROPPED:
            return FileAction.NOTE
        if self._scan.is_full or former.reader != READER_VERSION or former.sha256 != row.sha256:
            return FileAction.READ
        if former.state == REFUSED:
            return FileAction.NOTE
        compared = ("path", "mtime_ns", "guards", "given")
        is_same = all(getattr(row, name) == getattr(former, name) for name in compared)
        return FileAction.NOTE if is_same else FileAction.DESCRIBE
