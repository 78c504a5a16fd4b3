"""The process of a job, with its children: started, kept alive, stopped and killed by its runner.

Inside the process, a watchdog ends it when its runner is gone.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Protocol

from windrow.config.loader import LIBRARY_VARIABLE
from windrow.schedule.scheduled_job import Job
from windrow.store.jobs import ClaimedJob

# The watchdog inside a job's process ends it, with all its children, when its lease expires. The runner holds
# the other end of a pipe and writes how long the lease lasts. If the runner dies, the pipe closes; if it
# hangs, nothing more is written. In both cases the process stops well before another runner may take the job
# over, so no job runs twice at once, even if its runner was killed, stopped or suspended. Imports little,
# because every run of every job waits for it.

WATCHDOG_POLL_SECONDS = 1.0
FIRST_LEASE_SECONDS = 30.0  # until the runner's first message


def boot_time() -> float:
    """Return seconds that also count while the machine sleeps; the same in all processes."""
    boot = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if boot is None else time.clock_gettime(boot)


def render_lease(deadline: float, grace_seconds: float) -> bytes:
    """Render the message with the lease's deadline (`boot_time`) and the time between SIGTERM and SIGKILL."""
    return f"{deadline} {grace_seconds}\n".encode()


class Watchdog:
    """Watches the pipe in threads of its own; they end with the process."""

    def __init__(self, descriptor: int) -> None:
        self._pipe = os.fdopen(descriptor, "rb", buffering=0)
        self._deadline = boot_time() + FIRST_LEASE_SECONDS
        self._grace_seconds = WATCHDOG_POLL_SECONDS
        self._is_over = threading.Event()

    def start(self) -> None:
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
            self._is_over.wait(min(left, WATCHDOG_POLL_SECONDS))
        self._end()

    def _end(self) -> None:
        if not hasattr(os, "killpg") or os.getpgrp() != os.getpid():
            os._exit(130)
        os.killpg(0, signal.SIGTERM)
        threading.Event().wait(self._grace_seconds)
        os.killpg(0, signal.SIGKILL)


