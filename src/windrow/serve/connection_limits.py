"""How long a connection of `windrow serve` may wait for its client, and how many there may be.

Every connection is looked at once a second from its first moment to its last. What it waits for is derived
from its state at that time, so no path through the protocol can forget to start a clock, or stop one.
"""

from __future__ import annotations

import asyncio
import socket
import struct
from collections import OrderedDict
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from itertools import islice
from typing import Protocol

from windrow.web.http.clients import ClientResolver, client_prefix

MIN_SENT_BYTES = 16_384  # that a slow reader must take within `Deadlines.send`
MAX_CONNECTIONS = 4000  # of one process
# Descriptors that are kept for everything but connections: the database takes three for each thread, the
# index one for each file while it is opened, and a chart or a document starts a process with three pipes.
RESERVED_DESCRIPTORS = 256
_MIN_CONNECTIONS = 8
# Connections that are looked at when one has to give way: what a new connection costs must not grow with how
# many there are, or whoever opens many of them stops the server.
_MAX_EXAMINED = 50


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
class ConnectionProgress:
    """What a connection waits for, in which of its requests, and how many bytes have moved."""

    phase: Phase
    request: int
    moved: int = 0

    def is_beyond(self, other: ConnectionProgress) -> bool:
        """Return whether the connection got on since an earlier look."""
        if (self.phase, self.request) != (other.phase, other.request):
            return True
        least = MIN_SENT_BYTES if self.phase is Phase.SEND else 1
        return self.moved - other.moved >= least


class ConnectionTimer:
    """The one clock of a connection: calls `on_expired` when a deadline has passed, until it is stopped."""

    CHECK_SECONDS = 1.0

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        deadlines: Deadlines,
        progress: Callable[[], ConnectionProgress],
        *,
        on_progress: Callable[[], None],
        on_expired: Callable[[Phase], None],
    ) -> None:
        self._loop = loop
        self._deadlines = deadlines
        self._progress = progress
        self._on_progress = on_progress
        self._on_expired = on_expired
        self._last = progress()
        self._since = loop.time()  # when the connection last got on, as far as was noticed
        self._handle = loop.call_later(self._pause(), self._check)

    def stop(self) -> None:
        """Stop looking: the connection is gone."""
        self._handle.cancel()

    def _check(self) -> None:
        progress, now = self._progress(), self._loop.time()
        if progress.is_beyond(self._last):
            self._last, self._since = progress, now
            self._on_progress()
        self._handle = self._loop.call_later(self._pause(), self._check)
        if now - self._since >= self._deadlines.of(progress.phase):
            self._on_expired(progress.phase)

    def _pause(self) -> float:
        """A second, or less where a deadline is shorter."""
        return min(self.CHECK_SECONDS, self._deadlines.shortest)


class CountingTransport:
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


class LimitedConnection(Protocol):
    """A connection as the limits see it."""

    peer: str

    @property
    def phase(self) -> Phase:
        """What it waits for now."""

    def abort(self) -> None:
        """Close it at once."""


class Admission(Enum):
    """What becomes of a new connection."""

    ADMITTED = "admitted"
    FULL = "full"  # the process has all the connections it may have
    TOO_MANY = "too many"  # the client has


