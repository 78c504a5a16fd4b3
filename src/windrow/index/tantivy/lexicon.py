"""The dictionaries of one state of an index: prefix lookups, values from A to Z, and scanning."""

from __future__ import annotations

import threading
import time
from array import array
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, overload

import tantivy

from windrow.errors import Unscannable, UsageError
from windrow.index.protocol import (
    EVERYTHING,
    MAX_COUNTED_VALUES,
    TALLIED,
    Deferred,
    ScanTerm,
    ValueCount,
    is_quick_answer_wanted,
)
from windrow.index.tantivy import clauses
from windrow.index.tantivy.clauses import AnswerCache
from windrow.index.tantivy.layout import (
    APART,
    CORE,
    DATE,
    FACTS,
    IDENTIFIER,
    INITIALED,
    MEASURED,
    NUMBERS,
    POSITIONED,
    SIZE,
    TITLE_KEY,
    fact_field,
    fact_token,
    fact_value,
    identifier_token,
    initial_field,
)
from windrow.model.query import Query
from windrow.model.text.collation import OTHER, Collation, initial_letter, title_sort_key
from windrow.model.text.folding import fold, folded_words


class DocumentSubset(NamedTuple):
    """Some documents, as a query and as its rendered form."""

    query: Query
    found: tantivy.Query

    @property
    def is_whole(self) -> bool:
        """Return whether it is all documents, for which many answers are cheaper."""
        return self.query == EVERYTHING

    def narrowed(self, question: tantivy.Query) -> tantivy.Query:
        """Restrict another query to these documents."""
        return question if self.is_whole else clauses.all_of([self.found, question])


WHOLE = DocumentSubset(EVERYTHING, clauses.everything())

CACHED_LETTERS = 256
MAX_LETTERS = 1000
_NARROWED = (8, 4, 2)  # additional prefix letters with which the values after a place are searched
_COMPARED = 12  # letters by which Tantivy finds the start of a page; longer common prefixes are resolved here


