"""What the store knows of each source's harvests, as plain values for the table of freshness."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from windrow.model.run import Outcome, Run
from windrow.stats.freshness import Harvested
from windrow.store import runs
from windrow.store.leases import holders
from windrow.store.overview import Overview, overviews
from windrow.store.store import Store

_GOOD = (Outcome.OK, Outcome.PARTIAL)
_LOOKED_AT = 50  # runs of a source, for the last good one


def harvests_of(store: Store, names: Iterable[str]) -> list[Harvested]:
    """Give every source of these names, and those that have records though nobody names them any more."""
    with store.reading() as connection:
        held, claims = overviews(connection), holders(connection)
        found = []
        for name in sorted({*names, *held}):
            known = held.get(name) or Overview(name, "")
            latest = runs.latest(connection, source=name, limit=_LOOKED_AT) if known.last else []
            good = (run.ended for run in latest if run.kind == "harvest" and run.outcome in _GOOD)
            found.append(Harvested(name, known.records, next(good, None), _word(known.last, claims)))
    return found


def _word(run: Run | None, claims: Mapping[str, tuple[object, bool]]) -> str:
    if run is None:
        return "never"
    if run.outcome is not None:
        return run.outcome.value
    _, is_alive = claims.get(f"source {run.source}", (None, False))
    return "running" if is_alive else "killed"
