"""What a robots.txt means for the robot (RFC 9309)."""

from __future__ import annotations

import pytest

from windrow.sources.web.robots import (
    FRESH_SECONDS,
    LONGEST_FILE_BYTES,
    UNAVAILABLE_SECONDS,
    RobotsPolicy,
    RobotsState,
    judge_robots,
    unavailable,
)

PAGE = "http://www.example.edu/private/page"


def policy(text: str | bytes, status: int = 200) -> RobotsPolicy:
    body = text.encode() if isinstance(text, str) else text
    return RobotsPolicy(judge_robots(status, body, now=0.0))


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 418])
def test_a_client_error_allows_everything(status: int) -> None:
    found = policy("User-agent: *\nDisallow: /", status)
    assert found.answer.state is RobotsState.NONE
    assert found.allows(PAGE)
    assert found.answer.until == FRESH_SECONDS


@pytest.mark.parametrize("status", [300, 304, 429, 500, 502, 503, 599])
def test_a_server_error_allows_nothing_for_now(status: int) -> None:
    found = policy("", status)
    assert found.is_closed
    assert not found.allows(PAGE)
    assert found.answer.until == UNAVAILABLE_SECONDS


def test_a_longer_wait_than_usual_is_kept() -> None:
    assert unavailable("busy", now=100.0, wait=50_000.0).until == 50_100.0


def test_the_longest_rule_decides_and_is_named() -> None:
    found = policy("User-agent: *\nDisallow: /private\nAllow: /private/open\n")
    assert not found.allows(PAGE)
    assert found.line_for(PAGE) == "Disallow: /private"
    assert found.allows("http://www.example.edu/private/open/a")
    assert found.line_for("http://www.example.edu/private/open/a") == "Allow: /private/open"
    assert found.line_for("http://www.example.edu/a") == ""


def test_our_own_group_goes_before_that_of_all() -> None:
    found = policy("User-agent: *\nDisallow: /\n\nUser-agent: Windrow\nDisallow: /private\n")
    assert found.allows("http://www.example.edu/a")
    assert not found.allows(PAGE)
    assert found.line_for(PAGE) == "Disallow: /private"


def test_byte_order_mark_and_lone_carriage_returns_are_read() -> None:
    found = policy(b"\xef\xbb\xbfUser-agent: *\rDisallow: /private\rCrawl-delay: 7\r")
    assert not found.allows(PAGE)
    assert found.delay_seconds == 7.0


def test_rules_in_any_letters_are_read_and_named() -> None:
    found = policy("User-agent: *\nDisallow: /kurser/\u0416\nDisallow: /private\ufffd\n")
    page = "http://www.example.edu/kurser/%D0%96/a"
    assert not found.allows(page)
    assert found.line_for(page) == "Disallow: /kurser/\u0416"
    assert found.allows(PAGE)
    assert found.line_for(PAGE) == ""


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_a_file_in_utf_16_is_read(encoding: str) -> None:
    found = policy("\ufeffUser-agent: *\nDisallow: /private\n".encode(encoding))
    assert not found.allows(PAGE)
    assert found.allows("http://www.example.edu/a")


def test_a_delay_has_a_limit() -> None:
    assert policy("User-agent: *\nCrawl-delay: 86400\n").delay_seconds == 60.0


def test_a_page_in_place_of_the_file_allows_everything() -> None:
    assert policy("<!doctype html><html><body>Disallow: /</body></html>").allows(PAGE)


def test_only_the_first_half_megabyte_is_read() -> None:
    filler = "# nothing\n" * (LONGEST_FILE_BYTES // 10 + 1)
    assert not policy("User-agent: *\nDisallow: /private\n" + filler).allows(PAGE)
    assert policy(filler + "User-agent: *\nDisallow: /private\n").allows(PAGE)


def test_sitemaps_are_listed() -> None:
    found = policy("Sitemap: http://www.example.edu/sitemap.xml\nsitemap: /other.xml.gz\n")
    assert found.sitemaps() == ["http://www.example.edu/sitemap.xml", "/other.xml.gz"]
