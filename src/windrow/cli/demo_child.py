"""The demo repository in a process of its own, so that its work does not slow the harvest down."""

from __future__ import annotations

import subprocess
import sys
from types import TracebackType
from typing import Self

from windrow.errors import WindrowError

_PATIENCE_SECONDS = 10.0


class DemoChild:
    """Runs `python -m windrow.demo` for as long as the `with` block lasts."""

    def __init__(self, *, records: int, days: int) -> None:
        self._arguments = [f"--records={records}", f"--days={days}"]
        self._process: subprocess.Popen[str] | None = None
        self.url = ""

    def later(self) -> None:
        """Let a day pass in the repository."""
        process = self._running()
        assert process.stdin is not None
        process.stdin.write("later\n")
        process.stdin.flush()
        self._read(process)

    def __enter__(self) -> Self:
        # A session of its own: Ctrl-C stops the harvest first, and that lets the repository go.
        self._process = subprocess.Popen(
            [sys.executable, "-m", "windrow.demo", *self._arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        try:
            self.url = self._read(self._process)
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stop()

    def _running(self) -> subprocess.Popen[str]:
        if self._process is None:
            raise RuntimeError("the demo repository runs only inside its `with` block")
        return self._process

    def _read(self, process: subprocess.Popen[str]) -> str:
        assert process.stdout is not None
        line = process.stdout.readline().strip()
        if not line:
            raise WindrowError("the demo repository did not start; its last words are above")
        return line

    def _stop(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.terminate()
        try:
            process.wait(_PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                stream.close()
