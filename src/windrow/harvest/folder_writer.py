"""Files into the store: each a record in two formats, with its datestamp and its sets. For `files`.

At the first look a record is dated as its file is, by its modification. From then on harvesters ask for what
came since their last answer, which says what time it was. A file that is found later than it was written, or
comes with an old date (unpacked, moved here, copied with its times), would never reach them by that date, so
it is dated by the moment in which it is stored. The description keeps the date of the file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from windrow.harvest.folder_look import DESCRIPTION, HEADER, Find, Known
from windrow.model.record import Record
from windrow.model.record_tally import RecordTally
from windrow.model.run import Counters
from windrow.sources.files.describe import stamp_of
from windrow.sources.files.mime_sets import named_sets
from windrow.store import present, sources
from windrow.store.connection import Connection
from windrow.store.sets import SetGroups, name_sets
from windrow.store.writer import PageWriter

if TYPE_CHECKING:
    from windrow.store.records import StoredRecord

_CHUNK = 500


class FolderWriter:
    """Writes what one look found, in transactions that the caller owns."""

    def __init__(self, source_id: int, run_id: int, known: Known) -> None:
        self._source_id = source_id
        self._run_id = run_id
        self._known = known
        # Before anything is stored nobody can have asked, so every date can be the file's own.
        self._is_untold = not known.records

    def write(self, connection: Connection, finds: Sequence[Find], *, now: int) -> Counters:
        """Store what is new or differs from what the library has; give the numbers of files."""
        changed = list(differing(connection, self._known, finds))
        groups, tally = SetGroups(self._source_id), RecordTally()
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
        """Put tombstones in the place of files that are gone; they stay in their sets."""
        writer = PageWriter(self._source_id, None, run_id=self._run_id, groups=SetGroups(self._source_id))
        stamp = stamp_of(now)
        delta = writer.write(connection, [Record(name, stamp, (), True) for name in gone])
        return Counters(deleted=delta.deleted)

    def _store(
        self,
        connection: Connection,
        finds: Sequence[Find],
        groups: SetGroups,
        tally: RecordTally,
        *,
        now: int,
    ) -> None:
        """Store some files in both formats."""
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
        if added == len(headers):  # what is new comes in both formats at once: that is one change, not two
            writer.complete(connection, headers)
        else:
            writer.write(connection, headers)

    def _writer(
        self, connection: Connection, prefix: str, groups: SetGroups, tally: RecordTally
    ) -> PageWriter:
        format_id = sources.format_id(connection, prefix)
        return PageWriter(self._source_id, format_id, run_id=self._run_id, groups=groups, tally=tally)

    def _stamp(self, find: Find, now: int) -> str:
        second = min(find.modified, now)
        is_own = self._is_untold or second >= now - 1  # no answer yet is dated later: see `writing_dated`
        return stamp_of(second if is_own else now)


def differing(connection: Connection, known: Known, finds: Sequence[Find]) -> Iterator[Find]:
    """Give those of the files that differ from what the library has of them."""
    for start in range(0, len(finds), _CHUNK):
        chunk = finds[start : start + _CHUNK]
        doubted = [find.known.id for find in chunk if find.known is not None and _looks_same(find, known)]
        held = _read(connection, doubted) if doubted else {}
        for find in chunk:
            record = held.get(find.known.id) if find.known is not None else None
            payload = record.payload(DESCRIPTION) if record is not None else None
            if payload is None or payload.data != find.description:
                yield find


def _read(connection: Connection, numbers: Sequence[int]) -> Mapping[int, StoredRecord]:
    """Read whole records. What that needs takes as long to load as a thousand files to look at."""
    from windrow.store.records import RecordReader  # noqa: PLC0415

    return RecordReader().get(connection, numbers)


def _looks_same(find: Find, known: Known) -> bool:
    """Is everything but the description as it was? That has to be read to be compared."""
    held = find.known
    return (
        held is not None
        and not held.is_deleted
        and held.digest == present.digest_of(find.header)
        and known.combinations.get(held.group, frozenset()) == frozenset(find.sets)
    )


def _payload(find: Find, prefix: str) -> bytes:
    return find.header if prefix == HEADER else find.description
