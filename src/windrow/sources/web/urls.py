"""Addresses of pages: normalisation, and the parts that politeness and limits are based on."""

from __future__ import annotations

import re
import socket
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv6Address, ip_address
from urllib.parse import SplitResult, quote, unquote, urljoin, urlsplit, urlunsplit

LONGEST_URL = 2048  # characters; longer ones are nearly always traps or form state
MOST_SEGMENTS = 40  # of a path
MOST_REPEATS = 4  # of one segment in a path: relative links that grow at every step
FAMILY_END = "*"  # marks a family: all folders below one, or all parameters of one program
_PORTS = {"http": 80, "https": 443}
_CONTROLS = re.compile(r"[\x00-\x20\x7f]+")
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_SAFE = "!$%&'()*+,-./:;=?@_~"  # reserved characters keep their meaning; a bare % is kept
_SAFE_PATH, _SAFE_QUERY = _SAFE.replace("?", ""), _SAFE + "[]|{}^`"
# A session id in an address makes a new address of every page at every visit.
_SESSION_PATH = re.compile(r";(?:jsessionid|phpsessid|sid)=[^/;?]*", re.IGNORECASE)
_SESSION_NAMES = re.compile(
    r"(?:phpsessid|jsessionid|aspsessionid\w*|cfid|cftoken|sessionid|session_id|zenid|osCsid)", re.IGNORECASE
)
_SESSION_VALUE = re.compile(r"(?:sid|session|s)=[0-9A-Fa-f]{16,}", re.IGNORECASE)
_NUMBER_HOST = re.compile(r"(?:0[xX][0-9A-Fa-f]*|\d+)(?:\.(?:0[xX][0-9A-Fa-f]*|\d+)){0,3}\.?")


