"""Two jobs in a user's crontab, and a cron of our own to run them: `python -m tests.flows.cron_experiment`.

It is started in mounts of its own, where the spool of cron is empty: nobody's crontab is touched. What it saw
goes to standard output as JSON.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

from windrow.schedule.cadence import parse_cadence
from windrow.schedule.hosts import find_host

LIMIT_SECONDS = 75  # a whole minute until cron looks again, and some for a slow machine
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
NOTE = """#!/bin/sh
printf '%s' "$(date +%s) $*" > "$1.new" && mv "$1.new" "$1"
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
JOBS = {"reports": "two words, 100%", "news": "it's #1 $HOME"}


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
    script = folder / "note"
    script.write_text(NOTE, encoding="ascii")
    script.chmod(0o755)
    subprocess.run(["crontab", "-"], input=TABLE, check=True)
    for job in JOBS:
        _install(job, folder, script)
    installed = _table()
    daemon = subprocess.Popen(["cron", "-f"], stdout=subprocess.DEVNULL)
    try:
        notes = _wait(folder)
    finally:
        daemon.terminate()
        daemon.wait()
    for job, library in JOBS.items():
        find_host("cron").remove(job, folder / library)
    seen = {"lines": installed.count(b"windrow-job"), "is_same": _table() == TABLE, "notes": notes}
    sys.stdout.write(json.dumps(seen))


def _install(job: str, folder: Path, script: Path) -> None:
    """Install it twice: the second replaces the first."""
    library = folder / JOBS[job]
    command = (str(script), str(folder / f"{job}.ran"), "--library", str(library), "schedule", "run", job)
    for every in ("yearly", "* * * * *"):
        find_host("cron").install(job, parse_cadence(every), command, library)


def _table() -> bytes:
    return subprocess.run(["crontab", "-l"], capture_output=True, check=True).stdout


def _wait(folder: Path) -> dict[str, str]:
    """Wait for cron; it has no way to be told that a minute is over."""
    end = time.monotonic() + LIMIT_SECONDS
    paths = {job: folder / f"{job}.ran" for job in JOBS}
    while time.monotonic() < end and not all(path.exists() for path in paths.values()):
        time.sleep(0.1)
    return {job: os.fsdecode(path.read_bytes()) for job, path in paths.items() if path.exists()}


if __name__ == "__main__":
    main(Path(sys.argv[1]))