class Lexicon:
    """Lookups in the dictionaries of one searcher."""

    def __init__(self, searcher: tantivy.Searcher) -> None:
        self._searcher = searcher
        self._initials: AnswerCache[tuple[Query, str, str], list[ValueCount]] = AnswerCache(CACHED_LETTERS)
        self._has_texts: bool | None = None

    def count(self, question: tantivy.Query) -> int:
        """Return the number of documents that a query finds."""
        # Tantivy skips scoring only for a constant score.
        counted = self._searcher.search(clauses.unscored(question), 1, count=True)
        return int(counted.count)  # type: ignore[attr-defined]

    def has_texts(self) -> bool:
        """Return whether there are documents of files. Most libraries have none, and skip their fields."""
        if self._has_texts is None:
            self._has_texts = self.count(clauses.having(fact_field(SIZE))) > 0  # every file has a size
        return self._has_texts

    def terms(self, field: str, start: str, limit: int) -> list[str]:
        """Return terms with a prefix, at most `limit` of the most used. Deleted documents may be included."""
        if field in (*NUMBERS, *MEASURED):
            return [str(int(key)) for key, _ in self._tallied(WHOLE, field, {"size": limit})]
        return [term for term, _ in self._searcher.terms_with_prefix(field, start, limit=limit)]

    def values(
        self, part: DocumentSubset, field: str, *, prefix: str, after: str, limit: int
    ) -> list[ValueCount]:
        """Return values ordered by their folded letters, with document counts."""
        _check(field)
        if field in NUMBERS:
            return self._numbers(part, field, prefix=prefix, after=after, limit=limit)
        start, place = fold(prefix), fact_token(after) if after else ""
        wanted = max(1, min(limit, MAX_COUNTED_VALUES))
        near = self._near(part, field, start, place, wanted) if place and place.startswith(start) else []
        if near:
            return near
        size = wanted
        while True:
            found = self._from(part, field, start[:_COMPARED], place, size)
            page = [(key, count) for key, count in found if key > place and key.startswith(start)]
            if len(page) >= wanted or len(found) < size or size >= MAX_COUNTED_VALUES:
                return [ValueCount(fact_value(key), count) for key, count in page[:wanted]]
            size = min(size * 4, MAX_COUNTED_VALUES)  # many values begin alike

    def initials(self, part: DocumentSubset, field: str, order: Collation) -> list[ValueCount]:
        """Return the first letters of a field's values, with the number of documents for each."""
        _check(field)
        key = (part.query, field, "".join(order.signs.values()))
        return list(self._initials.get(key, lambda: self._letters(part, field, order)))

    def _letters(self, part: DocumentSubset, field: str, order: Collation) -> list[ValueCount]:
        if field in INITIALED:
            found = self._tallied(part, initial_field(field), {"size": MAX_LETTERS})
            letters = {chr(int(key)): count for key, count in found}
        else:
            letters = self._count_letters(part, field)
        if field not in NUMBERS:
            letters |= self._apart(part, field, letters, order)
        ordered = sorted(letters.items(), key=lambda item: order.place(item[0]))
        return [ValueCount(letter, count) for letter, count in ordered if count]

    def _apart(
        self, part: DocumentSubset, field: str, letters: Collection[str], order: Collation
    ) -> dict[str, int]:
        """Count the letters that are sorted after z, and those that they are folded to."""
        own = [letter.upper() for letter in order.signs.values()]
        bases = dict.fromkeys(fold(letter).upper() for letter in own)
        wanted = [letter for letter in (*own, *bases) if fold(letter).upper() in letters]
        return {letter: self._count_written(part, field, letter, order) for letter in wanted}

    def _count_written(self, part: DocumentSubset, field: str, letter: str, order: Collation) -> int:
        """Return how many documents have a value written with this first letter."""
        here, elsewhere = order.spellings(letter)
        start = f"{fold(letter)}[^{APART}]*"
        if here:
            expressions = [f"{start}{APART}[{here}]{clauses.ANY}*"]
        else:
            expressions = [start, f"{start}{APART}[^{elsewhere}]{clauses.ANY}*"]
        return self.count(part.narrowed(clauses.regexes(fact_field(field), expressions)))

    def _near(
        self, part: DocumentSubset, field: str, start: str, place: str, wanted: int
    ) -> list[ValueCount]:
        """Return the values after a place if enough of them share its prefix; else an empty list.

        This takes a hundredth of the time of a walk through the values of all documents.
        """
        for more in _NARROWED:
            beginning = place[: len(start) + more]
            found = self._searcher.terms_with_prefix(fact_field(field), beginning, part.found)
            page = sorted((term, count) for term, count in found if count and term > place)
            if len(page) >= wanted:
                return [ValueCount(fact_value(term), count) for term, count in page[:wanted]]
        return []

    def _from(
        self, part: DocumentSubset, field: str, prefix: str, place: str, size: int
    ) -> list[tuple[str, int]]:
        """Return values with a prefix that do not come before a place, judged by its first letters."""
        if place > prefix and not place.startswith(prefix):
            return []  # all of them come before
        start = place[:_COMPARED] if place > prefix else prefix
        asked: dict[str, object] = {"size": size, "order": {"_key": "asc"}}
        if start:
            asked["include"] = "|".join(clauses.not_before(start, within=prefix))
        return self._tallied(part, fact_field(field), asked)

    def _numbers(
        self, part: DocumentSubset, field: str, *, prefix: str, after: str, limit: int
    ) -> list[ValueCount]:
        tallied = self._tallied(part, field, {"size": MAX_COUNTED_VALUES})
        found = sorted((str(int(key)), count) for key, count in tallied)
        page = [ValueCount(*each) for each in found if each[0].startswith(prefix) and each[0] > after]
        return page[:limit]

    def _count_letters(self, part: DocumentSubset, field: str) -> dict[str, int]:
        """Count the first letters of a field with few values."""
        firsts: dict[str, list[str]] = {}
        for term in self.terms(fact_field(field), "", MAX_COUNTED_VALUES):
            firsts.setdefault(initial_letter(term), []).append(term)
        if field in NUMBERS:
            return {OTHER: self.count(part.narrowed(clauses.having(field)))}
        return {
            letter: self.count(part.narrowed(clauses.terms(fact_field(field), terms)))
            for letter, terms in firsts.items()
        }

    def _tallied(self, part: DocumentSubset, field: str, asked: dict[str, object]) -> list[tuple[str, int]]:
        answer = self._searcher.aggregate(part.found, {"all": {"terms": {"field": field, **asked}}})
        return [(bucket["key"], int(bucket["doc_count"])) for bucket in answer["all"]["buckets"]]


