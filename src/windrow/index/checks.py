"""Comparison of the index with the store, record by record, and checks of the indexed documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from windrow.config.schema import Config
from windrow.config.source_kinds import kind_of
from windrow.index.protocol import MAX_COUNTED_VALUES, FacetRequest, Index, Order, ValueCount
from windrow.index.tantivy.searching import MAX_HITS, TantivyIndex
from windrow.model.field_gaps import ANONYMOUS_TYPES, DATE, LIMITS, PERSON, TITLE, Gap, is_unusual
from windrow.model.query import Everything, Not, Query, Value, Word, all_of, any_of
from windrow.store.published.indexable_records import IndexableReader
from windrow.store.store import Store

MAX_NAMED = 20  # differences that are listed individually
_BATCH = 5000

NOT_YET = "not yet indexed"
MISSING = "missing from the index"
DELETED = "deleted, but still in the index"
PROTECTED = "not for everybody, but in the index"
UNKNOWN = "in the index, but unknown to the library"
OUTDATED = "indexed as it was before its last change"


class Difference(NamedTuple):
    """A record that differs between the index and the store."""

    number: int
    source: str
    identifier: str
    reason: str


@dataclass(slots=True)
class IndexCheck:
    """The result of the comparison."""

    stored: int = 0
    indexed: int = 0
    lacking: list[int] = field(default_factory=list)  # to be indexed, or indexed again
    outdated: set[int] = field(default_factory=set)  # those of them that are indexed in an older state
    surplus: list[int] = field(default_factory=list)  # to be removed
    named: list[Difference] = field(default_factory=list)  # the first differences, in words

    @property
    def is_right(self) -> bool:
        return not self.lacking and not self.surplus


def check_index(store: Store, index: TantivyIndex, *, cursor: int) -> IndexCheck:
    """Compare all records; `cursor` is the change up to which the index is current."""
    checked = IndexCheck()
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
    """Yield every number with its newest change in the store and the change it was indexed after."""
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
    reader, after = IndexableReader(lambda _prefix: 0), 0
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
        page = index.search(Everything(), limit=MAX_HITS, order=Order.NUMBER, after=following)
        yield from ((hit.card.number, hit.card.change) for hit in page.hits)
        following = page.next
        if following is None:
            return


def _name(store: Store, index: TantivyIndex, checked: IndexCheck, cursor: int) -> None:
    numbers = sorted([*checked.lacking[:MAX_NAMED], *checked.surplus[:MAX_NAMED]])[:MAX_NAMED]
    surplus = set(checked.surplus)
    reader = IndexableReader(lambda _prefix: 0)
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
    card = index.card(number)
    return Difference(number, card.source if card else "", card.identifier if card else "", UNKNOWN)


# Fields that an unusually large share of a source's records lacks, from facet counts.

_MAX_SOURCES = 10_000
# The names in the `filled` facet that count as each field.
_FILLING = {TITLE: ("titles",), DATE: ("year",), PERSON: ("creators", "contributors")}
_ASKED = {TITLE: ("title",), DATE: ("year",), PERSON: ("creator", "contributor")}


def gaps_by_source(index: Index, formats: Mapping[str, Collection[str]]) -> dict[str, tuple[Gap, ...]]:
    """Return the gaps of the sources that have any; `formats` are the prefixes of each source."""
    (counts,) = index.tally(
        Everything(),
        [FacetRequest("source", _MAX_SOURCES, within=FacetRequest("filled", MAX_COUNTED_VALUES))],
    )
    found = {each.value: _gaps(index, each, formats.get(each.value, ())) for each in counts.values}
    return {name: gaps for name, gaps in found.items() if gaps}


def formats_by_source(config: Config) -> dict[str, tuple[str, ...]]:
    """Return the prefixes in which each source is harvested, by which its records are judged."""
    return {
        name: kind_of(settings).mapped or tuple(settings.formats) for name, settings in config.sources.items()
    }


class GapCounts:
    """The gaps of all sources, computed once per state of the index."""

    def __init__(self) -> None:
        self._known: tuple[str, dict[str, tuple[Gap, ...]]] = ("", {})

    def of(self, index: Index, config: Config) -> Mapping[str, tuple[Gap, ...]]:
        generation, found = self._known
        if generation != index.generation:
            generation, found = index.generation, gaps_by_source(index, formats_by_source(config))
            self._known = (generation, found)
        return found


def _gaps(index: Index, source: ValueCount, formats: Collection[str]) -> tuple[Gap, ...]:
    having: Counter[str] = Counter()
    for each in source.within:
        names = set(each.value.split())
        having.update(
            {name: each.count for name, filling in _FILLING.items() if not names.isdisjoint(filling)}
        )
    return tuple(filter(None, (_gap(index, source, name, having[name], formats) for name in LIMITS)))


def _gap(index: Index, source: ValueCount, name: str, having: int, formats: Collection[str]) -> Gap | None:
    records, lacking = source.count, _lacking(source.value, name)
    if not is_unusual(name, records - having, records, formats):
        return None
    if name == PERSON:  # anonymous pictures are not counted at all
        pictures = any_of(Value(each, "type") for each in ANONYMOUS_TYPES)
        records -= index.count(all_of((lacking, pictures)))
        lacking = all_of((lacking, Not(pictures)))
        if not is_unusual(name, records - having, records, formats):
            return None
    hits = index.search(lacking, limit=1).hits
    return Gap(name, records - having, records, hits[0].card.identifier if hits else "")


def _lacking(source: str, name: str) -> Query:
    return all_of(
        (Value(source, "source"), *(Not(Word("*", field, is_pattern=True)) for field in _ASKED[name]))
    )
