"""Trending topics: which subjects rose or fell in the last full years against as many years before them.

The measure is a ratio of shares, made careful: some documents are pretended for every subject, spread over
both periods by their size, so that a few documents after none are no infinite growth, and no change is 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import ceil

from windrow.index.protocol import Counted, Tally
from windrow.model.academic_years import first_year
from windrow.model.query import Range
from windrow.stats.message import ConceptName, Message, message
from windrow.stats.origin import Origin
from windrow.stats.population import Population
from windrow.stats.table import Column, Drawing, Form, Kind, Row, Table

YEARS_COMPARED = 3
PRETENDED = 5.0  # documents
LEAST_DOCUMENTS = 5  # of both periods together, below which a subject is not looked at …
LEAST_SHARE = 0.001  # … nor below this share of all documents of both
LEAST_CHANGE = 1.1  # as a factor, either way
SHOWN = 15  # risen and fallen, each
_LOOKED_AT = (500, 1000)  # subjects: so many, or where more are frequent enough, so many
_YEARS = Tally("year", 2 * YEARS_COMPARED)


@dataclass(frozen=True, slots=True)
class Periods:
    """The years compared, each from the first to the last."""

    before: tuple[int, int]
    recent: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Sizes:
    """How many documents each period has."""

    before: int
    recent: int

    @property
    def least(self) -> int:
        """How many documents of both a subject must have to be looked at."""
        return max(LEAST_DOCUMENTS, ceil(LEAST_SHARE * (self.before + self.recent)))

    def pretended(self) -> tuple[float, float]:
        """How many documents are pretended in each."""
        total = self.before + self.recent
        return PRETENDED * self.before / total, PRETENDED * self.recent / total

    def ratio(self, before: int, recent: int) -> float:
        """How many times as frequent a subject became: 1 is no change."""
        more_before, more_recent = self.pretended()
        return ((recent + more_recent) / self.recent) / ((before + more_before) / self.before)


def trends(population: Population) -> Table:
    """Subjects that rose, the most risen first, then subjects that fell, the most fallen last."""
    table = _Table(population.period(), population.origin, population.year_name)
    periods = periods_of(
        (year for year, _ in _numbered(population.years().values)), this_year=population.this_year
    )
    if periods is None:
        return table.empty(message("There are not two full years to compare."))
    sizes = Sizes(*_split(population.years().values, periods))
    if not sizes.before or not sizes.recent:
        return table.empty(message("One of the two periods has no records."))
    return table.full(periods, sizes, _changes(population, periods, sizes))


def periods_of(years: Iterable[int], *, this_year: int) -> Periods | None:
    """Give the last full years and as many before them: three each, or fewer where there are fewer."""
    full = [year for year in years if year < this_year]
    if not full:
        return None
    last = max(full)
    length = min(YEARS_COMPARED, (last - min(full) + 1) // 2)
    if not length:
        return None
    return Periods((last - 2 * length + 1, last - length), (last - length + 1, last))


Change = tuple[str, int, int, float]  # the subject, its documents before and recently, the ratio


def _changes(population: Population, periods: Periods, sizes: Sizes) -> list[Change]:
    """Give the subjects that changed most, from the most risen to the most fallen."""
    name = population.year_name
    both = population.narrowed(Range("year", name(periods.before[0]), name(periods.recent[1])))
    split = {each.value: _split(each.within, periods) for each in _frequent(both, sizes.least)}
    changes = [
        (subject, before, recent, sizes.ratio(before, recent)) for subject, (before, recent) in split.items()
    ]
    changes.sort(key=lambda change: (-change[3], change[0]))
    risen = [change for change in changes if change[3] >= LEAST_CHANGE][:SHOWN]
    fallen = [change for change in changes if change[3] <= 1 / LEAST_CHANGE][-SHOWN:]
    return risen + fallen


def _frequent(both: Population, least: int) -> list[Counted]:
    """Give the subjects of so many documents of both periods, by year."""
    for most in _LOOKED_AT:
        (counts,) = both.tally(Tally("subject", most, within=_YEARS))
        if not counts.others or counts.values[-1].count < least:
            break
    return [each for each in counts.values if each.count >= least]


def _numbered(years: Iterable[Counted]) -> list[tuple[int, int]]:
    """Give years as numbers, each with its count."""
    known = ((first_year(each.value), each.count) for each in years)
    return [(year, count) for year, count in known if year is not None]


def _split(years: Iterable[Counted], periods: Periods) -> tuple[int, int]:
    """Give how many documents there are of each period."""
    known = _numbered(years)
    before, recent = (
        sum(count for year, count in known if first <= year <= last)
        for first, last in (periods.before, periods.recent)
    )
    return before, recent


@dataclass(frozen=True, slots=True)
class _Table:
    """Makes the table of what was found."""

    period: str
    origin: Origin
    name: Callable[[int], str]  # what a year is called

    def empty(self, why: Message) -> Table:
        """A table that says why there is nothing in it."""
        return Table("trends", _TITLE, _columns("", ""), (), self.period, self.origin, (why,))

    def full(self, periods: Periods, sizes: Sizes, changes: list[Change]) -> Table:
        """The changes, and how they were reckoned."""
        first, last = self.name(periods.before[0]), self.name(periods.recent[1])
        years = ("year", f"{first}..{last}")
        rows = tuple(
            Row(
                (name, before, before / sizes.before, recent, recent / sizes.recent, ratio),
                (("subject", name), years),
            )
            for name, before, recent, ratio in changes
        )
        earlier, later = self._years(periods.before), self._years(periods.recent)
        return Table(
            "trends",
            _TITLE,
            _columns(earlier, later),
            rows,
            f"{first}–{last}",
            self.origin,
            _notes(earlier, later, sizes, changes),
            _summary(changes, earlier, later),
            Drawing(Form.CHANGES, "subject", ("ratio",)),
        )

    def _years(self, period: tuple[int, int]) -> str:
        first, last = map(self.name, period)
        return first if first == last else f"{first}–{last}"


_TITLE = message("Topics that rose or fell")


def _columns(before: str, recent: str) -> tuple[Column, ...]:
    return (
        Column("subject", message("Subject"), Kind.SUBJECT),
        Column("before", message("Records {years}", years=before), Kind.NUMBER),
        Column("share_before", message("Share {years}", years=before), Kind.SHARE),
        Column("recent", message("Records {years}", years=recent), Kind.NUMBER),
        Column("share_recent", message("Share {years}", years=recent), Kind.SHARE),
        Column("ratio", message("Change"), Kind.CHANGE),
    )


def _notes(earlier: str, later: str, sizes: Sizes, changes: list[Change]) -> tuple[Message, ...]:
    notes = [
        message(
            "Compared are the shares of records with a subject: of the {recent} records of {later} against "
            "the {before} of {earlier}. A year that is not over is left out.",
            recent=sizes.recent,
            later=later,
            before=sizes.before,
            earlier=earlier,
        ),
        message(
            "So that small numbers do not look like great changes, {pretended} more records are pretended "
            "for every subject, spread over both periods by their size; left out are subjects with fewer "
            "than {least} records in both together, and changes of less than a tenth.",
            pretended=int(PRETENDED),
            least=sizes.least,
        ),
    ]
    if changes:
        notes.append(_example(earlier, later, sizes, changes[0]))
    return tuple(notes)


def _example(earlier: str, later: str, sizes: Sizes, change: Change) -> Message:
    """One change reckoned step by step."""
    name, before, recent, ratio = change
    more_before, more_recent = sizes.pretended()
    return message(
        "An example: {subject} has {recent} records in {later} and {before} in {earlier}. "
        "({recent} + {more_recent}) / {size_recent}, divided by ({before} + {more_before}) / {size_before}, "
        "is {ratio}.",
        subject=name,
        recent=recent,
        later=later,
        before=before,
        earlier=earlier,
        more_recent=more_recent,
        size_recent=sizes.recent,
        more_before=more_before,
        size_before=sizes.before,
        ratio=ratio,
    )


def _summary(changes: list[Change], earlier: str, later: str) -> Message:
    """Say what rose most; where nothing did, what fell most."""
    if not changes:
        return message("No subject changed much between {earlier} and {later}.", earlier=earlier, later=later)
    first, last = changes[0], changes[-1]
    if first[3] > 1:
        return message(
            "{subject} rose most between {earlier} and {later}.",
            subject=ConceptName(first[0]),
            earlier=earlier,
            later=later,
        )
    return message(
        "No subject rose much between {earlier} and {later}; {subject} fell most.",
        subject=ConceptName(last[0]),
        earlier=earlier,
        later=later,
    )
