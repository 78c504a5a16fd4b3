"""Whether the index holds what the store says it should: record by record, in the order of their numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from windrow.index.protocol import Order
from windrow.index.searching import MOST_HITS, TantivyIndex
from windrow.model.query import Everything
from windrow.store.feeding import FodderReader
from windrow.store.store import Store

MOST_NAMED = 20  # differences that are told one by one
_BATCH = 5000

NOT_YET = "not yet indexed"
MISSING = "missing from the index"
DELETED = "deleted, but still in the index"
PROTECTED = "not for everybody, but in the index"
UNKNOWN = "in the index, but unknown to the library"
OUTDATED = "indexed as it was before its last change"


class Difference(NamedTuple):
    """One record that the index has otherwise than the store."""

    number: int
    source: str
    identifier: str
    reason: str


@dataclass(slots=True)
class Checked:
    """How the two compare."""

    stored: int = 0
    indexed: int = 0
    lacking: list[int] = field(default_factory=list)  # to be put, or put again
    outdated: set[int] = field(default_factory=set)  # those of them that it has as they were before
    surplus: list[int] = field(default_factory=list)  # to be removed
    named: list[Difference] = field(default_factory=list)  # the first of them, in words

    @property
    def is_right(self) -> bool:
        """Whether nothing differs."""
        return not self.lacking and not self.surplus


def check(store: Store, index: TantivyIndex, *, cursor: int) -> Checked:
    """Compare all records; `cursor` is the change that the index goes up to."""
    checked = Checked()
    for number, change, other in _side_by_side(store, index):
        checked.stored += change is not None
        checked.indexed += other is not None
        if other is None or (change is not None and change != other):
            checked.lacking.append(number)
            if other is not None:
                checked.outdated.add(number)
        elif change is None:
            checked.surplus.append(number)
    _name(store, index, checked, cursor)
    return checked


def _side_by_side(store: Store, index: TantivyIndex) -> Iterator[tuple[int, int | None, int | None]]:
    """Every number, with its newest change in the store and the one that the index has it after."""
    ours, theirs = _in_store(store), _in_index(index)
    one, other = next(ours, None), next(theirs, None)
    while one is not None or other is not None:
        if other is None or (one is not None and one[0] < other[0]):
            assert one is not None
            yield (*one, None)
            one = next(ours, None)
        elif one is None or other[0] < one[0]:
            yield other[0], None, other[1]
            other = next(theirs, None)
        else:
            yield (*one, other[1])
            one, other = next(ours, None), next(theirs, None)


def _in_store(store: Store) -> Iterator[tuple[int, int]]:
    reader, after = FodderReader(lambda _prefix: 0), 0
    while True:
        with store.reading() as connection:
            found = reader.live(connection, after=after, limit=_BATCH)
        if not found:
            return
        yield from ((number, change) for number, change, is_shown in found if is_shown)
        after = found[-1][0]


def _in_index(index: TantivyIndex) -> Iterator[tuple[int, int]]:
    following: str | None = None
    while True:
        page = index.search(Everything(), limit=MOST_HITS, order=Order.NUMBER, after=following)
        yield from ((hit.card.number, hit.card.change) for hit in page.hits)
        following = page.next
        if following is None:
            return


def _name(store: Store, index: TantivyIndex, checked: Checked, cursor: int) -> None:
    numbers = sorted([*checked.lacking[:MOST_NAMED], *checked.surplus[:MOST_NAMED]])[:MOST_NAMED]
    surplus = set(checked.surplus)
    reader = FodderReader(lambda _prefix: 0)
    with store.reading() as connection:
        known = {found.number: found for found in reader.whereabouts(connection, numbers)}
    for number in numbers:
        found = known.get(number)
        if found is None:
            checked.named.append(_unknown(index, number))
        elif number in surplus:
            reason = DELETED if found.is_deleted else PROTECTED
            checked.named.append(Difference(number, found.source, found.identifier, reason))
        else:
            behind = NOT_YET if found.seq > cursor else MISSING
            reason = OUTDATED if number in checked.outdated and behind is MISSING else behind
            checked.named.append(Difference(number, found.source, found.identifier, reason))


def _unknown(index: TantivyIndex, number: int) -> Difference:
    """A record of which only the index knows what it is."""
    card = index.card(number)
    return Difference(number, card.source if card else "", card.identifier if card else "", UNKNOWN)
