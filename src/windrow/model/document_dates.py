"""Document dates, and years that begin on another day than 1 January, such as the academic year 2019/20.

A document is counted in the year of its issue date. An incomplete date is taken as the middle of its period:
1 July of a year, the 15th of a month.

`starts` is month and day as one number, 801 for 1 August; 0 stands for calendar years. Days are numbers such
as 20190801, so that every year is 10,000 long, whatever its first day.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date
from functools import lru_cache

from windrow.model.document import Document, DocumentDate, Event
from windrow.model.query import And, Not, Or, Query, Range, Value, Word

# The dates of a document, in the precision of the record.

_ISO_DAY = re.compile(r"(\d{4})(?:-?(\d{2})(?:-?(\d{2}))?)?(?!\d)")
_MONTH_CHARACTERS = len("2014-05")
_LOOKED_AT = len("2014-05-12") + 1
MOST_KNOWN = 20_000  # dates that are cached: all days of fifty years


def document_days(document: Document) -> Iterator[str]:
    return filter(None, [parse_day(moment.text) for moment in document.dates])


def parse_day(text: str) -> str:
    """Return the day at the start of a date as 2014, 2014-05 or 2014-05-12, or "" if there is none."""
    return _matched_day(text[:_LOOKED_AT])


@lru_cache(MOST_KNOWN)
def _matched_day(text: str) -> str:
    day = _ISO_DAY.match(text)
    return "" if day is None else "-".join(filter(None, day.groups()))


def document_months(document: Document) -> Iterator[str]:
    for day in document_days(document):
        if len(day) >= _MONTH_CHARACTERS and int(day[:4]) == document.year:
            yield day[:_MONTH_CHARACTERS]


YEAR = 10_000
ISSUED = "issued"  # the field that holds the day
_MIDDLE_OF_YEAR, _MIDDLE_OF_MONTH = 701, 15
_LABEL = re.compile(r"([0-9]{4})/([0-9]{2})", re.ASCII)
# In order of closeness to publication. Unlisted kinds come last, and some kinds are ignored.
_KINDS = ("issued", "published", "created", "copyrighted", "date", "accepted", "submitted", "defended")
_UNFIT = frozenset(("embargo", "valid", "collected", "updated", "modified"))
_DAY_LETTERS, _MONTH_LETTERS = len("2014-05-12"), len("2014-05")


def year_label(year: int, starts: int) -> str:
    """Return the label of a year: 2019, or 2019/20 if it does not begin on 1 January."""
    return f"{year:04}/{(year + 1) % 100:02}" if starts else str(year)


def is_year_label(text: str) -> bool:
    found = _LABEL.fullmatch(text)
    return found is not None and (int(found[1]) + 1) % 100 == int(found[2])


def starting_year(text: str) -> int | None:
    """Return the number of a year: 2019 for 2019 and for 2019/20; None for anything else."""
    if is_year_label(text):
        return int(text[:4])
    digits = text.removeprefix("-")
    return int(text) if digits.isascii() and digits.isdecimal() else None


def year_of_day(day: date, starts: int) -> int:
    return day.year - (day.month * 100 + day.day < starts)


def year_of_day_number(issued: int, starts: int) -> int:
    return (issued - starts) // YEAR


def counted_year(document: Document, starts: int) -> str | None:
    if not starts:
        return None if document.year is None else str(document.year)
    issued = issued_on(document)
    return None if issued is None else year_label(year_of_day_number(issued, starts), starts)


def issued_on(document: Document) -> int | None:
    """Return the issue date of a document, or None if it has no four-digit year.

    Among the dates in the document's year, dates with a month come first, then the kinds closest to
    publication, then dates without a time of day, which are less often added by a machine.
    """
    year = document.year
    if year is None or not 0 < year < YEAR:
        return None
    dates = document.dates
    if len(dates) == 1:
        return _day_of(dates[0], year) or year * YEAR + _MIDDLE_OF_YEAR
    found = [(_rank(each), day) for each in dates if (day := _day_of(each, year))]
    return min(found)[1] if found else year * YEAR + _MIDDLE_OF_YEAR


def _rank(moment: DocumentDate) -> tuple[int, bool]:
    place = _KINDS.index(moment.kind) if moment.kind in _KINDS else len(_KINDS)
    return place, len(moment.text) > _DAY_LETTERS


@lru_cache(MOST_KNOWN)
def _day_of(moment: DocumentDate, year: int) -> int | None:
    day = parse_day(moment.text)
    if len(day) < _MONTH_LETTERS or moment.kind in _UNFIT or int(day[:4]) != year:
        return None
    month = int(day[5:7])
    if not 1 <= month <= 12:
        return None
    exact = int(day[8:10]) if len(day) == _DAY_LETTERS else _MIDDLE_OF_MONTH
    return year * YEAR + month * 100 + exact if 1 <= exact <= 31 else None


def resolve_years(query: Query, starts: int) -> Query:
    """Replace every year such as 2019/20 in a query by the range of its days.

    If years begin on 1 January, such years do not exist, and a search for one finds nothing.
    """
    match query:
        case Range(field="year", low=low, high=high):
            if not any(bound is not None and is_year_label(bound) for bound in (low, high)):
                return query
            return _range_as_days(query, starts)
        case Value(text=text, field="year") | Word(text=text, field="year") if is_year_label(text):
            return _range_as_days(Range("year", text, text), starts)
        case And(parts=parts) | Or(parts=parts):
            inner = tuple(resolve_years(part, starts) for part in parts)
            return query if _are_same(inner, parts) else replace(query, parts=inner)
        case Not(part=part):
            found = resolve_years(part, starts)
            return query if found is part else Not(found)
        case _:
            return query


def _are_same(some: Sequence[Query], others: Sequence[Query]) -> bool:
    return all(one is other for one, other in zip(some, others, strict=True))


def _range_as_days(query: Range, starts: int) -> Query:
    if not starts:
        return Range(ISSUED, "1", "0")
    after, before = YEAR * (not query.is_low_inside), YEAR * (not query.is_high_inside)
    low = None if query.low is None else str(_first_day(query.low, starts) + after)
    high = None if query.high is None else str(_first_day(query.high, starts) + YEAR - 1 - before)
    return Range(ISSUED, low, high)


def _first_day(year: str, starts: int) -> int:
    return (starting_year(year) or 0) * YEAR + (starts if is_year_label(year) else 0)


# Past and future events, as far as their time and period show.

_FULL_DATE = re.compile(r"\b([0-9]{4})-([0-9]{2})-([0-9]{2})")
_YEAR = re.compile(r"(?<![0-9])((?:1[0-9]|20)[0-9]{2})(?![0-9])")


def is_event_over(event: Event, today: date) -> bool:
    """Return whether an event was over before a day, by its last date or else by the last year it names.

    An event without a date counts as a future one.
    """
    days = [day for text in (event.time, event.period) if text for day in _named_days(text)]
    if days:
        return max(days) < today
    years = [int(year) for text in (event.time, event.period) if text for year in _YEAR.findall(text)]
    return bool(years) and max(years) < today.year


def _named_days(text: str) -> list[date]:
    found = []
    for year, month, day in _FULL_DATE.findall(text):
        try:
            found.append(date(int(year), int(month), int(day)))
        except ValueError:  # not a calendar day
            continue
    return found
