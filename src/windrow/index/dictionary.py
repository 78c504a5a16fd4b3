"""The sorted dictionary of a field, from any term on and in both directions: what the protocols call scan.

Tantivy enumerates a dictionary only as a whole, by a prefix. So the sorted terms of a field are kept packed,
and read again when the index has changed; where reading takes long, not more often than is worth while. A
term that is new since then is missing for so long. Counts are never kept: each is asked of the index as it
is, so that deleted documents do not count, and within the part of the library that is scanned.
"""

from __future__ import annotations

import threading
import time
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import overload

import tantivy

from windrow.errors import Unscannable
from windrow.index import asking
from windrow.index.deferral import Deferred, is_hurried
from windrow.index.layout import (
    CORE,
    DATE,
    FACTS,
    IDENTIFIER,
    NUMBERS,
    POSITIONED,
    TITLE_KEY,
    fact_field,
)
from windrow.index.protocol import ScanTerm
from windrow.index.tokens import APART, fact_value, identifier_token
from windrow.model.folding import fold, words_of
from windrow.model.initials import title_key

MOST_SCANNED = 500  # terms of one scan, in both directions together
MOST_TERMS = 3_000_000  # of a dictionary; of a larger one, the rarest are left out
KEPT_DICTIONARIES = 8
WORTH = 20.0  # a dictionary is read again when its reading takes less than this part of the time since
_QUICK_TERMS = 20_000  # a dictionary of so many is read at once
_FIRST_STEP, _LONGEST_STEP = 32, 4096  # terms that are looked at together, where many are in no document
_MOST_STEPS = 2_000
_MOST_SAME = 10_000  # documents of one title that are counted
_MOST_LOOKED_AT = 5
_AFTER_APART = chr(ord(APART) + 1)
_LAST = "\U0010ffff"


class Packed(Sequence[str]):
    """Sorted terms in little memory."""

    def __init__(self, terms: Sequence[str]) -> None:
        encoded = [term.encode("utf-8", "surrogatepass") for term in terms]
        self._ends = array("Q")
        end = 0
        for each in encoded:
            end += len(each)
            self._ends.append(end)
        self._text = b"".join(encoded)

    def __len__(self) -> int:
        return len(self._ends)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[str]: ...
    def __getitem__(self, place: int | slice) -> str | Sequence[str]:
        if isinstance(place, slice):
            return [self[each] for each in range(*place.indices(len(self)))]
        start = self._ends[place - 1] if place else 0
        return self._text[start : self._ends[place]].decode("utf-8", "surrogatepass")


@dataclass(slots=True)
class _Read:
    """A dictionary that was read."""

    state: object
    terms: Packed
    at: float
    seconds: float


@dataclass(slots=True)
class Dictionaries:
    """The dictionaries of an index. They outlive its single states; used by many threads at once."""

    clock: Callable[[], float] = time.monotonic
    _known: dict[str, _Read] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def find(self, searcher: tantivy.Searcher, name: str, state: object) -> Packed:
        """Return the sorted terms of a field of Tantivy's."""
        with self._lock:
            known = self._known.pop(name, None)
            if known is None or not self._is_fresh(known, state):
                size = known.terms if known else searcher.terms_with_prefix(name, "", limit=_QUICK_TERMS)
                if len(size) >= _QUICK_TERMS and is_hurried():
                    if known:
                        self._known[name] = known
                    raise Deferred
                known = self._read(searcher, name, state)
            self._known[name] = known  # as the one that was used last
            while len(self._known) > KEPT_DICTIONARIES:
                del self._known[next(iter(self._known))]
            return known.terms

    def _is_fresh(self, known: _Read, state: object) -> bool:
        return known.state == state or self.clock() - known.at < known.seconds * WORTH

    def _read(self, searcher: tantivy.Searcher, name: str, state: object) -> _Read:
        began = self.clock()
        terms = sorted(term for term, _ in searcher.terms_with_prefix(name, "", limit=MOST_TERMS))
        return _Read(state, Packed(terms), self.clock(), self.clock() - began)


