"""Cookies: kept for their host, path and time."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tests.unit.net.conftest import NOW, Desk
from tests.unit.net.server import reply
from windrow.net.address import parse_address
from windrow.net.client import MAX_COOKIES_PER_HOST, Cookies

HERE = parse_address("http://a.example/oai/request?x=1")


def sent(set_cookie: str, url: str, *, later: timedelta = timedelta()) -> str | None:
    cookies = Cookies()
    cookies.keep(HERE, [set_cookie], now=NOW)
    return cookies.header(parse_address(url), now=NOW + later)


def test_a_session_is_kept_over_requests(desk: Desk) -> None:
    server = desk.serve(reply(b"<a/>", Set_Cookie="JSESSIONID=abc; Path=/; HttpOnly"), reply())
    client = desk.client()
    client.get(server.url)
    client.get(server.url)
    assert "cookie" not in server.requests[0].headers
    assert server.requests[1].headers["cookie"] == "JSESSIONID=abc"


@pytest.mark.parametrize(
    ("set_cookie", "url", "header"),
    [
        ("a=1", "http://a.example/oai/other", "a=1"),
        ("a=1", "http://a.example/elsewhere", None),
        ("a=1; Path=/", "http://a.example/elsewhere", "a=1"),
        ("a=1; Path=/oa", "http://a.example/oai", None),
        ("a=1; Path=/; Domain=.example", "http://b.example/", None),
        ("a=1; Path=/; Secure", "http://a.example/", None),
        ("a=1; Path=/; Secure", "https://a.example/", "a=1"),
        ("a=1; Path=/; Max-Age=0", "http://a.example/", None),
        ("a=1; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "http://a.example/", None),
        ("a=1; Path=/; Expires=whenever", "http://a.example/", "a=1"),
        ("a=b=c; Path=/", "http://a.example/", "a=b=c"),
        ("nonsense", "http://a.example/oai/", None),
        ("a=\x01", "http://a.example/oai/", None),
        ("a=" + "x" * 5000, "http://a.example/oai/", None),
    ],
)
def test_a_cookie_goes_only_where_it_belongs(set_cookie: str, url: str, header: str | None) -> None:
    assert sent(set_cookie, url) == header


def test_a_cookie_lapses() -> None:
    assert sent("a=1; Max-Age=60", HERE.url, later=timedelta(seconds=59)) == "a=1"
    assert sent("a=1; Max-Age=60", HERE.url, later=timedelta(seconds=61)) is None


def test_a_cookie_is_replaced_and_taken_back() -> None:
    cookies = Cookies()
    cookies.keep(HERE, ["a=1", "a=2", "b=1", "b=; Max-Age=-1"], now=NOW)
    assert cookies.header(HERE, now=NOW) == "a=2"


def test_a_flood_of_cookies_is_bounded() -> None:
    cookies = Cookies()
    cookies.keep(HERE, [f"c{n}=1" for n in range(1000)], now=NOW)
    header = cookies.header(HERE, now=NOW)
    assert header is not None
    assert len(header.split("; ")) == MAX_COOKIES_PER_HOST
