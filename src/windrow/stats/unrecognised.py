"""Types that the table of types does not have: what an owner may want to name in the settings."""

from __future__ import annotations

from windrow.index.protocol import MOST_VALUES, Counted, Tally
from windrow.model.concepts import TYPE, built_in
from windrow.stats.message import Message, message
from windrow.stats.population import Population
from windrow.stats.table import Column, Drawing, Form, Kind, Row, Table

LISTED = 500  # values
DRAWN = 25
_SOURCES = Tally("source", 3)  # of each value, the most frequent
_HOW = message(
    "These values of records are counted and searched for as they stand. The setting types in windrow.toml"
    " says which types they are."
)


def unrecognised_types(population: Population) -> Table:
    """Return one row a value that stands for no known type, with its records and the sources it is from."""
    (counts,) = population.tally(Tally("type", MOST_VALUES, within=_SOURCES))
    table = population.types or built_in(TYPE)
    unknown = [each for each in counts.values if table.find(each.value) is None]
    return Table(
        "unrecognised-types",
        message("Types that are not recognised"),
        (
            Column("type", message("Type")),
            Column("records", message("Records"), Kind.NUMBER),
            Column("sources", message("Source")),
        ),
        tuple(map(_row, unknown[:LISTED])),
        population.period(),
        population.origin,
        (_HOW, *_left_out(len(unknown))),
        message("{count} values are not recognised.", count=len(unknown))
        if unknown
        else message("All types are recognised."),
        Drawing(Form.BARS, "type", ("records",), most=DRAWN),
    )


def _row(counted: Counted) -> Row:
    sources = ", ".join(each.value for each in counted.within)
    return Row((counted.value, counted.count, sources), (("type", counted.value),))


def _left_out(total: int) -> list[Message]:
    if total <= LISTED:
        return []
    return [message("Only the {top} most used are listed, of {total}.", top=LISTED, total=total)]
