"""Which network addresses the robot connects to."""

from __future__ import annotations

import asyncio

import pytest

from windrow.errors import PrivateAddress
from windrow.sources.web.addresses import is_public, make_resolver


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "10.0.0.1",
        "172.16.0.1",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "0.0.0.0",
        "224.0.0.1",
        "255.255.255.255",
        "::1",
        "::",
        "fe80::1",
        "fe80::1%eth0",
        "fc00::1",
        "::ffff:127.0.0.1",
        "64:ff9b::7f00:1",
        "2002:7f00:1::",
        "::7f00:1",
        "fec0::1",
        "64:ff9b:1::a00:1",
        "not an address",
    ],
)
def test_private_addresses_are_none(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", ["93.184.216.34", "2606:2800:220:1::1", "::ffff:93.184.216.34"])
def test_public_addresses_are_public(address: str) -> None:
    assert is_public(address)


def test_a_name_of_this_machine_is_refused_unless_private_hosts_are_meant() -> None:
    async def resolve(*, private: bool) -> list[str]:
        resolver = make_resolver(private=private)
        return [each["host"] for each in await resolver.resolve("localhost", 80)]

    with pytest.raises(PrivateAddress):
        asyncio.run(resolve(private=False))
    assert asyncio.run(resolve(private=True))
