"""Faults of a single try, with their messages: raised by the exchange, turned into retries by the client."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Mapping
from http import HTTPStatus
from http.client import IncompleteRead, RemoteDisconnected

from windrow.errors import HttpRefused, Unreachable, UpstreamBusy, UpstreamError

BUSY_STATUSES = frozenset({202, 429, 503})  # 202: the answer is not ready yet


class Fault(Exception):
    """A failed try. `reason` completes the message "URL: …" and contains no secrets.

    `status` is the HTTP status, if any, and `asked` the Retry-After in seconds; a fault that `is_final` would
    happen again.
    """

    def __init__(
        self,
        reason: str,
        *,
        status: int | None = None,
        asked: float | None = None,
        is_final: bool = False,
        hint: str | None = None,
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.status = status
        self.asked = asked
        self.is_final = is_final
        self.hint = hint

    def error(self, url: str, tries: int) -> UpstreamError:
        """Return the error that ends the request after this many tries."""
        message = f"{url}: {self.reason}" + (f" ({tries} tries)" if tries > 1 else "")
        if self.status is None:
            return Unreachable(message, hint=self.hint)
        if self.status in BUSY_STATUSES:
            return UpstreamBusy(message, seconds=self.asked, hint=self.hint)
        return HttpRefused(message, status=self.status, hint=self.hint)


# Transport faults: exceptions of sockets and http.client as messages.

TLS_HINT = (
    "If the server's certificate is signed by your own authority, name it with `ca_file`; "
    "`verify_tls = false` trusts any certificate, and anyone in between."
)


def transport_fault(exc: Exception, timeout_seconds: float) -> Fault:
    """Return the fault. Foreign messages are not quoted: they may contain addresses with secrets."""
    if isinstance(exc, TimeoutError):
        return Fault(f"no answer within {timeout_seconds:g} seconds")
    if isinstance(exc, ssl.SSLError):
        return tls_fault(exc)
    return Fault(_breakage_fault(exc))


def connection_fault(exc: Exception, timeout_seconds: float) -> Fault:
    causes = _exception_causes(exc)
    if any(isinstance(cause, ConnectionRefusedError) for cause in causes):
        return Fault("the connection was refused")
    if any(isinstance(cause, socket.gaierror | UnicodeError) for cause in causes):
        return Fault("the host's name is not known")
    if isinstance(exc, TimeoutError):
        return Fault(f"no connection within {timeout_seconds:g} seconds")
    return Fault("no connection can be made")


def _exception_causes(exc: BaseException) -> list[BaseException]:
    """Return the exception and those it wraps: urllib3 passes the cause as an argument."""
    found = [exc, *(argument for argument in exc.args if isinstance(argument, BaseException))]
    return [*found, *(cause for cause in (exc.__cause__, exc.__context__) if cause)]


def tls_fault(exc: BaseException) -> Fault:
    causes = _exception_causes(exc)
    for cause in causes:
        if isinstance(cause, ssl.SSLCertVerificationError):
            reason = f"the server's certificate is not trusted ({cause.verify_message})"
            return Fault(reason, is_final=True, hint=TLS_HINT)
    if any(isinstance(cause, ssl.SSLEOFError | ssl.SSLZeroReturnError | ConnectionError) for cause in causes):
        return Fault("the TLS connection broke")  # an interruption, not a disagreement: worth another try
    words = next((cause.reason for cause in causes if isinstance(cause, ssl.SSLError) and cause.reason), "")
    return Fault(f"TLS failed{f' ({words})' if words else ''}", is_final=True, hint=TLS_HINT)


def _breakage_fault(exc: BaseException) -> str:
    causes = _exception_causes(exc)
    if any(isinstance(cause, IncompleteRead) for cause in causes):
        return "the answer was cut short"
    if any(isinstance(cause, RemoteDisconnected | ConnectionError) for cause in causes):
        return "the connection was closed before the answer was whole"
    return "the answer is not proper HTTP, or breaks off"


# Statuses that end a request, each with a message and a hint; and bot walls.

WALL_HINT = (
    "The server takes Windrow for an unwanted robot. Ask its operators to let harvesting through; "
    "a user agent with your contact helps them to say yes."
)
WALL_SEARCH_BYTES = 64 * 1024

_HINTS = {
    400: "The server does not like the request; is this the base address, without arguments?",
    401: "It wants credentials: set `username` and `password`, or a header, for this source.",
    403: "Credentials may be missing or wrong, or the server keeps robots out.",
    404: "Is the address right? Repositories move; try it in a browser.",
    406: "The server cannot send what we accept.",
    407: "The proxy wants credentials: put them into its address, http://name:password@proxy:3128.",
    410: "The server says it is gone for good; the repository may have moved.",
    413: "The request asks for too much at once.",
    414: "The address is too long for this server.",
    451: "The server says the law forbids it.",
}
_WALL_HEADERS = (
    ("cf-mitigated", "Cloudflare"),
    ("x-amzn-waf-action", "AWS WAF"),
    ("x-sucuri-block", "Sucuri"),
)
_WALL_WORDS = (
    (b"just a moment...", "Cloudflare"),
    (b"cf-chl-", "Cloudflare"),
    (b"attention required! | cloudflare", "Cloudflare"),
    (b"_incapsula_resource", "Imperva"),
    (b"ddos-guard", "DDoS-Guard"),
    (b"making sure you're not a bot", "Anubis"),
    (b"within.website/x/cmd/anubis", "Anubis"),
    (b"captcha", "a captcha"),
)


def detect_announced_wall(headers: Mapping[str, str]) -> str | None:
    """Return the bot wall that announces itself in a header; no other try gets past it."""
    return next((wall for name, wall in _WALL_HEADERS if name in headers), None)


def detect_wall(headers: Mapping[str, str], body: bytes) -> str | None:
    """Return the bot wall that this page belongs to, else None.

    A header is proof; words count only in an HTML page, since a record may well mention captchas.
    """
    if wall := detect_announced_wall(headers):
        return wall
    start = body[:WALL_SEARCH_BYTES].lower()
    if b"<html" not in start[:2048] and b"<!doctype html" not in start[:2048]:
        return None
    return next((wall for words, wall in _WALL_WORDS if words in start), None)


def refusal_error(url: str, status: int, wall: str | None) -> HttpRefused:
    """Return the error for a status that no other try will change."""
    reason, hint = status_reason(status, wall)
    return HttpRefused(f"{url}: {reason}", status=status, hint=hint)


def status_reason(status: int, wall: str | None) -> tuple[str, str | None]:
    """Return the status with its phrase (`HTTP 404 Not Found`) and a hint."""
    words = f"HTTP {status}"
    if status in HTTPStatus.__members__.values():
        words += f" {HTTPStatus(status).phrase}"
    return (f"{words}, a page against robots ({wall})", WALL_HINT) if wall else (words, _HINTS.get(status))
