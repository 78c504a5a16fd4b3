"""The HTTP client: requests an address, with redirects, retries and pauses, until it is answered or fails.

Each try is one `Exchange.send`; this module decides what happens between tries. It also holds the cookies of
a client.
"""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from windrow.config.network_values import OAI_ARGUMENTS, add_query, fill_path, split_url
from windrow.errors import HttpRefused, UpstreamBusy
from windrow.net.address import (
    MAX_REDIRECTS,
    PERMANENT_STATUSES,
    REDIRECT_STATUSES,
    Address,
    parse_address,
    resolve_redirect,
    with_arguments,
)
from windrow.net.faults import (
    BUSY_STATUSES,
    Fault,
    detect_announced_wall,
    detect_wall,
    refusal_error,
    status_reason,
)
from windrow.net.http_settings import HttpSettings, check_headers, request_headers
from windrow.net.politeness import (
    RETRIED_STATUSES,
    HostRest,
    Hosts,
    Memory,
    Wait,
    backoff_seconds,
    parse_http_date,
    parse_retry_after,
)

if TYPE_CHECKING:
    from windrow.net.exchange import Exchange, Reply


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole response, with decoded body; `url` is the final address after redirects, without secrets."""

    url: str
    status: int
    headers: Mapping[str, str]  # looked up case-insensitively
    body: bytes = field(repr=False)
    wire_bytes: int  # size of the body before decoding
    seconds: float  # of the successful try, from request to last byte
    retries: int  # failed tries before it
    moved_to: str | None = None  # the target of permanent redirects (301, 308), if there were no others
    dropped_by: str | None = None  # the redirect that dropped arguments of the request, which were restored


# Cookies of one client: some repositories keep resumption tokens in a session. A cookie is kept per host name
# and never sent to another, regardless of Domain; otherwise a subset of RFC 6265.

MAX_COOKIES_PER_HOST = 50
_REQUESTS = logging.getLogger("windrow.requests")  # what --verbose prints
MAX_COOKIE_CHARACTERS = 4096
MAX_COOKIE_AGE_SECONDS = 10 * 366 * 86_400

_COOKIE_PAIR = re.compile(
    r"[!#$%&'*+.^_`|~0-9A-Za-z-]+=[\x20-\x3a\x3c-\x7e]*"
)  # a token, then no ; and no control characters


@dataclass(frozen=True, slots=True)
class _Cookie:
    pair: str
    path: str
    is_secure: bool
    expires: datetime | None

    def fits(self, address: Address, now: datetime) -> bool:
        """Return whether the cookie is sent with a request to this address."""
        if (self.is_secure and address.scheme != "https") or (self.expires and self.expires <= now):
            return False
        path = address.target.partition("?")[0]
        return path == self.path or path.startswith(self.path.rstrip("/") + "/")


class Cookies:
    """The cookie jar of one client."""

    def __init__(self) -> None:
        self._hosts: dict[str, dict[tuple[str, str], _Cookie]] = {}

    def keep(self, address: Address, set_cookies: Iterable[str], *, now: datetime) -> None:
        """Store the cookies of the Set-Cookie headers of a response."""
        jar = self._hosts.setdefault(address.host, {})
        for line in set_cookies:
            cookie = _parse_cookie(line, address, now)
            if cookie is None:
                continue
            name = (cookie.pair.partition("=")[0], cookie.path)
            jar.pop(name, None)
            if cookie.expires is None or cookie.expires > now:
                jar[name] = cookie
            if len(jar) > MAX_COOKIES_PER_HOST:
                del jar[next(iter(jar))]

    def header(self, address: Address, *, now: datetime) -> str | None:
        """Return the Cookie header for a request to this address; None without cookies."""
        jar = self._hosts.get(address.host)
        if not jar:
            return None
        return "; ".join(cookie.pair for cookie in jar.values() if cookie.fits(address, now)) or None


def _parse_cookie(line: str, address: Address, now: datetime) -> _Cookie | None:
    if len(line) > MAX_COOKIE_CHARACTERS:
        return None
    pair, *rest = (part.strip() for part in line.split(";"))
    if not _COOKIE_PAIR.fullmatch(pair):
        return None
    named = {name.strip().lower(): value.strip() for name, _, value in (part.partition("=") for part in rest)}
    path = named.get("path", "")
    if not path.startswith("/"):
        path = address.target.partition("?")[0].rpartition("/")[0] or "/"
    return _Cookie(pair, path, "secure" in named, _cookie_expiry(named, now))


def _cookie_expiry(named: dict[str, str], now: datetime) -> datetime | None:
    """Return the expiry time; Max-Age beats Expires, and invalid values are ignored."""
    if re.fullmatch(r"-?[0-9]{1,12}", named.get("max-age", "")):
        return now + timedelta(seconds=min(max(int(named["max-age"]), 0), MAX_COOKIE_AGE_SECONDS))
    return parse_http_date(named["expires"]) if "expires" in named else None


OK_STATUSES = frozenset({200, 203})  # 203: changed by a proxy, which is allowed
ASKED_TO_WAIT = "the server asked to come back later"

IsAnswer = Callable[[int, bytes], bool]


def _utc_now() -> datetime:
    return datetime.now(UTC)


@dataclass(slots=True)
class _Fetch:
    """The state of one `get`: its origin, its current address and its failures."""

    origin: Address
    address: Address
    arguments: frozenset[str] = frozenset()  # of the query, which no redirect may drop
    failures: int = 0
    waits: int = 0  # retries that the server asked for
    moved_to: str | None = None
    is_permanent: bool = True  # whether all redirects so far were permanent
    dropped_by: str | None = None
    seen: set[tuple[str, str | None]] = field(default_factory=set)  # addresses with the cookies sent there


class HttpClient:
    """Fetches addresses for one source. Not thread-safe.

    Clients of several threads share `hosts`, which limits each server to one request at a time. `sleep` may
    raise to end a request; the exception is passed on.
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
        self.public_query = frozenset(settings.public_query)
        self._memory = memory
        self._hosts = hosts or Hosts()
        self._clock = clock
        self._sleep = sleep
        self._on_wait = on_wait
        self._cookies = Cookies()
        self._greeted: set[str] = set()  # hosts whose remembered wait has been looked up
        self._remembered: dict[str, datetime] = {}  # by host: the remembered wait that a success clears
        self._exchange: Exchange | None = None
        self.requests = 0  # sent, counting each try and each redirect
        self.retries = 0  # tries after a failed one

    def get(
        self,
        url: str,
        *,
        query: str = "",
        is_answer: IsAnswer | None = None,
        arguments: frozenset[str] = frozenset(),
    ) -> Answer:
        """Return the response from this address, after as many redirects, tries and pauses as configured.

        `query` has parameters that are sent but never shown. `is_answer` receives the status and body of what
        would count as a failure, and may accept it. `arguments` are query arguments that are restored where a
        redirect drops them.
        """
        whole = fill_path(add_query(url, query), self._settings.secret_path)
        address = parse_address(whole, public=self.public_query, secret_path=self._settings.secret_path)
        trip = _Fetch(address, address, arguments)
        while True:
            try:
                reply = self._send(trip)
                if self._is_good(reply, is_answer):
                    return self._arrive(trip, reply)
                self._go_on(trip, reply)
            except Fault as fault:
                self._try_again(trip, fault)

    def close(self) -> None:
        """Close the idle connections; a later request opens its own."""
        if self._exchange is not None:
            self._exchange.close()

    # One try

    def _send(self, trip: _Fetch) -> Reply:
        if self._exchange is None:
            from windrow.net.exchange import Exchange  # noqa: PLC0415 - loaded on demand

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
            self.requests += 1
            _REQUESTS.info("GET %s", address.shown)
            reply = self._exchange.send(
                address, request_headers(self._settings, trip.origin, address, cookie)
            )
        if reply.set_cookies:
            self._cookies.keep(address, reply.set_cookies, now=self._clock())
        return reply

    def _greet(self, trip: _Fetch) -> None:
        """Before the first request to a host, wait as long as it asked for in an earlier run."""
        key = trip.address.key
        if key in self._greeted or self._memory is None:
            return
        until = self._memory.not_before(key)
        if until is not None:
            self._remembered[key] = until
            seconds = (until - self._clock()).total_seconds()
            if seconds > 0 and not self._settings.ignore_retry_after:
                self._wait_out(trip, self._hosts.rest(key, seconds))
        self._greeted.add(key)

    # Verdicts

    def _is_good(self, reply: Reply, is_answer: IsAnswer | None) -> bool:
        if reply.status in OK_STATUSES and reply.body:
            return True
        if reply.status in REDIRECT_STATUSES or is_answer is None:
            return False
        if reply.status in BUSY_STATUSES and self._asked(reply) is not None:
            return False  # an error page in valid XML is still a request to wait
        return is_answer(reply.status, reply.body)

    def _arrive(self, trip: _Fetch, reply: Reply) -> Answer:
        key = trip.address.key
        if key in self._remembered and self._memory is not None:
            # Only the wait that this client has served: another source may have been asked for a longer one.
            self._memory.forget(key, self._remembered.pop(key))
        return Answer(
            url=trip.address.shown,
            status=reply.status,
            headers=reply.headers,
            body=reply.body,
            wire_bytes=reply.wire_bytes,
            seconds=reply.seconds,
            retries=trip.failures,
            moved_to=trip.moved_to,
            dropped_by=trip.dropped_by,
        )

    def _go_on(self, trip: _Fetch, reply: Reply) -> None:
        """Follow a redirect; otherwise raise a Fault if another try may help, or the refusal if not."""
        status = reply.status
        if status in REDIRECT_STATUSES:
            return self._follow(trip, reply)
        if status in OK_STATUSES:
            raise Fault("the answer is empty")
        asked = self._asked(reply)
        is_retried = status in RETRIED_STATUSES or (status >= 500 and asked is not None)
        if not is_retried or (asked is None and detect_announced_wall(reply.headers)):
            error = refusal_error(trip.address.shown, status, detect_wall(reply.headers, reply.body))
            if trip.dropped_by is not None:
                error.hint = f"{trip.dropped_by} redirects there and drops the query. {error.hint}".strip()
            raise error
        reason, hint = status_reason(status, detect_wall(reply.headers, reply.body))
        raise Fault(reason, status=status, asked=asked, hint=hint if status not in BUSY_STATUSES else None)

    def _follow(self, trip: _Fetch, reply: Reply) -> None:
        named = resolve_redirect(trip.address, reply.status, reply.headers)
        target = with_arguments(trip.address, named, trip.arguments)
        if len(trip.seen) > MAX_REDIRECTS:
            message = f"{trip.origin.shown}: more than {MAX_REDIRECTS} redirects"
            raise HttpRefused(message, status=reply.status)
        # Not a loop if a cookie was set in between: session checks redirect to the same address once.
        if (target.url, self._cookies.header(target, now=self._clock())) in trip.seen:
            raise HttpRefused(f"{trip.origin.shown}: redirects lead in a circle", status=reply.status)
        asked = self._asked(reply)
        if asked is not None:
            self._wait_out(trip, self._note_rest(trip.address.key, asked))
        if target is not named:
            trip.dropped_by = trip.dropped_by or trip.address.shown
        trip.is_permanent = trip.is_permanent and reply.status in PERMANENT_STATUSES
        if trip.is_permanent:
            trip.moved_to = split_url(target.url, OAI_ARGUMENTS.union(self.public_query)).url
        trip.address = target

    def _asked(self, reply: Reply) -> float | None:
        """Return the seconds that the host asked to wait; None if it did not or Retry-After is ignored."""
        value = reply.headers.get("retry-after")
        if value is None or self._settings.ignore_retry_after:
            return None
        return parse_retry_after(value, now=self._clock())

    # Pauses

    def _try_again(self, trip: _Fetch, fault: Fault) -> None:
        """Pause before the next try, or raise the error that ends the request."""
        trip.failures += 1
        rest = None if fault.asked is None else self._note_rest(trip.address.key, fault.asked)
        if fault.is_final or self._is_exhausted(trip, fault):
            raise fault.error(trip.address.shown, trip.failures) from fault
        self.retries += 1
        if rest is not None:
            self._wait_out(trip, rest)
        else:
            self._pause(trip, backoff_seconds(trip.failures, self._settings), fault.reason)

    def _is_exhausted(self, trip: _Fetch, fault: Fault) -> bool:
        """Count a failed try. Requests to wait are counted apart from failures, with a limit of their own."""
        if fault.asked is None:
            return trip.failures - trip.waits >= self._settings.attempts
        trip.waits += 1
        return trip.waits >= (self._settings.waits or self._settings.attempts)

    def _note_rest(self, key: str, seconds: float) -> HostRest:
        """Store a Retry-After for all clients of the process and for later runs; return the wait in force.

        Stored before the wait: if the process is killed meanwhile, the next run waits as well.
        """
        if self._memory is not None:
            until = self._clock() + timedelta(seconds=seconds)
            self._memory.remember(key, until)
            self._remembered[key] = max(until, self._remembered.get(key, until))
        return self._hosts.rest(key, seconds)

    def _wait_out(self, trip: _Fetch, rest: HostRest) -> None:
        """Wait as long as the host asked for; raises UpstreamBusy if that is too long."""
        self._check_patience(trip, rest.seconds)
        self._pause(trip, rest.seconds, ASKED_TO_WAIT)
        self._hosts.wake(trip.address.key, rest.until)

    def _pause_in_turn(self, trip: _Fetch, seconds: float, is_rest: bool) -> None:
        if is_rest:
            self._check_patience(trip, seconds)
        self._pause(trip, seconds, ASKED_TO_WAIT if is_rest else "delay between requests")

    def _check_patience(self, trip: _Fetch, seconds: float) -> None:
        if seconds > self._settings.max_wait_seconds:
            until = self._clock() + timedelta(seconds=seconds)
            raise UpstreamBusy(
                f"{trip.address.key} asked to be left alone until {until:%Y-%m-%d %H:%M:%S} UTC",
                seconds=seconds,
            )

    def _pause(self, trip: _Fetch, seconds: float, reason: str) -> None:
        if self._on_wait is not None:
            self._on_wait(Wait(seconds, reason, trip.failures, trip.address.shown))
        self._sleep(seconds)
