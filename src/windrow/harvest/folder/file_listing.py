"""Scan and harvest a folder whose files are only listed: each file is a record in two formats.

The library is the only memory between scans. A file that is gone becomes a tombstone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from windrow.config.schema import DOCUMENT_FORMATS
from windrow.harvest.folder.folder_run import DOUBTFUL_SECONDS, FolderRunner, FolderScan, is_below_any
from windrow.harvest.options import HarvestOptions
from windrow.harvest.run import Attempt
from windrow.model.record import Record, parse_datestamp
from windrow.model.run import Counters, RecordCounter
from windrow.sources.files.file_description import (
    describe,
    file_media_type,
    format_second,
    http_header,
    modified_second,
)
from windrow.sources.files.media_types import media_type_set, named_sets
from windrow.sources.files.published_folder import PublishedFolder
from windrow.sources.files.visible_files import FoundFile, Tree
from windrow.store import sources
from windrow.store.connection import Connection
from windrow.store.harvests import checkpoints, folder_state
from windrow.store.harvests.folder_state import Bounds, RecordDigest
from windrow.store.records.page_writer import PageWriter
from windrow.store.records.record_reader import dated_transaction
from windrow.store.records.set_hierarchy import SetGroups, guard_set, name_sets
from windrow.store.store import Store

if TYPE_CHECKING:
    from windrow.store.records.record_reader import StoredRecord

# the formats kept of each file; the checkpoint of the first holds the time of the last scan
DESCRIPTION, HEADER = "oai_dc", "http_header"


@dataclass(frozen=True, slots=True)
class KnownFiles:
    """What the library has of a folder, and when it was last scanned."""

    records: dict[str, RecordDigest]
    combinations: dict[int, frozenset[str]]
    looked_at: int | None  # Unix second in which the last complete scan began; None: there was none
    size: int | None  # number of files in that scan


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """A file that is new or may have changed, with its future record."""

    identifier: str
    modified: int
    sets: tuple[str, ...]
    header: bytes
    description: bytes
    known: RecordDigest | None


@dataclass(slots=True, kw_only=True)
class FileScan(FolderScan):
    """A scan in progress, of files that are only listed."""

    known: KnownFiles
    is_full: bool = False  # describe everything again
    _met: set[str] = field(default_factory=set)

    @property
    def is_bare(self) -> bool:
        """Return whether a folder with files in the library no longer shows any."""
        return self.counters.seen == 0 and any(not item.is_deleted for item in self.known.records.values())

    @property
    def expected(self) -> int | None:
        """The number of files in the last scan."""
        return self.known.size

    def finds(self) -> Iterator[ChangedFile]:
        """Yield files that are new or may have changed; count all files."""
        tree = Tree.at(self.folder.root, self.folder.rules)
        for file in self.files():
            self.counters.seen += 1
            identifier = self.folder.address(file.path)
            self._met.add(identifier)
            sets = (media_type_set(file_media_type(file)), *map(guard_set, file.guards))
            head, known = http_header(file), self.known.records.get(identifier)
            if known is not None and self._is_same(file, known, head, sets):
                self.counters.unchanged += 1
                continue
            words = describe(self.folder, tree, file, on_trouble=self._note_description)
            yield ChangedFile(identifier, modified_second(file), sets, head, words, known)

    def gone(self) -> list[str]:
        """Return the files of the library that the folder no longer shows; call it after `finds`."""
        if self.limit is not None:
            return []
        lost = [self.folder.address(path) if path else "" for path in self.lost]
        return [
            identifier
            for identifier, item in self.known.records.items()
            if not item.is_deleted and identifier not in self._met and not is_below_any(identifier, lost)
        ]

    def _is_same(self, file: FoundFile, known: RecordDigest, head: bytes, sets: tuple[str, ...]) -> bool:
        """Return whether the library's record of a file is still right, without reading the file."""
        if self.is_full or known.is_deleted or known.digest != folder_state.digest_payload(head):
            return False
        if self.known.combinations.get(known.group, frozenset()) != frozenset(sets):
            return False
        looked_at = self.known.looked_at
        is_doubtful = looked_at is None or modified_second(file) >= looked_at - DOUBTFUL_SECONDS
        self.doubtful += is_doubtful
        return not is_doubtful

    def _note_description(self, path: str, words: str) -> None:
        self.note("description", f"{path} {words}")


