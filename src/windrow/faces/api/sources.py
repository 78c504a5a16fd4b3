"""How each source stands, as plain values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from windrow.config.addresses import mask_url
from windrow.faces.api import shapes
from windrow.faces.api.desk import Desk
from windrow.model.run import Outcome, Run
from windrow.store import runs
from windrow.store.overview import Overview, overviews

_LOOKED_AT = 50  # runs, for the last good one
_GOOD = (Outcome.OK, Outcome.PARTIAL)


def source_values(desk: Desk) -> list[dict[str, Any]]:
    """Every source that is configured or has records, by name."""
    configured = desk.config.sources
    with desk.store.reading() as connection:
        held = overviews(connection)
        names = sorted({*configured, *held})
        latest = {
            name: runs.latest(connection, source=name, limit=_LOOKED_AT) for name in names if name in held
        }
    found = []
    for name in names:
        known = held.get(name) or Overview(name, configured[name].url)
        found.append(_value(known, latest.get(name, ()), is_configured=name in configured))
    return found


def _value(known: Overview, latest: Sequence[Run], *, is_configured: bool) -> dict[str, Any]:
    good = next((run.started for run in latest if run.kind == "harvest" and run.outcome in _GOOD), None)
    return {
        "name": known.name,
        "url": mask_url(known.url),
        "configured": is_configured,
        "records": known.records,
        "deleted": known.tombstones,
        "quarantined": known.quarantined,
        "last_run": _run(known.last) if known.last else None,
        "last_good": shapes.moment(good),
    }


def _run(run: Run) -> dict[str, Any]:
    return {
        "kind": run.kind,
        "started": shapes.moment(run.started),
        "ended": shapes.moment(run.ended),
        "outcome": run.outcome.value if run.outcome else None,
    }