def _check(field: str) -> None:
    if field not in TALLIED:
        raise UsageError(f"{field} cannot be counted; what can: {', '.join(TALLIED)}")


# Scanning: the sorted dictionary of a field, from any term on, in both directions. Tantivy lists a dictionary
# only as a whole or by prefix. So the sorted terms of a field are cached in packed form, and read again after
# the index changed; if reading is slow, only after a proportionate time, and new terms are missing until
# then. Counts are never cached: each is queried from the current index, so that deleted documents do not
# count, and within the scanned part of the library.

MAX_SCANNED = 500  # terms per scan, in both directions together
MAX_TERMS = 3_000_000  # of a dictionary; of a larger one the rarest are left out
CACHED_DICTIONARIES = 8
WORTH = 20.0  # a dictionary is read again if that takes less than this fraction of the time since
_QUICK_TERMS = 20_000  # dictionaries up to this size are read even in quick mode
_FIRST_STEP, _LONGEST_STEP = 32, 4096  # terms checked together where many have no documents
_MAX_STEPS = 2_000
_MAX_SAME = 10_000  # documents counted for one title
_MAX_LOOKED_AT = 5
_AFTER_APART = chr(ord(APART) + 1)
_LAST = "\U0010ffff"


class PackedTerms(Sequence[str]):
    """An immutable sequence of sorted terms in little memory."""

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
class _LoadedDictionary:
    state: object
    terms: PackedTerms
    at: float
    seconds: float


@dataclass(slots=True)
class Dictionaries:
    """A cache of dictionaries shared by the successive states of an index. Thread-safe."""

    clock: Callable[[], float] = time.monotonic
    _known: dict[str, _LoadedDictionary] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def find(self, searcher: tantivy.Searcher, name: str, state: object) -> PackedTerms:
        """Return the sorted terms of a Tantivy field."""
        with self._lock:
            known = self._known.pop(name, None)
            if known is None or not self._is_fresh(known, state):
                size = known.terms if known else searcher.terms_with_prefix(name, "", limit=_QUICK_TERMS)
                if len(size) >= _QUICK_TERMS and is_quick_answer_wanted():
                    if known:
                        self._known[name] = known
                    raise Deferred
                known = self._read(searcher, name, state)
            self._known[name] = known  # reinserted as the most recently used
            while len(self._known) > CACHED_DICTIONARIES:
                del self._known[next(iter(self._known))]
            return known.terms

    def _is_fresh(self, known: _LoadedDictionary, state: object) -> bool:
        return known.state == state or self.clock() - known.at < known.seconds * WORTH

    def _read(self, searcher: tantivy.Searcher, name: str, state: object) -> _LoadedDictionary:
        began = self.clock()
        terms = sorted(term for term, _ in searcher.terms_with_prefix(name, "", limit=MAX_TERMS))
        return _LoadedDictionary(state, PackedTerms(terms), self.clock(), self.clock() - began)


