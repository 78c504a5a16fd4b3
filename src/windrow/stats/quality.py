"""Quality of metadata: which fields each source fills, and how often."""

from __future__ import annotations

from collections import Counter

from windrow.index.protocol import Counted, Counts, Tally
from windrow.stats.message import Message, message
from windrow.stats.most_used import TOP
from windrow.stats.population import FILLED, Population
from windrow.stats.table import Column, Drawing, Form, Kind, Row, Table

# The model's fields that every record could have, in the order in which people look for them.
FIELDS = {
    "titles": message("Title"),
    "creators": message("Creator"),
    "year": message("Year"),
    "types": message("Type"),
    "languages": message("Language"),
    "subjects": message("Subject"),
    "keywords": message("Keyword"),
    "descriptions": message("Description"),
    "publishers": message("Publisher"),
    "institution": message("Institution"),
    "department": message("Department"),
    "pages": message("Pages"),
    "links": message("Links"),
    "names": message("Identifiers"),
    "rights": message("Rights"),
}
_HOW = message(
    "Each cell is the share of the source's records in which the field holds something; whether it is right, "
    "nobody can count. The mean is over the fields shown, each with the same weight."
)


def quality(population: Population) -> Table:
    """One row a source, one column a field, with the share of records that have it."""
    (counts,) = population.tally(Tally("source", TOP, within=FILLED))
    rows = tuple(_row(each) for each in counts.values)
    return Table(
        "quality",
        message("Quality of metadata per source"),
        (
            Column("source", message("Source")),
            Column("records", message("Records"), Kind.NUMBER),
            Column("mean", message("Mean"), Kind.SHARE),
            *(Column(name, label, Kind.SHARE) for name, label in FIELDS.items()),
        ),
        rows,
        population.period(),
        population.origin,
        (_HOW, *_left_out(counts)),
        _summary(rows),
        Drawing(Form.HEAT, "source", tuple(FIELDS), most=25),
    )


def _row(source: Counted) -> Row:
    filled: Counter[str] = Counter()
    for each in source.within:
        filled.update(dict.fromkeys(each.value.split(), each.count))
    shares = [filled[name] / source.count for name in FIELDS]
    mean = sum(shares) / len(shares)
    return Row((source.value, source.count, mean, *shares), (("source", source.value),))


def _left_out(counts: Counts) -> list[Message]:
    if not counts.others:
        return []
    return [message("Sources that are not listed have {count} records.", count=counts.others)]


def _summary(rows: tuple[Row, ...]) -> Message | None:
    if not rows:
        return None
    best = max(rows, key=lambda row: float(str(row.cells[2])))
    return message("The fullest records are those of {source}.", source=str(best.cells[0]))
