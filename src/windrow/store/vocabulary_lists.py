"""Lists of concepts that pages need beside those of `vocabularies`: in which addresses URIs lie, in parts."""

from __future__ import annotations

import re

from windrow.store.payloads import Queries

MOST_SPACES = 50  # different beginnings of URIs that are compared
_LAST = "\U0010ffff"
_SPACE = re.compile(r".*[/#:]", re.DOTALL)


def uri_space(queries: Queries, number: int, base: str = "") -> str:
    """Return how most URIs of a vocabulary begin: its base where it has concepts there, else the commonest.

    Up to the last slash, hash or colon. Of MOST_SPACES beginnings at most, in the order of URIs.
    """
    if base and _next_uri(queries, number, base).startswith(base):
        return base
    best, most, after = "", 0, ""
    for _ in range(MOST_SPACES):
        uri = _next_uri(queries, number, after)
        found = _SPACE.match(uri)
        if not uri:
            break
        if found is None or uri.startswith("_:"):
            after = uri
            continue
        count = _count(queries, number, found[0])
        if count > most:
            best, most = found[0], count
        after = found[0] + _LAST
    return best


def _next_uri(queries: Queries, number: int, after: str) -> str:
    text = "SELECT uri FROM concept WHERE vocabulary_id = ? AND uri > ? ORDER BY uri LIMIT 1"
    return next((uri for (uri,) in queries.exec_driver_sql(text, (number, after))), "")


def _count(queries: Queries, number: int, start: str) -> int:
    text = "SELECT COUNT(*) FROM concept WHERE vocabulary_id = ? AND uri > ? AND uri < ?"
    ((count,),) = queries.exec_driver_sql(text, (number, start, start + _LAST))
    return int(count)
