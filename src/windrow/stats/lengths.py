"""How long things are on average: mean and median pages of each institution and of each year."""

from __future__ import annotations

from windrow.index.protocol import MOST_VALUES, Counted, Counts, Tally
from windrow.stats.averages import averages_of
from windrow.stats.growth import notes_on
from windrow.stats.message import Message, message
from windrow.stats.most_used import TOP
from windrow.stats.pages import PAGES
from windrow.stats.population import Population
from windrow.stats.table import Cell, Column, Drawing, Form, Kind, Row, Table
from windrow.stats.years import span_of

HOW = message(
    "The mean is the sum of all pages divided by the number of records with pages. The median is the middle "
    "one of these records in the order of their pages: a few very long ones do not move it."
)
_FIGURES = (
    Column("counted", message("Records with pages"), Kind.NUMBER),
    Column("mean", message("Mean pages"), Kind.DECIMAL),
    Column("median", message("Median pages"), Kind.DECIMAL),
)


def lengths_by_institution(population: Population) -> Table:
    """Mean and median pages of each institution."""
    (counts,) = population.tally(Tally("institution", TOP, within=PAGES))
    rows = tuple(
        Row((each.value, *_figures(each.within)), (("institution", each.value),))
        for each in counts.values
        if each.within
    )
    return Table(
        "pages-by-institution",
        message("Pages per institution"),
        (Column("institution", message("Institution")), *_FIGURES),
        rows,
        population.period(),
        population.origin,
        (HOW, *_left_out(counts, len(counts.values) - len(rows))),
        drawing=Drawing(Form.GROUPED, "institution", ("median", "mean"), most=15),
    )


def lengths_by_year(population: Population) -> Table:
    """Mean and median pages of each year."""
    (counts,) = population.tally(Tally("year", MOST_VALUES, is_by_value=True, within=PAGES))
    span = span_of(counts.values, this_year=population.this_year)
    rows = tuple(
        Row((name, *_figures(found.within if found else ())), (("year", name),))
        for name, found in ((population.year_name(year), found) for year, found in span.years)
    )
    return Table(
        "pages-by-year",
        message("Pages by year"),
        (Column("year", message("Year")), *_FIGURES),
        rows,
        population.period(),
        population.origin,
        (HOW, *notes_on(span, population)),
        drawing=Drawing(Form.LINES, "year", ("median", "mean"), most=100),
    )


def _figures(within: tuple[Counted, ...]) -> tuple[Cell, ...]:
    found = averages_of(within)
    return tuple(found)


def _left_out(counts: Counts, without: int) -> list[Message]:
    notes = []
    if without:
        notes.append(message("Institutions none of whose records has a page count: {count}.", count=without))
    if counts.others:
        notes.append(message("Institutions that are not listed have {count} records.", count=counts.others))
    return notes
