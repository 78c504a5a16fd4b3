"""The events for which a record was found: of the many occasions of a course, those that were asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from windrow.finding.shown_hit import Occasions, ShownHit
from windrow.finding.walking import Fetcher
from windrow.model.document import Event
from windrow.model.event_view import EventView
from windrow.model.matching import Judge, judge_of
from windrow.model.query import And, AtLeast, Or, Phrase, Query, Range, SameEvent, Value, Word
from windrow.model.query_fields import FIELDS
from windrow.store.store import Store

SHOWN = 3  # occasions of one hit
MOST_TRIED = 1000  # events of one record


def with_occasions(hits: Sequence[ShownHit], query: Query, store: Store) -> tuple[ShownHit, ...]:
    """Return the hits, each with its events that have what the query asks of an event."""
    judges = [judge_of(condition) for condition in event_conditions(query)]
    if not judges:
        return tuple(hits)
    occasions = {
        entry.record.id: _occasions(entry.document.events[:MOST_TRIED], judges)
        for entry in Fetcher(store).fetch([hit.card.number for hit in hits])
    }
    return tuple(replace(hit, occasions=occasions.get(hit.card.number)) for hit in hits)


def event_conditions(query: Query) -> Iterator[Query]:
    """Yield what a query asks of events; what it excludes is left out."""
    match query:
        case And(parts) | Or(parts) | AtLeast(_, parts):
            for part in parts:
                yield from event_conditions(part)
        case SameEvent(part):
            yield part
        case Word(field=str(name)) | Phrase(field=str(name)) | Value(field=name) | Range(field=name):
            if FIELDS[name].is_of_event:
                yield query


def _occasions(events: Sequence[Event], judges: Sequence[Judge]) -> Occasions:
    matching = [event for event in events if any(judge(EventView(event)) for judge in judges)]
    return Occasions(tuple(matching[:SHOWN]), len(matching), len(events))
