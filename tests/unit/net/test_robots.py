"""A provider's robots.txt: what it allows, and what its absence, its faults and its length mean."""

from __future__ import annotations

import pytest

from tests.servers.http import Reply, ScriptedServer
from windrow.errors import TooLarge, Unreachable, UpstreamBusy, UpstreamError
from windrow.net.client import HttpClient
from windrow.net.http_settings import HttpSettings
from windrow.net.robots_rules import (
    MAX_DELAY_SECONDS,
    MAX_ROBOTS_BYTES,
    RobotsRules,
    condense_rules,
    fetch_robots,
    robots_address,
)

OAI = "https://hay.example/oai?verb=GetRecord&identifier=oai%3Ahay%3A1&metadataPrefix=oai_dc"
NOT_US = "User-agent: otherbot\nDisallow: /\n"


@pytest.mark.parametrize(
    ("text", "is_allowed"),
    [
        ("", True),
        ("User-agent: *\nDisallow: /oai", False),
        ("User-agent: *\nDisallow: /oaix", True),
        ("user-AGENT: Windrow\nDisallow: /", False),
        (NOT_US, True),
        (f"{NOT_US}\nUser-agent: *\nAllow: /", True),
        ("User-agent: otherbot\nUser-agent: windrow\nDisallow: /", False),
        ("User-agent: *\nDisallow: /\n\nUser-agent: windrow\nAllow: /oai", True),
        ("User-agent: *\nDisallow: /*?verb=", False),
        ("User-agent: *\nDisallow: /\nAllow: /oai", True),
        ("<html><body>not here</body></html>", True),
    ],
)
def test_the_rules_for_us_or_else_for_all_hold(text: str, is_allowed: bool) -> None:
    assert RobotsRules(text).allows(OAI) is is_allowed


def test_the_pause_is_the_one_for_us_within_reason() -> None:
    assert RobotsRules("").delay_seconds == 0.0
    assert RobotsRules("User-agent: *\nCrawl-delay: 2.5").delay_seconds == 2.5
    assert RobotsRules("User-agent: x\nCrawl-delay: 2.5").delay_seconds == 0.0
    assert RobotsRules("User-agent: *\nCrawl-delay: 86400").delay_seconds == MAX_DELAY_SECONDS


def test_thousands_of_robots_over_thousands_of_rules_stay_one() -> None:
    agents = "".join(f"User-agent: bot{number}\n" for number in range(10_000))
    rules = "".join(f"Disallow: /{number}\n" for number in range(10_000))
    text = condense_rules(agents + rules + "User-agent: windrow\nDisallow: /oai\n")
    names = {line for line in text.splitlines() if line.lower().startswith("user-agent")}
    assert names == {"User-agent: -", "User-agent: windrow"}
    assert not RobotsRules(text).allows(OAI)


def test_its_address_is_at_the_root_without_a_users_name() -> None:
    assert (
        robots_address("https://me:secret@hay.example:8443/a/oai?x=1")
        == "https://hay.example:8443/robots.txt"
    )


def fetch(reply: Reply, *, limit: int = 4 * MAX_ROBOTS_BYTES) -> str:
    """What comes of fetching the file from a server that answers so."""
    client = HttpClient(
        HttpSettings(attempts=2, backoff_seconds=0.0, max_wait_seconds=1.0, max_response_bytes=limit),
        sleep=lambda seconds: None,
    )
    with ScriptedServer(lambda request: reply, path="/oai") as server:
        try:
            return fetch_robots(client, server.url)
        finally:
            client.close()
            assert {request.path for request in server.requests} == {"/robots.txt"}


def test_a_file_is_given_as_text_without_its_mark() -> None:
    assert fetch(Reply(body=b"\xef\xbb\xbfUser-agent: *")) == "User-agent: *"
    assert fetch(Reply(body=b"Disallow: /\xff")) == "Disallow: /\ufffd"


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410])
def test_where_there_is_none_all_is_allowed(status: int) -> None:
    assert fetch(Reply(status=status, body=b"User-agent: *\nDisallow: /")) == ""


def test_an_empty_file_allows_all() -> None:
    assert fetch(Reply(body=b"")) == ""


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_server_in_trouble_allows_nothing_now(status: int) -> None:
    with pytest.raises(UpstreamError):
        fetch(Reply(status=status, body=b"sorry"))


def test_a_server_that_asks_to_wait_long_is_left_alone() -> None:
    with pytest.raises(UpstreamBusy):
        fetch(Reply(status=503, body=b"sorry", headers={"Retry-After": "3600"}))


def test_a_server_that_hangs_up_allows_nothing_now() -> None:
    with pytest.raises(Unreachable):
        fetch(Reply(reset=True))


def test_redirects_in_a_circle_are_as_if_there_were_none() -> None:
    assert fetch(Reply(status=302, headers={"Location": "/robots.txt"})) == ""


def test_of_a_long_file_the_beginning_is_read_and_an_endless_one_not_at_all() -> None:
    assert len(fetch(Reply(body=b"#" * (MAX_ROBOTS_BYTES + 1000)))) == MAX_ROBOTS_BYTES
    with pytest.raises(TooLarge) as caught:
        fetch(Reply(body=b"#" * 3000), limit=2000)
    assert "max_response" not in caught.value.hint  # which would not help
