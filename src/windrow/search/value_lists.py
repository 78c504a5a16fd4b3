"""Ways through a library without a search: by institution, by letter, by year, type and language, by newness.

All of them are over a question, so a collection, or any search, can be walked through in the same way.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from windrow.finding.question import Question
from windrow.index.protocol import EVERYTHING, Counted, Hit, Index, Order, Tally
from windrow.index.units import UNITS, with_departments
from windrow.model.collation import Collation, collation
from windrow.model.folding import fold
from windrow.model.query import Query, Value, all_of

LETTERED = ("creator", "subject", "keyword", "publisher")  # fields with too many values for one page
LISTED = ("institution", "department", "type", "language", "year", "source", "set")
PER_PAGE = 100
MOST_INSTITUTIONS = 500
MOST_DEPARTMENTS = 200  # of one institution
MOST_LISTED = 1000
MOST_NEWEST = 100
MOST_SORTED = 2000  # values that begin alike, to be sorted at once
_DEEPEST = 30  # letters that they may have in common
_MOST_LEAPS = 500
_LAST = "\U0010ffff"  # after every letter
OTHER = "#"  # what does not begin with a letter


@dataclass(frozen=True, slots=True)
class Letters:
    """Some values of a field under one letter, and the way to the following ones."""

    field: str
    initials: tuple[Counted, ...]  # every first letter, with how many documents it has
    letter: str  # the one shown; empty where all are
    values: tuple[Counted, ...]
    next: str | None  # the value after which the following page starts


@dataclass(frozen=True, slots=True)
class Shelf:
    """All values of a field with few of them, and how many documents are left out of the list."""

    field: str
    values: tuple[Counted, ...]
    others: int = 0
    without: int = 0  # documents that have no value, where somebody asked


def institutions(index: Index, question: Question | None = None, *, language: str = "") -> Shelf:
    """Return institutions in the order of their names in a language, each with its departments."""
    query, order = (question or Question()).query, collation(language)
    found, units = index.tally(query, [Tally("institution", MOST_INSTITUTIONS), UNITS])
    counts = with_departments(found, units, most=MOST_DEPARTMENTS)
    values = (counted._replace(within=_by_name(counted.within, order)) for counted in counts.values)
    return Shelf("institution", _by_name(values, order), counts.others, without(index, "institution", query))


def without(index: Index, field: str, query: Query = EVERYTHING) -> int:
    """Return how many documents lack a field; `missing=` with its name finds them."""
    return index.count(all_of((query, Value(field, "missing"))))


def listed(index: Index, field: str, question: Question | None = None) -> Shelf:
    """Give the values of a field with few of them: years in their order, the others the most used first."""
    tally = Tally(field, MOST_LISTED, is_by_value=field == "year")
    (counts,) = index.tally((question or Question()).query, [tally])
    return Shelf(field, counts.values, counts.others)


def lettered(
    index: Index,
    field: str,
    question: Question | None = None,
    *,
    letter: str = "",
    after: str = "",
    limit: int = PER_PAGE,
    language: str = "",
) -> Letters:
    """Give a page of the values of a field under a letter, A to Z; `after` is `next` of the page before.

    What begins with no letter is under "#". An unknown letter has no values. Letters and values are in the
    order of the language.
    """
    query, order = (question or Question()).query, collation(language)
    initials = tuple(index.initials(field, query=query, language=language))
    chosen = order.letter(letter)
    if letter.strip() == OTHER:
        has_any = any(each.value == OTHER for each in initials)
        values = _unlettered(index, field, query, after=after, limit=limit + 1) if has_any else []
    elif order.signs:
        walk = _Walk(index, field, query, order, (order.key(after), after))
        values = list(islice(walk.values(order.prefix(letter)), limit + 1))
    else:
        values = index.values(field, prefix=chosen, after=after, limit=limit + 1, query=query)
    shown = tuple(values[:limit])
    following = shown[-1].value if len(values) > limit else None
    return Letters(field, initials, OTHER if letter.strip() == OTHER else chosen, shown, following)


def newest(index: Index, question: Question | None = None, *, limit: int = 20) -> tuple[Hit, ...]:
    """Give what came into the library last."""
    query = (question or Question()).query
    return index.search(query, limit=min(limit, MOST_NEWEST), order=Order.ADDED).hits


def _unlettered(index: Index, field: str, query: Query, *, after: str, limit: int) -> list[Counted]:
    """Values that begin with no letter. They lie between others; each alphabet of these is leapt over."""
    found: list[Counted] = []
    for _ in range(_MOST_LEAPS):
        page = index.values(field, after=after, limit=limit, query=query)
        for counted in page:
            initial = fold(counted.value)[:1]
            if initial.isalpha():
                after = _last_beside(initial) + _LAST
                break
            found.append(counted)
            after = counted.value
        else:
            if len(page) < limit:
                break
        if len(found) >= limit:
            break
    return found[:limit]


@lru_cache(maxsize=1024)
def _last_beside(letter: str) -> str:
    """Give the last letter before the next sign that is none, in the order of their numbers: z for a."""
    code = ord(letter)
    while code < sys.maxunicode and chr(code + 1).isalpha():
        code += 1
    return chr(code)


def _by_name(values: Iterable[Counted], order: Collation) -> tuple[Counted, ...]:
    return tuple(sorted(values, key=lambda counted: order.key(counted.value)))


@dataclass(frozen=True, slots=True)
class _Walk:
    """Values in the order of a language, out of an index that has them in the order of folded letters.

    Where few values begin alike, they are sorted here; where many do, the following letters are gone through
    one by one, in the order of the language. Thus a page costs a few thousand values, however many there are.
    """

    index: Index
    field: str
    query: Query
    order: Collation
    after: tuple[str, str]  # the key and the value behind which values are wanted

    def values(self, prefix: str) -> Iterator[Counted]:
        """Give the values whose keys begin so."""
        last = self.after[0]
        if last > prefix and not last.startswith(prefix):
            return  # all of them come before
        start = self.order.folded(prefix)
        found = self.index.values(self.field, prefix=start, limit=MOST_SORTED + 1, query=self.query)
        if len(found) <= MOST_SORTED or len(prefix) >= _DEEPEST:
            yield from self._sorted(found, prefix)
            return
        yield from self._sorted([each for each in found if fold(each.value) == start], prefix)
        last_sign = max(self.order.signs)
        following = list(self._following(start))
        signs = [sign for sign in self.order.signs if fold(self.order.signs[sign]) in following]
        for letter in (*(each for each in following if each < last_sign), *signs):
            yield from self.values(prefix + letter)
        for letter in (each for each in following if each > last_sign):
            yield from self.values(prefix + letter)

    def _following(self, start: str) -> Iterator[str]:
        """Give the folded letters that follow a beginning, in their order."""
        after = start
        for _ in range(_MOST_LEAPS):
            page = self.index.values(self.field, prefix=start, after=after, limit=2, query=self.query)
            longer = [folded for each in page if len(folded := fold(each.value)) > len(start)]
            if not longer:
                return
            yield longer[0][len(start)]
            after = longer[0][: len(start) + 1] + _LAST

    def _sorted(self, found: Iterable[Counted], prefix: str) -> list[Counted]:
        keyed = ((self.order.key(each.value), each.value, each) for each in found)
        kept = [each for each in keyed if each[0].startswith(prefix) and each[:2] > self.after]
        return [each for _, _, each in sorted(kept)]
