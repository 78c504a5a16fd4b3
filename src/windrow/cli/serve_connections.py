"""How long a connection of `windrow serve` may wait for its client, and how many there may be.

Every connection is looked at once a second from its first moment to its last. What it waits for is derived
from its state at that time, so no path through the protocol can forget to start a clock, or stop one.
"""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from itertools import count
from typing import Protocol

from windrow.faces.shared.clients import Clients, neighbourhood

LEAST_SENT_BYTES = 16_384  # that a slow reader must take within `Deadlines.send`
MOST_CONNECTIONS = 4000  # of one process
# Descriptors that are kept for everything but connections: the database takes three for each thread, the
# index one for each file while it is opened, and a chart or a document starts a process with three pipes.
RESERVED_DESCRIPTORS = 256
_LEAST_CONNECTIONS = 8


class Phase(Enum):
    """What a connection waits for."""

    HEAD = "head"  # the rest of a request's head, or the first request
    BODY = "body"  # the rest of a request's body
    WORK = "work"  # the application
    SEND = "send"  # the client, to read what was written
    IDLE = "idle"  # the next request
    LINGER = "linger"  # the client, to notice that the connection was closed


@dataclass(frozen=True, slots=True)
class Deadlines:
    """Seconds that a connection may spend in each phase without getting on.

    Getting on is another request; for `work`, anything written; for `send`, LEAST_SENT_BYTES that the client
    has read.
    """

    head: float = 20.0
    body: float = 30.0
    work: float = 600.0
    send: float = 30.0
    idle: float = 20.0
    linger: float = 5.0

    @property
    def shortest(self) -> float:
        """The least of them."""
        return min(self.head, self.body, self.work, self.send, self.idle, self.linger)

    def of(self, phase: Phase) -> float:
        """Return the seconds for a phase."""
        seconds: float = getattr(self, phase.value)
        return seconds


@dataclass(frozen=True, slots=True)
class Progress:
    """What a connection waits for, in which of its requests, and how many bytes have moved."""

    phase: Phase
    request: int
    moved: int = 0

    def is_beyond(self, other: Progress) -> bool:
        """Return whether the connection got on since an earlier look."""
        if (self.phase, self.request) != (other.phase, other.request):
            return True
        least = LEAST_SENT_BYTES if self.phase is Phase.SEND else 1
        return self.moved - other.moved >= least


class Timer:
    """The one clock of a connection: calls `on_expired` when a deadline has passed, until it is stopped."""

    CHECK_SECONDS = 1.0
    _numbers = count()

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        deadlines: Deadlines,
        progress: Callable[[], Progress],
        on_expired: Callable[[Phase], None],
    ) -> None:
        self._loop = loop
        self._deadlines = deadlines
        self._progress = progress
        self._on_expired = on_expired
        self._number = next(self._numbers)
        self._last = progress()
        self.since = loop.time()  # when the connection last got on, as far as was noticed
        self._handle = loop.call_later(self._pause(), self._check)

    @property
    def phase(self) -> Phase:
        """What the connection waits for now."""
        return self._progress().phase

    @property
    def age(self) -> tuple[float, int]:
        """What sorts connections by how long they have waited, the longest first."""
        return self.since, self._number  # clocks of loops count in milliseconds: several have the same

    def stop(self) -> None:
        """Stop looking: the connection is gone."""
        self._handle.cancel()

    def _check(self) -> None:
        progress, now = self._progress(), self._loop.time()
        if progress.is_beyond(self._last):
            self._last, self.since = progress, now
        self._handle = self._loop.call_later(self._pause(), self._check)
        if now - self.since >= self._deadlines.of(progress.phase):
            self._on_expired(progress.phase)

    def _pause(self) -> float:
        """A second, or less where a deadline is shorter."""
        return min(self.CHECK_SECONDS, self._deadlines.shortest)


