"""What somebody asks, as the address of a page says it: words, filters, order and page.

The first step of every search: `asking` reads an address to a Question, `results` looks it up. Every state of
a page is one of these, so a Question can also write the address of any other state next to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import product
from typing import Any
from urllib.parse import quote_plus, urlencode

from windrow.finding.asking import (
    MATCH,
    MATCH_ALL,
    PER_PAGE,
    VOCABULARY,
    Reading,
    deepest_page,
    default_order,
)
from windrow.finding.filters import (
    COLLECTION,
    EVENT_FILTERS,
    FILTERS,
    condition_of,
    event_condition,
    ordered_filters,
    spans,
)
from windrow.finding.notes import Note
from windrow.finding.topic_labels import TopicLabels
from windrow.index.protocol import Order
from windrow.model.concepts import ConceptTable
from windrow.model.document import Unit
from windrow.model.expansion import Addition, Expander, Expansion
from windrow.model.facts import unit_fact
from windrow.model.normalising import normalised
from windrow.model.query import And, Query, SameEvent, Value, all_of, any_of, without_values
from windrow.wire.query.mistakes import Mistake
from windrow.wire.query.parse import Parsed, parse_query

Pairs = list[tuple[str, str]]


@dataclass(frozen=True)  # without slots: what is made of the text is kept
class Question:
    """What is asked. Values of one filter are alternatives; everything else must hold at once."""

    text: str = ""
    filters: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # in the order of FILTERS
    order: Order = Order.NEWEST
    page: int = 1
    per_page: int = PER_PAGE
    collection: str | None = None
    collections: Mapping[str, Sequence[str]] = field(
        default_factory=dict
    )  # all there are, with their sources
    notes: tuple[Note, ...] = ()
    is_exact: bool = False  # never widened: what is found has all that was asked for
    language: str = ""  # of the reader, in whose order titles are
    searched: str = ""  # what is searched instead of the text, where no record has everything
    expander: Expander | None = field(default=None, repr=False)  # where fields are bound to vocabularies
    is_expanded: bool = True  # whether vocabularies add to the words
    is_expanded_usually: bool = True  # where the address does not say

    @cached_property
    def _parsed(self) -> Parsed:
        return parse_query(self.searched or self.text)

    @property
    def mistakes(self) -> tuple[Mistake, ...]:
        """What was wrong with the text, and what was done about it."""
        return parse_query(self.text).mistakes if self.searched else self._parsed.mistakes

    @property
    def faults(self) -> tuple[str, ...]:
        """Why this cannot mean what was meant, in sentences: for those who have no page to explain it on."""
        mistakes = (mistake.sentence for mistake in self.mistakes if mistake.finds_nothing)
        return (*(note.fault for note in self.notes), *mistakes)

    @property
    def words(self) -> Query:
        """The text alone, as a tree."""
        return self._parsed.query

    @cached_property
    def expansion(self) -> Expansion:
        """The words as a tree, with what vocabularies add to them."""
        if self.expander is None or not self.is_expanded:
            return Expansion(self.words)
        return self.expander.expand(self.words, self.collection)

    @cached_property
    def marked(self) -> Query:
        """What is marked in texts: not the thousands of values that narrower concepts come to."""
        return without_values(self.expansion.query)

    @property
    def stated(self) -> Query:
        """Everything that is asked, without what vocabularies add."""
        return replace(self, expander=None).query

    @property
    def additions(self) -> tuple[Addition, ...]:
        """What vocabularies add to the words."""
        return self.expansion.additions

    def meaning(self, query: Query) -> Query:
        """Return a part of the words with what vocabularies add to it."""
        if self.expander is None or not self.is_expanded:
            return query
        return self.expander.expand(query, self.collection).query

    @cached_property
    def query(self) -> Query:
        """Everything that is asked, as a tree."""
        return self.query_without()

    def query_without(self, *fields: str) -> Query:
        """Everything but some filters: what the values of these are counted over. "collection" is one too."""
        return self.query_adding({}, *fields)

    def query_adding(self, more: Mapping[str, str], *without: str) -> Query:
        """Return everything that is asked but some filters, with a value in some fields of events besides."""
        kept = {name: found for name, found in self.filters.items() if name not in without}
        others = [name for name in kept if name not in EVENT_FILTERS]
        of_events = [name for name in kept if name in EVENT_FILTERS]
        narrow = self.narrowed
        parts = [narrow(any_of(condition_of(name, value) for value in kept[name])) for name in others]
        events = [
            *(narrow(any_of(event_condition(name, value) for value in kept[name])) for name in of_events),
            *(event_condition(name, value) for name, value in more.items()),
        ]
        parts.insert(0, _with_events(self.expansion.query, events))
        if kept.keys() >= {
            "institution",
            "department",
        }:  # a record may have one department in each of several
            parts.append(any_of(_units(kept["institution"], kept["department"])))
        if self.collection is not None and COLLECTION not in without:
            sources = self.collections.get(self.collection, ())
            parts.append(any_of(Value(source, "source") for source in sources))
        return all_of(parts)

    def narrowed(self, condition: Query) -> Query:
        """Return a filter that also has what lies below the concepts it names by URI."""
        return condition if self.expander is None else self.expander.narrow(condition, self.collection)

    def asks_of_events(self, *without: str) -> bool:
        """Return whether something is asked of one event, but for some filters."""
        parts = self.words.parts if isinstance(self.words, And) else (self.words,)
        is_stated = sum(isinstance(part, SameEvent) for part in parts) == 1
        return is_stated or any(name in EVENT_FILTERS and name not in without for name in self.filters)

    @property
    def offset(self) -> int:
        """How many results come before this page."""
        return (self.page - 1) * self.per_page

    @property
    def deepest_page(self) -> int:
        """The last page that can be shown, however much is found."""
        return deepest_page(self.per_page)

    def pairs(self) -> Pairs:
        """The parameters of its address, always in the same order; what goes without saying is left out."""
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
        """The address under which exactly this is found; or this with changes, from its first page on."""
        asked = replace(self, **{"page": 1, **changes}) if changes else self
        written = urlencode(asked.pairs(), errors="replace")
        return f"{path}?{written}" if written else path

    def rewritten(self, text: str) -> Question:
        """Return the same in other words, from its first page on."""
        order = default_order(text) if self.order is default_order(self.text) else self.order
        return replace(self, text=text, searched="", order=order, page=1, notes=())

    def as_searched(self) -> Question:
        """Return the question whose text finds by itself, and everywhere, what was searched."""
        return replace(self, text=self.searched, searched="") if self.searched else self

    def adding(self, name: str, value: str) -> Question:
        """The same with one more filter, or, for "collection", within that one."""
        if name == COLLECTION:
            return replace(self, collection=value, page=1)
        return self.choosing(name, (*self.filters.get(name, ()), value))

    def removing(self, name: str, value: str) -> Question:
        """The same without a filter."""
        if name == COLLECTION:
            return replace(self, collection=None, page=1)
        return self.choosing(name, (each for each in self.filters.get(name, ()) if each != value))

    def choosing(self, name: str, values: Iterable[str]) -> Question:
        """The same with just these values of one filter."""
        return replace(self, filters=ordered_filters({**self.filters, name: tuple(values)}), page=1)

    def turning(self, page: int) -> Question:
        """Another page of the same."""
        return replace(self, page=page)

    def ordered(self, order: Order) -> Question:
        """The same in another order."""
        return replace(self, order=order, page=1)

    def wants_year(self, year: str) -> bool:
        """Whether a year is among those that are asked for: all of them, where none is."""
        values = self.filters.get("year", ())
        return not values or any(spans(span, year) for span in values)

    def is_chosen(self, name: str, value: str) -> bool:
        """Whether a filter is set to a value; for a year also whether it is among those of a span."""
        values = self.filters.get(name, ())
        if name == COLLECTION:
            return self.collection == value
        if name != "year" or value in values:
            return value in values
        return any(spans(span, value) for span in values)


def _with_events(words: Query, conditions: Sequence[Query]) -> Query:
    """Return the query for words and for conditions on one event.

    Where the words ask for one event themselves, it is the same one: a place that is added to
    `event:(period:2002p1)` is where an occasion of that period is.
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
        yield Value(unit_fact(Unit(institution, department)), "unit")


@lru_cache(maxsize=4096)  # the same kinds, languages and subjects come again and again
def filter_address(name: str, value: str) -> str:
    """Return the address of everything with a value in a field, counted under its concept where it has one.

    A page has dozens of these; a question for each would take longer than all the rest of it.
    """
    written = quote_plus(normalised(name, value), errors="replace")
    return f"/search?{name}={written}" if name in FILTERS else "/search"


def read_question(
    pairs: Sequence[tuple[str, str]],
    *,
    collections: Mapping[str, Sequence[str]] | None = None,
    types: ConceptTable | None = None,
    topics: TopicLabels | None = None,
    expander: Expander | None = None,
) -> Question:
    """The question in the parameters of an address; those that mean nothing here are ignored.

    `collections` are those that can be asked for, with the names of their sources. Nothing is raised: what is
    odd is worked around, and in `notes`. A filter by any wording of a type, access or licence is one by its
    concept; `types` is the table of types where the owner has extended it. By a wording of a topic that is
    counted under another one, either of the two is looked for. `expander` adds what vocabularies know to the
    words, if the address or, where that does not say, the settings want it.
    """
    reading = Reading(pairs, collections or {}, types, topics)
    is_usual = expander is None or expander.is_usual
    return Question(
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
