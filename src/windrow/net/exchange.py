"""One request and its whole answer, on one connection: no redirect, no second try, no pause.

The client loads this file, and urllib3 with it, at its first request.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

from urllib3.exceptions import HTTPError, LocationValueError
from urllib3.response import BaseHTTPResponse
from urllib3.util import Timeout

from windrow.errors import TooLarge, UsageError
from windrow.net.address import Address
from windrow.net.body import drain, read_body
from windrow.net.connection import DeadlinePassed, Flooded
from windrow.net.encoding import OverLimit, decode
from windrow.net.faults import Fault
from windrow.net.pools import Pools
from windrow.net.redirect import REDIRECT_STATUSES
from windrow.net.settings import HttpSettings
from windrow.net.transport import fault_of


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
        self._pools = Pools(settings)
        self._timeout = Timeout(connect=settings.timeout_seconds, read=settings.timeout_seconds)

    def close(self) -> None:
        """Close the connections."""
        self._pools.close()

    def send(self, address: Address, headers: Mapping[str, str], *, body: bytes | None = None) -> Reply:
        """Ask once; post where there is something to send.

        A Fault says what went wrong with this try; TooLarge that no other will do better.
        """
        started = time.monotonic()
        try:
            response = self._request(address, headers, body)
            try:
                answer, wire_bytes = self._read(response)
            finally:
                _release(response)
        except (DeadlinePassed, Flooded, OverLimit) as exc:
            raise self._limit_error(address, exc) from exc
        except (HTTPError, OSError) as exc:
            raise fault_of(exc, self._settings.timeout_seconds) from exc
        cookies = tuple(response.headers.getlist("set-cookie"))
        seconds = time.monotonic() - started
        return Reply(response.status, response.headers, cookies, answer, wire_bytes, seconds)

    def _request(self, address: Address, headers: Mapping[str, str], body: bytes | None) -> BaseHTTPResponse:
        pool, target = self._pools.pool(address)
        try:
            return pool.urlopen(
                "GET" if body is None else "POST",
                target,
                body=body,
                headers=headers,
                redirect=False,
                retries=False,
                assert_same_host=False,
                timeout=self._timeout,
                preload_content=False,
                decode_content=False,
            )
        except LocationValueError as exc:
            raise UsageError(f"{address.url}: no request can be made to this address") from exc
        except ValueError as exc:  # out of http.client, of headers nobody should send
            raise Fault("the answer is not proper HTTP") from exc

    def _read(self, response: BaseHTTPResponse) -> tuple[bytes, int]:
        """Give the decoded body and its size on the wire; nothing where an error page breaks off."""
        if response.status in REDIRECT_STATUSES:
            with suppress(HTTPError, OSError):
                drain(response)
            return b"", 0
        limit = self._settings.max_response_bytes
        try:
            wire = read_body(response, limit=limit)
            if wire is None:
                raise OverLimit
            return decode(wire, response.headers.get("content-encoding"), limit=limit), len(wire)
        except (HTTPError, OSError, Fault):
            if response.status < 400:
                raise
            return b"", 0

    def _limit_error(self, address: Address, exc: Exception) -> Exception:
        settings = self._settings
        if isinstance(exc, DeadlinePassed):
            reason = f"the answer was not whole after {settings.deadline_seconds:g} seconds"
            return Fault(reason, is_final=True, hint="Raise `deadline` for this source if it is only slow.")
        return TooLarge(f"{address.url}: the answer has more than {settings.max_response_bytes:,} bytes")


def _release(response: BaseHTTPResponse) -> None:
    """Keep the connection if the answer was read to its end, drop it otherwise."""
    if not response.closed:
        response.close()
    response.release_conn()
