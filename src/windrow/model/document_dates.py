"""Years that begin on another day than 1 January, such as academic years: 2019/20 from 1 August 2019.

A year is counted by the day on which a document was issued. What states less than a day is taken for the
middle of what it states: 1 July of a year, the 15th of a month.

`starts` is month and day as one number, 801 for 1 August; 0 stands for calendar years. Days are numbers such
as 20190801: in these, every year is 10,000 long, whatever day it begins on.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from functools import lru_cache

from windrow.model.days import MOST_KNOWN, day_in
from windrow.model.document import Document, Moment
from windrow.model.query import And, Not, Or, Query, Range, Value, Word

YEAR = 10_000
ISSUED = "issued"  # the field that holds the day
_MIDDLE_OF_YEAR, _MIDDLE_OF_MONTH = 701, 15
_LABEL = re.compile(r"([0-9]{4})/([0-9]{2})", re.ASCII)
# The nearer to publication, the earlier; what is not listed comes last, and some dates do not count.
_KINDS = ("issued", "published", "created", "copyrighted", "date", "accepted", "submitted", "defended")
_UNFIT = frozenset(("embargo", "valid", "collected", "updated", "modified"))
_DAY_LETTERS, _MONTH_LETTERS = len("2014-05-12"), len("2014-05")


def label(year: int, starts: int) -> str:
    """Return what a year is called: 2019, or 2019/20 where it does not begin on 1 January."""
    return f"{year:04}/{(year + 1) % 100:02}" if starts else str(year)


def is_label(text: str) -> bool:
    """Return whether this is a year such as 2019/20."""
    found = _LABEL.fullmatch(text)
    return found is not None and (int(found[1]) + 1) % 100 == int(found[2])


def first_year(text: str) -> int | None:
    """Return the number of a year as it is counted: 2019 of 2019, and of 2019/20; None for anything else."""
    if is_label(text):
        return int(text[:4])
    digits = text.removeprefix("-")
    return int(text) if digits.isascii() and digits.isdecimal() else None


def year_at(day: date, starts: int) -> int:
    """Return the year that a day lies in."""
    return day.year - (day.month * 100 + day.day < starts)


def year_in(issued: int, starts: int) -> int:
    """Return the year that a day, written as a number, lies in."""
    return (issued - starts) // YEAR


def counted_year(document: Document, starts: int) -> str | None:
    """Return the year that a document is counted under, as it is called."""
    if not starts:
        return None if document.year is None else str(document.year)
    issued = issued_on(document)
    return None if issued is None else label(year_in(issued, starts), starts)


def issued_on(document: Document) -> int | None:
    """Return the day on which a document was issued; None where it has no year of four digits.

    Of the dates in the document's year, one that states a month goes before one that does not, then the one
    nearest to publication, then one without a clock time, which machines add.
    """
    year = document.year
    if year is None or not 0 < year < YEAR:
        return None
    dates = document.dates
    if len(dates) == 1:
        return _day_of(dates[0], year) or year * YEAR + _MIDDLE_OF_YEAR
    found = [(_rank(each), day) for each in dates if (day := _day_of(each, year))]
    return min(found)[1] if found else year * YEAR + _MIDDLE_OF_YEAR


def _rank(moment: Moment) -> tuple[int, bool]:
    place = _KINDS.index(moment.kind) if moment.kind in _KINDS else len(_KINDS)
    return place, len(moment.text) > _DAY_LETTERS


@lru_cache(MOST_KNOWN)
def _day_of(moment: Moment, year: int) -> int | None:
    """Return the day of a date that states at least a month of this year."""
    day = day_in(moment.text)
    if len(day) < _MONTH_LETTERS or moment.kind in _UNFIT or int(day[:4]) != year:
        return None
    month = int(day[5:7])
    if not 1 <= month <= 12:
        return None
    exact = int(day[8:10]) if len(day) == _DAY_LETTERS else _MIDDLE_OF_MONTH
    return year * YEAR + month * 100 + exact if 1 <= exact <= 31 else None


def resolved(query: Query, starts: int) -> Query:
    """Return a query with every year such as 2019/20 in it replaced by the days that it lasts.

    Where years begin on 1 January there are no such years, and what asks for one finds nothing.
    """
    match query:
        case Range(field="year", low=low, high=high):
            if not any(bound is not None and is_label(bound) for bound in (low, high)):
                return query
            return _days(query, starts)
        case Value(text=text, field="year") | Word(text=text, field="year") if is_label(text):
            return _days(Range("year", text, text), starts)
        case And(parts=parts) | Or(parts=parts):
            inner = tuple(resolved(part, starts) for part in parts)
            return query if _are_same(inner, parts) else replace(query, parts=inner)
        case Not(part=part):
            found = resolved(part, starts)
            return query if found is part else Not(found)
        case _:
            return query


def _are_same(some: Sequence[Query], others: Sequence[Query]) -> bool:
    return all(one is other for one, other in zip(some, others, strict=True))


def _days(query: Range, starts: int) -> Query:
    """Return the range of days for a range of years; an end of it may be a calendar year."""
    if not starts:
        return Range(ISSUED, "1", "0")
    after, before = YEAR * (not query.is_low_inside), YEAR * (not query.is_high_inside)
    low = None if query.low is None else str(_first_day(query.low, starts) + after)
    high = None if query.high is None else str(_first_day(query.high, starts) + YEAR - 1 - before)
    return Range(ISSUED, low, high)


def _first_day(year: str, starts: int) -> int:
    return (first_year(year) or 0) * YEAR + (starts if is_label(year) else 0)
