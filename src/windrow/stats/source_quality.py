"""Quality of sources: completeness of metadata, freshness of harvests, and unrecognised types."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta

from windrow.index.protocol import MAX_COUNTED_VALUES, FacetCounts, FacetRequest, ValueCount
from windrow.model.controlled_values import TYPE, load_controlled_values
from windrow.stats.population import FILLED, SOURCES, Population
from windrow.stats.rankings import TOP
from windrow.stats.table import UNNAMED, Column, Drawing, Form, Kind, Message, Origin, Row, Table, message
from windrow.store.overview import SourceOverview

# Completeness of metadata: which fields each source fills, and how often.

# The fields that every record could have, in the order in which people look for them.
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
_QUALITY_METHOD = message(
    "Each cell is the share of the source's records in which the field holds something; whether it is right, "
    "nobody can count. The mean is over the fields shown, each with the same weight."
)


def tabulate_quality(population: Population) -> Table:
    """One row per source and one column per field, with the share of records that have it."""
    (counts,) = population.tally(FacetRequest("source", TOP, within=FILLED))
    rows = tuple(_quality_row(each) for each in counts.values)
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
        (_QUALITY_METHOD, *_unfilled_note(counts)),
        _quality_summary(rows),
        Drawing(Form.HEAT, "source", tuple(FIELDS), most=25),
    )


def _quality_row(source: ValueCount) -> Row:
    filled: Counter[str] = Counter()
    for each in source.within:
        filled.update(dict.fromkeys(each.value.split(), each.count))
    shares = [filled[name] / source.count for name in FIELDS]
    mean = sum(shares) / len(shares)
    return Row((source.value, source.count, mean, *shares), (("source", source.value),))


def _unfilled_note(counts: FacetCounts) -> list[Message]:
    if not counts.others:
        return []
    return [message("Sources that are not listed have {count} records.", count=counts.others)]


def _quality_summary(rows: tuple[Row, ...]) -> Message | None:
    if not rows:
        return None
    best = max(rows, key=lambda row: float(str(row.cells[2])))
    return message("The fullest records are those of {source}.", source=str(best.cells[0]))


_DAY = timedelta(days=1)
_DRAWING = Drawing(Form.BARS, "source", ("days",), axis=message("Days since the last good harvest"))


def tabulate_freshness(population: Population) -> Table:
    """Freshness of the sources in the population; without a filter, also of sources without records."""
    harvested = population.harvests() if population.is_everything else _found(population)
    return build_freshness_table(harvested, now=population.now, origin=population.origin)


def build_freshness_table(
    harvested: Iterable[SourceOverview], *, now: datetime, origin: Origin = UNNAMED
) -> Table:
    """Days since the last successful harvest of each source, the stalest first."""
    known = sorted(harvested, key=lambda each: (each.last_good is not None, each.last_good or now, each.name))
    rows = tuple(
        Row(
            (each.name, each.records, each.last_good, _days(each.last_good, now), Message(each.outcome)),
            (("source", each.name),),
        )
        for each in known
    )
    is_fresh = all(now - each.last_good <= _DAY for each in known if each.last_good is not None)
    return Table(
        "freshness",
        message("Freshness of sources"),
        (
            Column("source", message("Source")),
            Column("records", message("Records"), Kind.NUMBER),
            Column("good", message("Last good harvest"), Kind.MOMENT),
            Column("days", message("Days since"), Kind.DECIMAL),
            Column("outcome", message("Last outcome")),
        ),
        rows,
        f"{now:%Y-%m-%d}",
        origin,
        _notes(known),
        _fresh(known) if is_fresh else _freshness_summary(known, now),
        None if is_fresh else _DRAWING,  # hours would be invisible on an axis of days
    )


def _found(population: Population) -> list[SourceOverview]:
    """Return the sources of the matching records, with the number of these records."""
    (counts,) = population.tally(SOURCES)
    found = {each.value: each.count for each in counts.values if each.count}
    return [replace(each, records=found[each.name]) for each in population.harvests() if each.name in found]


def _days(good: datetime | None, now: datetime) -> float | None:
    return None if good is None else round(max(now - good, timedelta()) / _DAY, 1)


def _notes(known: list[SourceOverview]) -> tuple[Message, ...]:
    never = sum(each.last_good is None for each in known)
    notes = [message("A day is 24 hours. Failed runs do not count; the outcome is that of the last run.")]
    if never:
        notes.append(message("Never harvested without a failure: {count}.", count=never))
    return tuple(notes)


def _fresh(known: list[SourceOverview]) -> Message | None:
    """Return a message for the case that all harvested sources are fresh; None if none was ever harvested."""
    dated = [each for each in known if each.last_good is not None]
    if not dated:
        return None
    return message(
        "Harvested within the last 24 hours: {count} of {total}.", count=len(dated), total=len(known)
    )


def _freshness_summary(known: list[SourceOverview], now: datetime) -> Message | None:
    dated = [each for each in known if each.last_good is not None]
    if not dated:
        return None
    return message(
        "The stalest is {source}, last harvested {days} days ago.",
        source=dated[0].name,
        days=_days(dated[0].last_good, now) or 0.0,
    )


# Unrecognised types: values missing in the table of types, which the owner may add in the configuration.

LISTED = 500  # values
DRAWN = 25
_SOURCES = FacetRequest("source", 3)  # of each value, the most frequent
_TYPES_METHOD = message(
    "These values of records are counted and searched for as they stand. The setting types in windrow.toml"
    " says which types they are."
)


def tabulate_unrecognised_types(population: Population) -> Table:
    """One row per value of no known type, with its records and their sources."""
    (counts,) = population.tally(FacetRequest("type", MAX_COUNTED_VALUES, within=_SOURCES))
    table = population.types or load_controlled_values(TYPE)
    unknown = [each for each in counts.values if table.find(each.value) is None]
    return Table(
        "unrecognised-types",
        message("Types that are not recognised"),
        (
            Column("type", message("Type")),
            Column("records", message("Records"), Kind.NUMBER),
            Column("sources", message("Source")),
        ),
        tuple(map(_type_row, unknown[:LISTED])),
        population.period(),
        population.origin,
        (_TYPES_METHOD, *_types_left_out(len(unknown))),
        message("{count} values are not recognised.", count=len(unknown))
        if unknown
        else message("All types are recognised."),
        Drawing(Form.BARS, "type", ("records",), most=DRAWN),
    )


def _type_row(counted: ValueCount) -> Row:
    sources = ", ".join(each.value for each in counted.within)
    return Row((counted.value, counted.count, sources), (("type", counted.value),))


def _types_left_out(total: int) -> list[Message]:
    if total <= LISTED:
        return []
    return [message("Only the {top} most used are listed, of {total}.", top=LISTED, total=total)]
