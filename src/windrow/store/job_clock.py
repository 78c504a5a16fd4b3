"""Jobs after the clock was put back: due times and leases that lie further ahead than any could.

A machine that starts with a wrong year, and gets the right one a minute later, would otherwise leave its jobs
waiting for the wrong one to come.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from windrow.store.connection import Connection
from windrow.store.jobs import Scheduled

_DUE = "SELECT name, due FROM job WHERE due IS NOT NULL"
_LONGEST = "SELECT MAX(until) FROM job WHERE run_id IS NOT NULL"
_REDATE = "UPDATE job SET due = ?, at = ?, attempt = 0, tries = 0 WHERE name = ? AND due > ?"
_SHORTEN = "UPDATE job SET until = ? WHERE run_id IS NOT NULL AND until > ?"


@dataclass(frozen=True, slots=True)
class Bounds:
    """How far ahead is possible: of each job its row and its latest due time, and the end of leases."""

    jobs: Iterable[tuple[Scheduled, float]]
    until: float


def is_too_far(connection: Connection, bounds: Bounds) -> bool:
    """Say whether `bring_back` would change anything."""
    latest = {job.name: due for job, due in bounds.jobs}
    found = connection.exec_driver_sql(_DUE).all()
    longest = connection.exec_driver_sql(_LONGEST).scalar()
    is_due_too_far = any(due > latest.get(name, due) for name, due in found)
    return is_due_too_far or (longest is not None and longest > bounds.until)


def bring_back(connection: Connection, bounds: Bounds) -> None:
    """Let jobs that are due too far ahead be due as if they were new, and leases end in their time."""
    for job, latest in bounds.jobs:
        connection.exec_driver_sql(_REDATE, (job.due, job.at, job.name, latest))
    connection.exec_driver_sql(_SHORTEN, (bounds.until, bounds.until))
