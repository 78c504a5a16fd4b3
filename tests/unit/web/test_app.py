from __future__ import annotations

import json
import logging
import socket
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from tests.servers.asgi import AsgiServer
from tests.unit.web.stage import BROWSER, Repository, staged
from windrow import __version__
from windrow.errors import StoreError
from windrow.serve.http_protocol import BoundedProtocol
from windrow.web.app import ServerOptions, WebApplication
from windrow.web.http.access_log import AccessLog
from windrow.web.http.rate_limits import RequestLimits
from windrow.web.layout.site import SiteAddress

IDENTIFY = "/oai?verb=Identify"
STRANGER = {"X-Forwarded-For": "203.0.113.7"}


def _fail(_pairs: Sequence[tuple[str, str]]) -> bytes:
    raise StoreError("/srv/library/windrow.db cannot be used: disk I/O error")


def _crash(_pairs: Sequence[tuple[str, str]]) -> bytes:
    raise ZeroDivisionError("a secret detail")


@pytest.mark.parametrize("headers", [{}, BROWSER])
def test_a_library_that_cannot_be_read_says_come_back_later(headers: Mapping[str, str]) -> None:
    with staged(Repository(say=_fail)) as server:
        got = server.ask(IDENTIFY, headers=headers)
    assert got.status == 503
    assert got.headers["retry-after"] == "30"
    assert "windrow.db" not in got.text


def test_what_nobody_foresaw_is_logged_and_told_without_details(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR, "windrow.serve"), staged(Repository(say=_crash)) as server:
        got = server.ask(IDENTIFY)
        assert server.ask("/health").status == 200
    assert got.status == 500
    assert "secret" not in got.text
    assert "ZeroDivisionError" in caplog.text


def test_a_client_that_asks_too_often_is_told_when_to_come_back() -> None:
    manners = ServerOptions(limits=RequestLimits(per_second=0.5, burst=3))
    with staged(manners=manners) as server:
        assert [server.ask(IDENTIFY, headers=STRANGER).status for _ in range(4)] == [200, 200, 200, 503]
        refused = server.ask(IDENTIFY, headers=STRANGER)
        other = server.ask(IDENTIFY, headers={"X-Forwarded-For": "203.0.113.8"})
        health = server.ask("/health", headers=STRANGER)
    assert refused.headers["retry-after"] == "2"
    assert refused.headers["content-type"].startswith("text/plain")
    assert "connection" not in refused.headers
    assert (other.status, health.status) == (200, 200)


def test_what_asks_on_this_machine_is_not_limited() -> None:
    with staged(manners=ServerOptions(limits=RequestLimits(per_second=0.5, burst=1))) as server:
        assert {server.ask(IDENTIFY).status for _ in range(5)} == {200}


def test_a_stranger_cannot_pass_for_another_by_a_header() -> None:
    manners = ServerOptions(limits=RequestLimits(per_second=0.5, burst=1), trusted_proxies=())
    with staged(manners=manners) as server:
        statuses = [
            server.ask(IDENTIFY, headers={"X-Forwarded-For": f"203.0.113.{n}"}).status for n in range(2)
        ]
    assert statuses == [200, 503]


def test_the_health_of_the_server_is_the_librarys() -> None:
    with staged() as server:
        got = server.ask("/health")
    assert (got.status, json.loads(got.body)) == (200, {"status": "ok", "version": __version__})

    def look() -> Mapping[str, object]:
        raise StoreError("gone")

    with staged(look=look) as server:
        got = server.ask("/health")
    assert (got.status, json.loads(got.body)["status"]) == (503, "unavailable")


def test_robots_are_told_where_to_harvest() -> None:
    with staged() as server:
        got = server.ask("/robots.txt")
    assert got.text.splitlines()[0] == "# OAI-PMH: https://library.example/oai"
    assert got.headers["content-type"].startswith("text/plain")


def test_crawlers_are_kept_out_of_what_can_be_combined_without_end() -> None:
    with staged(path="/windrow") as server:
        rules = server.ask("/robots.txt").text.splitlines()[1:]
    assert rules[0] == "User-agent: *"
    for path in ("/search", "/suggest", "/api/", "/statistics/*?"):
        assert f"Disallow: /windrow{path}" in rules
    assert not [
        rule for rule in rules if rule.startswith(("Disallow: /windrow/record/o", "Disallow: /windrow/ "))
    ]


@pytest.mark.parametrize(
    "path", ["/nothing", "/oai2", "/.git/config", "/static/../app.py", "/static/x.css", "/%00"]
)
def test_where_nothing_is_a_page_leads_back(path: str) -> None:
    with staged() as server:
        got, plain = server.ask(path, headers=BROWSER), server.ask(path)
    assert (got.status, plain.status) == (404, 404)
    assert 'href="/"' in got.text
    assert plain.headers["content-type"].startswith("text/plain")


@pytest.mark.parametrize("page", ["/oai", "/nothing", "/oai/other"])
def test_every_page_has_a_style_sheet_that_may_be_kept_for_ever(page: str) -> None:
    with staged(path="/windrow") as server:
        text = server.ask(page, headers=BROWSER).text
        path = text.partition('<link rel="stylesheet" href="')[2].partition('"')[0]
        got = server.ask(path)
        stripped = server.ask(path.removeprefix("/windrow"))
    assert (got.status, got.headers["content-type"]) == (200, "text/css; charset=utf-8")
    assert "immutable" in got.headers["cache-control"]
    assert stripped.body == got.body


