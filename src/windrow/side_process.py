"""A child process for work that may hang, crash or use much memory: started on demand, one job at a time.

`stats` draws charts in one, the gateway runs stylesheets in another. The caller provides the module that is
run: it reads jobs from stdin, and answers each with a line (a word and a byte count) followed by those
bytes.
"""

from __future__ import annotations

import subprocess
import sys
import weakref
from collections.abc import Callable
from contextlib import suppress
from threading import Lock, Timer
from typing import IO

ENDED = b"ended"


class SideProcess:
    """Runs one job at a time. A process that died is started again for the next job."""

    def __init__(self, child: str, *, seconds: float, idle_seconds: float | None = None) -> None:
        """`child` is the module to run; `seconds` is the time limit of a job.

        After `idle_seconds` without a job the process ends, and the next job starts another.
        """
        self._child = child
        self._seconds = seconds
        self._idle_seconds = idle_seconds
        self._idle: Timer | None = None
        self._jobs = 0  # completed so far
        self._process: subprocess.Popen[bytes] | None = None
        self._end: weakref.finalize[..., SideProcess] | None = None
        self._turn = Lock()

    @property
    def is_closed(self) -> bool:
        """Return whether no process is wanted: it was closed, or never used."""
        return self._process is None

    def exchange(self, job: bytes) -> tuple[bytes, bytes]:
        """Return the word and the bytes of the answer; ENDED if the process did not answer."""
        with self._turn:
            word, body = self._asked(job)
            self._jobs += 1
            end = self._end
            if word == ENDED and end is not None:
                end()  # its pipes close slightly before it exits: the next job needs a new one
            if self._idle is not None:
                self._idle.cancel()
            if self._idle_seconds is not None:
                self._idle = _timed(self._idle_seconds, _rest, weakref.ref(self), self._jobs)
        return word, body

    def rest(self, jobs: int) -> None:
        """End the process if no job was run since `jobs` were completed; the next job starts another."""
        with self._turn:
            if self._jobs == jobs:
                self.close()

    def close(self) -> None:
        """End the process, even in the middle of a job; the next job would start another."""
        end, self._process, self._end = self._end, None, None
        if end is not None:
            end()

    def _asked(self, line: bytes) -> tuple[bytes, bytes]:
        process = self._running()
        assert process.stdin is not None
        assert process.stdout is not None
        watch = _timed(self._seconds, process.kill)
        try:
            process.stdin.write(line)
            process.stdin.flush()
            return _answer(process.stdout)
        except (OSError, ValueError) as exc:  # ValueError if it was closed meanwhile
            return ENDED, str(exc).encode()
        finally:
            watch.cancel()

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is not None and self._process.poll() is None:
            return self._process
        if self._end is not None:
            self._end()
        started = subprocess.Popen(
            [sys.executable, "-m", self._child],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is for the parent; the child ends when its stdin does
        )
        self._process, self._end = started, weakref.finalize(self, _stop, started)
        return started


def _answer(pipe: IO[bytes]) -> tuple[bytes, bytes]:
    word, _, size = pipe.readline().partition(b" ")
    if not size.strip().isdigit():
        return ENDED, b"the process ended"
    body = pipe.read(int(size))
    return (word, body) if len(body) == int(size) else (ENDED, b"the process ended")


def _timed(seconds: float, do: Callable[..., object], *arguments: object) -> Timer:
    """Call a function after `seconds`, unless cancelled or this process ends first."""
    timer = Timer(seconds, do, arguments)
    timer.daemon = True
    timer.start()
    return timer


def _rest(idle: weakref.ref[SideProcess], jobs: int) -> None:
    process = idle()  # the timer holds no reference that would keep an unused process alive
    if process is not None:
        process.rest(jobs)


def _stop(process: subprocess.Popen[bytes]) -> None:
    """Stop a process, at the latest when this one ends."""
    process.kill()  # it has no state to save
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(OSError):  # it died with a job in its pipe
                pipe.close()
