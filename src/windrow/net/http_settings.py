"""The headers of a request: who we are for everyone, credentials only for the server they are meant for."""

from __future__ import annotations

import re
from base64 import b64encode

from windrow.errors import ConfigError
from windrow.net.address import Address
from windrow.net.redirect import is_trusted
from windrow.net.settings import HttpSettings

ACCEPT_ENCODING = "gzip, deflate, zstd"

_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]*")


def check_headers(settings: HttpSettings) -> None:
    """Refuse configured headers that HTTP cannot carry; the message shows the name alone."""
    for name, value in (*settings.headers, ("User-Agent", settings.user_agent)):
        if not _NAME.fullmatch(name) or not _VALUE.fullmatch(value):
            raise ConfigError(f"the header {name!r} holds a character that HTTP cannot carry")


def request_headers(
    settings: HttpSettings, origin: Address, address: Address, cookie: str | None
) -> dict[str, str]:
    """Give the headers for `address` in a request that set out for `origin`."""
    headers = {"User-Agent": settings.user_agent, "Accept": "*/*", "Accept-Encoding": ACCEPT_ENCODING}
    if cookie:
        headers["Cookie"] = cookie
    if is_trusted(origin, address):
        credentials = _basic(settings, origin)
        if credentials:
            headers["Authorization"] = credentials
        for name, value in settings.headers:
            _replace(headers, name, value)
    return headers


def _basic(settings: HttpSettings, origin: Address) -> str | None:
    """Give Basic credentials: those in the address, being nearer, before those of the settings."""
    username, password = origin.username, origin.password
    if username is None:
        username, password = settings.username, settings.password
    if username is None:
        return None
    return "Basic " + b64encode(f"{username}:{password or ''}".encode()).decode("ascii")


def _replace(headers: dict[str, str], name: str, value: str) -> None:
    """Set a header whatever the case of the one that is there: sent twice, servers choose at random."""
    for known in [known for known in headers if known.lower() == name.lower()]:
        del headers[known]
    headers[name] = value
