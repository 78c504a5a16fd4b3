"""Selections of records and how they are read: access paths and SQL for `record_listing`.

The second half reads what a repository consists of: its sources, sets, combinations of sets and formats.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from windrow.store.records.payloads import Queries

JOIN = "LEFT JOIN payload p ON p.record_id = r.id AND p.format_id = ?"


@dataclass(frozen=True, slots=True)
class Selection:
    """A selection of records; all conditions hold. Times are change numbers or the provider's datestamps."""

    sources: tuple[int, ...]  # of these sources
    top: int  # no record with a higher number
    rivals: tuple[int, ...] = ()  # only if none of these sources with a lower number has the identifier too
    format_id: int | None = None  # read the payload in this format
    format_needed: tuple[int, ...] = ()  # of these sources only records that have it, or are deleted
    after_seq: int = 0  # changed after this number
    up_to_seq: int | None = None  # and not after this one
    since: str | None = None  # by datestamp, both inclusive
    until: str | None = None
    sets: tuple[int, ...] | None = None  # in one of these or of the virtual sets
    virtual_sets: tuple[int, ...] = ()
    hidden_sets: tuple[int, ...] = ()  # in none of these


class AccessPath(NamedTuple):
    """A way to read records by number; two of them may follow each other."""

    table: str = "record r NOT INDEXED"  # by number
    above: int = 0
    condition: str = ""
    values: tuple[object, ...] = ()
    key: str = "r.id"  # the column that orders it
    is_by_set: bool = False  # the path contains only records of the requested sets


def plan_access(selection: Selection, *, is_sparse: bool) -> list[AccessPath]:
    """Return how to read a selection: a scan of all records, or an index for the few that match."""
    if not selection.sets and len(selection.virtual_sets) == 1:
        table = "virtual_member v CROSS JOIN record r ON r.id = v.record_id"
        return [AccessPath(table, 0, "v.set_id = ?", selection.virtual_sets, "v.record_id", is_by_set=True)]
    if not is_sparse:
        return [AccessPath()]
    if selection.after_seq:  # older records that changed since, then all newer ones
        since = selection.after_seq
        moved = "r.seq <> r.id AND r.seq > ? AND r.id <= ?"
        return [
            AccessPath("record r INDEXED BY record_moved", 0, moved, (since, since)),
            AccessPath(above=since),
        ]
    return [AccessPath("record r INDEXED BY record_shelf")]


def build_statement(what: str, selection: Selection, way: AccessPath, after: int) -> tuple[str, list[object]]:
    """Return the statement, with its values, for these columns of the records after a number.

    The payload is `p` if the selection has a format.
    """
    parts, values = _conditions(selection)
    if selection.sets is not None and not way.is_by_set:
        condition, members = _in_sets(selection.sets, selection.virtual_sets)
        parts.append(condition)
        values += members
    if way.condition:
        parts.append(way.condition)
        values += way.values
    parts.append(f"{way.key} > ?")
    values.append(max(after, way.above))
    table = way.table
    if selection.format_id is not None:
        table = f"{table} {JOIN}"
        values.insert(0, selection.format_id)
    return f"SELECT {what} FROM {table} WHERE {' AND '.join(parts)}", values


def _conditions(selection: Selection) -> tuple[list[str], list[object]]:
    parts = ["r.id <= ?", f"r.source_id IN ({placeholders(selection.sources)})"]
    values: list[object] = [selection.top, *selection.sources]
    for part, value in (
        ("r.seq > ?", selection.after_seq or None),
        ("r.seq <= ?", selection.up_to_seq),
        ("r.stamp >= ?", selection.since),
        ("r.stamp <= ?", selection.until),
    ):
        if value is not None:
            parts.append(part)
            values.append(value)
    if selection.hidden_sets:
        parts.append(f"r.group_id NOT IN ({_grouped(selection.hidden_sets)})")
        values += selection.hidden_sets
    if selection.format_needed:
        others = f"r.source_id NOT IN ({placeholders(selection.format_needed)})"
        parts.append(f"(p.record_id IS NOT NULL OR r.is_deleted OR {others})")
        values += selection.format_needed
    if selection.rivals and min(selection.rivals) < max(selection.sources):
        parts.append(
            "NOT EXISTS (SELECT 1 FROM record o WHERE o.identifier = r.identifier"
            f" AND o.source_id < r.source_id AND o.source_id IN ({placeholders(selection.rivals)}))"
        )
        values += selection.rivals
    return parts, values


def _in_sets(sets: Sequence[int], virtual_sets: Sequence[int]) -> tuple[str, Sequence[object]]:
    condition = f"r.group_id IN ({_grouped(sets)})"
    if not virtual_sets:  # without OR, which would prevent the use of an index
        return condition, sets
    return f"({condition} OR r.id IN ({_in_virtual_sets(virtual_sets)}))", (*sets, *virtual_sets)


def _grouped(sets: Sequence[int]) -> str:
    return f"SELECT group_id FROM set_member WHERE set_id IN ({placeholders(sets)})"


def _in_virtual_sets(virtual_sets: Sequence[int]) -> str:
    return f"SELECT record_id FROM virtual_member WHERE set_id IN ({placeholders(virtual_sets)})"


def placeholders(values: Sequence[object]) -> str:
    return ", ".join("?" * len(values))


# The parts of a repository: sources, sets, combinations of sets, formats.

