"""Inside a job's own process: it ends when its lease does, with all that it began.

The runner holds the other end of a pipe. It writes until when the lease holds; when it is gone the pipe ends,
and when it hangs nothing more is written. Either way this process stops in good time before somebody else may
take the job over: thus no job runs twice at once, even if its runner was killed, stopped or put to sleep.
Imports little, because every run of every job waits for it.
"""

from __future__ import annotations

import os
import signal
import threading
import time

LOOK_SECONDS = 1.0
FIRST_SECONDS = 30.0  # until the runner's first word


def boot_time() -> float:
    """Give seconds that go on while the machine sleeps, the same in all its processes."""
    boot = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if boot is None else time.clock_gettime(boot)


def render_lease(deadline: float, grace_seconds: float) -> bytes:
    """Give the line that says until when, by `boot_time`, and how long to wait between asking and killing."""
    return f"{deadline} {grace_seconds}\n".encode()


class Guard:
    """Watches the pipe in threads of its own; they end with the process."""

    def __init__(self, descriptor: int) -> None:
        self._pipe = os.fdopen(descriptor, "rb", buffering=0)
        self._deadline = boot_time() + FIRST_SECONDS
        self._grace_seconds = LOOK_SECONDS
        self._is_over = threading.Event()

    def start(self) -> None:
        """Begin to watch."""
        for target in (self._read, self._watch):
            threading.Thread(target=target, name="guard", daemon=True).start()

    def _read(self) -> None:
        kept = b""
        while some := self._pipe.read(1024):
            *lines, kept = (kept + some).split(b"\n")
            for line in lines[-1:]:
                deadline, grace = map(float, line.split())
                self._deadline, self._grace_seconds = deadline, grace
        self._is_over.set()

    def _watch(self) -> None:
        while not self._is_over.is_set() and (left := self._deadline - boot_time()) > 0:
            self._is_over.wait(min(left, LOOK_SECONDS))
        self._end()

    def _end(self) -> None:
        """Ask everything in our group to stop, then leave no choice."""
        if not hasattr(os, "killpg") or os.getpgrp() != os.getpid():
            os._exit(130)
        os.killpg(0, signal.SIGTERM)
        threading.Event().wait(self._grace_seconds)
        os.killpg(0, signal.SIGKILL)


def guard_by_stdin() -> None:
    """Watch the pipe that stdin is, and let stdin be empty for the rest of this process."""
    pipe = os.dup(0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    Guard(pipe).start()
