"""Tallies as aggregations of Tantivy's: how many documents have each value of a field.

Tantivy takes the most frequent values of each segment and adds them up, so that one may be counted short that
is frequent in one segment and rare in another. Where that can be, the values it named are counted once more.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter
from typing import Any

import tantivy

from windrow.errors import UsageError
from windrow.index import asking, patterns
from windrow.index.layout import NUMBERS, fact_field
from windrow.index.protocol import MOST_VALUES, TALLIED, Counted, Counts, Tally
from windrow.index.tokens import fact_value
from windrow.model.folding import fold

LEAST_OF_SEGMENT = 200  # values of each segment that are added up
SPARE = 5  # times as many of each as are wanted
MOST_SINGLY = 100  # values that are counted again each by itself: for so few that is the quickest
# Fields with so few values that all of them are added up: what is counted inside them is counted at once.
FEW = ("institution", "department", "type", "language", "source", "set", "filled", "initial", "media", "size")
FEW_VALUES = 1000
DEEPEST = 3  # tallies within tallies
_TOO_MUCH = "bucket limit"  # what Tantivy says of more values than it likes to give at once

Answer = dict[str, Any]


def tally(
    searcher: tantivy.Searcher, question: tantivy.Query, tallies: Sequence[Tally], *, is_of_all: bool = False
) -> tuple[Counts, ...]:
    """Count the documents that a question finds, once for each tally; `is_of_all` if it finds every one."""
    for each in tallies:
        _check(each)
    try:
        first = _ask(searcher, question, {place: _first(each) for place, each in enumerate(tallies)})
        again = {
            place: _aggregation(each, only=_keys(first[place]) if _is_cut(first[place]) else None)
            for place, each in enumerate(tallies)
            if first[place]["buckets"] and _is_asked_again(each, first[place])
        }
        surer = _ask(searcher, question, again)
    except ValueError as exc:
        if _TOO_MUCH not in str(exc):
            raise
        return tuple(_piece_by_piece(searcher, question, each) for each in tallies)
    for place, each in enumerate(tallies):
        if place not in surer and _is_doubtful(first[place]):
            recount = _recount_all if is_of_all else _recount
            recount(searcher, question, each, first[place])
    return tuple(_counts(each, first[place], surer.get(place)) for place, each in enumerate(tallies))


def _ask(searcher: tantivy.Searcher, question: tantivy.Query, asked: dict[int, Answer]) -> dict[int, Answer]:
    if not asked:
        return {}
    answer = searcher.aggregate(question, {str(place): each for place, each in asked.items()})
    return {int(place): found for place, found in answer.items()}


def _is_asked_again(asked: Tally, found: Answer) -> bool:
    """Whether all values of all documents are gone through once more."""
    if asked.within is not None:
        return asked.field not in NUMBERS or _is_doubtful(found)
    return _is_doubtful(found) and len(found["buckets"]) > MOST_SINGLY


def _is_cut(found: Answer) -> bool:
    """Whether there are more values than were given: then it is quicker to name those that are wanted."""
    return _is_doubtful(found) or bool(found.get("sum_other_doc_count"))


def _is_doubtful(found: Answer) -> bool:
    return bool(found.get("doc_count_error_upper_bound"))


def _recount(searcher: tantivy.Searcher, question: tantivy.Query, asked: Tally, found: Answer) -> None:
    """Count each of a few values by itself; how many there are of all together stays what it was."""
    buckets = found["buckets"]
    filters = {str(place): {"filter": _named(asked, bucket)} for place, bucket in enumerate(buckets)}
    answer = searcher.aggregate(question, filters)
    _correct(found, [int(answer[str(place)]["doc_count"]) for place in range(len(buckets))])


def _recount_all(searcher: tantivy.Searcher, _: tantivy.Query, asked: Tally, found: Answer) -> None:
    """The same among all documents: going through those of each value takes a fifth of the time."""
    values = (asking.term(fact_field(asked.field), bucket["key"]) for bucket in found["buckets"])
    results: list[Any] = [searcher.search(asking.unscored(each), 1, count=True) for each in values]
    _correct(found, [int(result.count) for result in results])


def _correct(found: Answer, counts: Sequence[int]) -> None:
    total = _total(found)
    for bucket, count in zip(found["buckets"], counts, strict=True):
        bucket["doc_count"] = count
    found["sum_other_doc_count"] = total - sum(counts)


def _named(asked: Tally, bucket: Answer) -> str:
    """A value in Tantivy's own language of queries, in quotation marks, which it wants here."""
    text = bucket["key"].replace("\\", "\\\\").replace('"', '\\"')
    return f'{fact_field(asked.field)}:"{text}"'


def _total(found: Answer) -> int:
    return int(found["sum_other_doc_count"] + sum([bucket["doc_count"] for bucket in found["buckets"]]))


def _keys(found: Answer) -> list[Any]:
    return [bucket["key"] for bucket in found["buckets"]]


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


def _first(asked: Tally) -> Answer:
    """What is asked first: not what lies inside values, of which many will not be wanted."""
    return _aggregation(asked if asked.field in NUMBERS else asked._replace(within=None))


def _aggregation(asked: Tally, *, only: list[Any] | None = None) -> Answer:
    limit = _limit(asked)
    terms: Answer = {"field": fact_field(asked.field), "size": limit}
    if asked.is_by_value:
        terms["order"] = {"_key": "asc"}
    else:
        least = FEW_VALUES if asked.field in (*FEW, *NUMBERS) else LEAST_OF_SEGMENT
        terms["segment_size"] = max(limit * SPARE, least)
    if asked.field not in NUMBERS and (asked.prefix or asked.is_flat):
        terms["include"] = patterns.of_start(fold(asked.prefix), is_flat=asked.is_flat)
    if (
        only is not None and asked.field not in NUMBERS
    ):  # of numbers there are few, and they are counted right
        terms |= {"include": only, "segment_size": len(only)}
    found: Answer = {"terms": terms}
    if asked.within is not None:
        found["aggs"] = {"within": _aggregation(asked.within)}
    return found


def _counts(asked: Tally, answer: Answer, surer: Answer | None = None) -> Counts:
    buckets = sorted((surer or answer)["buckets"], key=_BY_VALUE if asked.is_by_value else _by_count)
    values = _counted(asked, buckets[: _limit(asked)])
    return Counts(values, max(0, _total(answer) - sum([count for _, count, _ in values])))


def _counted(asked: Tally, buckets: Sequence[Answer]) -> tuple[Counted, ...]:
    """The values of a tally. A hot path: page counts within years come to thousands of them."""
    read, inner = _number if asked.field in NUMBERS else fact_value, asked.within
    if inner is None:
        return tuple([Counted(read(bucket["key"]), bucket["doc_count"]) for bucket in buckets])
    return tuple(
        Counted(read(bucket["key"]), bucket["doc_count"], _counts(inner, bucket["within"]).values)
        for bucket in buckets
    )


def _number(key: float) -> str:
    return str(int(key))


_BY_VALUE = itemgetter("key")


def _by_count(bucket: Answer) -> tuple[int, Any]:
    """Values with the same count in the order of their letters."""
    return -bucket["doc_count"], bucket["key"]


def _limit(asked: Tally) -> int:
    return max(1, min(asked.limit, MOST_VALUES))
