"""The client: asks until there is an answer, at the pace the host wants, or says why there is none.

Each try is one `Exchange.send`; here is what lies between tries: redirects, verdicts, pauses, memory.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from windrow.errors import HttpRefused, UpstreamBusy
from windrow.net.address import Address, parse_address
from windrow.net.answer import Answer
from windrow.net.cookies import Cookies
from windrow.net.faults import BUSY_STATUSES, Fault
from windrow.net.politeness import Hosts, Memory, Wait
from windrow.net.redirect import MAX_REDIRECTS, REDIRECT_STATUSES, redirected
from windrow.net.refusal import announced_wall, refusal, status_reason, wall_of
from windrow.net.request_headers import check_headers, request_headers
from windrow.net.retry import RETRIED_STATUSES, backoff
from windrow.net.retry_after import parse_retry_after
from windrow.net.settings import HttpSettings

if TYPE_CHECKING:
    from windrow.net.exchange import Exchange, Reply

OK_STATUSES = frozenset({200, 203})  # 203: a proxy changed something on the way, which it may
ASKED_TO_WAIT = "the server asked to come back later"

IsAnswer = Callable[[int, bytes], bool]


def _utc_now() -> datetime:
    return datetime.now(UTC)


@dataclass(slots=True)
class _Trip:
    """One `get` on its way: where it set out, where it is, how often it failed."""

    origin: Address
    address: Address
    failures: int = 0
    seen: set[tuple[str, str | None]] = field(default_factory=set)  # addresses with the cookies sent there


class HttpClient:
    """Fetches addresses for one source, in one thread at a time.

    Clients of several threads share `hosts`, which keeps them from crowding a server together.
    `sleep` may raise to end a request; whatever it raises passes through.
    """

    def __init__(
        self,
        settings: HttpSettings,
        *,
        memory: Memory | None = None,
        hosts: Hosts | None = None,
        clock: Callable[[], datetime] = _utc_now,
        sleep: Callable[[float], None] = time.sleep,
        on_wait: Callable[[Wait], None] | None = None,
    ) -> None:
        self._settings = settings
        self._memory = memory
        self._hosts = hosts or Hosts()
        self._clock = clock
        self._sleep = sleep
        self._on_wait = on_wait
        self._cookies = Cookies()
        self._greeted: set[str] = set()  # hosts whose remembered rest we have looked up
        self._remembered: set[str] = set()  # hosts with a rest in memory that a success must clear
        self._exchange: Exchange | None = None

    def get(self, url: str, *, is_answer: IsAnswer | None = None) -> Answer:
        """Give the answer of this address, after as many redirects, tries and pauses as the settings allow.

        `is_answer` is shown the status and body of what would count as a failure, and may let it count.
        """
        address = parse_address(url)
        trip = _Trip(address, address)
        while True:
            try:
                reply = self._send(trip)
                if self._is_good(reply, is_answer):
                    return self._arrive(trip, reply)
                self._go_on(trip, reply)
            except Fault as fault:
                self._try_again(trip, fault)

    def close(self) -> None:
        """Close the connections kept open; a later request opens its own."""
        if self._exchange is not None:
            self._exchange.close()

    # One try

    def _send(self, trip: _Trip) -> Reply:
        if self._exchange is None:
            from windrow.net.exchange import Exchange  # noqa: PLC0415 - only when it is needed

            check_headers(self._settings)
            self._exchange = Exchange(self._settings)
        address = trip.address
        self._greet(trip)
        with self._hosts.turn(
            address.key,
            delay=self._settings.delay_seconds,
            pause=lambda seconds, is_rest: self._pause_in_turn(trip, seconds, is_rest),
        ):
            cookie = self._cookies.header(address, now=self._clock())
            trip.seen.add((address.url, cookie))
            reply = self._exchange.send(
                address, request_headers(self._settings, trip.origin, address, cookie)
            )
        if reply.set_cookies:
            self._cookies.keep(address, reply.set_cookies, now=self._clock())
        return reply

    def _greet(self, trip: _Trip) -> None:
        """Before the first request to a host, wait for what it asked in an earlier run."""
        key = trip.address.key
        if key in self._greeted or self._memory is None:
            return
        until = self._memory.not_before(key)
        if until is not None:
            self._remembered.add(key)
            seconds = (until - self._clock()).total_seconds()
            if seconds > 0 and not self._settings.ignore_retry_after:
                self._rest(trip, seconds)
        self._greeted.add(key)

    # Verdicts

    def _is_good(self, reply: Reply, is_answer: IsAnswer | None) -> bool:
        if reply.status in OK_STATUSES and reply.body:
            return True
        if reply.status in REDIRECT_STATUSES or is_answer is None:
            return False
        if reply.status in BUSY_STATUSES and self._asked(reply) is not None:
            return False  # an error page in good XML is still a request to wait
        return is_answer(reply.status, reply.body)

    def _arrive(self, trip: _Trip, reply: Reply) -> Answer:
        key = trip.address.key
        if key in self._remembered and self._memory is not None:
            self._memory.remember(key, None)
            self._remembered.discard(key)
        return Answer(
            url=trip.address.url,
            status=reply.status,
            headers=reply.headers,
            body=reply.body,
            wire_bytes=reply.wire_bytes,
            seconds=reply.seconds,
            retries=trip.failures,
        )

    def _go_on(self, trip: _Trip, reply: Reply) -> None:
        """Follow a redirect; for the rest raise a Fault where another try may help, the refusal where not."""
        status = reply.status
        if status in REDIRECT_STATUSES:
            return self._follow(trip, reply)
        if status in OK_STATUSES:
            raise Fault("the answer is empty")
        asked = self._asked(reply)
        is_retried = status in RETRIED_STATUSES or (status >= 500 and asked is not None)
        if not is_retried or (asked is None and announced_wall(reply.headers)):
            raise refusal(trip.address.url, status, wall_of(reply.headers, reply.body))
        reason, hint = status_reason(status, wall_of(reply.headers, reply.body))
        raise Fault(reason, status=status, asked=asked, hint=hint if status not in BUSY_STATUSES else None)

    def _follow(self, trip: _Trip, reply: Reply) -> None:
        target = redirected(trip.address, reply.status, reply.headers)
        if len(trip.seen) > MAX_REDIRECTS:
            raise HttpRefused(f"{trip.origin.url}: more than {MAX_REDIRECTS} redirects", status=reply.status)
        # Not a loop where a cookie was set in between: session checks send people round once.
        if (target.url, self._cookies.header(target, now=self._clock())) in trip.seen:
            raise HttpRefused(f"{trip.origin.url}: redirects lead in a circle", status=reply.status)
        asked = self._asked(reply)
        if asked is not None:
            self._remember(trip.address.key, asked)
            self._rest(trip, asked)
        trip.address = target

    def _asked(self, reply: Reply) -> float | None:
        """Give the seconds the host wants us to wait, None where it said nothing or is not heard."""
        value = reply.headers.get("retry-after")
        if value is None or self._settings.ignore_retry_after:
            return None
        return parse_retry_after(value, now=self._clock())

    # Pauses

    def _try_again(self, trip: _Trip, fault: Fault) -> None:
        """Pause before the next try, or raise what ends the request."""
        trip.failures += 1
        if fault.asked is not None:
            self._remember(trip.address.key, fault.asked)
        if fault.is_final or trip.failures >= self._settings.attempts:
            raise fault.error(trip.address.url, trip.failures) from fault
        if fault.asked is not None:
            self._rest(trip, fault.asked)
        else:
            self._pause(trip, backoff(trip.failures, self._settings), fault.reason)

    def _remember(self, key: str, seconds: float) -> None:
        """Keep the host's wish before waiting for it: killed in the pause, the next run waits as well."""
        if self._memory is not None:
            self._memory.remember(key, self._clock() + timedelta(seconds=seconds))
            self._remembered.add(key)

    def _rest(self, trip: _Trip, seconds: float) -> None:
        """Wait as long as the host asked, and let other clients know; UpstreamBusy where that is too long."""
        self._check_patience(trip, seconds)
        until = self._hosts.rest(trip.address.key, seconds)
        self._pause(trip, seconds, ASKED_TO_WAIT)
        self._hosts.wake(trip.address.key, until)

    def _pause_in_turn(self, trip: _Trip, seconds: float, is_rest: bool) -> None:
        if is_rest:
            self._check_patience(trip, seconds)
        self._pause(trip, seconds, ASKED_TO_WAIT if is_rest else "delay between requests")

    def _check_patience(self, trip: _Trip, seconds: float) -> None:
        if seconds > self._settings.max_wait_seconds:
            until = self._clock() + timedelta(seconds=seconds)
            raise UpstreamBusy(
                f"{trip.address.key} asked to be left alone until {until:%Y-%m-%d %H:%M:%S} UTC",
                seconds=seconds,
            )

    def _pause(self, trip: _Trip, seconds: float, reason: str) -> None:
        if self._on_wait is not None:
            self._on_wait(Wait(seconds, reason, trip.failures, trip.address.url))
        self._sleep(seconds)
