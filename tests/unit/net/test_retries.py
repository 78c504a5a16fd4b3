"""What is tried again, how long the pauses are, and what is said when it was in vain."""

from __future__ import annotations

import socket

import pytest

from tests.unit.net.conftest import Desk
from tests.unit.net.server import Line, reply, silence, then_hang_up
from windrow.errors import HttpRefused, Interrupted, Unreachable, UpstreamBusy
from windrow.net import HttpClient, HttpSettings

GOOD = reply(b"<good/>")


@pytest.mark.parametrize(
    "status", ["408 Request Timeout", "429 Too Many Requests", "500 X", "502 X", "503 X", "504 X"]
)
def test_a_passing_failure_is_tried_again(desk: Desk, status: str) -> None:
    server = desk.serve(reply(b"", status), GOOD)
    answer = desk.client().get(server.url)
    assert (answer.body, answer.retries) == (b"<good/>", 1)
    assert len(desk.slept) == 1


@pytest.mark.parametrize(
    "broken",
    [
        then_hang_up(b""),
        then_hang_up(b"HTTP/1.1 200 OK\r\nContent-Le"),
        then_hang_up(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n<half"),
        then_hang_up(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n<half"),
        then_hang_up(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n<half"),
        then_hang_up(b"SSH-2.0-OpenSSH_9.6\r\n"),
        reply(b""),
        reply(b"", "200 OK", Content_Encoding="gzip"),
    ],
    ids=["nothing", "cut headers", "cut body", "cut chunk", "no chunk", "not HTTP", "empty", "empty gzip"],
)
def test_a_broken_answer_is_tried_again(desk: Desk, broken: bytes) -> None:
    server = desk.serve(broken, GOOD)
    answer = desk.client().get(server.url)
    assert (answer.body, answer.retries) == (b"<good/>", 1)


def test_a_reset_connection_is_tried_again(desk: Desk) -> None:
    answer = desk.client().get(desk.serve(Line.reset, GOOD).url)
    assert answer.retries == 1


def test_a_server_that_stays_silent_is_tried_again(desk: Desk) -> None:
    answer = desk.client(timeout_seconds=0.05).get(desk.serve(silence, GOOD).url)
    assert (answer.body, answer.retries) == (b"<good/>", 1)


def test_pauses_double_within_their_jitter_and_are_told(desk: Desk) -> None:
    server = desk.serve(reply(b"", "500 X"))
    with pytest.raises(HttpRefused, match=r"HTTP 500 Internal Server Error \(4 tries\)"):
        desk.client(attempts=4, backoff_seconds=1.0).get(server.url)
    assert [0.75 * 2**n <= seconds <= 1.25 * 2**n for n, seconds in enumerate(desk.slept)] == [True] * 3
    assert [wait.seconds for wait in desk.waits] == desk.slept
    assert [(wait.attempt, wait.reason, wait.url) for wait in desk.waits] == [
        (n, "HTTP 500 Internal Server Error", server.url) for n in (1, 2, 3)
    ]


def test_no_pause_is_longer_than_the_longest_wait(desk: Desk) -> None:
    with pytest.raises(HttpRefused):
        desk.client(attempts=50, max_wait_seconds=7.0).get(desk.serve(reply(b"", "502 X")).url)
    assert len(desk.slept) == 49
    assert max(desk.slept) == 7.0


def test_a_server_that_is_always_busy_ends_as_busy(desk: Desk) -> None:
    with pytest.raises(UpstreamBusy) as caught:
        desk.client(attempts=2).get(desk.serve(reply(b"", "503 X")).url)
    assert caught.value.seconds is None


def test_an_empty_answer_every_time_is_unreachable(desk: Desk) -> None:
    with pytest.raises(Unreachable, match="the answer is empty"):
        desk.client(attempts=2).get(desk.serve(reply(b"")).url)


def test_a_refused_connection_is_tried_again_and_then_told(desk: Desk) -> None:
    with socket.create_server(("127.0.0.1", 0)) as unused:
        port = unused.getsockname()[1]
    with pytest.raises(Unreachable, match=r"connection was refused \(3 tries\)"):
        desk.client(attempts=3).get(f"http://127.0.0.1:{port}/")
    assert len(desk.slept) == 2


def test_an_unknown_name_is_tried_again_and_then_told(desk: Desk) -> None:
    too_long_for_dns = ".".join(["a" * 63] * 3 + ["a" * 62])  # so that nobody outside is asked
    with pytest.raises(Unreachable, match="name is not known"):
        desk.client(attempts=2).get(f"http://{too_long_for_dns}/oai")
    assert len(desk.slept) == 1


def test_an_error_that_is_an_answer_is_given_at_once(desk: Desk) -> None:
    server = desk.serve(reply(b"<OAI-PMH><error/></OAI-PMH>", "500 X"))
    answer = desk.client().get(
        server.url, is_answer=lambda status, body: status == 500 and b"OAI-PMH" in body
    )
    assert (answer.status, answer.retries) == (500, 0)


def test_an_error_that_is_no_answer_is_still_tried_again(desk: Desk) -> None:
    server = desk.serve(reply(b"<html/>", "500 X"), GOOD)
    assert desk.client().get(server.url, is_answer=lambda status, body: b"OAI-PMH" in body).status == 200


def test_a_good_answer_is_not_shown_to_is_answer(desk: Desk) -> None:
    assert desk.client().get(desk.serve(GOOD).url, is_answer=lambda status, body: 1 / 0 > 0).status == 200


def test_an_error_page_that_breaks_off_is_still_that_error(desk: Desk) -> None:
    server = desk.serve(then_hang_up(b"HTTP/1.1 404 Not Found\r\nContent-Length: 99\r\n\r\n<html>"))
    with pytest.raises(HttpRefused) as caught:
        desk.client().get(server.url)
    assert caught.value.status == 404
    assert desk.slept == []


def test_an_interruption_in_a_pause_passes_through(desk: Desk) -> None:
    def interrupt(_: float) -> None:
        raise Interrupted("stopped")

    server = desk.serve(reply(b"", "500 X"))
    client = HttpClient(HttpSettings(), sleep=interrupt)
    with pytest.raises(Interrupted):
        client.get(server.url)
    client.close()
    assert len(server.requests) == 1


def test_every_request_and_every_further_try_is_counted_whatever_comes_of_it(desk: Desk) -> None:
    server = desk.serve(
        reply(b"", "500 X"), reply(b"", "302 X", Location="/there"), GOOD, reply(b"", "502 X")
    )
    client = desk.client(attempts=3, backoff_seconds=0)
    client.get(server.url)
    assert (client.requests, client.retries) == (3, 1)
    with pytest.raises(HttpRefused):
        client.get(server.url)
    assert (client.requests, client.retries) == (6, 3)
    assert client.requests == len(server.requests)
