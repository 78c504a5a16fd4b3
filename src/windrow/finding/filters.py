"""The filters of a search: which there are, how their values are written, and what each asks for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from windrow.config.appearance import FACET_FIELDS
from windrow.model.query import NOTHING, Query, Range, Value

FILTERS = FACET_FIELDS  # whatever can be counted beside results can be chosen there
SPANNED = ("year", "size")  # whose values may be ranges
COLLECTION = "collection"  # written like a filter; a search is within one at most
_SPAN = re.compile(r"([0-9]{1,4})?\.\.([0-9]{1,4})?|[0-9]{1,4}")
_SIZES = re.compile(r"([0-9]{1,15})?\.\.([0-9]{1,15})?|[0-9]{1,15}")


def ordered_filters(filters: Mapping[str, Iterable[str]]) -> dict[str, tuple[str, ...]]:
    """Filters and their values in an order of their own, each once: the same question has one address."""
    found = {name: set(values) for name, values in filters.items()}
    return {name: tuple(sorted(found[name])) for name in FILTERS if found.get(name)}


def is_span(text: str) -> bool:
    """Whether this is a year, or years as in 2010..2014, where either end may be open."""
    return text != ".." and _SPAN.fullmatch(text) is not None


def is_size(text: str) -> bool:
    """Whether this is a number of bytes, or numbers as in 10000..99999, where either end may be open."""
    return text != ".." and _SIZES.fullmatch(text) is not None


def spans(span: str, year: int) -> bool:
    """Whether a year is among those of a span."""
    if not is_span(span):
        return False
    low, high = ends_of(span)
    return (not low or int(low) <= year) and (not high or year <= int(high))


def condition_of(name: str, value: str) -> Query:
    """What a filter asks for."""
    if name not in SPANNED:
        return Value(value, name)
    if not (is_span(value) if name == "year" else is_size(value)):
        return NOTHING
    low, high = ends_of(value)
    return Range(name, low or None, high or None)


def ends_of(span: str) -> tuple[str, str]:
    """Give the lower and the upper end of a span, either of which may be open; of one value it is both."""
    low, dots, high = span.partition("..")
    if low and high and int(low) > int(high):  # written the wrong way round, by hand or on a command line
        low, high = high, low
    return (low, high) if dots else (span, span)
