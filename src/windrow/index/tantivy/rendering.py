"""The query tree as a question to Tantivy: what it finds is what `model.matching` says, only sooner.

Words are asked of `core` and the long texts, with their stems; phrases of each default field. What a click
on a count asks for is a condition and no merit: it adds nothing to the score.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from tantivy import Query as Question

from windrow.index import asking
from windrow.index.asking import Dictionary
from windrow.index.layout import CORE, DEFAULT_WORDS, DESCRIPTION, FACTS, NOTES, SET, TEXT, fact_field
from windrow.index.patterns import ANY, escaped
from windrow.index.preferring import above, covering, preferring, titled
from windrow.index.protocol import TALLIED
from windrow.index.render_events import EventRenderer
from windrow.index.render_ranges import RangeRenderer
from windrow.index.render_words import NOTES_WEIGHT, WordRenderer, people
from windrow.index.tokens import APART
from windrow.model.facts import fact
from windrow.model.folding import fold, words_of
from windrow.model.joined_words import with_joined
from windrow.model.name_order import either_way
from windrow.model.person_names import Keys, people_beside
from windrow.model.query import (
    And,
    AtLeast,
    Everything,
    Not,
    Or,
    Phrase,
    Query,
    Range,
    SameEvent,
    Value,
    Word,
    is_exact,
)
from windrow.model.query_fields import FIELDS, FieldKind

_PERSON_SCORE = 40.0  # of initials that are those of a person: below the exact name, above letters by chance


class Renderer:
    """Renders queries for one state of the index, whose dictionaries it may look things up in."""

    def __init__(
        self,
        dictionary: Dictionary,
        has_texts: Callable[[], bool],
        rarity: Callable[[str], float] = lambda _word: 1.0,
        exists: Callable[[str, str], bool] = lambda _field, _term: True,
    ) -> None:
        """`rarity` weighs a folded word: the fewer documents have it, the more it says.

        `exists` says whether a field has a term at all.
        """
        self._has_texts = has_texts
        self._rarity = rarity
        self._events = EventRenderer(dictionary)
        self._words = WordRenderer(dictionary, has_texts, exists)
        self._ranges = RangeRenderer(dictionary)

    def render(self, query: Query, *, is_scored: bool = True) -> Question:
        """The question that finds the same documents."""
        if isinstance(query, Word | Phrase | Range) and query.field == "keyword":
            return self._keyword(query, is_scored)
        return self._rendered(query, is_scored)

    def rank(self, query: Query) -> Question:
        """The question with a title of just these words before everything else that it finds."""
        match query:
            case Word(field=None):
                return self._words.render(query, is_scored=True, is_alone=True)
            case Phrase(field=None, slop=0):
                words = [word for text in query.words for word in words_of(text)]
                return above(self.render(query), [titled(words)])
            case _:
                return self.render(query)

    def _keyword(self, query: Word | Phrase | Range, is_scored: bool) -> Question:
        """Keywords; of documents in formats that do not tell them apart, subjects: as they are counted."""
        as_subject = self._rendered(replace(query, field="subject"), is_scored)
        with_keywords = self._words.render(Word("*", "keyword", is_pattern=True))
        return asking.any_of(
            [self._rendered(query, is_scored), asking.all_of([as_subject], but=[with_keywords])]
        )

    def _rendered(self, query: Query, is_scored: bool) -> Question:
        match query:
            case Everything():
                return asking.everything()
            case Word():
                return self._boosted(self._word(query, is_scored), query.boost, is_scored)
            case Phrase():
                found = asking.any_of(list(map(self._phrase, either_way(query))))
                return self._boosted(found, query.boost, is_scored)
            case Value():
                found = self._value(query)
                return asking.unscored(found) if is_scored else found
            case Range():
                found = (
                    self._events.condition(query, query.field)
                    if _is_of_event(query.field)
                    else self._ranges.render(query)
                )
                return asking.unscored(found) if is_scored else found
            case And(parts):
                wanted = self._together([part for part in parts if not isinstance(part, Not)], is_scored)
                unwanted = [
                    self.render(part.part, is_scored=False) for part in parts if isinstance(part, Not)
                ]
                found = asking.all_of(wanted, but=unwanted)
                return preferring(found, parts) if is_scored else found
            case AtLeast(number, parts):
                return self._some(number, parts, is_scored)
            case Or(parts):
                values, others = self._values(parts)
                asked = [self.render(part, is_scored=is_scored) for part in others]
                return asking.any_of([*asked, *(map(asking.unscored, values) if is_scored else values)])
            case Not(part):
                return asking.all_of([], but=[self.render(part, is_scored=False)])
            case SameEvent(part):
                return self._events.same(part)

    def _values(self, parts: Sequence[Query]) -> tuple[list[Question], list[Query]]:
        """Return one question a field for all parts that want just one value of it, and the other parts.

        A concept of a vocabulary with everything below it comes to thousands of values.
        """
        wanted: dict[str, list[str]] = {}
        others: list[Query] = []
        for part in parts:
            if isinstance(part, Range) and is_exact(part) and _is_whole(part.field):
                wanted.setdefault(part.field, []).append(part.low or "")
            else:
                others.append(part)
        terms = ((fact_field(field), self._ranges.terms(field, texts)) for field, texts in wanted.items())
        return [asking.terms(place, found) for place, found in terms], others

    def _some(self, number: int, parts: Sequence[Query], is_scored: bool) -> Question:
        """So many of these: the more of them a document has, and the rarer they are, the better."""
        conditions = self._together(parts, is_scored=False)
        if not is_scored:
            return asking.some_of(conditions, number)
        weights = [self._weight(part) for part in parts]
        scored = self._together(parts, is_scored=True)
        about = [self._words.about(part) if isinstance(part, Word) else None for part in parts]
        return covering(conditions, about, scored, weights, number, parts)

    def _together(self, parts: Sequence[Query], is_scored: bool) -> list[Question]:
        """Conditions that stand side by side: initials beside a name, a letter before its word."""
        found = [self.render(part, is_scored=is_scored) for part in with_joined(parts)]
        for place, (part, ways) in enumerate(zip(parts, people_beside(parts), strict=True)):
            if ways and isinstance(part, Word):
                persons = asking.any_of([_person(part.field, keys) for keys in ways])
                liked = asking.constant(persons, _PERSON_SCORE) if is_scored else persons
                found[place] = asking.any_of([found[place], liked])
        return found

    def _weight(self, part: Query) -> float:
        words = words_of(part.text) if isinstance(part, Word) else []
        return max(map(self._rarity, words), default=1.0)

    def _word(self, word: Word, is_scored: bool) -> Question:
        if word.field is not None and _is_of_event(word.field):
            return self._events.condition(word, word.field)
        return self._words.render(word, is_scored=is_scored)

    def _phrase(self, query: Phrase) -> Question:
        if query.field is not None and _is_of_event(query.field):
            return self._events.condition(query, query.field)
        words = [word for text in query.words for word in words_of(text)]
        if not words:
            return asking.nothing()
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
        found[NOTES] = asking.boosted(found[NOTES], NOTES_WEIGHT)
        return asking.any_of(list(found.values()))

    def _value(self, query: Value) -> Question:
        field, wanted = query.field, fact(query.text)
        if _is_of_event(field):
            return self._events.condition(query, field)
        if field not in TALLIED:
            return self._other_value(field, wanted)
        found = asking.fact(field, wanted)
        if field != SET:
            return found
        return asking.any_of([found, *_below(wanted)])

    def _other_value(self, field: str, wanted: str) -> Question:
        """A value that is not kept as it stands: its words side by side are as near as it can be had."""
        if FIELDS[field].kind is FieldKind.WORDS:
            words = words_of(wanted)
            return _phrase_in(field, words, 0) if words else asking.nothing()
        return self._words.render(Word(wanted, field))

    def _boosted(self, question: Question, boost: float, is_scored: bool) -> Question:
        return asking.boosted(question, boost) if is_scored else question


def _person(field: str | None, keys: Keys) -> Question:
    """Documents with somebody who has all of these keys."""
    return asking.all_of([asking.any_of([asking.term(*term) for term in people(field, key)]) for key in keys])


def _phrase_in(field: str, words: list[str], slop: int) -> Question:
    if slop and len(words) > 1:
        return asking.near(field, words, slop)
    return asking.phrase(field, words)


def _below(wanted: str) -> list[Question]:
    """Sets below a set: their terms begin with it, folded, and end as they are written."""
    start = f"{wanted}:"
    folded = fold(start)
    expressions = [f"{escaped(folded)}{ANY}*{APART}{escaped(start)}{ANY}*"]
    if folded == start:
        expressions.append(f"{escaped(start)}[^{APART}]*")
    return [asking.regexes(fact_field(SET), expressions)]


def _is_whole(field: str) -> bool:
    """Return whether all values of a field lie in a dictionary of their own, and nothing else decides."""
    return field in FACTS and field != "keyword" and not _is_of_event(field)


def _is_of_event(field: str) -> bool:
    return FIELDS[field].is_of_event
