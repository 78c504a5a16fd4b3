"""Facet counts as Tantivy aggregations: how many documents have each value of a field.

Tantivy takes the most frequent values of each segment and adds them up, so a value that is frequent in one
segment and rare in another may be counted short. Where that is possible, the values that may be among the
most frequent (see `find_contenders`) are counted again.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial
from operator import itemgetter
from typing import Any, TypeVar

import tantivy

from windrow.errors import UsageError
from windrow.index.protocol import MAX_COUNTED_VALUES, TALLIED, FacetCounts, FacetRequest, ValueCount
from windrow.index.tantivy import clauses
from windrow.index.tantivy.layout import NUMBERS, fact_field, fact_value
from windrow.model.document_dates import ISSUED, YEAR, starting_year, year_label, year_of_day_number
from windrow.model.text.folding import fold

# The values that may be the most frequent, given the top values of each segment. Tantivy reports by how much
# a value may have been counted short. Values that could still reach the last wanted one are contenders; if
# the last returned value is not a contender, no other value is.

Answer = dict[str, Any]


def is_doubtful(found: Answer) -> bool:
    """Return whether a value may have been counted short."""
    return _shortage(found) > 0


def find_contenders(found: Answer, limit: int) -> list[Answer]:
    """Return the values that may be among the first `limit`, as far as they were returned."""
    buckets: list[Answer] = found["buckets"]
    if len(buckets) <= limit:
        return buckets
    least = buckets[limit - 1]["doc_count"] - _shortage(found)
    return [bucket for bucket in buckets if bucket["doc_count"] >= least]


def is_sure(found: Answer, limit: int) -> bool:
    """Return whether no other value than the returned ones may be among the first `limit`."""
    is_whole = not found.get("sum_other_doc_count")
    return is_whole or not is_doubtful(found) or len(find_contenders(found, limit)) < len(found["buckets"])


def correct_counts(found: Answer, buckets: Sequence[Answer], counts: Sequence[int]) -> None:
    """Replace values and counts in a result, keeping the total of all values."""
    total = total_count(found)
    found["buckets"] = [{**bucket, "doc_count": count} for bucket, count in zip(buckets, counts, strict=True)]
    found["sum_other_doc_count"] = total - sum(counts)


def total_count(found: Answer) -> int:
    """Return the sum of the counts of all values."""
    others = found.get("sum_other_doc_count") or 0
    return int(others + sum([bucket["doc_count"] for bucket in found["buckets"]]))


def _shortage(found: Answer) -> int:
    return int(found.get("doc_count_error_upper_bound") or 0)


MIN_SEGMENT_VALUES = 200  # values added up per segment …
# … but fewer where a few values have most of the documents, and many if those prove insufficient.
SKEWED, MIN_SKEWED_VALUES, ENOUGH_OF_SKEWED = ("subject", "keyword", "partners"), 50, 2000
SPARE = 5  # factor on the wanted number of values
GIVEN = 4  # factor on the wanted number: a value counted short may come last and yet be among the first
MAX_SINGLE_COUNTS = 100  # values counted again individually, the fastest way for so few
# Fields with so few values that all are added up, and those nested in them are counted at once.
FEW = (
    *("institution", "department", "unit", "holding", "missing"),
    *("period", "kind", "intensity", "event_language"),
    *("type", "language", "source", "set", "filled", "initial", "media", "size"),
)
FEW_VALUES = 1000
DEEPEST = 3  # levels of nested facets
_TOO_MUCH = "bucket limit"  # in Tantivy's error for too many values in one response

K = TypeVar("K", bound=Hashable)


def count_facets(
    searcher: tantivy.Searcher,
    question: tantivy.Query,
    tallies: Sequence[FacetRequest],
    *,
    is_of_all: bool = False,
) -> tuple[FacetCounts, ...]:
    """Count the documents that a query finds, once for each facet; `is_of_all` if it finds all documents."""
    for each in tallies:
        _check(each)
    try:
        return _tally(searcher, question, tallies, is_of_all=is_of_all)
    except ValueError as exc:
        if _TOO_MUCH not in str(exc):
            raise
        return tuple(_piece_by_piece(searcher, question, each) for each in tallies)


def _tally(
    searcher: tantivy.Searcher, question: tantivy.Query, tallies: Sequence[FacetRequest], *, is_of_all: bool
) -> tuple[FacetCounts, ...]:
    first = _ask(searcher, question, {place: _first_request(each) for place, each in enumerate(tallies)})
    first |= _ask(searcher, question, _wider(tallies, first))
    again = {
        place: _aggregation(each, only=_keys(first[place]) if _is_cut(first[place]) else None)
        for place, each in enumerate(tallies)
        if first[place]["buckets"] and _is_asked_again(each, first[place])
    }
    doubtful = {
        place: find_contenders(first[place], _limit(each))
        for place, each in enumerate(tallies)
        if place not in again and is_doubtful(first[place])
    }
    if is_of_all:
        surer = _ask(searcher, question, again)
        recounted = {place: _count_all(searcher, tallies[place], each) for place, each in doubtful.items()}
    else:
        surer, recounted = _ask_again(searcher, question, again, _filters(tallies, doubtful))
    for place, counts in recounted.items():
        correct_counts(first[place], doubtful[place], counts)
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
    """Run all second requests in one pass: aggregations, and counts of single values."""
    singly = {(place, nth): each for place, some in filters.items() for nth, each in enumerate(some)}
    answer = _ask(searcher, question, {**{(place, -1): each for place, each in again.items()}, **singly})
    counts = {
        place: [int(answer[place, nth]["doc_count"]) for nth in range(len(some))]
        for place, some in filters.items()
    }
    return {place: answer[place, -1] for place in again}, counts


def _wider(tallies: Sequence[FacetRequest], first: dict[int, Answer]) -> dict[int, Answer]:
    """Return requests with more values per segment, where others may be among the most frequent."""
    return {
        place: _flat(each, ENOUGH_OF_SKEWED)
        for place, each in enumerate(tallies)
        if _is_spared(each) and each.field in SKEWED and not is_sure(first[place], _limit(each))
    }


def _is_asked_again(asked: FacetRequest, found: Answer) -> bool:
    """Return whether all values of all documents are counted once more."""
    if asked.within is not None:
        return asked.field not in NUMBERS or is_doubtful(found)
    return is_doubtful(found) and len(found["buckets"]) > MAX_SINGLE_COUNTS


def _is_cut(found: Answer) -> bool:
    """Return whether there are more values than were returned: then naming the wanted ones is faster."""
    return is_doubtful(found) or bool(found.get("sum_other_doc_count"))


def _filters(tallies: Sequence[FacetRequest], doubtful: dict[int, list[Answer]]) -> dict[int, list[Answer]]:
    return {
        place: [{"filter": _named(tallies[place], bucket)} for bucket in buckets]
        for place, buckets in doubtful.items()
    }


def _count_all(searcher: tantivy.Searcher, asked: FacetRequest, buckets: Sequence[Answer]) -> list[int]:
    """Count values among all documents: a search per value takes a fifth of the time."""
    values = (clauses.term(fact_field(asked.field), bucket["key"]) for bucket in buckets)
    results: list[Any] = [searcher.search(clauses.unscored(each), 1, count=True) for each in values]
    return [int(result.count) for result in results]


def _named(asked: FacetRequest, bucket: Answer) -> str:
    """Return a value in Tantivy's query syntax, where it must be quoted."""
    text = bucket["key"].replace("\\", "\\\\").replace('"', '\\"')
    return f'{fact_field(asked.field)}:"{text}"'


