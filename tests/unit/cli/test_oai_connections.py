"""The OAI-PMH front end on the connections of the server: one request after another, and many in one go."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator, Mapping, Sequence
from http.client import HTTPResponse
from pathlib import Path
from typing import Self

import pytest

from tests.servers.asgi import WAIT_SECONDS, AsgiServer, Got
from tests.unit.web.stage import BROWSER, Repository, home
from windrow.errors import StoreError
from windrow.serve.http_protocol import BoundedProtocol
from windrow.web.app import WHOLE_BYTES, ServerOptions, WebApplication
from windrow.web.http.access_log import AccessLog
from windrow.web.http.rate_limits import RequestLimits
from windrow.web.layout.site import SiteAddress
from windrow.web.oai.oai_front_end import OaiFrontEnd

ONE = "/oai?verb=GetRecord&metadataPrefix=oai_dc&identifier="
HEAD = "Host: x\r\n\r\n"
STRANGER = {"X-Forwarded-For": "203.0.113.7"}


def _serve(application: WebApplication, *, protocol: type[BoundedProtocol] = BoundedProtocol) -> AsgiServer:
    return AsgiServer(application, protocol=protocol)


def _noting(lines: list[BoundedProtocol]) -> type[BoundedProtocol]:
    """A protocol whose connections are kept here to be looked at."""

    class Noted(BoundedProtocol):
        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            lines.append(self)

    return Noted


class _Line:
    """A connection that is kept: one request, one answer, and so on."""

    def __init__(self, server: AsgiServer) -> None:
        self._server = server

    def __enter__(self) -> Self:
        self._socket = socket.create_connection(("127.0.0.1", self._server.port), timeout=WAIT_SECONDS)
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def send(self, sent: str) -> None:
        self._socket.sendall(sent.encode())

    def ask(self, sent: str) -> Got:
        self.send(sent)
        answer = HTTPResponse(self._socket)
        answer.begin()
        return Got(answer.status, answer.read(), {name.lower(): value for name, value in answer.getheaders()})

    def read(self) -> bytes:
        """Take in everything until the server hangs up."""
        with self._socket.makefile("rb") as stream:
            return stream.read()


def _app(
    repository: Repository | None = None,
    *,
    manners: ServerOptions | None = None,
    access_log: AccessLog | None = None,
) -> WebApplication:
    site = SiteAddress("https://library.example", "Theses & more")
    face = OaiFrontEnd(repository or Repository(), site=site)
    return WebApplication(
        {"": home, "oai": face}, site=site, manners=manners, access_log=access_log, clock=lambda: 0.0
    )


def _identifier() -> str:
    demo = Repository().demo
    answer = demo.answer([("verb", "ListIdentifiers"), ("metadataPrefix", "oai_dc")]).decode()
    return answer.partition("<identifier>")[2].partition("<")[0]


@pytest.fixture(scope="module")
def both() -> Iterator[tuple[AsgiServer, AsgiServer]]:
    """The same application behind uvicorn's own protocol and behind ours."""
    with AsgiServer(_app()) as usual, _serve(_app()) as ours:
        yield usual, ours


@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "PUT"])
@pytest.mark.parametrize(
    "path",
    [
        ONE + _identifier(),
        ONE + _identifier().replace(":", "%3A"),
        ONE + "oai:nobody:1",
        ONE + "a%20b&until=x",
        ONE.replace("/oai", "/oai/demo") + _identifier(),
        ONE.replace("/oai", "/oai/") + _identifier(),
        ONE.replace("/oai", "/oai/nobody") + _identifier(),
        ONE.replace("/oai", "/oai/-/xml") + _identifier(),
        ONE.replace("/oai", "/o%61i") + _identifier(),
        ONE.replace("/oai", "/elsewhere") + _identifier(),
        ONE + "x" * 17_000,
        "/oai?verb=GetRecord",
        "/oai?verb=Identify",
    ],
)
@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Accept-Encoding": "gzip"},
        {"Accept-Encoding": "zstd"},
        BROWSER,
        {"Authorization": "Basic YTpi"},
        {"Connection": "close"},
        {"Connection": "Upgrade", "Upgrade": "websocket"},
    ],
)
def test_an_answer_is_the_one_that_uvicorn_alone_would_send(
    both: tuple[AsgiServer, AsgiServer], method: str, path: str, headers: Mapping[str, str]
) -> None:
    usual, ours = (_comparable(server.ask(path, method, headers=headers)) for server in both)
    assert ours == usual


