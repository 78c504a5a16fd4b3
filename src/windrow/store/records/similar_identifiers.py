"""Suggestions for a mistyped identifier: existing identifiers that are similar to it."""

from __future__ import annotations

import difflib

from windrow.store.connection import Connection

MAX_SUGGESTIONS = 5
_LONGEST = 200  # comparison time grows with the square of the length
_POOL = 200
_SHORTEST = 3

# LIKE ignores the case of ASCII letters in SQLite, not in PostgreSQL. One pass over an index takes a second
# for ten million records.
_CONTAINING = "SELECT DISTINCT identifier FROM record WHERE identifier LIKE ? ESCAPE '\\' LIMIT ?"
_BEGINNING = """
    SELECT DISTINCT identifier FROM record
    WHERE source_id IN (SELECT id FROM source) AND identifier >= ? AND identifier < ? LIMIT ?
"""


def find_similar_identifiers(connection: Connection, identifier: str) -> list[str]:
    """Return a few identifiers that contain this one, or share its beginning and differ little."""
    wanted = identifier.strip()[:_LONGEST]
    if len(wanted) < _SHORTEST or "\0" in wanted:  # SQLite ends a pattern at NUL
        return []
    escaped = wanted.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    found = connection.execute(_CONTAINING, (f"%{escaped}%", MAX_SUGGESTIONS)).scalars()
    return found or _find_similar(connection, wanted)


def _find_similar(connection: Connection, wanted: str) -> list[str]:
    """Shorten the prefix until some identifier has it, then return the closest matches."""
    for length in range(len(wanted) - 1, _SHORTEST, -1):
        low = wanted[:length]
        pool = connection.execute(_BEGINNING, (low, low + "\U0010ffff", _POOL)).scalars()
        if pool:
            return difflib.get_close_matches(wanted, pool, n=MAX_SUGGESTIONS, cutoff=0.7)
    return []