def _keys(found: Answer) -> list[Any]:
    return [bucket["key"] for bucket in found["buckets"]]


def _piece_by_piece(searcher: tantivy.Searcher, question: tantivy.Query, asked: FacetRequest) -> FacetCounts:
    """Count in steps what is too much for one response: first the values, then within each."""
    (outer,) = count_facets(searcher, question, [asked._replace(within=None)])
    if asked.within is None:
        return outer
    values = []
    for value, count, _ in outer.values:
        inside = clauses.all_of([question, _having(asked, value)])
        values.append(ValueCount(value, count, count_facets(searcher, inside, [asked.within])[0].values))
    return FacetCounts(tuple(values), outer.others)


def _having(asked: FacetRequest, value: str) -> tantivy.Query:
    if not asked.starts:
        return clauses.fact(asked.field, value)
    first = (starting_year(value) or 0) * YEAR + asked.starts
    return clauses.numbers(ISSUED, first, first + YEAR - 1)


def _check(asked: FacetRequest, depth: int = 1) -> None:
    if asked.field not in TALLIED:
        raise UsageError(f"{asked.field} cannot be counted; what can: {', '.join(TALLIED)}")
    if asked.within is not None:
        if depth == DEEPEST:
            raise UsageError("tallies lie too deep within one another")
        _check(asked.within, depth + 1)


