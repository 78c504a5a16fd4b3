"""Webhooks: JSON posted to a configured address once, within a time limit, signed if there is a secret.

Only the host of the address is ever shown: many have a key in their path.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from windrow.errors import HttpRefused, Undelivered, UsageError, WindrowError
from windrow.net.address import Address, parse_address, resolve_redirect
from windrow.net.faults import Fault
from windrow.net.http_settings import HttpSettings, request_headers, user_agent

if TYPE_CHECKING:
    from windrow.net.exchange import Exchange, Reply

SIGNATURE = "Windrow-Signature"
MAX_WEBHOOK_REDIRECTS = 3
MAX_ANSWER_BYTES = 1024 * 1024  # the response is discarded
_CACHED_METHOD = frozenset({307, 308})  # other redirects turn a POST into a GET, which delivers nothing


@dataclass(frozen=True, slots=True)
class Webhook:
    """Where and how to post. Fields that may contain a secret are left out of repr."""

    url: str = field(repr=False)
    secret: str | None = field(default=None, repr=False)
    timeout_seconds: float = 30.0
    contact: str | None = None
    ca_file: str | None = None  # replaces the system's certificate authorities


def sign(body: bytes, secret: str) -> str:
    """Return the signature of a body as sent in the header."""
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def post_json(hook: Webhook, body: bytes) -> None:
    """Post a body; raises Undelivered if it is not accepted. Redirects must stay on the same server."""
    from windrow.net.exchange import Exchange  # noqa: PLC0415 - loaded on demand

    settings = HttpSettings(
        timeout_seconds=hook.timeout_seconds,
        deadline_seconds=hook.timeout_seconds,
        max_response_bytes=MAX_ANSWER_BYTES,
        user_agent=user_agent(hook.contact),
        ca_file=hook.ca_file,
    )
    own = {"Content-Type": "application/json"} | ({SIGNATURE: sign(body, hook.secret)} if hook.secret else {})
    origin = address = _address(hook.url)
    exchange = Exchange(settings)
    try:
        for _ in range(MAX_WEBHOOK_REDIRECTS + 1):
            headers = request_headers(settings, origin, address, None) | own
            reply = _post(exchange, address, headers, body)
            if 200 <= reply.status < 300:
                return
            address = _redirect_target(address, reply)
    finally:
        exchange.close()
    raise Undelivered(f"the webhook at {origin.key} redirects more than {MAX_WEBHOOK_REDIRECTS} times")


def _post(exchange: Exchange, address: Address, headers: Mapping[str, str], body: bytes) -> Reply:
    try:
        return exchange.send(address, headers, body=body)
    except Fault as fault:
        raise Undelivered(f"the webhook at {address.key}: {fault.reason}") from fault
    except WindrowError as exc:  # its message contains the whole address
        raise Undelivered(f"the webhook at {address.key} cannot be asked, or answers with too much") from exc


def _redirect_target(address: Address, reply: Reply) -> Address:
    if reply.status not in _CACHED_METHOD:
        raise Undelivered(f"the webhook at {address.key} answered HTTP {reply.status}")
    try:
        target = resolve_redirect(address, reply.status, reply.headers)
    except HttpRefused:
        raise Undelivered(f"the webhook at {address.key} redirects to nowhere sensible") from None
    if (target.scheme, target.key) != (address.scheme, address.key):
        raise Undelivered(
            f"the webhook at {address.key} redirects to {target.key}, where nothing is sent",
            hint="If that is right, let `webhook` in [notify] name the new address.",
        )
    return target


def _address(url: str) -> Address:
    try:
        return parse_address(url)
    except UsageError:
        raise Undelivered("the setting `webhook` is not a web address") from None
