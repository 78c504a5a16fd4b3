"""A job's own process, as its runner holds it: begun, kept alive, told to stop, killed with all it began.

The other side is `guarding`: the process ends by itself when we do.
"""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import IO, Protocol

from windrow.schedule.guarding import render_lease

KEPT_BYTES = 4096  # of the end of the output, for the last words
_CHUNK = 65536
_PUMP_SECONDS = 2.0  # that output may still take once the process is gone
Sink = Callable[[bytes], object]


class Child(Protocol):
    """A run under way: what the runner needs of it."""

    def poll(self) -> int | None:
        """Give the exit code once it has ended; negative: the number of the signal that ended it."""

    def keep(self, deadline: float, grace_seconds: float) -> None:
        """Let it go on until this moment, by `boot_time`."""

    def stop(self) -> None:
        """Ask it to end."""

    def kill(self) -> None:
        """End it, with all that it began."""

    def last_words(self) -> str:
        """Give the end of what it printed."""


class ProcessChild:
    """A process in a session of its own. `on_end` is called from a thread once, when it has ended."""

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
        """Begin it. What it prints goes to the sinks; errors to their own, where those are given.

        Each sink is called with an empty piece once, after all output. `clean` removes secrets from the last
        words.
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
        """Give the exit code once it has ended, and its output is all there."""
        return self._code

    def keep(self, deadline: float, grace_seconds: float) -> None:
        """Let it go on until this moment."""
        assert self._process.stdin is not None
        with suppress(OSError, ValueError):  # it is gone, and its end is on the way to us
            self._process.stdin.write(render_lease(deadline, grace_seconds))
            self._process.stdin.flush()

    def stop(self) -> None:
        """Ask it and all that it began to end."""
        self._signal(signal.SIGTERM)

    def kill(self) -> None:
        """End it, with all that it began."""
        self._signal(getattr(signal, "SIGKILL", signal.SIGTERM))

    def last_words(self) -> str:
        """Give the end of what it printed."""
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
        """Hand on what is printed; a sink that fails does not keep the process from going on."""
        read = stream.read1  # type: ignore[attr-defined]
        with suppress(OSError, ValueError):
            while some := read(_CHUNK):
                self._tail = (self._tail + some)[-KEPT_BYTES:]
                for sink in sinks:
                    with suppress(OSError, ValueError):
                        sink(some)

    def _wait(self) -> None:
        if hasattr(os, "waitid"):
            # Its number stays taken until we have ended whatever it left behind in its group.
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
