"""`python -m tests.flows.one_runner FOLDER`: a runner to be killed. Ends by itself when all jobs are done.

Most runs are threads of it, and end with it; some are processes of their own, that have to notice.
"""

from __future__ import annotations

import logging
import sys
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import time

from tests.flows.light_job import WORK_SECONDS, note
from windrow.schedule.job_claims import JobClaims
from windrow.schedule.job_process import Child, ProcessChild, boot_time
from windrow.schedule.job_runner import JobRunner
from windrow.schedule.scheduled_job import Job
from windrow.store.jobs import ClaimedJob
from windrow.store.leases import own_claim
from windrow.store.store import open_store

JOBS = 2000
OF_OWN_PROCESS = 20  # one job in so many
LEASE_SECONDS = 2.0
DUE = datetime(2026, 1, 1, tzinfo=UTC)
SOURCE = str(Path(__file__).parents[2] / "src")


class Once:
    """Due at one moment, and again long after any test."""

    def after(self, moment: datetime) -> datetime:
        return DUE if moment < DUE else moment + timedelta(days=3650)


class ThreadChild:
    """A run in a thread of the runner. Like any other it does nothing before it has a lease, nor after it."""

    def __init__(self, notes: Path, taken: ClaimedJob, on_end: Callable[[], None]) -> None:
        self._notes = str(notes)
        self._taken = taken
        self._on_end = on_end
        self._code: int | None = None
        self._deadline = 0.0
        self._is_kept = threading.Event()
        threading.Thread(target=self._work, daemon=True).start()

    def _work(self) -> None:
        self._is_kept.wait()
        if boot_time() < self._deadline:
            note(self._notes, "begin", self._taken.job, self._taken.run, boot_time())
            threading.Event().wait(WORK_SECONDS)
        if boot_time() < self._deadline:
            note(self._notes, "end", self._taken.job, self._taken.run, boot_time())
            self._code = 0
        else:
            self._code = 130
        self._on_end()

    def poll(self) -> int | None:
        return self._code

    def keep(self, deadline: float, grace_seconds: float) -> None:
        self._deadline = deadline
        self._is_kept.set()

    def stop(self) -> None:
        """It ends soon."""

    def kill(self) -> None:
        """It ends soon."""

    def last_words(self) -> str:
        return ""


def all_jobs() -> dict[str, Job]:
    names = [f"j{number:04}" for number in range(JOBS)]
    return {name: Job(name=name, command=(), times=Once(), mark="once") for name in names}


class Notes(logging.Handler):
    """What the runner says of late ends, among the notes."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path

    def emit(self, record: logging.LogRecord) -> None:
        if "taken over" in record.getMessage():
            note(str(self._path), "refused", *map(str, record.args or ()))


def main() -> None:
    folder = Path(sys.argv[1])
    notes = folder / "notes"
    logging.getLogger("windrow.schedule").addHandler(Notes(notes))
    store = open_store(folder)
    jobs = all_jobs()

    def start(job: Job, taken: ClaimedJob, on_end: Callable[[], None]) -> Child:
        if int(job.name[1:]) % OF_OWN_PROCESS:
            return ThreadChild(notes, taken, on_end)
        lock = str(folder / f"{job.name}.lock")
        script = str(Path(__file__).with_name("light_job.py"))
        words = [sys.executable, "-I", "-S", script, SOURCE, str(notes), lock, job.name, str(taken.run)]
        return ProcessChild(words, environ={}, on_end=on_end)

    desk = JobClaims(store, own_claim("a test"), clock=time, lease_seconds=LEASE_SECONDS)
    runner = JobRunner(desk, lambda: jobs, start, most=8)
    threading.Thread(target=stop_in_the_end, args=(desk, runner), daemon=True).start()
    runner.run()
    store.close()


def stop_in_the_end(desk: JobClaims, runner: JobRunner) -> None:
    """Wait until nothing is due or under way, here or in another runner."""
    while (first := desk.next_at()) is not None and first < time() + 86400:
        threading.Event().wait(0.2)
    runner.stop()


if __name__ == "__main__":
    main()
