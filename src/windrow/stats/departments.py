"""Departments' shares of their institutions: of one in full, of several side by side."""

from __future__ import annotations

from windrow.index.protocol import MOST_VALUES, Counted, Counts, Tally
from windrow.index.units import UNITS, with_departments
from windrow.stats.message import Message, message
from windrow.stats.most_used import INSTITUTIONS, lacking
from windrow.stats.population import Population
from windrow.stats.table import Column, Drawing, Form, Kind, Row, Table

MOST_INSTITUTIONS = 12
MOST_OF_EACH = 6  # departments of one among several
MOST_OF_ONE = 50
TITLE = message("Departments' shares of an institution")
_NO_DEPARTMENT = message("Without a department: {count} of {total}.")


def departments(population: Population) -> Table:
    """Records per department, with its share of its institution's records."""
    is_one = len(population.institutions) == 1
    limit, inner = (1, MOST_OF_ONE) if is_one else (MOST_INSTITUTIONS, MOST_OF_EACH)
    counts = _counted(population, limit, inner)
    rows = tuple(row for each in counts.values for row in _rows(each))
    drawing = (
        Drawing(Form.BARS, "department", ("records",), most=25)
        if is_one
        else Drawing(
            Form.SHARES,
            "institution",
            ("share",),
            series="rank",
            named="department",
            most=MOST_INSTITUTIONS * MOST_OF_EACH,
        )
    )
    return Table(
        "departments",
        TITLE,
        (
            Column("institution", message("Institution")),
            Column("rank", message("Rank in the institution"), Kind.NUMBER),
            Column("department", message("Department")),
            Column("records", message("Records"), Kind.NUMBER),
            Column("share", message("Share of the institution"), Kind.SHARE),
        ),
        rows,
        population.period(),
        population.origin,
        (*_notes(counts, inner), *_without(population)),
        _summary(counts),
        drawing,
    )


def _counted(population: Population, limit: int, inner: int) -> Counts:
    """Return institutions with their departments; where some were chosen, these alone."""
    chosen = population.institutions
    found, units = population.tally(Tally("institution", MOST_VALUES if chosen else limit), UNITS)
    if chosen:  # their records may belong to others as well
        listed = [each for each in found.values if each.value in chosen]
        found = Counts(tuple(listed[:limit]), sum(each.count for each in listed[limit:]))
    return with_departments(found, units, most=inner)


def _rows(institution: Counted) -> list[Row]:
    return [
        Row(
            (institution.value, rank, each.value, each.count, each.count / institution.count),
            (("institution", institution.value), ("department", each.value)),
        )
        for rank, each in enumerate(institution.within, start=1)
    ]


def _notes(counts: Counts, inner: int) -> tuple[Message, ...]:
    notes = [
        message(
            "Shares are of all records of the institution, also of those without a department. "
            "At most {inner} departments of an institution are listed, the largest first.",
            inner=inner,
        )
    ]
    if counts.others:
        notes.append(message("Institutions that are not listed have {count} records.", count=counts.others))
    return tuple(notes)


def _without(population: Population) -> tuple[Message, ...]:
    """Return notes on the records that are in no department, or in no institution."""
    total = population.count()
    return (
        *lacking("department", _NO_DEPARTMENT, population.count_without("department"), total),
        *lacking("institution", INSTITUTIONS.lacking, population.count_without("institution"), total),
    )


def _summary(counts: Counts) -> Message | None:
    first = next((each for each in counts.values if each.within), None)
    if first is None:
        return None
    return message(
        "The largest department of {institution} is {department}, with {count} of {total}.",
        institution=first.value,
        department=first.within[0].value,
        count=first.within[0].count,
        total=first.count,
    )
