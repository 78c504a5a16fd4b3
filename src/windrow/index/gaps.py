"""Which fields an unusual share of each source's records lack, by what the index counts of every record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping

from windrow.config.schema import Config
from windrow.config.source_kinds import kind_of
from windrow.index.protocol import MOST_VALUES, Counted, Index, Tally
from windrow.model.field_gaps import ANONYMOUS_TYPES, DATE, LIMITS, PERSON, TITLE, Gap, is_unusual
from windrow.model.query import Everything, Not, Query, Value, Word, all_of, any_of

_MOST_SOURCES = 10_000
# The names of the model's that fill a field.
_FILLING = {TITLE: ("titles",), DATE: ("year",), PERSON: ("creators", "contributors")}
_ASKED = {TITLE: ("title",), DATE: ("year",), PERSON: ("creator", "contributor")}


def gaps_by_source(index: Index, formats: Mapping[str, Collection[str]]) -> dict[str, tuple[Gap, ...]]:
    """Return the gaps of the sources that have any; `formats` are the prefixes that each is harvested in."""
    (counts,) = index.tally(
        Everything(), [Tally("source", _MOST_SOURCES, within=Tally("filled", MOST_VALUES))]
    )
    found = {each.value: _gaps(index, each, formats.get(each.value, ())) for each in counts.values}
    return {name: gaps for name, gaps in found.items() if gaps}


def formats_by_source(config: Config) -> dict[str, tuple[str, ...]]:
    """Return the prefixes that each source is harvested in, and that its records are judged by."""
    return {
        name: kind_of(settings).mapped or tuple(settings.formats) for name, settings in config.sources.items()
    }


class GapCounts:
    """The gaps of all sources, counted once for each state of the index."""

    def __init__(self) -> None:
        self._known: tuple[str, dict[str, tuple[Gap, ...]]] = ("", {})

    def of(self, index: Index, config: Config) -> Mapping[str, tuple[Gap, ...]]:
        """Return the gaps of the sources that have any."""
        generation, found = self._known
        if generation != index.generation:
            generation, found = index.generation, gaps_by_source(index, formats_by_source(config))
            self._known = (generation, found)
        return found


def _gaps(index: Index, source: Counted, formats: Collection[str]) -> tuple[Gap, ...]:
    having: Counter[str] = Counter()
    for each in source.within:
        names = set(each.value.split())
        having.update(
            {name: each.count for name, filling in _FILLING.items() if not names.isdisjoint(filling)}
        )
    return tuple(filter(None, (_gap(index, source, name, having[name], formats) for name in LIMITS)))


def _gap(index: Index, source: Counted, name: str, having: int, formats: Collection[str]) -> Gap | None:
    records, lacking = source.count, _lacking(source.value, name)
    if not is_unusual(name, records - having, records, formats):
        return None
    if name == PERSON:  # pictures by nobody known are not counted at all
        pictures = any_of(Value(each, "type") for each in ANONYMOUS_TYPES)
        records -= index.count(all_of((lacking, pictures)))
        lacking = all_of((lacking, Not(pictures)))
        if not is_unusual(name, records - having, records, formats):
            return None
    hits = index.search(lacking, limit=1).hits
    return Gap(name, records - having, records, hits[0].card.identifier if hits else "")


def _lacking(source: str, name: str) -> Query:
    """Return what finds the records of a source without a field."""
    return all_of(
        (Value(source, "source"), *(Not(Word("*", field, is_pattern=True)) for field in _ASKED[name]))
    )
