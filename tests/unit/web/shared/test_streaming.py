"""Bodies that are made while they are sent."""

from __future__ import annotations

import socket
import threading

from tests.servers.asgi import WAIT_SECONDS, AsgiServer
from windrow.web.app import WebApplication
from windrow.web.http.http_request import Request
from windrow.web.http.http_response import Response
from windrow.web.layout.site import SiteAddress


class Pieces:
    """So many pieces, and a note when they are let go."""

    def __init__(self, count: int, piece: bytes = b"hay ") -> None:
        self.left = count
        self.piece = piece
        self.closed = threading.Event()

    def __next__(self) -> bytes:
        if not self.left:
            raise StopIteration
        self.left -= 1
        return self.piece

    def close(self) -> None:
        self.closed.set()


def serve(pieces: Pieces) -> AsgiServer:
    async def face(request: Request, rest: str) -> Response:
        return Response(200, b"", [(b"content-type", b"text/plain")], pieces)

    return AsgiServer(WebApplication({"": face}, site=SiteAddress("https://library.example", "Theses")))


def test_all_pieces_arrive_in_their_order() -> None:
    pieces = Pieces(100_000)
    with serve(pieces) as server:
        got = server.ask("/")
    assert got.body == b"hay " * 100_000
    assert "content-length" not in got.headers
    assert pieces.closed.is_set()


def test_nothing_is_made_for_somebody_who_only_asks_for_the_head() -> None:
    pieces = Pieces(100)
    with serve(pieces) as server:
        assert server.ask("/", "HEAD").body == b""
        assert pieces.closed.wait(WAIT_SECONDS)
    assert pieces.left == 100


def test_when_the_client_has_gone_no_more_is_made() -> None:
    pieces = Pieces(1_000_000, b"x" * 100_000)
    with serve(pieces) as server:
        with socket.create_connection(("127.0.0.1", server.port)) as connection:
            connection.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            assert connection.recv(1000)
        assert pieces.closed.wait(WAIT_SECONDS)
    assert pieces.left > 900_000
