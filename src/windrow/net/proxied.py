"""The transport through a proxy, on urllib3, which is loaded only if there is a proxy."""

from __future__ import annotations

import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

import urllib3
from urllib3 import exceptions
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.response import BaseHTTPResponse
from urllib3.util import Timeout, make_headers

from windrow.errors import UsageError
from windrow.net.address import Address
from windrow.net.faults import Fault, connection_fault, tls_fault, transport_fault
from windrow.net.http_settings import HttpSettings, tls_context
from windrow.net.response import Headers, ResponseLimits, response_class

if TYPE_CHECKING:
    from urllib3._base_connection import BaseHTTPConnection

# urllib3 pools whose responses are bounded and whose request targets are sent literally.


class _LiteralPool(HTTPConnectionPool):
    """Sends the request target unchanged: urllib3 escapes `|`, which some servers do not accept in tokens."""

    _target = ""

    def urlopen(self, method: str, url: str, *arguments: Any, **options: Any) -> BaseHTTPResponse:
        self._target = url
        return super().urlopen(method, url, *arguments, **options)

    def _make_request(
        self, conn: BaseHTTPConnection, method: str, url: str, *arguments: Any, **options: Any
    ) -> BaseHTTPResponse:
        return super()._make_request(conn, method, self._target or url, *arguments, **options)


def pool_classes(limits: ResponseLimits) -> dict[str, type[HTTPConnectionPool]]:
    """Return pool classes by scheme whose connections keep these limits."""
    bounded = response_class(limits)

    class Plain(HTTPConnection):
        response_class = bounded

    class Secure(HTTPSConnection):
        response_class = bounded

    class PlainPool(_LiteralPool):
        ConnectionCls = Plain

    class SecurePool(_LiteralPool, HTTPSConnectionPool):
        ConnectionCls = Secure

    return {"http": PlainPool, "https": SecurePool}


MAX_HOSTS = 32  # idle connections; the least recently used is closed first
PROXY_HINT = "Check the setting `proxy`, or HTTP_PROXY, HTTPS_PROXY and NO_PROXY in the environment."


class ProxiedTransport:
    """Connects to hosts through one proxy."""

    def __init__(self, proxy: str, settings: HttpSettings, limits: ResponseLimits) -> None:
        self._proxy = proxy
        self._settings = settings
        self._classes = pool_classes(limits)
        self._timeout = Timeout(connect=settings.timeout_seconds, read=settings.timeout_seconds)
        self._managers: dict[bool, urllib3.ProxyManager] = {}

    def ask(self, address: Address, headers: Mapping[str, str], body: bytes | None) -> ProxiedResponse:
        is_tls = address.scheme == "https"
        pool = self._manager(is_tls=is_tls).connection_from_host(address.host, address.port, address.scheme)
        with _translated_errors(self._settings.timeout_seconds):
            try:
                response = pool.urlopen(
                    "GET" if body is None else "POST",
                    address.target if is_tls else address.url,  # a forwarding proxy needs the absolute URL
                    body=body,
                    headers=headers,
                    redirect=False,
                    retries=False,
                    assert_same_host=False,
                    timeout=self._timeout,
                    preload_content=False,
                    decode_content=False,
                )
            except exceptions.LocationValueError as exc:
                raise UsageError(f"{address.shown}: no request can be made to this address") from exc
            except ValueError as exc:  # http.client: a header that may not be sent
                raise Fault("the answer is not proper HTTP") from exc
        return ProxiedResponse(response, self._settings.timeout_seconds)

    def close(self) -> None:
        for manager in self._managers.values():
            manager.clear()

    def _manager(self, *, is_tls: bool) -> urllib3.ProxyManager:
        is_tls = is_tls or self._proxy.startswith("https:")
        manager = self._managers.get(is_tls)
        if manager is None:
            manager = self._managers[is_tls] = self._open(is_tls=is_tls)
        return manager

    def _open(self, *, is_tls: bool) -> urllib3.ProxyManager:
        options: dict[str, Any] = {"num_pools": MAX_HOSTS, "maxsize": 1, "retries": False}
        if is_tls:
            options["ssl_context"] = self._tls
            options["cert_reqs"] = "CERT_REQUIRED" if self._settings.verify_tls else "CERT_NONE"
        manager = _proxy_manager(self._proxy, options)
        manager.pool_classes_by_scheme = self._classes
        return manager

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        if not self._settings.verify_tls:  # the user has chosen so; one warning is enough
            urllib3.disable_warnings(exceptions.InsecureRequestWarning)
        return tls_context(self._settings)


class ProxiedResponse:
    """A response that came through a proxy."""

    def __init__(self, response: BaseHTTPResponse, timeout_seconds: float) -> None:
        self.status = response.status
        self.headers = Headers(response.headers.iteritems())
        self._response = response
        self._timeout_seconds = timeout_seconds

    @property
    def length(self) -> int | None:
        return self._response.length_remaining

    def read(self, most: int | None = None) -> bytes:
        with _translated_errors(self._timeout_seconds):
            return self._response.read(most)

    def release(self) -> None:
        if not self._response.closed:
            self._response.close()
        self._response.release_conn()


@contextmanager
def _translated_errors(timeout_seconds: float) -> Iterator[None]:
    """Turn exceptions of urllib3 into faults."""
    try:
        yield
    except (exceptions.HTTPError, OSError) as exc:
        raise _proxy_fault(exc, timeout_seconds) from exc


def _proxy_fault(exc: Exception, timeout_seconds: float) -> Fault:
    if isinstance(exc, exceptions.ProxyError):
        return Fault("the proxy cannot be reached or does not let us through", hint=PROXY_HINT)
    if isinstance(exc, exceptions.NewConnectionError):  # a subclass of ConnectTimeoutError, so tested first
        return connection_fault(exc, timeout_seconds)
    if isinstance(exc, exceptions.ConnectTimeoutError):
        return Fault(f"no connection within {timeout_seconds:g} seconds")
    if isinstance(exc, exceptions.TimeoutError):
        return Fault(f"no answer within {timeout_seconds:g} seconds")
    if isinstance(exc, exceptions.SSLError):
        return tls_fault(exc)
    return transport_fault(exc, timeout_seconds)


def _proxy_manager(proxy: str, options: dict[str, Any]) -> urllib3.ProxyManager:
    parts = urlsplit(proxy)
    login = f"{unquote(parts.username)}:{unquote(parts.password or '')}" if parts.username else None
    headers = make_headers(proxy_basic_auth=login) if login else None
    if parts.scheme == "https":
        options = {**options, "proxy_ssl_context": options["ssl_context"]}
    return urllib3.ProxyManager(proxy, proxy_headers=headers, **options)
