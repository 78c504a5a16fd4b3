"""The filters of a search: their names, the syntax of their values, and the query of each.

Also holds the labels of topics in the languages of the pages.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterable, Mapping

from windrow.config.collection_values import EVENT_FACETS, FACET_FIELDS
from windrow.index.protocol import EVERYTHING, MAX_COUNTED_VALUES, FacetRequest, Index
from windrow.model.document_dates import is_year_label, starting_year
from windrow.model.query import NOTHING, Query, Range, SameEvent, Value
from windrow.model.topics import decode_wordings

FILTERS = FACET_FIELDS  # every facet can be used as a filter
SPANNED = ("year", "size")  # filters whose values may be ranges
# Filters on events, with the event field of each. They must hold for one and the same event.
EVENT_FILTERS = {name: name.removeprefix("event_") for name in EVENT_FACETS}
COLLECTION = "collection"  # written like a filter; a search has at most one
_YEAR = r"(?:[0-9]{4}/[0-9]{2}|[0-9]{1,4})"
_SPAN = re.compile(rf"({_YEAR})?\.\.({_YEAR})?|{_YEAR}", re.ASCII)
_SIZES = re.compile(r"([0-9]{1,15})?\.\.([0-9]{1,15})?|[0-9]{1,15}")


def ordered_filters(filters: Mapping[str, Iterable[str]]) -> dict[str, tuple[str, ...]]:
    """Return the filters in a canonical order without duplicates, so equal searches share an address."""
    found = {name: set(values) for name, values in filters.items()}
    return {name: tuple(sorted(found[name])) for name in FILTERS if found.get(name)}


def is_span(text: str) -> bool:
    """Return whether this is a year or a range (2010..2014, 2010/11..2013/14); either end may be open."""
    if text == ".." or _SPAN.fullmatch(text) is None:
        return False
    return all(end.isdecimal() or is_year_label(end) for end in text.split("..") if end)


def is_size(text: str) -> bool:
    """Return whether this is a size in bytes or a range (10000..99999); either end may be open."""
    return text != ".." and _SIZES.fullmatch(text) is not None


def is_in_span(span: str, year: str) -> bool:
    """Return whether a range includes a year; 2019/20 is never among calendar years."""
    wanted = starting_year(year)
    if wanted is None or not is_span(span):
        return False
    low, high = span_ends(span)
    if any(end and is_year_label(end) != is_year_label(year) for end in (low, high)):
        return False
    return (not low or _number(low) <= wanted) and (not high or wanted <= _number(high))


def filter_condition(name: str, value: str) -> Query:
    if name in EVENT_FILTERS:
        return SameEvent(event_condition(name, value))
    if name not in SPANNED:
        return Value(value, name)
    if not (is_span(value) if name == "year" else is_size(value)):
        return NOTHING
    low, high = span_ends(value)
    return Range(name, low or None, high or None)


def event_condition(name: str, value: str) -> Query:
    return Value(value, EVENT_FILTERS[name])


def span_ends(span: str) -> tuple[str, str]:
    """Return both ends of a range; an open end is empty, and a single value is both ends."""
    low, dots, high = span.partition("..")
    if low and high and _number(low) > _number(high):  # ends in the wrong order
        low, high = high, low
    return (low, high) if dots else (span, span)


def _number(end: str) -> int:
    found = starting_year(end)
    assert found is not None
    return found


# Names of topics in the languages of the pages, taken from the library's records. A topic in several
# languages is counted under one of its wordings (`model.topics`). The index also counts the wordings, and the
# most used one in each language is the label.

FIELDS = ("subject", "keyword")
STALE_SECONDS = 60.0  # labels hardly change, but the index changes with every harvested page

Labels = Mapping[str, Mapping[str, str]]  # by name and language


class TopicLabels:
    """The topic labels of an index, read on demand and cached for STALE_SECONDS. Thread-safe."""

    def __init__(self, index: Index, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._index = index
        self._clock = clock
        self._lock = threading.Lock()
        self._generation: str | None = None
        self._read_at = 0.0
        self._labels: Labels = {}
        self._names: Mapping[str, str] = {}

    def label(self, name: str, language: str) -> str:
        """Return the label of a topic in a language, or its name."""
        self._refresh()
        return self._labels.get(name, {}).get(language) or name

    def name(self, wording: str) -> str:
        """Return the name that a topic is counted under, from any of its wordings; other words stay."""
        self._refresh()
        return wording if wording in self._labels else self._names.get(wording, wording)

    def _refresh(self) -> None:
        with self._lock:
            is_fresh = self._generation is not None and self._clock() - self._read_at < STALE_SECONDS
            generation = self._generation if is_fresh else self._index.generation
            if generation == self._generation:
                return
            self._labels, self._names = _read_labels(self._index)
            self._generation, self._read_at = generation, self._clock()


def _read_labels(index: Index) -> tuple[Labels, Mapping[str, str]]:
    (counts,) = index.tally(EVERYTHING, [FacetRequest("wordings", MAX_COUNTED_VALUES)])
    labels: dict[str, dict[str, str]] = {}
    names: dict[str, str] = {}
    for counted in counts.values:  # most used first
        topic = decode_wordings(counted.value)
        if topic is not None:
            for language, wording in topic.wordings.items():
                labels.setdefault(topic.name, {}).setdefault(language, wording)
                names.setdefault(wording, topic.name)
    return labels, names
