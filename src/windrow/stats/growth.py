"""How a library grew: records by year, and all until then."""

from __future__ import annotations

from windrow.stats.message import Message, message
from windrow.stats.population import Population
from windrow.stats.table import Column, Drawing, Form, Kind, Row, Table
from windrow.stats.years import Span, span_of


def growth(population: Population) -> Table:
    """Records by their year, cumulated, and the change against the year before."""
    span = span_of(population.years().values, this_year=population.this_year)
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
        _rows(span, population),
        population.period(),
        population.origin,
        notes_on(span, population),
        _summary(span, population),
        Drawing(Form.SERIES, "year", ("records",), most=100, incomplete=this_year),
    )


def _rows(span: Span, population: Population) -> tuple[Row, ...]:
    rows, until, before = [], span.earlier, 0
    for year, found in span.years:
        count = found.count if found else 0
        until += count
        change = count / before if before else None
        name = population.year_name(year)
        rows.append(Row((name, count, until, change), (("year", name),)))
        before = count
    return tuple(rows)


def notes_on(span: Span, population: Population) -> tuple[Message, ...]:
    """Say what does not stand under any of the years shown, and which year is not over."""
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
    """The day on which years begin, as month and day."""
    return f"{starts // 100:02}-{starts % 100:02}"


def _summary(span: Span, population: Population) -> Message | None:
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
