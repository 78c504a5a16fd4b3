"""Proxies: configured, from the environment, and not for this machine."""

from __future__ import annotations

import ssl
from base64 import b64encode

import pytest

from tests.servers.tls import Certificate
from tests.unit.net.conftest import Desk
from tests.unit.net.server import Line, reply
from windrow.errors import ConfigError, TooLarge, Unreachable
from windrow.net.address import parse_address, proxy_for


def test_a_forwarding_proxy_gets_the_whole_address_and_its_own_login(desk: Desk) -> None:
    proxy = desk.serve(reply(b"<proxied/>"))
    client = desk.client(proxy=f"http://me:p%40ss@{proxy.key}", username="u", password="p")
    answer = client.get("http://repository.invalid/oai?verb=Identify")
    assert answer.body == b"<proxied/>"
    request = proxy.requests[0]
    assert request.target == "http://repository.invalid/oai?verb=Identify"
    assert request.headers["host"] == "repository.invalid"
    assert request.headers["proxy-authorization"] == f"Basic {b64encode(b'me:p@ss').decode()}"
    assert request.headers["authorization"] == f"Basic {b64encode(b'u:p').decode()}"


def tunnel(line: Line) -> None:
    line.send(b"HTTP/1.1 200 OK\r\nVia: 1.1 proxy\r\n\r\n")
    line.relay(int(line.request.target.rpartition(":")[2]))


@pytest.mark.parametrize("is_tls", [False, True], ids=["http proxy", "https proxy"])
def test_tls_goes_through_a_tunnel_that_is_kept(
    desk: Desk, tls: ssl.SSLContext, certificate: Certificate, is_tls: bool
) -> None:
    server = desk.serve(reply(b"<safe/>"), tls=tls)
    proxy = desk.serve(tunnel, tls=tls if is_tls else None)
    scheme = "https" if is_tls else "http"
    client = desk.client(proxy=f"{scheme}://me:p%40ss@{proxy.key}", ca_file=str(certificate.chain))
    assert [client.get(server.url).body for _ in "12"] == [b"<safe/>"] * 2
    assert (server.connections, proxy.connections) == (1, 1)
    asked = proxy.requests[0]
    assert (asked.method, asked.target) == ("CONNECT", server.key)
    assert asked.headers["proxy-authorization"] == f"Basic {b64encode(b'me:p@ss').decode()}"
    assert all("proxy-authorization" not in request.headers for request in server.requests)
    assert {request.target for request in server.requests} == {"/oai"}


def test_a_certificate_is_checked_through_a_tunnel(desk: Desk, tls: ssl.SSLContext) -> None:
    server, proxy = desk.serve(reply(), tls=tls), desk.serve(tunnel)
    with pytest.raises(Unreachable, match="server's certificate is not trusted"):
        desk.client(proxy=f"http://{proxy.key}").get(server.url)
    assert server.requests == []


def test_a_proxy_over_tls_forwards_what_is_not_tls(
    desk: Desk, tls: ssl.SSLContext, certificate: Certificate
) -> None:
    proxy = desk.serve(reply(b"<proxied/>"), tls=tls)
    client = desk.client(proxy=f"https://{proxy.key}", ca_file=str(certificate.chain))
    assert client.get("http://repository.invalid/oai?a|b").body == b"<proxied/>"
    assert proxy.requests[0].target == "http://repository.invalid/oai?a|b"


def test_a_proxy_that_is_not_trusted_or_not_there_is_blamed(desk: Desk, tls: ssl.SSLContext) -> None:
    proxy = desk.serve(reply(), tls=tls)
    for address in (f"https://{proxy.key}", "http://127.0.0.1:1"):
        with pytest.raises(Unreachable, match="the proxy cannot be reached"):
            desk.client(proxy=address, attempts=1).get("http://repository.invalid/oai")


def test_a_proxy_that_never_ends_its_headers_ends_at_the_limit(desk: Desk) -> None:
    def endless(line: Line) -> None:
        line.send(b"HTTP/1.1 200 OK\r\n")
        while not line.stopped.is_set():
            line.send(b"X: a\r\n" * 1000)

    proxy = desk.serve(endless)
    client = desk.client(proxy=f"http://{proxy.key}", attempts=1, max_response_bytes=1000)
    with pytest.raises((Unreachable, TooLarge)):
        client.get("https://repository.invalid/oai")


def test_tls_goes_through_a_tunnel_that_the_proxy_may_deny(desk: Desk) -> None:
    def deny(line: Line) -> None:
        line.send(b"HTTP/1.1 403 Forbidden\r\n\r\n")
        line.hang_up()

    proxy = desk.serve(deny)
    with pytest.raises(Unreachable, match="proxy") as caught:
        desk.client(proxy=f"http://me:hush@{proxy.key}", attempts=1).get("https://repository.invalid/oai")
    assert (proxy.requests[0].method, proxy.requests[0].target) == ("CONNECT", "repository.invalid:443")
    assert "authorization" not in proxy.requests[0].headers
    assert "hush" not in str(caught.value)


@pytest.mark.parametrize(
    ("environment", "url", "proxy"),
    [
        ({}, "http://a.example/", None),
        ({"HTTP_PROXY": "http://p:1"}, "http://a.example/", "http://p:1"),
        ({"http_proxy": "p:1"}, "http://a.example/", "http://p:1"),
        ({"HTTP_PROXY": "http://p:1"}, "https://a.example/", None),
        ({"HTTPS_PROXY": "http://p:1"}, "https://a.example/", "http://p:1"),
        ({"ALL_PROXY": "http://p:1"}, "https://a.example/", "http://p:1"),
        ({"HTTP_PROXY": "http://p:1", "NO_PROXY": "b.example,.a.example"}, "http://x.a.example/", None),
        ({"HTTP_PROXY": "http://p:1", "NO_PROXY": "*"}, "http://a.example/", None),
        ({"HTTP_PROXY": "http://p:1"}, "http://127.0.0.1:8080/", None),
        ({"HTTP_PROXY": "http://p:1"}, "http://[::1]/", None),
        ({"HTTP_PROXY": "http://p:1"}, "http://localhost/", None),
    ],
)
def test_the_environment_says_which_proxy(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], url: str, proxy: str | None
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert proxy_for(parse_address(url), None) == proxy


@pytest.mark.parametrize("proxy", ["socks5://u:hush@p:1", "http://", "http://p:hush@x:y", "p"])
def test_what_is_no_http_proxy_is_refused_unshown(proxy: str) -> None:
    with pytest.raises(ConfigError, match="proxy") as caught:
        proxy_for(parse_address("http://a.example/"), proxy)
    assert "hush" not in str(caught.value)


def test_interim_responses_of_a_proxy_are_read_past(desk: Desk) -> None:
    proxy = desk.serve(b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" * 3 + reply(b"<proxied/>"))
    client = desk.client(proxy=f"http://{proxy.key}", attempts=1)
    assert client.get("http://repository.invalid/oai?verb=Identify").body == b"<proxied/>"
