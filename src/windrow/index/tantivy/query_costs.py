"""Query cost estimates, made before Tantivy is asked, because a running search cannot be stopped.

Costs are microseconds of one processor. They depend on how many terms of a dictionary a pattern is compared
with, in how many records the terms occur, and on the number of clauses; the factors were measured on a
library of 200,000 records. A query over the budget is refused with advice on what to change.

Dictionaries are measured when a pattern first needs their size, and again when the library has grown by a
quarter, because walking through a dictionary takes a while.
"""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import tantivy

from windrow.errors import QueryTooCostly
from windrow.index.tantivy import clauses
from windrow.index.tantivy.layout import (
    CORE,
    DATE,
    DEFAULT_WORDS,
    DESCRIPTION,
    EVENTS,
    FACTS,
    IDENTIFIER,
    MEASURED,
    NOTES,
    NUMBERS,
    SET,
    SLOTS,
    TEXT,
    TITLE_KEY,
    fact_field,
    fact_token,
)
from windrow.model.counted_fields import counted_value
from windrow.model.query import (
    FIELDS,
    And,
    AtLeast,
    Everything,
    FieldKind,
    Not,
    Or,
    Phrase,
    Query,
    Range,
    SameEvent,
    Value,
    Word,
    is_exact,
    max_slop,
)
from windrow.model.text.folding import fold, folded_words, pattern_pieces
from windrow.model.text.wildcards import compile_pattern

LARGEST_MEASURED = 50_000  # terms of a dictionary that are counted one by one
HEAD = 1_000  # most used terms, from which the records of a pattern are estimated
GROWTH = 1.25

_CLAUSE = 20.0
_ONE_VALUE = 4.0  # per value, of many that are looked up together
_POSTING = 0.02  # per record of a term; most words are queried in two or more fields
_POSITIONS = 0.04  # per record whose word positions are compared
_SCANNED = 0.8  # per term that an automaton is run on
_SCANNED_TERMS = {IDENTIFIER: 0.25, TITLE_KEY: 2.0}  # long common prefixes; long texts
_MATCHED = 4.0  # per matching term, whose records are then read
_NEAR = 0.1  # per term of the dictionary for a fuzzy word: most are skipped together
_ROW = 3.0  # factor for patterns in a phrase
_COMPARED = 5.0  # per term that is tested here, in Python
_OF_EVENT = 5.0
_MAX_NUMBERS = 2_000  # different values in a numeric field: years, pages
_LETTERS = 26
_RANGED = 0.005  # per record whose number is compared
# Terms per record in dictionaries that are too large to be counted.
_TERMS_PER_RECORD = {IDENTIFIER: 3.0, TITLE_KEY: 1.0, fact_field("creator"): 2.0}


class CostBudget(NamedTuple):
    """The maximum cost of a query in microseconds; `alone` applies if its only costly condition is a pattern.

    A single pattern such as `*logy` is an ordinary query and must work in a library of a million records.
    """

    whole: float
    alone: float


PUBLIC = CostBudget(500_000, 1_500_000)  # for anonymous users, for each call of the index
OWN = CostBudget(20_000_000, 60_000_000)  # on the command line, for the library's operator


class TermStatistics(NamedTuple):
    """The approximate number of terms of a field, and the most used terms with their record counts."""

    size: float
    head: tuple[tuple[str, int], ...] = ()

    def starting(self, start: str) -> tuple[tuple[str, int], ...]:
        """Return those of the most used terms that have a prefix."""
        low = bisect_left(self.head, (start, 0))
        return self.head[low : bisect_left(self.head, (f"{start}\U0010ffff", 0), low)] if start else self.head

    def share(self, terms: int) -> float:
        """Estimate the number of terms of a kind, given how many of them are among the most used."""
        return max(self.size * terms / len(self.head), 1.0) if self.head else 1.0


