"""Redirects: followed within reason, and without carrying secrets elsewhere."""

from __future__ import annotations

import pytest

from tests.unit.net.conftest import Desk
from tests.unit.net.server import Line, reply
from windrow.errors import HttpRefused
from windrow.net.address import is_trusted, parse_address, resolve_redirect

GOOD = reply(b"<good/>")


def moved(location: str, status: str = "302 Found", **headers: str) -> bytes:
    return reply(b"<html>moved</html>", status, Location=location, **headers)


@pytest.mark.parametrize("status", ["301 X", "302 X", "303 X", "307 X", "308 X"])
def test_a_redirect_is_followed_on_the_same_connection(desk: Desk, status: str) -> None:
    server = desk.serve(moved("/new?verb=Identify", status), GOOD)
    answer = desk.client().get(server.url)
    assert answer.url == f"http://{server.key}/new?verb=Identify"
    assert (answer.body, answer.retries, server.connections) == (b"<good/>", 0, 1)


def test_a_location_in_raw_utf8_is_understood(desk: Desk) -> None:
    server = desk.serve(moved("/p\u00e9riodique".encode().decode("latin-1")), GOOD)
    desk.client().get(server.url)
    assert server.requests[1].target == "/p%C3%A9riodique"


def test_ten_redirects_are_followed(desk: Desk) -> None:
    server = desk.serve(*[moved(f"/{n}") for n in range(10)], GOOD)
    assert desk.client().get(server.url).url.endswith("/9")


def test_the_eleventh_redirect_is_refused(desk: Desk) -> None:
    server = desk.serve(*[moved(f"/{n}") for n in range(11)], GOOD)
    with pytest.raises(HttpRefused, match="more than 10 redirects"):
        desk.client().get(server.url)


def test_a_circle_is_refused(desk: Desk) -> None:
    server = desk.serve(moved("/b"), moved("/oai"))
    with pytest.raises(HttpRefused, match="circle"):
        desk.client().get(server.url)
    assert len(server.requests) == 2


def test_a_redirect_to_itself_with_a_cookie_is_no_circle(desk: Desk) -> None:
    server = desk.serve(moved("/oai", Set_Cookie="seen=1; Path=/"), GOOD)
    assert desk.client().get(server.url).body == b"<good/>"
    assert server.requests[1].headers["cookie"] == "seen=1"


@pytest.mark.parametrize(
    "location",
    [
        "ftp://example.org/",
        "file:///etc/passwd",
        "data:text/xml,<r/>",
        "javascript:alert(1)",
        "http://[bad/",
        "http://a b/",
    ],
)
def test_a_redirect_to_no_web_address_is_refused(desk: Desk, location: str) -> None:
    with pytest.raises(HttpRefused, match="not a web address"):
        desk.client().get(desk.serve(moved(location)).url)


def test_a_redirect_without_a_place_is_refused(desk: Desk) -> None:
    with pytest.raises(HttpRefused, match="without a place to go") as caught:
        desk.client().get(desk.serve(reply(b"", "302 Found")).url)
    assert caught.value.status == 302


def test_a_way_from_https_down_to_http_is_refused() -> None:
    with pytest.raises(HttpRefused, match=r"from https to http://example\.org/"):
        resolve_redirect(parse_address("https://example.org/oai"), 301, {"location": "http://example.org/"})


def test_secrets_stay_with_the_host_they_are_for(desk: Desk) -> None:
    other = desk.serve(GOOD)
    server = desk.serve(moved(other.url, Set_Cookie="session=1; Path=/"))
    desk.client(username="u", password="p", headers=(("X-Key", "k"),)).get(server.url)
    assert {"authorization", "x-key"} <= server.requests[0].headers.keys()
    assert not {"authorization", "x-key"} & other.requests[0].headers.keys()
    assert "user-agent" in other.requests[0].headers


