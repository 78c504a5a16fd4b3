"""Hostile servers: too much, too slow, bombs."""

from __future__ import annotations

import gzip
import tracemalloc
from collections.abc import Callable

import pytest
import zstandard

from tests.unit.net.conftest import Desk
from tests.unit.net.server import Line, reply
from windrow.errors import TooLarge, Unreachable

MEBIBYTE = 1024 * 1024


def test_an_announced_excess_is_refused_unread(desk: Desk) -> None:
    server = desk.serve(b"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n")
    with pytest.raises(TooLarge, match="more than 4,000 bytes"):
        desk.client(max_response_bytes=4000).get(server.url)
    assert desk.slept == []


def test_a_body_of_exactly_the_limit_passes(desk: Desk) -> None:
    assert len(desk.client(max_response_bytes=4000).get(desk.serve(reply(b"x" * 4000)).url).body) == 4000


def test_a_body_longer_than_one_read_is_whole(desk: Desk) -> None:
    body = b"0123456789abcdef" * (3 * MEBIBYTE // 16) + b"end"
    assert desk.client().get(desk.serve(reply(body)).url).body == body


def flood(start: bytes, again: bytes) -> Callable[[Line], None]:
    def script(line: Line) -> None:
        line.send(start)
        while not line.stopped.is_set():
            line.send(again)

    return script


@pytest.mark.parametrize(
    ("start", "again"),
    [
        (b"HTTP/1.1 200 OK\r\n\r\n", b"x" * 4096),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"1000\r\n" + b"x" * 4096 + b"\r\n"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", b"Trailer: x\r\n" * 400),
        (b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 200),
    ],
    ids=["body", "chunks", "trailers", "interim answers"],
)
def test_an_endless_answer_ends_at_the_limit(desk: Desk, start: bytes, again: bytes) -> None:
    server = desk.serve(flood(start, again))
    with pytest.raises(TooLarge):
        desk.client(max_response_bytes=100_000).get(server.url)
    assert len(server.requests) == 1


def test_the_connection_of_an_excess_is_dropped(desk: Desk) -> None:
    server = desk.serve(reply(b"x" * 5000), reply(b"<good/>"))
    client = desk.client(max_response_bytes=4000)
    with pytest.raises(TooLarge):
        client.get(server.url)
    assert client.get(server.url).body == b"<good/>"
    assert server.connections == 2


def test_endless_headers_end_the_try(desk: Desk) -> None:
    server = desk.serve(flood(b"HTTP/1.1 200 OK\r\n", b"X-A: b\r\n" * 100))
    with pytest.raises(Unreachable, match="not proper HTTP"):
        desk.client(attempts=1).get(server.url)


@pytest.mark.parametrize(
    ("encoding", "pack"),
    [
        ("gzip", gzip.compress),
        ("zstd", zstandard.compress),
        ("gzip, gzip", lambda data: gzip.compress(gzip.compress(data))),
    ],
    ids=["gzip", "zstd", "twice"],
)
def test_a_bomb_ends_at_the_limit_without_the_memory(
    desk: Desk, encoding: str, pack: Callable[[bytes], bytes]
) -> None:
    server = desk.serve(reply(pack(bytes(64 * MEBIBYTE)), Content_Encoding=encoding))
    client = desk.client(max_response_bytes=MEBIBYTE)
    tracemalloc.start()
    try:
        with pytest.raises(TooLarge):
            client.get(server.url)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 40 * MEBIBYTE


def drip(start: bytes, drop: bytes) -> Callable[[Line], None]:
    def script(line: Line) -> None:
        line.send(start)
        while not line.stopped.wait(0.01):
            line.send(drop)

    return script


@pytest.mark.parametrize(
    ("start", "drop"),
    [
        (b"HTTP/1.1 200 OK\r\nX-Slow: ", b"x"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n", b"x"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n"),
        (b"HTTP/1.1 200 OK\r\n\r\n", b"x"),
    ],
    ids=["headers", "body", "chunks", "no length"],
)
def test_a_server_that_drips_ends_at_the_deadline(desk: Desk, start: bytes, drop: bytes) -> None:
    server = desk.serve(drip(start, drop))
    with pytest.raises(Unreachable, match=r"not whole after 0\.1 seconds"):
        desk.client(deadline_seconds=0.1).get(server.url)
    assert len(server.requests) == 1
