"""Retry-After: waited for, remembered before the wait, cleared by success."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.unit.net.conftest import NOW, Desk
from tests.unit.net.server import Line, reply
from windrow.errors import Interrupted, UpstreamBusy
from windrow.net import Hosts, HttpClient, HttpSettings, Wait

GOOD = reply(b"<good/>")


def busy(after: str, status: str = "503 Service Unavailable", body: bytes = b"") -> bytes:
    return reply(body, status, Retry_After=after)


@pytest.mark.parametrize("status", ["503 X", "429 X", "500 X", "521 X"])
def test_the_server_says_how_long_to_wait(desk: Desk, status: str) -> None:
    server = desk.serve(busy("17", status), GOOD)
    assert desk.client().get(server.url).retries == 1
    assert desk.waits == [Wait(17.0, "the server asked to come back later", 1, server.url)]
    assert desk.slept == [17.0]


def test_a_date_is_waited_for_as_well(desk: Desk) -> None:
    desk.client().get(desk.serve(busy("Sun, 01 Mar 2026 12:01:30 GMT"), GOOD).url)
    assert desk.slept == [90.0]


@pytest.mark.parametrize("after", ["soon", "-5", "0", "Sun, 01 Mar 2020 12:00:00 GMT"])
def test_a_senseless_wish_becomes_an_ordinary_pause(desk: Desk, after: str) -> None:
    desk.client(backoff_seconds=1.0).get(desk.serve(busy(after), GOOD).url)
    assert 0.75 <= desk.slept[0] <= 1.25
    assert desk.memory.writes == 0


def test_a_redirect_with_a_wish_is_followed_after_the_wait(desk: Desk) -> None:
    server = desk.serve(reply(b"", "302 Found", Location="/there", Retry_After="4"), GOOD)
    answer = desk.client().get(server.url)
    assert answer.url.endswith("/there")
    assert desk.slept == [4.0]


def test_busy_in_good_xml_is_still_busy(desk: Desk) -> None:
    server = desk.serve(busy("3", body=b"<OAI-PMH/>"), GOOD)
    assert desk.client().get(server.url, is_answer=lambda status, body: True).status == 200
    assert desk.slept == [3.0]


def test_too_long_a_wish_ends_the_request_with_the_time(desk: Desk) -> None:
    server = desk.serve(busy("3600"))
    with pytest.raises(UpstreamBusy, match="until 2026-03-01 13:00:00 UTC") as caught:
        desk.client().get(server.url)
    assert caught.value.seconds == 3600.0
    assert desk.slept == []
    assert desk.memory.until == {server.key: NOW + timedelta(hours=1)}


def test_the_wish_is_remembered_before_the_wait(desk: Desk) -> None:
    def interrupt(_: float) -> None:
        raise Interrupted("stopped")

    server = desk.serve(busy("60"))
    client = HttpClient(HttpSettings(), memory=desk.memory, clock=lambda: NOW, sleep=interrupt)
    with pytest.raises(Interrupted):
        client.get(server.url)
    client.close()
    assert desk.memory.until == {server.key: NOW + timedelta(seconds=60)}


def test_a_second_run_waits_for_what_the_first_was_told(desk: Desk) -> None:
    server = desk.serve(GOOD)
    desk.memory.until[server.key] = NOW + timedelta(seconds=42)
    client = desk.client()
    client.get(server.url)
    client.get(server.url)
    assert desk.slept == [42.0]
    assert desk.waits[0].attempt == 0


def test_a_second_run_refuses_to_wait_too_long_and_asks_nothing(desk: Desk) -> None:
    server = desk.serve(GOOD)
    desk.memory.until[server.key] = NOW + timedelta(days=2)
    with pytest.raises(UpstreamBusy, match="2026-03-03 12:00:00"):
        desk.client().get(server.url)
    assert server.requests == []


def test_success_clears_what_is_remembered_once(desk: Desk) -> None:
    server = desk.serve(GOOD)
    desk.memory.until[server.key] = NOW - timedelta(seconds=1)
    client = desk.client()
    client.get(server.url)
    client.get(server.url)
    assert desk.memory.until == {}
    assert desk.memory.writes == 1
    assert desk.slept == []


def test_wishes_can_be_ignored(desk: Desk) -> None:
    server = desk.serve(busy("3600"), GOOD)
    desk.memory.until[server.key] = NOW + timedelta(days=2)
    desk.client(ignore_retry_after=True, backoff_seconds=1.0).get(server.url)
    assert 0.75 <= desk.slept[0] <= 1.25


def test_tries_end_even_where_the_server_asks_for_more(desk: Desk) -> None:
    server = desk.serve(busy("5"))
    with pytest.raises(UpstreamBusy) as caught:
        desk.client(attempts=3).get(server.url)
    assert caught.value.seconds == 5.0
    assert desk.slept == [5.0, 5.0]


def test_other_clients_of_the_process_wait_as_well(desk: Desk) -> None:
    hosts = Hosts(monotonic=lambda: 100.0)
    server = desk.serve(busy("200"), GOOD)
    with pytest.raises(UpstreamBusy):
        desk.client(hosts=hosts, attempts=1).get(server.url)
    other = HttpClient(HttpSettings(), hosts=hosts, sleep=desk.slept.append)
    other.get(server.url)
    other.close()
    assert desk.slept == [200.0]


def test_a_shorter_wish_of_the_same_host_does_not_shorten_the_pause(desk: Desk) -> None:
    hosts = Hosts(monotonic=lambda: 100.0)

    def ask_another_for_more(line: Line) -> None:
        hosts.rest(server.key, 200.0)  # as the answer to another source on this host, at the same time
        line.send(busy("5"))

    server = desk.serve(ask_another_for_more, GOOD)
    desk.client(hosts=hosts).get(server.url)
    assert desk.slept == [200.0]
    with hosts.turn(server.key, delay=0.0, pause=lambda *_: pytest.fail("the rest is over")):
        pass


def test_too_long_a_wish_keeps_every_source_of_the_host_away(desk: Desk) -> None:
    hosts = Hosts(monotonic=lambda: 100.0)
    server = desk.serve(GOOD, busy("3600", "429 X"), busy("5"), GOOD)
    second = desk.client(hosts=hosts)
    second.get(server.url)  # has looked up already what is remembered of the host
    with pytest.raises(UpstreamBusy):
        desk.client(hosts=hosts).get(server.url)
    with pytest.raises(UpstreamBusy) as caught:
        second.get(server.url)
    assert caught.value.seconds == 3600.0
    assert len(server.requests) == 2
    assert desk.memory.until == {server.key: NOW + timedelta(hours=1)}


def test_a_503_with_a_short_wish_after_a_429_with_a_long_one_leaves_the_long_one_remembered(
    desk: Desk,
) -> None:
    server = desk.serve(GOOD, busy("3600", "429 X"), busy("5"), GOOD)
    first, second = desk.client(), desk.client()  # as in two processes: they share the memory alone
    second.get(server.url)
    with pytest.raises(UpstreamBusy):
        first.get(server.url)
    second.get(server.url)
    assert desk.slept == [5.0]
    assert desk.memory.until == {server.key: NOW + timedelta(hours=1)}


def test_success_of_one_source_does_not_clear_what_another_was_told(desk: Desk) -> None:
    def another_is_told(line: Line) -> None:
        desk.memory.remember(server.key, NOW + timedelta(hours=1))
        line.send(GOOD)

    server = desk.serve(busy("5"), another_is_told, GOOD)
    desk.client().get(server.url)
    assert desk.memory.until == {server.key: NOW + timedelta(hours=1)}


def test_success_clears_the_longest_of_several_waits(desk: Desk) -> None:
    server = desk.serve(busy("100", "429 X"), busy("5"), GOOD)
    desk.client().get(server.url)
    assert desk.slept == [100.0, 5.0]
    assert desk.memory.until == {}


def test_an_answer_that_is_not_ready_yet_is_asked_for_again(desk: Desk) -> None:
    server = desk.serve(busy("5", "202 Accepted", b"<html>soon</html>"), reply(b"", "202 Accepted"), GOOD)
    answer = desk.client(backoff_seconds=0).get(server.url)
    assert (answer.body, answer.retries) == (b"<good/>", 2)
    assert desk.slept == [5.0, 0.0]


def test_an_answer_that_is_never_ready_ends_as_busy(desk: Desk) -> None:
    server = desk.serve(busy("5", "202 Accepted", b"<html>soon</html>"))
    with pytest.raises(UpstreamBusy, match="HTTP 202 Accepted"):
        desk.client(attempts=3).get(server.url)
    assert len(server.requests) == 3


def test_a_client_with_few_attempts_may_still_be_patient_with_a_busy_server(desk: Desk) -> None:
    server = desk.serve(*[busy("5", status) for status in ("503 X", "429 X", "202 X", "503 X")], GOOD)
    assert desk.client(attempts=1, waits=5).get(server.url).body == b"<good/>"
    assert desk.slept == [5.0] * 4
    with pytest.raises(UpstreamBusy):
        desk.client(attempts=1, waits=3).get(desk.serve(busy("5")).url)


def test_a_failure_after_waiting_counts_as_the_first(desk: Desk) -> None:
    server = desk.serve(busy("5"), busy("5"), reply(b"", "500 X"), GOOD)
    assert desk.client(attempts=2, waits=5, backoff_seconds=0).get(server.url).retries == 3
