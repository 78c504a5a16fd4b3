"""The statuses that end a request, each with a sentence and a hint; and the walls put up against robots."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus

from windrow.errors import HttpRefused

WALL_HINT = (
    "The server takes Windrow for an unwanted robot. Ask its operators to let harvesting through; "
    "a user agent with your contact helps them to say yes."
)
LOOKED_AT_BYTES = 64 * 1024

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


def announced_wall(headers: Mapping[str, str]) -> str | None:
    """Name the bot wall that says so itself in a header: no second try gets past it."""
    return next((wall for name, wall in _WALL_HEADERS if name in headers), None)


def wall_of(headers: Mapping[str, str], body: bytes) -> str | None:
    """Name the bot wall whose page this is; None where it is something else.

    By header it is certain; by words only an HTML page counts, since a record may well speak of captchas.
    """
    if wall := announced_wall(headers):
        return wall
    start = body[:LOOKED_AT_BYTES].lower()
    if b"<html" not in start[:2048] and b"<!doctype html" not in start[:2048]:
        return None
    return next((wall for words, wall in _WALL_WORDS if words in start), None)


def refusal(url: str, status: int, wall: str | None) -> HttpRefused:
    """Give the error for a status that no second try will change."""
    reason, hint = status_reason(status, wall)
    return HttpRefused(f"{url}: {reason}", status=status, hint=hint)


def status_reason(status: int, wall: str | None) -> tuple[str, str | None]:
    """Give the status as people know it (`HTTP 404 Not Found`) and what to do about it."""
    words = f"HTTP {status}"
    if status in HTTPStatus.__members__.values():
        words += f" {HTTPStatus(status).phrase}"
    return (f"{words}, a page against robots ({wall})", WALL_HINT) if wall else (words, _HINTS.get(status))
