"""Which proxy, if any, stands between us and an address."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit
from urllib.request import getproxies_environment, proxy_bypass_environment  # type: ignore[attr-defined]

from windrow.errors import ConfigError
from windrow.net.address import Address


def proxy_for(address: Address, configured: str | None) -> str | None:
    """Give the URL of the proxy: the configured one for everything, else what the environment says.

    The environment's proxy is not asked for this machine itself: it would look at its own.
    """
    if configured:
        return _checked(configured, "the setting `proxy`")
    proxies = getproxies_environment()
    found: str | None = proxies.get(address.scheme) or proxies.get("all")
    if not found or _is_loopback(address.host) or proxy_bypass_environment(address.key, proxies):
        return None
    return _checked(found if "://" in found else f"http://{found}", "the environment's proxy")


def _checked(proxy: str, where: str) -> str:
    try:
        parts = urlsplit(proxy)
        is_good = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_good = False
    if not is_good:
        raise ConfigError(
            f"{where} is not the address of an HTTP proxy", hint="It looks like http://name:3128."
        )
    return proxy


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
