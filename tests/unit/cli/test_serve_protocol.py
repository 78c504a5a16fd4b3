from __future__ import annotations

import socket
from typing import Any

import pytest

from tests.servers.asgi import WAIT_SECONDS, AsgiServer
from windrow.cli import serve_protocol
from windrow.cli.serve_protocol import LARGEST_HEAD_BYTES, MOST_WAITING, BoundedProtocol


async def echo(scope: Any, receive: Any, send: Any) -> None:
    """Answer with how many bytes the body has."""
    size, is_more = 0, True
    while is_more:
        message = await receive()
        size += len(message.get("body", b""))
        is_more = message.get("more_body", False)
    body = str(size).encode()
    headers = [(b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def exchange(server: AsgiServer, sent: bytes) -> bytes:
    """Send bytes and give all that comes back until the server closes."""
    with _connect(server) as client:
        return _exchange(client, sent)


def _connect(server: AsgiServer) -> socket.socket:
    return socket.create_connection(("127.0.0.1", server.port), timeout=WAIT_SECONDS)


def _exchange(client: socket.socket, sent: bytes) -> bytes:
    received = []
    try:
        client.sendall(sent)
        while piece := client.recv(65536):
            received.append(piece)
    except (ConnectionResetError, BrokenPipeError):
        pass
    return b"".join(received)


def test_a_large_body_is_not_a_large_head() -> None:
    with AsgiServer(echo, protocol=BoundedProtocol) as server:
        assert server.ask("/", "POST", body=b"x" * 1_000_000).body == b"1000000"
        assert server.ask("/", headers={"X": "y" * 30_000}).status == 200


def test_requests_one_after_another_are_counted_one_by_one() -> None:
    request = b"GET / HTTP/1.1\r\nHost: x\r\nX: " + b"y" * 20_000 + b"\r\n"
    with AsgiServer(echo, protocol=BoundedProtocol) as server:
        sent = (request + b"\r\n") * 9 + request + b"Connection: close\r\n\r\n"
        assert exchange(server, sent).count(b"HTTP/1.1 200") == 10


def test_whoever_sends_very_many_requests_without_waiting_is_hung_up_on() -> None:
    several = b"GET / HTTP/1.1\r\n\r\n" * MOST_WAITING
    last = b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n"
    with AsgiServer(echo, protocol=BoundedProtocol) as server:
        assert exchange(server, several + last).count(b"HTTP/1.1 200") == MOST_WAITING + 1
        assert exchange(server, several * 10 + last).count(b"HTTP/1.1 200") < MOST_WAITING * 10
        assert server.ask("/").status == 200


def test_a_head_without_end_is_refused() -> None:
    with AsgiServer(echo, protocol=BoundedProtocol) as server:
        endless = b"GET / HTTP/1.1\r\nX: " + b"y" * (LARGEST_HEAD_BYTES * 4)
        assert b" 200 " not in exchange(server, endless)
        assert server.ask("/").status == 200


def test_a_later_head_is_bounded_as_the_first_is() -> None:
    plain = b"GET / HTTP/1.1\r\nHost: x\r\n"
    large = plain + b"Connection: close\r\nX: " + b"y" * LARGEST_HEAD_BYTES + b"\r\n\r\n"
    with AsgiServer(echo, protocol=BoundedProtocol) as server, _connect(server) as client:
        client.sendall(plain + b"\r\n")
        assert b" 200 " in client.recv(65536)
        assert b" 200 " not in _exchange(client, large)


@pytest.mark.parametrize("sent", [b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: x\r\n\r\nGET"])
def test_whoever_does_not_finish_a_request_is_hung_up_on(
    monkeypatch: pytest.MonkeyPatch, sent: bytes
) -> None:
    monkeypatch.setattr(serve_protocol, "HEAD_SECONDS", 0.05)
    with AsgiServer(echo, protocol=BoundedProtocol) as server:
        assert exchange(server, sent).count(b"HTTP/1.1 200") == sent.count(b"\r\n\r\n")
