"""Comparison of institutions on the same axes: records by year, languages, pages, subjects."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from windrow.index.protocol import FacetRequest, ValueCount
from windrow.model.query import Value, any_of
from windrow.stats.lengths import HOW, PAGES
from windrow.stats.population import YEARS, Population, compute_averages, make_span
from windrow.stats.table import Cell, Column, Drawing, Form, Kind, Message, Row, Table, message
from windrow.stats.time_series import note_uncharted_years

MAX_COMPARED = 8  # the number of colours
USUAL = 3  # the largest, if none were selected
_MAX_VALUES = 10
# More than are compared: records may belong to larger institutions as well, which come first.
_INSTITUTIONS = FacetRequest("institution", 200)
_FEW = ("language",)  # fields with few values, counted within all of them at once


def choose_compared(population: Population) -> Population:
    """Return the population of the institutions to compare: the first selected ones, else the largest."""
    chosen, origin = population.institutions[:MAX_COMPARED], population.origin
    if not chosen:
        (counts,) = population.tally(FacetRequest("institution", USUAL))
        chosen = tuple(each.value for each in counts.values)
    if _left_out(population) and population.origin_of is not None:
        origin = population.origin_of(chosen)
    wanted = any_of(Value(name, "institution") for name in chosen)
    return replace(population.narrowed(wanted), institutions=chosen, origin=origin)


def _left_out(population: Population) -> int:
    return max(len(population.institutions) - MAX_COMPARED, 0)


def _cut(population: Population) -> tuple[Message, ...]:
    """Return a note on selected institutions that are not compared."""
    count = _left_out(population)
    if not count:
        return ()
    return (
        message(
            "At most {most} institutions are compared. Left out of those chosen: {count}.",
            most=MAX_COMPARED,
            count=count,
        ),
    )


def compare_years(population: Population) -> Table:
    """Records by year, one column per institution."""
    chosen = choose_compared(population)
    (counts,) = chosen.tally(_within(YEARS))
    span = make_span(chosen.years().values, this_year=chosen.this_year)
    by_name = {each.value: {inner.value: inner.count for inner in each.within} for each in counts.values}
    rows = tuple(
        Row(
            (year, *(by_name.get(name, {}).get(year, 0) for name in chosen.institutions)),
            (("year", year),),
        )
        for year in (chosen.year_name(number) for number, _ in span.years)
    )
    return Table(
        "compare-years",
        message("Records by year and institution"),
        (Column("year", message("Year")), *_columns(chosen, Kind.NUMBER)),
        rows,
        chosen.period(),
        chosen.origin,
        (*_cut(population), *note_uncharted_years(span, chosen)),
        drawing=Drawing(Form.LINES, "year", _names(chosen), most=100),
    )


def compare_languages(population: Population) -> Table:
    """Shares of languages, one column per institution."""
    return _shares(
        population,
        "language",
        Column("language", message("Language"), Kind.LANGUAGE),
        ("compare-languages", message("Languages by institution")),
    )


def compare_subjects(population: Population) -> Table:
    """Shares of the most used subjects, one column per institution."""
    return _shares(
        population,
        "subject",
        Column("subject", message("Subject"), Kind.SUBJECT),
        ("compare-subjects", message("Most used subjects by institution")),
    )


def compare_pages(population: Population) -> Table:
    """Records, and mean and median pages, one row per institution."""
    chosen = choose_compared(population)
    (counts,) = chosen.tally(_within(PAGES))
    rows = tuple(_row_of(name, each) for name, each in _by_name(counts.values, chosen.institutions))
    return Table(
        "compare-pages",
        message("Pages by institution"),
        (
            Column("institution", message("Institution")),
            Column("records", message("Records"), Kind.NUMBER),
            Column("counted", message("Records with pages"), Kind.NUMBER),
            Column("mean", message("Mean pages"), Kind.DECIMAL),
            Column("median", message("Median pages"), Kind.DECIMAL),
        ),
        rows,
        chosen.period(),
        chosen.origin,
        (*_cut(population), HOW),
        drawing=Drawing(Form.GROUPED, "institution", ("median", "mean")),
    )


def _row_of(name: str, each: ValueCount | None) -> Row:
    found = compute_averages(each.within if each else ())
    cells: tuple[Cell, ...] = (name, each.count if each else 0, *found)
    return Row(cells, (("institution", name),))


def _shares(population: Population, field: str, first: Column, words: tuple[str, Message]) -> Table:
    """The share of each institution's records that has each of the most used values."""
    chosen = choose_compared(population)
    (counts,) = chosen.tally(_INSTITUTIONS)
    totals = {each.value: each.count for each in counts.values}
    rows = tuple(
        Row((value, *_shares_of(found, totals, chosen.institutions)), ((field, value),))
        for value, found in _most_used(chosen, field)
    )
    name, title = words
    return Table(
        name,
        title,
        (first, *_columns(chosen, Kind.SHARE)),
        rows,
        chosen.period(),
        chosen.origin,
        (*_cut(population), _SHARES),
        drawing=Drawing(Form.GROUPED, field, _names(chosen)),
    )


_SHARES = message(
    "Shares are of all records of the institution. A record with several values counts for each. "
    "Listed are the values that are used most in all the institutions together."
)


def _most_used(chosen: Population, field: str) -> Iterator[tuple[str, tuple[ValueCount, ...]]]:
    """Yield the most used values of a field, each with its counts by institution."""
    if field in _FEW:
        (counts,) = chosen.tally(FacetRequest(field, _MAX_VALUES, within=_INSTITUTIONS))
        yield from ((each.value, each.within) for each in counts.values)
        return
    (counts,) = chosen.tally(FacetRequest(field, _MAX_VALUES))
    for value, _, _ in counts.values:  # small queries are faster than one of institutions within all values
        (having,) = chosen.narrowed(Value(value, field)).tally(_INSTITUTIONS)
        yield value, having.values


def _shares_of(
    counted: Iterable[ValueCount], totals: Mapping[str, int], names: tuple[str, ...]
) -> list[float]:
    """Return which share of each institution's records was counted."""
    found = {each.value: each.count for each in counted}
    return [found.get(name, 0) / totals[name] if name in totals else 0.0 for name in names]


def _within(inner: FacetRequest) -> FacetRequest:
    return _INSTITUTIONS._replace(within=inner)


def _by_name(counted: tuple[ValueCount, ...], names: tuple[str, ...]) -> list[tuple[str, ValueCount | None]]:
    known = {each.value: each for each in counted}
    return [(name, known.get(name)) for name in names]


def _columns(chosen: Population, kind: Kind) -> tuple[Column, ...]:
    return tuple(
        Column(f"i{place}", name, kind, (("institution", name),))
        for place, name in enumerate(chosen.institutions)
    )


def _names(chosen: Population) -> tuple[str, ...]:
    return tuple(f"i{place}" for place in range(len(chosen.institutions)))
