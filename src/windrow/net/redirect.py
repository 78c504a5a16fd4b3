"""Where a redirect leads, and the redirects that are not followed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from urllib.parse import unquote_plus, urljoin

from windrow.errors import HttpRefused, UsageError
from windrow.net.address import Address, parse_address

REDIRECT_STATUSES = frozenset({301, 302, 303, 307, 308})
PERMANENT_STATUSES = frozenset({301, 308})
MAX_REDIRECTS = 10


def redirected(address: Address, status: int, headers: Mapping[str, str]) -> Address:
    """Give the address the server points to; HttpRefused where it points nowhere sensible."""
    location = _readable(headers.get("location", "").strip())
    if not location:
        raise HttpRefused(f"{address.shown}: HTTP {status} without a place to go", status=status)
    try:
        target = parse_address(
            urljoin(address.url, location), public=address.public, secret_path=address.secret_path
        )
    except (UsageError, ValueError) as exc:
        raise HttpRefused(
            f"{address.shown}: HTTP {status} to what is not a web address", status=status
        ) from exc
    if address.scheme == "https" and target.scheme == "http":
        hint = "Try the http:// address itself if you trust the network in between."
        message = f"{address.shown}: redirected from https to {target.shown}, which anyone could read"
        raise HttpRefused(message, status=status, hint=hint)
    return target


def with_arguments(address: Address, target: Address, names: frozenset[str]) -> Address:
    """Return the target with those arguments of `address` that the redirect has dropped.

    A rewrite rule that sends `http://host/oai?verb=…` to `https://host/oai` is a common mistake. Only the
    arguments in `names` are put back, and only those that the target does not set itself; where nothing but
    the scheme or host has changed, a query that was dropped whole is put back whole.
    """
    path, _, query = target.target.partition("?")
    asked_path, _, asked_query = address.target.partition("?")
    given = {_argument_name(part) for part in query.split("&")}
    parts = [part for part in asked_query.split("&") if part and _argument_name(part) not in given]
    if query or path != asked_path:
        parts = [part for part in parts if _argument_name(part) in names]
    if not any(_argument_name(part) in names for part in parts):
        return target
    return replace(target, target=f"{path}?{'&'.join([query, *parts] if query else parts)}")


def _argument_name(part: str) -> str:
    return unquote_plus(part.partition("=")[0])


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
