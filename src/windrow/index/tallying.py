"""Tallies as aggregations of Tantivy's: how many documents have each value of a field.

Tantivy takes the most frequent values of each segment and adds them up, so that one may be counted short that
is frequent in one segment and rare in another. Where that can be, the values it named are counted once more,
and so they are where something is counted inside each of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tantivy

from windrow.errors import UsageError
from windrow.index import asking
from windrow.index.layout import NUMBERS, fact_field
from windrow.index.protocol import MOST_VALUES, TALLIED, Counted, Counts, Tally
from windrow.index.tokens import fact_value

LEAST_OF_SEGMENT = 1000  # values of each segment that are added up
SPARE = 10  # times as many of each as are wanted
DEEPEST = 3  # tallies within tallies
_TOO_MUCH = "bucket limit"  # what Tantivy says of more values than it likes to give at once

Answer = dict[str, Any]


def tally(
    searcher: tantivy.Searcher, question: tantivy.Query, tallies: Sequence[Tally]
) -> tuple[Counts, ...]:
    """Count the documents that a question finds, once for each tally."""
    for each in tallies:
        _check(each)
    first = _ask(searcher, question, dict(enumerate(map(_flat, tallies))))
    again = {
        place: _aggregation(each, only=[bucket["key"] for bucket in first[place]["buckets"]])
        for place, each in enumerate(tallies)
        if first[place]["buckets"] and _is_asked_again(each, first[place])
    }
    try:
        surer = _ask(searcher, question, again)
    except ValueError as exc:
        if _TOO_MUCH not in str(exc):
            raise
        return tuple(_piece_by_piece(searcher, question, each) for each in tallies)
    return tuple(_counts(each, first[place], surer.get(place)) for place, each in enumerate(tallies))


def _ask(searcher: tantivy.Searcher, question: tantivy.Query, asked: dict[int, Answer]) -> dict[int, Answer]:
    if not asked:
        return {}
    answer = searcher.aggregate(question, {str(place): each for place, each in asked.items()})
    return {int(place): found for place, found in answer.items()}


def _is_asked_again(asked: Tally, found: Answer) -> bool:
    return asked.within is not None or bool(found.get("doc_count_error_upper_bound"))


def _piece_by_piece(searcher: tantivy.Searcher, question: tantivy.Query, asked: Tally) -> Counts:
    """What is too much to be given at once: the values first, and then inside each of them."""
    (outer,) = tally(searcher, question, [asked._replace(within=None)])
    if asked.within is None:
        return outer
    values = []
    for value, count, _ in outer.values:
        inside = asking.all_of([question, asking.fact(asked.field, value)])
        values.append(Counted(value, count, tally(searcher, inside, [asked.within])[0].values))
    return Counts(tuple(values), outer.others)


def _check(asked: Tally, depth: int = 1) -> None:
    if asked.field not in TALLIED:
        raise UsageError(f"{asked.field} cannot be counted; what can: {', '.join(TALLIED)}")
    if asked.within is not None:
        if depth == DEEPEST:
            raise UsageError("tallies lie too deep within one another")
        _check(asked.within, depth + 1)


def _flat(asked: Tally) -> Answer:
    return _aggregation(asked._replace(within=None))


def _aggregation(asked: Tally, *, only: list[Any] | None = None) -> Answer:
    limit = _limit(asked)
    terms: Answer = {"field": fact_field(asked.field), "size": limit}
    if asked.is_by_value:
        terms["order"] = {"_key": "asc"}
    else:
        terms["segment_size"] = max(limit * SPARE, LEAST_OF_SEGMENT)
    if (
        only is not None and asked.field not in NUMBERS
    ):  # of numbers there are few, and they are counted right
        terms |= {"include": only, "segment_size": len(only)}
    found: Answer = {"terms": terms}
    if asked.within is not None:
        found["aggs"] = {"within": _aggregation(asked.within)}
    return found


def _counts(asked: Tally, answer: Answer, surer: Answer | None = None) -> Counts:
    total = answer["sum_other_doc_count"] + sum(bucket["doc_count"] for bucket in answer["buckets"])
    buckets = sorted((surer or answer)["buckets"], key=lambda bucket: _rank(asked, bucket))
    values = tuple(_counted(asked, bucket) for bucket in buckets[: _limit(asked)])
    return Counts(values, max(0, total - sum(value.count for value in values)))


def _counted(asked: Tally, bucket: Answer) -> Counted:
    value = str(int(bucket["key"])) if asked.field in NUMBERS else fact_value(bucket["key"])
    within = _counts(asked.within, bucket["within"]).values if asked.within is not None else ()
    return Counted(value, int(bucket["doc_count"]), within)


def _rank(asked: Tally, bucket: Answer) -> tuple[Any, ...]:
    """By value or by count; values with the same count in the order of their letters."""
    return (bucket["key"],) if asked.is_by_value else (-bucket["doc_count"], bucket["key"])


def _limit(asked: Tally) -> int:
    return max(1, min(asked.limit, MOST_VALUES))
