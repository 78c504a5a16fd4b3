"""The headers of a request: who we are for everyone, credentials only for the server they are meant for."""

from __future__ import annotations

import re
import ssl
from base64 import b64encode
from dataclasses import dataclass, field

from windrow import __version__
from windrow.errors import ConfigError
from windrow.net.address import Address, is_trusted

# How the HTTP client behaves towards one source: made by `wiring` from the configuration.

MEBIBYTE = 1024 * 1024


def user_agent(contact: str | None = None) -> str:
    """Return the name Windrow goes by, with an address where an annoyed operator can complain."""
    name = f"Windrow/{__version__}"
    return f"{name} (+{contact})" if contact else name


@dataclass(frozen=True, slots=True)
class HttpSettings:
    """Limits, patience and identity. What may hold a secret is never shown by repr."""

    timeout_seconds: float = 60.0  # connecting, and each wait for more bytes
    deadline_seconds: float = 900.0  # one whole response: a server that drips a byte a minute ends here
    max_response_bytes: int = 256 * MEBIBYTE  # of the body, on the wire and decompressed alike
    attempts: int = 5  # tries for one request, transport faults and busy answers alike
    waits: int | None = None  # times one request may be asked to come back later; None: as `attempts`
    backoff_seconds: float = 2.0  # the first pause; doubled each time, with jitter
    max_wait_seconds: float = 300.0  # the longest pause; a longer Retry-After ends the request
    delay_seconds: float = 0.0  # least time between the end of one request to a host and the next
    user_agent: str = field(default_factory=user_agent)
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    username: str | None = field(default=None, repr=False)
    password: str | None = field(default=None, repr=False)
    proxy: str | None = field(default=None, repr=False)  # None: as the environment says
    verify_tls: bool = True
    ca_file: str | None = None  # replaces the system's authorities
    ignore_retry_after: bool = False
    secret_path: str | None = field(default=None, repr=False)  # sent in place of the mask in an address
    public_query: tuple[str, ...] = ()  # parameters of an address that may be shown, besides those of OAI-PMH

    def __post_init__(self) -> None:
        for name in ("timeout_seconds", "deadline_seconds", "max_response_bytes", "attempts"):
            if getattr(self, name) <= 0:
                raise ConfigError(f"the HTTP setting {name} must be more than nothing")


ACCEPT_ENCODING = "gzip, deflate, zstd"

_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_HEADER_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]*")


def check_headers(settings: HttpSettings) -> None:
    """Refuse configured headers that HTTP cannot carry; the message shows the name alone."""
    for name, value in (*settings.headers, ("User-Agent", settings.user_agent)):
        if not _HEADER_NAME.fullmatch(name) or not _HEADER_VALUE.fullmatch(value):
            raise ConfigError(f"the header {name!r} holds a character that HTTP cannot carry")


def request_headers(
    settings: HttpSettings, origin: Address, address: Address, cookie: str | None
) -> dict[str, str]:
    """Return the headers for `address` in a request that set out for `origin`."""
    headers = {"User-Agent": settings.user_agent, "Accept": "*/*", "Accept-Encoding": ACCEPT_ENCODING}
    if cookie:
        headers["Cookie"] = cookie
    if is_trusted(origin, address):
        credentials = _basic_credentials(settings, origin)
        if credentials:
            headers["Authorization"] = credentials
        for name, value in settings.headers:
            _replace_header(headers, name, value)
    return headers


def _basic_credentials(settings: HttpSettings, origin: Address) -> str | None:
    """Return Basic credentials: those in the address, being nearer, before those of the settings."""
    username, password = origin.username, origin.password
    if username is None:
        username, password = settings.username, settings.password
    if username is None:
        return None
    return "Basic " + b64encode(f"{username}:{password or ''}".encode()).decode("ascii")


def _replace_header(headers: dict[str, str], name: str, value: str) -> None:
    """Set a header whatever the case of the one that is there: sent twice, servers choose at random."""
    for known in [known for known in headers if known.lower() == name.lower()]:
        del headers[known]
    headers[name] = value


# How a connection is made safe: whose certificates are trusted.


def tls_context(settings: HttpSettings) -> ssl.SSLContext:
    """Return what all connections of a client share: to read the authorities costs as much as many requests."""
    try:
        context = ssl.create_default_context(cafile=settings.ca_file)
    except (OSError, ssl.SSLError) as exc:
        raise ConfigError(f"the setting `ca_file` ({settings.ca_file}) cannot be read: {exc}") from exc
    context.set_alpn_protocols(["http/1.1"])
    if not settings.verify_tls:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context
