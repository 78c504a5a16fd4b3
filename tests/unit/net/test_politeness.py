"""One request at a time per host, with a pause between two."""

from __future__ import annotations

import threading

import pytest

from tests.unit.net.conftest import Desk
from tests.unit.net.server import Line, reply
from windrow.net import Hosts, HttpClient, HttpSettings
from windrow.net.politeness import HostRest


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


def no_pause(seconds: float, is_rest: bool) -> None:
    raise AssertionError(f"a pause of {seconds} seconds was not expected")


def test_the_first_request_goes_at_once_and_the_next_after_the_delay() -> None:
    clock, pauses = Clock(), list[tuple[float, bool]]()
    hosts = Hosts(monotonic=clock)
    with hosts.turn("a:80", delay=3.0, pause=no_pause):
        clock.now += 10
    clock.now += 1
    with hosts.turn("a:80", delay=3.0, pause=lambda *pause: pauses.append(pause)):
        pass
    assert pauses == [(2.0, False)]


def test_hosts_do_not_wait_for_one_another() -> None:
    hosts = Hosts(monotonic=Clock())
    with hosts.turn("a:80", delay=3.0, pause=no_pause), hosts.turn("b:80", delay=3.0, pause=no_pause):
        pass


def test_a_failed_request_counts_for_the_delay() -> None:
    pauses: list[float] = []
    hosts = Hosts(monotonic=Clock())
    with pytest.raises(OSError, match="broken"), hosts.turn("a:80", delay=3.0, pause=no_pause):
        raise OSError("broken")
    with hosts.turn("a:80", delay=3.0, pause=lambda seconds, _: pauses.append(seconds)):
        pass
    assert pauses == [3.0]


def test_a_longer_wish_made_during_a_rest_is_not_forgotten() -> None:
    pauses: list[tuple[float, bool]] = []
    hosts = Hosts(monotonic=Clock())
    first = hosts.rest("a:80", 10.0)
    hosts.rest("a:80", 50.0)
    hosts.wake("a:80", first.until)
    with hosts.turn("a:80", delay=0.0, pause=lambda *pause: pauses.append(pause)):
        pass
    assert pauses == [(50.0, True)]


def test_a_shorter_wish_does_not_shorten_a_longer_one() -> None:
    pauses: list[tuple[float, bool]] = []
    clock = Clock()
    hosts = Hosts(monotonic=clock)
    hosts.rest("a:80", 50.0)
    clock.now += 10
    assert hosts.rest("a:80", 5.0) == HostRest(seconds=40.0, until=1050.0)
    with hosts.turn("a:80", delay=0.0, pause=lambda *pause: pauses.append(pause)):
        pass
    assert pauses == [(40.0, True)]


def test_the_client_waits_between_requests_and_tells_why(desk: Desk) -> None:
    clock = Clock()
    server = desk.serve(reply())
    client = desk.client(hosts=Hosts(monotonic=clock), delay_seconds=2.0)
    client.get(server.url)
    client.get(server.url)
    assert desk.slept == [2.0]
    assert [(wait.reason, wait.attempt) for wait in desk.waits] == [("delay between requests", 0)]


def test_two_clients_never_ask_one_host_at_the_same_time(desk: Desk) -> None:
    asked, asked_again = threading.Event(), threading.Event()
    crowded: list[bool] = []

    def first_script(line: Line) -> None:
        asked.set()
        crowded.append(asked_again.wait(0.1))
        line.send(reply(b"<first/>"))

    def second_script(line: Line) -> None:
        asked_again.set()
        line.send(reply(b"<second/>"))

    server = desk.serve(first_script, second_script)
    hosts = Hosts()
    bodies: list[bytes] = []

    def fetch() -> None:
        client = HttpClient(HttpSettings(), hosts=hosts)
        bodies.append(client.get(server.url).body)
        client.close()

    first, second = threading.Thread(target=fetch), threading.Thread(target=fetch)
    first.start()
    asked.wait()
    second.start()
    first.join()
    second.join()
    assert crowded == [False]
    assert bodies == [b"<first/>", b"<second/>"]
