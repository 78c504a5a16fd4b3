from __future__ import annotations

import io
import socket
import threading
from collections import deque
from collections.abc import Iterator
from http.client import HTTPResponse
from typing import Any, NamedTuple

import pytest

from tests.servers.asgi import WAIT_SECONDS, AsgiServer
from windrow.serve.http_protocol import MAX_HEAD_BYTES, MAX_HEADERS, MAX_PATH_BYTES, BoundedProtocol


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
        if sent:
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


def test_a_head_without_end_is_refused() -> None:
    with AsgiServer(echo, protocol=BoundedProtocol) as server:
        endless = b"GET / HTTP/1.1\r\nHost: x\r\nX: " + b"y" * (MAX_HEAD_BYTES * 4)
        assert b" 200 " not in exchange(server, endless)
        assert server.ask("/").status == 200


def test_a_later_head_is_bounded_as_the_first_is() -> None:
    plain = b"GET / HTTP/1.1\r\nHost: x\r\n"
    large = plain + b"Connection: close\r\nX: " + b"y" * MAX_HEAD_BYTES + b"\r\n\r\n"
    with AsgiServer(echo, protocol=BoundedProtocol) as server, _connect(server) as client:
        client.sendall(plain + b"\r\n")
        assert b" 200 " in client.recv(65536)
        assert b" 200 " not in _exchange(client, large)


class Answer(NamedTuple):
    """One of several answers on a connection."""

    status: int
    body: bytes
    is_last: bool  # it says that the connection is closed after it


async def library(scope: Any, receive: Any, send: Any) -> None:
    """Answer as a site does: pages, errors, unchanged pages, forms."""
    if scope["path"].startswith("/missing"):
        await _respond(send, 404, b"missing")
    elif (b"if-none-match", b'"1"') in scope["headers"]:
        await _respond(send, 304, b"")
    elif scope["method"] == "POST" and scope["path"] != "/unread":
        await echo(scope, receive, send)
    else:
        await _respond(send, 200, scope["path"].encode(), is_head=scope["method"] == "HEAD")


async def _respond(send: Any, status: int, body: bytes, *, is_head: bool = False) -> None:
    headers = [(b"content-length", str(len(body)).encode())] if status != 304 else []
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if is_head else body})


def _answers(received: bytes, methods: list[str]) -> Iterator[Answer]:
    """Take answers apart, given the methods that were asked with."""

    class Stream(io.BytesIO):
        def close(self) -> None:
            """Stay open for the next answer."""

        def makefile(self, *_: object) -> Stream:
            return self

    stream = Stream(received)
    for method in methods:
        if stream.tell() == len(received):
            return
        answer = HTTPResponse(stream, method=method)  # type: ignore[arg-type]
        answer.begin()
        is_last = answer.getheader("connection", "").lower() == "close"
        yield Answer(answer.status, answer.read(), is_last)
    assert stream.tell() == len(received), "there are more answers than requests"


LAST = b"GET /last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
# What is sent, and the status and body that come back.
KINDS = [
    (b"GET /%d HTTP/1.1\r\nHost: x\r\n\r\n", "GET", 200, b"/%d"),
    (b"HEAD /%d HTTP/1.1\r\nHost: x\r\n\r\n", "HEAD", 200, b""),
    (b"GET /missing/%d HTTP/1.1\r\nHost: x\r\n\r\n", "GET", 404, b"missing"),
    (b'GET /%d HTTP/1.1\r\nHost: x\r\nIf-None-Match: "1"\r\n\r\n', "GET", 304, b""),
    (b"POST /%d HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nHello", "POST", 200, b"5"),
    (b"GET /%d HTTP/1.1\r\nHost: x\r\nContent-Length: 6\r\n\r\nGET /x", "GET", 200, b"/%d"),
    (b"GET /%d HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n\r\n\r\n", "GET", 200, b"/%d"),
    (
        b"POST /%d HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nX: y\r\n\r\n",
        "POST",
        200,
        b"3",
    ),
    (b"GET /%d HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n", "GET", 200, b"/%d"),
]


