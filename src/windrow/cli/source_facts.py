"""Everything the library knows of one source, gathered for `source show` in one look at the store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from windrow.errors import UsageError

if TYPE_CHECKING:
    from windrow.config.describe import Row
    from windrow.config.schema import SourceSettings
    from windrow.model.run import Run
    from windrow.store.overview import Standing
    from windrow.store.sets import StoredSet
    from windrow.store.sources import Holdings, SourceState
    from windrow.wiring import Library
    from windrow.wiring.source_kinds import Fact

MOST_RUNS = 5


@dataclass(frozen=True, slots=True)
class Facts:
    """One source: as configured, as it described itself, as far as it was harvested."""

    settings: SourceSettings
    rows: Sequence[Row]
    state: SourceState | None = None  # None before its first harvest
    holdings: Holdings | None = None
    sets: Sequence[StoredSet] = ()
    lists: Sequence[Standing] = ()
    runs: Sequence[tuple[Run, str]] = ()  # each with the word for how it went
    host: str = ""
    not_before: datetime | None = None  # the host asked to be left alone until then
    has_more_runs: bool = False  # than `runs` holds
    told: Sequence[Fact] = ()  # by its kind


def gather(opened: Library, name: str) -> Facts:
    """Give what is known of a source; NotFound where there is no such source."""
    from windrow.config.describe import rows
    from windrow.config.schema import INHERITED
    from windrow.store import runs, sources
    from windrow.store.outcomes import outcome_word
    from windrow.store.overview import Standing, standings
    from windrow.store.sets import list_sets
    from windrow.wiring.source_kinds import kind_for

    settings = opened.source(name)
    prefix = f"sources.{name}."
    own = [row for row in rows(opened.config) if row.key.startswith(prefix)]
    own.sort(key=lambda row: row.key.removeprefix(prefix) in INHERITED)  # what only sources have comes first
    host = _host(settings.url)
    not_before = opened.store.memory.not_before(host) if host else None
    lists, told = settings.lists, kind_for(settings).facts(opened, settings)
    with opened.store.reading() as connection:
        state = sources.find(connection, name)
        if state is None:
            fresh = [Standing(*each) for each in lists]
            return Facts(settings, own, lists=fresh, host=host, not_before=not_before, told=told)
        latest = runs.latest(connection, source=name, limit=MOST_RUNS + 1)
        return Facts(
            settings,
            own,
            state,
            sources.holdings(connection, state.id),
            list_sets(connection, state.id),
            standings(connection, state.id, lists),
            [(run, outcome_word(connection, run)) for run in latest[:MOST_RUNS]],
            host,
            not_before,
            has_more_runs=len(latest) > MOST_RUNS,
            told=told,
        )


def _host(url: str) -> str:
    from windrow.net.address import parse_address

    try:
        return parse_address(url).key
    except UsageError:
        return ""
