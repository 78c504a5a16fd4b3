"""The demo on HTTP."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from http.client import HTTPConnection, HTTPResponse
from urllib.parse import urlsplit

import pytest

from windrow.demo.thesis_repository import Repository
from windrow.demo.thesis_server import DemoServer

QUESTION = "verb=ListRecords&metadataPrefix=oai_dc"


@pytest.fixture
def server() -> Iterator[DemoServer]:
    with DemoServer(Repository(300)) as running:
        yield running


@pytest.fixture
def connection(server: DemoServer) -> Iterator[HTTPConnection]:
    address = urlsplit(server.url)
    opened = HTTPConnection(address.hostname or "", address.port, timeout=30)
    yield opened
    opened.close()


def get(connection: HTTPConnection, path: str, **headers: str) -> tuple[HTTPResponse, bytes]:
    connection.request(
        "GET", path, headers={name.replace("_", "-"): value for name, value in headers.items()}
    )
    response = connection.getresponse()
    return response, response.read()


def test_what_comes_over_http_is_what_the_repository_says(
    server: DemoServer, connection: HTTPConnection
) -> None:
    response, body = get(connection, f"/oai?{QUESTION}")
    assert response.status == 200
    assert response.getheader("Content-Type") == "text/xml; charset=UTF-8"
    assert body == server.answer(QUESTION)
    assert body.count(b"<record>") == 200


def test_one_connection_serves_many_requests(connection: HTTPConnection) -> None:
    get(connection, "/oai?verb=Identify")
    first = connection.sock
    get(connection, "/oai?verb=Identify")
    assert connection.sock is first
    assert first is not None


def test_gzip_is_given_when_asked_for(connection: HTTPConnection) -> None:
    _, plain = get(connection, f"/oai?{QUESTION}")
    response, zipped = get(connection, f"/oai?{QUESTION}", Accept_Encoding="gzip")
    assert response.getheader("Content-Encoding") == "gzip"
    assert gzip.decompress(zipped) == plain
    assert len(zipped) < len(plain) / 3


def test_a_form_by_post_is_answered_like_a_query(connection: HTTPConnection) -> None:
    _, by_get = get(connection, f"/oai?{QUESTION}")
    connection.request("POST", "/oai", QUESTION, {"Content-Type": "application/x-www-form-urlencoded"})
    assert connection.getresponse().read() == by_get


def test_an_enormous_form_is_refused_unread(connection: HTTPConnection) -> None:
    connection.request("POST", "/oai", headers={"Content-Length": "99999999999"})
    assert connection.getresponse().status == 413


def test_too_many_arguments_are_refused(connection: HTTPConnection) -> None:
    response, _ = get(connection, "/oai?" + "&".join(["a=b"] * 60))
    assert response.status == 400


def test_another_path_is_not_found(connection: HTTPConnection) -> None:
    response, _ = get(connection, "//[")
    assert response.status == 404


def test_time_passes_when_the_repository_is_replaced(server: DemoServer, connection: HTTPConnection) -> None:
    _, before = get(connection, "/oai?verb=ListRecords&metadataPrefix=oai_dc&from=2026-01-01")
    server.repository = server.repository.later()
    _, after = get(connection, "/oai?verb=ListRecords&metadataPrefix=oai_dc&from=2026-01-01")
    assert b"noRecordsMatch" in before
    assert b"<record>" in after


def test_the_server_stops_although_a_client_keeps_its_connection() -> None:
    with DemoServer(Repository(10)) as other:
        address = urlsplit(other.url)
        lingering = HTTPConnection(address.hostname or "", address.port, timeout=30)
        get(lingering, "/oai?verb=Identify")
    assert lingering.sock is not None
    assert lingering.sock.recv(1) == b""
    lingering.close()


def test_a_server_that_does_not_run_has_no_address() -> None:
    with pytest.raises(RuntimeError, match="with"):
        _ = DemoServer().url
