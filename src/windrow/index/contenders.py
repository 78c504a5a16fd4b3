"""Which values may be the most frequent ones, where each segment of an index named only its own. Pure.

Below `tallying`. Tantivy says by how much a value may have been counted short: whatever could still reach the
last of the wanted ones is a contender, and if that cannot be said of the last value that was given, then
nobody else is one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Answer = dict[str, Any]


def is_doubtful(found: Answer) -> bool:
    """Whether a value may have been counted short."""
    return _shortage(found) > 0


def contenders(found: Answer, limit: int) -> list[Answer]:
    """The values that may be among the first so many, as far as they were given."""
    buckets: list[Answer] = found["buckets"]
    if len(buckets) <= limit:
        return buckets
    least = buckets[limit - 1]["doc_count"] - _shortage(found)
    return [bucket for bucket in buckets if bucket["doc_count"] >= least]


def is_sure(found: Answer, limit: int) -> bool:
    """Whether no other value than those that were given may be among the first so many."""
    is_whole = not found.get("sum_other_doc_count")
    return is_whole or not is_doubtful(found) or len(contenders(found, limit)) < len(found["buckets"])


def correct(found: Answer, buckets: Sequence[Answer], counts: Sequence[int]) -> None:
    """Let these be the values, with these counts; how many there are of all together stays what it was."""
    total = total_of(found)
    found["buckets"] = [{**bucket, "doc_count": count} for bucket, count in zip(buckets, counts, strict=True)]
    found["sum_other_doc_count"] = total - sum(counts)


def total_of(found: Answer) -> int:
    """How often any value was counted."""
    others = found.get("sum_other_doc_count") or 0
    return int(others + sum([bucket["doc_count"] for bucket in found["buckets"]]))


def _shortage(found: Answer) -> int:
    return int(found.get("doc_count_error_upper_bound") or 0)
