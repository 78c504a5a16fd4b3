"""Value kinds for the network: addresses and headers, shown without their secrets, and hosts.

In an address, the part before the @ is secret, and so is each parameter that is not declared public:
services name their keys as they like.
"""

from __future__ import annotations

import hashlib
import ipaddress
import re
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from urllib.parse import unquote, unquote_plus, urlsplit, urlunsplit

from windrow.config.kinds import LONGEST_TEXT, Kind, SettingError, is_clean, words

MASK = "********"
MAX_HEADERS = 100
MAX_URLS = 100
# All other headers may carry a key: services name such headers as they like.
HARMLESS_HEADERS = frozenset(
    {"accept", "accept-language", "cache-control", "dnt", "from", "pragma", "referer", "user-agent"}
)
# The arguments of OAI-PMH requests are not secret; they are shown so that requests can be understood.
OAI_ARGUMENTS = frozenset({"verb", "metadataPrefix", "identifier", "from", "until", "set", "resumptionToken"})
_SEPARATOR = re.compile(r"[&;]")
_DIGEST_SALT = b"the query of a source's address"
_DIGEST_ROUNDS = 10_000
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}")  # RFC 9110, 5.6.2
_HTTP = re.compile(r"https?://[^\s/?#]", re.IGNORECASE)

# The start of parameters in a mistyped address: they may follow another sign, or an escaped one.
_BEGUN = r"(?:[?&;#]|%(?:3f|26|3b|23))"
_MISTYPED = re.compile(rf"({_BEGUN}([^=&;#?%\s]*)=)(?:(?!{_BEGUN})\S)+", re.IGNORECASE)
_AFTER = re.compile(_BEGUN, re.IGNORECASE)

_USUAL_PORTS = {"http": 80, "https": 443}

Headers = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class SplitUrl:
    """An address split into its public part and its secrets."""

    url: str
    query: str = field(default="", repr=False)  # the secret parameters, as written
    username: str | None = field(default=None, repr=False)  # decoded, like the password
    password: str | None = field(default=None, repr=False)


def split_url(url: str, public: Collection[str] = ()) -> SplitUrl:
    """Split an address into its public part and its secrets; `public` names parameters that are not secret.

    A text that is not an address with a host is returned unchanged, except for what precedes an @.
    """
    try:
        parts = urlsplit(url)
        userinfo, at, host = parts.netloc.rpartition("@")
    except ValueError:
        return SplitUrl(mask_url(url))
    pieces = [piece for piece in _SEPARATOR.split(parts.query) if piece]
    shown = [piece for piece in pieces if _name(piece) in public]
    hidden = "&".join(piece for piece in pieces if piece not in shown) if shown else parts.query
    if not at and not hidden:
        return SplitUrl(url)
    username, colon, password = userinfo.partition(":")
    bare = urlunsplit(parts._replace(netloc=host, query="&".join(shown)))
    return SplitUrl(
        bare, hidden, unquote(username) if at else None, unquote(password) if at and colon else None
    )


def hide_in_path(url: str, secret: str | None) -> str:
    """Return an address with the secret part of its path masked."""
    if not secret or MASK in url:
        return url
    start, slashes, rest = url.partition("://")
    host, slash, path = rest.partition("/")
    return f"{start}{slashes}{host}{slash}{path.replace(secret, MASK)}"


def fill_path(url: str, secret: str | None) -> str:
    """Return the address to request, with the mask in its path replaced by the secret part."""
    return url.replace(MASK, secret) if secret else url


def add_query(url: str, query: str) -> str:
    """Return an address with additional parameters before the existing ones."""
    if not query:
        return url
    start, _, rest = url.partition("?")
    return f"{start}?{query}&{rest}" if rest else f"{start}?{query}"


