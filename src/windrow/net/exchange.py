"""One request and its whole answer, on one connection: no redirect, no second try, no pause.

The client loads this file, and http.client with it, at its first request.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

from windrow.errors import TooLarge
from windrow.net.address import Address
from windrow.net.body import drain, read_body
from windrow.net.bounded import DeadlinePassed, Flooded, Limits
from windrow.net.direct import Direct
from windrow.net.encoding import OverLimit, decode
from windrow.net.faults import Fault
from windrow.net.incoming import Incoming, Way
from windrow.net.proxies import proxy_for
from windrow.net.redirect import REDIRECT_STATUSES
from windrow.net.settings import MEBIBYTE, HttpSettings


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back, whatever the status. The body of a redirect is not kept."""

    status: int
    headers: Mapping[str, str]
    set_cookies: tuple[str, ...]
    body: bytes
    wire_bytes: int
    seconds: float


class Exchange:
    """Sends requests over the connections of one client."""

    def __init__(self, settings: HttpSettings) -> None:
        self._settings = settings
        # Twice the body: framing is honest overhead, but endless trailers or interim answers are not.
        self._limits = Limits(settings.deadline_seconds, 2 * settings.max_response_bytes + MEBIBYTE)
        self._ways: dict[str | None, Way] = {}  # by the proxy that each leads through
        self._found: dict[tuple[str, str], Way] = {}  # by scheme and host

    def close(self) -> None:
        """Close the connections."""
        for way in self._ways.values():
            way.close()

    def send(self, address: Address, headers: Mapping[str, str], *, body: bytes | None = None) -> Reply:
        """Ask once; post where there is something to send.

        A Fault says what went wrong with this try; TooLarge that no other will do better.
        """
        started = time.monotonic()
        try:
            incoming = self._way(address).ask(address, headers, body)
            try:
                answer, wire_bytes = self._read(incoming)
            finally:
                incoming.release()
        except (DeadlinePassed, Flooded, OverLimit) as exc:
            raise self._limit_error(address, exc) from exc
        seconds = time.monotonic() - started
        cookies = incoming.headers.all("set-cookie")
        return Reply(incoming.status, incoming.headers, cookies, answer, wire_bytes, seconds)

    def _way(self, address: Address) -> Way:
        found = self._found.get((address.scheme, address.key))
        if found is None:
            proxy = proxy_for(address, self._settings.proxy)
            found = self._ways.get(proxy)
            if found is None:
                found = self._ways[proxy] = self._open(proxy)
            self._found[address.scheme, address.key] = found
        return found

    def _open(self, proxy: str | None) -> Way:
        if proxy is None:
            return Direct(self._settings, self._limits)
        from windrow.net.proxied import Proxied  # noqa: PLC0415 - urllib3, only when it is needed

        return Proxied(proxy, self._settings, self._limits)

    def _read(self, incoming: Incoming) -> tuple[bytes, int]:
        """Give the decoded body and its size on the wire; nothing where an error page breaks off."""
        if incoming.status in REDIRECT_STATUSES:
            with suppress(Fault):
                drain(incoming)
            return b"", 0
        limit = self._settings.max_response_bytes
        try:
            wire = read_body(incoming, limit=limit)
            if wire is None:
                raise OverLimit
            return decode(wire, incoming.headers.get("content-encoding"), limit=limit), len(wire)
        except Fault:
            if incoming.status < 400:
                raise
            return b"", 0

    def _limit_error(self, address: Address, exc: Exception) -> Exception:
        settings = self._settings
        if isinstance(exc, DeadlinePassed):
            reason = f"the answer was not whole after {settings.deadline_seconds:g} seconds"
            return Fault(reason, is_final=True, hint="Raise `deadline` for this source if it is only slow.")
        return TooLarge(f"{address.shown}: the answer has more than {settings.max_response_bytes:,} bytes")
