"""One record on its way out: what the library holds, and the Document made of it.

Between the store, which reads in batches, and the writers of the formats, which see one entry after another.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from windrow.formats.registry import read
from windrow.model.document import Document
from windrow.model.set_roles import reconciled
from windrow.store.connection import Connection
from windrow.store.records import RecordReader, StoredPayload, StoredRecord

_NOTHING = Document()


@dataclass(frozen=True, slots=True)
class Entry:
    """A record, the payload chosen of it, and its document; a tombstone has neither."""

    record: StoredRecord
    payload: StoredPayload | None
    document: Document
    problem: str = ""  # why no document could be made of the payload


@dataclass(slots=True)
class Tally:
    """What went out and what did not."""

    written: int = 0
    lacking: int = 0  # live, but not in the format that was asked for
    unmapped: int = 0  # written without a document


def entries(
    connection: Connection,
    tally: Tally,
    *,
    sources: Sequence[str] = (),
    prefix: str | None = None,
    include_deleted: bool = False,
    is_mapped: bool = True,
) -> Iterator[Entry]:
    """Give the records one after another, in the order in which they came into the library."""
    reader = RecordReader()
    batches = reader.batches(connection, sources=sources, prefix=prefix, include_deleted=include_deleted)
    return _entries(batches, tally, prefix, is_mapped=is_mapped)


def entries_of(
    connection: Connection,
    tally: Tally,
    numbers: Iterable[Sequence[int]],
    *,
    prefix: str | None = None,
    is_mapped: bool = True,
) -> Iterator[Entry]:
    """Return the live records with these numbers, batch by batch, in the order of the numbers."""
    reader = RecordReader()
    batches = (_live(reader.get(connection, batch), batch) for batch in numbers)
    return _entries(batches, tally, prefix, is_mapped=is_mapped)


def _live(records: Mapping[int, StoredRecord], numbers: Sequence[int]) -> list[StoredRecord]:
    found = [records[number] for number in numbers if number in records]
    return [record for record in found if not record.is_deleted]


def _entries(
    batches: Iterable[Iterable[StoredRecord]], tally: Tally, prefix: str | None, *, is_mapped: bool
) -> Iterator[Entry]:
    for batch in batches:
        for record in batch:
            payload = record.payload(prefix)
            if payload is None and not record.is_deleted:
                tally.lacking += 1
                continue
            entry = mapped(record, payload) if is_mapped else Entry(record, payload, _NOTHING)
            tally.unmapped += bool(entry.problem)
            tally.written += 1
            yield entry


def mapped(record: StoredRecord, payload: StoredPayload | None) -> Entry:
    """Give a record with the document of one payload; what cannot be read has a problem instead."""
    if payload is None:
        return Entry(record, None, _NOTHING)
    try:
        document = read(payload.data, payload.declarations, payload.prefix)
        return Entry(record, payload, reconciled(document, record.said))
    except Exception as exc:  # noqa: BLE001 - one bad record, or one bad plug-in, must not end the export
        return Entry(record, payload, _NOTHING, str(exc) or type(exc).__name__)
