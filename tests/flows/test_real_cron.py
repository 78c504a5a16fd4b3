"""The cron of the system runs what was installed, two collections in one minute, and touches nothing else."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from tests.fixtures import missing
from tests.flows.cron_experiment import DOCUMENTS, LIBRARIES, may_mount, run_apart


def test_cron_updates_two_collections_in_the_same_minute_and_the_table_is_the_same_afterwards(
    tmp_path: Path,
) -> None:
    if not shutil.which("cron") or not shutil.which("crontab") or not shutil.which("unshare"):
        missing("cron is not on this machine")
    if not may_mount():
        missing("there are no mounts of our own here, so no cron of our own")
    done = run_apart(tmp_path)
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    assert seen["lines"] == len(LIBRARIES) + 1
    assert seen["is_same"]
    assert {job: outcome for job, (_, outcome) in seen["runs"].items()} == dict.fromkeys(LIBRARIES, "ok")
    assert len({int(started) // 60 for started, _ in seen["runs"].values()}) == 1
    complete = [[step, "ok", DOCUMENTS] for step in ("import", "build", "activate")]
    first, *_, last = seen["waited"]
    assert (first, last) == (["skipped", True], ["ok", False]), "tried again although the source was busy"
    assert seen["steps"] == dict.fromkeys(LIBRARIES, complete)
