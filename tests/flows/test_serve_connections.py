"""`windrow serve` with few descriptors, and clients that hold on to their connections."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.flows.commanding import WAIT_SECONDS, windrow
from tests.flows.harvesting import Shelf
from tests.flows.serving import Served, serving, stocked
from windrow.demo.thesis_repository import Repository
from windrow.demo.thesis_server import DemoServer
from windrow.model.run import Outcome

FEW_FILES = ("prlimit", "--nofile=160")
HELD = 350  # connections: more than there are descriptors, by far
LIST = "/oai?verb=ListRecords&metadataPrefix=oai_dc"

# What clients send that then keep their connection and do nothing, or send one more byte after an answer.
EVIL = {
    "nothing": (b"", b""),
    "half a head": (b"GET / HTTP/1.1\r\nHost: x\r\nX", b""),
    "an early answer, then a byte": (
        b"GET /health HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999\r\n\r\n",
        b"x",
    ),
    "an early answer to chunks": (
        b"GET /health HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"1",
    ),
    "a form that does not come": (b"POST /oai HTTP/1.1\r\nHost: x\r\nContent-Length: 500\r\n\r\nverb=", b""),
    "a form that was asked for": (
        b"POST /oai HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\nExpect: 100-continue\r\n"
        b"Content-Type: application/x-www-form-urlencoded\r\n\r\n",
        b"",
    ),
    "an answer that is not read": (f"GET {LIST} HTTP/1.1\r\nHost: x\r\n\r\n".encode() * 40, b""),
    "an idle connection": (b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n", b""),
    "HTTP/1.0": (b"GET /health HTTP/1.0\r\n\r\n", b""),
    "an upgrade": (
        b"GET /health HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
        b"\x81\x05hello",
    ),
    "nonsense": (b"\x16\x03\x01\x02\x00\x01\x00", b""),
}


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    found = stocked(tmp_path / "theses", records=60)
    assert windrow(found, "index").returncode == 0
    return found


def _hold(server: Served, stack: ExitStack) -> Iterator[None]:
    """Open so many connections of all kinds, and yield after every few."""
    kinds = list(EVIL.values())
    for number in range(HELD):
        sent, more = kinds[number % len(kinds)]
        client = stack.enter_context(
            socket.create_connection(("127.0.0.1", server.port), timeout=WAIT_SECONDS)
        )
        try:
            client.sendall(sent)
            if more:
                client.recv(1)
                client.sendall(more)
        except OSError:  # it was hung up on, which is the server's right
            pass
        if number % 35 == 34:
            yield


@pytest.mark.parametrize("workers", ["1", "2"])
def test_honest_clients_are_answered_while_others_hold_all_descriptors(shelf: Shelf, workers: str) -> None:
    with serving(shelf.folder, "--workers", workers, within=FEW_FILES) as server:
        with ExitStack() as stack:
            for _ in _hold(server, stack):
                for path in ("/health", LIST, "/", "/api/v1/search?q=a"):
                    assert server.ask(path).status == 200, path
        assert server.stop() == 0


def test_the_index_is_kept_up_while_others_hold_all_descriptors(shelf: Shelf) -> None:
    with serving(shelf.folder, within=FEW_FILES) as server, ExitStack() as stack:
        for _ in _hold(server, stack):
            pass
        with DemoServer(Repository(90, page_size=50)) as repository:
            shelf.add(repository.url, name="more", formats=["oai_dc"])
            assert shelf.harvest(name="more").outcome is Outcome.OK
        wanted = sum(not record.is_deleted for record in shelf.records(name="more").values())
        assert _in_time(lambda: _found(server, "source:more") == wanted)


def _found(server: Served, query: str) -> int:
    total: int = json.loads(server.ask(f"/api/v1/search?q={query}").body)["total"]
    return total


def _in_time(holds: Callable[[], bool]) -> bool:
    """Look until something holds; give up after a while."""
    deadline = time.monotonic() + WAIT_SECONDS
    while not holds():
        if time.monotonic() > deadline:
            return False
    return True


def test_one_client_cannot_open_more_connections_than_it_may(shelf: Shelf) -> None:
    limit = {"WINDROW_SERVE_CONNECTIONS_PER_CLIENT": "5"}
    with serving(shelf.folder, extra=limit) as server, ExitStack() as stack:

        def connect(source: str) -> socket.socket:
            address = ("127.0.0.1", server.port)
            opened = socket.create_connection(address, timeout=WAIT_SECONDS, source_address=(source, 0))
            return stack.enter_context(opened)

        held = [connect("127.0.0.2") for _ in range(5)]
        assert connect("127.0.0.2").recv(4096).startswith(b"HTTP/1.1 503 ")
        for client in (*held, connect("127.0.0.3"), *(connect("127.0.0.1") for _ in range(10))):
            client.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
            assert client.recv(4096).startswith(b"HTTP/1.1 200 ")
