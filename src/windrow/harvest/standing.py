"""How a run stands: its outcome, or whether the process behind an open one still lives."""

from __future__ import annotations

from windrow.harvest import rebuild, work
from windrow.model.run import Run
from windrow.store import leases, runs
from windrow.store.connection import Connection

RUNNING, KILLED = "running", "killed"
_RECENT = 50


def standing(connection: Connection, run: Run) -> str:
    """Give the outcome's word; "running" or "killed" for a run without an end."""
    if run.outcome is not None:
        return run.outcome.value
    lease = _lease(run)
    _, is_alive = leases.holders(connection).get(lease, (None, False))
    later = runs.latest(connection, source=run.source, limit=_RECENT)
    is_last = not any(other.id > run.id and _lease(other) == lease for other in later)
    return RUNNING if is_alive and is_last else KILLED


def _lease(run: Run) -> str:
    return rebuild.lease_name(run.source) if run.kind == "rebuild" else work.lease_name(run.source)