def _mixed(count: int) -> tuple[bytes, list[str], list[tuple[int, bytes]]]:
    """So many requests of all kinds, their methods, and what must be answered."""
    sent, methods, wanted = [], [], []
    for number in range(count):
        request, method, status, body = KINDS[number % len(KINDS)]
        sent.append(request.replace(b"%d", str(number).encode()))
        methods.append(method)
        wanted.append((status, body.replace(b"%d", str(number).encode())))
    return b"".join(sent), methods, wanted


@pytest.mark.parametrize("count", [1, 20, 99, 100, 101, 150, 2500])
@pytest.mark.parametrize("is_half_closed", [False, True])
def test_requests_sent_without_waiting_are_all_answered_in_their_order(
    count: int, is_half_closed: bool
) -> None:
    sent, methods, wanted = _mixed(count)
    with AsgiServer(library, protocol=BoundedProtocol) as server, _connect(server) as client:
        client.sendall(sent + LAST)
        if is_half_closed:
            client.shutdown(socket.SHUT_WR)
        found = list(_answers(_exchange(client, b""), [*methods, "GET"]))
    assert [(each.status, each.body) for each in found] == [*wanted, (200, b"/last")]
    assert [each.is_last for each in found] == [*[False] * count, True]


def test_requests_sent_without_waiting_are_answered_to_a_client_that_ends_by_closing_its_side() -> None:
    with AsgiServer(library, protocol=BoundedProtocol) as server, _connect(server) as client:
        client.sendall(b"GET /a HTTP/1.1\r\nHost: x\r\n\r\nGET /b HTTP/1.1\r\nHost: x\r\n\r\n")
        client.shutdown(socket.SHUT_WR)
        assert [each.body for each in _answers(_exchange(client, b""), ["GET"] * 2)] == [b"/a", b"/b"]


@pytest.mark.parametrize("cut", [1, 7, 1000])
def test_requests_are_the_same_however_they_are_cut_into_packets(cut: int) -> None:
    sent, methods, wanted = _mixed(3 * len(KINDS))
    sent += LAST
    with AsgiServer(library, protocol=BoundedProtocol) as server, _connect(server) as client:
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for start in range(0, len(sent), cut):
            client.sendall(sent[start : start + cut])
        found = list(_answers(_exchange(client, b""), [*methods, "GET"]))
    assert [(each.status, each.body) for each in found][:-1] == wanted


@pytest.mark.parametrize("ending", [b"HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", b"HTTP/1.0\r\n\r\n"])
def test_nothing_after_the_request_that_closes_is_answered_and_the_client_knows(ending: bytes) -> None:
    before, methods, wanted = _mixed(60)
    with AsgiServer(library, protocol=BoundedProtocol) as server:
        received = exchange(server, before + b"GET /closing " + ending + before * 3)
    found = list(_answers(received, [*methods, "GET"]))
    assert [(each.status, each.body) for each in found] == [*wanted, (200, b"/closing")]
    assert [each.is_last for each in found] == [*[False] * 60, True]


@pytest.mark.parametrize(
    "broken",
    [
        b"nonsense\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nno colon\r\n\r\n",
        b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
    ],
)
def test_what_is_no_request_is_refused_after_the_answers_before_it(broken: bytes) -> None:
    before, methods, wanted = _mixed(60)
    with AsgiServer(library, protocol=BoundedProtocol) as server:
        received = exchange(server, before + broken + before)
    found = list(_answers(received, [*methods, "GET"]))
    assert [(each.status, each.body) for each in found[:-1]] == wanted
    assert (found[-1].status, found[-1].is_last) == (400, True)


