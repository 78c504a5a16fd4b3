"""What results are sorted by: keys of fields, in whatever protocol they are asked for."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Missing(StrEnum):
    """What becomes of a result without a value of a key."""

    HIGH = "high"  # sorted as if its value were above all others
    LOW = "low"
    OMIT = "omit"  # left out of the results
    FAIL = "fail"  # nothing is sorted


@dataclass(frozen=True, slots=True)
class SortKey:
    """One key of a sort: a field of `SORTABLE`, and how its values are compared."""

    field: str
    is_ascending: bool = True
    missing: Missing | str = Missing.HIGH  # any other text is taken as the value
    respects_case: bool = False


# Fields that results can be sorted by; those in NUMERIC as numbers. `added` is when a record came.
NUMERIC = ("year", "date", "pages", "size", "added")
SORTABLE = (
    *("title", "creator", "subject", "keyword", "publisher", "journal", "type", "language"),
    *("institution", "department", "source", "access", "licence", "period", "place"),
    *NUMERIC,
)
MOST_KEYS = 5