class TermStatisticsCache:
    """Term statistics that are shared by the successive states of an index. Thread-safe."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[int, TermStatistics]] = {}
        self._lock = threading.Lock()  # so that two threads do not walk through a dictionary at once

    def find(self, searcher: tantivy.Searcher, field: str) -> TermStatistics:
        """Return the statistics of a field, measured at about the current number of records."""
        records = max(searcher.num_docs, 1)
        if field in _TERMS_PER_RECORD:
            return TermStatistics(records * _TERMS_PER_RECORD[field])
        with self._lock:
            known = self._known.get(field)
            if known is None or not 1 / GROWTH <= known[0] / records <= GROWTH:
                known = self._known[field] = records, self._measure(searcher, field)
            return known[1]

    def _measure(self, searcher: tantivy.Searcher, field: str) -> TermStatistics:
        terms = searcher.terms_with_prefix(field, "", limit=LARGEST_MEASURED)
        # Zipf: frequency falls with rank, so the count of the last term indicates how many follow.
        size = len(terms) * (terms[-1][1] + 1) if len(terms) == LARGEST_MEASURED else len(terms)
        return TermStatistics(float(size), tuple(sorted(terms[:HEAD])))


class Cost(NamedTuple):
    """The cost of one condition; `reason` is one of QueryTooCostly's."""

    reason: str
    amount: float


