"""Where to go on with results when documents came or went since the page before: nothing is left out for it.

A title is found again by its place in the order. By relevance, the last document shown is looked up; where it
is gone, its score tells how far one had come, and what counts just as much may come twice. Only where
documents that were shown are changed meanwhile, others that count just as much may be passed over: those have
no order but the one they came in.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import Any

import tantivy

from windrow.index import asking
from windrow.index.layout import NUMBER, TITLE_KEY
from windrow.index.protocol import DEEPEST_OFFSET

_LATER = 1000  # documents that may have come in before the last one shown
_UP = tantivy.Order.Asc
_Hits = list[tuple[Any, tantivy.DocAddress]]


class _Titles:
    """What some documents are sorted by as titles, in that order. Each look takes a search."""

    def __init__(self, searcher: tantivy.Searcher, question: tantivy.Query, count: int) -> None:
        self._searcher = searcher
        self._question = question
        self._count = count

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, place: int) -> str:
        found = self._searcher.search(
            self._question, 1, count=False, order_by_field=TITLE_KEY, order=_UP, offset=place
        )
        return str(found.hits[0][0])


def behind_title(searcher: tantivy.Searcher, question: tantivy.Query, count: int, last: str) -> int:
    """How many of so many documents come up to the one that is sorted by this."""
    return bisect_right(_Titles(searcher, question, count), last)


def behind_number(
    searcher: tantivy.Searcher, question: tantivy.Query, number: int, score: float, *, near: int
) -> int:
    """How many documents come up to the one with this number, of this score; `near` is how many did."""
    of_it = asking.all_of([question, asking.term(NUMBER, number)])
    itself = [_place(address) for _, address in searcher.search(of_it, 1, count=False).hits]
    shown: _Hits = searcher.search(question, min(near + _LATER, DEEPEST_OFFSET), count=False).hits
    if not itself:
        return min(near, bisect_left([-each for each, _ in shown], -score))
    places = [_place(address) for _, address in shown]
    behind = places.index(itself[0]) + 1 if itself[0] in places else near
    # A document that was changed comes last of those with its score: they are not passed over for it.
    is_among_equals = 0 < near <= len(shown) and shown[near - 1][0] == score
    return min(behind, near) if is_among_equals else behind


def _place(address: tantivy.DocAddress) -> tuple[int, int]:
    return address.segment_ord, address.doc
