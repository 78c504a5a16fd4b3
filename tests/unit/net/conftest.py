"""A client whose pauses are written down instead of slept, and a clock that stands still."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from tests.servers.tls import Certificate, make_certificate
from tests.unit.net.server import Script, Server
from windrow.net import Hosts, HttpClient, HttpSettings, Wait

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
PROXY_VARIABLES = ("http_proxy", "https_proxy", "all_proxy", "no_proxy", "request_method")


@pytest.fixture(autouse=True)
def _without_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in PROXY_VARIABLES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


class Notes:
    """A memory that lasts as long as the test."""

    def __init__(self) -> None:
        self.until: dict[str, datetime] = {}
        self.writes = 0

    def not_before(self, host: str) -> datetime | None:
        return self.until.get(host)

    def remember(self, host: str, until: datetime) -> None:
        self.writes += 1
        self.until[host] = max(until, self.until.get(host, until))

    def forget(self, host: str, until: datetime) -> None:
        self.writes += 1
        if host in self.until and self.until[host] <= until:
            del self.until[host]


class Desk:
    """Makes servers and clients that end with the test, and keeps the pauses of the clients."""

    def __init__(self) -> None:
        self.waits: list[Wait] = []
        self.slept: list[float] = []
        self.memory = Notes()
        self._open: list[Server] = []
        self._clients: list[HttpClient] = []

    def serve(self, *scripts: Script, **options: Any) -> Server:
        server = Server(*scripts, **options).__enter__()
        self._open.append(server)
        return server

    def client(self, *, hosts: Hosts | None = None, **settings: Any) -> HttpClient:
        made = HttpClient(
            HttpSettings(**settings),
            memory=self.memory,
            hosts=hosts,
            clock=lambda: NOW,
            sleep=self.slept.append,
            on_wait=self.waits.append,
        )
        self._clients.append(made)
        return made

    def close(self) -> None:
        for client in self._clients:
            client.close()
        for server in self._open:
            server.__exit__(None, None, None)


@pytest.fixture
def desk() -> Iterator[Desk]:
    made = Desk()
    yield made
    made.close()


@pytest.fixture(scope="package")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    return make_certificate(tmp_path_factory.mktemp("tls"))


@pytest.fixture
def tls(certificate: Certificate) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate.chain, certificate.key)
    return context
