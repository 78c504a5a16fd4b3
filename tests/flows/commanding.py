"""The `windrow` command as a process of its own, to be watched, stopped and killed."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from tests.flows.harvesting import Shelf

WAIT_SECONDS = 60
_MAIN = "from windrow.cli.main import main; main()"


def command(shelf: Shelf, *arguments: str) -> list[str]:
    """The command line that runs Windrow on this library."""
    return [sys.executable, "-c", _MAIN, "--library", str(shelf.folder), *arguments]


def environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """This process's environment without anything that means something to Windrow or to proxies."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("WINDROW_") and not name.lower().endswith("_proxy")
    }
    return {**kept, **(extra or {})}


def windrow(shelf: Shelf, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run it to its end."""
    return subprocess.run(
        command(shelf, *arguments),
        capture_output=True,
        text=True,
        timeout=WAIT_SECONDS,
        env=environment(),
        check=False,
    )


@contextmanager
def running(shelf: Shelf, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """Start it; whatever is left of it afterwards is killed."""
    process = subprocess.Popen(
        command(shelf, *arguments),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate(timeout=WAIT_SECONDS)
