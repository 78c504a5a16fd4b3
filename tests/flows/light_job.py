"""A job that does nothing but note when it begins and ends: `light_job.py SRC NOTES LOCK JOB RUN`.

It holds a lock while it lives, so that a second one at the same time is noticed even if neither can tell.
"""

from __future__ import annotations

import fcntl
import os
import sys
import threading

WORK_SECONDS = 0.02


def note(path: str, *words: object) -> None:
    """Add a line, all of it or nothing, whoever else writes."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.write(descriptor, (" ".join(map(str, words)) + "\n").encode())
    os.close(descriptor)


def main() -> None:
    source, notes, lock, job, run = sys.argv[1:]
    sys.path.insert(0, source)
    from windrow.schedule.job_process import boot_time, watch_stdin

    watch_stdin()
    held = os.open(lock, os.O_WRONLY | os.O_CREAT)
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        note(notes, "twice", job, run, boot_time())
        return
    note(notes, "begin", job, run, boot_time())
    threading.Event().wait(WORK_SECONDS)
    note(notes, "end", job, run, boot_time())


if __name__ == "__main__":
    main()