class ConnectionLimits:
    """How many connections one process and each of its clients may have. 0 for a client is without limit.

    Trusted proxies are exempt: they connect for many. When the process is full, the connection that has
    waited longest for its client gives way to a new one; where all wait for the application, one of a client
    that has more connections than the newcomer. When a client has all that it may, one of its
    own gives way that has been answered: browsers keep up to six connections each after a page, and those of
    a reading room come from one address.
    """

    def __init__(
        self, most: int = MAX_CONNECTIONS, *, per_client: int = 0, trusted: Iterable[str] = ()
    ) -> None:
        self._most = most
        # Where descriptors are few, one client must not have all of them.
        self._per_client = min(per_client, max(1, most // 2))
        self._clients = ClientResolver(trusted)
        self._all = _Queue()
        self._of_client: dict[str, _Queue] = {}

    def admit(self, connection: LimitedConnection) -> Admission:
        """Count a new connection, for which another one may have to give way."""
        own = self._own(connection)
        is_too_many = own is not None and len(own) >= self._per_client
        found = Admission.ADMITTED
        if own is not None and is_too_many and not self._close(own.find(_is_idle)):
            found = Admission.TOO_MANY
        elif len(self._all) >= self._most:
            is_closed = self._close(self._all.find(_is_waiting)) or self._close(self._find_greedy(own))
            found = Admission.ADMITTED if is_closed else Admission.FULL
        self._all.append(connection)
        own = self._own(connection)  # closing the last one of a client removes its queue
        if own is not None:
            own.append(connection)
        return found

    @property
    def is_crowded(self) -> bool:
        """Return whether a connection that is refused has to go at once, even if that costs it the explanation."""
        return 2 * len(self._all) > self._most

    def note_progress(self, connection: LimitedConnection) -> None:
        """A connection got on: all others have waited longer than it has."""
        own = self._of_client.get(self._key(connection.peer))
        for queue in (self._all,) if own is None else (self._all, own):
            queue.move_to_end(connection)

    def forget(self, connection: LimitedConnection) -> None:
        """A connection is gone, or about to be."""
        self._all.remove(connection)
        key = self._key(connection.peer)
        own = self._of_client.get(key)
        if own is not None:
            own.remove(connection)
            if not own:
                del self._of_client[key]

    def _close(self, connection: LimitedConnection | None) -> bool:
        if connection is None:
            return False
        self.forget(connection)
        connection.abort()
        return True

    def _find_greedy(self, own: _Queue | None) -> LimitedConnection | None:
        """Return a connection of the client that has most, if these are clearly more than `own`."""
        held = 0 if own is None else len(own)
        first = self._all.first()
        found = max(first, key=self._count_of, default=None)
        return found if found is not None and self._count_of(found) > held + 1 else None

    def _count_of(self, connection: LimitedConnection) -> int:
        return len(self._of_client.get(self._key(connection.peer), ()))

    def _own(self, connection: LimitedConnection) -> _Queue | None:
        """Return the connections of the same client; None where they are not limited."""
        key = self._key(connection.peer)
        return self._of_client.setdefault(key, _Queue()) if key else None

    def _key(self, peer: str) -> str:
        return "" if not self._per_client or self._clients.is_trusted(peer) else client_prefix(peer)


class _Queue:
    """Connections, the one that has waited longest first."""

    def __init__(self) -> None:
        self._connections: OrderedDict[LimitedConnection, None] = OrderedDict()

    def __len__(self) -> int:
        return len(self._connections)

    def append(self, connection: LimitedConnection) -> None:
        self._connections[connection] = None

    def remove(self, connection: LimitedConnection) -> None:
        self._connections.pop(connection, None)

    def move_to_end(self, connection: LimitedConnection) -> None:
        if connection in self._connections:
            self._connections.move_to_end(connection)

    def find(self, is_wanted: Callable[[Phase], bool]) -> LimitedConnection | None:
        """Return the first in such a phase, among the first few; the next search begins behind the others.

        Those are taken for new ones, which does no harm: they can only be wanted after they got on, and would
        be moved to the end then.
        """
        for connection in self.first():
            if is_wanted(connection.phase):
                return connection
            self._connections.move_to_end(connection)
        return None

    def first(self) -> list[LimitedConnection]:
        """Return the first few."""
        return list(islice(self._connections, _MAX_EXAMINED))


def _is_waiting(phase: Phase) -> bool:
    return phase is not Phase.WORK


def _is_idle(phase: Phase) -> bool:
    return phase is Phase.IDLE


def raise_connection_limit() -> int:
    """Return how many connections this process has descriptors for; the system is asked for more first."""
    try:
        import resource  # not on every system
    except ImportError:
        return MAX_CONNECTIONS
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MAX_CONNECTIONS + RESERVED_DESCRIPTORS
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    if soft == resource.RLIM_INFINITY:
        return MAX_CONNECTIONS
    reserved = min(RESERVED_DESCRIPTORS, soft // 2)
    return max(_MIN_CONNECTIONS, min(MAX_CONNECTIONS, soft - reserved))
