"""Time series: growth by year, subjects over time, and trending topics.

A trend compares a subject's share in the last full years with as many years before. The measure is a smoothed
ratio of shares: pseudo-documents are added for every subject, spread over both periods by their size. So a
few documents after none are not infinite growth, and no change is 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import ceil

from windrow.index.protocol import FacetRequest, ValueCount
from windrow.model.document_dates import starting_year
from windrow.model.query import Range, Value
from windrow.stats.population import Population, Span, make_span
from windrow.stats.rankings import TOP
from windrow.stats.table import Column, ConceptName, Drawing, Form, Kind, Message, Origin, Row, Table, message

# Growth: records by year, and cumulated.


def tabulate_growth(population: Population) -> Table:
    """Records by year, cumulated, and the change from the previous year."""
    span = make_span(population.years().values, this_year=population.this_year)
    this_year = population.year_name(population.this_year)
    return Table(
        "growth",
        message("Records by year"),
        (
            Column("year", message("Year")),
            Column("records", message("Records"), Kind.NUMBER),
            Column("cumulative", message("Until then"), Kind.NUMBER),
            Column("change", message("Against the year before"), Kind.CHANGE),
        ),
        _growth_rows(span, population),
        population.period(),
        population.origin,
        note_uncharted_years(span, population),
        _growth_summary(span, population),
        Drawing(Form.SERIES, "year", ("records",), most=100, incomplete=this_year),
    )


def _growth_rows(span: Span, population: Population) -> tuple[Row, ...]:
    rows, until, before = [], span.earlier, 0
    for year, found in span.years:
        count = found.count if found else 0
        until += count
        change = count / before if before else None
        name = population.year_name(year)
        rows.append(Row((name, count, until, change), (("year", name),)))
        before = count
    return tuple(rows)


def note_uncharted_years(span: Span, population: Population) -> tuple[Message, ...]:
    """Return notes on records outside the years shown, and on the year that is not over."""
    total, name = population.count(), population.year_name
    notes = []
    if total > span.total:
        notes.append(message("Without a year: {count} of {total}.", count=total - span.total, total=total))
    if span.earlier and span.years:
        notes.append(
            message("Before {year}: {count} records.", year=name(span.years[0][0]), count=span.earlier)
        )
    if span.later:
        notes.append(
            message(
                "Dated later than {year}, and not shown: {count}.",
                year=name(population.this_year + 1),
                count=span.later,
            )
        )
    if span.years and span.years[-1][0] >= population.this_year:
        notes.append(
            message("{year} is not over: its figures are not complete.", year=name(population.this_year))
        )
    if population.index.year_starts:
        notes.append(
            message(
                "Years begin on {day} (month-day). "
                "A record that states only its year is taken for 1 July of it.",
                day=_day(population.index.year_starts),
            )
        )
    return tuple(notes)


def _day(starts: int) -> str:
    """Return the day on which years begin, as month and day."""
    return f"{starts // 100:02}-{starts % 100:02}"


def _growth_summary(span: Span, population: Population) -> Message | None:
    counted = [(found.count, year) for year, found in span.years if found]
    if not counted:
        return None
    (count, year), name = max(counted), population.year_name
    return message(
        "From {first} to {last}; the most in one year were {count}, in {year}.",
        first=name(span.years[0][0]),
        last=name(span.years[-1][0]),
        count=count,
        year=name(year),
    )


# Subjects over time: the share of each year's records for the most used subjects.

MAX_SUBJECTS = 12
MAX_YEARS = 15


def tabulate_subjects_over_time(population: Population) -> Table:
    """One row per subject and one column per year, with the subject's share of that year's records."""
    # the same query as for the table of subjects, so it is cached
    (counts,) = population.tally(FacetRequest("subject", TOP))
    span = make_span(population.years().values, this_year=population.this_year, most=MAX_YEARS)
    columns = tuple(
        Column(f"y{year}", name, Kind.SHARE, (("year", name),))
        for year, name in ((year, population.year_name(year)) for year, _ in span.years)
    )
    rows = tuple(_subject_row(population, each, span) for each in counts.values[:MAX_SUBJECTS])
    return Table(
        "subjects-over-time",
        message("Most used subjects over time"),
        (
            Column("subject", message("Subject"), Kind.SUBJECT),
            Column("records", message("Records"), Kind.NUMBER),
            *columns,
        ),
        rows,
        population.period(),
        population.origin,
        (_SUBJECTS_METHOD, *note_uncharted_years(span, population)),
        _subjects_summary(rows),
        Drawing(Form.HEAT, "subject", tuple(column.name for column in columns)),
    )


_SUBJECTS_METHOD = message(
    "Each cell is the share of the year's records that have the subject. Records without a year are in the "
    "column of all records only."
)


def _subject_row(population: Population, subject: ValueCount, span: Span) -> Row:
    """Return the shares of one subject: small queries are faster than one of years within all subjects."""
    having = population.narrowed(Value(subject.value, "subject")).years()
    by_year = {each.value: each.count for each in having.values}
    shares = tuple(
        by_year.get(population.year_name(year), 0) / found.count if found else None
        for year, found in span.years
    )
    return Row((subject.value, subject.count, *shares), (("subject", subject.value),))


def _subjects_summary(rows: tuple[Row, ...]) -> Message | None:
    if not rows:
        return None
    return message("The most used subject is {subject}.", subject=ConceptName(rows[0].cells[0]))


YEARS_COMPARED = 3
PRETENDED = 5.0  # pseudo-documents
MIN_DOCUMENTS = 5  # in both periods together: rarer subjects are ignored …
MIN_SHARE = 0.001  # … as are those below this share of all documents of both
MIN_CHANGE = 1.1  # as a factor, either way
SHOWN = 15  # risen and fallen, each
_LOOKED_AT = (500, 1000)  # subjects: the first number, or the second if more are frequent enough
_YEARS = FacetRequest("year", 2 * YEARS_COMPARED)


@dataclass(frozen=True, slots=True)
class Periods:
    """The years compared, each as first and last."""

    before: tuple[int, int]
    recent: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Sizes:
    """The number of documents of each period."""

    before: int
    recent: int

    @property
    def least(self) -> int:
        """The minimum number of documents of a subject in both periods."""
        return max(MIN_DOCUMENTS, ceil(MIN_SHARE * (self.before + self.recent)))

    def pretended(self) -> tuple[float, float]:
        """Return the pseudo-documents in each period."""
        total = self.before + self.recent
        return PRETENDED * self.before / total, PRETENDED * self.recent / total

    def ratio(self, before: int, recent: int) -> float:
        """Return the factor by which a subject became more frequent: 1 is no change."""
        more_before, more_recent = self.pretended()
        return ((recent + more_recent) / self.recent) / ((before + more_before) / self.before)


def tabulate_trends(population: Population) -> Table:
    """Subjects that rose, in descending order, then subjects that fell, the steepest fall last."""
    table = _Table(population.period(), population.origin, population.year_name)
    periods = choose_periods(
        (year for year, _ in _numbered(population.years().values)), this_year=population.this_year
    )
    if periods is None:
        return table.empty(message("There are not two full years to compare."))
    sizes = Sizes(*_split(population.years().values, periods))
    if not sizes.before or not sizes.recent:
        return table.empty(message("One of the two periods has no records."))
    return table.full(periods, sizes, _changes(population, periods, sizes))


def choose_periods(years: Iterable[int], *, this_year: int) -> Periods | None:
    """Return the last full years and as many before them: three each, or fewer where there are fewer."""
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
    """Return the subjects that changed most, from the steepest rise to the steepest fall."""
    name = population.year_name
    both = population.narrowed(Range("year", name(periods.before[0]), name(periods.recent[1])))
    split = {each.value: _split(each.within, periods) for each in _frequent(both, sizes.least)}
    changes = [
        (subject, before, recent, sizes.ratio(before, recent)) for subject, (before, recent) in split.items()
    ]
    changes.sort(key=lambda change: (-change[3], change[0]))
    risen = [change for change in changes if change[3] >= MIN_CHANGE][:SHOWN]
    fallen = [change for change in changes if change[3] <= 1 / MIN_CHANGE][-SHOWN:]
    return risen + fallen


def _frequent(both: Population, least: int) -> list[ValueCount]:
    """Return the subjects with at least this many documents in both periods, with counts by year."""
    for most in _LOOKED_AT:
        (counts,) = both.tally(FacetRequest("subject", most, within=_YEARS))
        if not counts.others or counts.values[-1].count < least:
            break
    return [each for each in counts.values if each.count >= least]


def _numbered(years: Iterable[ValueCount]) -> list[tuple[int, int]]:
    known = ((starting_year(each.value), each.count) for each in years)
    return [(year, count) for year, count in known if year is not None]


def _split(years: Iterable[ValueCount], periods: Periods) -> tuple[int, int]:
    known = _numbered(years)
    before, recent = (
        sum(count for year, count in known if first <= year <= last)
        for first, last in (periods.before, periods.recent)
    )
    return before, recent


@dataclass(frozen=True, slots=True)
class _Table:
    """Builds the table of trends."""

    period: str
    origin: Origin
    name: Callable[[int], str]  # returns the name of a year

    def empty(self, why: Message) -> Table:
        """A table without rows, with a note on why."""
        return Table("trends", _TITLE, _trends_columns("", ""), (), self.period, self.origin, (why,))

    def full(self, periods: Periods, sizes: Sizes, changes: list[Change]) -> Table:
        """The changes, and how they were calculated."""
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
            _trends_columns(earlier, later),
            rows,
            f"{first}–{last}",
            self.origin,
            _trends_notes(earlier, later, sizes, changes),
            _trends_summary(changes, earlier, later),
            Drawing(Form.CHANGES, "subject", ("ratio",)),
        )

    def _years(self, period: tuple[int, int]) -> str:
        first, last = map(self.name, period)
        return first if first == last else f"{first}–{last}"


_TITLE = message("Topics that rose or fell")


def _trends_columns(before: str, recent: str) -> tuple[Column, ...]:
    return (
        Column("subject", message("Subject"), Kind.SUBJECT),
        Column("before", message("Records {years}", years=before), Kind.NUMBER),
        Column("share_before", message("Share {years}", years=before), Kind.SHARE),
        Column("recent", message("Records {years}", years=recent), Kind.NUMBER),
        Column("share_recent", message("Share {years}", years=recent), Kind.SHARE),
        Column("ratio", message("Change"), Kind.CHANGE),
    )


def _trends_notes(earlier: str, later: str, sizes: Sizes, changes: list[Change]) -> tuple[Message, ...]:
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
    """One change calculated step by step."""
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


def _trends_summary(changes: list[Change], earlier: str, later: str) -> Message:
    """Return what rose most; if nothing did, what fell most."""
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
