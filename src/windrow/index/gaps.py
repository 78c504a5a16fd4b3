"""Which fields an unusual share of each source's records lack, by what the index counts of every record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping

from windrow.config.schema import Config
from windrow.config.source_kinds import kind_of
from windrow.index.protocol import MOST_VALUES, Counted, Index, Tally
from windrow.model.field_gaps import DATE, LIMITS, PERSON, TITLE, Gap, is_unusual
from windrow.model.query import Everything, Not, Query, Value, Word, all_of

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
    return tuple(
        Gap(name, source.count - having[name], source.count, _example(index, source.value, name))
        for name in LIMITS
        if is_unusual(name, source.count - having[name], source.count, formats)
    )


def _example(index: Index, source: str, name: str) -> str:
    lacking: list[Query] = [Not(Word("*", field, is_pattern=True)) for field in _ASKED[name]]
    hits = index.search(all_of((Value(source, "source"), *lacking)), limit=1).hits
    return hits[0].card.identifier if hits else ""
