"""The filters of a search: which there are, how their values are written, and what each asks for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from windrow.config.appearance import EVENT_FACETS, FACET_FIELDS
from windrow.model.academic_years import first_year, is_label
from windrow.model.query import NOTHING, Query, Range, SameEvent, Value

FILTERS = FACET_FIELDS  # whatever can be counted beside results can be chosen there
SPANNED = ("year", "size")  # whose values may be ranges
# Filters on events, which must hold for the same one together, with the fields of an event they are about.
EVENT_FILTERS = {name: name.removeprefix("event_") for name in EVENT_FACETS}
COLLECTION = "collection"  # written like a filter; a search is within one at most
_YEAR = r"(?:[0-9]{4}/[0-9]{2}|[0-9]{1,4})"
_SPAN = re.compile(rf"({_YEAR})?\.\.({_YEAR})?|{_YEAR}", re.ASCII)
_SIZES = re.compile(r"([0-9]{1,15})?\.\.([0-9]{1,15})?|[0-9]{1,15}")


def ordered_filters(filters: Mapping[str, Iterable[str]]) -> dict[str, tuple[str, ...]]:
    """Filters and their values in an order of their own, each once: the same question has one address."""
    found = {name: set(values) for name, values in filters.items()}
    return {name: tuple(sorted(found[name])) for name in FILTERS if found.get(name)}


def is_span(text: str) -> bool:
    """Whether this is a year, or years as in 2010..2014 or 2010/11..2013/14; either end may be open."""
    if text == ".." or _SPAN.fullmatch(text) is None:
        return False
    return all(end.isdecimal() or is_label(end) for end in text.split("..") if end)


def is_size(text: str) -> bool:
    """Whether this is a number of bytes, or numbers as in 10000..99999, where either end may be open."""
    return text != ".." and _SIZES.fullmatch(text) is not None


def spans(span: str, year: str) -> bool:
    """Whether a year is among those of a span; 2019/20 is never among calendar years."""
    wanted = first_year(year)
    if wanted is None or not is_span(span):
        return False
    low, high = ends_of(span)
    if any(end and is_label(end) != is_label(year) for end in (low, high)):
        return False
    return (not low or _number(low) <= wanted) and (not high or wanted <= _number(high))


def condition_of(name: str, value: str) -> Query:
    """What a filter asks for."""
    if name in EVENT_FILTERS:
        return SameEvent(event_condition(name, value))
    if name not in SPANNED:
        return Value(value, name)
    if not (is_span(value) if name == "year" else is_size(value)):
        return NOTHING
    low, high = ends_of(value)
    return Range(name, low or None, high or None)


def event_condition(name: str, value: str) -> Query:
    """Return what a filter on events asks of one event."""
    return Value(value, EVENT_FILTERS[name])


def ends_of(span: str) -> tuple[str, str]:
    """Give the lower and the upper end of a span, either of which may be open; of one value it is both."""
    low, dots, high = span.partition("..")
    if low and high and _number(low) > _number(high):  # written the wrong way round
        low, high = high, low
    return (low, high) if dots else (span, span)


def _number(end: str) -> int:
    """A year, or a size, to be compared with another."""
    found = first_year(end)
    assert found is not None
    return found
