"""Collaboration between institutions: records that name two of them, where the data shows it."""

from __future__ import annotations

from collections import Counter

from windrow.index.protocol import Counts, Tally
from windrow.model.partners import names_in
from windrow.stats.message import Message, message
from windrow.stats.population import Population
from windrow.stats.table import Column, Drawing, Form, Kind, Row, Table

MOST_PAIRS = 50

_HOW = message(
    "A pair counts each record that names both: as its institution, or as the affiliation of one of its "
    "people. A record that names three counts for three pairs. Names that are spelt differently are "
    "different institutions."
)


def collaboration(population: Population) -> Table:
    """Pairs of institutions with the number of records that name both, most first."""
    (counts,) = population.tally(Tally("partners", MOST_PAIRS))
    rows = rows_of(counts)
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
        _notes(counts),
        _summary(rows),
        Drawing(Form.HEAT, "one", ("records",), series="other"),
    )


def rows_of(counts: Counts) -> tuple[Row, ...]:
    """Give a row for each pair; of the two, the one that works more with those listed comes first."""
    pairs = [(names_in(each.value), each.count) for each in counts.values]
    shared: Counter[str] = Counter()
    for names, count in pairs:
        shared.update(dict.fromkeys(names, count))
    found = []
    for names, count in pairs:
        one, other = sorted(names, key=lambda name: (-shared[name], name))
        found.append(Row((one, other, count), (("affiliation", one), ("affiliation", other))))
    return tuple(found)


def _notes(counts: Counts) -> tuple[Message, ...]:
    if not counts.others:
        return (_HOW,)
    return _HOW, message("Only the {most} pairs with most records are listed.", most=len(counts.values))


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
