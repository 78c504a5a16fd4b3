"""Results in the order of several keys: what the library protocols call a sort.

Tantivy sorts by one field. Here each key's values are fetched for everything that was found, and compared
together, so the number of results that can be sorted is bounded. `TooManyToSort` says so before anything is
fetched.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from windrow.errors import UsageError
from windrow.model.folding import fold

MOST_SORTED = 100_000  # results that are sorted by keys
MOST_KEYS = 5
_BEYOND = "\U0010ffff"  # the key of a document without a title


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


class TooManyToSort(UsageError):
    """More results than can be sorted."""

    hint = "Narrow the search, or take the results as they come."

    def __init__(self, total: int) -> None:
        super().__init__(f"{total:,} results are too many to sort; at most {MOST_SORTED:,} are sorted")


class ValueMissing(UsageError):
    """A result has no value of a key, and was not to be sorted without."""

    def __init__(self, field: str) -> None:
        super().__init__(f"a result has no {field} to be sorted by", hint="Sort without missingFail.")


class Unsortable(UsageError):
    """A field that results cannot be sorted by."""

    def __init__(self, field: str) -> None:
        super().__init__(
            f"results cannot be sorted by {field}", hint=f"They can by {', '.join(sorted(SORTABLE))}."
        )


# Fields that results can be sorted by; those in NUMERIC as numbers. `added` is when a record came.
NUMERIC = ("year", "date", "pages", "size", "added")
SORTABLE = (
    *("title", "creator", "subject", "keyword", "publisher", "journal", "type", "language"),
    *("institution", "department", "source", "access", "licence", "period", "place"),
    *NUMERIC,
)

Value = tuple[str, str] | int | None  # folded and as it stands; a number; nothing


def check_keys(keys: Sequence[SortKey]) -> None:
    """Raise UsageError for keys that nothing can be sorted by."""
    for key in keys:
        if key.field not in SORTABLE:
            raise Unsortable(key.field)
    if len(keys) > MOST_KEYS:
        raise UsageError(f"{len(keys)} keys are too many to sort by; at most {MOST_KEYS} are taken")


def sort_numbers(
    numbers: Sequence[int], keys: Sequence[SortKey], values: Callable[[str], dict[int, Value]]
) -> list[int]:
    """Return the numbers of records in the order of the keys; `values` returns those of a field by number.

    Records that no key tells apart keep their order.
    """
    found = list(numbers)
    for key in reversed(keys):  # a stable sort by each key, the last one first
        held = values(key.field)
        if key.missing is Missing.FAIL and any(held.get(number) is None for number in found):
            raise ValueMissing(key.field)
        if key.missing is Missing.OMIT:
            found = [number for number in found if held.get(number) is not None]
        compared = {number: _compared(key, held.get(number)) for number in found}
        found.sort(key=compared.__getitem__, reverse=not key.is_ascending)
    return found


def text_value(folded: str, written: str) -> Value:
    """Return a text as a value that is compared; None for an empty one."""
    return (folded, written) if written and folded != _BEYOND else None


def _compared(key: SortKey, value: Value) -> tuple[int, Any]:
    """Return what puts one value in its place: below all, among the others, or above all."""
    if value is None:
        if key.missing is Missing.LOW:
            return -1, 0
        if isinstance(key.missing, Missing):
            return 1, 0
        return 0, _given(key, key.missing)
    if isinstance(value, tuple):
        return 0, value[1] if key.respects_case else value[0]
    return 0, value


def _given(key: SortKey, text: str) -> str | int:
    """Return the value that a request gives to those without one."""
    if key.field in NUMERIC:
        digits = text.strip().replace("-", "")[:8]
        return int(digits) if digits.isascii() and digits.isdecimal() else 0
    return text if key.respects_case else fold(text)
