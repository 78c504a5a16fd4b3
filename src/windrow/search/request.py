"""Search requests: the words, filters, order and page that the address of a page asks for.

`read_request` parses an address into a `SearchRequest`, which `results` runs. Every state of a page is a
`SearchRequest`, so it can also build the address of any neighbouring state. Invalid parameters never raise:
they are worked around and reported as notices.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import product
from typing import Any, NamedTuple
from urllib.parse import quote_plus, urlencode

from windrow.index.protocol import MAX_OFFSET, Order
from windrow.model.controlled_values import ControlledValues
from windrow.model.counted_fields import counted_value, department_value, normalised_value
from windrow.model.document import Unit
from windrow.model.query import And, Query, SameEvent, Value, all_of, any_of, without_values
from windrow.model.text.safe_text import strip_invisible
from windrow.model.thesaurus import Expander, Expansion, QueryAddition
from windrow.protocols.query.mistakes import Mistake
from windrow.protocols.query.query_parser import LONGEST_QUERY, Parsed, parse_query
from windrow.search.filters import (
    COLLECTION,
    EVENT_FILTERS,
    FILTERS,
    TopicLabels,
    event_condition,
    filter_condition,
    is_in_span,
    is_size,
    is_span,
    ordered_filters,
)
from windrow.search.filters import FIELDS as TOPICS

# Notices about a request or its results: a code for translation, and the text in English.

SENTENCES = {
    "bad_number": "{0} is no number for {1}; {2} was taken.",
    "number_bounded": "{1} cannot be {0}; {2} was taken.",
    "bad_order": "Results cannot be sorted by {0}.",
    "bad_year": "{0} is neither a year nor years as in 2010..2014; it finds nothing.",
    "bad_size": "{0} is neither a size in bytes nor sizes as in 10000..99999; it finds nothing.",
    "unknown_collection": "There is no collection {0}; nothing is in it.",
    "many_values": "At most {0} filters can be set at once; the others were left out.",
    "deepest": (
        "Only the first {0} of {1} results are shown. A narrower search, or an export, shows the rest."
    ),
    "beyond_end": "There is no page {0}; this is the last one.",
}
OF_FILTERS = ("bad_year", "bad_size", "unknown_collection", "many_values")


class Notice(NamedTuple):
    """One notice: its code and the values for its text."""

    code: str
    values: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self._filled(SENTENCES[self.code])

    @property
    def fault(self) -> str:
        """What is wrong, without what a page does about it: for APIs, which reject the request instead."""
        return self._filled(SENTENCES[self.code].partition(";")[0].removesuffix(".") + ".")

    @property
    def is_of_filter(self) -> bool:
        """Return whether it concerns which records match, rather than their order or page."""
        return self.code in OF_FILTERS

    def _filled(self, sentence: str) -> str:
        return sentence.format(*map(_readable, self.values))


def _readable(value: str) -> str:
    is_large = value.isascii() and value.isdecimal() and 4 < len(value) < 20
    return f"{int(value):,}" if is_large else value


# The parameters of an address. An invalid order or page is replaced by the default. An invalid filter matches
# nothing: ignoring it would find more than was requested.

PER_PAGE = 20
MAX_PER_PAGE = 100
MAX_VALUES = 40  # of all filters together
MATCH, MATCH_ALL = "match", "all"  # parameter for results that match everything
VOCABULARY = "vocabulary"  # parameter: on or off, whether vocabularies add terms
_MAX_SHOWN_LENGTH = 60


def default_order(text: str) -> Order:
    """Return the default order: newest first without words, as there is no relevance to rank by."""
    return Order.RELEVANCE if text else Order.NEWEST


def deepest_page(per_page: int) -> int:
    """Return the number of the last page that can be shown."""
    return max(MAX_OFFSET // per_page, 1)


class RequestReader:
    """Reads the parameters of one address and collects notices."""

    def __init__(
        self,
        pairs: Sequence[tuple[str, str]],
        collections: Collection[str],
        types: ControlledValues | None = None,
        topics: TopicLabels | None = None,
    ) -> None:
        self.notes: list[Notice] = []
        self._collections = collections
        self._single: dict[str, str] = {}  # of a repeated parameter, the last value counts
        self._several: dict[str, list[str]] = {}
        words: list[str] = []
        for name, value in pairs:
            stripped = value.replace("\x00", "").strip()
            if stripped and name in FILTERS:
                self._several.setdefault(name, []).append(
                    normalised_value(name, counted_value(stripped), types)
                )
                if topics is not None and name in TOPICS:
                    self._several[name].append(topics.name(counted_value(stripped)))
            elif stripped and name == "q":
                words.append(stripped)
            elif stripped:
                self._single[name] = stripped
        text = strip_invisible(" ".join(dict.fromkeys(words))).strip()  # repeated `q` parameters are combined
        # one extra character still counts as too long, and is kept in every link
        self.text = text[: LONGEST_QUERY + 1]
        self.per_page = self._number("per_page", PER_PAGE, MAX_PER_PAGE)

    def page(self) -> int:
        """The page number, limited to the deepest page."""
        return self._number("page", 1, deepest_page(self.per_page))

    def order(self) -> Order:
        usual = default_order(self.text)
        name = self._single.get("sort", "").lower()
        if not name:
            return usual
        try:
            return Order(name)
        except ValueError:
            self._note("bad_order", name)
            return usual

    def is_exact(self) -> bool:
        """True if only records that match everything are searched."""
        return self._single.get(MATCH, "").lower() == MATCH_ALL

    def is_expanded(self, *, usual: bool) -> bool:
        """Return whether vocabularies add terms to the words."""
        written = self._single.get(VOCABULARY, "").lower()
        return {"on": True, "off": False}.get(written, usual)

    def collection(self) -> str | None:
        """The collection to search in; None for the whole library."""
        name = self._single.get(COLLECTION)
        if name is not None and name not in self._collections:
            self._note("unknown_collection", name)
        return None if name is None else name[:_MAX_SHOWN_LENGTH]

    def filters(self) -> dict[str, tuple[str, ...]]:
        wanted = [(name, value) for name in FILTERS for value in dict.fromkeys(self._several.get(name, ()))]
        for name, value in wanted:
            self._note_bad(name, value)
        if len(wanted) > MAX_VALUES:
            self._note("many_values", str(MAX_VALUES))
        kept: dict[str, list[str]] = {}
        for name, value in wanted[:MAX_VALUES]:
            kept.setdefault(name, []).append(value)
        return ordered_filters(kept)

    def _number(self, name: str, usual: int, most: int) -> int:
        text = self._single.get(name, "")
        if not text:
            return usual
        digits = text.removeprefix("-")
        if not (digits.isascii() and digits.isdecimal()):
            self._note("bad_number", text, name, str(usual))
            return usual
        wanted = int(text[:10])  # longer numbers are too large anyway, and slow to parse
        taken = min(max(wanted, 1), most)
        if taken != wanted:
            self._note("number_bounded", text, name, str(taken))
        return taken

    def _note_bad(self, name: str, value: str) -> None:
        if name == "year" and not is_span(value):
            self._note("bad_year", value)
        if name == "size" and not is_size(value):
            self._note("bad_size", value)

    def _note(self, code: str, *values: str) -> None:
        shown = (
            value if len(value) <= _MAX_SHOWN_LENGTH else f"{value[:_MAX_SHOWN_LENGTH]}…" for value in values
        )
        self.notes.append(Notice(code, tuple(shown)))


Pairs = list[tuple[str, str]]


@dataclass(frozen=True)  # no slots: cached properties need a __dict__
class SearchRequest:
    """A search. Values of one filter are alternatives; all other conditions are combined with AND."""

    text: str = ""
    filters: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # in the order of FILTERS
    order: Order = Order.NEWEST
    page: int = 1
    per_page: int = PER_PAGE
    collection: str | None = None
    collections: Mapping[str, Sequence[str]] = field(
        default_factory=dict
    )  # all collections, with their sources
    notes: tuple[Notice, ...] = ()
    is_exact: bool = False  # never widened: results match everything
    language: str = ""  # of the reader, for sorting titles
    searched: str = ""  # the text searched instead, where no record matches everything
    expander: Expander | None = field(default=None, repr=False)  # if fields are bound to vocabularies
    is_expanded: bool = True  # whether vocabularies add terms
    is_expanded_usually: bool = True  # the default of `is_expanded`

    @cached_property
    def _parsed(self) -> Parsed:
        return parse_query(self.searched or self.text)

    @property
    def mistakes(self) -> tuple[Mistake, ...]:
        """What was wrong with the text, and what was done about it."""
        return parse_query(self.text).mistakes if self.searched else self._parsed.mistakes

    @property
    def faults(self) -> tuple[str, ...]:
        """Why the request cannot be answered as meant, in sentences, for clients without notices."""
        mistakes = (mistake.sentence for mistake in self.mistakes if mistake.finds_nothing)
        return (*(note.fault for note in self.notes), *mistakes)

    @property
    def words(self) -> Query:
        """The text alone, as a query."""
        return self._parsed.query

    @cached_property
    def expansion(self) -> Expansion:
        """The words as a query, with terms from vocabularies."""
        if self.expander is None or not self.is_expanded:
            return Expansion(self.words)
        return self.expander.expand(self.words, self.collection)

    @cached_property
    def marked(self) -> Query:
        """The query for highlighting, without the thousands of values that narrower concepts expand to."""
        return without_values(self.expansion.query)

    @property
    def stated(self) -> Query:
        return replace(self, expander=None).query

    @property
    def additions(self) -> tuple[QueryAddition, ...]:
        return self.expansion.additions

    def meaning(self, query: Query) -> Query:
        """Return part of the words with terms from vocabularies."""
        if self.expander is None or not self.is_expanded:
            return query
        return self.expander.expand(query, self.collection).query

    @cached_property
    def query(self) -> Query:
        """The whole request as a query."""
        return self.query_without()

    def query_without(self, *fields: str) -> Query:
        """Return the query without some filters, for counting their values. "collection" counts as one."""
        return self.query_adding({}, *fields)

    def query_adding(self, more: Mapping[str, str], *without: str) -> Query:
        """Return the query without some filters, with added values of event fields."""
        kept = {name: found for name, found in self.filters.items() if name not in without}
        others = [name for name in kept if name not in EVENT_FILTERS]
        of_events = [name for name in kept if name in EVENT_FILTERS]
        narrow = self.narrowed
        parts = [narrow(any_of(filter_condition(name, value) for value in kept[name])) for name in others]
        events = [
            *(narrow(any_of(event_condition(name, value) for value in kept[name])) for name in of_events),
            *(event_condition(name, value) for name, value in more.items()),
        ]
        parts.insert(0, _with_events(self.expansion.query, events))
        if kept.keys() >= {
            "institution",
            "department",
        }:  # a record may have a department in each of several institutions
            parts.append(any_of(_units(kept["institution"], kept["department"])))
        if self.collection is not None and COLLECTION not in without:
            sources = self.collections.get(self.collection, ())
            parts.append(any_of(Value(source, "source") for source in sources))
        return all_of(parts)

    def narrowed(self, condition: Query) -> Query:
        """Return a filter that includes the concepts below those it names by URI."""
        return condition if self.expander is None else self.expander.narrow(condition, self.collection)

    def asks_of_events(self, *without: str) -> bool:
        """Return whether there are conditions on one event, ignoring some filters."""
        parts = self.words.parts if isinstance(self.words, And) else (self.words,)
        is_stated = sum(isinstance(part, SameEvent) for part in parts) == 1
        return is_stated or any(name in EVENT_FILTERS and name not in without for name in self.filters)

    @property
    def offset(self) -> int:
        return (self.page - 1) * self.per_page

    @property
    def deepest_page(self) -> int:
        return deepest_page(self.per_page)

    def pairs(self) -> Pairs:
        """Return the parameters of its address in a fixed order, without defaults."""
        found = [("q", self.text)] if self.text else []
        if self.collection is not None:
            found.append((COLLECTION, self.collection))
        found += [(name, value) for name, values in self.filters.items() for value in values]
        if self.is_exact:
            found.append((MATCH, MATCH_ALL))
        if self.is_expanded != self.is_expanded_usually:
            found.append((VOCABULARY, "on" if self.is_expanded else "off"))
        if self.order is not default_order(self.text):
            found.append(("sort", self.order.value))
        if self.per_page != PER_PAGE:
            found.append(("per_page", str(self.per_page)))
        if self.page > 1:
            found.append(("page", str(self.page)))
        return found

    def address(self, path: str = "/search", **changes: Any) -> str:
        """Return the address of this request; with changes, from the first page."""
        asked = replace(self, **{"page": 1, **changes}) if changes else self
        written = urlencode(asked.pairs(), errors="replace")
        return f"{path}?{written}" if written else path

    def rewritten(self, text: str) -> SearchRequest:
        """Return the same request with another text, from the first page."""
        order = default_order(text) if self.order is default_order(self.text) else self.order
        return replace(self, text=text, searched="", order=order, page=1, notes=())

    def as_searched(self) -> SearchRequest:
        """Return the request whose text is what was actually searched."""
        return replace(self, text=self.searched, searched="") if self.searched else self

    def adding(self, name: str, value: str) -> SearchRequest:
        """Return the request with one more filter, or, for "collection", within that collection."""
        if name == COLLECTION:
            return replace(self, collection=value, page=1)
        return self.choosing(name, (*self.filters.get(name, ()), value))

    def removing(self, name: str, value: str) -> SearchRequest:
        """Return the request without one filter value."""
        if name == COLLECTION:
            return replace(self, collection=None, page=1)
        return self.choosing(name, (each for each in self.filters.get(name, ()) if each != value))

    def choosing(self, name: str, values: Iterable[str]) -> SearchRequest:
        """Return the request with exactly these values of one filter."""
        return replace(self, filters=ordered_filters({**self.filters, name: tuple(values)}), page=1)

    def turning(self, page: int) -> SearchRequest:
        return replace(self, page=page)

    def ordered(self, order: Order) -> SearchRequest:
        return replace(self, order=order, page=1)

    def wants_year(self, year: str) -> bool:
        """Return whether the year filter includes a year; without the filter, all years match."""
        values = self.filters.get("year", ())
        return not values or any(is_in_span(span, year) for span in values)

    def is_chosen(self, name: str, value: str) -> bool:
        """Return whether a filter has a value; a year may also be within a selected range."""
        values = self.filters.get(name, ())
        if name == COLLECTION:
            return self.collection == value
        if name != "year" or value in values:
            return value in values
        return any(is_in_span(span, value) for span in values)


def _with_events(words: Query, conditions: Sequence[Query]) -> Query:
    """Return the query for words and for conditions on one event.

    Where the words already have conditions on an event, they apply to the same one: a place added to
    `event:(period:2002p1)` must be that of an occasion in that period.
    """
    if not conditions:
        return words
    parts = words.parts if isinstance(words, And) else (words,)
    stated = [part for part in parts if isinstance(part, SameEvent)]
    if len(stated) == 1:
        parts = tuple(part for part in parts if part is not stated[0])
        conditions = (stated[0].part, *conditions)
    return all_of((*parts, SameEvent(all_of(conditions))))


def _units(institutions: Iterable[str], departments: Iterable[str]) -> Iterator[Query]:
    for institution, department in product(institutions, departments):
        yield Value(department_value(Unit(institution, department)), "unit")


@lru_cache(maxsize=4096)  # the same types, languages and subjects recur
def filter_address(name: str, value: str) -> str:
    """Return the address of all records with a value in a field, or with its concept.

    Needs no `SearchRequest`: a page has dozens of these links, and a request for each would take longer than
    the rest of the page.
    """
    written = quote_plus(normalised_value(name, value), errors="replace")
    return f"/search?{name}={written}" if name in FILTERS else "/search"


def read_request(
    pairs: Sequence[tuple[str, str]],
    *,
    collections: Mapping[str, Sequence[str]] | None = None,
    types: ControlledValues | None = None,
    topics: TopicLabels | None = None,
    expander: Expander | None = None,
) -> SearchRequest:
    """Read a search request from the parameters of an address; unknown ones are ignored.

    Never raises: invalid values are worked around and listed in `notes`. `collections` maps the available
    collections to their sources. A filter by any wording of a type, access right or licence becomes one by
    its concept; `types` is the type table extended by the configuration. A topic's wording also matches the
    topic that it is counted under. `expander` adds terms from vocabularies if the address, or by default the
    configuration, enables it.
    """
    reading = RequestReader(pairs, collections or {}, types, topics)
    is_usual = expander is None or expander.is_usual
    return SearchRequest(
        text=reading.text,
        filters=reading.filters(),
        order=reading.order(),
        per_page=reading.per_page,
        page=reading.page(),
        collection=reading.collection(),
        collections=collections or {},
        notes=tuple(reading.notes),
        is_exact=reading.is_exact(),
        expander=expander,
        is_expanded=reading.is_expanded(usual=is_usual),
        is_expanded_usually=is_usual,
    )
