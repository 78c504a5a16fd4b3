from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from tests.unit.web.api.office import opened
from windrow.model.job_state import JobOutcome
from windrow.store import jobs, leases
from windrow.store.jobs import NextAttempt, ScheduledJob

NOON = datetime(2024, 6, 1, 12, tzinfo=UTC)
NOW = NOON.timestamp()


def test_what_runs_by_itself_is_given_with_how_it_stands(tmp_path: Path) -> None:
    with opened(tmp_path) as office:
        assert office.get("/jobs") == {"items": []}
        store = office.catalogue.store
        store.clock = lambda: NOW
        with store.writing() as connection:
            jobs.sync(connection, [ScheduledJob("nightly", "daily", NOW, NOW)])
            claim = leases.own_claim("a test")
            taken = jobs.take_named(connection, "nightly", claim=claim, now=NOW, lease_seconds=60)
            jobs.finish(connection, taken, JobOutcome.FAILED, NextAttempt(NOW + 60, NOW + 60), now=NOW)
        (job,) = office.get("/jobs")["items"]
        assert job["name"] == "nightly"
        assert (job["outcome"], job["failures"], job["failing_since"]) == ("failed", 1, job["ended"])
        assert (job["last_good"], job["running_since"]) == (None, None)
        assert datetime.fromisoformat(job["next"]).timestamp() == NOW + 60
        assert (job["paused"], job["overdue"]) == (False, False)