def _first_request(asked: FacetRequest) -> Answer:
    """Return the first request, without nested values, many of which will not be wanted."""
    if asked.field in NUMBERS:
        return _aggregation(asked)
    return _flat(asked, MIN_SKEWED_VALUES if asked.field in SKEWED else MIN_SEGMENT_VALUES)


def _flat(asked: FacetRequest, least: int) -> Answer:
    """Return the request for the values without nested ones."""
    found = _aggregation(asked._replace(within=None), least=least)
    if _is_spared(asked):
        found["terms"]["size"] = min(_limit(asked) * GIVEN, MAX_SINGLE_COUNTS)
    return found


def _is_spared(asked: FacetRequest) -> bool:
    """Return whether more values are requested than wanted: where few are wanted and counts may be short."""
    return _limit(asked) < MAX_SINGLE_COUNTS and not (asked.is_by_value or asked.field in FEW)


def _aggregation(
    asked: FacetRequest, *, only: list[Any] | None = None, least: int = MIN_SEGMENT_VALUES
) -> Answer:
    limit = _limit(asked)
    if asked.starts:
        return _histogram(asked)
    terms: Answer = {"field": fact_field(asked.field), "size": limit}
    if asked.is_by_value:
        terms["order"] = {"_key": "asc"}
    else:
        terms["segment_size"] = max(limit * SPARE, FEW_VALUES if asked.field in (*FEW, *NUMBERS) else least)
    if asked.field not in NUMBERS and (asked.prefix or asked.is_flat):
        terms["include"] = clauses.of_start(fold(asked.prefix), is_flat=asked.is_flat)
    if only is not None and asked.field not in NUMBERS:  # numbers have few values, and their counts are exact
        terms |= {"include": only, "segment_size": len(only)}
    found: Answer = {"terms": terms}
    if asked.within is not None:
        found["aggs"] = {"within": _aggregation(asked.within)}
    return found


def _histogram(asked: FacetRequest) -> Answer:
    """Count years that begin on another day, from days as numbers in which all years have equal length."""
    found: Answer = {
        "histogram": {"field": ISSUED, "interval": YEAR, "offset": asked.starts, "min_doc_count": 1}
    }
    if asked.within is not None:
        found["aggs"] = {"within": _aggregation(asked.within)}
    return found


def with_year_start(asked: FacetRequest, starts: int) -> FacetRequest:
    """Return a facet whose years, including nested ones, begin on this day."""
    within = None if asked.within is None else with_year_start(asked.within, starts)
    if asked.field == "year" or within != asked.within:
        return asked._replace(starts=starts if asked.field == "year" else 0, within=within)
    return asked


