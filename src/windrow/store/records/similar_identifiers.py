"""Identifiers much like one that is not there, for a person who mistyped it."""

from __future__ import annotations

import difflib

from sqlalchemy import text

from windrow.store.connection import Connection

MAX_SUGGESTIONS = 5
_LONGEST = 200  # comparing takes time by the square of the length
_POOL = 200
_SHORTEST = 3

# LIKE is blind to case for ASCII letters. One pass over an index: a second for ten million records.
_CONTAINING = text(
    "SELECT DISTINCT identifier FROM record WHERE identifier LIKE :pattern ESCAPE '\\' LIMIT :most"
)
_BEGINNING = text(
    "SELECT DISTINCT identifier FROM record WHERE source_id IN (SELECT id FROM source)"
    " AND identifier >= :low AND identifier < :high LIMIT :most"
)


def find_similar_identifiers(connection: Connection, identifier: str) -> list[str]:
    """Return a few identifiers that contain this one, or begin like it and differ little."""
    wanted = identifier.strip()[:_LONGEST]
    if len(wanted) < _SHORTEST or "\0" in wanted:  # where SQLite takes a pattern to end
        return []
    escaped = wanted.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    found = (
        connection.execute(_CONTAINING, {"pattern": f"%{escaped}%", "most": MAX_SUGGESTIONS}).scalars().all()
    )
    return list(found) or _find_similar(connection, wanted)


def _find_similar(connection: Connection, wanted: str) -> list[str]:
    """Shorten the beginning step by step until something begins so, then take the most alike."""
    for length in range(len(wanted) - 1, _SHORTEST, -1):
        low = wanted[:length]
        values = {"low": low, "high": low + "\U0010ffff", "most": _POOL}
        pool = list(connection.execute(_BEGINNING, values).scalars())
        if pool:
            return difflib.get_close_matches(wanted, pool, n=MAX_SUGGESTIONS, cutoff=0.7)
    return []