SAMPLE_RECORDS = 50  # per source, to find out its formats
_CHUNK = 500
# Where runs recorded the formats they requested: cursors, windows, and the arguments of the run.
_TOLD = """
    SELECT t.source_id, f.prefix FROM (
      SELECT source_id, format FROM cursor UNION SELECT source_id, format FROM "window"
      UNION SELECT r.source_id, a.value FROM run r, json_each(r.arguments, '$.formats') a
      WHERE r.arguments LIKE '%"formats"%'
    ) t JOIN format f ON f.prefix = t.format
"""


class SetRow(NamedTuple):
    """A set of one source; `merged_into` is the same set under another spec."""

    id: int
    source_id: int
    spec: str
    name: str
    merged_into: int | None


def read_source_ids(queries: Queries) -> dict[str, int]:
    return dict(map(tuple, queries.execute("SELECT name, id FROM source", ())))


def read_catalogue_mark(queries: Queries) -> tuple[object, ...]:
    """Return a value that changes with the sources, their sets and their formats, and is cheap to read.

    A source has a new format only after one of its runs started.
    """
    text = (
        "SELECT (SELECT GROUP_CONCAT(id || ' ' || name) FROM source), (SELECT MAX(id) FROM run),"
        " (SELECT COUNT(*) FROM source_set), (SELECT MAX(id) FROM source_set),"
        " (SELECT COUNT(*) FROM virtual_set), (SELECT MAX(id) FROM virtual_set),"
        ' (SELECT COUNT(*) FROM format), (SELECT COUNT(*) FROM cursor), (SELECT MAX(id) FROM "window")'
    )
    (row,) = queries.execute(text, ())
    return tuple(row)


def list_source_sets(queries: Queries, sources: Sequence[int]) -> list[SetRow]:
    text = (
        "SELECT id, source_id, spec, name, merged_into FROM source_set"
        f" WHERE source_id IN ({placeholders(sources)}) ORDER BY source_id, spec"
    )
    return [SetRow(*row) for row in queries.execute(text, tuple(sources))]


def list_combination_sets(queries: Queries, groups: Iterable[int]) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    wanted = list(groups)
    for start in range(0, len(wanted), _CHUNK):
        some = tuple(wanted[start : start + _CHUNK])
        text = (
            f"SELECT group_id, set_id FROM set_member WHERE group_id IN ({placeholders(some)}) ORDER BY 1, 2"
        )
        for group, number in queries.execute(text, some):
            found.setdefault(group, []).append(number)
    return found


def list_virtual_sets(queries: Queries) -> list[tuple[int, str, str]]:
    """Return number, spec and name of every virtual set."""
    return list(queries.execute("SELECT id, spec, name FROM virtual_set ORDER BY spec", ()))


def find_virtual_sets(queries: Queries, records: Sequence[int]) -> dict[int, list[int]]:
    """Return the virtual sets of those of these records that are in any."""
    found: dict[int, list[int]] = {}
    for start in range(0, len(records), _CHUNK):
        some = tuple(records[start : start + _CHUNK])
        text = (
            "SELECT record_id, set_id FROM virtual_member"
            f" WHERE record_id IN ({placeholders(some)}) ORDER BY 1, 2"
        )
        for record, number in queries.execute(text, some):
            found.setdefault(record, []).append(number)
    return found


def list_formats(queries: Queries) -> dict[str, int]:
    return dict(map(tuple, queries.execute("SELECT prefix, id FROM format", ())))


def prefixes_by_source(queries: Queries, sources: Sequence[int]) -> dict[int, set[str]]:
    """Return the formats in which each source was harvested, and those of its first records."""
    found: dict[int, set[str]] = {}
    for source, prefix in queries.execute(_TOLD, ()):
        found.setdefault(source, set()).add(prefix)
    sampled = (
        "SELECT DISTINCT f.prefix FROM (SELECT id FROM record INDEXED BY record_shelf WHERE source_id = ?"
        " LIMIT ?) r JOIN payload p ON p.record_id = r.id JOIN format f ON f.id = p.format_id"
    )
    for source in sources:
        rows = queries.execute(sampled, (source, SAMPLE_RECORDS))
        found.setdefault(source, set()).update(row[0] for row in rows)
    return {source: found[source] for source in sources}


def known_prefixes(queries: Queries, sources: Sequence[int] | None) -> list[str]:
    """Return the formats that some sources have records in; for None, all of the library.

    Unlike `prefixes_by_source`, this needs no index made by a repository. If no run recorded formats for a
    source, those of a few records are used.
    """
    if sources is None:
        return [row[0] for row in queries.execute("SELECT prefix FROM format ORDER BY prefix", ())]
    told: dict[int, set[str]] = {}
    for source, prefix in queries.execute(_TOLD, ()):
        told.setdefault(source, set()).add(prefix)
    sampled = (
        "SELECT DISTINCT f.prefix FROM (SELECT id FROM record WHERE source_id = ? LIMIT ?) r"
        " JOIN payload p ON p.record_id = r.id JOIN format f ON f.id = p.format_id"
    )
    found: set[str] = set()
    for source in sources:
        rows = () if source in told else queries.execute(sampled, (source, SAMPLE_RECORDS))
        found |= told.get(source, set()) | {row[0] for row in rows}
    return sorted(found)


def sample_records(queries: Queries, format_id: int, limit: int) -> list[int]:
    """Return some records that have a payload in this format."""
    text = "SELECT record_id FROM payload WHERE format_id = ? LIMIT ?"
    return [row[0] for row in queries.execute(text, (format_id, limit))]


def oldest_stamp(queries: Queries, sources: Sequence[int]) -> str | None:
    """Return the oldest provider datestamp of these sources."""
    text = f"SELECT MIN(stamp) FROM record WHERE source_id IN ({placeholders(sources)})"
    ((stamp,),) = queries.execute(text, tuple(sources))
    found: str | None = stamp
    return found