@lru_cache(maxsize=1024)
def endpoint(url: str, query: str = "") -> str:
    """Return the identity of a repository: its address, with a digest in place of the query.

    The identity is independent of credentials, and of which parameters are public or secret. It depends on
    the value of every parameter, because `?collection=2` may be another repository than `?collection=1`.
    The digest covers the parameters alone, so that they can be compared after the address has moved. It is
    deliberately slow: it is stored, and a short key must not be found by brute force.
    """
    found = split_url(url)
    pieces = sorted(piece for piece in _SEPARATOR.split(f"{found.query}&{query}") if piece)
    if not pieces:
        return found.url
    text = "&".join(pieces).encode("utf-8", "surrogatepass")
    return f"{found.url}#{hashlib.pbkdf2_hmac('sha256', text, _DIGEST_SALT, _DIGEST_ROUNDS).hex()[:32]}"


def mask_url(url: str, public: Collection[str] = ()) -> str:
    """Return an address with its user name, password and secret parameters masked.

    The arguments of OAI-PMH are shown, and the parameters that `public` names.
    """
    start, mark, query = _mask_userinfo(url).partition("?")
    shown = OAI_ARGUMENTS.union(public)
    pieces = [piece if _name(piece) in shown else _masked(piece) for piece in _SEPARATOR.split(query)]
    return f"{start}{mark}{'&'.join(pieces)}"


def mask_mistyped(word: str) -> str:
    """Return a word that may be a mistyped address, without credentials and parameters."""
    masked = mask_url(word) if re.search("[/@?]", word) else word
    return _MISTYPED.sub(lambda found: found[0] if found[2] in OAI_ARGUMENTS else found[1] + MASK, masked)


def parameters_in(words: str, public: Collection[str] = ()) -> Iterator[str]:
    """Yield each parameter, name and value, of possible addresses in a text.

    The arguments of OAI-PMH are omitted, and the parameters that `public` names.
    """
    shown = OAI_ARGUMENTS.union(public)
    for word in words.split():
        _, *pieces = _AFTER.split(word)
        yield from (piece for piece in pieces if piece and _name(piece) not in shown)


def _mask_userinfo(url: str) -> str:
    start, slashes, rest = url.partition("//")
    if not slashes:
        start, rest = "", url
    authority = re.split(r"[/?#]", rest, maxsplit=1)[0]
    _, at, host = authority.rpartition("@")
    return f"{start}{slashes}{MASK}@{host}{rest[len(authority) :]}" if at else url


def _name(piece: str) -> str:
    return unquote_plus(piece.partition("=")[0])


def _masked(piece: str) -> str:
    name, equals, _ = piece.partition("=")
    return f"{name}={MASK}" if equals else MASK * bool(piece)


def comparable(url: str) -> tuple[str, str]:
    """Return scheme and rest of an address in normalized form, so that equivalent spellings are equal.

    Credentials, case of scheme and host, default port, trailing slash and unnecessary escapes make no
    difference.
    """
    try:
        parts = urlsplit(url.strip())
        host, port = (parts.hostname or "").rstrip("."), parts.port
    except ValueError:
        return "", url
    with suppress(UnicodeError):
        host = host.encode("idna").decode()
    scheme = parts.scheme.lower()
    shown_port = "" if port in (None, _USUAL_PORTS.get(scheme)) else f":{port}"
    query = f"?{unquote(parts.query)}" if parts.query else ""
    return scheme, f"{host}{shown_port}{unquote(parts.path).rstrip('/')}{query}"


def _read_url(value: object) -> str:
    problem = "must be an address that begins with http:// or https://"
    if not isinstance(value, str) or not _HTTP.match(value):
        raise SettingError(problem)
    if len(value) > LONGEST_TEXT or not is_clean(value) or re.search(r"\s", value):
        raise SettingError("must be an address without spaces or control characters")
    try:
        parts = urlsplit(value)
        is_whole = bool(parts.hostname) and parts.port != 0
    except ValueError:  # its message may contain what is between // and @
        is_whole = False
    if not is_whole:
        raise SettingError("must be an address with a host name and, if any, a port from 1 to 65535")
    if parts.fragment:
        raise SettingError("must be an address without a # part")
    return value


def _read_query(value: object) -> str:
    if not isinstance(value, str) or len(value) > LONGEST_TEXT or not is_clean(value):
        raise SettingError("must be parameters such as key=value&other=value")
    if re.search(r"[\s#]", value):
        raise SettingError("must be parameters as an address has them, without spaces and #")
    return value.removeprefix("?")


