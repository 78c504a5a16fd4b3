"""Write documents to the store: records in three formats, rows of their files, cases for unreadable files.

Each record is dated by the time at which it is stored. The caller owns the transactions.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from itertools import count
from typing import NamedTuple, TypeVar

from windrow.config.schema import DOCUMENT_FORMATS
from windrow.extract.reader_registry import MODULES
from windrow.formats.http_header import write_http_header
from windrow.formats.windrow_document import (
    DocumentLocation,
    FileFacts,
    StatedFact,
    read_file_facts,
    rewrite_extracted,
    write_document_dc,
    write_extracted,
)
from windrow.harvest.documents.document_scan import READER_VERSION, document_identifier, split_guards
from windrow.model.file_content import Extract
from windrow.model.record import Record, Reject
from windrow.model.run import Counters, RecordCounter
from windrow.sources.files.file_description import format_second, modified_second
from windrow.sources.files.media_types import media_type_set, named_sets
from windrow.sources.files.published_folder import PublishedFolder
from windrow.store import sources
from windrow.store.connection import Connection
from windrow.store.harvests import folder_state, quarantine_cases
from windrow.store.harvests.folder_state import AWAY, DROPPED, HIDDEN, REFUSED, KnownFile
from windrow.store.records.page_writer import PageWriter
from windrow.store.records.set_hierarchy import HIDDEN_BY_HAND, SetGroups, guard_set, name_sets

# What the library keeps of one document: three formats, its sets, and the row of its file. It is made from
# what was just read (`of_extract`), or from the stored payload if only the place or the sidecars of the
# document changed (`of_payload`).


class DocumentEntry(NamedTuple):
    """One document, ready to be stored."""

    row: KnownFile
    is_new: bool
    sets: tuple[str, ...]
    document: bytes
    description: bytes
    header: bytes


class DocumentDescriber:
    """Builds the entries of the documents of one folder."""

    def __init__(self, folder: PublishedFolder) -> None:
        self._folder = folder

    def of_extract(
        self, row: KnownFile, extract: Extract, given: Sequence[StatedFact], *, is_new: bool
    ) -> DocumentEntry:
        row = row._replace(media_type=extract.media_type, reader=READER_VERSION)
        reader = MODULES.get(extract.media_type, "")
        document = write_extracted(self._place(row), extract, given, reader=reader, version=READER_VERSION)
        facts = FileFacts(extract.media_type, (*extract.said, *extract.measured))
        return self._finding(row, document, facts, given, is_new=is_new)

    def of_payload(self, row: KnownFile, payload: bytes, given: Sequence[StatedFact]) -> DocumentEntry:
        document = rewrite_extracted(payload, self._place(row), given)
        return self._finding(row, document, read_file_facts(payload), given, is_new=False)

    def _finding(
        self, row: KnownFile, document: bytes, facts: FileFacts, given: Sequence[StatedFact], *, is_new: bool
    ) -> DocumentEntry:
        archive = self._folder.address(row.path) if row.member else ""
        description = write_document_dc(self._place(row), facts, given, archive=archive)
        header = write_http_header(row.media_type, row.size, modified_second(row))
        return DocumentEntry(row, is_new, document_sets(row), document, description, header)

    def _place(self, row: KnownFile) -> DocumentLocation:
        address = document_identifier(self._folder, row)
        content = "" if row.member else row.sha256  # the hash in a member's row is that of its archive
        return DocumentLocation(
            address, row.path, row.size, format_second(modified_second(row)), content, row.member
        )


def document_sets(row: KnownFile) -> tuple[str, ...]:
    """Return the sets of a document, including those of its guards."""
    guards = (*split_guards(row.guards), *((HIDDEN_BY_HAND,) if row.state == HIDDEN else ()))
    return (media_type_set(row.media_type), *map(guard_set, guards))


def picture_key(digest: str, member: str) -> str:
    """Return the key of a document's pictures: the hash of its content, or of its archive and member name."""
    return sha256(f"{digest}\0{member}".encode()).hexdigest() if member else digest


DOCUMENT_FORMAT = DOCUMENT_FORMATS[0]
T = TypeVar("T", "DocumentEntry", "RefusedFile")


class RefusedFile(NamedTuple):
    """A file that could not be read, and why."""

    row: KnownFile
    reason: str
    is_new: bool


