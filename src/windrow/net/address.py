"""Addresses of requests: parsing, masking of secrets, redirect targets and the choice of a proxy."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from urllib.parse import SplitResult, quote, unquote, unquote_plus, urljoin, urlsplit
from urllib.request import getproxies_environment, proxy_bypass_environment  # type: ignore[attr-defined]

from windrow.config.network_values import hide_in_path, mask_url
from windrow.errors import ConfigError, HttpRefused, UsageError

DEFAULT_PORTS = {"http": 80, "https": 443}
MAX_URL_CHARACTERS = 65_536
MAX_HOST_CHARACTERS = 254

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_HOST = re.compile(r"(?!-)[A-Za-z0-9_-]{1,63}(\.[A-Za-z0-9_-]{1,63})*\.?|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*")
_TARGET_SAFE = "".join(
    map(chr, range(0x21, 0x7F))
)  # tokens are sent unchanged; only characters that a request cannot carry are escaped


@dataclass(frozen=True, slots=True)
class Address:
    """A parsed URL. `host` is lower-case ASCII without brackets; `target` begins with a slash."""

    scheme: str
    host: str
    port: int
    target: str = field(repr=False)  # may contain a key
    username: str | None = field(default=None, repr=False)
    password: str | None = field(default=None, repr=False)
    public: frozenset[str] = frozenset()  # names of query parameters that may be shown
    secret_path: str | None = field(default=None, repr=False)  # a secret part of the target

    @property
    def key(self) -> str:
        """The server as `name:port`, the key of politeness and of remembered waits."""
        return f"{self._bracketed}:{self.port}"

    @property
    def url(self) -> str:
        """The URL without credentials, for sending; `shown` is for display."""
        port = "" if self.port == DEFAULT_PORTS[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{self._bracketed}{port}{self.target}"

    @property
    def shown(self) -> str:
        """The URL without secrets: only parameters of OAI-PMH and public ones keep their values."""
        url = hide_in_path(self.url, self.secret_path)
        return mask_url(url, self.public) if "?" in self.target else url

    @property
    def _bracketed(self) -> str:
        return f"[{self.host}]" if ":" in self.host else self.host


def parse_address(
    url: str, *, public: frozenset[str] = frozenset(), secret_path: str | None = None
) -> Address:
    """Parse an http or https URL; raises UsageError, without credentials in it, for anything else.

    `public` names query parameters that may be shown besides those of OAI-PMH; `secret_path` is a part of the
    path that may not.
    """
    if len(url) > MAX_URL_CHARACTERS:
        raise UsageError(f"an address of {len(url)} characters is not a web address")
    parts = _split(url.strip(" "))
    if parts.scheme not in DEFAULT_PORTS:
        raise UsageError(
            f"{_without_userinfo(url)!r} is not a web address", hint="It begins with https:// or http://."
        )
    host = _ascii_host(parts.hostname or "")
    try:
        port = parts.port or DEFAULT_PORTS[parts.scheme]
    except ValueError as exc:
        raise UsageError(f"the port in {_without_userinfo(url)!r} is not a number up to 65535") from exc
    target = quote((parts.path or "/") + (f"?{parts.query}" if parts.query else ""), safe=_TARGET_SAFE)
    username, password = _decoded(parts.username), _decoded(parts.password)
    return Address(parts.scheme, host, port, target, username, password, public, secret_path)


def _split(url: str) -> SplitResult:
    if _CONTROL.search(url):  # urlsplit drops some of them silently, which would change the address
        raise UsageError("the address holds a line break or another control character")
    try:
        return urlsplit(url)
    except ValueError as exc:
        raise UsageError(f"{_without_userinfo(url)!r} is not a web address: {exc}") from exc


def _ascii_host(name: str) -> str:
    try:
        host = (
            name[:MAX_HOST_CHARACTERS]
            if name.isascii()
            else name[:MAX_HOST_CHARACTERS].encode("idna").decode()
        )
    except UnicodeError as exc:
        raise UsageError(f"{name[:80]!r} cannot be the name of a host") from exc
    if len(name) > MAX_HOST_CHARACTERS or not _HOST.fullmatch(host):
        raise UsageError(f"{name[:80]!r} cannot be the name of a host")
    return host.lower()


def _decoded(part: str | None) -> str | None:
    return None if part is None else unquote(part)


def _without_userinfo(url: str) -> str:
    """Return an unparsable URL without the part before an @, which may be a password."""
    scheme, separator, rest = url.partition("://")
    if not separator:
        return mask_url(url.rpartition("@")[2])[:200]
    return mask_url(scheme + separator + rest.rpartition("@")[2])[:200]


# Redirects: where they lead, and which are not followed.

REDIRECT_STATUSES = frozenset({301, 302, 303, 307, 308})
PERMANENT_STATUSES = frozenset({301, 308})
MAX_REDIRECTS = 10


def resolve_redirect(address: Address, status: int, headers: Mapping[str, str]) -> Address:
    """Return the target of a redirect; raises HttpRefused for a missing or invalid one."""
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

    A rewrite rule that sends `http://host/oai?verb=…` to `https://host/oai` is a common mistake. Only
    arguments in `names` that the target does not set are restored; where only the scheme or host has changed,
    a query that was dropped whole is restored whole.
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
    """Return whether credentials and headers meant for `origin` may be sent to `target` as well.

    True for the same server, and for the same name moved from HTTP to HTTPS on the default ports.
    """
    if origin.host != target.host:
        return False
    if (origin.scheme, origin.port) == (target.scheme, target.port):
        return True
    return (origin.scheme, origin.port, target.scheme, target.port) == ("http", 80, "https", 443)


def _readable(location: str) -> str:
    """Undo the Latin-1 decoding of http.client; servers that send raw UTF-8 are common."""
    try:
        return location.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return location


# The choice of a proxy.


def proxy_for(address: Address, configured: str | None) -> str | None:
    """Return the URL of the proxy: the configured one for all hosts, else that of the environment.

    The environment's proxy is not used for the local machine, since it would connect to its own.
    """
    if configured:
        return _checked_proxy(configured, "the setting `proxy`")
    proxies = getproxies_environment()
    found: str | None = proxies.get(address.scheme) or proxies.get("all")
    if not found or _is_loopback(address.host) or proxy_bypass_environment(address.key, proxies):
        return None
    return _checked_proxy(found if "://" in found else f"http://{found}", "the environment's proxy")


def _checked_proxy(proxy: str, where: str) -> str:
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
