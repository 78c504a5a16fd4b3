"""Visit counts by day and family of crawler or search engine. No personal data is stored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from windrow.store.connection import Connection

CRAWLER, SEARCH = "crawler", "search"  # requests of crawlers; visits of people from search engines

_ADD = (
    "INSERT INTO visit (day, kind, family, count) VALUES (?, ?, ?, ?)"
    " ON CONFLICT (day, kind, family) DO UPDATE SET count = visit.count + excluded.count"
)
_FORGET = "DELETE FROM visit WHERE day < ?"
_SINCE = "SELECT day, kind, family, count FROM visit WHERE day >= ? ORDER BY day, kind, family"


class VisitGroup(NamedTuple):
    """A group of visits: a day as 2024-01-31 (UTC), a kind, a family."""

    day: str
    kind: str
    family: str


@dataclass(frozen=True, slots=True)
class VisitCount:
    """The number of visits in a group."""

    day: str
    kind: str
    family: str
    count: int


def add(connection: Connection, counts: Mapping[VisitGroup, int]) -> None:
    """Add to the stored counts; several processes each report theirs."""
    for group, count in counts.items():
        connection.execute(_ADD, (*group, count))


def forget(connection: Connection, before: str) -> None:
    """Delete the counts of days before this one."""
    connection.execute(_FORGET, (before,))


def since(connection: Connection, day: str) -> list[VisitCount]:
    return [VisitCount(*row) for row in connection.execute(_SINCE, (day,))]
