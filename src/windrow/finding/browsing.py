"""Ways through a library without a search: by institution, by letter, by year, type and language, by newness.

All of them are over a question, so a collection, or any search, can be walked through in the same way.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from windrow.finding.question import Question
from windrow.index.protocol import EVERYTHING, Counted, Hit, Index, Order, Tally
from windrow.index.units import UNITS, with_departments
from windrow.model.folding import fold
from windrow.model.query import Query, Value, all_of

LETTERED = ("creator", "subject", "keyword", "publisher")  # fields with too many values for one page
LISTED = ("institution", "department", "type", "language", "year", "source", "set")
PER_PAGE = 100
MOST_INSTITUTIONS = 500
MOST_DEPARTMENTS = 200  # of one institution
MOST_LISTED = 1000
MOST_NEWEST = 100
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


def institutions(index: Index, question: Question | None = None) -> Shelf:
    """Give institutions in the order of their names, each with its departments."""
    query = (question or Question()).query
    found, units = index.tally(query, [Tally("institution", MOST_INSTITUTIONS), UNITS])
    counts = with_departments(found, units, most=MOST_DEPARTMENTS)
    values = (counted._replace(within=_by_name(counted.within)) for counted in counts.values)
    return Shelf("institution", _by_name(values), counts.others, without(index, "institution", query))


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
) -> Letters:
    """Give a page of the values of a field under a letter, A to Z; `after` is `next` of the page before.

    What begins with no letter is under "#". An unknown letter has no values.
    """
    query = (question or Question()).query
    initials = tuple(index.initials(field, query=query))
    chosen = fold(letter.strip()).upper()[:1]
    if letter.strip() == OTHER:
        has_any = any(each.value == OTHER for each in initials)
        values = _unlettered(index, field, query, after=after, limit=limit + 1) if has_any else []
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


def _by_name(values: Iterable[Counted]) -> tuple[Counted, ...]:
    return tuple(sorted(values, key=lambda counted: fold(counted.value)))