class DocumentWriter:
    """Writes the documents that one run found."""

    def __init__(self, source_id: int, run_id: int) -> None:
        self.source_id = source_id
        self._run_id = run_id

    def write(self, connection: Connection, findings: Sequence[DocumentEntry], *, now: int) -> Counters:
        named = [self._named(connection, finding) for finding in findings]
        groups = SetGroups(self.source_id)
        counters = self._store(connection, [each for each in named if each.is_new], groups, now=now)
        counters.add(self._store(connection, [each for each in named if not each.is_new], groups, now=now))
        if groups.unnamed:
            name_sets(connection, self.source_id, named_sets(groups.unnamed))
        folder_state.put_files(connection, self.source_id, [finding.row for finding in named])
        return counters

    def note(self, connection: Connection, rows: Iterable[KnownFile]) -> None:
        folder_state.put_files(connection, self.source_id, rows)

    def refuse(self, connection: Connection, refused: Sequence[RefusedFile], *, now: int) -> Counters:
        moment = datetime.fromtimestamp(now, UTC)
        named = [self._named(connection, item) for item in refused]
        for item in named:
            waiting = quarantine_cases.find_cases_of_record(connection, self.source_id, item.row.identifier)
            for case in waiting[:1]:
                quarantine_cases.renew_case(connection, case, self._run_id, item.reason, b"")
            if not waiting:
                reject = Reject(item.reason, b"", item.row.identifier)
                quarantine_cases.put(
                    connection, self.source_id, self._run_id, DOCUMENT_FORMAT, [reject], now=moment
                )
        folder_state.put_files(connection, self.source_id, [item.row for item in named])
        return Counters(quarantined=len(refused))

    def bury(self, connection: Connection, gone: Sequence[KnownFile], *, now: int) -> Counters:
        """Replace documents whose files are gone by tombstones, and remove their rows.

        Manual decisions (dropped, hidden) are kept, because the file may come back.
        """
        counters = self.bury_records(connection, [row.identifier for row in gone], now=now)
        folder_state.remove_files(connection, self.source_id, [row for row in gone if row.state != DROPPED])
        hidden = [row._replace(reader=AWAY) for row in gone if row.state == HIDDEN]
        folder_state.put_files(connection, self.source_id, hidden)
        self._close_cases(connection, gone, now=now)
        return counters

    def bury_records(self, connection: Connection, identifiers: Sequence[str], *, now: int) -> Counters:
        """Replace records by tombstones, if they exist."""
        writer = PageWriter(self.source_id, None, run_id=self._run_id, groups=SetGroups(self.source_id))
        known = folder_state.find_live(connection, self.source_id, identifiers)
        tombstones = [Record(name, format_second(now), (), True) for name in identifiers if name in known]
        return Counters(deleted=writer.write(connection, tombstones).deleted)

    def close_stored(self, connection: Connection, *, now: int) -> None:
        moment = datetime.fromtimestamp(now, UTC)
        quarantine_cases.resolve_stored(connection, self.source_id, self._run_id, DOCUMENT_FORMAT, now=moment)

    def _close_cases(self, connection: Connection, gone: Sequence[KnownFile], *, now: int) -> None:
        for row in gone:
            if row.state == REFUSED:
                for case in quarantine_cases.find_cases_of_record(connection, self.source_id, row.identifier):
                    quarantine_cases.resolve(connection, case, now=datetime.fromtimestamp(now, UTC))

    def _named(self, connection: Connection, item: T) -> T:
        """Return the item; a new one gets an identifier that no other file has.

        A file that was moved keeps its first address, so a later file in that place needs another one.
        """
        row = item.row
        if not item.is_new or self._is_free(connection, row, row.identifier):
            return item
        others = (f"{row.identifier}?{number}" for number in count(2))
        free = next(name for name in others if self._is_free(connection, row, name))
        return item._replace(row=row._replace(identifier=free))

    def _is_free(self, connection: Connection, row: KnownFile, identifier: str) -> bool:
        held = folder_state.find_file(connection, self.source_id, identifier)
        return held is None or (held.path, held.member) == (row.path, row.member)

    def _store(
        self, connection: Connection, findings: Sequence[DocumentEntry], groups: SetGroups, *, now: int
    ) -> Counters:
        """Store documents in all formats; a new document counts as one change, not three."""
        if not findings:
            return Counters()
        stamp, tally, added = format_second(now), RecordCounter(), 0
        for prefix in DOCUMENT_FORMATS:
            records = [
                Record(finding.row.identifier, stamp, finding.sets, False, _payload(finding, prefix))
                for finding in findings
            ]
            format_id = sources.format_id(connection, prefix)
            writer = PageWriter(self.source_id, format_id, run_id=self._run_id, groups=groups, tally=tally)
            if added == len(records):
                writer.complete(connection, records)
            else:
                added += writer.write(connection, records).added
        counters = Counters()
        tally.write_to(counters)
        return counters


def _payload(finding: DocumentEntry, prefix: str) -> bytes:
    if prefix == DOCUMENT_FORMAT:
        return finding.document
    return finding.description if prefix == "oai_dc" else finding.header


# Findings are stored in frequent batches, so that a killed run loses little.

MAX_BATCH_DOCUMENTS = 500
MAX_BATCH_BYTES = 16_000_000
MAX_BATCH_SECONDS = 5.0


@dataclass(slots=True)
class DocumentBatch:
    """Documents, refusals and notes that are stored in one transaction."""

    findings: list[DocumentEntry] = field(default_factory=list)
    refused: list[RefusedFile] = field(default_factory=list)
    noted: list[KnownFile] = field(default_factory=list)
    # manual decisions, of which only the place is stored
    judged: list[KnownFile] = field(default_factory=list)
    gone: list[KnownFile] = field(default_factory=list)
    size: int = 0  # bytes
    begun: float = field(default_factory=time.monotonic)

    def add(self, finding: DocumentEntry) -> None:
        self.findings.append(finding)
        self.size += len(finding.document) + len(finding.description)

    @property
    def is_empty(self) -> bool:
        return not (self.findings or self.refused or self.noted or self.judged or self.gone)

    @property
    def is_full(self) -> bool:
        """Return whether the batch is due: by number, bytes or time."""
        number = len(self.findings) + len(self.refused) + len(self.noted)
        is_late = number > 0 and time.monotonic() - self.begun > MAX_BATCH_SECONDS
        return number >= MAX_BATCH_DOCUMENTS or self.size >= MAX_BATCH_BYTES or is_late

    def write(self, connection: Connection, writer: DocumentWriter, *, now: int) -> Counters:
        writer.note(connection, [*self.noted, *self.judged])
        counters = writer.write(connection, self.findings, now=now)
        counters.add(writer.refuse(connection, self.refused, now=now))
        if self.gone:
            counters.add(writer.bury(connection, self.gone, now=now))
        counters.unchanged += len(self.noted)
        return counters
