"""Read the new and changed files of a scan, and store them batch by batch.

A run (`document_runs`) scans its folder (`document_scan`), takes in the changes here, and writes them with
`document_writer`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from windrow.errors import Interrupted
from windrow.extract.reading_job import Job
from windrow.harvest.documents.document_scan import (
    CLOSED_ARCHIVE,
    READER_VERSION,
    Candidate,
    ChangePlanner,
    DocumentScan,
    FileAction,
    PlannedFile,
    RemarkCounter,
    encode_member,
    extract_remarks,
    remark_codes,
    without_cut,
)
from windrow.harvest.documents.document_writer import (
    DOCUMENT_FORMAT,
    DocumentBatch,
    DocumentDescriber,
    DocumentEntry,
    DocumentWriter,
    RefusedFile,
    picture_key,
)
from windrow.model.file_content import NO_TEXT_LAYER, UNREAD, Extract, Member
from windrow.model.run import Severity
from windrow.sources.files.file_description import NANOSECONDS
from windrow.sources.files.media_types import guess_media_type
from windrow.sources.files.visible_files import FoundFile, open_visible
from windrow.store.harvests import folder_state
from windrow.store.harvests.folder_state import DROPPED, HIDDEN, REFUSED, SHOWN, KnownFile
from windrow.store.records.record_reader import dated_transaction
from windrow.store.store import Store

if TYPE_CHECKING:
    from windrow.extract.picture_store import PictureStore
    from windrow.extract.pool import Pool, Refusal
    from windrow.store.connection import Connection
    from windrow.store.records.record_reader import RecordReader

# Files are read by the process pool; each becomes a document, a refusal, or is skipped. Members of an archive
# are read after it, each as a file of its own.

PICTURE_SIZE = "320"  # pixels; the name of the pictures that a run makes


class FileToRead(NamedTuple):
    """A file, or a member of an archive, to be read; `row` is its future row."""

    row: KnownFile
    file: FoundFile
    former: KnownFile | None


@dataclass(frozen=True, slots=True)
class ReadResult:
    """The result of reading a file: a document, a refusal, or neither if it cannot be used."""

    reading: FileToRead
    finding: DocumentEntry | None = None
    refused: RefusedFile | None = None
    members: tuple[Member, ...] = ()


class FileReaders:
    """Reads the files of one scan."""

    def __init__(
        self,
        scan: DocumentScan,
        describer: DocumentDescriber,
        pool: Pool,
        derived: PictureStore,
        *,
        largest: int,
        most_members: int,
    ) -> None:
        """`largest` is the size limit of files in bytes, `most_members` the limit of members per archive."""
        self._scan = scan
        self._describer = describer
        self._pool = pool
        self._derived = derived
        self._largest = largest
        self._most_members = most_members

    def read(self, readings: Iterable[FileToRead]) -> Iterator[ReadResult]:
        """Yield the results in any order. Files above the size limit are described by name and size."""
        from windrow.extract.pool import Refusal, Task  # noqa: PLC0415 - not needed if nothing changed

        large: list[ReadResult] = []

        def tasks() -> Iterator[Task]:
            for reading in readings:
                self._scan.stopper.check()
                if reading.file.size > self._largest:
                    large.append(self._too_large(reading))
                else:
                    opener = partial(open_visible, self._scan.tree, reading.row.path)
                    yield Task(reading, opener, _reading_job(reading, self._most_members))

        for task, outcome in self._pool.work(tasks()):
            yield from _without_content(large)
            reading: FileToRead = task.key
            if self._has_changed(reading):
                yield ReadResult(reading)
            elif isinstance(outcome, Refusal):
                yield self._refused(reading, outcome)
            else:
                yield self._read(reading, outcome.extract, outcome.picture)
        yield from _without_content(large)

    def _too_large(self, reading: FileToRead) -> ReadResult:
        kind = guess_media_type(reading.file.path, reading.file.media_type)
        note = f"It is larger than {self._largest:,} bytes, so it was not read."
        return self._read(reading, Extract(kind, measured=(UNREAD,), notes=(note,)))

    def _has_changed(self, reading: FileToRead) -> bool:
        """Return whether the file changed while it was read: the result may mix the old and new content."""
        now = self._scan.tree.look_up(reading.row.path)
        if now is not None and (now.size, now.mtime_ns) == (reading.file.size, reading.file.mtime_ns):
            return False
        words = f"{reading.row.path} changed while it was read; the next harvest reads it again"
        self._scan.note("changing", words, Severity.NOTE)
        return True

    def _refused(self, reading: FileToRead, refusal: Refusal) -> ReadResult:
        if refusal.code == "gone":
            return ReadResult(reading)
        row = reading.row
        # a missing reader is no fault of the file
        version = "" if refusal.code == "missing" else READER_VERSION
        state = REFUSED if row.state in (SHOWN, REFUSED) else row.state
        row = row._replace(reader=version, state=state, remarks="")
        return ReadResult(reading, refused=RefusedFile(row, refusal.reason, reading.former is None))

    def _read(self, reading: FileToRead, extract: Extract, picture: bytes | None = None) -> ReadResult:
        row = reading.row
        row = row._replace(state=SHOWN) if row.state == REFUSED else row
        row = row._replace(remarks=extract_remarks(extract, most_members=self._most_members))
        if picture:
            self._derived.put(picture_key(row.sha256, row.member), PICTURE_SIZE, picture)
        given = () if row.member else self._scan.given(row.path)
        finding = self._describer.of_extract(row, extract, given, is_new=reading.former is None)
        return ReadResult(reading, finding, members=() if row.member else extract.members)


def members_to_read(
    archive: FileToRead, finding: DocumentEntry, members: Sequence[Member], former: Sequence[KnownFile]
) -> tuple[list[FileToRead], list[KnownFile]]:
    """Return the members of an archive to read, and the rows of those that are gone."""
    known = {row.member: row for row in former}
    readings = []
    for member in members:
        held = known.pop(member.name, None)
        if held is None or held.state != DROPPED:
            readings.append(FileToRead(_member_row(finding.row, member, held), archive.file, held))
    return readings, [row for row in known.values() if not row.is_verdict]


def _member_row(archive: KnownFile, member: Member, held: KnownFile | None) -> KnownFile:
    row = held or KnownFile(
        archive.path, member.name, f"{archive.identifier}#{encode_member(member.name)}", 0, 0, ""
    )._replace(state=HIDDEN if archive.state == HIDDEN else SHOWN)
    return row._replace(
        path=archive.path,
        size=member.size,
        mtime_ns=archive.mtime_ns if member.modified is None else member.modified * NANOSECONDS,
        sha256=archive.sha256,
        guards=archive.guards,
        looked_at=archive.looked_at,
    )


def _reading_job(reading: FileToRead, most_members: int) -> Job:
    row = reading.row
    name = (row.member or row.path).rpartition("/")[2]
    declared = "" if row.member else reading.file.media_type or ""
    return Job(name, declared, row.member, most_members=most_members)


def _without_content(done: list[ReadResult]) -> Iterator[ReadResult]:
    while done:
        yield done.pop()


PROGRESS_SECONDS = 0.25  # between two progress reports


@dataclass(frozen=True, slots=True)
class IntakeSettings:
    """How the documents of a source are read, and with what."""

    pool: Callable[[], Pool]  # called when the first file is read
    derived: PictureStore
    largest: int  # size limit of files, bytes
    archive_members: int = 1_000  # files of one archive that become documents
    has_sidecars: bool = True
    has_archives: bool = True
    keeps_gone: bool = False


class DocumentIntake:
    """Processes the changes of one scan, for one run."""

    def __init__(
        self,
        scan: DocumentScan,
        means: IntakeSettings,
        writer: DocumentWriter,
        *,
        store: Store,
        now: Callable[[], int],
        show: Callable[[], None],
    ) -> None:
        self._scan = scan
        self._means = means
        self._writer = writer
        self._store = store
        self._now = now
        self._show = show
        self._shown = 0.0
        self._batch = DocumentBatch()
        self._describer = DocumentDescriber(scan.folder)
        self._remarked = RemarkCounter()
        self._described: list[PlannedFile] = []
        self._waiting: list[FileToRead] = []  # for the next round

    def take(self, candidates: Sequence[Candidate]) -> None:
        """Process all candidates. If the run is stopped, everything read so far is stored."""
        gone = self._scan.gone()
        planner = ChangePlanner(self._scan, gone, now=self._now)
        try:
            self._read(self._settled(planner, candidates))
            self._describe()
            while self._waiting:
                round_, self._waiting = self._waiting, []
                self._read(iter(round_))
        except Interrupted:
            self._store_batch()
            raise
        finally:
            self._scan.problems += self._remarked.problems(self._scan.folder.name)
        if not self._means.keeps_gone:
            self._bury([row for row in gone if row.path not in planner.moved and not row.is_verdict])
        self._store_batch()

    def _settled(self, planner: ChangePlanner, candidates: Sequence[Candidate]) -> Iterator[FileToRead]:
        """Plan the candidates one after another; yield those that must be read."""
        for candidate in candidates:
            self._scan.stopper.check()
            self._scan.counters.seen += 1
            step = planner.settle(candidate)
            if step is None:
                continue
            if step.action is FileAction.READ:
                yield FileToRead(step.row, step.file, step.former)
            elif step.action is FileAction.DESCRIBE:
                self._described.append(step)
            else:
                self._batch.noted.append(step.row)
                self._scan.note_cut(step.row)
                self._take_along(step.former, step.row)
                self._advance()

    def _read(self, readings: Iterator[FileToRead]) -> None:
        first = next(readings, None)
        if first is None:  # start no process if there is nothing to read
            return
        means = self._means
        readers = FileReaders(
            self._scan,
            self._describer,
            means.pool(),
            means.derived,
            largest=means.largest,
            most_members=means.archive_members,
        )
        for done in readers.read(chain((first,), readings)):
            if done.finding is not None:
                finding = done.finding
                if done.members and not means.has_archives:
                    remarks = without_cut(finding.row.remarks)
                    finding = finding._replace(
                        row=finding.row._replace(reader=CLOSED_ARCHIVE, remarks=remarks)
                    )
                self._note_remarks(finding.row)
                self._batch.add(finding)
                self._take_members(done, finding)
            elif done.refused is not None:
                self._batch.refused.append(done.refused)
            self._advance()

    def _note_remarks(self, row: KnownFile) -> None:
        self._remarked.add(row)
        self._scan.counters.without_text += NO_TEXT_LAYER in remark_codes(row.remarks)
        if not row.member:  # archives within archives stay closed
            self._scan.note_cut(row)

    def _take_members(self, done: ReadResult, finding: DocumentEntry) -> None:
        """Queue the members of an archive for the next round, and bury those that are gone."""
        reading = done.reading
        if reading.row.member or (reading.former is None and not done.members):
            return
        members = done.members if self._means.has_archives else ()
        # manual decisions outlast the archive itself
        former = self._members_of(reading.former or reading.row)
        readings, gone = members_to_read(reading, finding, members, former)
        self._take_along(reading.former, finding.row)
        self._waiting += readings
        self._scan.counters.seen += len(readings)
        self._batch.gone += gone

    def _take_along(self, former: KnownFile | None, row: KnownFile) -> None:
        """Move the manual decisions on an archive's members along with the archive."""
        if former is not None and former.path != row.path:
            judged = [member for member in self._members_of(former) if member.is_verdict]
            self._batch.judged += [_moved_member(member, row) for member in judged]

    def _describe(self) -> None:
        """Rebuild the descriptions of documents whose place or sidecars changed, from their payloads."""
        from windrow.store.records.record_reader import RecordReader  # noqa: PLC0415 - slow to load

        reader = RecordReader()
        for step in self._described:
            self._scan.stopper.check()
            former = step.former
            assert former is not None
            self._scan.note_cut(step.row)
            self._take_along(former, step.row)
            members = [_moved_member(row, step.row) for row in self._members_of(former) if not row.is_verdict]
            for row in (step.row, *members):
                self._describe_one(reader, step, row)
            self._advance()

    def _describe_one(self, reader: RecordReader, step: PlannedFile, row: KnownFile) -> None:
        with self._store.reading() as connection:
            payload = self._payload(connection, reader, row)
        if payload is None:
            self._waiting.append(FileToRead(row, step.file, step.former))
            return
        given = () if row.member else self._scan.given(row.path)
        self._batch.add(self._describer.of_payload(row, payload, given))

    def _payload(self, connection: Connection, reader: RecordReader, row: KnownFile) -> bytes | None:
        name = self._scan.folder.name
        record = next(iter(reader.find(connection, row.identifier, source=name)), None)
        payload = record.payload(DOCUMENT_FORMAT) if record is not None else None
        return payload.data if payload is not None else None

    def _members_of(self, row: KnownFile) -> list[KnownFile]:
        with self._store.reading() as connection:
            return folder_state.list_members(connection, self._writer.source_id, row.path)

    def _bury(self, gone: Sequence[KnownFile]) -> None:
        for row in gone:
            self._batch.gone += [row, *self._members_of(row)]

    def _advance(self) -> None:
        if self._batch.is_full:
            self._store_batch()
        if time.monotonic() - self._shown > PROGRESS_SECONDS:
            self._shown = time.monotonic()
            self._show()

    def _store_batch(self) -> None:
        batch, self._batch = self._batch, DocumentBatch()
        if batch.is_empty:
            return
        with dated_transaction(self._store, self._writer.source_id, self._now) as (connection, now):
            self._scan.counters.add(batch.write(connection, self._writer, now=now))


def _moved_member(member: KnownFile, archive: KnownFile) -> KnownFile:
    """Return the row of a member whose archive was moved, or whose guards changed."""
    return member._replace(path=archive.path, guards=archive.guards, looked_at=archive.looked_at)
