"""How a run stands, in the one word that the command line, the pages and the API all use."""

from __future__ import annotations

from windrow.model.run import Run
from windrow.store import leases, runs
from windrow.store.connection import Connection

NEVER, RUNNING, KILLED = "never", "running", "killed"


def outcome_word(connection: Connection, run: Run | None) -> str:
    """Give the outcome; of a run without one, whether its process still lives or is gone without a word."""
    if run is None:
        return NEVER
    if run.outcome is not None:
        return run.outcome.value
    _, is_alive = leases.holders(connection).get(leases.lease_name(run.source, run.kind), (None, False))
    return RUNNING if is_alive and runs.is_last(connection, run) else KILLED
