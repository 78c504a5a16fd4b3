"""`TantivyIndex`: one immutable state of an index, searched and counted as `protocol` defines."""

from __future__ import annotations

import binascii
import math
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from functools import partial
from heapq import merge
from itertools import islice
from typing import Any, NamedTuple

import tantivy

from windrow.errors import UsageError
from windrow.index.protocol import (
    EVERYTHING,
    MAX_COUNTED_VALUES,
    MAX_OFFSET,
    MAX_SORTED_RESULTS,
    NUMERIC,
    QUICK_MICROSECONDS,
    Completion,
    Deferred,
    FacetCounts,
    FacetRequest,
    FoundDocuments,
    Hit,
    HitSummary,
    Order,
    ScanTerm,
    SortKey,
    Value,
    ValueCount,
    check_keys,
    check_total,
    is_quick_answer_wanted,
    sort_numbers,
    text_value,
)
from windrow.index.tantivy import clauses, suggestions
from windrow.index.tantivy.clauses import AnswerCache
from windrow.index.tantivy.damage import QueryGuard
from windrow.index.tantivy.facet_counting import Summary, count_facets, with_year_start
from windrow.index.tantivy.layout import (
    APART,
    CARD,
    CORE,
    DAY,
    DESCRIPTION,
    LONGEST,
    NEWEST,
    NUMBER,
    OLDEST,
    SIZE,
    TITLE_KEY,
    TITLE_START,
    fact_field,
    place_field,
    place_flag,
    title_start,
    unpack,
)
from windrow.index.tantivy.lexicon import WHOLE, Dictionaries, DocumentSubset, Lexicon, Scanner
from windrow.index.tantivy.query_costs import OWN, CostBudget, Estimator, TermStatisticsCache
from windrow.index.tantivy.rendering import Renderer
from windrow.index.tantivy.suggestions import Completer
from windrow.model.document_dates import resolve_years
from windrow.model.query import Query
from windrow.model.text.collation import collation, collation_language, title_sort_key

# Paging cursors: the start of the next page as an opaque text. Results ordered by a number continue after
# that number. Titles and results by relevance continue at an offset, counted from where it is easily found;
# the last document shown is included, so that the offset can be corrected when documents were added or
# removed.

_GREATEST = (1 << 63) - 2
_SHAPE = re.compile(
    r"([a-z]{1,12})-([0-9a-f]{1,16})-([0-9a-f]{1,16})(?:-([0-9A-Za-z_=-]{1,8000}))?", re.ASCII
)


class Cursor(NamedTuple):
    """Continue at this key of the order, `skip` documents further; without a key, from the first.

    `last` identifies the last document shown, depending on the order.
    """

    key: int | None
    skip: int
    last: str = ""


def write_cursor(order: Order, cursor: Cursor) -> str:
    last = urlsafe_b64encode(cursor.last.encode("utf-8", "surrogatepass")).decode()
    return f"{order}-{cursor.key or 0:x}-{cursor.skip:x}" + (f"-{last}" if last else "")


def read_cursor(text: str, order: Order) -> Cursor:
    """Parse a cursor; raise UsageError if no page returned it."""
    found = _SHAPE.fullmatch(text)
    if found is None or found[1] != order:
        raise _unknown(text)
    key, skip = int(found[2], 16), int(found[3], 16)
    try:
        last = urlsafe_b64decode(found[4] or "").decode("utf-8", "surrogatepass")
    except (binascii.Error, UnicodeError) as exc:
        raise _unknown(text) from exc
    return Cursor(min(key, _GREATEST), skip, last)


def cursor_score(cursor: Cursor) -> float:
    """Return the score of the last document shown; 0 if the cursor has none."""
    try:
        return float(cursor.last)
    except ValueError:
        return 0.0


def check_offset(offset: int) -> int:
    """Return the offset; raise UsageError if it is too deep."""
    if not 0 <= offset <= MAX_OFFSET:
        raise UsageError(
            f"results after the first {MAX_OFFSET:,} are not shown",
            hint="Narrow the search, sort it otherwise, or export the results.",
        )
    return offset


