"""URLs taken apart, and never shown with their secrets."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.errors import UsageError
from windrow.net.address import Address, parse_address


@pytest.mark.parametrize(
    ("url", "key", "shown"),
    [
        ("http://Example.ORG", "example.org:80", "http://example.org/"),
        ("https://example.org:443/oai?x=1#y", "example.org:443", "https://example.org/oai?x=1"),
        (
            "http://example.org:8080?verb=Identify",
            "example.org:8080",
            "http://example.org:8080/?verb=Identify",
        ),
        ("http://[::1]:81/a b", "[::1]:81", "http://[::1]:81/a%20b"),
        (
            "https://b\u00fccher.example/\u00e4",
            "xn--bcher-kva.example:443",
            "https://xn--bcher-kva.example/%C3%A4",
        ),
        ("https://u:p@example.org/", "example.org:443", "https://example.org/"),
        ("  https://my_host.example./x%2Fy ", "my_host.example.:443", "https://my_host.example./x%2Fy"),
    ],
)
def test_an_address_knows_its_server_and_what_may_be_shown(url: str, key: str, shown: str) -> None:
    address = parse_address(url)
    assert (address.key, address.url) == (key, shown)


def test_userinfo_is_decoded_and_hidden() -> None:
    address = parse_address("https://a%40b:s%3Aecret@example.org/")
    assert (address.username, address.password) == ("a@b", "s:ecret")
    assert "ecret" not in repr(address)


@pytest.mark.parametrize(
    "url",
    [
        "http://exa mple.org/",
        "http://example.org:99999/",
        "http://example.org:x/",
        "http://-bad.example/",
        "http://a..b/",
        "http://[::1/",
        "http://a\\b/",
        "http://example.org/\r\nX: 1",
        "http://" + "a" * 300 + "/",
        "http://" + "\u00e4" * 300 + "/",
        "http://example.org/" + "a" * 70_000,
        "mailto:a@example.org",
    ],
)
def test_what_is_no_web_address_is_refused(url: str) -> None:
    with pytest.raises(UsageError):
        parse_address(url)


@pytest.mark.parametrize(
    "url", ["ftp://u:secret@example.org/", "http://u:secret@exa mple/", "http://u:secret@h:x/", "u:secret@h"]
)
def test_a_refusal_shows_no_password(url: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_address(url)
    assert "secret" not in str(caught.value)


@given(st.text(max_size=60))
def test_any_text_is_an_address_or_a_usage_error(text: str) -> None:
    try:
        address = parse_address("http://" + text)
    except UsageError:
        return
    again = parse_address(address.url)
    assert again == Address(address.scheme, address.host, address.port, address.target)