def load_known_files(store: Store, folder: PublishedFolder, paths: Sequence[str] | None = None) -> KnownFiles:
    """Read what the library has of a folder: of some paths and what is below them, or (None) all."""
    with store.reading() as connection:
        source = sources.find(connection, folder.name)
        if source is None:
            return KnownFiles({}, {}, None, None)
        cursor = checkpoints.cursor(connection, source.id, DESCRIPTION, "")
        # No cursor: the first scan, or the first at a new address, under which every file has a new
        # identifier. Records under other identifiers must be found gone.
        bounds = None if cursor is None else _identifier_ranges(folder, paths)
        held = folder_state.read_record_digests(connection, source.id, HEADER, bounds)
        looked_at = parse_second(cursor.next_from) if cursor else None
        groups = folder_state.read_set_combinations(connection, source.id)
        return KnownFiles(held, dict(groups), looked_at, cursor.size if cursor else None)


def _identifier_ranges(folder: PublishedFolder, paths: Sequence[str] | None) -> list[Bounds]:
    """Return the ranges of identifiers with these paths, or below them: "0" follows the slash in order."""
    if paths is None or "" in paths:
        return [(folder.url, folder.url[:-1] + "0")]
    addresses = [folder.address(path) for path in paths]
    exact = [(address, address + "\0") for address in addresses]
    return exact + [(f"{address}/", f"{address}0") for address in addresses]


def parse_second(stamp: str | None) -> int | None:
    moment = parse_datestamp(stamp or "")
    return None if moment is None else int(moment.timestamp())


# In the first scan a record is dated by the modification time of its file. Later, harvesters request what is
# new since their last response, whose time they know. A file that is found later than it was written, or has
# an old date (unpacked, moved here, copied with its times), would never reach them by that date, so it is
# dated by the time at which it is stored. The description keeps the date of the file.

_CHUNK = 500


class FileWriter:
    """Writes the files that one scan found, in transactions that the caller owns."""

    def __init__(self, source_id: int, run_id: int, known: KnownFiles) -> None:
        self._source_id = source_id
        self._run_id = run_id
        self._known = known
        # Before the first record is stored, no harvester can have asked, so files keep their own dates.
        self._is_untold = not known.records

    def write(self, connection: Connection, finds: Sequence[ChangedFile], *, now: int) -> Counters:
        """Store files that are new or differ from the library; return the counters of files."""
        changed = list(find_differing(connection, self._known, finds))
        groups, tally = SetGroups(self._source_id), RecordCounter()
        self._store(connection, [find for find in changed if find.known is None], groups, tally, now=now)
        self._store(connection, [find for find in changed if find.known is not None], groups, tally, now=now)
        counters = Counters()
        tally.write_to(counters)
        counters.unchanged += len(finds) - len(changed)
        if groups.unnamed:
            name_sets(connection, self._source_id, named_sets(groups.unnamed))
        self._is_untold = False
        return counters

    def bury(self, connection: Connection, gone: Sequence[str], *, now: int) -> Counters:
        """Replace files that are gone by tombstones; they stay in their sets."""
        writer = PageWriter(self._source_id, None, run_id=self._run_id, groups=SetGroups(self._source_id))
        stamp = format_second(now)
        delta = writer.write(connection, [Record(name, stamp, (), True) for name in gone])
        return Counters(deleted=delta.deleted)

    def _store(
        self,
        connection: Connection,
        finds: Sequence[ChangedFile],
        groups: SetGroups,
        tally: RecordCounter,
        *,
        now: int,
    ) -> None:
        if not finds:
            return
        stamps = [self._stamp(find, now) for find in finds]
        described, headers = (
            [
                Record(find.identifier, stamp, find.sets, False, _payload(find, prefix))
                for find, stamp in zip(finds, stamps, strict=True)
            ]
            for prefix in (DESCRIPTION, HEADER)
        )
        added = self._writer(connection, DESCRIPTION, groups, tally).write(connection, described).added
        writer = self._writer(connection, HEADER, groups, tally)
        if added == len(headers):  # new files come in both formats at once, which is one change, not two
            writer.complete(connection, headers)
        else:
            writer.write(connection, headers)

    def _writer(
        self, connection: Connection, prefix: str, groups: SetGroups, tally: RecordCounter
    ) -> PageWriter:
        format_id = sources.format_id(connection, prefix)
        return PageWriter(self._source_id, format_id, run_id=self._run_id, groups=groups, tally=tally)

    def _stamp(self, find: ChangedFile, now: int) -> str:
        second = min(find.modified, now)
        # no response has been dated later: see `dated_transaction`
        is_own = self._is_untold or second >= now - 1
        return format_second(second if is_own else now)


