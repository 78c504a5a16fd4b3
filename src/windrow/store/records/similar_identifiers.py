"""Suggestions for a mistyped identifier: existing identifiers that are similar to it."""

from __future__ import annotations

import difflib

from sqlalchemy import text

from windrow.store.connection import Connection

MAX_SUGGESTIONS = 5
_LONGEST = 200  # comparison time grows with the square of the length
_POOL = 200
_SHORTEST = 3

# LIKE ignores the case of ASCII letters. One pass over an index takes a second for ten million records.
_CONTAINING = text(
    "SELECT DISTINCT identifier FROM record WHERE identifier LIKE :pattern ESCAPE '\\' LIMIT :most"
)
_BEGINNING = text(
    "SELECT DISTINCT identifier FROM record WHERE source_id IN (SELECT id FROM source)"
    " AND identifier >= :low AND identifier < :high LIMIT :most"
)


def find_similar_identifiers(connection: Connection, identifier: str) -> list[str]:
    """Return a few identifiers that contain this one, or share its beginning and differ little."""
    wanted = identifier.strip()[:_LONGEST]
    if len(wanted) < _SHORTEST or "\0" in wanted:  # SQLite ends a pattern at NUL
        return []
    escaped = wanted.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    found = (
        connection.execute(_CONTAINING, {"pattern": f"%{escaped}%", "most": MAX_SUGGESTIONS}).scalars().all()
    )
    return list(found) or _find_similar(connection, wanted)


def _find_similar(connection: Connection, wanted: str) -> list[str]:
    """Shorten the prefix until some identifier has it, then return the closest matches."""
    for length in range(len(wanted) - 1, _SHORTEST, -1):
        low = wanted[:length]
        values = {"low": low, "high": low + "\U0010ffff", "most": _POOL}
        pool = list(connection.execute(_BEGINNING, values).scalars())
        if pool:
            return difflib.get_close_matches(wanted, pool, n=MAX_SUGGESTIONS, cutoff=0.7)
    return []
