"""Where a redirect leads, and the redirects that are not followed."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urljoin

from windrow.errors import HttpRefused, UsageError
from windrow.net.address import Address, parse_address

REDIRECT_STATUSES = frozenset({301, 302, 303, 307, 308})
MAX_REDIRECTS = 10


def redirected(address: Address, status: int, headers: Mapping[str, str]) -> Address:
    """Give the address the server points to; HttpRefused where it points nowhere sensible."""
    location = _readable(headers.get("location", "").strip())
    if not location:
        raise HttpRefused(f"{address.url}: HTTP {status} without a place to go", status=status)
    try:
        target = parse_address(urljoin(address.url, location))
    except (UsageError, ValueError) as exc:
        raise HttpRefused(
            f"{address.url}: HTTP {status} to what is not a web address", status=status
        ) from exc
    if address.scheme == "https" and target.scheme == "http":
        hint = "Try the http:// address itself if you trust the network in between."
        message = f"{address.url}: redirected from https to {target.url}, which anyone could read"
        raise HttpRefused(message, status=status, hint=hint)
    return target


def is_trusted(origin: Address, target: Address) -> bool:
    """Whether what was meant for `origin` (credentials, headers) may go to `target` as well.

    The same server, or the same name moved from plain HTTP to TLS on the usual ports.
    """
    if origin.host != target.host:
        return False
    if (origin.scheme, origin.port) == (target.scheme, target.port):
        return True
    return (origin.scheme, origin.port, target.scheme, target.port) == ("http", 80, "https", 443)


def _readable(location: str) -> str:
    """Undo Latin-1, which http.client reads headers as; servers that send raw UTF-8 are common."""
    try:
        return location.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return location