@pytest.mark.parametrize("path", ["/", "/oai?verb=Identify", "/nothing", "/health", "/robots.txt"])
@pytest.mark.parametrize("headers", [{}, BROWSER])
def test_no_answer_may_be_guessed_at_framed_or_tell_where_one_came_from(
    path: str, headers: Mapping[str, str]
) -> None:
    with staged() as server:
        got = server.ask(path, headers=headers)
    assert got.headers["x-content-type-options"] == "nosniff"
    assert got.headers["referrer-policy"] == "no-referrer"
    assert "frame-ancestors 'none'" in got.headers["content-security-policy"]
    assert "server" not in got.headers or "windrow" not in got.headers["server"]


@pytest.mark.parametrize("path", ["/windrow/oai?verb=Identify", "/oai?verb=Identify"])
def test_it_does_not_matter_whether_a_proxy_cuts_our_path_off(path: str) -> None:
    with staged(path="/windrow") as server:
        assert b"<Identify>" in server.ask(path).body
        assert server.ask("/windrow", headers=BROWSER).status == 200
        assert server.ask("/windrowoai?verb=Identify").status == 404


def test_addresses_come_from_the_settings_whatever_the_client_says() -> None:
    with staged() as server:
        got = server.ask(
            "/oai", headers={**BROWSER, "Host": "evil.example", "X-Forwarded-Host": "evil.example"}
        )
    assert "https://library.example/oai" in got.text
    assert "evil" not in got.text


def test_post_is_not_for_pages() -> None:
    with staged() as server:
        assert server.ask("/health", "POST", body=b"x").status == 405
        assert server.ask("/health", "DELETE").headers["allow"] == "GET, HEAD"


def test_the_log_has_a_line_for_each_request(tmp_path: Path) -> None:
    log = AccessLog(tmp_path / "access.log")
    with staged(access_log=log) as server:
        size = len(server.ask(IDENTIFY, headers={**STRANGER, "User-Agent": 'a"b\tc', "Referer": "r"}).body)
        server.ask("/nothing", "HEAD")
    log.close()
    first, second = (tmp_path / "access.log").read_text().splitlines()
    assert first.startswith("203.0.113.7 - - [")
    assert first.endswith(f'"GET /oai?verb=Identify HTTP/1.1" 200 {size} "r" "a\\x22b\\x09c"')
    assert '"HEAD /nothing HTTP/1.1" 404 - "-" "-"' in second


def test_a_large_answer_arrives_whole_and_weighs_on_the_gate_only_while_it_is_sent() -> None:
    body = b"<OAI-PMH>" + b"x" * 3_000_000 + b"</OAI-PMH>"
    manners = ServerOptions(limits=RequestLimits(bytes_in_all=1), is_compressing=False)
    with staged(Repository(say=lambda _: body), manners=manners) as server:
        assert server.ask(IDENTIFY).body == body
        assert server.ask(IDENTIFY).body == body


def test_while_slow_readers_hold_large_answers_others_are_told_to_wait() -> None:
    body = b"x" * 30_000_000
    manners = ServerOptions(limits=RequestLimits(bytes_in_all=1000), is_compressing=False)
    with staged(Repository(say=lambda _: body), manners=manners) as server:
        with socket.create_connection(("127.0.0.1", server.port), timeout=30) as slow:
            slow.sendall(b"GET /oai?verb=Identify HTTP/1.1\r\nHost: x\r\n\r\n")
            assert slow.recv(20).startswith(b"HTTP/1.1 200")
            assert server.ask(IDENTIFY).status == 503
            assert server.ask("/health").status == 200
        got = server.ask(IDENTIFY)
        while got.status == 503:  # until the server has seen that the slow one is gone
            got = server.ask(IDENTIFY)
    assert got.body == body


def _size(reader: socket.socket) -> int:
    """Read an answer to its end; return how much of it came."""
    size = 0
    try:
        while piece := reader.recv(1_000_000):
            size += len(piece)
    except ConnectionResetError:
        pass
    return size


def test_an_answer_that_nobody_reads_is_broken_off_when_others_need_its_place(
    caplog: pytest.LogCaptureFixture,
) -> None:
    body, now = b"x" * 30_000_000, [1000.0]
    manners = ServerOptions(limits=RequestLimits(bytes_in_all=1000), is_compressing=False)
    repository = Repository(say=lambda pairs: body if ("verb", "Identify") in pairs else b"<sets/>")
    with (
        staged(repository, manners=manners, clock=lambda: now[0], protocol=BoundedProtocol) as server,
        socket.create_connection(("127.0.0.1", server.port), timeout=30) as reader,
    ):
        reader.sendall(b"GET /oai?verb=Identify HTTP/1.1\r\nHost: x\r\n\r\n")
        assert reader.recv(20).startswith(b"HTTP/1.1 200")
        assert server.ask("/oai?verb=ListSets").status == 503
        now[0] += 60
        assert server.ask("/oai?verb=ListSets").status == 200
        assert _size(reader) < len(body)
    assert not caplog.records


def test_an_application_without_a_first_page_has_nothing_there() -> None:
    with AsgiServer(WebApplication({}, site=SiteAddress("http://a.example", "A"))) as server:
        assert server.ask("/").status == 404
