"""Two collections in a user's crontab, and a cron of our own: `python -m tests.flows.cron_experiment`.

It is started in mounts of its own, where the spool of cron is empty: nobody's crontab is touched. What it saw
goes to standard output as JSON.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from windrow.model.job_state import JobRun
from windrow.store import jobs, leases, runs
from windrow.store.store import open_store
from windrow.wiring import create_library

LIMIT_SECONDS = 120  # a whole minute until cron looks again, and some for a slow machine
ROOT = Path(__file__).resolve().parents[2]
SPOOL = "/var/spool/cron"
# The spool, the lock and the system's own tables, laid over with empty ones that end with the process.
APART = f"""
set -e
mount -t tmpfs none {SPOOL}
mkdir -m 1730 {SPOOL}/crontabs
chgrp crontab {SPOOL}/crontabs
mount -t tmpfs none /run
mount -t tmpfs none /etc/cron.d
mount --bind /dev/null /etc/crontab
exec "$@"
"""
# Such as the owner of a few collections has: mail, notes, odd spacing, Sunday as 7, bytes of another age.
TABLE = b"""# collections of the reading room \xe9
MAILTO=""

# min hour dom mon dow  command
00 6 * * 7   /bin/true   reports
 0  *\t*  *  *  /bin/true "news"   >> /dev/null 2>&1
#15 2 * * *  /bin/true theses
30 4 1 * *  /bin/true +\\%F

"""
# By the name of the job that keeps it: the folder of a library.
LIBRARIES = {"reports": "two words, 100%", "news": "it's #1 $HOME"}
DOCUMENTS = 2  # in each
BUSY = "busy"  # a third library and its job, whose source somebody works on when cron calls


def run_apart(folder: Path) -> subprocess.CompletedProcess[str]:
    """Run the experiment in mounts of its own."""
    child = (sys.executable, "-m", "tests.flows.cron_experiment", str(folder))
    return subprocess.run(
        ["unshare", "--mount", "--propagation", "private", "sh", "-c", APART, "sh", *child],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env={**os.environ, "TZ": "UTC"},
    )


def may_mount() -> bool:
    """Whether this machine lets us have mounts of our own."""
    tried = ["unshare", "--mount", "--propagation", "private", "mount", "-t", "tmpfs", "none", "/run"]
    return subprocess.run(tried, capture_output=True, check=False).returncode == 0


def main(folder: Path) -> None:
    """Add the jobs, let cron run them once, take them out again."""
    subprocess.run(["crontab", "-"], input=TABLE, check=True)
    for job, name in LIBRARIES.items():
        _prepare(folder / name, job, "collection", "update")
    _prepare(folder / BUSY, BUSY, "harvest", "papers")
    _windrow(folder / BUSY, "schedule", "edit", BUSY, "--backoff", "1s")
    _windrow(folder / BUSY, "harvest", "papers")
    with closing(open_store(folder / BUSY)) as store, store.writing() as connection:
        leases.take(connection, leases.lease_name("papers"), leases.own_claim("the experiment"))
    installed = _table()
    daemon = subprocess.Popen(["cron", "-f"], stdout=subprocess.DEVNULL)
    try:
        runs = _wait(folder)
        waited = _wait_for_busy(folder / BUSY)
    finally:
        daemon.terminate()
        daemon.wait()
    steps = {job: _steps(folder / name) for job, name in LIBRARIES.items()}
    for job, name in {**LIBRARIES, BUSY: BUSY}.items():
        _windrow(folder / name, "schedule", "remove", job)
    lines = installed.count(b"windrow-job")
    seen = {"lines": lines, "is_same": _table() == TABLE, "runs": runs, "steps": steps, "waited": waited}
    sys.stdout.write(json.dumps(seen))


def _prepare(library: Path, job: str, *command: str) -> None:
    """Make a library of a folder; give its job to cron twice, of which the second replaces the first."""
    papers = library.with_name(f"papers of {job}")
    papers.mkdir()
    for number in range(DOCUMENTS):
        (papers / f"{number}.html").write_text(f"<title>{job} {number}</title>", encoding="ascii")
    create_library(library)
    _windrow(
        library, "source", "add", "papers", str(papers), "--kind", "files", "--url", f"http://{job}.example/"
    )
    _windrow(library, "schedule", "add", job, "--yearly", "--host", "cron", *command)
    _windrow(library, "schedule", "edit", job, "--cron", "* * * * *")


def _windrow(library: Path, *arguments: str) -> None:
    subprocess.run(
        [sys.executable, "-m", "windrow", "-L", str(library), *arguments],
        check=True,
        stdout=subprocess.DEVNULL,
    )


def _table() -> bytes:
    return subprocess.run(["crontab", "-l"], capture_output=True, check=True).stdout


def _wait(folder: Path) -> dict[str, tuple[float, str]]:
    """Wait for cron, which nobody can tell that a minute is over; give when each began, and its outcome."""
    end = time.monotonic() + LIMIT_SECONDS
    found: dict[str, tuple[float, str]] = {}
    while time.monotonic() < end and len(found) < len(LIBRARIES):
        time.sleep(0.1)
        found |= {job: ended for job, name in LIBRARIES.items() for ended in _ended(folder / name, job)}
    return found


def _wait_for_busy(library: Path) -> list[tuple[str, bool]]:
    """Hold the source until a run was skipped because of it, then let go.

    Give the outcomes in order, and whether cron's own process was to try again.
    """
    with closing(open_store(library)) as store:
        _await(lambda: bool(_runs(library)))
        with store.writing() as connection:
            leases.release(connection, leases.lease_name("papers"), leases.own_claim("the experiment"))
    _await(lambda: any(run.is_good for run in _runs(library)))
    return [(str(run.outcome), run.retry_at is not None) for run in reversed(_runs(library))]


def _await(is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + LIMIT_SECONDS
    while time.monotonic() < end and not is_so():
        time.sleep(0.1)


def _runs(library: Path) -> list[JobRun]:
    """Give the runs of the busy job that are over, newest first."""
    with closing(open_store(library)) as store, store.reading() as connection:
        return [run for run in jobs.list_runs(connection, BUSY) if run.outcome is not None]


def _ended(library: Path, job: str) -> list[tuple[float, str]]:
    """Give the first run of a job once it is over."""
    with closing(open_store(library)) as store, store.reading() as connection:
        runs = jobs.list_runs(connection, job)[-1:]
    return [(run.started, run.outcome.value) for run in runs if run.outcome is not None]


def _steps(library: Path) -> list[tuple[str, str, int]]:
    with closing(open_store(library)) as store, store.reading() as connection:
        found = [(step.kind.value, step.word, step.records) for step in runs.list_steps(connection)]
    return found[::-1][:3]


if __name__ == "__main__":
    main(Path(sys.argv[1]))