def _unknown(text: str) -> UsageError:
    return UsageError(
        f"no page of results gave {text[:40]!r} as its next", hint="Start again with the first page."
    )


# Correcting offsets after documents were added or removed since the previous page, so that none is skipped. A
# title is found by its place in the order. By relevance, the last document shown is looked up; if it is gone,
# its score determines the place, and documents of the same score may be repeated. Only if shown documents are
# changed meanwhile can others of the same score be skipped, because those are ordered by arrival.

_LATER = 1000  # documents that may have been added before the last one shown
_ASCENDING = tantivy.Order.Asc
_Hits = list[tuple[Any, tantivy.DocAddress]]


class _Titles:
    """The sort keys of some documents by title, as a sequence for bisection. Each access is a search."""

    def __init__(self, searcher: tantivy.Searcher, question: tantivy.Query, count: int) -> None:
        self._searcher = searcher
        self._question = question
        self._count = count

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, place: int) -> str:
        found = self._searcher.search(
            self._question, 1, count=False, order_by_field=TITLE_KEY, order=_ASCENDING, offset=place
        )
        return str(found.hits[0][0])


def count_up_to_title(searcher: tantivy.Searcher, question: tantivy.Query, count: int, last: str) -> int:
    """Return how many documents come up to and including a title key."""
    return bisect_right(_Titles(searcher, question, count), last)


def count_up_to_number(
    searcher: tantivy.Searcher, question: tantivy.Query, number: int, score: float, *, near: int
) -> int:
    """Return how many documents come up to and including this record; `near` is the previous number."""
    of_it = clauses.all_of([question, clauses.term(NUMBER, number)])
    itself = [_place(address) for _, address in searcher.search(of_it, 1, count=False).hits]
    shown: _Hits = searcher.search(question, min(near + _LATER, MAX_OFFSET), count=False).hits
    if not itself:
        return min(near, bisect_left([-each for each, _ in shown], -score))
    places = [_place(address) for _, address in shown]
    behind = places.index(itself[0]) + 1 if itself[0] in places else near
    # A changed document comes last of those with its score; they must not be skipped for it.
    is_among_equals = 0 < near <= len(shown) and shown[near - 1][0] == score
    return min(behind, near) if is_among_equals else behind


def _place(address: tantivy.DocAddress) -> tuple[int, int]:
    return address.segment_ord, address.doc


QUICK_SORTED = 3000  # results that may be sorted in quick mode
CACHED_TALLIES, CACHED_COUNTS, CACHED_CHECKS = 256, 1024, 1024
MAX_HITS = 1000  # per page
_UP, _DOWN = tantivy.Order.Asc, tantivy.Order.Desc
_SORTED = {  # the field that documents are sorted by, and the direction
    Order.NEWEST: (NEWEST, _DOWN),
    Order.OLDEST: (OLDEST, _UP),
    Order.PAGES: (LONGEST, _DOWN),
    Order.ADDED: (NUMBER, _DOWN),
    Order.NUMBER: (NUMBER, _UP),
}
# The fields with sortable values, where they are not the facet fields.
_PLACES = {"date": DAY, "added": NUMBER, "year": "year", "pages": "pages", "size": SIZE}


