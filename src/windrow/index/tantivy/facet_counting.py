"""Tallies as aggregations of Tantivy's: how many documents have each value of a field.

Tantivy takes the most frequent values of each segment and adds them up, so that one may be counted short that
is frequent in one segment and rare in another. Where that can be, those that may be among the most frequent
(see `contenders`) are counted once more.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from functools import partial
from operator import itemgetter
from typing import Any, TypeVar

import tantivy

from windrow.errors import UsageError
from windrow.index import asking, patterns
from windrow.index.contenders import Answer, contenders, correct, is_doubtful, is_sure, total_of
from windrow.index.layout import NUMBERS, fact_field
from windrow.index.protocol import MOST_VALUES, TALLIED, Counted, Counts, Tally
from windrow.index.tokens import fact_value
from windrow.model.academic_years import ISSUED, YEAR, first_year, label, year_in
from windrow.model.folding import fold

LEAST_OF_SEGMENT = 200  # values of each segment that are added up …
# … but fewer where few values have most of the documents, and many where those turn out not to be enough.
SKEWED, LEAST_OF_SKEWED, ENOUGH_OF_SKEWED = ("subject", "keyword", "partners"), 50, 2000
SPARE = 5  # times as many of each as are wanted
GIVEN = 4  # times as many as are wanted: what was counted short may come last, and yet be one of the first
MOST_SINGLY = 100  # values that are counted again each by itself: for so few that is the quickest
# Fields with so few values that all of them are added up: what is counted inside them is counted at once.
FEW = (
    *("institution", "department", "unit", "holding", "missing"),
    *("period", "kind", "intensity", "event_language"),
    *("type", "language", "source", "set", "filled", "initial", "media", "size"),
)
FEW_VALUES = 1000
DEEPEST = 3  # tallies within tallies
_TOO_MUCH = "bucket limit"  # what Tantivy says of more values than it likes to give at once

K = TypeVar("K", bound=Hashable)


def tally(
    searcher: tantivy.Searcher, question: tantivy.Query, tallies: Sequence[Tally], *, is_of_all: bool = False
) -> tuple[Counts, ...]:
    """Count the documents that a question finds, once for each tally; `is_of_all` if it finds every one."""
    for each in tallies:
        _check(each)
    try:
        return _tally(searcher, question, tallies, is_of_all=is_of_all)
    except ValueError as exc:
        if _TOO_MUCH not in str(exc):
            raise
        return tuple(_piece_by_piece(searcher, question, each) for each in tallies)


def _tally(
    searcher: tantivy.Searcher, question: tantivy.Query, tallies: Sequence[Tally], *, is_of_all: bool
) -> tuple[Counts, ...]:
    first = _ask(searcher, question, {place: _first(each) for place, each in enumerate(tallies)})
    first |= _ask(searcher, question, _wider(tallies, first))
    again = {
        place: _aggregation(each, only=_keys(first[place]) if _is_cut(first[place]) else None)
        for place, each in enumerate(tallies)
        if first[place]["buckets"] and _is_asked_again(each, first[place])
    }
    doubtful = {
        place: contenders(first[place], _limit(each))
        for place, each in enumerate(tallies)
        if place not in again and is_doubtful(first[place])
    }
    if is_of_all:
        surer = _ask(searcher, question, again)
        recounted = {place: _count_all(searcher, tallies[place], each) for place, each in doubtful.items()}
    else:
        surer, recounted = _ask_again(searcher, question, again, _filters(tallies, doubtful))
    for place, counts in recounted.items():
        correct(first[place], doubtful[place], counts)
    return tuple(_counts(each, first[place], surer.get(place)) for place, each in enumerate(tallies))


def _ask(searcher: tantivy.Searcher, question: tantivy.Query, asked: Mapping[K, Answer]) -> dict[K, Answer]:
    if not asked:
        return {}
    answer = searcher.aggregate(question, {str(place): each for place, each in enumerate(asked.values())})
    return {key: answer[str(place)] for place, key in enumerate(asked)}


def _ask_again(
    searcher: tantivy.Searcher,
    question: tantivy.Query,
    again: dict[int, Answer],
    filters: dict[int, list[Answer]],
) -> tuple[dict[int, Answer], dict[int, list[int]]]:
    """Ask for all that is asked once more, in one pass: answers, and counts of single values."""
    singly = {(place, nth): each for place, some in filters.items() for nth, each in enumerate(some)}
    answer = _ask(searcher, question, {**{(place, -1): each for place, each in again.items()}, **singly})
    counts = {
        place: [int(answer[place, nth]["doc_count"]) for nth in range(len(some))]
        for place, some in filters.items()
    }
    return {place: answer[place, -1] for place in again}, counts


def _wider(tallies: Sequence[Tally], first: dict[int, Answer]) -> dict[int, Answer]:
    """What is asked with more values of each segment, because others may be among the most frequent."""
    return {
        place: _flat(each, ENOUGH_OF_SKEWED)
        for place, each in enumerate(tallies)
        if _is_spared(each) and each.field in SKEWED and not is_sure(first[place], _limit(each))
    }


def _is_asked_again(asked: Tally, found: Answer) -> bool:
    """Whether all values of all documents are gone through once more."""
    if asked.within is not None:
        return asked.field not in NUMBERS or is_doubtful(found)
    return is_doubtful(found) and len(found["buckets"]) > MOST_SINGLY


def _is_cut(found: Answer) -> bool:
    """Whether there are more values than were given: then it is quicker to name those that are wanted."""
    return is_doubtful(found) or bool(found.get("sum_other_doc_count"))


def _filters(tallies: Sequence[Tally], doubtful: dict[int, list[Answer]]) -> dict[int, list[Answer]]:
    """Each of a few values, to be counted by itself."""
    return {
        place: [{"filter": _named(tallies[place], bucket)} for bucket in buckets]
        for place, buckets in doubtful.items()
    }


def _count_all(searcher: tantivy.Searcher, asked: Tally, buckets: Sequence[Answer]) -> list[int]:
    """The same among all documents: going through those of each value takes a fifth of the time."""
    values = (asking.term(fact_field(asked.field), bucket["key"]) for bucket in buckets)
    results: list[Any] = [searcher.search(asking.unscored(each), 1, count=True) for each in values]
    return [int(result.count) for result in results]


def _named(asked: Tally, bucket: Answer) -> str:
    """A value in Tantivy's own language of queries, in quotation marks, which it wants here."""
    text = bucket["key"].replace("\\", "\\\\").replace('"', '\\"')
    return f'{fact_field(asked.field)}:"{text}"'