def test_the_rate_of_one_client_is_limited() -> None:
    manners = ServerOptions(limits=RequestLimits(per_second=0.5, burst=3))
    with _serve(_app(manners=manners)) as server:
        got = [server.ask(ONE + _identifier(), headers=STRANGER) for _ in range(5)]
    assert [each.status for each in got] == [200, 200, 200, 503, 503]
    assert got[-1].headers["retry-after"] == "2"


def test_what_goes_wrong_is_told_as_ever() -> None:
    def fail(_pairs: Sequence[tuple[str, str]]) -> bytes:
        raise StoreError("/srv/library/windrow.db cannot be used: disk I/O error")

    with _serve(_app(Repository(say=fail))) as server:
        got = server.ask(ONE + _identifier())
    assert (got.status, got.headers["retry-after"]) == (503, "30")


def test_a_large_record_goes_at_the_pace_of_its_reader() -> None:
    large = b"<x>" * WHOLE_BYTES
    with _serve(_app(Repository(say=lambda _pairs: large))) as server:
        assert server.ask(ONE + _identifier()).body == large


def test_a_large_record_counts_once() -> None:
    manners, large = ServerOptions(limits=RequestLimits(per_second=0.5, burst=3)), b"<x>" * WHOLE_BYTES
    with _serve(_app(Repository(say=lambda _pairs: large), manners=manners)) as server:
        got = [server.ask(ONE + _identifier(), headers=STRANGER).status for _ in range(5)]
    assert got == [200, 200, 200, 503, 503]


def test_each_answer_is_in_the_log_once(tmp_path: Path) -> None:
    written = tmp_path / "access.log"
    with _serve(_app(access_log=AccessLog(written))) as server:
        server.ask(ONE + _identifier())
        server.ask("/oai?verb=Identify")
    lines = written.read_text().splitlines()
    assert len(lines) == 2
    assert "verb=GetRecord" in lines[0]


def test_requests_sent_in_one_go_are_answered_in_their_order() -> None:
    first = f"GET {ONE}{_identifier()} HTTP/1.1\r\nHost: x\r\n\r\n"
    other = "GET /oai?verb=Identify HTTP/1.1\r\nHost: x\r\n\r\n"
    last = f"GET {ONE}{_identifier()} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    with _serve(_app()) as server:
        received = _exchange(server, (first + other + first + first + other + last).encode())
    parts = received.split(b"HTTP/1.1 200 OK")[1:]
    assert [b"<Identify>" in part for part in parts] == [False, True, False, False, True, False]
    assert [b"<GetRecord>" in part for part in parts] == [True, False, True, True, False, True]


def test_large_answers_to_requests_sent_in_one_go_are_whole() -> None:
    body = b"<GetRecord>" + b"x" * 50_000
    asked = f"GET {ONE}{_identifier()} HTTP/1.1\r\n{HEAD}"
    last = f"GET {ONE}{_identifier()} HTTP/1.1\r\nConnection: close\r\n{HEAD}"
    with _serve(_app(Repository(say=lambda _pairs: body))) as server:
        assert _exchange(server, (asked * 20 + last).encode()).count(body) == 21


def test_a_get_with_a_body_does_not_spoil_the_next_request() -> None:
    first = f"GET {ONE}{_identifier()} HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nHello"
    last = f"GET {ONE}{_identifier()} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    with _serve(_app()) as server:
        received = _exchange(server, (first + last).encode())
    assert received.count(b"HTTP/1.1 200 OK") == received.count(b"<GetRecord>") == 2


def test_a_client_of_http_1_0_is_not_kept() -> None:
    with _serve(_app()) as server:
        received = _exchange(server, f"GET {ONE}{_identifier()} HTTP/1.0\r\n\r\n".encode())
    assert b"connection: close\r\n" in received
    assert received.count(b"<GetRecord>") == 1


def test_requests_that_differ_in_their_first_line_alone_are_answered_as_others_are() -> None:
    other = ONE + "oai:nobody:1"
    with _serve(_app()) as server, _Line(server) as line:
        for path in (ONE + _identifier(), other, ONE + _identifier(), "/oai?verb=Identify", other, "/"):
            got, alone = line.ask(f"GET {path} HTTP/1.1\r\n{HEAD}"), server.ask(path)
            assert (got.status, _undated(got.body)) == (alone.status, _undated(alone.body))