class TantivyIndex:
    """Searches one immutable state. Thread-safe, with caches.

    `on_failure` is called when its files turn out to be unreadable, before the error is raised.
    """

    def __init__(
        self,
        searcher: tantivy.Searcher,
        *,
        generation: str,
        on_failure: Callable[[], None] = lambda: None,
        before: TantivyIndex | None = None,
        summary: Summary | None = None,
        vocabularies: TermStatisticsCache | None = None,
        dictionaries: Dictionaries | None = None,
        budget: CostBudget = OWN,
        year_starts: int = 0,
    ) -> None:
        """`before` is the same state, opened earlier, whose caches are reused.

        `summary` is the writer's summary of all documents. A query that costs more than `budget` is refused
        with QueryTooCostly.
        """
        self._searcher = searcher
        self._generation = generation
        self._asking = QueryGuard(on_failure)
        self._summary = summary or Summary()
        self._lexicon = Lexicon(searcher)
        self._completer = Completer(searcher, self._lexicon.count)
        self._renderer = Renderer(self._lexicon.terms, self._lexicon.has_texts, self._rarity, self._exists)
        self._estimator = Estimator(searcher, vocabularies or TermStatisticsCache(), self._lexicon.has_texts)
        self._scanner = Scanner(searcher, dictionaries or Dictionaries(), generation, self._title)
        self.budget = budget
        self._year_starts = year_starts
        self._checked: AnswerCache[tuple[Query, CostBudget], float] = AnswerCache(CACHED_CHECKS)
        self._tallies: AnswerCache[tuple[Query, tuple[FacetRequest, ...]], tuple[FacetCounts, ...]] = (
            before._tallies if before else AnswerCache(CACHED_TALLIES)
        )
        self._counts: AnswerCache[Query, int] = before._counts if before else AnswerCache(CACHED_COUNTS)

    @property
    def generation(self) -> str:
        return self._generation

    @property
    def year_starts(self) -> int:
        return self._year_starts

    @property
    def records(self) -> int:
        return self._searcher.num_docs

    def count(self, query: Query) -> int:
        query = resolve_years(query, self._year_starts)
        if query == EVERYTHING:
            return self.records
        with self._asking:
            return self._counts.get(query, lambda: self._lexicon.count(self._unscored(query)))

    def newest(self) -> TantivyIndex:
        return self

    def numbers(
        self, query: Query, *, sort: Sequence[SortKey] = (), offset: int = 0, limit: int = 100
    ) -> list[int]:
        check_keys(sort)
        query = resolve_years(query, self._year_starts)
        if sort:
            total = self.count(query)
            check_total(total, MAX_SORTED_RESULTS)
            if total > QUICK_SORTED and is_quick_answer_wanted():
                raise Deferred
        with self._asking:
            if not sort:
                self._check(query)
                found = self._searcher.search(
                    self._renderer.rank(query), max(1, limit), count=False, offset=max(0, offset)
                )
                return self._numbers([address for _, address in found.hits])
            question = self._unscored(query)
            everything = [number for number, _ in self._valued(question, NUMBER, total)]
            found_values = partial(self._values_of, question, total)
            ordered = sort_numbers(everything, sort, found_values)
            return ordered[offset:] if limit < 0 else ordered[offset : offset + limit]

    def first_numbers(self, query: Query, limit: int) -> tuple[int, list[int]]:
        query = resolve_years(query, self._year_starts)
        with self._asking:
            self._check(query)
            found = self._searcher.search(self._renderer.rank(query), max(1, limit), count=True)
            total = int(found.count)  # type: ignore[attr-defined]
            return total, self._numbers([address for _, address in found.hits])

    def _values_of(self, question: tantivy.Query, total: int, field: str) -> dict[int, Value]:
        if field == "title":
            return self._titles_of(question, total)
        valued = self._valued(question, _PLACES.get(field) or fact_field(field), total)
        if field in NUMERIC:
            return {number: int(value) for number, value in valued}
        split = ((number, str(value).partition(APART)) for number, value in valued)
        return {number: text_value(folded, shown or folded) for number, (folded, _, shown) in split}

    def _titles_of(self, question: tantivy.Query, total: int) -> dict[int, Value]:
        """Read titles from the summaries: Tantivy takes twenty times as long if all values differ."""
        hits = self._searcher.search(
            question, max(1, total), count=False, order_by_field=NUMBER, order=_UP
        ).hits
        cards = (self._card(address) for _, address in hits)
        return {
            card.number: text_value(title_sort_key(card.title), card.title) for card in cards if card.title
        }

    def _title(self, number: int) -> str | None:
        card = self.card(number)
        return None if card is None else card.title

    def _valued(self, question: tantivy.Query, place: str, total: int) -> list[tuple[int, Any]]:
        """Return the record numbers of results with their values in a field, for those that have one."""
        hits = self._searcher.search(
            question, max(1, total), count=False, order_by_field=place, order=_UP
        ).hits
        held = [(value, address) for value, address in hits if value is not None]
        numbers = self._numbers([address for _, address in held])
        return [(number, value) for number, (value, _) in zip(numbers, held, strict=True)]

    def _numbers(self, addresses: list[tantivy.DocAddress]) -> list[int]:
        return [int(number or 0) for number in self._searcher.fast_field_values(NUMBER, addresses)]

    def scan(
        self,
        field: str | None,
        start: str,
        *,
        before: int = 0,
        limit: int = 20,
        is_whole: bool = False,
        query: Query = EVERYTHING,
    ) -> list[ScanTerm]:
        part = self._part(query)

        def numbers(name: str) -> list[tuple[str, int]]:
            found = self._lexicon.values(part, name, prefix="", after="", limit=MAX_COUNTED_VALUES)
            return [(value, count) for value, count, _ in found]

        with self._asking:
            return self._scanner.scan(
                field,
                start,
                before=before,
                limit=limit,
                is_whole=is_whole,
                part=None if part is WHOLE else part.found,
                numbers=numbers,
            )

    def search(
        self,
        query: Query,
        *,
        limit: int = 10,
        offset: int = 0,
        order: Order = Order.RELEVANCE,
        after: str | None = None,
        language: str = "",
    ) -> FoundDocuments:
        query = resolve_years(query, self._year_starts)
        own = collation_language(language) if order is Order.TITLE and after is None else ""
        with self._asking:
            if own:
                offset = check_offset(offset)
                return self._by_title_in(own, query, max(1, min(limit, MAX_HITS)), offset)
            return self._search(query, max(1, min(limit, MAX_HITS)), offset, order, after)

    def _search(
        self, query: Query, limit: int, offset: int, order: Order, after: str | None
    ) -> FoundDocuments:
        cursor = Cursor(None, check_offset(offset)) if after is None else read_cursor(after, order)
        if order is Order.RELEVANCE:
            return self._by_relevance(query, limit, cursor)
        return (
            self._by_title(query, limit, cursor)
            if order is Order.TITLE
            else self._sorted(query, order, limit, cursor)
        )

    def tally(self, query: Query, tallies: Sequence[FacetRequest]) -> tuple[FacetCounts, ...]:
        starts = self._year_starts
        asked = tuple([with_year_start(each, starts) for each in tallies] if starts else tallies)
        query = resolve_years(query, starts)
        with self._asking:
            return self._tallies.get((query, asked), lambda: self._tally(query, asked))

    def values(
        self,
        field: str,
        *,
        prefix: str = "",
        after: str = "",
        limit: int = 100,
        query: Query = EVERYTHING,
    ) -> list[ValueCount]:
        with self._asking:
            return self._lexicon.values(self._part(query), field, prefix=prefix, after=after, limit=limit)

    def initials(self, field: str, *, query: Query = EVERYTHING, language: str = "") -> list[ValueCount]:
        with self._asking:
            return self._lexicon.initials(self._part(query), field, collation(language))

    def complete(self, text: str, *, limit: int = 8, query: Query = EVERYTHING) -> list[Completion]:
        with self._asking:
            return self._completer.complete(self._part(query), text, limit)

    def correct(self, word: str, *, least: int = 1) -> str | None:
        return next(iter(self.corrections(word, least=least, limit=1)), None)

    def corrections(self, word: str, *, least: int = 1, limit: int = 5) -> list[str]:
        with self._asking:
            return suggestions.find_corrections(self._searcher, self._lexicon.count, word, least=least)[
                :limit
            ]

    def which(self, queries: Sequence[Query], numbers: Sequence[int]) -> list[frozenset[int]]:
        if not numbers:
            return [frozenset() for _ in queries]
        with self._asking:
            records = clauses.terms(NUMBER, list(numbers))
            return [
                self._which(clauses.all_of([self._unscored(each), records]), len(numbers)) for each in queries
            ]

    def _which(self, question: tantivy.Query, most: int) -> frozenset[int]:
        found = self._searcher.search(question, most, count=False, order_by_field=NUMBER, order=_UP)
        return frozenset(int(number) for number, _ in found.hits)

    def similar(self, number: int, *, limit: int = 5) -> tuple[Hit, ...]:
        card = self.card(number)
        if card is None:
            return ()
        with self._asking:
            return self._hits(
                self._searcher.search(suggestions.build_similarity_query(self._searcher, card), limit).hits
            )

    def card(self, number: int) -> HitSummary | None:
        """Return the stored summary of one record; None if it is not indexed."""
        with self._asking:
            hits = self._searcher.search(clauses.term(NUMBER, number), 1).hits
            return self._card(hits[0][1]) if hits else None

    def _tally(self, query: Query, asked: tuple[FacetRequest, ...]) -> tuple[FacetCounts, ...]:
        is_of_all = query == EVERYTHING
        known = (
            {each: counts for each in asked if (counts := self._summary.answer(each))} if is_of_all else {}
        )
        rest = [each for each in asked if each not in known]
        counted = count_facets(self._searcher, self._unscored(query), rest, is_of_all=is_of_all)
        known |= zip(rest, counted, strict=True)
        return tuple(known[each] for each in asked)

    def _by_relevance(self, query: Query, limit: int, cursor: Cursor) -> FoundDocuments:
        """Rank by relevance; continue at an offset while the last document shown is still before it."""
        self._check(query)
        question = self._renderer.rank(query)
        start, again = check_offset(cursor.skip), int(cursor.last != "" and cursor.skip > 0)
        result = self._searcher.search(question, limit + again, offset=start - again)
        if again and (not result.hits or self._card(result.hits[0][1]).number != cursor.key):
            start = count_up_to_number(
                self._searcher, question, cursor.key or 0, cursor_score(cursor), near=start
            )
            result, again = self._searcher.search(question, limit, offset=start), 0
        total = int(result.count)  # type: ignore[attr-defined]
        hits, end = self._hits(result.hits[again:]), start + limit
        is_last = end >= total or end > MAX_OFFSET
        return FoundDocuments(total, hits, None if is_last else partial(_behind_hit, hits[-1], end))

    def _sorted(self, query: Query, order: Order, limit: int, cursor: Cursor) -> FoundDocuments:
        """Sort by a number that is unique per document; the next page starts after the last one."""
        field, direction = _SORTED[order]
        question = self._unscored(query)
        if cursor.key is not None:
            low, high = (cursor.key + 1, None) if direction == _UP else (None, max(0, cursor.key - 1))
            question = clauses.all_of([question, clauses.numbers(field, low, high)])
        result = self._searcher.search(
            question, limit + 1, count=False, order_by_field=field, order=direction, offset=cursor.skip
        )
        hits, following = result.hits[:limit], None
        if len(result.hits) > limit:
            following = write_cursor(order, Cursor(int(hits[-1][0]), 0))
        return FoundDocuments(self.count(query), self._hits(hits, is_scored=False), following)

    def _by_title(self, query: Query, limit: int, cursor: Cursor) -> FoundDocuments:
        """Sort by a text: no search can start after one, only after its leading letters as a number."""
        question = self._unscored(query)
        if cursor.key is not None:
            start = clauses.numbers(TITLE_START, cursor.key, None)
            question = clauses.all_of([question, start])
        again = int(cursor.last != "" and cursor.skip > 0)
        found = self._titles(question, limit + again + 1, cursor.skip - again)
        if again and (not found or found[0][0] != cursor.last):
            cursor = cursor._replace(skip=self._behind_title(query, cursor))
            found, again = self._titles(question, limit + 1, cursor.skip), 0
        hits, following = found[again : again + limit], None
        if len(found) > again + limit:
            following = write_cursor(Order.TITLE, self._behind(query, hits, cursor))
        return FoundDocuments(self.count(query), self._hits(hits, is_scored=False), following)

    def _by_title_in(self, language: str, query: Query, limit: int, offset: int) -> FoundDocuments:
        """Sort by the alphabet of a language, merging titles it sorts differently with all others."""
        question, flag = self._unscored(query), clauses.term(place_flag(language), 1)
        others = clauses.all_of([question], but=[flag])
        own = clauses.all_of([question, flag])
        parts = [
            self._searcher.search(each, offset + limit, count=False, order_by_field=field, order=_UP).hits
            for each, field in ((others, TITLE_KEY), (own, place_field(language)))
        ]
        hits = list(islice(merge(*parts, key=lambda hit: str(hit[0])), offset, offset + limit))
        return FoundDocuments(self.count(query), self._hits(hits, is_scored=False), None)

    def _titles(self, question: tantivy.Query, limit: int, offset: int) -> _Hits:
        return self._searcher.search(
            question, limit, count=False, order_by_field=TITLE_KEY, order=_UP, offset=offset
        ).hits

    def _behind_title(self, query: Query, cursor: Cursor) -> int:
        """Return how many documents with the cursor's leading letters come up to the last one shown."""
        alike = clauses.numbers(TITLE_START, cursor.key, cursor.key)
        question = clauses.all_of([self._unscored(query), alike])
        return count_up_to_title(self._searcher, question, self._lexicon.count(question), cursor.last)

    def _behind(self, query: Query, hits: _Hits, cursor: Cursor) -> Cursor:
        """Return the cursor after these titles: the last one's leading letters, and an offset."""
        starts, shown = [title_start(str(key)) for key, _ in hits], str(hits[-1][0])
        last = starts[-1]
        if cursor.key is not None:
            return Cursor(last, starts.count(last) + (cursor.skip if last == cursor.key else 0), shown)
        earlier = clauses.numbers(TITLE_START, None, last - 1) if last else clauses.nothing()
        before = self._lexicon.count(clauses.all_of([self._unscored(query), earlier]))
        return Cursor(last, cursor.skip + len(hits) - before, shown)

    def _hits(self, hits: _Hits, *, is_scored: bool = True) -> tuple[Hit, ...]:
        """Return hits whose summaries are read on demand, as reading takes longer than finding them."""
        read = self._read
        return tuple([Hit(partial(read, address), score if is_scored else 0.0) for score, address in hits])

    def _read(self, address: tantivy.DocAddress) -> HitSummary:
        with self._asking:
            return self._card(address)

    def _card(self, address: tantivy.DocAddress) -> HitSummary:
        return unpack(self._searcher.doc(address).get_first(CARD) or b"")

    def _part(self, query: Query) -> DocumentSubset:
        query = resolve_years(query, self._year_starts)
        return WHOLE if query == EVERYTHING else DocumentSubset(query, self._unscored(query))

    def _unscored(self, query: Query) -> tantivy.Query:
        self._check(query)
        return self._renderer.render(query, is_scored=False)

    def _rarity(self, word: str) -> float:
        having = max(self._searcher.doc_freq(field, word) for field in (CORE, DESCRIPTION))
        return math.log(1 + self._searcher.num_docs / (1 + having))

    def _exists(self, field: str, term: str) -> bool:
        return bool(self._searcher.doc_freq(field, term))

    def _check(self, query: Query) -> None:
        budget = self.budget
        cost = self._checked.get((query, budget), lambda: self._estimator.check(query, budget))
        if cost > QUICK_MICROSECONDS and is_quick_answer_wanted():
            raise Deferred


def _behind_hit(hit: Hit, place: int) -> str:
    """Return the cursor after this hit by relevance."""
    return write_cursor(Order.RELEVANCE, Cursor(hit.card.number, place, repr(hit.score)))
