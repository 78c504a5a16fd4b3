"""A probe of a test repository: no pauses, little patience."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

from tests.servers.fault import Fault
from tests.servers.items import make_items
from tests.servers.oai import NOW, OaiServer
from windrow.net.client import HttpClient
from windrow.net.http_settings import HttpSettings
from windrow.net.politeness import Wait
from windrow.sources.oai_client import OaiClient
from windrow.sources.repository_findings import Finding
from windrow.sources.repository_probe import Probe, ProbeReport

LARGEST_BYTES = 4_000_000


@contextmanager
def asking(url: str, waits: list[Wait]) -> Iterator[OaiClient]:
    """A client that never sleeps and tries twice."""
    settings = HttpSettings(
        attempts=2, backoff_seconds=0, timeout_seconds=10, max_response_bytes=LARGEST_BYTES
    )
    client = OaiClient(url, HttpClient(settings, on_wait=waits.append, sleep=lambda _: None))
    try:
        yield client
    finally:
        client.close()


def probe(server: OaiServer, *, prefix: str | None = None, now: datetime = NOW) -> ProbeReport:
    """Look a running server over."""
    waits: list[Wait] = []
    with asking(server.url, waits) as client:
        return Probe(client, prefix=prefix, waits=waits, now=lambda: now).run()


def probe_with(*faults: Fault | str, count: int = 25) -> ProbeReport:
    """Look over a repository with these faults."""
    with OaiServer(make_items(count), *faults) as server:
        return probe(server)


def about(report: ProbeReport, topic: str) -> Finding:
    """The one finding on a topic."""
    found = [finding for finding in report.findings if finding.topic == topic]
    assert len(found) == 1, f"{topic}: {found}"
    return found[0]


def topics(report: ProbeReport) -> set[str]:
    """Everything that was found something about."""
    return {finding.topic for finding in report.findings}
