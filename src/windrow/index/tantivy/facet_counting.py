"""Tallies as aggregations of Tantivy's: how many documents have each value of a field.

Tantivy takes the most frequent values of each segment and adds them up, so that one may be counted short that
is frequent in one segment and rare in another. Where that can be, those that may be among the most frequent
(see `contenders`) are counted once more.
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

# Which values may be the most frequent ones, where each segment of an index named only its own. Pure.
# Below `tallying`. Tantivy says by how much a value may have been counted short: whatever could still
# reach the last of the wanted ones is a contender, and if that cannot be said of the last value that was
# given, then nobody else is one.

Answer = dict[str, Any]


def is_doubtful(found: Answer) -> bool:
    """Return whether a value may have been counted short."""
    return _shortage(found) > 0


def find_contenders(found: Answer, limit: int) -> list[Answer]:
    """The values that may be among the first so many, as far as they were given."""
    buckets: list[Answer] = found["buckets"]
    if len(buckets) <= limit:
        return buckets
    least = buckets[limit - 1]["doc_count"] - _shortage(found)
    return [bucket for bucket in buckets if bucket["doc_count"] >= least]


def is_sure(found: Answer, limit: int) -> bool:
    """Return whether no other value than those that were given may be among the first so many."""
    is_whole = not found.get("sum_other_doc_count")
    return is_whole or not is_doubtful(found) or len(find_contenders(found, limit)) < len(found["buckets"])


def correct_counts(found: Answer, buckets: Sequence[Answer], counts: Sequence[int]) -> None:
    """Let these be the values, with these counts; how many there are of all together stays what it was."""
    total = total_count(found)
    found["buckets"] = [{**bucket, "doc_count": count} for bucket, count in zip(buckets, counts, strict=True)]
    found["sum_other_doc_count"] = total - sum(counts)


def total_count(found: Answer) -> int:
    """How often any value was counted."""
    others = found.get("sum_other_doc_count") or 0
    return int(others + sum([bucket["doc_count"] for bucket in found["buckets"]]))


def _shortage(found: Answer) -> int:
    return int(found.get("doc_count_error_upper_bound") or 0)


MIN_SEGMENT_VALUES = 200  # values of each segment that are added up …
# … but fewer where few values have most of the documents, and many where those turn out not to be enough.
SKEWED, MIN_SKEWED_VALUES, ENOUGH_OF_SKEWED = ("subject", "keyword", "partners"), 50, 2000
SPARE = 5  # times as many of each as are wanted
GIVEN = 4  # times as many as are wanted: what was counted short may come last, and yet be one of the first
MAX_SINGLE_COUNTS = 100  # values that are counted again each by itself: for so few that is the quickest
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


def count_facets(
    searcher: tantivy.Searcher,
    question: tantivy.Query,
    tallies: Sequence[FacetRequest],
    *,
    is_of_all: bool = False,
) -> tuple[FacetCounts, ...]:
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
    """Ask for all that is asked once more, in one pass: answers, and counts of single values."""
    singly = {(place, nth): each for place, some in filters.items() for nth, each in enumerate(some)}
    answer = _ask(searcher, question, {**{(place, -1): each for place, each in again.items()}, **singly})
    counts = {
        place: [int(answer[place, nth]["doc_count"]) for nth in range(len(some))]
        for place, some in filters.items()
    }
    return {place: answer[place, -1] for place in again}, counts


def _wider(tallies: Sequence[FacetRequest], first: dict[int, Answer]) -> dict[int, Answer]:
    """What is asked with more values of each segment, because others may be among the most frequent."""
    return {
        place: _flat(each, ENOUGH_OF_SKEWED)
        for place, each in enumerate(tallies)
        if _is_spared(each) and each.field in SKEWED and not is_sure(first[place], _limit(each))
    }


def _is_asked_again(asked: FacetRequest, found: Answer) -> bool:
    """Return whether all values of all documents are gone through once more."""
    if asked.within is not None:
        return asked.field not in NUMBERS or is_doubtful(found)
    return is_doubtful(found) and len(found["buckets"]) > MAX_SINGLE_COUNTS


def _is_cut(found: Answer) -> bool:
    """Return whether there are more values than were given: then it is quicker to name those that are wanted."""
    return is_doubtful(found) or bool(found.get("sum_other_doc_count"))


def _filters(tallies: Sequence[FacetRequest], doubtful: dict[int, list[Answer]]) -> dict[int, list[Answer]]:
    """Each of a few values, to be counted by itself."""
    return {
        place: [{"filter": _named(tallies[place], bucket)} for bucket in buckets]
        for place, buckets in doubtful.items()
    }


def _count_all(searcher: tantivy.Searcher, asked: FacetRequest, buckets: Sequence[Answer]) -> list[int]:
    """The same among all documents: going through those of each value takes a fifth of the time."""
    values = (clauses.term(fact_field(asked.field), bucket["key"]) for bucket in buckets)
    results: list[Any] = [searcher.search(clauses.unscored(each), 1, count=True) for each in values]
    return [int(result.count) for result in results]


def _named(asked: FacetRequest, bucket: Answer) -> str:
    """A value in Tantivy's own language of queries, in quotation marks, which it wants here."""
    text = bucket["key"].replace("\\", "\\\\").replace('"', '\\"')
    return f'{fact_field(asked.field)}:"{text}"'


