"""Results in the order of several keys: what the library protocols call a sort.

Tantivy sorts by one field. Here each key's values are fetched for everything that was found, and compared
together, so the number of results that can be sorted is bounded. `TooManyToSort` says so before anything is
fetched.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from windrow.errors import TooManyToSort, Unsortable, ValueMissing
from windrow.model.folding import fold
from windrow.model.sorting import MOST_KEYS, NUMERIC, SORTABLE, Missing, SortKey

__all__ = ["NUMERIC", "SORTABLE", "Missing", "SortKey", "TooManyToSort", "Unsortable", "ValueMissing"]

MOST_SORTED = 100_000  # results that are sorted by keys
_BEYOND = "\U0010ffff"  # the key of a document without a title


Value = tuple[str, str] | int | None  # folded and as it stands; a number; nothing


def check_keys(keys: Sequence[SortKey]) -> None:
    """Raise UsageError for keys that nothing can be sorted by."""
    for key in keys:
        if key.field not in SORTABLE:
            known = ", ".join(sorted(SORTABLE))
            raise Unsortable(f"results cannot be sorted by {key.field}", hint=f"They can by {known}.")
    if len(keys) > MOST_KEYS:
        raise Unsortable(f"{len(keys)} keys are too many to sort by; at most {MOST_KEYS} are taken")


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
            raise ValueMissing(f"a result has no {key.field} to be sorted by")
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


def check_total(total: int, most: int = MOST_SORTED) -> None:
    """Raise TooManyToSort for more results than are sorted."""
    if total > most:
        raise TooManyToSort(f"{total:,} results are too many to sort; at most {most:,} are sorted")
