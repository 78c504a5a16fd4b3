"""Network addresses that the robot may connect to: public ones, unless its source allows private ones.

Any page may link to printers and databases in the robot's own network. The address of the connection itself
is checked, after each name resolution, so that neither redirects nor changing DNS answers (DNS rebinding) get
past the check.
"""

from __future__ import annotations

import socket
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import TYPE_CHECKING

from windrow.errors import PrivateAddress

if TYPE_CHECKING:
    from aiohttp.abc import AbstractResolver, ResolveResult

_NAT64 = IPv6Network("64:ff9b::/96")
# Networks that Python considers public: IPv4-compatible, site-local, NAT64 inside a network (RFC 4291, 3879,
# 8215).
_LOCAL = tuple(map(IPv6Network, ("::/96", "fec0::/10", "64:ff9b:1::/48")))


def is_public(address: str) -> bool:
    try:
        found = ip_address(address.partition("%")[0])
    except ValueError:
        return False
    inner = _embedded(found)
    if isinstance(found, IPv6Address) and any(found in network for network in _LOCAL):
        return False
    return found.is_global and not found.is_multicast and (inner is None or is_public(str(inner)))


def _embedded(address: IPv4Address | IPv6Address) -> IPv4Address | None:
    """Return the IPv4 address embedded in an IPv6 address, if any."""
    if not isinstance(address, IPv6Address):
        return None
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or (address.teredo[1] if address.teredo else None)


def make_resolver(*, private: bool) -> AbstractResolver:
    """Return a resolver that yields only addresses that may be connected to."""
    from aiohttp import ThreadedResolver  # noqa: PLC0415 - an optional dependency

    class PublicResolver(ThreadedResolver):
        async def resolve(
            self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
        ) -> list[ResolveResult]:
            found = await super().resolve(host, port, family)
            public = [each for each in found if is_public(each["host"])]
            if not public:
                raise PrivateAddress(f"{host} is a host of a private network ({found[0]['host']})")
            return public

    return ThreadedResolver() if private else PublicResolver()
