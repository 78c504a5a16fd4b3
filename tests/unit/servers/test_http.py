"""The scripted server: what it is told is what goes over the wire."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Callable
from http.client import HTTPConnection, HTTPSConnection, IncompleteRead
from pathlib import Path
from threading import Event, Thread

import pytest

from tests.servers.http import Reply, Request, ScriptedServer
from tests.servers.tls import make_certificate
from tests.unit.servers.asking import WAIT_SECONDS, fetch


def always(reply: Reply) -> Callable[[Request], Reply]:
    return lambda _: reply


def raw(server: ScriptedServer, text: bytes = b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n") -> bytes:
    with socket.create_connection(("127.0.0.1", server.port), timeout=WAIT_SECONDS) as connection:
        connection.sendall(text)
        return b"".join(iter(lambda: connection.recv(65_536), b""))


def test_a_request_is_recorded_whole() -> None:
    with ScriptedServer(always(Reply())) as server:
        fetch(server, "/oai?verb=Identify&x=a%20b&x=", method="POST", body="c=d")
    request = server.requests[0]
    assert (request.method, request.path, request.body) == ("POST", "/oai", b"c=d")
    assert request.query_pairs == (("verb", "Identify"), ("x", "a b"), ("x", ""))
    assert request.query == "verb=Identify&x=a%20b&x="
    assert request.arguments == {"c": "d"}


def test_the_reply_has_status_headers_and_body() -> None:
    reply = Reply(503, b"later", {"Retry-After": "7"}, content_type="text/plain")
    with ScriptedServer(always(reply)) as server:
        response, body = fetch(server, "/")
    assert (response.status, response.reason, body) == (503, "Service Unavailable", b"later")
    assert response.getheader("Retry-After") == "7"
    assert response.getheader("Content-Type") == "text/plain"


def test_a_connection_is_kept_for_the_next_request() -> None:
    with ScriptedServer(always(Reply(body=b"x"))) as server:
        connection = HTTPConnection("127.0.0.1", server.port, timeout=WAIT_SECONDS)
        for _ in range(3):
            connection.request("GET", "/")
            assert connection.getresponse().read() == b"x"
        connection.close()
        assert len(server.requests) == 3
        assert server.connections == 1


def test_connections_are_served_at_the_same_time() -> None:
    second_came = Event()

    def handle(request: Request) -> Reply:
        if request.path == "/first":
            assert second_came.wait(WAIT_SECONDS)
        else:
            second_came.set()
        return Reply(body=request.path.encode())

    with ScriptedServer(handle) as server:
        answers: list[bytes] = []
        waiting = Thread(target=lambda: answers.append(fetch(server, "/first")[1]))
        waiting.start()
        assert fetch(server, "/second")[1] == b"/second"
        waiting.join()
    assert answers == [b"/first"]


def test_a_declared_length_may_be_a_lie() -> None:
    lying = always(Reply(body=b"short", declared_length=99))
    with ScriptedServer(lying) as server, pytest.raises(IncompleteRead) as caught:
        fetch(server, "/")
    assert caught.value.partial == b"short"


def test_a_body_may_be_cut() -> None:
    with ScriptedServer(always(Reply(body=b"0123456789", cut_after=4))) as server:
        assert raw(server).endswith(b"Content-Length: 10\r\nConnection: close\r\n\r\n0123")


def test_a_connection_may_be_reset_before_any_byte() -> None:
    with ScriptedServer(always(Reply(reset=True))) as server, pytest.raises(ConnectionResetError):
        raw(server)


def test_a_connection_may_be_reset_in_the_body() -> None:
    breaking = always(Reply(body=b"x" * 100, cut_after=50, reset=True))
    with ScriptedServer(breaking) as server, pytest.raises(ConnectionResetError):
        raw(server)


@pytest.mark.parametrize("drip_bytes", [None, 3])
def test_a_body_may_come_in_chunks(drip_bytes: int | None) -> None:
    with ScriptedServer(always(Reply(body=b"0123456789", chunked=True, drip_bytes=drip_bytes))) as server:
        response, body = fetch(server, "/")
        assert raw(server).endswith(b"\r\n0\r\n\r\n")
    assert response.getheader("Transfer-Encoding") == "chunked"
    assert body == b"0123456789"


def test_chunks_that_are_cut_have_no_end() -> None:
    with ScriptedServer(always(Reply(body=b"0123456789", chunked=True, cut_after=5))) as server:
        assert raw(server).endswith(b"5\r\n01234\r\n")


def test_a_dripping_body_arrives_whole() -> None:
    with ScriptedServer(always(Reply(body=b"0123456789", drip_bytes=1))) as server:
        assert fetch(server, "/")[1] == b"0123456789"


def test_a_server_that_never_answers_stops_all_the_same() -> None:
    with ScriptedServer(always(Reply(never_answer=True))) as server:
        connection = socket.create_connection(("127.0.0.1", server.port), timeout=WAIT_SECONDS)
        connection.sendall(b"GET / HTTP/1.1\r\n\r\n")
        server.wait_for_requests(1)
    with connection:
        assert connection.recv(1) == b""


def test_a_held_answer_comes_when_it_is_released() -> None:
    release = Event()
    with ScriptedServer(always(Reply(body=b"at last", hold=release))) as server:
        connection = socket.create_connection(("127.0.0.1", server.port), timeout=WAIT_SECONDS)
        with connection:
            connection.sendall(b"GET / HTTP/1.1\r\n\r\n")
            server.wait_for_requests(1)
            connection.setblocking(False)
            with pytest.raises(BlockingIOError):
                connection.recv(1)
            release.set()
            connection.settimeout(WAIT_SECONDS)
            assert connection.recv(65_536).startswith(b"HTTP/1.1 200 OK")


def test_the_line_of_a_proxy_request_is_understood() -> None:
    with ScriptedServer(always(Reply(body=b"by proxy"))) as server:
        line = b"GET http://far.example/oai?verb=Identify HTTP/1.1\r\nConnection: close\r\n\r\n"
        assert raw(server, line).endswith(b"by proxy")
    request = server.requests[0]
    assert request.target == "http://far.example/oai?verb=Identify"
    assert (request.path, request.query_pairs) == ("/oai", (("verb", "Identify"),))


def test_a_certificate_is_good_for_whoever_trusts_it(tmp_path: Path) -> None:
    certificate = make_certificate(tmp_path)
    with ScriptedServer(always(Reply(body=b"secret")), certificate=certificate) as server:
        trusting = ssl.create_default_context(cafile=str(certificate.chain))
        connection = HTTPSConnection("127.0.0.1", server.port, context=trusting, timeout=WAIT_SECONDS)
        connection.request("GET", "/")
        assert connection.getresponse().read() == b"secret"
        connection.close()
        assert server.url.startswith("https://")


def test_a_client_that_does_not_trust_the_certificate_hangs_up(tmp_path: Path) -> None:
    with ScriptedServer(always(Reply()), certificate=make_certificate(tmp_path)) as server:
        connection = HTTPSConnection("127.0.0.1", server.port, timeout=WAIT_SECONDS)
        with pytest.raises(ssl.SSLCertVerificationError):
            connection.request("GET", "/")
        connection.close()
    assert server.requests == []
