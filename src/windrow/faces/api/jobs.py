"""What runs by itself, as plain values."""

from __future__ import annotations

from typing import Any

from windrow.faces.api import shapes
from windrow.faces.api.answers import Answer
from windrow.faces.api.desk import Desk
from windrow.faces.shared.job_standing import JobStanding, job_standings
from windrow.faces.shared.parameters import Asked


def jobs(desk: Desk, asked: Asked) -> Answer:  # noqa: ARG001
    """The jobs of the library, and how each stands."""
    return Answer({"items": [_value(each) for each in job_standings(desk.store, desk.config)]})


def _value(job: JobStanding) -> dict[str, Any]:
    return {
        "name": job.name,
        "does": job.what,
        "sources": sorted(job.sources),
        "outcome": job.outcome,
        "ended": shapes.moment(job.ended),
        "last_good": shapes.moment(job.last_good),
        "failing_since": shapes.moment(job.failing_since),
        "failures": job.failures,
        "running_since": shapes.moment(job.running_since),
        "progress": _progress(job),
        "next": shapes.moment(job.next),
        "paused": job.is_paused,
        "overdue": job.is_overdue,
    }


def _progress(job: JobStanding) -> dict[str, int | None] | None:
    """Give how far it is; of several harvests all together, whose total only all of them know."""
    if job.reached is not None:
        return {"done": job.reached[0], "total": job.reached[1]}
    if not job.progress:
        return None
    totals = [run.claimed for run in job.progress]
    known = [total for total in totals if total is not None]
    done = sum(run.counters.seen for run in job.progress)
    return {"done": done, "total": sum(known) if len(known) == len(totals) else None}
