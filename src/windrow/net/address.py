"""The first step of a request: a URL taken apart, its secrets kept away from everything that is shown."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from urllib.parse import SplitResult, quote, unquote, urlsplit

from windrow.config.addresses import hide_in_path, mask_url
from windrow.errors import UsageError

DEFAULT_PORTS = {"http": 80, "https": 443}
MAX_URL_CHARACTERS = 65_536
MAX_HOST_CHARACTERS = 254

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_HOST = re.compile(r"(?!-)[A-Za-z0-9_-]{1,63}(\.[A-Za-z0-9_-]{1,63})*\.?|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*")
_TARGET_SAFE = "".join(
    map(chr, range(0x21, 0x7F))
)  # tokens travel as they are; only the impossible is escaped


@dataclass(frozen=True, slots=True)
class Address:
    """Where a request goes. `host` is lower-case ASCII without brackets; `target` begins with a slash."""

    scheme: str
    host: str
    port: int
    target: str = field(repr=False)  # may hold a key
    username: str | None = field(default=None, repr=False)
    password: str | None = field(default=None, repr=False)
    public: frozenset[str] = frozenset()  # names of parameters that may be shown
    secret_path: str | None = field(default=None, repr=False)  # a part of the target that is hidden

    @property
    def key(self) -> str:
        """The server, as politeness and memory know it: `name:port`."""
        return f"{self._bracketed}:{self.port}"

    @property
    def url(self) -> str:
        """The whole address without credentials, fit to be sent; `shown` is for people."""
        port = "" if self.port == DEFAULT_PORTS[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{self._bracketed}{port}{self.target}"

    @property
    def shown(self) -> str:
        """The address without secrets: of its parameters, those of OAI-PMH and the public ones are shown."""
        url = hide_in_path(self.url, self.secret_path)
        return mask_url(url, self.public) if "?" in self.target else url

    @property
    def _bracketed(self) -> str:
        return f"[{self.host}]" if ":" in self.host else self.host


def parse_address(
    url: str, *, public: frozenset[str] = frozenset(), secret_path: str | None = None
) -> Address:
    """Take an http or https URL apart; anything else is a UsageError that shows no credentials.

    `public` names the parameters of its query that may be shown, besides those of OAI-PMH; `secret_path` is a
    part of its path that may not.
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
    """Show a URL that could not be parsed, without anything before an @ that may be a password."""
    scheme, separator, rest = url.partition("://")
    if not separator:
        return mask_url(url.rpartition("@")[2])[:200]
    return mask_url(scheme + separator + rest.rpartition("@")[2])[:200]