def _counts(asked: FacetRequest, answer: Answer, surer: Answer | None = None) -> FacetCounts:
    buckets = sorted((surer or answer)["buckets"], key=_BY_VALUE if asked.is_by_value else _by_count)
    values = _counted(asked, buckets[: _limit(asked)])
    return FacetCounts(values, max(0, total_count(answer) - sum([count for _, count, _ in values])))


def _counted(asked: FacetRequest, buckets: Sequence[Answer]) -> tuple[ValueCount, ...]:
    """Return the values of a facet. A hot path: page counts within years have thousands of values."""
    read, inner = _number if asked.field in NUMBERS else fact_value, asked.within
    if asked.starts:
        read = partial(_year, starts=asked.starts)
    if inner is None:
        return tuple([ValueCount(read(bucket["key"]), bucket["doc_count"]) for bucket in buckets])
    return tuple(
        ValueCount(read(bucket["key"]), bucket["doc_count"], _counts(inner, bucket["within"]).values)
        for bucket in buckets
    )


def _number(key: float) -> str:
    return str(int(key))


def _year(key: float, *, starts: int) -> str:
    return year_label(year_of_day_number(int(key), starts), starts)


_BY_VALUE = itemgetter("key")


def _by_count(bucket: Answer) -> tuple[int, Any]:
    """Sort by count; values with the same count alphabetically."""
    return -bucket["doc_count"], bucket["key"]


def _limit(asked: FacetRequest) -> int:
    return max(1, min(asked.limit, MAX_COUNTED_VALUES))


# The most frequent values of all documents of a large index, computed once by the writer instead of by each
# reader. Finding them among many thousand values takes a tenth of a second per million documents, which every
# first visitor after a change would have to wait for.

MIN_RECORDS = 50_000  # with fewer, the delay is negligible
MAX_SUMMED = 50  # per field

Note = dict[str, Any]


def summarise(searcher: tantivy.Searcher, *, commits: int) -> Note:
    """Compute the summary of a committed state; `commits` identifies it. The result is stored as JSON."""
    asked = [FacetRequest(field, MAX_SUMMED) for field in SKEWED]
    found = count_facets(searcher, clauses.everything(), asked, is_of_all=True)
    fields = {
        each.field: {"values": [[one.value, one.count] for one in counts.values], "others": counts.others}
        for each, counts in zip(asked, found, strict=True)
    }
    return {"commits": commits, "records": searcher.num_docs, "fields": fields}


class Summary:
    """Answers facets of all documents from the writer's summary, if it belongs to the same state."""

    def __init__(self, read: Callable[[], Note] = dict, *, commits: int = 0, records: int = 0) -> None:
        self._read = read
        self._state = (commits, records)
        self._known: dict[str, FacetCounts] = {}

    def answer(self, asked: FacetRequest) -> FacetCounts | None:
        """Return the counts of a facet over all documents; None if they are not in the summary."""
        if (
            asked.field not in SKEWED
            or asked.limit > MAX_SUMMED
            or asked != FacetRequest(asked.field, asked.limit)
        ):
            return None
        if not self._known:
            self._known = self._find()
        known = self._known.get(asked.field)
        return None if known is None else _first_values(known, max(1, asked.limit))

    def _find(self) -> dict[str, FacetCounts]:
        found = self._read()
        if (found.get("commits"), found.get("records")) != self._state:
            return {}
        try:
            return {field: _counts_from_note(noted) for field, noted in found["fields"].items()}
        except (LookupError, TypeError, ValueError, AttributeError):  # written by another version
            return {}


def _counts_from_note(noted: Note) -> FacetCounts:
    values = tuple(ValueCount(str(value), int(count)) for value, count in noted["values"])
    return FacetCounts(values, int(noted["others"]))


def _first_values(counts: FacetCounts, limit: int) -> FacetCounts:
    left_out = sum(each.count for each in counts.values[limit:])
    return FacetCounts(counts.values[:limit], counts.others + left_out)