def _read_path_part(value: object) -> str:
    problem = "must be a part of an address's path, of at least 4 characters and without spaces, ? and #"
    if not isinstance(value, str) or not 4 <= len(value) <= LONGEST_TEXT or not is_clean(value):
        raise SettingError(problem)
    if re.search(r"[\s?#]", value):
        raise SettingError(problem)
    return value.strip("/")


def _read_urls(value: object) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or len(value) > MAX_URLS:
        raise SettingError(
            f'must be a list of at most {MAX_URLS} addresses such as ["https://a.example/oai"]'
        )
    read = tuple(map(_read_url, value))
    if len(set(read)) < len(read):
        raise SettingError("must have no address twice")
    return read


def _read_headers(value: object) -> Headers:
    if not isinstance(value, Mapping) or len(value) > MAX_HEADERS:
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
    """Parse headers as HTTP writes them, one per line."""
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
# The loaded value of a source's address is public, including its parameters.
SOURCE_URL: Kind[str] = Kind("http or https address", _read_url, show=_mask_userinfo)
URLS: Kind[tuple[str, ...]] = Kind(
    "list of http or https addresses",
    _read_urls,
    str.split,
    lambda urls: ", ".join(map(mask_url, urls)),
)
QUERY: Kind[str] = Kind("parameters of an address", _read_query)
PATH_PART: Kind[str] = Kind("part of an address's path", _read_path_part)
HEADERS: Kind[Headers] = Kind("table of headers", _read_headers, _parse_headers, _show_headers)

# Hosts: listening addresses, networks, mail addresses, domains.

_HOST = re.compile(r"[A-Za-z0-9_.-]{1,253}")
_MAIL = re.compile(r"[^\s@<>()\[\],;:\\\"]{1,64}@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*", re.ASCII)
# As in the XML schema of oai-identifier.
_DOMAIN = re.compile(r"[a-zA-Z][a-zA-Z0-9-]*(?:\.[a-zA-Z][a-zA-Z0-9-]*)+")
_LONGEST = 254


def is_mail(text: str) -> bool:
    return len(text) <= _LONGEST and bool(_MAIL.fullmatch(text))


def _read_host(value: object) -> str:
    text = value if isinstance(value, str) else ""
    bare = text.removeprefix("[").removesuffix("]")
    if not _HOST.fullmatch(bare) and not _is_network(bare):
        raise SettingError("must be a host name or an IP address, without a port")
    return bare


def _read_mail(value: object) -> str:
    if not isinstance(value, str) or not is_mail(value):
        raise SettingError("must be a mail address such as metadata@library.example")
    return value


def _read_mails(value: object) -> tuple[str, ...]:
    return tuple(map(_read_mail, _WORDS.read(value)))


def _read_domain(value: object) -> str:
    if not isinstance(value, str) or len(value) > _LONGEST or not _DOMAIN.fullmatch(value):
        raise SettingError("must be a domain name such as library.example")
    return value


def _read_networks(value: object) -> tuple[str, ...]:
    listed = _WORDS.read(value)
    if not all(map(_is_network, listed)):
        raise SettingError('must be a list of IP addresses or networks such as ["10.0.0.1", "10.1.0.0/16"]')
    return listed


def _is_network(text: str) -> bool:
    try:
        ipaddress.ip_network(text)
    except ValueError:
        return False
    return True


_WORDS = words(0)
HOST: Kind[str] = Kind("host name or IP address", _read_host)
MAIL: Kind[str] = Kind("mail address", _read_mail)
MAILS: Kind[tuple[str, ...]] = Kind("list of mail addresses", _read_mails, _WORDS.parse, _WORDS.show)
REPOSITORY_IDENTIFIER: Kind[str] = Kind("domain name", _read_domain)
NETWORKS: Kind[tuple[str, ...]] = Kind(
    "list of IP addresses or networks", _read_networks, _WORDS.parse, _WORDS.show
)