class Scanner:
    """Lists terms of one state of an index, within the results of a query (None: all documents)."""

    def __init__(
        self,
        searcher: tantivy.Searcher,
        dictionaries: Dictionaries,
        state: object,
        title_of: Callable[[int], str | None],
    ) -> None:
        """`title_of` returns the title of a record by number; None if there is no such record."""
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

        `numbers` returns the values of a numeric field with their counts.
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
        self, place: str, terms: PackedTerms, places: range, wanted: int, part: tantivy.Query | None
    ) -> list[ScanTerm]:
        """Return `wanted` terms that have documents, starting with the first place.

        After a term without documents, growing groups of the following terms are checked together: nearly all
        terms of a large dictionary may be outside the scanned part of a library.
        """
        found: list[ScanTerm] = []
        at, step, steps = 0, 1, 0
        while at < len(places) and len(found) < wanted and steps < _MAX_STEPS:
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
        count = self._count(clauses.term(place, term), part)
        if count:
            found.append(ScanTerm(term.partition(APART)[0], count, fact_value(term)))
        return count > 0

    def _halved(self, place: str, stretch: list[str], part: tantivy.Query | None) -> Iterator[str]:
        """Yield the terms of a group that have documents, by bisection."""
        if len(stretch) <= 2:
            yield from stretch
            return
        middle = len(stretch) // 2
        for half in (stretch[:middle], stretch[middle:]):
            if self._has(place, half, part):
                yield from self._halved(place, half, part)

    def _has(self, place: str, terms: list[str], part: tantivy.Query | None) -> bool:
        return self._count(clauses.terms(place, terms), part) > 0

    def _count(self, question: tantivy.Query, part: tantivy.Query | None) -> int:
        whole = question if part is None else clauses.all_of([question, part])
        found = self._searcher.search(clauses.unscored(whole), 1, count=True)
        return int(found.count)  # type: ignore[attr-defined]

    def _titles(self, start: str, before: int, limit: int, part: tantivy.Query | None) -> list[ScanTerm]:
        """Return titles in order. Each document has a term of its own: the title and its number."""
        terms = self._dictionaries.find(self._searcher, TITLE_KEY, self._state)
        middle = bisect_left(terms, title_sort_key(start))
        above = self._titles_from(terms, middle, limit, part, is_up=True)
        below = self._titles_from(terms, middle, before, part, is_up=False)
        return [*reversed(below), *above]

    def _titles_from(
        self, terms: PackedTerms, place: int, wanted: int, part: tantivy.Query | None, *, is_up: bool
    ) -> list[ScanTerm]:
        found: list[ScanTerm] = []
        step = 1
        for _ in range(_MAX_STEPS):
            if len(found) == wanted or not (place < len(terms) if is_up else place > 0):
                break
            key = terms[place if is_up else place - 1].rpartition(APART)[0]
            low = place if is_up else bisect_left(terms, key + APART, 0, place)
            high = bisect_left(terms, key + _AFTER_APART, place) if is_up else place
            if step > 1:  # nothing was found just before: skip a larger range
                low, high = (low, min(place + step, len(terms))) if is_up else (max(0, place - step), high)
            same = terms[low : min(high, low + _MAX_SAME)] if step == 1 else terms[low:high]
            count = self._count(clauses.terms(TITLE_KEY, same), part)
            if step > 1 and count:
                step = 1  # check this range title by title
                continue
            if count and key != _LAST:
                found.append(ScanTerm(key, count, self._written(key, same)))
            step = 1 if count else min(max(step * 4, _FIRST_STEP), _LONGEST_STEP)
            place = high if is_up else low
        return found

    def _written(self, key: str, terms: Sequence[str]) -> str:
        """Return a title as the first of its documents writes it."""
        for term in terms[:_MAX_LOOKED_AT]:
            title = self._title_of(int(term.rpartition(APART)[2]))
            if title is not None:
                return title if title_sort_key(title) == key else key
        return key


def start_key(name: str | None, start: str, *, is_whole: bool) -> str:
    """Return the key by which a start is compared with the terms of a field."""
    if name == IDENTIFIER:
        return identifier_token(start)
    if is_whole or name in FACTS:
        return fold(" ".join(start.split()))
    return next(iter(folded_words(start)), fold(start.strip()))


def _place(name: str | None, *, is_whole: bool) -> str:
    """Return the Tantivy field whose terms are listed."""
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
    return max(0, min(number, MAX_SCANNED))
