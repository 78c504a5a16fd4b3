"""The common way: a request, an answer, a connection that is used again."""

from __future__ import annotations

import subprocess
import sys
from base64 import b64encode

import pytest

from tests.unit.net.conftest import Desk
from tests.unit.net.server import Line, reply
from windrow import __version__
from windrow.errors import ConfigError, UsageError


def test_an_answer_carries_its_body_status_headers_and_sizes(desk: Desk) -> None:
    server = desk.serve(reply(b"<OAI-PMH/>", Content_Type="text/xml"))
    answer = desk.client().get(f"{server.url}?verb=Identify")
    assert (answer.status, answer.body, answer.wire_bytes, answer.retries) == (200, b"<OAI-PMH/>", 10, 0)
    assert answer.headers["CONTENT-type"] == "text/xml"
    assert answer.url == f"{server.url}?verb=Identify"
    assert answer.seconds > 0
    assert desk.slept == []


def test_one_connection_serves_many_requests(desk: Desk) -> None:
    server = desk.serve(reply())
    client = desk.client()
    for page in range(5):
        client.get(f"{server.url}?page={page}")
    assert server.connections == 1
    assert len(server.requests) == 5


def test_a_client_that_was_closed_opens_a_new_connection(desk: Desk) -> None:
    server = desk.serve(reply())
    client = desk.client()
    client.get(server.url)
    client.close()
    client.get(server.url)
    assert server.connections == 2


def test_a_chunked_answer_is_put_together(desk: Desk) -> None:
    chunks = b"3\r\n<r>\r\n5;note=1\r\nhello\r\n4\r\n</r>\r\n0\r\nTrailer: x\r\n\r\n"
    server = desk.serve(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks)
    client = desk.client()
    assert client.get(server.url).body == b"<r>hello</r>"
    client.get(server.url)
    assert server.connections == 1


def test_an_answer_that_ends_with_the_connection_is_whole(desk: Desk) -> None:
    def script(line: Line) -> None:
        line.send(b"HTTP/1.0 200 OK\r\n\r\n<r>old</r>")
        line.hang_up()

    assert desk.client().get(desk.serve(script).url).body == b"<r>old</r>"


def test_the_request_says_who_we_are_and_what_we_read(desk: Desk) -> None:
    server = desk.serve(reply())
    desk.client().get(server.url)
    sent = server.requests[0].headers
    assert sent["user-agent"] == f"Windrow/{__version__}"
    assert sent["accept-encoding"] == "gzip, deflate, zstd"
    assert "authorization" not in sent


def test_the_target_travels_as_it_was_written(desk: Desk) -> None:
    server = desk.serve(reply())
    desk.client().get(f"{server.url}?resumptionToken=a!b|c==&x=%2f+y z\u00e9#part")
    assert server.requests[0].target == "/oai?resumptionToken=a!b|c==&x=%2f+y%20z%C3%A9"


def test_configured_headers_replace_ours_whatever_their_case(desk: Desk) -> None:
    server = desk.serve(reply())
    desk.client(headers=(("USER-AGENT", "other"), ("X-Key", "k"))).get(server.url)
    assert server.requests[0].headers["user-agent"] == "other"
    assert server.requests[0].headers["x-key"] == "k"


def test_a_header_that_http_cannot_carry_is_refused_without_showing_it(desk: Desk) -> None:
    with pytest.raises(ConfigError, match="'X-Key'") as caught:
        desk.client(headers=(("X-Key", "secret\r\nX-Other: 1"),)).get("http://127.0.0.1:1/")
    assert "secret" not in str(caught.value)


def test_credentials_come_from_the_settings(desk: Desk) -> None:
    server = desk.serve(reply())
    desk.client(username="reader", password="pässword").get(server.url)
    expected = b64encode("reader:pässword".encode()).decode()
    assert server.requests[0].headers["authorization"] == f"Basic {expected}"


def test_credentials_in_the_address_win_and_are_shown_nowhere(desk: Desk) -> None:
    server = desk.serve(reply())
    url = server.url.replace("http://", "http://me:p%40ss@")
    answer = desk.client(username="reader", password="other").get(url)
    assert server.requests[0].headers["authorization"] == f"Basic {b64encode(b'me:p@ss').decode()}"
    assert answer.url == server.url
    assert "p@ss" not in repr(answer)


@pytest.mark.parametrize(
    "url", ["ftp://example.org/", "file:///etc/passwd", "example.org", "", "http://", "http:/x"]
)
def test_only_web_addresses_are_fetched(desk: Desk, url: str) -> None:
    with pytest.raises(UsageError):
        desk.client().get(url)


def test_importing_the_client_loads_no_http_library() -> None:
    code = "import sys, windrow.net; sys.exit('urllib3' in sys.modules or 'zstandard' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
