"""How a library grew: records by year, and all until then."""

from __future__ import annotations

from windrow.stats.message import Message, message
from windrow.stats.population import Population
from windrow.stats.table import Column, Drawing, Form, Kind, Row, Table
from windrow.stats.years import Span, span_of


def growth(population: Population) -> Table:
    """Records by their year, cumulated, and the change against the year before."""
    span = span_of(population.years().values, this_year=population.this_year)
    return Table(
        "growth",
        message("Records by year"),
        (
            Column("year", message("Year")),
            Column("records", message("Records"), Kind.NUMBER),
            Column("cumulative", message("Until then"), Kind.NUMBER),
            Column("change", message("Against the year before"), Kind.CHANGE),
        ),
        _rows(span),
        population.period(),
        population.origin,
        notes_on(span, population),
        _summary(span),
        Drawing(Form.SERIES, "year", ("records",), most=100, incomplete=str(population.this_year)),
    )


def _rows(span: Span) -> tuple[Row, ...]:
    rows, until, before = [], span.earlier, 0
    for year, found in span.years:
        count = found.count if found else 0
        until += count
        change = count / before if before else None
        rows.append(Row((str(year), count, until, change), (("year", str(year)),)))
        before = count
    return tuple(rows)


def notes_on(span: Span, population: Population) -> tuple[Message, ...]:
    """Say what does not stand under any of the years shown, and which year is not over."""
    total = population.count()
    notes = []
    if total > span.total:
        notes.append(message("Without a year: {count} of {total}.", count=total - span.total, total=total))
    if span.earlier and span.years:
        notes.append(
            message("Before {year}: {count} records.", year=str(span.years[0][0]), count=span.earlier)
        )
    if span.later:
        notes.append(
            message(
                "Dated later than {year}, and not shown: {count}.",
                year=str(population.this_year + 1),
                count=span.later,
            )
        )
    if span.years and span.years[-1][0] >= population.this_year:
        notes.append(
            message("{year} is not over: its figures are not complete.", year=str(population.this_year))
        )
    return tuple(notes)


def _summary(span: Span) -> Message | None:
    counted = [(found.count, year) for year, found in span.years if found]
    if not counted:
        return None
    count, year = max(counted)
    return message(
        "From {first} to {last}; the most in one year were {count}, in {year}.",
        first=str(span.years[0][0]),
        last=str(span.years[-1][0]),
        count=count,
        year=str(year),
    )
