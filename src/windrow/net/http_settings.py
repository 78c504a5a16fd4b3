"""Settings and headers of HTTP requests: limits, identity, TLS, and credentials for their own server only."""

from __future__ import annotations

import re
import ssl
from base64 import b64encode
from dataclasses import dataclass, field

from windrow import __version__
from windrow.errors import ConfigError
from windrow.net.address import Address, is_trusted

# The settings of the HTTP client for one source, made from the configuration by `wiring.oai_source`.

MEBIBYTE = 1024 * 1024


def user_agent(contact: str | None = None) -> str:
    """Return the User-Agent, with an address that operators can contact."""
    name = f"Windrow/{__version__}"
    return f"{name} (+{contact})" if contact else name


@dataclass(frozen=True, slots=True)
class HttpSettings:
    """Limits, timeouts, retries and identity. Fields that may contain a secret are left out of repr."""

    timeout_seconds: float = 60.0  # for connecting, and for each wait for more bytes
    deadline_seconds: float = 900.0  # for one whole response, against servers that drip a byte a minute
    max_response_bytes: int = 256 * MEBIBYTE  # of the body, both on the wire and decompressed
    attempts: int = 5  # tries of one request, for transport faults and busy answers
    waits: int | None = None  # times a server may ask one request to come back later; None: as `attempts`
    backoff_seconds: float = 2.0  # the first pause; doubled each time, with jitter
    max_wait_seconds: float = 300.0  # the longest pause; a longer Retry-After ends the request
    delay_seconds: float = 0.0  # minimum time between two requests to a host
    user_agent: str = field(default_factory=user_agent)
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    username: str | None = field(default=None, repr=False)
    password: str | None = field(default=None, repr=False)
    proxy: str | None = field(default=None, repr=False)  # None: from the environment
    verify_tls: bool = True
    ca_file: str | None = None  # replaces the system's certificate authorities
    ignore_retry_after: bool = False
    secret_path: str | None = field(default=None, repr=False)  # sent in place of the mask in an address
    public_query: tuple[str, ...] = ()  # query parameters that may be shown, besides those of OAI-PMH

    def __post_init__(self) -> None:
        for name in ("timeout_seconds", "deadline_seconds", "max_response_bytes", "attempts"):
            if getattr(self, name) <= 0:
                raise ConfigError(f"the HTTP setting {name} must be more than nothing")


ACCEPT_ENCODING = "gzip, deflate, zstd"

_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_HEADER_VALUE = re.compile(r"[\t\x20-\x7e\x80-\xff]*")


def check_headers(settings: HttpSettings) -> None:
    """Reject configured headers that HTTP cannot carry; the message shows only the name."""
    for name, value in (*settings.headers, ("User-Agent", settings.user_agent)):
        if not _HEADER_NAME.fullmatch(name) or not _HEADER_VALUE.fullmatch(value):
            raise ConfigError(f"the header {name!r} holds a character that HTTP cannot carry")


def request_headers(
    settings: HttpSettings, origin: Address, address: Address, cookie: str | None
) -> dict[str, str]:
    """Return the headers for `address` in a request that began at `origin`."""
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
    """Return Basic credentials: those in the address take precedence over those of the settings."""
    username, password = origin.username, origin.password
    if username is None:
        username, password = settings.username, settings.password
    if username is None:
        return None
    return "Basic " + b64encode(f"{username}:{password or ''}".encode()).decode("ascii")


def _replace_header(headers: dict[str, str], name: str, value: str) -> None:
    """Set a header, ignoring case: of a header sent twice, servers may use either."""
    for known in [known for known in headers if known.lower() == name.lower()]:
        del headers[known]
    headers[name] = value


# TLS: which certificates are trusted.


def tls_context(settings: HttpSettings) -> ssl.SSLContext:
    """Return the context shared by all connections of a client: loading the certificates is expensive."""
    try:
        context = ssl.create_default_context(cafile=settings.ca_file)
    except (OSError, ssl.SSLError) as exc:
        raise ConfigError(f"the setting `ca_file` ({settings.ca_file}) cannot be read: {exc}") from exc
    context.set_alpn_protocols(["http/1.1"])
    if not settings.verify_tls:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context