class BadUrl(ValueError):
    """An address that the robot does not request, with the reason."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code = code


@dataclass(frozen=True, slots=True)
class WebAddress:
    """A normalised address."""

    url: str
    scheme: str
    host: str  # name and any non-default port: the unit of politeness
    path: str
    query: str

    @property
    def origin(self) -> str:
        """The origin, where its robots.txt is (RFC 9309 §2.3)."""
        return f"{self.scheme}://{self.host}"

    @property
    def subject(self) -> str:
        """The address without its scheme, which the rules of a source are matched against."""
        return self.url.partition("://")[2]

    @property
    def prefix(self) -> str:
        """The address's family: its folder and the names of its parameters.

        Addresses that a program generates endlessly share one: `/calendar?day=&month=`, `/tree/a/`.
        """
        folders = self.path.split("/")[1:-1][:3]
        names = sorted({piece.partition("=")[0] for piece in self.query.split("&")} - {""})[:8]
        name = f"{self.path.rpartition('/')[2]}?{'=&'.join(names)}=" if names else ""
        return f"{self.host}/{''.join(f'{folder}/' for folder in folders)}{name}"[:300]

    @property
    def family(self) -> str:
        """The wider family of addresses with the same first folder.

        Addresses without a folder share only their path.
        """
        if self.path.count("/") > 1:
            return f"{self.host}/{self.path.split('/')[1]}/{FAMILY_END}"
        return f"{self.host}{self.path}?{FAMILY_END}" if self.query else self.prefix


@lru_cache(maxsize=8_192)  # most links of a page are also on the previous one
def web_address(url: str, base: str = "") -> WebAddress:
    """Normalise an address, resolved against another; raises BadUrl for one that may not be requested.

    Parameters keep their order: some servers depend on it.
    """
    if len(url) > LONGEST_URL * 4:
        raise BadUrl("long", f"the address is longer than {LONGEST_URL:,} characters")
    try:
        parts = urlsplit(join(base, _CONTROLS.sub(lambda found: "%20" * found[0].count(" "), url.strip())))
        host = _host(parts)
    except ValueError as exc:
        if isinstance(exc, BadUrl):
            raise
        raise BadUrl("malformed", f"it is no address: {exc}") from exc
    path = _SESSION_PATH.sub("", _normal_path(parts.path))
    query = "&".join(filter(_is_no_session, _escaped(parts.query, _SAFE_QUERY).split("&")))
    made = urlunsplit((parts.scheme.lower(), host, path, query, ""))
    _check(made, path)
    return WebAddress(made, parts.scheme.lower(), host, path, query)


def join(base: str, url: str) -> str:
    """Resolve an address against another (RFC 3986 §5.2) like `urljoin`, but keep empty segments.

    `urljoin` merges two slashes in a relative path (`a//b`), where browsers do not.
    """
    if base and "//" in url and not url.startswith("/"):
        written, start = urlsplit(url), urlsplit(base)
        if not written.scheme and "//" in written.path:
            folder = start.path.rpartition("/")[0]
            if not folder.startswith("//"):
                url = f"{folder}/{url}"
    return urljoin(base, url)


def _host(parts: SplitResult) -> str:
    scheme = parts.scheme.lower()
    if scheme not in _PORTS:
        raise BadUrl("scheme", f"{scheme or 'an address without a scheme'} is not http or https")
    if parts.username is not None or parts.password is not None:
        raise BadUrl("credentials", "it has a user name or a password in it")
    name, port = parts.hostname or "", parts.port
    if not name:
        raise BadUrl("malformed", "it has no host")
    name = _number_host(name) if ":" in name else _ascii_name(unquote(name)).rstrip(".")
    if not name:
        raise BadUrl("malformed", "it has no host")
    if _NUMBER_HOST.fullmatch(name):
        name = _dotted(name)
    return name if port in (None, _PORTS[scheme]) else f"{name}:{port}"


def _number_host(name: str) -> str:
    """Normalise an IPv6 address; an IPv4-mapped one becomes an IPv4 address."""
    if "%" in name:
        raise BadUrl("malformed", "its host names a network card of this machine")
    address = ip_address(name)
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return str(mapped) if mapped else f"[{address.compressed}]"


def _dotted(name: str) -> str:
    """Return the IPv4 address of a numeric host (`2130706433`, `0x7f.1`), as in browsers."""
    try:
        return socket.inet_ntoa(socket.inet_aton(name))
    except OSError:
        raise BadUrl("malformed", "its host is a number that no address has") from None


def _ascii_name(name: str) -> str:
    if name.isascii():
        made = name.lower()
    else:
        import idna  # noqa: PLC0415 - few addresses are not ASCII

        try:
            made = idna.encode(name, uts46=True).decode()
        except (idna.IDNAError, UnicodeError) as exc:
            raise BadUrl("malformed", f"the host's name cannot be written: {exc}") from exc
    if len(made) > 253 or not re.fullmatch(r"[a-z0-9._-]+", made):
        raise BadUrl("malformed", "the host's name has characters that no host has")
    return made


def _normal_path(path: str) -> str:
    """Resolve dot segments (RFC 3986 §5.2.4), which urljoin does only for relative addresses."""
    made: list[str] = []
    segments = _escaped(path, _SAFE_PATH).split("/")[1:] if path else [""]
    for number, segment in enumerate(segments):
        is_last = number == len(segments) - 1
        if segment == "..":
            del made[-1:]
        elif segment != ".":
            made.append(segment)
            continue
        if is_last:
            made.append("")
    return "/" + "/".join(made)


def _escaped(text: str, safe: str) -> str:
    """Normalise escapes: only characters that need one are escaped."""
    return quote(_ESCAPE.sub(_plain_or_upper, text), safe=safe)


def _plain_or_upper(found: re.Match[str]) -> str:
    character = chr(int(found[1], 16))
    return character if character in _UNRESERVED else found[0].upper()


def _is_no_session(piece: str) -> bool:
    name = piece.partition("=")[0]
    return not (_SESSION_NAMES.fullmatch(name) or _SESSION_VALUE.fullmatch(piece))


def _check(url: str, path: str) -> None:
    if len(url) > LONGEST_URL:
        raise BadUrl("long", f"the address is longer than {LONGEST_URL:,} characters")
    segments = [segment for segment in path.split("/") if segment]
    if len(segments) > MOST_SEGMENTS:
        raise BadUrl("segments", f"its path has more than {MOST_SEGMENTS} parts")
    if any(segments.count(segment) > MOST_REPEATS for segment in set(segments)) or _is_cycle(segments):
        raise BadUrl("repeats", "parts of its path repeat, as where relative links lead ever deeper")


def _is_cycle(segments: list[str]) -> bool:
    """Return True if a path ends in two or three segments repeated three times, such as /a/b/a/b/a/b."""
    return any(
        len(segments) >= 3 * length
        and segments[-length:] == segments[-2 * length : -length] == segments[-3 * length : -2 * length]
        for length in (1, 2, 3)
    )


def is_number_host(host: str) -> bool:
    """Return True for a host written as a number in any form accepted by resolvers (`127.1`, `0x7f.1`)."""
    name = host.rpartition(":")[0] if re.search(r":\d+$", host) else host
    return name.startswith("[") or _NUMBER_HOST.fullmatch(name) is not None
