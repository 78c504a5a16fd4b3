"""`windrow record compare`: the fields in which two records differ."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

from windrow.cli.diff import show_field
from windrow.cli.state import print_json
from windrow.cli.terminal import plural, printable, say
from windrow.errors import NotFound

if TYPE_CHECKING:
    from windrow.harvest.differences import FieldChange
    from windrow.model.document import Document
    from windrow.store.records import StoredRecord


def compare_records(one: StoredRecord, other: StoredRecord, *, is_json: bool) -> None:
    """Print what only the first has and what only the second has, field by field."""
    from windrow.harvest.differences import compare

    documents = _document(one), _document(other)
    differing = compare(*documents)
    names = {field.name for field in differing}
    same = [
        item.name for item in fields(documents[0]) if item.name not in names and _has(documents, item.name)
    ]
    if is_json:
        print_json(_as_dict(one, other, differing, same))
        return
    for mark, style, record, document in zip("-+", ("bad", "good"), (one, other), documents, strict=True):
        say(f"{mark} ", style=style, end="")
        say(f"{printable(record.identifier)} ({record.source})  {printable(document.title or '(no title)')}")
    say()
    for field in differing:
        show_field(field)
    say(f"{plural(len(differing), 'field')} differ{'s' if len(differing) == 1 else ''}", end="")
    say(f"; the same in both: {', '.join(same)}." if same else ".")


def _document(record: StoredRecord) -> Document:
    from windrow.exports.entry import mapped

    if record.is_deleted:
        raise NotFound(f"{printable(record.identifier)} is deleted, so there is no metadata to compare")
    entry = mapped(record, record.payload())
    if entry.problem:
        raise NotFound(f"the metadata of {printable(record.identifier)} cannot be read: {entry.problem}")
    return entry.document


def _has(documents: tuple[Document, Document], name: str) -> bool:
    return getattr(documents[0], name) not in (None, (), {})


def _as_dict(
    one: StoredRecord, other: StoredRecord, differing: tuple[FieldChange, ...], same: list[str]
) -> dict[str, Any]:
    return {
        "records": [
            {"source": each.source, "identifier": each.identifier, "datestamp": each.stamp}
            for each in (one, other)
        ],
        "differing": [
            {"field": field.name, "first": list(field.gone), "second": list(field.come)}
            for field in differing
        ],
        "same": same,
    }
