"""Sets that nobody is shown: what is in one of them is for those who satisfy a guard of its source.

A protected folder is such a guard. Their specs begin with a character that XML cannot carry, so they cannot
leave by mistake.
"""

from __future__ import annotations

from collections.abc import Sequence

from windrow.store.connection import Connection

GUARD = "\x1fguard:"
HIDDEN_BY_HAND = "../hidden"  # a guard that nobody satisfies: no folder of a source can have this path
_OF_RECORD = """
    SELECT s.spec FROM source_set s JOIN set_member m ON m.set_id = s.id
      JOIN record r ON r.group_id = m.group_id
    WHERE r.identifier = ? AND r.source_id = ? AND s.spec LIKE ?
"""
_GUARDED = """
    SELECT r.id FROM record r JOIN set_member m ON m.group_id = r.group_id
      JOIN source_set s ON s.id = m.set_id
    WHERE s.spec LIKE ? AND r.id IN ({})
"""
_LIKE = f"{GUARD}%"
# What is true of a record `r` that no guard protects, with what stands for its two marks.
OPEN = """NOT EXISTS (
    SELECT 1 FROM set_member m JOIN source_set g ON g.id = m.set_id
    WHERE m.group_id = r.group_id AND g.spec >= ? AND g.spec < ?)"""
OPEN_VALUES = (GUARD, GUARD[:-1] + chr(ord(GUARD[-1]) + 1))  # the first spec behind all guards


def guard_set(guard: str) -> str:
    """Give the spec of the set for a guard."""
    return GUARD + guard


def guards_of(connection: Connection, source_id: int, identifier: str) -> frozenset[str]:
    """Give the guards that protect a record."""
    rows = connection.exec_driver_sql(_OF_RECORD, (identifier, source_id, _LIKE))
    return frozenset(spec.removeprefix(GUARD) for (spec,) in rows)


def guarded(connection: Connection, numbers: Sequence[int]) -> set[int]:
    """Give which of these records are protected by any guard, and so not for everybody."""
    marks = ", ".join("?" * len(numbers))
    return set(connection.exec_driver_sql(_GUARDED.format(marks), (_LIKE, *numbers)).scalars())
