"""Connections to hosts themselves: kept while they last, opened anew without a word, framed as they say."""

from __future__ import annotations

import logging
import threading
from io import StringIO

import pytest

from tests.unit.net.conftest import Desk
from tests.unit.net.server import Line, reply, then_hang_up
from windrow.errors import HttpRefused, Unreachable
from windrow.net import HttpSettings
from windrow.net.address import parse_address
from windrow.net.exchange import MAX_HOSTS, Exchange


def test_a_connection_that_the_host_has_closed_meanwhile_costs_no_try(desk: Desk) -> None:
    is_closed = threading.Event()

    def script(line: Line) -> None:
        line.send(reply(b"<first/>"))
        line.hang_up()
        is_closed.set()

    server = desk.serve(script, reply(b"<second/>"))
    client = desk.client()
    assert client.get(server.url).body == b"<first/>"
    assert is_closed.wait(60)
    answer = client.get(server.url)
    assert (answer.body, answer.retries) == (b"<second/>", 0)
    assert server.connections == 2


def test_of_many_hosts_only_so_many_connections_are_kept(desk: Desk) -> None:
    servers = [desk.serve(reply()) for _ in range(MAX_HOSTS + 1)]
    client = desk.client()
    for server in servers:
        client.get(server.url)
    client.get(servers[1].url)
    client.get(servers[0].url)  # the one that was not used for longest
    assert [server.connections for server in servers[:2]] == [2, 1]


def test_two_requests_at_the_same_time_have_a_connection_each(desk: Desk) -> None:
    second_is_here = threading.Event()

    def first(line: Line) -> None:
        assert second_is_here.wait(60)
        line.send(reply(b"<late/>"))

    def second(line: Line) -> None:
        second_is_here.set()
        line.send(reply(b"<early/>"))

    server = desk.serve(first, second, reply())
    address, exchange = parse_address(server.url), Exchange(HttpSettings())
    bodies: list[bytes] = []
    threads = [threading.Thread(target=lambda: bodies.append(exchange.send(address, {}).body)) for _ in "12"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(bodies) == [b"<early/>", b"<late/>"]
    exchange.send(address, {})
    assert server.connections == 2
    exchange.close()


def test_a_long_answer_that_breaks_off_is_not_taken_for_whole(desk: Desk) -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 9000000\r\n\r\n"
    server = desk.serve(then_hang_up(head + b"<r>"))
    with pytest.raises(Unreachable, match="the answer was cut short"):
        desk.client(attempts=1).get(server.url)


@pytest.mark.parametrize(
    "lengths",
    [
        "Content-Length: 4\r\nContent-Length: 2",
        "Content-Length: 4, 2",
        "Content-Length: 4\r\nContent-Length: x",
    ],
)
def test_an_answer_of_two_lengths_is_refused(desk: Desk, lengths: str) -> None:
    server = desk.serve(f"HTTP/1.1 200 OK\r\n{lengths}\r\n\r\n<r/>".encode())
    with pytest.raises(Unreachable, match="not proper HTTP"):
        desk.client(attempts=1).get(server.url)


def test_the_same_length_twice_is_one(desk: Desk) -> None:
    answer = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\nContent-Length: 4\r\n\r\n<r/>"
    assert desk.client().get(desk.serve(answer).url).body == b"<r/>"


def test_headers_are_found_whatever_their_case_and_number(desk: Desk) -> None:
    server = desk.serve(b"HTTP/1.1 200 OK\r\nVia: a\r\nVIA: b\r\nContent-Length: 4\r\n\r\n<r/>")
    headers = desk.client().get(server.url).headers
    assert (headers["via"], headers.get("content-length"), headers.get("age")) == ("a, b", "4", None)


@pytest.mark.parametrize(
    "before", [[b"103 Early Hints\r\nLink: </a>"], [b"102 X", b"102 X", b"103 X\r\nA: b", b"100 X", b"199 X"]]
)
def test_all_interim_responses_are_read_past(desk: Desk, before: list[bytes]) -> None:
    interim = b"".join(b"HTTP/1.1 " + head + b"\r\n\r\n" for head in before)
    server = desk.serve(interim + reply(b"<r/>"))
    client = desk.client()
    assert [client.get(server.url).body for _ in "12"] == [b"<r/>"] * 2
    assert server.connections == 1


def test_after_a_switch_of_protocols_the_connection_is_not_used_again(desk: Desk) -> None:
    switch = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: other\r\n\r\n"
    server = desk.serve(switch, reply(b"<r/>"))
    client = desk.client()
    with pytest.raises(HttpRefused, match="HTTP 101"):
        client.get(server.url)
    assert client.get(server.url).body == b"<r/>"
    assert server.connections == 2


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/2.0 200 OK\r\n\r\n",
        b"SSH-2.0-OpenSSH\r\n",
        b"HTTP/1.1 200 OK\r\nX: " + b"a" * 70_000 + b"\r\n\r\n",
    ],
    ids=["another protocol", "no protocol", "an endless line"],
)
def test_what_is_no_answer_is_refused(desk: Desk, answer: bytes) -> None:
    with pytest.raises(Unreachable, match="not proper HTTP"):
        desk.client(attempts=1).get(desk.serve(answer).url)


def test_no_warning_of_urllib3_with_a_secret_address_reaches_the_log(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logging.getLogger("urllib3"), "propagate", True)
    logged = StringIO()
    handler = logging.StreamHandler(logged)
    logging.getLogger().addHandler(handler)  # as `windrow serve` has one; that of pytest follows every logger
    server = desk.serve(then_hang_up(b"HTTP/1.1 200 OK\r\nno colon here\r\n\r\n<r/>"))
    try:
        assert desk.client().get(f"{server.url}?key=hush").status == 200
    finally:
        logging.getLogger().removeHandler(handler)
    assert logged.getvalue() == ""
