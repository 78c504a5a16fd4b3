"""Sets that nobody is shown: what is in one of them is for those who satisfy a guard of its source.

A protected folder is such a guard. Their specs begin with a character that XML cannot carry, so they cannot
leave by mistake.
"""

from __future__ import annotations

from sqlalchemy import Connection, select

from windrow.store import schema

GUARD = "\x1fguard:"
_LIKE = f"{GUARD}%"


def guard_set(guard: str) -> str:
    """Give the spec of the set for a guard."""
    return GUARD + guard


def guards_of(connection: Connection, source_id: int, identifier: str) -> frozenset[str]:
    """Give the guards that protect a record."""
    members, sets, record = schema.set_member, schema.source_set, schema.record
    query = (
        select(sets.c.spec)
        .join(members, members.c.set_id == sets.c.id)
        .join(record, record.c.group_id == members.c.group_id)
        .where(record.c.identifier == identifier, record.c.source_id == source_id, sets.c.spec.like(_LIKE))
    )
    return frozenset(spec.removeprefix(GUARD) for spec in connection.execute(query).scalars())
