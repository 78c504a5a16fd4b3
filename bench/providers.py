"""Who answers as a repository: Windrow as users run it, and the peers' providers over the same records.

Each is started afresh for every round, asked the same by the same small client, and measured from outside.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from bench import peer_table, servers, windrow
from bench.errors import ContestantError
from bench.measure import Result, Usage, say
from bench.peers.front import WAYS
from bench.walk import Client, Walked
from bench.workspace import Workspace

WINDROW = "Windrow"
PYOAI = "pyoai"
OAI_REPO = "oai_repo"
MODULES = {PYOAI: "oaipmh", OAI_REPO: "oai_repo"}
PER_PAGE = 100  # what Windrow gives when nobody says otherwise
# A server rests once it has used next to nothing in a few looks on end: some begin only after a second.
REST_SECONDS = 600.0  # a large library is indexed first
LOOK_SECONDS = 0.5
QUIET_LOOKS = 5
QUIET_CPU_SECONDS = 0.02
REMARK = (
    "`documented`: the peer as its documentation shows it, under Python's own wsgiref. `tuned`: all done "
    "that its interface allows (a page of rows at a time, its description kept), under uvicorn, the server "
    "Windrow runs under. Both read an SQLite table with an index in the order of the list, on one open "
    "connection, with no framework between. pyoai needs one shim, `cgi.parse_qs`, which Python 3.8 took "
    "away. `Windrow ÷` is Windrow's CPU through the row's: below 1 is less."
)


@dataclass(frozen=True, slots=True)
class Provider:
    """A repository that can be started; `accept` is the content coding the client offers it."""

    name: str
    start: Callable[[], AbstractContextManager[servers.Server]]
    accept: str = "identity"
    absent: str = ""


@dataclass(frozen=True, slots=True)
class Work:
    """What was asked of a server: `fault` says what was wrong with the answers, or nothing."""

    requests: int
    body_bytes: int
    fault: str = ""


def everybody(space: Workspace, *, with_gzip: bool) -> list[Provider]:
    """Give Windrow first, once more with gzip where asked for, then each peer both ways."""
    ours = [windrow_provider(space.library(), space.folder)]
    if with_gzip:
        ours.append(windrow_provider(space.library(), space.folder, accept="gzip"))
    return ours + [peer(space, name, way) for name in MODULES for way in WAYS]


def windrow_provider(library: Path, folder: Path, *, accept: str = "identity") -> Provider:
    """Give `windrow serve` on a library; the base URL is the one of its source `bench`."""
    name = WINDROW if accept == "identity" else f"{WINDROW}, {accept}"
    return Provider(name, lambda: windrow.serving(library, folder / "serve"), accept, windrow.absent())


def peer(space: Workspace, name: str, way: str, *, records: int | None = None) -> Provider:
    """Give a peer's provider over a table of so many records, by default the ones of this run."""
    module = f"bench.peers.{name}_server"
    absent = "" if find_spec(MODULES[name]) and find_spec("uvicorn") else "not installed"
    table = space.folder / "absent" if absent else _table(space.folder, records or space.records)
    command = [sys.executable, "-m", module, str(table), str(PER_PAGE), way]
    folder = space.folder / f"{name}-{way}"
    return Provider(f"{name}, {way}", lambda: servers.running(command, folder), absent=absent)


def compare(
    providers: Sequence[Provider], work: Callable[[Provider, servers.Server], Work], *, rounds: int
) -> list[Result]:
    """Let each do the work `rounds` times, in turn; who fails once is out. CPU and peak are the server's."""
    results = [Result(provider.name, fault=provider.absent) for provider in providers]
    for number in range(rounds):
        for provider, result in zip(providers, results, strict=True):
            if not result.fault:
                say(f"  round {number + 1}/{rounds}  {provider.name} …")
                _attempt(provider, work, result)
    return results


def _table(folder: Path, records: int) -> Path:
    path = folder / f"peers-{records}.db"
    if not path.exists():
        say(f"making a table of {records:,} records …")
        peer_table.write(path.with_suffix(".part"), records).rename(path)
    return path


def _attempt(provider: Provider, work: Callable[[Provider, servers.Server], Work], result: Result) -> None:
    try:
        with provider.start() as server:
            wake(server)
            before, started = server.used(), time.monotonic()
            done = work(provider, server)
            wall, after = time.monotonic() - started, server.used()
    except ContestantError as exc:
        result.fault = f"fails: {exc}"
        return
    result.fault = done.fault
    if not done.fault:
        cpu = after.cpu_seconds - before.cpu_seconds
        result.runs.append(
            Usage(wall, cpu, after.peak_bytes, requests=done.requests, body_bytes=done.body_bytes)
        )


def wake(server: servers.Server) -> None:
    """Ask one thing and wait until the server rests, unmeasured.

    What is loaded or opened at the first request is no part of the work, nor what a server does once after
    its start: Windrow indexes what was harvested, and readies the drawer of charts.
    """
    client = Client(server.url)
    try:
        client.ask({"verb": "Identify"})
    finally:
        client.close()
    _let_rest(server)


def _let_rest(server: servers.Server) -> None:
    quiet, before, deadline = 0, server.used().cpu_seconds, time.monotonic() + REST_SECONDS
    while quiet < QUIET_LOOKS and time.monotonic() < deadline:
        time.sleep(LOOK_SECONDS)
        now = server.used().cpu_seconds
        quiet, before = quiet + 1 if now - before < QUIET_CPU_SECONDS else 0, now


def fault_of(walked: Walked, fault: str) -> str:
    """Say what is wrong with a list: what its identifiers showed already, else records without content."""
    lacking = len(walked.identifiers) - walked.titles
    return fault or (f"{lacking:,} WITHOUT METADATA" if lacking else "")