class Scanner:
    """Lists terms of one state of an index, within what a question finds (None: all of it)."""

    def __init__(
        self,
        searcher: tantivy.Searcher,
        dictionaries: Dictionaries,
        state: object,
        title_of: Callable[[int], str | None],
    ) -> None:
        """`title_of` returns the title of a record by its number; None where there is no such record."""
        self._searcher = searcher
        self._title_of = title_of
        self._dictionaries = dictionaries
        self._state = state

    def scan(
        self,
        name: str | None,
        start: str,
        *,
        before: int,
        limit: int,
        is_whole: bool,
        part: tantivy.Query | None,
        numbers: Callable[[str], list[tuple[str, int]]],
    ) -> list[ScanTerm]:
        """Return up to `before` terms below a start and `limit` from it on; see `Index.scan`.

        `numbers` returns the values of a field of numbers, with their counts.
        """
        before, limit = _bounded(before), _bounded(limit)
        if name in NUMBERS:
            return _numbers(numbers(name), start, before, limit)
        if name == "title" and is_whole:
            return self._titles(start, before, limit, part)
        place = _place(name, is_whole=is_whole)
        terms = self._dictionaries.find(self._searcher, place, self._state)
        middle = bisect_left(terms, start_key(name, start, is_whole=is_whole))
        above = self._having(place, terms, range(middle, len(terms)), limit, part)
        below = self._having(place, terms, range(middle - 1, -1, -1), before, part)
        return [*reversed(below), *above]

    def _having(
        self, place: str, terms: Packed, places: range, wanted: int, part: tantivy.Query | None
    ) -> list[ScanTerm]:
        """Return so many terms, from the first place on, that documents have.

        Where a term has no document, growing stretches of those behind it are looked at together: nearly all
        terms of a large dictionary may lie outside the part of a library that is scanned.
        """
        found: list[ScanTerm] = []
        at, step, steps = 0, 1, 0
        while at < len(places) and len(found) < wanted and steps < _MOST_STEPS:
            stretch = [terms[each] for each in places[at : at + step]]
            at += step
            steps += 1
            if step == 1:
                step = 1 if self._add(found, place, stretch[0], part) else _FIRST_STEP
            elif self._has(place, stretch, part):
                for term in self._halved(place, stretch, part):
                    if len(found) < wanted:
                        self._add(found, place, term, part)
                step = 1
            else:
                step = min(step * 4, _LONGEST_STEP)
        return found

    def _add(self, found: list[ScanTerm], place: str, term: str, part: tantivy.Query | None) -> bool:
        count = self._count(asking.term(place, term), part)
        if count:
            found.append(ScanTerm(term.partition(APART)[0], count, fact_value(term)))
        return count > 0

    def _halved(self, place: str, stretch: list[str], part: tantivy.Query | None) -> Iterator[str]:
        """Yield the terms of a stretch that documents have, by halves."""
        if len(stretch) <= 2:
            yield from stretch
            return
        middle = len(stretch) // 2
        for half in (stretch[:middle], stretch[middle:]):
            if self._has(place, half, part):
                yield from self._halved(place, half, part)

    def _has(self, place: str, terms: list[str], part: tantivy.Query | None) -> bool:
        return self._count(asking.terms(place, terms), part) > 0

    def _count(self, question: tantivy.Query, part: tantivy.Query | None) -> int:
        whole = question if part is None else asking.all_of([question, part])
        found = self._searcher.search(asking.unscored(whole), 1, count=True)
        return int(found.count)  # type: ignore[attr-defined]

    def _titles(self, start: str, before: int, limit: int, part: tantivy.Query | None) -> list[ScanTerm]:
        """Return titles in their order. Each document has terms of its own: a title, and its number."""
        terms = self._dictionaries.find(self._searcher, TITLE_KEY, self._state)
        middle = bisect_left(terms, title_key(start))
        above = self._titles_from(terms, middle, limit, part, is_up=True)
        below = self._titles_from(terms, middle, before, part, is_up=False)
        return [*reversed(below), *above]

    def _titles_from(
        self, terms: Packed, place: int, wanted: int, part: tantivy.Query | None, *, is_up: bool
    ) -> list[ScanTerm]:
        found: list[ScanTerm] = []
        step = 1
        for _ in range(_MOST_STEPS):
            if len(found) == wanted or not (place < len(terms) if is_up else place > 0):
                break
            key = terms[place if is_up else place - 1].rpartition(APART)[0]
            low = place if is_up else bisect_left(terms, key + APART, 0, place)
            high = bisect_left(terms, key + _AFTER_APART, place) if is_up else place
            if step > 1:  # nothing was there just before: much may be leapt over
                low, high = (low, min(place + step, len(terms))) if is_up else (max(0, place - step), high)
            same = terms[low : min(high, low + _MOST_SAME)] if step == 1 else terms[low:high]
            count = self._count(asking.terms(TITLE_KEY, same), part)
            if step > 1 and count:
                step = 1  # it is gone through title by title
                continue
            if count and key != _LAST:
                found.append(ScanTerm(key, count, self._written(key, same)))
            step = 1 if count else min(max(step * 4, _FIRST_STEP), _LONGEST_STEP)
            place = high if is_up else low
        return found

    def _written(self, key: str, terms: Sequence[str]) -> str:
        """Return a title as the first of its documents writes it."""
        for term in terms[:_MOST_LOOKED_AT]:
            title = self._title_of(int(term.rpartition(APART)[2]))
            if title is not None:
                return title if title_key(title) == key else key
        return key


def start_key(name: str | None, start: str, *, is_whole: bool) -> str:
    """Return what a start is compared by with the terms of a field."""
    if name == IDENTIFIER:
        return identifier_token(start)
    if is_whole or name in FACTS:
        return fold(" ".join(start.split()))
    return next(iter(words_of(start)), fold(start.strip()))


def _place(name: str | None, *, is_whole: bool) -> str:
    """Return the field of Tantivy's whose terms are listed."""
    if name is None and not is_whole:
        return CORE
    if name in (IDENTIFIER, DATE):
        return name
    if name in POSITIONED and not is_whole:
        return name
    if name in FACTS:
        return fact_field(name)
    what = "whole values" if is_whole else "words"
    raise Unscannable(f"the {what} of {name or 'all fields'} cannot be listed")


def _numbers(values: list[tuple[str, int]], start: str, before: int, limit: int) -> list[ScanTerm]:
    wanted = start.strip()
    low = int(wanted[:18]) if wanted[:18].isascii() and wanted[:18].isdecimal() else 0
    ordered = sorted((int(value), count) for value, count in values)
    middle = bisect_left(ordered, (low, 0))
    chosen = ordered[max(0, middle - before) : middle + limit]
    return [ScanTerm(str(value), count, str(value)) for value, count in chosen]


def _bounded(number: int) -> int:
    return max(0, min(number, MOST_SCANNED))
