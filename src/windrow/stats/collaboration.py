"""Collaboration between institutions: records that name two of them, where the data shows it."""

from __future__ import annotations

from windrow.index.protocol import Counts, Tally
from windrow.stats.message import Message, message
from windrow.stats.population import Population
from windrow.stats.table import Column, Drawing, Form, Kind, Row, Table

MOST_PARTNERS = 25
MOST_PAIRS = 50

_HOW = message(
    "A pair counts each record that names both: as its institution, or as the affiliation of one of its "
    "people. A record that names three counts for three pairs. Names that are spelt differently are "
    "different institutions."
)


def collaboration(population: Population) -> Table:
    """Pairs of institutions with the number of records that name both, most first."""
    inner = Tally("affiliation", MOST_PARTNERS + 1)  # an institution is always among its own
    (counts,) = population.tally(Tally("affiliation", MOST_PARTNERS, within=inner))
    pairs = pairs_of(counts)
    rows = tuple(Row((one, other, count)) for (one, other), count in pairs[:MOST_PAIRS])
    return Table(
        "collaboration",
        message("Collaboration between institutions"),
        (
            Column("one", message("Institution")),
            Column("other", message("Together with")),
            Column("records", message("Records"), Kind.NUMBER),
        ),
        rows,
        population.period(),
        population.origin,
        _notes(counts, len(pairs)),
        _summary(rows),
        Drawing(Form.HEAT, "one", ("records",), series="other"),
    )


def pairs_of(counts: Counts) -> list[tuple[tuple[str, str], int]]:
    """Give each pair once, the one with more records before the other."""
    order = {each.value: place for place, each in enumerate(counts.values)}
    last = len(order)
    pairs: dict[tuple[str, str], int] = {}
    for each in counts.values:
        for other in each.within:
            if other.value != each.value:
                one, two = sorted((each.value, other.value), key=lambda name: (order.get(name, last), name))
                pairs[one, two] = other.count
    return sorted(pairs.items(), key=lambda item: (-item[1], item[0]))


def _notes(counts: Counts, found: int) -> tuple[Message, ...]:
    notes = [_HOW]
    if counts.others:
        notes.append(
            message(
                "Only the {most} institutions that are named most were looked at.", most=len(counts.values)
            )
        )
    if found > MOST_PAIRS:
        notes.append(message("Pairs that are not listed: {count}.", count=found - MOST_PAIRS))
    return tuple(notes)


def _summary(rows: tuple[Row, ...]) -> Message | None:
    if not rows:
        return message("No record names two institutions.")
    one, other, count = rows[0].cells
    assert isinstance(count, int)
    return message(
        "{one} and {other} work together most, in {count} records.",
        one=str(one),
        other=str(other),
        count=count,
    )
