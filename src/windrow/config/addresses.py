"""The kinds of value that go over the wire: addresses and headers, shown without the secrets in them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import urlsplit

from windrow.config.kinds import LONGEST_TEXT, Kind, SettingError, is_clean

MASK = "********"
MOST_HEADERS = 100
MOST_URLS = 100
# Anything not known to be harmless may carry a key: services name such headers as they like.
HARMLESS_HEADERS = frozenset(
    {"accept", "accept-language", "cache-control", "dnt", "from", "pragma", "referer", "user-agent"}
)
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}")  # RFC 9110, 5.6.2
_HTTP = re.compile(r"https?://[^\s/?#]", re.IGNORECASE)

Headers = tuple[tuple[str, str], ...]


def mask_url(url: str) -> str:
    """Give an address with the user name and password in it hidden."""
    start, slashes, rest = url.partition("//")
    if not slashes:
        return url
    host = re.split(r"[/?#]", rest, maxsplit=1)[0]
    secret, at, _ = host.rpartition("@")
    return f"{start}//{MASK}@{rest[len(secret) + 1 :]}" if at else url


def _read_url(value: object) -> str:
    problem = "must be an address that begins with http:// or https://"
    if not isinstance(value, str) or not _HTTP.match(value):
        raise SettingError(problem)
    if len(value) > LONGEST_TEXT or not is_clean(value) or re.search(r"\s", value):
        raise SettingError("must be an address without spaces or control characters")
    try:
        parts = urlsplit(value)
        is_whole = bool(parts.hostname) and parts.port != 0
    except ValueError:  # its message may hold what is between // and @
        is_whole = False
    if not is_whole:
        raise SettingError("must be an address with a host name and, if any, a port from 1 to 65535")
    if parts.fragment:
        raise SettingError("must be an address without a # part")
    return value


def _read_urls(value: object) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or len(value) > MOST_URLS:
        raise SettingError(
            f'must be a list of at most {MOST_URLS} addresses such as ["https://a.example/oai"]'
        )
    read = tuple(map(_read_url, value))
    if len(set(read)) < len(read):
        raise SettingError("must have no address twice")
    return read


def _read_headers(value: object) -> Headers:
    if not isinstance(value, Mapping) or len(value) > MOST_HEADERS:
        raise SettingError('must be a table of headers such as { "Accept-Language" = "en" }')
    for name, content in value.items():
        if not isinstance(name, str) or not _TOKEN.fullmatch(name):
            raise SettingError("must have header names of letters, digits and dashes")
        if not isinstance(content, str) or len(content) > LONGEST_TEXT or not is_clean(content):
            raise SettingError(f"must have one line of text for the header {name}")
        try:
            content.encode("latin-1")
        except UnicodeEncodeError:
            raise SettingError(f"must have only Latin-1 characters in the header {name}") from None
    if len({name.lower() for name in value}) < len(value):
        raise SettingError("must not have a header twice")
    return tuple(value.items())


def _parse_headers(text: str) -> object:
    """Read headers as HTTP writes them, one to a line."""
    lines = [line for line in text.splitlines() if line.strip()]
    pairs = [line.partition(":") for line in lines]
    if any(not colon for _, colon, _ in pairs):
        raise SettingError("must be one header to a line, each as Name: value")
    return {name.strip(): content.strip() for name, _, content in pairs}


def _show_headers(headers: Headers) -> str:
    return ", ".join(
        f"{name}: {content if name.lower() in HARMLESS_HEADERS else MASK}" for name, content in headers
    )


URL: Kind[str] = Kind("http or https address", _read_url, show=mask_url)
URLS: Kind[tuple[str, ...]] = Kind(
    "list of http or https addresses",
    _read_urls,
    str.split,
    lambda urls: ", ".join(map(mask_url, urls)),
)
HEADERS: Kind[Headers] = Kind("table of headers", _read_headers, _parse_headers, _show_headers)