def test_another_head_on_the_same_line_counts() -> None:
    plain, path = f"GET {ONE}{_identifier()} HTTP/1.1\r\n{HEAD}", ONE + _identifier()
    with _serve(_app()) as server, _Line(server) as line:
        line.ask(plain)
        packed = line.ask(f"GET {path} HTTP/1.1\r\nAccept-Encoding: gzip\r\n{HEAD}")
        page = line.ask(f"GET {path} HTTP/1.1\r\nAccept: text/html\r\n{HEAD}")
        bare = line.ask(f"GET {path} HTTP/1.1\r\nHost: y\r\n\r\n")
        again = line.ask(plain)
    assert packed.headers["content-encoding"] == "gzip"
    assert page.headers["content-type"].startswith("text/html")
    assert "content-encoding" not in bare.headers
    assert again.headers["content-type"].startswith("text/xml")


@pytest.mark.parametrize(
    "line",
    [
        "GET {path} HTTP/1.0",
        "POST {path} HTTP/1.1",
        "GET {path}#x HTTP/1.1",
        "GET {path}\x01 HTTP/1.1",
        "GET http://x{path} HTTP/1.1",
        "GET {path} HTTP/1.1 ",
        "nonsense",
    ],
)
def test_another_first_line_is_judged_as_if_it_were_the_first_request(line: str) -> None:
    path = ONE + _identifier()
    sent = f"{line.format(path=path)}\r\n{HEAD}"
    with _serve(_app()) as server:
        with _Line(server) as fresh:
            first = fresh.ask(sent)
        with _Line(server) as used:
            used.ask(f"GET {path} HTTP/1.1\r\n{HEAD}")
            used.ask(f"GET {path} HTTP/1.1\r\n{HEAD}")
            later = used.ask(sent)
    assert (later.status, _undated(later.body)) == (first.status, _undated(first.body))


def test_a_request_in_two_pieces_is_answered_after_others_came_in_one() -> None:
    whole = f"GET {ONE}{_identifier()} HTTP/1.1\r\n{HEAD}"
    with _serve(_app()) as server, _Line(server) as line:
        for _ in range(2):
            assert b"<GetRecord>" in line.ask(whole).body
        for cut in (5, len(whole) - len(HEAD), len(whole) - 1):
            line.send(whole[:cut])
            server.ask("/")  # so that the first piece has been taken in when the rest comes
            assert b"<GetRecord>" in line.ask(whole[cut:]).body
        assert b"<GetRecord>" in line.ask(whole).body


def test_the_rate_of_one_client_is_limited_on_one_connection_too(tmp_path: Path) -> None:
    manners, written = ServerOptions(limits=RequestLimits(per_second=0.5, burst=3)), tmp_path / "access.log"
    asked = f"GET {ONE}{_identifier()} HTTP/1.1\r\nX-Forwarded-For: 203.0.113.7\r\n{HEAD}"
    with _serve(_app(manners=manners, access_log=AccessLog(written))) as server, _Line(server) as line:
        assert [line.ask(asked).status for _ in range(5)] == [200, 200, 200, 503, 503]
    lines = written.read_text().splitlines()
    assert [entry.partition(" ")[0] for entry in lines] == ["203.0.113.7"] * 5


def test_a_connection_that_was_just_used_is_not_idle() -> None:
    lines: list[BoundedProtocol] = []
    asked = f"GET {ONE}{_identifier()} HTTP/1.1\r\n{HEAD}"
    with _serve(_app(), protocol=_noting(lines)) as server, _Line(server) as line:
        line.ask(asked)
        before = lines[0]._progress()
        line.ask(asked)
        assert lines[0]._progress().is_beyond(before)


def _comparable(got: Got) -> tuple[int, bytes, dict[str, str]]:
    headers = {name: value for name, value in got.headers.items() if name != "date"}
    return got.status, _undated(got.body), headers


def _undated(body: bytes) -> bytes:
    head, date, rest = body.partition(b"<responseDate>")
    return head + date + rest.partition(b"<")[2]


def _exchange(server: AsgiServer, sent: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", server.port), timeout=WAIT_SECONDS) as client:
        client.sendall(sent)
        received = []
        while piece := client.recv(65536):
            received.append(piece)
    return b"".join(received)
