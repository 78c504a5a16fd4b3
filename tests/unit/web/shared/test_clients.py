from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windrow.web.http.clients import ClientResolver, Networks, client_prefix, site_network

PROXY = "10.0.0.1"
CLIENTS = ClientResolver(["10.0.0.0/8", "::1"])


@pytest.mark.parametrize(
    ("peer", "forwarded", "client"),
    [
        ("203.0.113.1", None, "203.0.113.1"),
        ("203.0.113.1", b"198.51.100.1", "203.0.113.1"),
        (PROXY, None, PROXY),
        (PROXY, b"198.51.100.1", "198.51.100.1"),
        (PROXY, b"192.0.2.9, 198.51.100.1", "198.51.100.1"),
        (PROXY, b"198.51.100.1, 10.0.0.2", "198.51.100.1"),
        (PROXY, b"10.0.0.3, 10.0.0.2", "10.0.0.3"),
        (PROXY, b"198.51.100.1:4711", "198.51.100.1"),
        (PROXY, b"[2001:db8::1]:4711", "2001:db8::1"),
        (PROXY, b"2001:db8::1", "2001:db8::1"),
        (PROXY, b"unknown", PROXY),
        (PROXY, b"198.51.100.1, unknown", PROXY),
        (PROXY, b"", PROXY),
        ("::1", b"198.51.100.1", "198.51.100.1"),
        ("", b"198.51.100.1", "198.51.100.1"),
        ("::ffff:10.0.0.1", b"198.51.100.1", "198.51.100.1"),
    ],
)
def test_the_client_is_the_last_address_that_no_trusted_proxy_has(
    peer: str, forwarded: bytes | None, client: str
) -> None:
    assert CLIENTS.find(peer, forwarded) == client


def test_a_customer_with_a_whole_network_is_one_client() -> None:
    assert client_prefix("2001:db8:1:2::1") == client_prefix("2001:db8:1:2:3:4:5:6")
    assert client_prefix("2001:db8:1:2::1") != client_prefix("2001:db8:1:3::1")
    assert client_prefix("203.0.113.1") != client_prefix("203.0.113.2")


@given(st.text(max_size=40), st.binary(max_size=2000))
def test_whatever_a_proxy_sends_there_is_a_client(peer: str, forwarded: bytes) -> None:
    assert CLIENTS.find(peer, forwarded) is not None
    assert CLIENTS.find(PROXY, forwarded)
    assert client_prefix(peer) is not None


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("203.0.113.200", "203.0.113.0/24"),
        ("::ffff:203.0.113.200", "203.0.113.0/24"),
        ("2001:db8:1:2::1", "2001:db8:1::/48"),
        ("[2001:db8:1:2::1]:80", "2001:db8:1::/48"),
        ("nobody", "nobody"),
        ("", ""),
    ],
)
def test_around_a_client_is_a_network(address: str, network: str) -> None:
    assert site_network(address) == network


def test_an_address_is_in_networks_of_its_own_kind_only() -> None:
    networks = Networks(["203.0.113.0/24", "2001:db8::/32"])
    assert "203.0.113.9" in networks
    assert "2001:db8:5::1" in networks
    assert "198.51.100.1" not in networks
    assert "nobody" not in networks