def _keys(found: Answer) -> list[Any]:
    return [bucket["key"] for bucket in found["buckets"]]


def _piece_by_piece(searcher: tantivy.Searcher, question: tantivy.Query, asked: Tally) -> Counts:
    """What is too much to be given at once: the values first, and then inside each of them."""
    (outer,) = tally(searcher, question, [asked._replace(within=None)])
    if asked.within is None:
        return outer
    values = []
    for value, count, _ in outer.values:
        inside = asking.all_of([question, _having(asked, value)])
        values.append(Counted(value, count, tally(searcher, inside, [asked.within])[0].values))
    return Counts(tuple(values), outer.others)


def _having(asked: Tally, value: str) -> tantivy.Query:
    """The documents with a value of a tally."""
    if not asked.starts:
        return asking.fact(asked.field, value)
    first = (first_year(value) or 0) * YEAR + asked.starts
    return asking.numbers(ISSUED, first, first + YEAR - 1)


def _check(asked: Tally, depth: int = 1) -> None:
    if asked.field not in TALLIED:
        raise UsageError(f"{asked.field} cannot be counted; what can: {', '.join(TALLIED)}")
    if asked.within is not None:
        if depth == DEEPEST:
            raise UsageError("tallies lie too deep within one another")
        _check(asked.within, depth + 1)


def _first(asked: Tally) -> Answer:
    """What is asked first: not what lies inside values, of which many will not be wanted."""
    if asked.field in NUMBERS:
        return _aggregation(asked)
    return _flat(asked, LEAST_OF_SKEWED if asked.field in SKEWED else LEAST_OF_SEGMENT)


def _flat(asked: Tally, least: int) -> Answer:
    """The values without what lies inside them."""
    found = _aggregation(asked._replace(within=None), least=least)
    if _is_spared(asked):
        found["terms"]["size"] = min(_limit(asked) * GIVEN, MOST_SINGLY)
    return found


def _is_spared(asked: Tally) -> bool:
    """Whether more values are asked for than are wanted: of few, and where they may be doubtful."""
    return _limit(asked) < MOST_SINGLY and not (asked.is_by_value or asked.field in FEW)


def _aggregation(asked: Tally, *, only: list[Any] | None = None, least: int = LEAST_OF_SEGMENT) -> Answer:
    limit = _limit(asked)
    if asked.starts:
        return _histogram(asked)
    terms: Answer = {"field": fact_field(asked.field), "size": limit}
    if asked.is_by_value:
        terms["order"] = {"_key": "asc"}
    else:
        terms["segment_size"] = max(limit * SPARE, FEW_VALUES if asked.field in (*FEW, *NUMBERS) else least)
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


def _histogram(asked: Tally) -> Answer:
    """Years that begin on a day of their own: of days as numbers, each year is as long as the other."""
    found: Answer = {
        "histogram": {"field": ISSUED, "interval": YEAR, "offset": asked.starts, "min_doc_count": 1}
    }
    if asked.within is not None:
        found["aggs"] = {"within": _aggregation(asked.within)}
    return found


def dated(asked: Tally, starts: int) -> Tally:
    """Return a tally whose years, and those within it, begin on this day."""
    within = None if asked.within is None else dated(asked.within, starts)
    if asked.field == "year" or within != asked.within:
        return asked._replace(starts=starts if asked.field == "year" else 0, within=within)
    return asked


def _counts(asked: Tally, answer: Answer, surer: Answer | None = None) -> Counts:
    buckets = sorted((surer or answer)["buckets"], key=_BY_VALUE if asked.is_by_value else _by_count)
    values = _counted(asked, buckets[: _limit(asked)])
    return Counts(values, max(0, total_of(answer) - sum([count for _, count, _ in values])))


def _counted(asked: Tally, buckets: Sequence[Answer]) -> tuple[Counted, ...]:
    """The values of a tally. A hot path: page counts within years come to thousands of them."""
    read, inner = _number if asked.field in NUMBERS else fact_value, asked.within
    if asked.starts:
        read = partial(_year, starts=asked.starts)
    if inner is None:
        return tuple([Counted(read(bucket["key"]), bucket["doc_count"]) for bucket in buckets])
    return tuple(
        Counted(read(bucket["key"]), bucket["doc_count"], _counts(inner, bucket["within"]).values)
        for bucket in buckets
    )


def _number(key: float) -> str:
    return str(int(key))


def _year(key: float, *, starts: int) -> str:
    return label(year_in(int(key), starts), starts)


_BY_VALUE = itemgetter("key")


def _by_count(bucket: Answer) -> tuple[int, Any]:
    """Values with the same count in the order of their letters."""
    return -bucket["doc_count"], bucket["key"]


def _limit(asked: Tally) -> int:
    return max(1, min(asked.limit, MOST_VALUES))