@pytest.mark.parametrize(
    "head",
    [
        b"Content-Length: 10000000",
        b"Transfer-Encoding: chunked",
        b"Expect: 100-continue\r\nContent-Length: 5",
    ],
)
def test_an_answer_that_comes_before_the_body_ends_the_connection(head: bytes) -> None:
    """What follows might be the body or, if the client thought better of it, another request."""
    with AsgiServer(library, protocol=BoundedProtocol) as server, _connect(server) as client:
        client.sendall(b"POST /unread HTTP/1.1\r\nHost: x\r\n" + head + b"\r\n\r\n")
        (found,) = _answers(_exchange(client, b""), ["POST"])
    assert found == (200, b"/unread", True)


@pytest.mark.parametrize(
    ("version", "lines", "status"),
    [
        ("1.1", b"Host: a\r\nHost: b\r\n", 400),
        ("1.1", b"Host: a\r\nX: y\r\nhost: a\r\n", 400),
        ("1.1", b"", 400),
        ("1.1", b"Host: a/b\r\n", 400),
        ("1.1", b"Host: a, b c\r\n", 400),
        ("1.1", b"Host: u@a\r\n", 400),
        ("1.1", b"Host: a:b\r\n", 400),
        ("1.0", b"Host: a\r\nHost: b\r\n", 400),
        ("1.0", b"", 200),
        ("1.1", b"Host:\r\n", 200),
        ("1.1", b"Host: [::1]:80\r\n", 200),
        ("1.1", b"Host: xn--hay.example.:8080\r\n", 200),
    ],
)
@pytest.mark.parametrize("method", [b"GET", b"POST"])
def test_a_request_names_one_host(method: bytes, version: str, lines: bytes, status: int) -> None:
    request = method + b" / HTTP/" + version.encode() + b"\r\n" + lines
    with AsgiServer(echo, protocol=BoundedProtocol) as server:
        received = exchange(server, request + b"Connection: close\r\nContent-Length: 0\r\n\r\n" + LAST)
        assert [each.status for each in _answers(received, [method.decode()])] == [status]
        good = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"  # in its turn, behind an answer
        received = exchange(server, good + request + b"Connection: close\r\n\r\n" + good)
        assert [each.status for each in _answers(received, ["GET", method.decode()])] == [200, status]


def test_a_client_that_goes_on_sending_a_refused_body_still_gets_the_answer() -> None:
    with AsgiServer(library, protocol=BoundedProtocol) as server, _connect(server) as client:
        client.sendall(b"POST /missing HTTP/1.1\r\nHost: x\r\nContent-Length: 3000000\r\n\r\n")
        for _ in range(30):
            client.sendall(b"x" * 100_000)
        (found,) = _answers(_exchange(client, b""), ["POST"])
    assert (found.status, found.is_last) == (404, True)


def test_a_chunked_body_without_content_is_bounded() -> None:
    trailers = b"".join(b"X-%d: %b\r\n" % (number, b"y" * 1000) for number in range(200))
    head = b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n"
    with AsgiServer(library, protocol=BoundedProtocol) as server:
        received = exchange(server, head + trailers)
        assert b" 200 " not in received
        assert server.ask("/").status == 200


@pytest.mark.parametrize(
    "first_line", [b"POST / HTTP/1.1\r\nHost: x\r\nConnection: close", b"POST / HTTP/1.0"]
)
@pytest.mark.parametrize("size", [5, 65_536, 1_000_000])
def test_the_body_of_the_last_request_is_received(first_line: bytes, size: int) -> None:
    head = first_line + b"\r\nContent-Length: %d\r\n\r\n" % size
    with AsgiServer(library, protocol=BoundedProtocol) as server:
        (found,) = _answers(exchange(server, head + b"x" * size), ["POST"])
    assert found == (200, str(size).encode(), True)


def test_the_chunks_of_the_last_request_are_received() -> None:
    head = b"POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
    with AsgiServer(library, protocol=BoundedProtocol) as server:
        sent = head + b"3\r\nabc\r\n4\r\ndefg\r\n0\r\n\r\n" + LAST
        (found,) = _answers(exchange(server, sent), ["POST"])
    assert found == (200, b"7", True)


