"""One public record by its identifier, for its page and for the gateway.

Pages are what crawlers request by the million, hence bare SQL: one statement decides whether a page has
changed, and five read everything on it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import NamedTuple

from windrow.store.connection import Connection
from windrow.store.records.derived_sets import GROUP
from windrow.store.records.record_reader import (
    RECORD_COLUMNS,
    RECORD_TABLES,
    StoredRecord,
    complete_records,
    read_set_names,
)
from windrow.store.records.set_hierarchy import OPEN, OPEN_VALUES, find_guarded

_SHOWN = f"WHERE r.identifier = ? AND s.name = ? AND {OPEN}"
_SEQ = "CASE WHEN k.seq > r.seq THEN k.seq ELSE r.seq END"  # includes changes to the roles of its sets
_SHOWN_AT = f"(SELECT at FROM moment WHERE seq >= {_SEQ} ORDER BY seq LIMIT 1)"
_BYTES = "(SELECT COALESCE(SUM(length), 0) FROM payload WHERE record_id = r.id)"
_GLANCE = f"""
    SELECT r.id, r.source_id, {_SEQ}, r.is_deleted, {_SHOWN_AT}, {_BYTES}
    FROM record r JOIN source s ON s.id = r.source_id LEFT JOIN set_role k ON k.group_id = {GROUP} {_SHOWN}
"""
_WHOLE = f"""
    SELECT {_BYTES}, {_SEQ}, {_SHOWN_AT},
      (SELECT started FROM run WHERE source_id = r.source_id AND kind = 'harvest'
         AND outcome IN ('ok', 'partial') ORDER BY id DESC LIMIT 1),
      (SELECT started FROM run WHERE source_id = r.source_id
         AND id = (SELECT run_id FROM moment WHERE seq >= r.id ORDER BY seq LIMIT 1)),
      CASE WHEN r.seq <> r.id THEN (SELECT kind FROM history
         WHERE record_id = r.id AND kind IN ('deleted', 'restored') ORDER BY seq LIMIT 1) END,
      {RECORD_COLUMNS}
    FROM {RECORD_TABLES} {_SHOWN}
"""
_HISTORY = """
    SELECT h.kind, m.at, m.run_id FROM history h
      JOIN moment m ON m.seq = (SELECT MIN(seq) FROM moment WHERE seq >= h.seq)
    WHERE h.record_id = ? ORDER BY h.seq DESC LIMIT ?
"""


class RecordGlance(NamedTuple):
    """What a page depends on: the record, its newest change, and when that became visible.

    The newest change may be one to the roles of its sets, without a change to the record.
    """

    number: int
    source_id: int
    seq: int
    is_deleted: bool
    at: int  # Unix seconds
    size: int  # of its metadata in all formats, in bytes


class PastChange(NamedTuple):
    """A past change to a record."""

    kind: str
    at: datetime
    run: int


@dataclass(frozen=True, slots=True)
class PublicRecord:
    """A record with the context that its page shows."""

    record: StoredRecord
    set_names: Mapping[str, str]  # only of sets that have a name
    past: tuple[PastChange, ...]  # after its arrival, latest first
    began: datetime | None  # start of the run that added it; None: no run did
    came_deleted: bool
    last_good: datetime | None  # start of the newest harvest of its source that did not fail
    shown_seq: int  # its newest change, or that of the roles of its sets
    shown_at: datetime


def find_glance(connection: Connection, source: str, identifier: str) -> RecordGlance | None:
    """Return what the page of a record depends on; None if there is no such public record."""
    row = connection.execute(_GLANCE, _parameters(source, identifier)).first()
    return None if row is None else RecordGlance(*row)


def find_public_record(
    connection: Connection,
    source: str,
    identifier: str,
    *,
    most_past: int,
    most_bytes: int | None = None,
) -> PublicRecord | None:
    """Return a record with its latest past changes; None if there is no such public record.

    Also None, without unpacking it, if its metadata in all formats exceeds `most_bytes`.
    """
    row = connection.execute(_WHOLE, _parameters(source, identifier)).first()
    if row is None:
        return None
    size, shown_seq, shown_at, good, began, first_turn, *columns = row
    if most_bytes is not None and size > most_bytes:
        return None
    (record,) = complete_records(connection, [columns])
    is_changed = record.seq != record.id  # since it arrived
    return PublicRecord(
        record,
        read_set_names(connection, source, record.sets) if record.sets else {},
        _read_history(connection, record.id, most_past) if is_changed else (),
        _moment(began),
        first_turn == "restored" if first_turn else record.is_deleted,
        _moment(good),
        shown_seq,
        datetime.fromtimestamp(shown_at, UTC),
    )


def _parameters(source: str, identifier: str) -> tuple[str, str, str, str]:
    return identifier, source, *OPEN_VALUES


def _read_history(connection: Connection, number: int, most: int) -> tuple[PastChange, ...]:
    rows = connection.execute(_HISTORY, (number, most))
    return tuple(PastChange(kind, datetime.fromtimestamp(at, UTC), run) for kind, at, run in rows)


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


# Records by identifier alone, for the gateway, whose addresses do not include the source.

_NAMED = """
    SELECT r.id, s.name, r.seq, r.is_deleted,
      COALESCE((SELECT m.at FROM moment m WHERE m.seq >= r.seq ORDER BY m.seq LIMIT 1), 0)
    FROM record r JOIN source s ON s.id = r.source_id
    WHERE r.identifier = ? ORDER BY r.is_deleted, NOT EXISTS (
      SELECT 1 FROM payload p JOIN format f ON f.id = p.format_id
      WHERE p.record_id = r.id AND f.prefix = ?), r.source_id
"""
_FORMATS = """
    SELECT f.prefix FROM payload p JOIN format f ON f.id = p.format_id WHERE p.record_id = ? ORDER BY f.id
"""
_MERGING = """
    SELECT s.name FROM source s JOIN alias a ON a.source_id = s.id WHERE a.identifier = ? ORDER BY s.id
"""


class NamedRecord(NamedTuple):
    """A public record and its newest change."""

    number: int
    source: str
    seq: int
    is_deleted: bool
    at: int  # when that change became visible, in Unix seconds


def find_by_identifier(connection: Connection, identifier: str, prefix: str) -> NamedRecord | None:
    """Return the record with this identifier for display in one format.

    If several sources have it, the order is: not deleted, available in this format, lowest source number. So
    a link to a format works as long as any source has it.
    """
    rows = connection.execute(_NAMED, (identifier, prefix)).all()
    hidden = find_guarded(connection, [row[0] for row in rows]) if rows else set()
    return next((NamedRecord(*row) for row in rows if row[0] not in hidden), None)


def list_formats(connection: Connection, number: int) -> tuple[str, ...]:
    return tuple(connection.execute(_FORMATS, (number,)).scalars())


def find_merging_sources(connection: Connection, identifier: str) -> list[str]:
    return connection.execute(_MERGING, (identifier,)).scalars()