def find_differing(
    connection: Connection, known: KnownFiles, finds: Sequence[ChangedFile]
) -> Iterator[ChangedFile]:
    for start in range(0, len(finds), _CHUNK):
        chunk = finds[start : start + _CHUNK]
        doubted = [find.known.id for find in chunk if find.known is not None and _looks_same(find, known)]
        held = _read_records(connection, doubted) if doubted else {}
        for find in chunk:
            record = held.get(find.known.id) if find.known is not None else None
            payload = record.payload(DESCRIPTION) if record is not None else None
            if payload is None or payload.data != find.description:
                yield find


def _read_records(connection: Connection, numbers: Sequence[int]) -> Mapping[int, StoredRecord]:
    """Read whole records. The import takes as long as scanning a thousand files."""
    from windrow.store.records.record_reader import RecordReader  # noqa: PLC0415

    return RecordReader().get(connection, numbers)


def _looks_same(find: ChangedFile, known: KnownFiles) -> bool:
    """Return whether all but the description, which must be read to be compared, is unchanged."""
    held = find.known
    return (
        held is not None
        and not held.is_deleted
        and held.digest == folder_state.digest_payload(find.header)
        and known.combinations.get(held.group, frozenset()) == frozenset(find.sets)
    )


def _payload(find: ChangedFile, prefix: str) -> bytes:
    return find.header if prefix == HEADER else find.description


# Files stored in one transaction, and thus the most held in memory. The first harvest of a folder should be
# one transaction: its records have the dates of the files, and a harvester that asks between two transactions
# would miss the old files in the second.
BATCH = 50_000


class FilesRunner(FolderRunner[FileScan]):
    """Harvests one folder and lists its files."""

    formats = (DESCRIPTION, HEADER)

    def _count(self, scan: FileScan) -> None:
        with self._store.reading() as connection:
            changed = list(find_differing(connection, scan.known, list(scan.finds())))
        scan.counters.added = sum(find.known is None for find in changed)
        scan.counters.changed = len(changed) - scan.counters.added
        scan.counters.unchanged = scan.counters.seen - len(changed)
        scan.counters.deleted = len(scan.gone())

    def _harvest(self, attempt: Attempt, options: HarvestOptions, paths: Sequence[str] | None) -> None:
        started = self._second()
        self._observer.started(self._folder.name, "folder")
        if self._were_documents(attempt):
            options, paths = replace(options, is_full=True), None
        scan = self._new_scan(options, paths)
        scan.counters, scan.problems = attempt.counters, attempt.problems
        writer = FileWriter(attempt.source.id, attempt.run_id, scan.known)
        finds: list[ChangedFile] = []
        is_there = scan.has_root()
        if is_there:
            for find in scan.finds():
                finds.append(find)
                self._show(attempt, scan)
                if len(finds) >= BATCH:
                    self._store_batch(attempt, writer, finds)
                    finds = []
        if self._judge_root(scan, options) or (paths is not None and not is_there):
            return
        self._store_batch(attempt, writer, finds, gone=scan.gone(), scan=scan, started=started)
        self._observer.advanced(self._folder.name, scan.counters, scan.counters.seen)

    def _were_documents(self, attempt: Attempt) -> bool:
        """Return whether the files were read as documents until now; if so, forget what was read."""
        with self._store.reading() as connection:
            if not folder_state.has_any_file(connection, attempt.source.id):
                return False
        with self._store.writing() as connection:
            folder_state.forget_files(connection, attempt.source.id, DOCUMENT_FORMATS[0])
        return True

    def _store_batch(
        self,
        attempt: Attempt,
        writer: FileWriter,
        finds: Sequence[ChangedFile],
        *,
        gone: Sequence[str] = (),
        scan: FileScan | None = None,
        started: int = 0,
    ) -> None:
        """Store some files; after the last of them also tombstones, and the start of the scan."""
        with dated_transaction(self._store, attempt.source.id, self._second) as (connection, now):
            attempt.counters.add(writer.write(connection, finds, now=now))
            if gone:
                attempt.counters.add(writer.bury(connection, gone, now=now))
            if scan is not None and scan.is_whole:
                self._move_cursors(connection, attempt.source.id, scan, started, attempt.run_id)

    def _new_scan(self, options: HarvestOptions, paths: Sequence[str] | None) -> FileScan:
        return FileScan(
            folder=self._folder,
            known=load_known_files(self._store, self._folder, paths),
            stopper=self._stopper,
            paths=paths,
            is_full=options.is_full,
            limit=options.limit,
        )

    def _has_something(self, scan: FileScan) -> bool:
        with self._store.reading() as connection:
            source = sources.find(connection, self._folder.name)
            if source is not None and folder_state.has_any_file(connection, source.id):
                return True  # until now its files were documents
            return any(any(find_differing(connection, scan.known, [find])) for find in scan.finds())

    def _has_gone(self, scan: FileScan) -> bool:
        return bool(scan.gone())
