"""The filters of a search: which there are, how their values are written, and what each asks for."""

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
    """Return whether this is a year, or years as in 2010..2014 or 2010/11..2013/14; either end may be open."""
    if text == ".." or _SPAN.fullmatch(text) is None:
        return False
    return all(end.isdecimal() or is_year_label(end) for end in text.split("..") if end)


def is_size(text: str) -> bool:
    """Return whether this is a number of bytes, or numbers as in 10000..99999, where either end may be open."""
    return text != ".." and _SIZES.fullmatch(text) is not None


def is_in_span(span: str, year: str) -> bool:
    """Return whether a year is among those of a span; 2019/20 is never among calendar years."""
    wanted = starting_year(year)
    if wanted is None or not is_span(span):
        return False
    low, high = span_ends(span)
    if any(end and is_year_label(end) != is_year_label(year) for end in (low, high)):
        return False
    return (not low or _number(low) <= wanted) and (not high or wanted <= _number(high))


def filter_condition(name: str, value: str) -> Query:
    """What a filter asks for."""
    if name in EVENT_FILTERS:
        return SameEvent(event_condition(name, value))
    if name not in SPANNED:
        return Value(value, name)
    if not (is_span(value) if name == "year" else is_size(value)):
        return NOTHING
    low, high = span_ends(value)
    return Range(name, low or None, high or None)


def event_condition(name: str, value: str) -> Query:
    """Return what a filter on events asks of one event."""
    return Value(value, EVENT_FILTERS[name])


def span_ends(span: str) -> tuple[str, str]:
    """Return the lower and the upper end of a span, either of which may be open; of one value it is both."""
    low, dots, high = span.partition("..")
    if low and high and _number(low) > _number(high):  # written the wrong way round
        low, high = high, low
    return (low, high) if dots else (span, span)


def _number(end: str) -> int:
    """A year, or a size, to be compared with another."""
    found = starting_year(end)
    assert found is not None
    return found


# What topics are called in the languages of the pages, as the records of the library name them.
# A topic in several languages is counted under one of its wordings (`model.topics`). The index counts the
# wordings, too: the most used ones of each topic are its labels.

FIELDS = ("subject", "keyword")
STALE_SECONDS = 60.0  # labels hardly change, and an index does with every page of a harvest

Labels = Mapping[str, Mapping[str, str]]  # by name and language


class TopicLabels:
    """The labels of an index, read when they are needed and kept for a while. Thread-safe."""

    def __init__(self, index: Index, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._index = index
        self._clock = clock
        self._lock = threading.Lock()
        self._generation: str | None = None
        self._read_at = 0.0
        self._labels: Labels = {}
        self._names: Mapping[str, str] = {}

    def label(self, name: str, language: str) -> str:
        """Return what a topic is called in a language; its name where nothing else is known."""
        self._refresh()
        return self._labels.get(name, {}).get(language) or name

    def name(self, wording: str) -> str:
        """Return what a topic is counted under, by any of its wordings; a word of no such topic itself."""
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
    for counted in counts.values:  # the most used first
        topic = decode_wordings(counted.value)
        if topic is not None:
            for language, wording in topic.wordings.items():
                labels.setdefault(topic.name, {}).setdefault(language, wording)
                names.setdefault(wording, topic.name)
    return labels, names
