"""How each source stands: what `/status` shows to whoever provides the data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from windrow.config.schema import Config, SourceSettings
from windrow.config.source_kinds import kind_of
from windrow.index.protocol import Index, Tally
from windrow.model.field_gaps import Gap
from windrow.model.query import Everything, Value
from windrow.model.run import Problem, Run
from windrow.store import cases, runs, sources
from windrow.store.cases import Case
from windrow.store.outcomes import outcome_word
from windrow.store.overview import Overview, Standing, overviews, standings
from windrow.store.store import Store

RUNS = 10  # shown on the page of a source
_MOST_SOURCES = 10_000
_UNASSIGNED = Value("institution", "missing")
MOST_CASES = 1000  # looked at for their reasons
MOST_REASONS = 10


@dataclass(frozen=True, slots=True)
class Line:
    """One source as the list shows it."""

    known: Overview
    indexed: int  # records that a search finds
    is_enabled: bool
    is_configured: bool
    unassigned: int = 0  # records without an institution that a search finds
    gaps: tuple[Gap, ...] = ()  # fields that an unusual share of its records lacks


@dataclass(frozen=True, slots=True)
class Portrait:
    """One source for the one who provides it."""

    line: Line
    url: str
    formats: Mapping[str, int]
    sets: int
    lists: tuple[Standing, ...]
    runs: tuple[tuple[Run, str], ...]
    problems: tuple[Problem, ...]  # of the last run
    reasons: tuple[tuple[str, int], ...]  # why records are in quarantine


def all_lines(store: Store, config: Config, index: Index, gaps: Mapping[str, tuple[Gap, ...]]) -> list[Line]:
    """Give every source there is or was, by name."""
    (counts,) = index.tally(Everything(), [Tally("source", _MOST_SOURCES)])
    indexed = {each.value: each.count for each in counts.values}
    (lacking,) = index.tally(_UNASSIGNED, [Tally("source", _MOST_SOURCES)])
    unassigned = {each.value: each.count for each in lacking.values}
    return [
        _line(
            known,
            config.sources.get(known.name),
            indexed.get(known.name, 0),
            unassigned=unassigned.get(known.name, 0),
            gaps=gaps.get(known.name, ()),
        )
        for known in overviews(store, config.sources)
    ]


def portrait(
    store: Store, config: Config, index: Index, name: str, gaps: Mapping[str, tuple[Gap, ...]]
) -> Portrait | None:
    """Give one source; None for a name that nothing has."""
    line = next((each for each in all_lines(store, config, index, gaps) if each.known.name == name), None)
    if line is None:
        return None
    settings = config.sources.get(name)
    url = settings.url if settings else line.known.url
    with store.reading() as connection:
        state = sources.find(connection, name)
        if state is None:
            return Portrait(line, url, {}, 0, (), (), (), ())
        key = ("payloads", state.id)
        held = store.counts.get(connection, key, lambda: sources.count_payloads(connection, state.id))
        latest = runs.latest(connection, source=name, limit=RUNS)
        last = runs.get(connection, line.known.last.id) if line.known.last else None
        waiting = cases.listed(connection, source=name, limit=MOST_CASES)
        return Portrait(
            line,
            url,
            held,
            sources.count_sets(connection, state.id),
            tuple(standings(connection, state.id, _lists(settings))),
            tuple((run, outcome_word(connection, run)) for run in latest),
            last.problems if last else (),
            tuple(Counter(_reasons(waiting)).most_common(MOST_REASONS)),
        )


def _reasons(waiting: Iterable[Case]) -> Iterator[str]:
    """Return the reason of each case; once for a record that waits for the same reason in several formats."""
    for _, reason in {(case.identifier or case.id, case.reason): None for case in waiting}:
        yield reason


def _line(
    known: Overview,
    settings: SourceSettings | None,
    indexed: int,
    *,
    unassigned: int,
    gaps: tuple[Gap, ...],
) -> Line:
    is_enabled = settings is not None and settings.enabled
    return Line(known, indexed, is_enabled, settings is not None, unassigned, gaps)


def _lists(settings: SourceSettings | None) -> list[tuple[str, str]]:
    if settings is None or not kind_of(settings).is_repository:
        return []
    return list(settings.lists)
