"""What a run did to the library: which records it added, changed, deleted or restored, and in which fields.

Based on the store's history. A record counts once, in however many formats it came.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from typing import Any

from windrow.formats.registry import read
from windrow.model.document import Document, HeldFile
from windrow.model.run import RecordEffect
from windrow.store.connection import Connection
from windrow.store.records.record_reader import RecordChange, RecordReader, StoredPayload, StoredRecord

# The names of the run's counters; they follow the rule of `RecordEffect`.
KINDS = ("added", "changed", "deleted", "restored", "supplemented", "moved")


@dataclass(frozen=True, slots=True)
class FieldChange:
    """One field of a Document before and after, as lists of texts."""

    name: str
    gone: tuple[str, ...]
    come: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TouchedRecord:
    """A record that a run touched."""

    kind: str
    source: str
    identifier: str
    title: str | None = None
    fields: tuple[FieldChange, ...] = ()
    note: str = ""  # what changed although the fields are the same


@dataclass(slots=True)
class _RecordChanges:
    """What one run did to one record; `replaced` is the change that holds the record's earlier state."""

    source: str
    identifier: str
    effect: RecordEffect = RecordEffect.NONE
    replaced: RecordChange | None = None

    @property
    def kind(self) -> str:
        return self.effect.counter


@dataclass(frozen=True, slots=True)
class RunDiff:
    """The number of records of each kind, and details of the first of each."""

    counts: dict[str, int]
    touched: tuple[TouchedRecord, ...]


def diff_run(connection: Connection, run_id: int, *, limit: int | None) -> RunDiff:
    """Return what a run did; of each kind at most `limit` records are examined in detail."""
    reader = RecordReader()
    stories = _group_changes(reader.changes(connection, run_id), limit)
    counts = dict.fromkeys(KINDS, 0)
    chosen: list[tuple[int, _RecordChanges]] = []
    for record_id, story in stories.items():
        if story.kind not in counts:  # restored and deleted again: unchanged
            continue
        counts[story.kind] += 1
        if limit is None or counts[story.kind] <= limit:
            chosen.append((record_id, story))
    chosen.sort(key=lambda item: KINDS.index(item[1].kind))
    return RunDiff(counts, tuple(_read_documents(connection, reader, chosen)))


def compare_documents(before: Document, after: Document) -> tuple[FieldChange, ...]:
    """Return the fields in which two documents differ, in the order of the model."""
    found = []
    for item in fields(Document):
        old, new = (_value_texts(getattr(document, item.name)) for document in (before, after))
        if old != new:
            gone = tuple(value for value in old if value not in new)
            come = tuple(value for value in new if value not in old)
            is_moved = not gone and not come  # the same values in another order
            found.append(FieldChange(item.name, old if is_moved else gone, new if is_moved else come))
    return tuple(found)


def _group_changes(changes: Iterable[RecordChange], limit: int | None) -> dict[int, _RecordChanges]:
    """Group changes by record. Old payloads are kept only of records that will be examined."""
    stories: dict[int, _RecordChanges] = {}
    kept = dict.fromkeys(KINDS, 0)
    for change in changes:
        story = stories.get(change.record_id)
        if story is None:
            story = stories[change.record_id] = _RecordChanges(change.source, change.identifier)
        if change.seq == change.record_id:  # the first change of a record
            story.effect = RecordEffect.ADDED if change.kind == "added" else RecordEffect.ADDED_DELETED
        else:
            story.effect = story.effect.then(change.kind)
        kind = story.kind if story.kind in kept else "changed"
        if change.before is not None and story.replaced is None and (limit is None or kept[kind] < limit):
            kept[kind] += 1
            story.replaced = change
    return stories


def _read_documents(
    connection: Connection, reader: RecordReader, chosen: list[tuple[int, _RecordChanges]]
) -> Iterator[TouchedRecord]:
    for start in range(0, len(chosen), 200):
        part = chosen[start : start + 200]
        known = reader.get(connection, [record_id for record_id, _ in part])
        for record_id, story in part:
            yield _touched_record(connection, reader, story, known.get(record_id))


def _touched_record(
    connection: Connection, reader: RecordReader, story: _RecordChanges, record: StoredRecord | None
) -> TouchedRecord:
    replaced = story.replaced
    if story.kind == "changed" and replaced is not None:
        is_back = replaced.kind == "deleted"
        after = record.payload() if is_back and record else reader.after(connection, replaced)
        old, new = _parse_document(replaced.before), _parse_document(after)
        differing = compare_documents(old, new)
        unlike = "deleted and restored in this run" if is_back else "the same fields in another spelling"
        note = "" if differing else unlike
        return TouchedRecord("changed", story.source, story.identifier, new.title, differing, note)
    shown = replaced.before if replaced else record.payload() if record else None
    return TouchedRecord(
        story.kind, story.source, story.identifier, _parse_document(shown).title, note=_note(story, record)
    )


def _note(story: _RecordChanges, record: StoredRecord | None) -> str:
    if story.kind == "moved" and record is not None:
        return "now in " + (", ".join(record.sets) or "no set")
    if story.kind == "supplemented":
        return "came in another format as well"
    return ""


def _parse_document(payload: StoredPayload | None) -> Document:
    """Return the document of a payload; an empty one if there is none or it cannot be mapped."""
    if payload is None:
        return Document()
    try:
        return read(payload.data, payload.declarations, payload.prefix)
    except Exception:  # noqa: BLE001 - one bad record or plug-in must not hide the others
        return Document()


def _value_texts(value: Any) -> tuple[str, ...]:
    """Return a field's value of any type as texts."""
    if value is None:
        return ()
    if isinstance(value, str | int):
        return (str(value),)
    if isinstance(value, HeldFile):
        return _describe_file(value)
    if isinstance(value, dict):
        return tuple(f"{name}: {part}" for name, parts in value.items() for part in parts)
    return tuple(item if isinstance(item, str) else _joined(item) for item in value)


def _describe_file(file: HeldFile) -> tuple[str, ...]:
    """Describe a file briefly; of its text, which may be a book, only the length."""
    place = f"{file.path}#{file.member}" if file.member else file.path
    known = (place, file.media_type, f"{file.size:,} bytes", file.sha256 and f"SHA-256 {file.sha256}")
    length = sum(map(len, file.text))
    facts = (f"{name}: {value}" for name, value in file.facts)
    return tuple(filter(None, (*known, f"{length:,} characters of text" if length else "", *facts)))


def _joined(item: Any) -> str:
    first, *others = item
    parts = ("; ".join(other) if isinstance(other, tuple) else other for other in others)
    rest = ", ".join(str(part) for part in parts if part not in (None, ""))
    return f"{first} ({rest})" if rest else str(first)
