"""The open connections of one client: one kept alive per host, with its TLS settings, through its proxy."""

from __future__ import annotations

import ssl
from typing import Any
from urllib.parse import unquote, urlsplit

import urllib3
from urllib3.connectionpool import HTTPConnectionPool
from urllib3.exceptions import InsecureRequestWarning
from urllib3.util import make_headers

from windrow.errors import ConfigError
from windrow.net.address import Address
from windrow.net.connection import Limits, pool_classes
from windrow.net.proxies import proxy_for
from windrow.net.settings import MEBIBYTE, HttpSettings

MAX_HOSTS = 32  # connections kept; the least used is closed first


class Pools:
    """Gives the connection pool for an address, opening what is not open yet."""

    def __init__(self, settings: HttpSettings) -> None:
        self._settings = settings
        # Twice the body: framing is honest overhead, but endless trailers or interim answers are not.
        raw_bytes = 2 * settings.max_response_bytes + MEBIBYTE
        self._classes = pool_classes(Limits(settings.deadline_seconds, raw_bytes))
        self._managers: dict[tuple[str | None, bool], urllib3.PoolManager] = {}
        self._found: dict[tuple[str, str], tuple[urllib3.PoolManager, bool]] = {}

    def pool(self, address: Address) -> tuple[HTTPConnectionPool, str]:
        """Give the pool, and the request target to send on it (whole for a proxy that forwards)."""
        found = self._found.get((address.scheme, address.key))
        if found is None:
            found = self._found[address.scheme, address.key] = self._find(address)
        manager, is_forwarded = found
        pool = manager.connection_from_host(address.host, address.port, address.scheme)
        return pool, address.url if is_forwarded else address.target

    def close(self) -> None:
        """Close every connection; the next request opens its own."""
        for manager in self._managers.values():
            manager.clear()

    def _find(self, address: Address) -> tuple[urllib3.PoolManager, bool]:
        proxy = proxy_for(address, self._settings.proxy)
        is_tls = address.scheme == "https" or (proxy is not None and proxy.startswith("https:"))
        manager = self._managers.get((proxy, is_tls))
        if manager is None:
            manager = self._managers[proxy, is_tls] = self._open(proxy, is_tls=is_tls)
        return manager, proxy is not None and address.scheme == "http"

    def _open(self, proxy: str | None, *, is_tls: bool) -> urllib3.PoolManager:
        options: dict[str, Any] = {"num_pools": MAX_HOSTS, "maxsize": 1, "retries": False}
        if is_tls:
            options["ssl_context"] = self._tls()
            options["cert_reqs"] = "CERT_REQUIRED" if self._settings.verify_tls else "CERT_NONE"
        manager = urllib3.PoolManager(**options) if proxy is None else _proxied(proxy, options)
        manager.pool_classes_by_scheme = self._classes
        return manager

    def _tls(self) -> ssl.SSLContext:
        """Make the context once: reading the system's authorities costs as much as many requests."""
        try:
            context = ssl.create_default_context(cafile=self._settings.ca_file)
        except (OSError, ssl.SSLError) as exc:
            raise ConfigError(
                f"the setting `ca_file` ({self._settings.ca_file}) cannot be read: {exc}"
            ) from exc
        if not self._settings.verify_tls:
            urllib3.disable_warnings(InsecureRequestWarning)  # the person has chosen so; once is enough
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
        return context


def _proxied(proxy: str, options: dict[str, Any]) -> urllib3.PoolManager:
    parts = urlsplit(proxy)
    login = f"{unquote(parts.username)}:{unquote(parts.password or '')}" if parts.username else None
    headers = make_headers(proxy_basic_auth=login) if login else None
    if parts.scheme == "https":
        options = {**options, "proxy_ssl_context": options["ssl_context"]}
    return urllib3.ProxyManager(proxy, proxy_headers=headers, **options)