class Outgoing:
    """A transport that counts what is written to it, and whose end does not cost the client its last answer.

    If a socket is closed while bytes from the client are unread, the kernel resets the connection, and the
    client may lose an answer that is still on its way (RFC 9112, section 9.6). `close` therefore ends only
    our direction; the rest is read and dropped until the client closes too, or `Deadlines.linger` is over.
    """

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        self._socket = transport.get_extra_info("socket")
        self.is_ended = False
        self.written = 0
        self.is_half_closed = False  # by the client, which sends nothing any more
        self.get_extra_info = transport.get_extra_info
        self.pause_reading = transport.pause_reading
        self.resume_reading = transport.resume_reading
        self.unsent = transport.get_write_buffer_size

    def write(self, data: bytes) -> None:
        """Send bytes; none after the end."""
        if not self.is_ended:
            self.written += len(data)
            self._transport.write(data)

    def is_closing(self) -> bool:
        """Return whether nothing more will be sent."""
        return self.is_ended or self._transport.is_closing()

    def close(self) -> None:
        """Send what was written and end our direction; the connection stays until the client ends its own."""
        if self.is_half_closed or not self._transport.can_write_eof():
            self.hang_up()
        elif not self.is_closing():
            self.is_ended = True
            self._transport.write_eof()

    def hang_up(self) -> None:
        """Send what was written and close both directions."""
        self.is_ended = True
        self._transport.close()

    def abort(self) -> None:
        """Close both directions at once."""
        self.is_ended = True
        self._transport.abort()

    def break_off(self) -> None:
        """Close both directions at once, in a way that shows the client that its answer is not whole.

        A body of HTTP/1.0 without Content-Length ends where the connection does, and web servers ask with
        HTTP/1.0 for others: after an orderly end, half of it would look like all of it.
        """
        with suppress(OSError):  # gone already
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.abort()

    def acknowledged(self) -> int:
        """Return how many of the bytes written the client has taken.

        What lies in the kernel's buffer counts as not taken: on a fast host that holds megabytes, so it would
        hide for minutes whether a slow client reads at all.
        """
        return self.written - self.unsent() - _queued_bytes(self._socket.fileno())


def _queued_bytes(descriptor: int) -> int:
    """Return how many bytes the kernel has yet to send or to see acknowledged; 0 where it does not tell."""
    try:
        import fcntl  # not on every system
        import termios

        answer = fcntl.ioctl(descriptor, termios.TIOCOUTQ, struct.pack("i", 0))
    except (ImportError, AttributeError, OSError):
        return 0
    return int(struct.unpack("i", answer)[0])


class Waiting(Protocol):
    """A connection as the limits see it."""

    peer: str
    timer: Timer

    def abort(self) -> None:
        """Close it at once."""


class ConnectionLimits:
    """How many connections one process and each of its clients may have. 0 for a client is without limit.

    Trusted proxies are exempt: they connect for many. When the process is full, the connection that has
    waited longest for its client gives way to a new one. When a client has all that it may, one of its
    own gives way that has been answered.
    """

    def __init__(
        self, most: int = MOST_CONNECTIONS, *, per_client: int = 0, trusted: Iterable[str] = ()
    ) -> None:
        self._most = most
        # Where descriptors are few, one client must not have all of them.
        self._per_client = min(per_client, max(1, most // 2))
        self._clients = Clients(trusted)
        self._counts: dict[str, int] = {}

    def is_too_many(self, peer: str) -> bool:
        """Count a connection of a peer; return whether it has more than it may."""
        key = self._key(peer)
        if not key:
            return False
        self._counts[key] = self._counts.get(key, 0) + 1
        return self._counts[key] > self._per_client

    def forget(self, peer: str) -> None:
        """A connection of a peer is gone."""
        key = self._key(peer)
        if not key:
            return
        self._counts[key] -= 1
        if not self._counts[key]:
            del self._counts[key]

    def make_room(self, connections: Iterable[Waiting], total: int) -> bool:
        """See that there is room for the newest of `total` connections; return whether there is."""
        if total <= self._most:
            return True
        return _close_oldest(each for each in connections if each.timer.phase is not Phase.WORK)

    def make_room_of(self, peer: str, connections: Iterable[Waiting]) -> bool:
        """Close the connection of the same client that has waited longest for its next request, if any does.

        Browsers keep up to six connections each after a page; those of a reading room come from one address.
        """
        key = self._key(peer)
        idle = (each for each in connections if each.timer.phase is Phase.IDLE)
        return _close_oldest(each for each in idle if self._key(each.peer) == key)

    def _key(self, peer: str) -> str:
        return "" if not self._per_client or self._clients.is_trusted(peer) else neighbourhood(peer)


def _close_oldest(connections: Iterable[Waiting]) -> bool:
    """Close the connection that has waited longest; return whether there was one."""
    oldest = min(connections, key=lambda each: each.timer.age, default=None)
    if oldest is None:
        return False
    oldest.abort()
    return True


def most_connections() -> int:
    """Return how many connections this process has descriptors for; the system is asked for more first."""
    try:
        import resource  # not on every system
    except ImportError:
        return MOST_CONNECTIONS
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_CONNECTIONS + RESERVED_DESCRIPTORS
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    if soft == resource.RLIM_INFINITY:
        return MOST_CONNECTIONS
    reserved = min(RESERVED_DESCRIPTORS, soft // 2)
    return max(_LEAST_CONNECTIONS, min(MOST_CONNECTIONS, soft - reserved))
