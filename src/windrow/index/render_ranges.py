"""Ranges as questions to Tantivy: numbers and days as numbers, texts as expressions over the dictionary."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from tantivy import Query as Question

from windrow.index import asking, patterns
from windrow.index.asking import Dictionary
from windrow.index.kept import Kept
from windrow.index.layout import DATE, DAY, FACTS, IDENTIFIER, MEASURED, NUMBERS, TITLE_KEY, fact_field
from windrow.index.tokens import APART
from windrow.model.document import Document, Moment
from windrow.model.document_view import DocumentView
from windrow.model.folding import fold
from windrow.model.matching import judge_of, ordering_key
from windrow.model.query import Range, is_exact

_DAY = re.compile(r"[0-9]{4}(?:-[0-9]{2}(?:-[0-9]{2})?)?", re.ASCII)
LONGEST_BOUND = 40  # letters; each makes an expression of its own
MOST_SPELLINGS = 1_000  # of one value: in capitals, with diacritics and without
KEPT_SPELLINGS = 50_000
_GREATEST = (1 << 63) - 1
_PLACES = {"title": TITLE_KEY, IDENTIFIER: IDENTIFIER} | {name: fact_field(name) for name in FACTS}


class RangeRenderer:
    """Renders ranges. A field whose values are not kept whole has none."""

    def __init__(self, dictionary: Dictionary) -> None:
        self._dictionary = dictionary
        self._spellings: Kept[tuple[str, str], tuple[str, ...]] = Kept(KEPT_SPELLINGS)

    def render(self, query: Range) -> Question:
        """The question for values between two bounds."""
        if query.field in (*NUMBERS, *MEASURED):
            return _numbers(query)
        if query.field == DATE:
            return self._days(query)
        place = _PLACES.get(query.field)
        if place is None:
            return asking.nothing()
        if is_exact(query) and query.field in FACTS:
            return asking.terms(place, self.terms(query.field, [query.low or ""]))
        key = ordering_key(query.field)
        low, high = (
            None if bound is None else key(bound)[:LONGEST_BOUND] for bound in (query.low, query.high)
        )
        if low is None and high is None:
            low, query = "", replace(query, is_low_inside=True)
        ends = {"with_low": query.is_low_inside, "with_high": query.is_high_inside}
        return asking.regexes(place, patterns.of_range(low, high, **ends))

    def terms(self, field: str, texts: Sequence[str]) -> list[str]:
        """Return the terms for these values of one of FACTS, in all spellings that there are of each."""
        place, found = fact_field(field), dict[str, None]()
        for key in map(fold, texts):
            found.update(dict.fromkeys(self._spellings.get((place, key), partial(self._spelled, place, key))))
        return list(found)

    def _spelled(self, place: str, key: str) -> tuple[str, ...]:
        return key, *self._dictionary(place, f"{key}{APART}", MOST_SPELLINGS)

    def _days(self, query: Range) -> Question:
        bounds = [bound for bound in (query.low, query.high) if bound is not None]
        if not all(map(_DAY.fullmatch, bounds)):
            judge = judge_of(query)
            return asking.passing(DATE, lambda day: judge(_dated(day)), self._dictionary)
        low = None if query.low is None else _edge(query.low, is_last=not query.is_low_inside)
        high = None if query.high is None else _edge(query.high, is_last=query.is_high_inside)
        if low is not None and not query.is_low_inside:
            low += 1
        if high is not None and not query.is_high_inside:
            high -= 1
        return asking.numbers(DAY, low, high)


def _edge(bound: str, *, is_last: bool) -> int:
    """The first or the last day that is as exact as a bound: all of a year, all of a month."""
    return int(bound.replace("-", "").ljust(8, "9" if is_last else "0"))


def _numbers(query: Range) -> Question:
    try:
        low = None if query.low is None else int(query.low) + (not query.is_low_inside)
        high = None if query.high is None else int(query.high) - (not query.is_high_inside)
    except ValueError:
        return asking.nothing()
    low, high = (None if bound is None else max(-_GREATEST, min(bound, _GREATEST)) for bound in (low, high))
    return asking.numbers(query.field, low, high)


def _dated(day: str) -> DocumentView:
    return DocumentView(Document(dates=(Moment(day),)))
