"""`windrow serve` as a process of its own, on a library of invented theses, while a test needs it."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.flows.commanding import WAIT_SECONDS, environment
from tests.flows.harvesting import Shelf
from tests.servers.asgi import Got, ask
from windrow.demo.thesis_repository import Repository
from windrow.demo.thesis_server import DemoServer
from windrow.model.run import Outcome
from windrow.wiring import create_library

_MAIN = "from windrow.cli.main import main; main()"
NAME = "theses"


def stocked(folder: Path, *, records: int = 150) -> Shelf:
    """A library that has harvested a repository of theses in two formats."""
    shelf = Shelf(create_library(folder))
    with DemoServer(Repository(records, page_size=50)) as server:
        shelf.add(server.url, name=NAME, formats=["oai_dc", "kk"])
        assert shelf.harvest(name=NAME).outcome is Outcome.OK
    return shelf


@dataclass(frozen=True, slots=True)
class Served:
    """A server that is ready."""

    process: subprocess.Popen[str]
    url: str
    port: int
    z3950: int = 0  # the port for Z39.50, where that is answered

    def ask(
        self,
        path: str,
        method: str = "GET",
        *,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Got:
        """Make one request."""
        return ask(self.port, path, method, body=body, headers=headers)

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Send a signal; give the exit code."""
        self.process.send_signal(number)
        return self.process.wait(WAIT_SECONDS)


@contextmanager
def serving(
    folder: Path,
    *arguments: str,
    extra: Mapping[str, str] | None = None,
    host: str = "127.0.0.1",
    within: Sequence[str] = (),
) -> Iterator[Served]:
    """Start it on a free port and wait until it is ready; `within` is a command that runs it."""
    words = ["--library", str(folder), "serve", "--port", "0", "--host", host, "--json", *arguments]
    process = subprocess.Popen(
        [*within, sys.executable, "-c", _MAIN, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(extra),
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line:
            raise AssertionError(f"it did not start: {process.communicate()[1]}")
        told = json.loads(line)
        z3950 = str(told.get("z3950", "")).rpartition(":")[2]
        yield Served(process, told["url"], told["port"], int(z3950 or 0))
    finally:
        if process.poll() is None:
            process.terminate()
            try:
                process.wait(WAIT_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
        process.communicate()


@contextmanager
def answering_z3950(folder: Path, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """`windrow z3950` on a free port, once it is ready."""
    words = ["--library", str(folder), "z3950", *arguments, "--port", "0", "--json"]
    process = subprocess.Popen(
        [sys.executable, "-c", _MAIN, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
    )
    try:
        assert process.stdout is not None
        if not process.stdout.readline():
            raise AssertionError(f"it did not start: {process.communicate()[1]}")
        yield process
    finally:
        process.kill()
        process.communicate()
