"""How each source stands: what `/status` shows to whoever provides the data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from windrow.config.addresses import mask_url
from windrow.config.schema import FILES, Config, SourceSettings
from windrow.index.protocol import Index, Tally
from windrow.model.query import Everything
from windrow.model.run import Outcome, Problem, Run
from windrow.store import cases, runs, sources
from windrow.store.leases import holders
from windrow.store.overview import Overview, Standing, overviews, standings
from windrow.store.store import Store

RUNS = 10  # shown on the page of a source
_LOOKED_AT = 50  # runs, for the last good one
_MOST_SOURCES = 10_000
MOST_CASES = 1000  # looked at for their reasons
MOST_REASONS = 10
_GOOD = (Outcome.OK, Outcome.PARTIAL)


@dataclass(frozen=True, slots=True)
class Line:
    """One source as the list shows it. `outcome` is the word that every part of the product uses."""

    name: str
    title: str  # as the repository calls itself
    outcome: str
    last_good: datetime | None
    records: int
    tombstones: int
    quarantined: int
    indexed: int
    is_enabled: bool
    is_configured: bool


@dataclass(frozen=True, slots=True)
class Portrait:
    """One source for the one who provides it."""

    line: Line
    url: str
    identity: Mapping[str, object]
    formats: Mapping[str, int]
    sets: int
    lists: tuple[Standing, ...]
    runs: tuple[tuple[Run, str], ...]
    problems: tuple[Problem, ...]  # of the last run
    reasons: tuple[tuple[str, int], ...]  # why records are in quarantine


def all_lines(store: Store, config: Config, index: Index) -> list[Line]:
    """Give every source there is or was, by name."""
    (counts,) = index.tally(Everything(), [Tally("source", _MOST_SOURCES)])
    indexed = {each.value: each.count for each in counts.values}
    with store.reading() as connection:
        held, claims = overviews(connection), holders(connection)
        found = []
        for name in sorted({*config.sources, *held}):
            known = held.get(name) or Overview(name, "")
            latest = runs.latest(connection, source=name, limit=_LOOKED_AT) if known.last else []
            state = sources.find(connection, name)
            found.append(_line(config, known, latest, claims, state, indexed.get(name, 0)))
    return found


def portrait(store: Store, config: Config, index: Index, name: str) -> Portrait | None:
    """Give one source; None for a name that nothing has."""
    line = next((each for each in all_lines(store, config, index) if each.name == name), None)
    if line is None:
        return None
    settings = config.sources.get(name)
    with store.reading() as connection:
        state = sources.find(connection, name)
        if state is None:
            return Portrait(line, mask_url(settings.url) if settings else "", {}, {}, 0, (), (), (), ())
        held = sources.holdings(connection, state.id)
        claims = holders(connection)
        latest = runs.latest(connection, source=name, limit=RUNS)
        last = runs.get(connection, latest[0].id) if latest else None
        waiting = cases.listed(connection, source=name, limit=MOST_CASES)
        return Portrait(
            line,
            mask_url(settings.url if settings else state.url),
            state.identity,
            held.payloads,
            held.sets,
            tuple(standings(connection, state.id, _lists(settings))),
            tuple((run, outcome_word(run, claims)) for run in latest),
            last.problems if last else (),
            tuple(Counter(case.reason for case in waiting).most_common(MOST_REASONS)),
        )


def outcome_word(run: Run | None, claims: Mapping[str, tuple[object, bool]]) -> str:
    """How a run went; one without an outcome is running while its process lives, and was killed otherwise."""
    if run is None:
        return "never"
    if run.outcome is not None:
        return run.outcome.value
    _, is_alive = claims.get(f"source {run.source}", (None, False))
    return "running" if is_alive else "killed"


def _line(
    config: Config,
    known: Overview,
    latest: list[Run],
    claims: Mapping[str, tuple[object, bool]],
    state: sources.SourceState | None,
    indexed: int,
) -> Line:
    settings = config.sources.get(known.name)
    good = (run.ended for run in latest if run.kind == "harvest" and run.outcome in _GOOD)
    return Line(
        known.name,
        str(state.identity.get("name") or "") if state else "",
        outcome_word(known.last, claims),
        next(good, None),
        known.records,
        known.tombstones,
        known.quarantined,
        indexed,
        settings is not None and settings.enabled,
        settings is not None,
    )


def _lists(settings: SourceSettings | None) -> list[tuple[str, str]]:
    if settings is None or settings.kind == FILES:
        return []
    return [(prefix, spec) for prefix in settings.formats for spec in settings.sets or ("",)]