def test_secrets_stay_through_a_redirect_on_their_host(desk: Desk) -> None:
    server = desk.serve(moved("/b"), GOOD)
    desk.client(headers=(("X-Key", "k"),)).get(server.url.replace("http://", "http://u:p@"))
    assert {"authorization", "x-key"} <= server.requests[1].headers.keys()


def test_credentials_a_redirect_brings_are_not_used(desk: Desk) -> None:
    server = desk.serve(lambda line: line.send(moved(f"http://evil:x@{_host(line)}/b")), GOOD)
    desk.client().get(server.url)
    assert "authorization" not in server.requests[1].headers


def _host(line: Line) -> str:
    return line.request.headers["host"]


@pytest.mark.parametrize(
    ("origin", "target", "trusted"),
    [
        ("https://a.org/", "https://a.org/x", True),
        ("http://a.org/", "https://a.org/x", True),
        ("http://a.org/", "http://a.org:8080/", False),
        ("http://a.org:8080/", "https://a.org/", False),
        ("https://a.org/", "https://b.a.org/", False),
        ("https://a.org/", "https://a.org.evil.example/", False),
    ],
)
def test_trust_goes_to_the_same_server_and_up_to_tls(origin: str, target: str, trusted: bool) -> None:
    assert is_trusted(parse_address(origin), parse_address(target)) is trusted


@pytest.mark.parametrize(
    ("statuses", "moved_to"),
    [
        (["301 X"], "/1"),
        (["308 X", "301 X"], "/2"),
        (["301 X", "302 X"], "/1"),
        (["302 X", "301 X"], None),
        (["303 X"], None),
        (["307 X"], None),
    ],
)
def test_an_answer_names_the_address_that_permanent_redirects_alone_lead_to(
    desk: Desk, statuses: list[str], moved_to: str | None
) -> None:
    server = desk.serve(*[moved(f"/{n}", status) for n, status in enumerate(statuses, 1)], GOOD)
    answer = desk.client().get(server.url)
    assert answer.moved_to == (moved_to and f"http://{server.key}{moved_to}")


ARGUMENTS = frozenset({"verb", "token"})


@pytest.mark.parametrize(
    ("location", "target"),
    [
        ("/oai", "/oai?page=oai&verb=List&token=a%7Cb+c"),
        ("/new", "/new?verb=List&token=a%7Cb+c"),
        ("/", "/?verb=List&token=a%7Cb+c"),
        ("/new?lang=en", "/new?lang=en&verb=List&token=a%7Cb+c"),
        ("/new?verb=List", "/new?verb=List&token=a%7Cb+c"),
        ("/new?verb=list&token=x", "/new?verb=list&token=x"),
    ],
)
def test_arguments_that_a_redirect_drops_are_put_back_as_they_were(
    desk: Desk, location: str, target: str
) -> None:
    server = desk.serve(moved(location, Set_Cookie="a=1; Path=/"), GOOD)
    answer = desk.client().get(f"{server.url}?page=oai&verb=List&token=a%7Cb+c", arguments=ARGUMENTS)
    assert server.requests[1].target == target
    assert (answer.dropped_by is not None) is (location != "/new?verb=list&token=x")


def test_a_redirect_without_query_is_followed_to_the_letter_where_no_argument_matters(desk: Desk) -> None:
    server = desk.serve(moved("/file.pdf"), GOOD, moved("/plain"), GOOD)
    desk.client().get(f"{server.url}?id=7", arguments=ARGUMENTS)
    desk.client().get(f"{server.url}?verb=7")
    assert [request.target for request in server.requests[1::2]] == ["/file.pdf", "/plain"]


def test_a_refusal_behind_a_redirect_that_dropped_the_query_says_so(desk: Desk) -> None:
    server = desk.serve(moved("/new", "301 X"), reply(b"<html/>", "404 X"))
    with pytest.raises(HttpRefused, match="HTTP 404") as caught:
        desk.client().get(f"{server.url}?verb=Identify", arguments=ARGUMENTS)
    assert "redirects there and drops the query" in caught.value.hint
