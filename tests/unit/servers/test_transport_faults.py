"""Faults below the protocol, seen on the wire."""

from __future__ import annotations

import socket
from email.utils import parsedate_to_datetime
from http.client import IncompleteRead, RemoteDisconnected

import pytest

from tests.servers.fault import Fault
from tests.servers.faults.transport import Busy, Failing, HalfBody, RedirectTo, SlowFirstByte
from tests.servers.items import make_items
from tests.servers.oai import OaiServer
from tests.unit.servers.asking import WAIT_SECONDS, ask, code, fetch, harvest, list_records, numbers

FIRST = {"verb": "ListRecords", "metadataPrefix": "oai_dc"}


def server_with(*faults: Fault | str) -> OaiServer:
    return OaiServer(make_items(12), *faults, page_size=5)


@pytest.mark.parametrize("status", [503, 429])
def test_a_busy_server_says_how_long_in_seconds(status: int) -> None:
    with server_with(f"{status} with seconds") as server:
        response, _ = ask(server, **FIRST)
        assert response.status == status
        assert response.getheader("Retry-After") == "1"
        assert len(numbers(harvest(server))) == 12


@pytest.mark.parametrize("status", [503, 429])
def test_a_busy_server_says_until_when(status: int) -> None:
    with server_with(f"{status} with a date") as server:
        response, _ = ask(server, **FIRST)
    assert response.status == status
    assert parsedate_to_datetime(response.getheader("Retry-After") or "").tzinfo is not None


def test_a_busy_server_may_say_nothing() -> None:
    with server_with("503 without Retry-After") as server:
        response, _ = ask(server, **FIRST)
    assert response.getheader("Retry-After") is None


@pytest.mark.parametrize("status", [500, 502, 504])
def test_a_server_error_strikes_once(status: int) -> None:
    with server_with(f"{status} once") as server:
        assert [ask(server, **FIRST)[0].status for _ in range(2)] == [status, 200]


def test_faults_strike_when_and_what_they_are_told_to() -> None:
    with server_with(Failing(500, times=2, skip=1, verbs=("ListRecords",))) as server:
        assert [ask(server, **FIRST)[0].status for _ in range(4)] == [200, 500, 500, 200]
        assert ask(server, verb="Identify")[0].status == 200


def test_a_reset_connection_is_reset() -> None:
    with server_with("reset") as server:
        with pytest.raises(ConnectionResetError) as caught:
            list_records(server)
        assert not isinstance(caught.value, RemoteDisconnected)  # that would be an orderly end
        assert numbers([list_records(server)]) == [0, 1, 2, 3, 4]


def test_a_silent_server_sends_nothing_until_it_stops() -> None:
    with server_with("never answers") as server:
        connection = socket.create_connection(("127.0.0.1", server.port), timeout=WAIT_SECONDS)
        connection.sendall(b"GET /oai?verb=ListRecords&metadataPrefix=oai_dc HTTP/1.1\r\n\r\n")
        server.wait_for_requests(1)
    with connection:
        assert connection.recv(1) == b""


def test_a_length_that_is_too_long_leaves_the_body_incomplete() -> None:
    with server_with("length too long") as server, pytest.raises(IncompleteRead):
        list_records(server)


def test_a_cut_connection_leaves_the_body_incomplete() -> None:
    with server_with("connection cut") as server, pytest.raises(IncompleteRead):
        list_records(server)


def test_a_reset_in_the_body_is_a_reset() -> None:
    with server_with("reset in the body") as server, pytest.raises(ConnectionResetError):
        list_records(server)


def test_half_the_document_comes_with_an_honest_length() -> None:
    with server_with(HalfBody(times=1)) as server:
        response, half = ask(server, **FIRST)
        whole = list_records(server)
    assert response.getheader("Content-Length") == str(len(half))
    assert whole.startswith(half)
    assert len(half) == len(whole) // 2


def test_an_empty_body_is_empty() -> None:
    with server_with("empty body") as server:
        response, body = ask(server, **FIRST)
    assert (response.status, body) == (200, b"")


def test_chunks_carry_the_whole_document() -> None:
    with server_with("chunked") as server:
        response, body = ask(server, **FIRST)
    assert response.getheader("Transfer-Encoding") == "chunked"
    assert numbers([body]) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("status", [422, 404, 500])
def test_an_error_has_a_status_and_good_xml(status: int) -> None:
    with server_with(f"errors as {status}") as server:
        response, body = ask(server, verb="ListRecords", metadataPrefix="mods")
        assert (response.status, code(body)) == (status, "cannotDisseminateFormat")
        assert ask(server, **FIRST)[0].status == 200


def test_xml_is_served_as_html() -> None:
    with server_with("XML as text/html") as server:
        response, body = ask(server, **FIRST)
    assert response.getheader("Content-Type") == "text/html"
    assert numbers([body]) == [0, 1, 2, 3, 4]


def test_a_page_for_people_comes_instead() -> None:
    with server_with("HTML page") as server:
        response, body = ask(server, verb="Identify")
    assert response.status == 200
    assert body.startswith(b"<!DOCTYPE html>")


def test_a_bot_wall_stands_before_everything() -> None:
    with server_with("bot wall") as server:
        response, _ = ask(server, verb="Identify")
    assert (response.status, response.getheader("cf-mitigated")) == (403, "challenge")


def test_a_redirect_loop_comes_back_to_where_it_began() -> None:
    with server_with("redirect loop") as server:
        there = ask(server, verb="Identify")[0].getheader("Location") or ""
        back = fetch(server, there)[0].getheader("Location")
    assert (there, back) == ("/there?verb=Identify", "/oai?verb=Identify")


def test_a_redirect_leads_to_another_host() -> None:
    with OaiServer(make_items(1)) as other, server_with(RedirectTo(other.url)) as server:
        response, _ = ask(server, verb="Identify")
        assert response.getheader("Location") == f"{other.url}?verb=Identify"


def test_what_moved_is_found_at_its_new_place() -> None:
    with server_with("moved permanently") as server:
        response, _ = ask(server, **FIRST)
        assert response.status == 301
        assert numbers([fetch(server, response.getheader("Location") or "")[1]]) == [0, 1, 2, 3, 4]


def test_a_slow_first_byte_waits_for_its_release() -> None:
    fault = SlowFirstByte()
    fault.release.set()
    with server_with(fault) as server:
        assert numbers([list_records(server)]) == [0, 1, 2, 3, 4]


def test_several_faults_are_on_at_once() -> None:
    with server_with(Busy(429, "3"), "errors as 422", "gzip in name only") as server:
        assert ask(server, **FIRST)[0].status == 429
        response, _ = ask(server, verb="ListRecords", metadataPrefix="mods")
    assert response.status == 422
    assert response.getheader("Content-Encoding") == "gzip"
