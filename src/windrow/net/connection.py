"""Under urllib3, for `proxied`: pools whose answers are bounded, and whose request targets are literal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool

from windrow.net.bounded import Limits, response_class

if TYPE_CHECKING:
    from urllib3._base_connection import BaseHTTPConnection
    from urllib3.response import BaseHTTPResponse


class _LiteralPool(HTTPConnectionPool):
    """Sends the request target as given: urllib3 escapes `|`, and some servers want tokens back bare."""

    _target = ""

    def urlopen(self, method: str, url: str, *arguments: Any, **options: Any) -> BaseHTTPResponse:
        self._target = url
        return super().urlopen(method, url, *arguments, **options)

    def _make_request(
        self, conn: BaseHTTPConnection, method: str, url: str, *arguments: Any, **options: Any
    ) -> BaseHTTPResponse:
        return super()._make_request(conn, method, self._target or url, *arguments, **options)


def pool_classes(limits: Limits) -> dict[str, type[HTTPConnectionPool]]:
    """Give the pools by scheme whose connections keep these limits."""
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
