"""The address of the client, also behind trusted proxies."""

from __future__ import annotations

import base64
import binascii
import ipaddress
from collections.abc import Iterable
from functools import lru_cache

_MAX_PROXY_HOPS = 20
Address = ipaddress.IPv4Address | ipaddress.IPv6Address


class Networks:
    """A set of networks."""

    def __init__(self, listed: Iterable[str]) -> None:
        self._networks = tuple(map(ipaddress.ip_network, listed))

    def __contains__(self, address: str) -> bool:
        parsed = _parse_address(address)
        return parsed is not None and any(parsed in network for network in self._networks)


class ClientResolver:
    """Resolves the client's address, given the proxies that are trusted to forward it."""

    def __init__(self, trusted: Iterable[str]) -> None:
        self._proxies = Networks(trusted)
        self.is_trusted = lru_cache(maxsize=4096)(self._is_trusted)

    def find(self, peer: str, forwarded: bytes | None) -> str:
        """Return the peer's address, or the last untrusted one that a trusted peer forwards for.

        Only entries added by trusted proxies count: any client can send an X-Forwarded-For of its own.
        """
        if not forwarded or not self.is_trusted(peer):
            return peer
        client = peer
        for hop in reversed(forwarded[-1024:].decode("latin-1").split(",")[-_MAX_PROXY_HOPS:]):
            address = _parse_address(hop.strip())
            if address is None:
                break
            client = str(address)
            if not self.is_trusted(client):
                break
        return client

    def _is_trusted(self, address: str) -> bool:
        if not address:
            return True  # a Unix socket: only a proxy on this machine can connect to it
        return address in self._proxies


@lru_cache(maxsize=4096)
def client_prefix(address: str) -> str:
    """Return the key that limits count by: an IPv4 address, or an IPv6 /64, one customer's network."""
    parsed = _parse_address(address)
    if isinstance(parsed, ipaddress.IPv6Address):
        return str(ipaddress.ip_network((parsed, 64), strict=False))
    return address if parsed is None else str(parsed)


@lru_cache(maxsize=4096)
def site_network(address: str) -> str:
    """Return the site's network around a client: IPv4 /24 or IPv6 /48; else the address."""
    parsed = _parse_address(address)
    if parsed is None:
        return address
    return str(ipaddress.ip_network((parsed, 24 if parsed.version == 4 else 48), strict=False))


def _parse_address(text: str) -> Address | None:
    """Parse an address as proxies write it, with or without brackets and a port."""
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        parsed = ipaddress.ip_address(text)
    except ValueError:
        return None
    return getattr(parsed, "ipv4_mapped", None) or parsed


_MAX_AUTHORIZATION_BYTES = 2000


@lru_cache(maxsize=256)
def parse_basic_credentials(header: bytes | None) -> tuple[str, str] | None:
    """Return user name and password (HTTP Basic); None if the header is absent or malformed."""
    if not header or len(header) > _MAX_AUTHORIZATION_BYTES or header[:6].lower() != b"basic ":
        return None
    try:
        decoded = base64.b64decode(header[6:].strip(), validate=True)
    except (binascii.Error, ValueError):
        return None
    try:
        text = decoded.decode("utf-8")
    except UnicodeDecodeError:
        text = decoded.decode("latin-1")  # as older clients send it
    user, colon, password = text.partition(":")
    return (user, password) if colon else None
