"""Which records a list is of, and the ways through the library to them: SQL for `offering` to run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

JOIN = "LEFT JOIN payload p ON p.record_id = r.id AND p.format_id = ?"


@dataclass(frozen=True, slots=True)
class Selection:
    """Which records: every condition holds. Times are numbers of changes, or the source's own stamps."""

    sources: tuple[int, ...]  # of these
    top: int  # none that came after this number
    rivals: tuple[int, ...] = ()  # unless one of these, with a lower number, has the identifier too
    format_id: int | None = None  # with the payload in this format
    format_needed: tuple[int, ...] = ()  # of these sources only those that have it, or are deleted
    after_seq: int = 0  # changed after this number
    up_to_seq: int | None = None  # and not after this one
    since: str | None = None  # by the stamps that came with the records, both inclusive
    until: str | None = None
    sets: tuple[int, ...] | None = None  # in one of these, or of the virtual ones
    virtual_sets: tuple[int, ...] = ()
    hidden_sets: tuple[int, ...] = ()  # in none of these


class Way(NamedTuple):
    """A way to go through records by number; two of them may follow each other."""

    table: str = "record r NOT INDEXED"  # by number, that is
    above: int = 0
    condition: str = ""
    values: tuple[object, ...] = ()
    key: str = "r.id"  # what it goes along
    is_by_set: bool = False  # it meets nothing but what is in the sets asked for


def ways(selection: Selection, *, is_sparse: bool) -> list[Way]:
    """Give how to go through a selection: past every record, or by an index to the few that match."""
    if not selection.sets and len(selection.virtual_sets) == 1:
        table = "virtual_member v CROSS JOIN record r ON r.id = v.record_id"
        return [Way(table, 0, "v.set_id = ?", selection.virtual_sets, "v.record_id", is_by_set=True)]
    if not is_sparse:
        return [Way()]
    if selection.after_seq:  # those that changed since, though older, and then all that are newer themselves
        since = selection.after_seq
        moved = "r.seq <> r.id AND r.seq > ? AND r.id <= ?"
        return [Way("record r INDEXED BY record_moved", 0, moved, (since, since)), Way(above=since)]
    return [Way("record r INDEXED BY record_shelf")]


def statement(what: str, selection: Selection, way: Way, after: int) -> tuple[str, list[object]]:
    """Give the statement that selects columns of the records after a number on this way, and its values.

    The payload is `p`, where the selection has a format.
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
    parts = ["r.id <= ?", f"r.source_id IN ({marks(selection.sources)})"]
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
        others = f"r.source_id NOT IN ({marks(selection.format_needed)})"
        parts.append(f"(p.record_id IS NOT NULL OR r.is_deleted OR {others})")
        values += selection.format_needed
    if selection.rivals and min(selection.rivals) < max(selection.sources):
        parts.append(
            "NOT EXISTS (SELECT 1 FROM record o WHERE o.identifier = r.identifier"
            f" AND o.source_id < r.source_id AND o.source_id IN ({marks(selection.rivals)}))"
        )
        values += selection.rivals
    return parts, values


def _in_sets(sets: Sequence[int], virtual_sets: Sequence[int]) -> tuple[str, Sequence[object]]:
    condition = f"r.group_id IN ({_grouped(sets)})"
    if not virtual_sets:  # said without OR, or no index is used
        return condition, sets
    return f"({condition} OR r.id IN ({_met(virtual_sets)}))", (*sets, *virtual_sets)


def _grouped(sets: Sequence[int]) -> str:
    return f"SELECT group_id FROM set_member WHERE set_id IN ({marks(sets)})"


def _met(virtual_sets: Sequence[int]) -> str:
    return f"SELECT record_id FROM virtual_member WHERE set_id IN ({marks(virtual_sets)})"


def marks(values: Sequence[object]) -> str:
    """Give as many question marks."""
    return ", ".join("?" * len(values))