def watch_stdin() -> None:
    """Watch the pipe on stdin, and replace stdin by /dev/null until this process ends."""
    pipe = os.dup(0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    Watchdog(pipe).start()


KEPT_BYTES = 4096  # of the end of the output
_CHUNK = 65536
_PUMP_SECONDS = 2.0  # for output that is left when the process has ended
Sink = Callable[[bytes], object]


class Child(Protocol):
    """A running job, as the runner uses it."""

    def poll(self) -> int | None:
        """Return the exit code once it has ended; negative: the number of the signal that ended it."""

    def keep(self, deadline: float, grace_seconds: float) -> None:
        """Extend its lease until this moment, by `boot_time`."""

    def stop(self) -> None:
        """Ask it to end."""

    def kill(self) -> None:
        """Kill it, with all its children."""

    def last_words(self) -> str:
        """Return the end of its output."""


class ProcessChild:
    """A process in a session of its own. `on_end` is called once, from a thread, when it has ended."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        environ: Mapping[str, str],
        on_end: Callable[[], None],
        sinks: Sequence[Sink] = (),
        error_sinks: Sequence[Sink] | None = None,
        clean: Callable[[str], str] = str,
    ) -> None:
        """Start it. Output goes to the sinks; errors to `error_sinks`, if given.

        After all output, each sink is called once with b"". `clean` removes secrets from `last_words`.
        """
        self._clean = clean
        self._sinks = [*dict.fromkeys((*sinks, *(error_sinks or ())))]
        self._tail = b""
        self._code: int | None = None
        self._on_end = on_end
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT if error_sinks is None else subprocess.PIPE,
            env=environ,
            start_new_session=True,
        )
        streams = [(self._process.stdout, sinks), (self._process.stderr, error_sinks or ())]
        self._pumps = [
            threading.Thread(target=self._pump, args=(stream, into), name="job output", daemon=True)
            for stream, into in streams
            if stream is not None
        ]
        self._waiter = threading.Thread(target=self._wait, name="job end", daemon=True)
        for thread in (*self._pumps, self._waiter):
            thread.start()

    def poll(self) -> int | None:
        """Return the exit code once it has ended and its output is complete."""
        return self._code

    def keep(self, deadline: float, grace_seconds: float) -> None:
        assert self._process.stdin is not None
        with suppress(OSError, ValueError):  # it has ended, and its end will be noticed soon
            self._process.stdin.write(render_lease(deadline, grace_seconds))
            self._process.stdin.flush()

    def stop(self) -> None:
        """Ask it and all its children to end."""
        self._signal(signal.SIGTERM)

    def kill(self) -> None:
        self._signal(getattr(signal, "SIGKILL", signal.SIGTERM))

    def last_words(self) -> str:
        return self._clean(self._tail.decode("utf-8", "replace"))

    def _signal(self, number: int) -> None:
        if self._code is not None:
            return
        if not hasattr(os, "killpg"):
            self._process.terminate()
            return
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)

    def _pump(self, stream: IO[bytes], sinks: Sequence[Sink]) -> None:
        """Forward output; a failing sink does not stop the process."""
        read = stream.read1  # type: ignore[attr-defined]
        with suppress(OSError, ValueError):
            while some := read(_CHUNK):
                self._tail = (self._tail + some)[-KEPT_BYTES:]
                for sink in sinks:
                    with suppress(OSError, ValueError):
                        sink(some)

    def _wait(self) -> None:
        if hasattr(os, "waitid"):
            # Its process number stays reserved until its remaining children have been killed.
            with suppress(ChildProcessError):
                os.waitid(os.P_PID, self._process.pid, os.WEXITED | os.WNOWAIT)
            self.kill()
        code = self._process.wait()
        for pump in self._pumps:
            pump.join(_PUMP_SECONDS)
        for sink in self._sinks:
            with suppress(OSError, ValueError):
                sink(b"")
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream is not None:
                with suppress(OSError):
                    stream.close()
        self._code = code
        self._on_end()


# The start of a run: which process, with which environment, and where its output goes.

JOB, JOB_RUN = "WINDROW_JOB", "WINDROW_JOB_RUN"  # identify the run in the environment of its process
OpenLog = Callable[[Job, ClaimedJob], Sink]
Clean = Callable[[str], str]


class ProcessStarter:
    """Starts runs of jobs on a library: each is this Python with a module and the job's command line.

    `open_log` returns the sink of a run's output, `make_clean` the function that removes secrets from its
    last words. With `echoes`, output and errors are also sent to these two sinks.
    """

    def __init__(
        self,
        folder: Path,
        module: str,
        *,
        environ: Mapping[str, str],
        open_log: OpenLog,
        make_clean: Callable[[], Clean] = lambda: str,
        echoes: tuple[Sink, Sink] | None = None,
    ) -> None:
        self._folder = folder
        self._module = module
        self._environ = environ
        self._open_log = open_log
        self._make_clean = make_clean
        self._echoes = echoes

    def __call__(self, job: Job, taken: ClaimedJob, on_end: Callable[[], None]) -> ProcessChild:
        kept = self._open_log(job, taken)
        words, complaints = self._echoes or (None, None)
        return ProcessChild(
            [sys.executable, "-m", self._module, *job.command],
            environ=self._about(job, taken),
            on_end=on_end,
            sinks=_all(kept, words),
            error_sinks=_all(kept, complaints) if self._echoes else None,
            clean=self._make_clean(),
        )

    def _about(self, job: Job, taken: ClaimedJob) -> dict[str, str]:
        own = {LIBRARY_VARIABLE: str(self._folder.resolve()), JOB: job.name, JOB_RUN: str(taken.run)}
        return {**self._environ, "PYTHONUNBUFFERED": "1", **own}


def _all(*sinks: Sink | None) -> Sequence[Sink]:
    return [sink for sink in sinks if sink is not None]
