"""Rendering of query trees as Tantivy queries, which find exactly what `model.matching` defines.

Words are searched in `core` and the long texts, with their stems; phrases in each default field. Facet
conditions filter without affecting the score.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import comb

from tantivy import Query as Question

from windrow.errors import QueryTooCostly
from windrow.index.protocol import TALLIED
from windrow.index.tantivy import clauses
from windrow.index.tantivy.clauses import ANY, AnswerCache, Dictionary, escaped
from windrow.index.tantivy.layout import (
    APART,
    CORE,
    DATE,
    DAY,
    DEFAULT_WORDS,
    DESCRIPTION,
    EVENTS,
    FACTS,
    IDENTIFIER,
    LONGEST_TOKEN,
    MEASURED,
    NOTES,
    NUMBERS,
    SET,
    SLOT_LETTERS,
    SLOTS,
    TEXT,
    TITLE_KEY,
    event_value,
    fact_field,
)
from windrow.index.tantivy.word_rendering import (
    NOTES_WEIGHT,
    WordRenderer,
    cover_parts,
    match_whole_title,
    person_terms,
    prefer_as_written,
    rank_above,
)
from windrow.model.counted_fields import counted_value
from windrow.model.document import Document, DocumentDate, Event
from windrow.model.document_view import DocumentView, EventView
from windrow.model.matching import compile_query, ordering_key
from windrow.model.query import (
    FIELDS,
    And,
    AtLeast,
    Everything,
    FieldKind,
    Not,
    Or,
    Phrase,
    Query,
    Range,
    SameEvent,
    Value,
    Word,
    is_exact,
    spelled_out,
)
from windrow.model.text.folding import fold, folded_words
from windrow.model.text.proper_names import Keys, people_beside, with_inverted_name
from windrow.model.text.word_forms import with_joined

# Conditions on events, all of which must hold for the same event. An event is indexed as a row of terms, one
# for each slot (see `rows`). The terms of a slot that satisfy a condition are determined from its dictionary
# with the matcher of `model.matching`. A phrase with these terms at their positions can only match within one
# event.

MAX_WAYS = 200  # alternatives for an event that satisfies the query, each a query of its own
MAX_VALUES = 50_000  # values of a slot that a condition is tested on
CACHED_CONDITIONS = 256

Leaf = Word | Phrase | Value | Range
Way = Mapping[str, frozenset[str]]  # for some slots, the permitted terms


class EventRenderer:
    """Renders conditions on events. The values of a slot are read once."""

    def __init__(self, dictionary: Dictionary) -> None:
        self._dictionary = dictionary
        self._slots: AnswerCache[str, frozenset[str]] = AnswerCache(len(SLOTS))
        self._fits: AnswerCache[tuple[Leaf, str], frozenset[str]] = AnswerCache(CACHED_CONDITIONS)

    def condition(self, leaf: Leaf, field: str) -> Question:
        """Match documents with an event that satisfies one condition."""
        return clauses.terms(EVENTS, sorted(self._fitting(leaf, field)))

    def same(self, part: Query) -> Question:
        """Match documents with one event that satisfies the whole query."""
        return clauses.any_of([self._render(way) for way in self._ways(part, is_wanted=True)])

    def _ways(self, part: Query, *, is_wanted: bool) -> list[Way]:
        """Return the alternative ways in which an event can satisfy the query, or fail to."""
        match part:
            case Everything():
                return [{}] if is_wanted else []
            case Not(inner):
                return self._ways(inner, is_wanted=not is_wanted)
            case SameEvent(inner):
                return self._ways(inner, is_wanted=is_wanted)
            case And(parts) | Or(parts):
                each = [self._ways(inner, is_wanted=is_wanted) for inner in parts]
                if isinstance(part, And) is is_wanted:
                    return _combined(each)
                return _bounded(_united(way for ways in each for way in ways))
            case AtLeast(number, parts):
                if comb(len(parts), number) > MAX_WAYS:
                    raise QueryTooCostly("event")
                return self._ways(spelled_out(part), is_wanted=is_wanted)
            case _:
                return self._leaf(part, is_wanted=is_wanted)

    def _leaf(self, leaf: Leaf, *, is_wanted: bool) -> list[Way]:
        fitting = {slot: self._fitting(leaf, slot) for slot in SLOTS}
        if is_wanted:
            return [{slot: tokens} for slot, tokens in fitting.items() if tokens]
        return [{slot: self._known(slot) - tokens for slot, tokens in fitting.items() if tokens}]

    def _known(self, slot: str) -> frozenset[str]:
        letter = SLOT_LETTERS[slot]
        return self._slots.get(slot, lambda: frozenset(self._dictionary(EVENTS, letter, MAX_VALUES)))

    def _is_any(self, slot: str, tokens: frozenset[str]) -> bool:
        known = self._known(slot)
        return tokens == known and len(known) < MAX_VALUES  # a longer dictionary is only partly known

    def _fitting(self, leaf: Leaf, slot: str) -> frozenset[str]:
        return self._fits.get((leaf, slot), lambda: self._judge(leaf, slot))

    def _judge(self, leaf: Leaf, slot: str) -> frozenset[str]:
        judge = compile_query(leaf)
        return frozenset(
            token for token in self._known(slot) if judge(EventView(Event(**{slot: event_value(token)})))
        )

    def _render(self, way: Way) -> Question:
        # Every event has a term in each slot, so a slot that may hold any term is no condition.
        way = {slot: tokens for slot, tokens in way.items() if not self._is_any(slot, tokens)}
        if not way:
            return clauses.terms(
                EVENTS, sorted(self._known(min(SLOTS, key=lambda slot: len(self._known(slot)))))
            )
        slots = sorted(way, key=SLOTS.index)
        if len(slots) == 1:
            return clauses.terms(EVENTS, sorted(way[slots[0]]))
        places = [SLOTS.index(slot) for slot in slots]
        return clauses.places(EVENTS, places, [sorted(way[slot]) for slot in slots])


def _combined(each: Iterable[Sequence[Way]]) -> list[Way]:
    """Combine one alternative of each, where they are compatible."""
    found: list[Way] = [{}]
    for ways in each:
        both = (_both(one, other) for one in found for other in ways)
        found = _bounded(way for way in both if way is not None)
    return found


def _both(one: Way, other: Way) -> Way | None:
    together = dict(one)
    for slot, tokens in other.items():
        together[slot] = together[slot] & tokens if slot in together else tokens
    return together if all(together.values()) else None


def _united(ways: Iterable[Way]) -> list[Way]:
    """Merge alternatives that are conditions on the same single slot."""
    slots: dict[str, frozenset[str]] = {}
    others: list[Way] = []
    for way in ways:
        if len(way) == 1:
            ((slot, tokens),) = way.items()
            slots[slot] = slots.get(slot, frozenset()) | tokens
        else:
            others.append(way)
    return [*({slot: tokens} for slot, tokens in slots.items()), *others]


def _bounded(ways: Iterable[Way]) -> list[Way]:
    found: list[Way] = []
    for way in ways:
        if way not in found:
            found.append(way)
        if len(found) > MAX_WAYS:
            raise QueryTooCostly("event")
    return found


# Ranges: numbers and days as numbers, texts as regular expressions over the dictionary.

_DAY = re.compile(r"[0-9]{4}(?:-[0-9]{2}(?:-[0-9]{2})?)?", re.ASCII)
MAX_BOUND_LENGTH = 40  # letters, each of which adds an expression
MAX_SPELLINGS = 1_000  # of one value: in upper case, with and without diacritics
CACHED_SPELLINGS = 50_000
_GREATEST = (1 << 63) - 1
_PLACES = {"title": TITLE_KEY, IDENTIFIER: IDENTIFIER} | {name: fact_field(name) for name in FACTS}


class RangeRenderer:
    """Renders ranges. A field whose values are not indexed whole matches nothing."""

    def __init__(self, dictionary: Dictionary) -> None:
        self._dictionary = dictionary
        self._spellings: AnswerCache[tuple[str, str], tuple[str, ...]] = AnswerCache(CACHED_SPELLINGS)

    def render(self, query: Range) -> Question:
        """Return the query for values between two bounds."""
        if query.field in (*NUMBERS, *MEASURED):
            return _numbers(query)
        if query.field == DATE:
            return self._days(query)
        place = _PLACES.get(query.field)
        if place is None:
            return clauses.nothing()
        if is_exact(query) and query.field in FACTS:
            return clauses.terms(place, self.terms(query.field, [query.low or ""]))
        key = ordering_key(query.field)
        if query.low is not None and query.low == query.high and query.is_low_inside and query.is_high_inside:
            return clauses.regexes(place, [clauses.of_value(key(query.low)[:LONGEST_TOKEN])])
        low, high = (
            None if bound is None else key(bound)[:MAX_BOUND_LENGTH] for bound in (query.low, query.high)
        )
        if low is None and high is None:
            low, query = "", replace(query, is_low_inside=True)
        ends = {"with_low": query.is_low_inside, "with_high": query.is_high_inside}
        return clauses.regexes(place, clauses.of_range(low, high, **ends))

    def terms(self, field: str, texts: Sequence[str]) -> list[str]:
        """Return the terms of these values in one of FACTS, in all indexed spellings."""
        place, found = fact_field(field), dict[str, None]()
        for key in map(fold, texts):
            found.update(dict.fromkeys(self._spellings.get((place, key), partial(self._spelled, place, key))))
        return list(found)

    def _spelled(self, place: str, key: str) -> tuple[str, ...]:
        return key, *self._dictionary(place, f"{key}{APART}", MAX_SPELLINGS)

    def _days(self, query: Range) -> Question:
        bounds = [bound for bound in (query.low, query.high) if bound is not None]
        if not all(map(_DAY.fullmatch, bounds)):
            judge = compile_query(query)
            return clauses.passing(DATE, lambda day: judge(_dated(day)), self._dictionary)
        low = None if query.low is None else _edge(query.low, is_last=not query.is_low_inside)
        high = None if query.high is None else _edge(query.high, is_last=query.is_high_inside)
        if low is not None and not query.is_low_inside:
            low += 1
        if high is not None and not query.is_high_inside:
            high -= 1
        return clauses.numbers(DAY, low, high)


def _edge(bound: str, *, is_last: bool) -> int:
    """Return the first or last day that a bound of lower precision covers: a whole year, a whole month."""
    return int(bound.replace("-", "").ljust(8, "9" if is_last else "0"))


def _numbers(query: Range) -> Question:
    try:
        low = None if query.low is None else int(query.low) + (not query.is_low_inside)
        high = None if query.high is None else int(query.high) - (not query.is_high_inside)
    except ValueError:
        return clauses.nothing()
    low, high = (None if bound is None else max(-_GREATEST, min(bound, _GREATEST)) for bound in (low, high))
    return clauses.numbers(query.field, low, high)


def _dated(day: str) -> DocumentView:
    return DocumentView(Document(dates=(DocumentDate(day),)))


# The score of a person with matching initials: below the exact name, above chance matches of letters.
_PERSON_SCORE = 40.0


class Renderer:
    """Renders queries for one state of the index, using its dictionaries."""

    def __init__(
        self,
        dictionary: Dictionary,
        has_texts: Callable[[], bool],
        rarity: Callable[[str], float] = lambda _word: 1.0,
        exists: Callable[[str, str], bool] = lambda _field, _term: True,
    ) -> None:
        """`rarity` weighs a folded word, `exists` returns whether a field has a term.

        The fewer documents have a word, the higher its weight.
        """
        self._has_texts = has_texts
        self._rarity = rarity
        self._events = EventRenderer(dictionary)
        self._words = WordRenderer(dictionary, has_texts, exists)
        self._ranges = RangeRenderer(dictionary)

    def render(self, query: Query, *, is_scored: bool = True) -> Question:
        """Return the Tantivy query for a query tree."""
        if isinstance(query, Word | Phrase | Range) and query.field == "keyword":
            return self._keyword(query, is_scored)
        return self._rendered(query, is_scored)

    def rank(self, query: Query) -> Question:
        """Return the query, ranking titles of exactly these words above everything else."""
        match query:
            case Word(field=None):
                return self._words.render(query, is_scored=True, is_alone=True)
            case Phrase(field=None, slop=0):
                words = [word for text in query.words for word in folded_words(text)]
                return rank_above(self.render(query), [match_whole_title(words)])
            case _:
                return self.render(query)

    def _keyword(self, query: Word | Phrase | Range, is_scored: bool) -> Question:
        """Match keywords; for documents in formats without separate keywords, subjects, as in facets."""
        as_subject = self._rendered(replace(query, field="subject"), is_scored)
        with_keywords = self._words.render(Word("*", "keyword", is_pattern=True))
        return clauses.any_of(
            [self._rendered(query, is_scored), clauses.all_of([as_subject], but=[with_keywords])]
        )

    def _rendered(self, query: Query, is_scored: bool) -> Question:
        match query:
            case Everything():
                return clauses.everything()
            case Word():
                return self._boosted(self._word(query, is_scored), query.boost, is_scored)
            case Phrase():
                found = clauses.any_of(list(map(self._phrase, with_inverted_name(query))))
                return self._boosted(found, query.boost, is_scored)
            case Value():
                found = self._value(query)
                return clauses.unscored(found) if is_scored else found
            case Range():
                found = (
                    self._events.condition(query, query.field)
                    if _is_of_event(query.field)
                    else self._ranges.render(query)
                )
                return clauses.unscored(found) if is_scored else found
            case And(parts):
                wanted = self._together([part for part in parts if not isinstance(part, Not)], is_scored)
                unwanted = [
                    self.render(part.part, is_scored=False) for part in parts if isinstance(part, Not)
                ]
                found = clauses.all_of(wanted, but=unwanted)
                return prefer_as_written(found, parts) if is_scored else found
            case AtLeast(number, parts):
                return self._some(number, parts, is_scored)
            case Or(parts):
                values, others = self._values(parts)
                asked = [self.render(part, is_scored=is_scored) for part in others]
                return clauses.any_of([*asked, *(map(clauses.unscored, values) if is_scored else values)])
            case Not(part):
                return clauses.all_of([], but=[self.render(part, is_scored=False)])
            case SameEvent(part):
                return self._events.same(part)

    def _values(self, parts: Sequence[Query]) -> tuple[list[Question], list[Query]]:
        """Return one query per field for all parts that want a single value of it, and the other parts.

        A vocabulary concept with everything below it can amount to thousands of values.
        """
        wanted: dict[str, list[str]] = {}
        others: list[Query] = []
        for part in parts:
            if isinstance(part, Range) and is_exact(part) and _is_whole(part.field):
                wanted.setdefault(part.field, []).append(part.low or "")
            else:
                others.append(part)
        terms = ((fact_field(field), self._ranges.terms(field, texts)) for field, texts in wanted.items())
        return [clauses.terms(place, found) for place, found in terms], others

    def _some(self, number: int, parts: Sequence[Query], is_scored: bool) -> Question:
        """Match documents with at least `number` parts; more and rarer ones rank higher."""
        conditions = self._together(parts, is_scored=False)
        if not is_scored:
            return clauses.some_of(conditions, number)
        weights = [self._weight(part) for part in parts]
        scored = self._together(parts, is_scored=True)
        about = [self._words.about(part) if isinstance(part, Word) else None for part in parts]
        return cover_parts(conditions, about, scored, weights, number, parts)

    def _together(self, parts: Sequence[Query], is_scored: bool) -> list[Question]:
        """Render adjacent conditions: initials next to a name, a letter before its word."""
        found = [self.render(part, is_scored=is_scored) for part in with_joined(parts)]
        for place, (part, ways) in enumerate(zip(parts, people_beside(parts), strict=True)):
            if ways and isinstance(part, Word):
                persons = clauses.any_of([_person(part.field, keys) for keys in ways])
                liked = clauses.constant(persons, _PERSON_SCORE) if is_scored else persons
                found[place] = clauses.any_of([found[place], liked])
        return found

    def _weight(self, part: Query) -> float:
        words = folded_words(part.text) if isinstance(part, Word) else []
        return max(map(self._rarity, words), default=1.0)

    def _word(self, word: Word, is_scored: bool) -> Question:
        if word.field is not None and _is_of_event(word.field):
            return self._events.condition(word, word.field)
        return self._words.render(word, is_scored=is_scored)

    def _phrase(self, query: Phrase) -> Question:
        if query.field is not None and _is_of_event(query.field):
            return self._events.condition(query, query.field)
        words = [word for text in query.words for word in folded_words(text)]
        if not words:
            return clauses.nothing()
        if query.field is None:
            return self._phrase_anywhere(words, query.slop)
        if FIELDS[query.field].kind is not FieldKind.WORDS:
            return self._words.render(Word(" ".join(query.words), query.field))
        return _phrase_in(query.field, words, query.slop)

    def _phrase_anywhere(self, words: list[str], slop: int) -> Question:
        fields = (CORE, DESCRIPTION, NOTES, TEXT) if len(words) == 1 else DEFAULT_WORDS
        if not self._has_texts():
            fields = tuple(field for field in fields if field != TEXT)
        found = {field: _phrase_in(field, words, slop) for field in fields}
        found[NOTES] = clauses.boosted(found[NOTES], NOTES_WEIGHT)
        return clauses.any_of(list(found.values()))

    def _value(self, query: Value) -> Question:
        field, wanted = query.field, counted_value(query.text)
        if _is_of_event(field):
            return self._events.condition(query, field)
        if field not in TALLIED:
            return self._other_value(field, wanted)
        found = clauses.fact(field, wanted)
        if field != SET:
            return found
        return clauses.any_of([found, *_below(wanted)])

    def _other_value(self, field: str, wanted: str) -> Question:
        """Match a value that is not indexed whole, approximated by a phrase of its words."""
        if FIELDS[field].kind is FieldKind.WORDS:
            words = folded_words(wanted)
            return _phrase_in(field, words, 0) if words else clauses.nothing()
        return self._words.render(Word(wanted, field))

    def _boosted(self, question: Question, boost: float, is_scored: bool) -> Question:
        return clauses.boosted(question, boost) if is_scored else question


def _person(field: str | None, keys: Keys) -> Question:
    return clauses.all_of(
        [clauses.any_of([clauses.term(*term) for term in person_terms(field, key)]) for key in keys]
    )


def _phrase_in(field: str, words: list[str], slop: int) -> Question:
    if slop and len(words) > 1:
        return clauses.near(field, words, slop)
    return clauses.phrase(field, words)


def _below(wanted: str) -> list[Question]:
    """Match the sets below a set: terms with its folded prefix that end as written."""
    start = f"{wanted}:"
    folded = fold(start)
    expressions = [f"{escaped(folded)}{ANY}*{APART}{escaped(start)}{ANY}*"]
    if folded == start:
        expressions.append(f"{escaped(start)}[^{APART}]*")
    return [clauses.regexes(fact_field(SET), expressions)]


def _is_whole(field: str) -> bool:
    """Return whether the dictionary of a field's whole values alone decides on a match."""
    return field in FACTS and field != "keyword" and not _is_of_event(field)


def _is_of_event(field: str) -> bool:
    return FIELDS[field].is_of_event
