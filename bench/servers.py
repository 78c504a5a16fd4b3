"""Servers as children of ours: started on a free port, measured from outside, stopped by their number.

Between `process_tree` and whoever needs a server that is not nginx. A server says where it is with one
line of JSON on stdout, `{"url": …}`, when it is ready.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench import process_tree
from bench.errors import ContestantError
from bench.measure import PROJECT, environment, last_line

READY_SECONDS = 60.0
STOP_SECONDS = 20.0


@dataclass(frozen=True, slots=True)
class Server:
    """A server that answers now."""

    url: str
    pid: int

    def used(self) -> process_tree.Used:
        """What it has used since it started."""
        return process_tree.used(self.pid)


@contextmanager
def running(command: Sequence[str], folder: Path) -> Iterator[Server]:
    """Run a server until the block ends; what it says is left in `folder` as stdout and stderr."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "stdout").open("wb") as out, (folder / "stderr").open("wb") as err:
        process = subprocess.Popen(
            command,
            stdout=out,
            stderr=err,
            stdin=subprocess.DEVNULL,
            env=environment(),
            cwd=PROJECT,
            start_new_session=True,
        )
        try:
            yield Server(_address(process, folder), process.pid)
        finally:
            _stop(process)


def _address(process: subprocess.Popen[bytes], folder: Path) -> str:
    deadline = time.monotonic() + READY_SECONDS
    while time.monotonic() < deadline:
        has_ended = process.poll() is not None  # looked at first: its last words are then all there
        for line in (folder / "stdout").read_text(errors="replace").splitlines(keepends=True):
            if line.startswith("{") and line.endswith("\n"):
                return str(json.loads(line)["url"])
        if has_ended:
            raise ContestantError(f"exit {process.returncode}: {last_line((folder / 'stderr').read_bytes())}")
        time.sleep(0.02)
    raise ContestantError(f"not ready after {READY_SECONDS:.0f} s")


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        # It leads a session of its own, so its number is also that of the group of all it started.
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
