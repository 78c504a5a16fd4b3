"""Addresses of pages: one spelling for each, and which are not asked for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.sources.web.urls import LONGEST_URL, BadUrl, is_number_host, web_address


@pytest.mark.parametrize(
    ("written", "spelling"),
    [
        ("HTTP://WWW.Example.EDU", "http://www.example.edu/"),
        ("http://example.edu:80/a", "http://example.edu/a"),
        ("https://example.edu:443/a", "https://example.edu/a"),
        ("http://example.edu:8088/", "http://example.edu:8088/"),
        ("http://example.edu/a/./b/../c/", "http://example.edu/a/c/"),
        ("http://example.edu/a#part", "http://example.edu/a"),
        ("http://example.edu/%7Euser/%c3%a5", "http://example.edu/~user/%C3%A5"),
        ("http://example.edu/å ä", "http://example.edu/%C3%A5%20%C3%A4"),
        ("http://example.edu/a?b=2&a=1", "http://example.edu/a?b=2&a=1"),
        ("http://example.edu/a;jsessionid=0A1B2C?x=1", "http://example.edu/a?x=1"),
        ("http://example.edu/a?PHPSESSID=abc&x=1", "http://example.edu/a?x=1"),
        ("http://example.edu/a?sid=0123456789abcdef0123&x=1", "http://example.edu/a?x=1"),
        ("http://example.edu/a?sid=7", "http://example.edu/a?sid=7"),
        ("http://bücher.example/", "http://xn--bcher-kva.example/"),
        ("http://[2001:DB8::1]:8080/", "http://[2001:db8::1]:8080/"),
        (" http://example.edu/a\n", "http://example.edu/a"),
        ("http://2130706433:8080/", "http://127.0.0.1:8080/"),
        ("http://0x7f.1/", "http://127.0.0.1/"),
        ("http://0177.0.0.01./", "http://127.0.0.1/"),
        ("http://\uff11\uff12\uff17\u30020.0.1/", "http://127.0.0.1/"),
        ("http://[::FFFF:7f00:1]/", "http://127.0.0.1/"),
    ],
)
def test_an_address_has_one_spelling(written: str, spelling: str) -> None:
    assert web_address(written).url == spelling


def test_a_relative_address_is_resolved() -> None:
    assert web_address("../x?y#z", "http://example.edu/a/b/c").url == "http://example.edu/a/x?y"


@pytest.mark.parametrize(
    ("written", "code"),
    [
        ("javascript:alert(1)", "scheme"),
        ("data:text/html,x", "scheme"),
        ("mailto:a@b.example", "scheme"),
        ("ftp://example.edu/", "scheme"),
        ("http://[bad", "malformed"),
        ("http://", "malformed"),
        ("http://example.edu:99999/", "malformed"),
        ("http://exa mple.edu/", "malformed"),
        ("http://256.1.1.1/", "malformed"),
        ("http://[fe80::1%25eth0]/", "malformed"),
        ("http://user:secret@example.edu/", "credentials"),
        ("http://example.edu/" + "a" * LONGEST_URL, "long"),
        ("http://example.edu/" + "x/y/" * 3, "repeats"),
        ("http://example.edu/a/1/a/2/a/3/a/4/a/", "repeats"),
        ("http://example.edu/" + "/".join(map(str, range(41))), "segments"),
    ],
)
def test_what_is_not_asked_for_has_a_reason(written: str, code: str) -> None:
    with pytest.raises(BadUrl) as caught:
        web_address(written)
    assert caught.value.code == code


def test_a_relative_path_that_grows_at_every_step_ends() -> None:
    def walk() -> None:
        url = "http://example.edu/"
        for _ in range(50):
            url = web_address("a/b/", url).url

    with pytest.raises(BadUrl):
        walk()


def test_addresses_of_one_calendar_share_a_prefix() -> None:
    first = web_address("http://example.edu/cal/show?year=2001&month=5")
    second = web_address("http://example.edu/cal/show?month=12&year=9999")
    other = web_address("http://example.edu/cal/list?year=2001&month=5")
    assert first.prefix == second.prefix != other.prefix


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1", "0x7f.1", "2130706433", "017700000001", "[::1]:80"])
def test_hosts_written_as_numbers_are_recognised(host: str) -> None:
    assert is_number_host(host)


@pytest.mark.parametrize("host", ["example.edu", "1and1.example", "127.example", "example.edu:80"])
def test_names_are_no_numbers(host: str) -> None:
    assert not is_number_host(host)


@given(st.text(max_size=200), st.sampled_from(["", "http://example.edu/a/b?c", "https://[::1]/"]))
def test_any_text_is_an_address_or_has_a_reason(text: str, base: str) -> None:
    try:
        address = web_address(text, base)
    except BadUrl:
        return
    assert web_address(address.url) == address
    assert address.url.isascii()
    assert len(address.url) <= LONGEST_URL


def test_empty_segments_of_a_relative_address_are_kept() -> None:
    assert web_address("b//c", "http://a.example/x/y").url == "http://a.example/x/b//c"
    assert web_address("(https://b.example/c)", "http://a.example/x/y").url == (
        "http://a.example/x/(https://b.example/c)"
    )
    assert web_address("//b.example//c", "http://a.example/x/y").url == "http://b.example//c"
