"""Conditions on events as questions to Tantivy, so that all of them hold for the same event.

An event is a row of terms, one for each slot; `rows` writes them. What a condition is true of is found out
from the dictionary of its slot, with `matching`'s own judgement; then a phrase with these terms in their
places can only lie within one event.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import comb

from tantivy import Query as Question

from windrow.errors import QueryTooCostly
from windrow.index import asking
from windrow.index.asking import Dictionary
from windrow.index.kept import Kept
from windrow.index.layout import EVENTS, SLOT_LETTERS, SLOTS
from windrow.index.tokens import event_value
from windrow.model.document import Event
from windrow.model.event_view import EventView
from windrow.model.matching import judge_of
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
    spelled_out,
)

MOST_WAYS = 200  # in which one event may be what is asked for, each a question of its own
MOST_VALUES = 50_000  # of one slot that a condition is compared with
KEPT_CONDITIONS = 256

Leaf = Word | Phrase | Value | Range
Way = Mapping[str, frozenset[str]]  # for some slots: one of these terms


class EventRenderer:
    """Renders what is asked of one event. What a slot holds is looked up once."""

    def __init__(self, dictionary: Dictionary) -> None:
        self._dictionary = dictionary
        self._slots: Kept[str, frozenset[str]] = Kept(len(SLOTS))
        self._fits: Kept[tuple[Leaf, str], frozenset[str]] = Kept(KEPT_CONDITIONS)

    def condition(self, leaf: Leaf, field: str) -> Question:
        """Documents with an event of which one condition is true."""
        return asking.terms(EVENTS, sorted(self._fitting(leaf, field)))

    def same(self, part: Query) -> Question:
        """Documents with one event of which all of this is true."""
        return asking.any_of([self._render(way) for way in self._ways(part, is_wanted=True)])

    def _ways(self, part: Query, *, is_wanted: bool) -> list[Way]:
        """In how many ways an event can be what is asked for, or anything but that."""
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
                if comb(len(parts), number) > MOST_WAYS:
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
        return self._slots.get(slot, lambda: frozenset(self._dictionary(EVENTS, letter, MOST_VALUES)))

    def _is_any(self, slot: str, tokens: frozenset[str]) -> bool:
        known = self._known(slot)
        return tokens == known and len(known) < MOST_VALUES  # of more, the rest is not known

    def _fitting(self, leaf: Leaf, slot: str) -> frozenset[str]:
        return self._fits.get((leaf, slot), lambda: self._judge(leaf, slot))

    def _judge(self, leaf: Leaf, slot: str) -> frozenset[str]:
        judge = judge_of(leaf)
        return frozenset(
            token for token in self._known(slot) if judge(EventView(Event(**{slot: event_value(token)})))
        )

    def _render(self, way: Way) -> Question:
        # Every event has a term in every slot: one that may hold anything is no condition.
        way = {slot: tokens for slot, tokens in way.items() if not self._is_any(slot, tokens)}
        if not way:
            return asking.terms(
                EVENTS, sorted(self._known(min(SLOTS, key=lambda slot: len(self._known(slot)))))
            )
        slots = sorted(way, key=SLOTS.index)
        if len(slots) == 1:
            return asking.terms(EVENTS, sorted(way[slots[0]]))
        places = [SLOTS.index(slot) for slot in slots]
        return asking.places(EVENTS, places, [sorted(way[slot]) for slot in slots])


def _combined(each: Iterable[Sequence[Way]]) -> list[Way]:
    """One way of each at the same time, where that can be."""
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
    """The same ways, those that are conditions on one and the same slot as one condition."""
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
        if len(found) > MOST_WAYS:
            raise QueryTooCostly("event")
    return found
