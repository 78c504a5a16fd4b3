"""How each source stands, as plain values."""

from __future__ import annotations

from typing import Any

from windrow.config.schema import SourceSettings
from windrow.faces.api import shapes
from windrow.faces.api.desk import Desk
from windrow.model.run import Run
from windrow.store.overview import Overview, overviews


def source_values(desk: Desk) -> list[dict[str, Any]]:
    """Every source that is configured or has records, by name."""
    configured = desk.config.sources
    return [_value(known, configured.get(known.name)) for known in overviews(desk.store, configured)]


def _value(known: Overview, settings: SourceSettings | None) -> dict[str, Any]:
    return {
        "name": known.name,
        "url": settings.url if settings else known.url,
        "configured": settings is not None,
        "records": known.records,
        "deleted": known.tombstones,
        "quarantined": known.quarantined,
        "last_run": _run(known.last, known.outcome) if known.last else None,
        "last_good": shapes.moment(known.last_good),
    }


def _run(run: Run, outcome: str) -> dict[str, Any]:
    return {
        "kind": run.kind,
        "started": shapes.moment(run.started),
        "ended": shapes.moment(run.ended),
        "outcome": outcome,
    }
