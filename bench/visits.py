"""Visits to the portal: what a browser would ask, over one connection, and what the server used for it.

Used by the part `scale`. CPU is the server's, from /proc, whose clock ticks a hundred times a second: what is
quick is asked several times, in different words, so that no answer is a kept one.
"""

from __future__ import annotations

import http.client
import time
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from bench import servers
from bench.errors import ContestantError

TIMEOUT_SECONDS = 120.0


@dataclass(frozen=True, slots=True)
class Kind:
    """Addresses that cost about the same; `limit_ms` is what one may cost the server."""

    name: str
    paths: tuple[str, ...]
    limit_ms: float | None = None
    holds: str = ""  # what each answer must have in it


@dataclass(frozen=True, slots=True)
class Cost:
    """What one visit took, of some: milliseconds of the server's CPU, and of waiting; bytes of the answer."""

    cpu_ms: float
    wall_ms: float
    body_bytes: float


def visit(server: servers.Server, kind: Kind) -> Cost:
    """Ask for each address once; ContestantError where an answer is not what it should be."""
    parts = urlsplit(server.url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port or 80, timeout=TIMEOUT_SECONDS)
    before, started = server.used(), time.perf_counter()
    try:
        size = sum(len(_ask(connection, path, kind)) for path in kind.paths)
    finally:
        connection.close()
    wall, after = time.perf_counter() - started, server.used()
    each = len(kind.paths)
    cpu = after.cpu_seconds - before.cpu_seconds
    return Cost(cpu * 1e3 / each, wall * 1e3 / each, size / each)


def fetch(server: servers.Server, path: str) -> str:
    """Give one page, unmeasured."""
    parts = urlsplit(server.url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port or 80, timeout=TIMEOUT_SECONDS)
    try:
        return _ask(connection, path, Kind(path, (path,))).decode()
    finally:
        connection.close()


def best(costs: Sequence[Cost]) -> Cost:
    """Give the least of each over the rounds."""
    return Cost(
        min(cost.cpu_ms for cost in costs),
        min(cost.wall_ms for cost in costs),
        max(cost.body_bytes for cost in costs),
    )


def _ask(connection: http.client.HTTPConnection, path: str, kind: Kind) -> bytes:
    try:
        connection.request("GET", path, headers={"Accept-Encoding": "identity"})
        response = connection.getresponse()
        body = response.read()
    except (OSError, http.client.HTTPException) as exc:
        raise ContestantError(f"{path}: {exc or type(exc).__name__}") from exc
    if response.status != 200:
        raise ContestantError(f"{path}: HTTP {response.status}")
    if kind.holds.encode() not in body:
        raise ContestantError(f"{path}: no {kind.holds!r} in the answer")
    return body
