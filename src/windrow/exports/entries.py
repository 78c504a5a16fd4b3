"""Records as entries for export: a stored record with its Document, as nested values or as columns.

The store reads records in batches; the writers of the formats see one entry after another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from windrow.formats.registry import read
from windrow.model.counted_fields import document_departments, document_institutions
from windrow.model.document import Agent, Document, DocumentDate, Event, HeldFile, Link, LinkKind, Text
from windrow.model.set_assignment import apply_assignment
from windrow.store.connection import Connection
from windrow.store.records.record_reader import RecordReader, StoredPayload, StoredRecord

_NOTHING = Document()


@dataclass(frozen=True, slots=True)
class Entry:
    """A record, its chosen payload and its document; a tombstone has neither."""

    record: StoredRecord
    payload: StoredPayload | None
    document: Document
    problem: str = ""  # why no document could be made of the payload


@dataclass(slots=True)
class ExportCounts:
    """The counts of an export."""

    written: int = 0
    lacking: int = 0  # live, but without the requested format
    unmapped: int = 0  # written without a document


def entries(
    connection: Connection,
    tally: ExportCounts,
    *,
    sources: Sequence[str] = (),
    prefix: str | None = None,
    include_deleted: bool = False,
    is_mapped: bool = True,
) -> Iterator[Entry]:
    """Return the records one by one, in the order in which they were stored."""
    reader = RecordReader()
    batches = reader.batches(connection, sources=sources, prefix=prefix, include_deleted=include_deleted)
    return _entries(batches, tally, prefix, is_mapped=is_mapped)


def entries_by_number(
    connection: Connection,
    tally: ExportCounts,
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
    batches: Iterable[Iterable[StoredRecord]], tally: ExportCounts, prefix: str | None, *, is_mapped: bool
) -> Iterator[Entry]:
    for batch in batches:
        for record in batch:
            payload = record.payload(prefix)
            if payload is None and not record.is_deleted:
                tally.lacking += 1
                continue
            entry = map_record(record, payload) if is_mapped else Entry(record, payload, _NOTHING)
            tally.unmapped += bool(entry.problem)
            tally.written += 1
            yield entry


def map_record(record: StoredRecord, payload: StoredPayload | None) -> Entry:
    """Return a record with the document of one payload; an unreadable payload becomes a problem."""
    if payload is None:
        return Entry(record, None, _NOTHING)
    try:
        document = read(payload.data, payload.declarations, payload.prefix)
        return Entry(record, payload, apply_assignment(document, record.said))
    except Exception as exc:  # noqa: BLE001 - one bad record, or one bad plug-in, must not end the export
        return Entry(record, payload, _NOTHING, str(exc) or type(exc).__name__)


SEPARATOR = " | "
Cell = list[str] | str | int | None

_FIELDS = tuple(item.name for item in fields(Document))
_EMPTY: tuple[object, ...] = (None, (), {})


def as_dict(document: Document) -> dict[str, Any]:
    """Return the fields that have a value, by their names in the model."""
    values = ((name, getattr(document, name)) for name in _FIELDS)
    return {name: _plain(value) for name, value in values if value not in _EMPTY}


def as_cells(document: Document) -> dict[str, Cell]:
    """Return the value of each column: a text, a number or a list of texts."""
    return {name: take(document) for name, take in COLUMNS.items()}


def _plain(value: Any) -> Any:
    """Like `dataclasses.asdict`, which takes ten times as long because it copies every text."""
    if isinstance(value, str | int):
        return value
    if isinstance(value, HeldFile):
        return _file(value)
    if isinstance(value, dict):
        return {key: list(parts) for key, parts in value.items()}
    return [item if isinstance(item, str) else _part(item) for item in value]


def _file(file: HeldFile) -> dict[str, Any]:
    """Return the facts about a file without its text, which may be a whole book."""
    facts = [{"name": name, "value": value} for name, value in file.facts]
    named = {"path": file.path, "member": file.member, "media_type": file.media_type, "size": file.size}
    found = {**named, "sha256": file.sha256, "facts": facts}
    return {name: value for name, value in found.items() if value not in ("", [])}


def _part(item: Any) -> dict[str, Any]:
    """Return the parts of a small value that are set; several texts in one part as a list."""
    parts = ((name, part) for name, part in zip(item._fields, item, strict=True) if part not in _EMPTY)
    return {name: list(part) if isinstance(part, tuple) else part for name, part in parts}


def _texts(items: Iterable[Text]) -> list[str]:
    return [item.value for item in items]


def _agents(items: Iterable[Agent]) -> list[str]:
    return [f"{item.name} ({item.role})" if item.role else item.name for item in items]


def _dated(item: DocumentDate) -> str:
    return item.text if item.kind == "date" else f"{item.kind}: {item.text}"


def _urls(items: Iterable[Link], kind: LinkKind) -> list[str]:
    return [item.url for item in items if item.kind is kind]


def _event(item: Event) -> str:
    parts = (item.kind, item.period, item.time, item.place, item.intensity, item.language)
    return ", ".join(part for part in parts if part) or item.identifier or ""


NUMBERS = ("year", "pages")
SINGLE = ("title", "institution", "department", "landing")
COLUMNS: Mapping[str, Callable[[Document], Cell]] = {
    "title": lambda document: document.title,
    "other_titles": lambda document: _texts(document.titles[1:]),
    "creators": lambda document: [item.name for item in document.creators],
    "contributors": lambda document: _agents(document.contributors),
    "year": lambda document: document.year,
    "dates": lambda document: [_dated(item) for item in document.dates],
    "types": lambda document: list(document.types),
    "languages": lambda document: list(document.languages),
    "publishers": lambda document: list(document.publishers),
    "institution": lambda document: document.institution,
    "department": lambda document: document.department,
    "subjects": lambda document: [item.value for item in document.subjects],
    "keywords": lambda document: list(document.keywords),
    "descriptions": lambda document: _texts(document.descriptions),
    "pages": lambda document: document.pages,
    "landing": lambda document: document.landing,
    "fulltext": lambda document: _urls(document.links, LinkKind.FULLTEXT),
    "licenses": lambda document: _urls(document.links, LinkKind.LICENSE),
    "thumbnails": lambda document: _urls(document.links, LinkKind.THUMBNAIL),
    "related": lambda document: _urls(document.links, LinkKind.RELATED),
    "names": lambda document: [f"{item.scheme}:{item.value}" for item in document.names],
    "rights": lambda document: list(document.rights),
    "sources": lambda document: list(document.sources),
    "relations": lambda document: list(document.relations),
    "events": lambda document: [_event(item) for item in document.events],
    "prerequisites": lambda document: list(document.prerequisites),
    "exams": lambda document: list(document.exams),
    "professions": lambda document: list(document.professions),
    # All institutions: `institution` and `department` are the first only.
    "institutions": lambda document: list(dict.fromkeys(document_institutions(document))),
    "departments": lambda document: list(dict.fromkeys(document_departments(document))),
}
