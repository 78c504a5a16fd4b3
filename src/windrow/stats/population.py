"""The records that statistics are made of: an index and a query, and what people call the two together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from windrow.index.protocol import MOST_VALUES, Counts, Index, Tally
from windrow.model.academic_years import label, year_at
from windrow.model.concepts import ConceptTable
from windrow.model.query import Everything, Query, Value, Word, all_of
from windrow.stats.origin import Origin
from windrow.stats.own_tables import OwnTables
from windrow.stats.years import period_of
from windrow.store.overview import Overview

YEARS = Tally("year", MOST_VALUES, is_by_value=True)
FILLED = Tally("filled", MOST_VALUES)
SOURCES = Tally("source", MOST_VALUES)


@dataclass(frozen=True, slots=True)
class Population:
    """Documents that a query finds; `origin` is what they are called in titles."""

    index: Index
    query: Query
    origin: Origin
    now: datetime
    institutions: tuple[str, ...] = ()  # those that were chosen; the query asks for them already
    origin_of: Callable[[tuple[str, ...]], Origin] | None = None  # the origin where only these were chosen
    harvests: Callable[[], Iterable[Overview]] = tuple  # of the sources, looked up when they are needed
    own: OwnTables = field(default_factory=OwnTables)  # the owner's
    wants_year: Callable[[str], bool] = lambda _: True  # whether a year is among those that were chosen
    types: ConceptTable | None = None  # where the settings extend the built-in table

    @property
    def this_year(self) -> int:
        """The year that is not over yet: its figures are not complete."""
        return year_at(self.now.date(), self.index.year_starts)

    def year_name(self, year: int) -> str:
        """What a year is called: 2019, or 2019/20 where years do not begin on 1 January."""
        return label(year, self.index.year_starts)

    @property
    def is_everything(self) -> bool:
        """Whether no document is left out."""
        return isinstance(self.query, Everything)

    def count(self) -> int:
        """How many documents there are."""
        return self.index.count(self.query)

    def count_with(self, field: str) -> int:
        """How many of them have any value in a field."""
        return self.index.count(all_of((self.query, Word("*", field, is_pattern=True))))

    def count_without(self, field: str) -> int:
        """How many of them lack one of the fields that most records have."""
        return self.index.count(all_of((self.query, Value(field, "missing"))))

    def tally(self, *tallies: Tally) -> Sequence[Counts]:
        """Count them by the values of fields."""
        return self.index.tally(self.query, tallies)

    def years(self) -> Counts:
        """Count them by their years: a question of its own, whose answer all tables of a page share."""
        (counts,) = self.tally(YEARS)
        return counts

    def narrowed(self, query: Query) -> Population:
        """Those of them that another query finds too."""
        return replace(self, query=all_of((self.query, query)))

    def period(self) -> str:
        """From when to when they are, for a title."""
        return period_of(self.years().values, this_year=self.this_year)
