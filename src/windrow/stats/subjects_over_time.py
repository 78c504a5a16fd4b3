"""The most used subjects over time: which share of each year's records has each of them."""

from __future__ import annotations

from windrow.index.protocol import Counted, Tally
from windrow.model.query import Value
from windrow.stats.growth import notes_on
from windrow.stats.message import ConceptName, Message, message
from windrow.stats.most_used import TOP
from windrow.stats.population import Population
from windrow.stats.table import Column, Drawing, Form, Kind, Row, Table
from windrow.stats.years import Span, span_of

MOST_SUBJECTS = 12
MOST_YEARS = 15


def subjects_over_time(population: Population) -> Table:
    """One row a subject, one column a year, with the subject's share of that year's records."""
    (counts,) = population.tally(Tally("subject", TOP))  # what the table of subjects asks too
    span = span_of(population.years().values, this_year=population.this_year, most=MOST_YEARS)
    columns = tuple(
        Column(f"y{year}", name, Kind.SHARE, (("year", name),))
        for year, name in ((year, population.year_name(year)) for year, _ in span.years)
    )
    rows = tuple(_row(population, each, span) for each in counts.values[:MOST_SUBJECTS])
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
        (_HOW, *notes_on(span, population)),
        _summary(rows),
        Drawing(Form.HEAT, "subject", tuple(column.name for column in columns)),
    )


_HOW = message(
    "Each cell is the share of the year's records that have the subject. Records without a year are in the "
    "column of all records only."
)


def _row(population: Population, subject: Counted, span: Span) -> Row:
    """The shares of one subject: a few small questions cost less than one of years within all subjects."""
    having = population.narrowed(Value(subject.value, "subject")).years()
    by_year = {each.value: each.count for each in having.values}
    shares = tuple(
        by_year.get(population.year_name(year), 0) / found.count if found else None
        for year, found in span.years
    )
    return Row((subject.value, subject.count, *shares), (("subject", subject.value),))


def _summary(rows: tuple[Row, ...]) -> Message | None:
    if not rows:
        return None
    return message("The most used subject is {subject}.", subject=ConceptName(rows[0].cells[0]))
