"""The wire with length: whatever goes in at one end comes out at the other, and so does the end."""

from __future__ import annotations

import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from threading import Thread
from urllib.parse import urlsplit

from bench import servers

LARGE = Random(3).randbytes(12_000_000)  # more than may be on its way at once


@contextmanager
def wire(tmp_path: Path, far: socket.socket) -> Iterator[socket.socket]:
    command = [sys.executable, "-m", "bench.delay", str(far.getsockname()[1]), "0.001"]
    with servers.running(command, tmp_path) as proxy:
        port = urlsplit(proxy.url).port
        with socket.create_connection(("127.0.0.1", port), timeout=30) as near:
            yield near


def read_all(connection: socket.socket) -> bytes:
    return b"".join(iter(lambda: connection.recv(1 << 16), b""))


def test_question_and_large_answer_arrive_unchanged_and_the_end_is_heard(tmp_path: Path) -> None:
    heard: list[bytes] = []

    def answer(far: socket.socket) -> None:
        connection, _ = far.accept()
        with connection:
            heard.append(connection.recv(100))
            connection.sendall(LARGE)

    with socket.create_server(("127.0.0.1", 0)) as far:
        far.settimeout(30)
        thread = Thread(target=answer, args=(far,))
        thread.start()
        with wire(tmp_path, far) as near:
            near.sendall(b"what is there?")
            got = read_all(near)
        thread.join(30)
    assert heard == [b"what is there?"]
    assert got == LARGE


def test_a_client_that_hangs_up_is_gone_for_the_server_too(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as far:
        far.settimeout(30)
        with wire(tmp_path, far) as near:
            connection, _ = far.accept()
            with connection:
                connection.settimeout(30)
                near.close()
                assert connection.recv(100) == b""