async def half(scope: Any, receive: Any, send: Any) -> None:
    """Break off in the middle of an answer of unknown length, as an export does that loses its turn."""
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"half", "more_body": True})
    raise ConnectionAbortedError


@pytest.mark.parametrize("version", ["1.0", "1.1"])
def test_an_answer_that_breaks_off_does_not_look_whole(version: str) -> None:
    # HTTP/1.0, which proxies speak too, has nothing but the end of the connection to mark the end of a body.
    with AsgiServer(half, protocol=BoundedProtocol) as server, _connect(server) as client:
        client.sendall(f"GET / HTTP/{version}\r\nHost: x\r\n\r\n".encode())
        with pytest.raises(ConnectionResetError):
            deque(iter(lambda: client.recv(65536), b""), maxlen=0)


@pytest.mark.parametrize("before", [b"", b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"])
def test_a_request_with_too_many_headers_is_refused_with_a_sentence(before: bytes) -> None:
    lines = b"".join(b"X-%d: %d\r\n" % (number, number) for number in range(MAX_HEADERS))
    with AsgiServer(echo, protocol=BoundedProtocol) as server:
        answer = exchange(server, before + b"GET / HTTP/1.1\r\nHost: x\r\n" + lines + b"\r\n")
        assert answer.count(b"HTTP/1.1 200 ") == bool(before)
        assert b"HTTP/1.1 431 " in answer
        assert b"too many headers" in answer
        assert server.ask("/").status == 200


def test_a_path_that_is_too_long_is_refused_and_a_long_query_is_not() -> None:
    with AsgiServer(echo, protocol=BoundedProtocol) as server:
        long = b"%C3%A4" * (MAX_PATH_BYTES // 6)
        end = b" HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
        assert b"HTTP/1.1 200 " in exchange(server, b"GET /" + long + end)
        assert b"HTTP/1.1 200 " in exchange(server, b"GET /?" + long * 2 + end)
        answer = exchange(server, b"GET /" + long * 2 + end)
        assert answer.startswith(b"HTTP/1.1 414 ")
        assert b"too long" in answer


def test_many_requests_in_one_piece_leave_turns_to_other_connections() -> None:
    asked: list[str] = []
    is_waiting, is_sent = threading.Event(), threading.Event()

    async def app(scope: Any, receive: Any, send: Any) -> None:
        asked.append(scope["path"])
        if scope["path"] == "/0":  # hold the loop until the other connection's request lies in its socket
            is_waiting.set()
            assert is_sent.wait(WAIT_SECONDS)
        await _respond(send, 200, scope["path"].encode())

    many = b"".join(b"GET /%d HTTP/1.1\r\nHost: x\r\n\r\n" % number for number in range(150))
    with AsgiServer(app, protocol=BoundedProtocol) as server, _connect(server) as other:
        other.sendall(b"GET /first HTTP/1.1\r\nHost: x\r\n\r\n")  # it is accepted before the loop is held
        assert other.recv(65536).endswith(b"/first")
        with _connect(server) as busy:
            busy.sendall(many + LAST)
            assert is_waiting.wait(WAIT_SECONDS)
            other.sendall(b"GET /other HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            is_sent.set()
            found = [
                part.partition(b"\r\n\r\n")[2] for part in _exchange(busy, b"").split(b"HTTP/1.1 200 ")[1:]
            ]
            assert _exchange(other, b"").endswith(b"/other")
    assert found == [*(b"/%d" % number for number in range(150)), b"/last"]
    assert asked.index("/other") < asked.index("/75")


@pytest.mark.parametrize("value", [b"a\r\nset-cookie: b", b"a\nset-cookie: b", b"a\0set-cookie: b"])
def test_no_header_breaks_out_of_its_line(value: bytes) -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        headers = [(b"location", value if scope["path"] == "/bad" else b"/")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b""})

    end = b" HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    with AsgiServer(app, protocol=BoundedProtocol) as server:
        assert b"location: /\r\n" in exchange(server, b"GET /good" + end)
        assert b"location" not in exchange(server, b"GET /bad" + end)