class Estimator:
    """Estimates queries for one state of the index."""

    def __init__(
        self, searcher: tantivy.Searcher, vocabularies: TermStatisticsCache, has_texts: Callable[[], bool]
    ) -> None:
        self._searcher = searcher
        self._vocabularies = vocabularies
        self._has_texts = has_texts

    def check(self, query: Query, budget: CostBudget) -> float:
        """Return the cost of a query; raise QueryTooCostly if it exceeds the budget."""
        costs: dict[str, float] = {}
        total = most = 0.0
        for reason, amount in self.costs(query):
            costs[reason] = costs.get(reason, 0.0) + amount
            total += amount
            most = max(most, amount) if reason == "patterns" else most
            if total > budget.whole and (total - most > budget.whole / 2 or most > budget.alone):
                raise QueryTooCostly(max(costs, key=lambda each: costs[each]))
        return total

    def costs(self, query: Query) -> Iterator[Cost]:
        match query:
            case Everything():
                return
            case And(parts) | Or(parts) | AtLeast(_, parts):
                for part in parts:
                    yield from self.costs(part)
            case Not(part):
                yield from self.costs(part)
            case SameEvent(part):
                yield from self._of_event(part)
            case Word() | Phrase() | Range() | Value() if query.field and FIELDS[query.field].is_of_event:
                yield Cost("event", self._events())
            case Word(field="keyword") | Phrase(field="keyword") | Range(field="keyword"):
                yield self._leaf(query)
                yield self._leaf(_as_subject(query))
            case _:
                yield self._leaf(query)

    def _leaf(self, query: Word | Phrase | Range | Value) -> Cost:
        match query:
            case Value():
                return Cost("words", self._value(query))
            case Range():
                return Cost("patterns", self._range(query))
            case Phrase():
                return Cost("phrases", self._phrase(query))
            case Word(is_pattern=True):
                return Cost("patterns", self._pattern(query))
            case Word(edits=edits) if edits:
                return Cost("patterns", self._slips(query))
            case _:
                return Cost("words", self._word(query))

    def _of_event(self, part: Query) -> Iterator[Cost]:
        """Each condition on an event is compared with all values of each of its slots."""
        for _ in _leaves(part):
            yield Cost("event", self._events() * len(SLOTS))

    def _events(self) -> float:
        return _CLAUSE + self._vocabulary(EVENTS).size / len(SLOTS) * _OF_EVENT

    def _word(self, word: Word) -> float:
        words = folded_words(word.text)
        if word.field is not None and FIELDS[word.field].kind is not FieldKind.WORDS:
            return _CLAUSE  # a single value, looked up directly
        if len(words) > 1:
            return self._in_row(words, word.field)
        return sum(self._postings(field, text) for text in words for field in self._fields(word.field))

    def _value(self, query: Value) -> float:
        if query.field == SET:
            return self._scan(fact_field(SET))
        if query.field not in FACTS:
            return self._word(Word(query.text, query.field))
        return self._postings(fact_field(query.field), fact_token(counted_value(query.text)))

    def _range(self, query: Range) -> float:
        if query.field in (*NUMBERS, *MEASURED, DATE):
            return _CLAUSE + self._searcher.num_docs * _RANGED
        if is_exact(query) and query.field in FACTS:
            return _ONE_VALUE
        place = {"title": TITLE_KEY, IDENTIFIER: IDENTIFIER}.get(query.field)
        if place is None and query.field not in FACTS:
            return _CLAUSE
        return _spanned(query) * self._scan(place or fact_field(query.field))

    def _phrase(self, query: Phrase) -> float:
        words = [word for text in query.words for word in folded_words(text)]
        if query.field is not None and FIELDS[query.field].kind is not FieldKind.WORDS:
            return _CLAUSE
        times = 1
        if query.slop:
            # A repeated word needs one phrase per distance; other pairs are queried in both orders.
            twins = sum(one == other for one, other in pairwise(words))
            times = 2 + twins * min(query.slop, max_slop(query.field))
        return self._in_row(words, query.field) * times

    def _in_row(self, words: list[str], field: str | None) -> float:
        """Return the cost of a phrase: all positions are read in the records of the rarest word."""
        cost = 0.0
        for each in (field,) if field else DEFAULT_WORDS:
            counts = [self._searcher.doc_freq(each, word) for word in words]
            cost += _CLAUSE + min(counts, default=0) * len(words) * _POSITIONS + sum(counts) * _POSTING / 4
        return cost

    def _slips(self, word: Word) -> float:
        words = folded_words(word.text)
        if word.field in (*NUMBERS, *MEASURED):
            return _MAX_NUMBERS * _COMPARED
        if word.field is not None and FIELDS[word.field].kind is not FieldKind.WORDS:
            return min(self._vocabulary(_place(word.field)).size, clauses.MAX_TERMS) * _COMPARED
        fields = self._fields(word.field)
        if len(words) == 1:
            return sum(self._vocabulary(field).size * _NEAR for field in fields)
        compared = sum(min(self._vocabulary(field).size, clauses.MAX_TERMS) * _COMPARED for field in fields)
        return len(words) * compared

    def _pattern(self, word: Word) -> float:
        if not word.text.strip("*"):
            return self._searcher.num_docs * _POSTING
        if word.field is not None and FIELDS[word.field].kind is not FieldKind.WORDS:
            if word.field in (*NUMBERS, *MEASURED):
                return _MAX_NUMBERS * _COMPARED
            return self._matching(_place(word.field), fold(word.text))
        pieces = pattern_pieces(word.text)
        if len(pieces) == 1:
            found = sum(self._matching(field, pieces[0]) for field in self._fields(word.field))
            return found + (self._matching(IDENTIFIER, fold(word.text)) if word.field is None else 0.0)
        fields = (word.field,) if word.field else DEFAULT_WORDS
        return _ROW * sum(self._matching(field, piece) for field in fields for piece in pieces)

    def _matching(self, field: str, pattern: str) -> float:
        """Return the cost of a pattern: the terms its automaton visits, and the records of matching ones."""
        known, start = self._vocabulary(field), clauses.literal_start(pattern)
        seen, fits = known.starting(start), compile_pattern(pattern).fits
        fitting = [count for term, count in seen if fits(term)]
        scanned = (known.share(len(seen)) if start else known.size) * _SCANNED_TERMS.get(field, _SCANNED)
        return _CLAUSE + scanned + known.share(len(fitting)) * _MATCHED + sum(fitting) * _POSTING / 4

    def _scan(self, field: str) -> float:
        return _CLAUSE + self._vocabulary(field).size * _SCANNED_TERMS.get(field, _SCANNED)

    def _postings(self, field: str, term: str) -> float:
        return _CLAUSE + self._searcher.doc_freq(field, term) * _POSTING

    def _fields(self, field: str | None) -> tuple[str, ...]:
        if field is not None:
            return (field,)
        return (CORE, DESCRIPTION, NOTES, TEXT) if self._has_texts() else (CORE, DESCRIPTION, NOTES)

    def _vocabulary(self, field: str) -> TermStatistics:
        return self._vocabularies.find(self._searcher, field)


def _place(field: str) -> str:
    """Return the field with the dictionary of values that are compared as a whole."""
    return field if field in (IDENTIFIER, DATE) else fact_field(field)


def _spanned(query: Range) -> float:
    """Estimate the share of a dictionary in a range, from the first letters of its ends."""
    low, high = (fold(bound or "")[:1] for bound in (query.low, query.high))
    start = ord(low) if low else ord("a")
    end = ord(high) if high else ord("z")
    return min(1.0, max(1, end - start + 1) / _LETTERS)


def _as_subject(query: Word | Phrase | Range) -> Word | Phrase | Range:
    return replace(query, field="subject")


def _leaves(query: Query) -> Iterator[Query]:
    match query:
        case And(parts) | Or(parts) | AtLeast(_, parts):
            for part in parts:
                yield from _leaves(part)
        case Not(part) | SameEvent(part):
            yield from _leaves(part)
        case Everything():
            return
        case _:
            yield query