def _keys(found: Answer) -> list[Any]:
    return [bucket["key"] for bucket in found["buckets"]]


def _piece_by_piece(searcher: tantivy.Searcher, question: tantivy.Query, asked: FacetRequest) -> FacetCounts:
    """What is too much to be given at once: the values first, and then inside each of them."""
    (outer,) = count_facets(searcher, question, [asked._replace(within=None)])
    if asked.within is None:
        return outer
    values = []
    for value, count, _ in outer.values:
        inside = clauses.all_of([question, _having(asked, value)])
        values.append(ValueCount(value, count, count_facets(searcher, inside, [asked.within])[0].values))
    return FacetCounts(tuple(values), outer.others)


def _having(asked: FacetRequest, value: str) -> tantivy.Query:
    """The documents with a value of a tally."""
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
    """What is asked first: not what lies inside values, of which many will not be wanted."""
    if asked.field in NUMBERS:
        return _aggregation(asked)
    return _flat(asked, MIN_SKEWED_VALUES if asked.field in SKEWED else MIN_SEGMENT_VALUES)


def _flat(asked: FacetRequest, least: int) -> Answer:
    """The values without what lies inside them."""
    found = _aggregation(asked._replace(within=None), least=least)
    if _is_spared(asked):
        found["terms"]["size"] = min(_limit(asked) * GIVEN, MAX_SINGLE_COUNTS)
    return found


def _is_spared(asked: FacetRequest) -> bool:
    """Return whether more values are asked for than are wanted: of few, and where they may be doubtful."""
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
    if (
        only is not None and asked.field not in NUMBERS
    ):  # of numbers there are few, and they are counted right
        terms |= {"include": only, "segment_size": len(only)}
    found: Answer = {"terms": terms}
    if asked.within is not None:
        found["aggs"] = {"within": _aggregation(asked.within)}
    return found


def _histogram(asked: FacetRequest) -> Answer:
    """Years that begin on a day of their own: of days as numbers, each year is as long as the other."""
    found: Answer = {
        "histogram": {"field": ISSUED, "interval": YEAR, "offset": asked.starts, "min_doc_count": 1}
    }
    if asked.within is not None:
        found["aggs"] = {"within": _aggregation(asked.within)}
    return found


def with_year_start(asked: FacetRequest, starts: int) -> FacetRequest:
    """Return a tally whose years, and those within it, begin on this day."""
    within = None if asked.within is None else with_year_start(asked.within, starts)
    if asked.field == "year" or within != asked.within:
        return asked._replace(starts=starts if asked.field == "year" else 0, within=within)
    return asked


def _counts(asked: FacetRequest, answer: Answer, surer: Answer | None = None) -> FacetCounts:
    buckets = sorted((surer or answer)["buckets"], key=_BY_VALUE if asked.is_by_value else _by_count)
    values = _counted(asked, buckets[: _limit(asked)])
    return FacetCounts(values, max(0, total_count(answer) - sum([count for _, count, _ in values])))


def _counted(asked: FacetRequest, buckets: Sequence[Answer]) -> tuple[ValueCount, ...]:
    """The values of a tally. A hot path: page counts within years come to thousands of them."""
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
    """Values with the same count in the order of their letters."""
    return -bucket["doc_count"], bucket["key"]


def _limit(asked: FacetRequest) -> int:
    return max(1, min(asked.limit, MAX_COUNTED_VALUES))


# What all documents of a large index have most often, worked out once by its writer and not by each
# reader.
# Between `writing`, which has it made whenever it has brought an index up to date, and `searching`. To
# find the most used of many thousand values takes going through all of them: a tenth of a second a
# million documents, and every first visitor after a change would wait for it.

MIN_RECORDS = 50_000  # of fewer, nobody notices
MAX_SUMMED = 50  # values of a field

Note = dict[str, Any]


def summarise(searcher: tantivy.Searcher, *, commits: int) -> Note:
    """Work it out for the state that a writer has committed for the so manieth time; to be kept as JSON."""
    asked = [FacetRequest(field, MAX_SUMMED) for field in SKEWED]
    found = count_facets(searcher, clauses.everything(), asked, is_of_all=True)
    fields = {
        each.field: {"values": [[one.value, one.count] for one in counts.values], "others": counts.others}
        for each, counts in zip(asked, found, strict=True)
    }
    return {"commits": commits, "records": searcher.num_docs, "fields": fields}


class Summary:
    """Answers tallies of all documents from what a writer noted, once it is there and of the same state."""

    def __init__(self, read: Callable[[], Note] = dict, *, commits: int = 0, records: int = 0) -> None:
        self._read = read
        self._state = (commits, records)
        self._known: dict[str, FacetCounts] = {}

    def answer(self, asked: FacetRequest) -> FacetCounts | None:
        """Return what a tally of all documents comes to; None where that was not worked out."""
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
        except (LookupError, TypeError, ValueError, AttributeError):  # a note that others made otherwise
            return {}


def _counts_from_note(noted: Note) -> FacetCounts:
    values = tuple(ValueCount(str(value), int(count)) for value, count in noted["values"])
    return FacetCounts(values, int(noted["others"]))


def _first_values(counts: FacetCounts, limit: int) -> FacetCounts:
    left_out = sum(each.count for each in counts.values[limit:])
    return FacetCounts(counts.values[:limit], counts.others + left_out)
