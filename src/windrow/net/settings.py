"""How the HTTP client behaves towards one source: made by `wiring` from the configuration."""

from __future__ import annotations

from dataclasses import dataclass, field

from windrow import __version__
from windrow.errors import ConfigError

MEBIBYTE = 1024 * 1024


def user_agent(contact: str | None = None) -> str:
    """Give the name Windrow goes by, with an address where an annoyed operator can complain."""
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
