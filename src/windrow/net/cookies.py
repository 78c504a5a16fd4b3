"""Cookies within one client: some repositories keep their resumption tokens in a session.

Kept per host name and never sent to another, whatever Domain says; otherwise a small RFC 6265.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from windrow.net.address import Address
from windrow.net.http_date import parse_http_date

MAX_COOKIES_PER_HOST = 50
MAX_COOKIE_CHARACTERS = 4096
MAX_AGE_SECONDS = 10 * 366 * 86_400

_PAIR = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+=[\x20-\x3a\x3c-\x7e]*")  # a token, then no ; and no control


@dataclass(frozen=True, slots=True)
class _Cookie:
    pair: str
    path: str
    is_secure: bool
    expires: datetime | None

    def fits(self, address: Address, now: datetime) -> bool:
        """Whether it goes with a request to this address."""
        if (self.is_secure and address.scheme != "https") or (self.expires and self.expires <= now):
            return False
        path = address.target.partition("?")[0]
        return path == self.path or path.startswith(self.path.rstrip("/") + "/")


class Cookies:
    """The jar of one client."""

    def __init__(self) -> None:
        self._hosts: dict[str, dict[tuple[str, str], _Cookie]] = {}

    def keep(self, address: Address, set_cookies: Iterable[str], *, now: datetime) -> None:
        """Take in the Set-Cookie headers of an answer from this address."""
        jar = self._hosts.setdefault(address.host, {})
        for line in set_cookies:
            cookie = _parse(line, address, now)
            if cookie is None:
                continue
            name = (cookie.pair.partition("=")[0], cookie.path)
            jar.pop(name, None)
            if cookie.expires is None or cookie.expires > now:
                jar[name] = cookie
            if len(jar) > MAX_COOKIES_PER_HOST:
                del jar[next(iter(jar))]

    def header(self, address: Address, *, now: datetime) -> str | None:
        """Give the Cookie header for a request to this address, None where there is nothing to send."""
        jar = self._hosts.get(address.host)
        if not jar:
            return None
        return "; ".join(cookie.pair for cookie in jar.values() if cookie.fits(address, now)) or None


def _parse(line: str, address: Address, now: datetime) -> _Cookie | None:
    if len(line) > MAX_COOKIE_CHARACTERS:
        return None
    pair, *rest = (part.strip() for part in line.split(";"))
    if not _PAIR.fullmatch(pair):
        return None
    named = {name.strip().lower(): value.strip() for name, _, value in (part.partition("=") for part in rest)}
    path = named.get("path", "")
    if not path.startswith("/"):
        path = address.target.partition("?")[0].rpartition("/")[0] or "/"
    return _Cookie(pair, path, "secure" in named, _expiry(named, now))


def _expiry(named: dict[str, str], now: datetime) -> datetime | None:
    """Give the moment it lapses; Max-Age beats Expires, nonsense is as good as nothing."""
    if re.fullmatch(r"-?[0-9]{1,12}", named.get("max-age", "")):
        return now + timedelta(seconds=min(max(int(named["max-age"]), 0), MAX_AGE_SECONDS))
    return parse_http_date(named["expires"]) if "expires" in named else None
