"""The system's cron runs what was installed: two jobs in the same minute, and nothing else is touched."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from tests.fixtures import missing
from tests.flows.cron_experiment import JOBS, may_mount, run_apart


def test_cron_runs_two_installed_jobs_in_the_same_minute_and_the_table_is_the_same_afterwards(
    tmp_path: Path,
) -> None:
    if not shutil.which("cron") or not shutil.which("crontab") or not shutil.which("unshare"):
        missing("cron is not on this machine")
    if not may_mount():
        missing("there are no mounts of our own here, so no cron of our own")
    done = run_apart(tmp_path)
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    assert seen["lines"] == len(JOBS)
    assert seen["is_same"]
    assert set(seen["notes"]) == set(JOBS)
    started = {int(note.split()[0]) for note in seen["notes"].values()}
    assert len({second // 60 for second in started}) == 1
    for job, folder in JOBS.items():
        expected = f"{tmp_path}/{job}.ran --library {tmp_path}/{folder} schedule run {job}"
        assert seen["notes"][job].partition(" ")[2] == expected
