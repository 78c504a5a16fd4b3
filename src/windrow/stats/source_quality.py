"""How fresh each source is: when it was last harvested well, as the store tells it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta

from windrow.stats.message import Message, message
from windrow.stats.origin import UNNAMED, Origin
from windrow.stats.population import SOURCES, Population
from windrow.stats.table import Column, Drawing, Form, Kind, Row, Table
from windrow.store.overview import Overview

_DAY = timedelta(days=1)
_DRAWING = Drawing(Form.BARS, "source", ("days",), axis=message("Days since the last good harvest"))


def freshness_of(population: Population) -> Table:
    """Freshness of the sources that records are from; of everything also of those without any yet."""
    harvested = population.harvests() if population.is_everything else _found(population)
    return freshness(harvested, now=population.now, origin=population.origin)


def freshness(harvested: Iterable[Overview], *, now: datetime, origin: Origin = UNNAMED) -> Table:
    """Days since the last good harvest of each source, the stalest first."""
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
        _fresh(known) if is_fresh else _summary(known, now),
        None if is_fresh else _DRAWING,  # bars of hours on an axis of days would show nothing
    )


def _found(population: Population) -> list[Overview]:
    """Give the sources of what is found, with the number of records that are among it."""
    (counts,) = population.tally(SOURCES)
    found = {each.value: each.count for each in counts.values if each.count}
    return [replace(each, records=found[each.name]) for each in population.harvests() if each.name in found]


def _days(good: datetime | None, now: datetime) -> float | None:
    return None if good is None else round(max(now - good, timedelta()) / _DAY, 1)


def _notes(known: list[Overview]) -> tuple[Message, ...]:
    never = sum(each.last_good is None for each in known)
    notes = [message("A day is 24 hours. Failed runs do not count; the outcome is that of the last run.")]
    if never:
        notes.append(message("Never harvested without a failure: {count}.", count=never))
    return tuple(notes)


def _fresh(known: list[Overview]) -> Message | None:
    """Say that all were harvested just now, except those that never were; nothing of none."""
    dated = [each for each in known if each.last_good is not None]
    if not dated:
        return None
    return message(
        "Harvested within the last 24 hours: {count} of {total}.", count=len(dated), total=len(known)
    )


def _summary(known: list[Overview], now: datetime) -> Message | None:
    dated = [each for each in known if each.last_good is not None]
    if not dated:
        return None
    return message(
        "The stalest is {source}, last harvested {days} days ago.",
        source=dated[0].name,
        days=_days(dated[0].last_good, now) or 0.0,
    )
