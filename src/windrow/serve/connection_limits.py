"""Deadlines for the connections of `windrow serve`, and limits on their number.

Every connection is checked once a second for its whole life. What it waits for is derived from its state at
that time, so no path through the protocol can forget to start or stop a timer.
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

MIN_SENT_BYTES = 16_384  # that a slow reader must accept within `Deadlines.send`
MAX_CONNECTIONS = 4000  # per process
# Descriptors reserved for everything but connections: the database takes three for each thread, the index
# one for each file while it is opened, and a chart or a document starts a process with three pipes.
RESERVED_DESCRIPTORS = 256
_MIN_CONNECTIONS = 8
# Connections examined when one has to be closed for another. The cost of a new connection must not grow
# with their number, or a client that opens many of them could stop the server.
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
    """Seconds that a connection may spend in each phase without progress.

    Progress is another request; in `work`, anything written; in `send`, MIN_SENT_BYTES that the client has
    read.
    """

    head: float = 20.0
    body: float = 30.0
    work: float = 600.0
    send: float = 30.0
    idle: float = 20.0
    linger: float = 5.0

    @property
    def shortest(self) -> float:
        return min(self.head, self.body, self.work, self.send, self.idle, self.linger)

    def of(self, phase: Phase) -> float:
        seconds: float = getattr(self, phase.value)
        return seconds


@dataclass(frozen=True, slots=True)
class ConnectionProgress:
    """What a connection waits for, in which of its requests, and how many bytes have been transferred."""

    phase: Phase
    request: int
    moved: int = 0

    def is_beyond(self, other: ConnectionProgress) -> bool:
        """Return whether the connection has progressed since an earlier state."""
        if (self.phase, self.request) != (other.phase, other.request):
            return True
        least = MIN_SENT_BYTES if self.phase is Phase.SEND else 1
        return self.moved - other.moved >= least


class ConnectionTimer:
    """The only timer of a connection: calls `on_expired` when a deadline has passed, until it is stopped."""

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
        self._since = loop.time()  # time of the last progress that was noticed
        self._handle = loop.call_later(self._pause(), self._check)

    def stop(self) -> None:
        """Stop the timer of a closed connection."""
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
        """Return the interval between checks: a second, or less if a deadline is shorter."""
        return min(self.CHECK_SECONDS, self._deadlines.shortest)


class CountingTransport:
    """A transport that counts what is written, and closes without losing the client's last answer.

    If a socket is closed while bytes from the client are unread, the kernel resets the connection, and the
    client may lose an answer that is still in transit (RFC 9112, section 9.6). `close` therefore closes
    only the sending direction; the rest is read and dropped until the client closes too, or
    `Deadlines.linger` is over.
    """

    def __init__(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        self._socket = transport.get_extra_info("socket")
        self.is_ended = False
        self.written = 0
        self.is_half_closed = False  # by the client, which will send nothing more
        self.get_extra_info = transport.get_extra_info
        self.pause_reading = transport.pause_reading
        self.resume_reading = transport.resume_reading
        self.unsent = transport.get_write_buffer_size

    def write(self, data: bytes) -> None:
        """Send bytes; ignored after `close`."""
        if not self.is_ended:
            self.written += len(data)
            self._transport.write(data)

    def is_closing(self) -> bool:
        return self.is_ended or self._transport.is_closing()

    def close(self) -> None:
        """Send what was written and close the sending direction; the client closes the other."""
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
        self.is_ended = True
        self._transport.abort()

    def break_off(self) -> None:
        """Close both directions at once, so that the client notices that its answer is incomplete.

        A body of HTTP/1.0 without Content-Length ends with the connection, and reverse proxies use
        HTTP/1.0: after an orderly end, half a body would look complete.
        """
        with suppress(OSError):  # already closed
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.abort()

    def acknowledged(self) -> int:
        """Return how many of the bytes written the client has received.

        Bytes in the kernel's buffer do not count: on a fast host it holds megabytes, and would hide for
        minutes that a slow client reads nothing.
        """
        return self.written - self.unsent() - _queued_bytes(self._socket.fileno())


def _queued_bytes(descriptor: int) -> int:
    """Return how many bytes the kernel has not sent, or not seen acknowledged; 0 if that is unknown."""
    try:
        import fcntl  # not available on every system
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
    """The decision about a new connection."""

    ADMITTED = "admitted"
    FULL = "full"  # the process has its maximum of connections
    TOO_MANY = "too many"  # the client has its maximum


class ConnectionLimits:
    """Limits on the connections of one process and of each of its clients. 0 per client is unlimited.

    Trusted proxies are exempt: they connect for many clients. When the process is full, the connection that
    has waited longest for its client is closed for a new one; if all are waiting for the application, one
    of a client that has more connections than the new client. When a client has reached its maximum, one of
    its own connections that has been answered is closed: browsers keep up to six connections open after a
    page, and those of a reading room share one address.
    """

    def __init__(
        self, most: int = MAX_CONNECTIONS, *, per_client: int = 0, trusted: Iterable[str] = ()
    ) -> None:
        self._most = most
        # With few descriptors, one client must not take all of them.
        self._per_client = min(per_client, max(1, most // 2))
        self._clients = ClientResolver(trusted)
        self._all = _Queue()
        self._of_client: dict[str, _Queue] = {}

    def admit(self, connection: LimitedConnection) -> Admission:
        """Count a new connection, for which another one may be closed."""
        own = self._own(connection)
        is_too_many = own is not None and len(own) >= self._per_client
        found = Admission.ADMITTED
        if own is not None and is_too_many and not self._close(own.find(_is_idle)):
            found = Admission.TOO_MANY
        elif len(self._all) >= self._most:
            is_closed = self._close(self._all.find(_is_waiting)) or self._close(self._find_greedy(own))
            found = Admission.ADMITTED if is_closed else Admission.FULL
        self._all.append(connection)
        own = self._own(connection)  # closing the last connection of a client removes its queue
        if own is not None:
            own.append(connection)
        return found

    @property
    def is_crowded(self) -> bool:
        """Return whether refused connections have to be closed at once, even if the explanation is lost."""
        return 2 * len(self._all) > self._most

    def note_progress(self, connection: LimitedConnection) -> None:
        """Record progress: the connection has now waited for less time than all others."""
        own = self._of_client.get(self._key(connection.peer))
        for queue in (self._all,) if own is None else (self._all, own):
            queue.move_to_end(connection)

    def forget(self, connection: LimitedConnection) -> None:
        """Stop counting a connection that is closed or closing."""
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
        """Return a connection of the client with the most, if it has clearly more than `own`."""
        held = 0 if own is None else len(own)
        first = self._all.first()
        found = max(first, key=self._count_of, default=None)
        return found if found is not None and self._count_of(found) > held + 1 else None

    def _count_of(self, connection: LimitedConnection) -> int:
        return len(self._of_client.get(self._key(connection.peer), ()))

    def _own(self, connection: LimitedConnection) -> _Queue | None:
        """Return the connections of the same client; None if they are not limited."""
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
        """Return the first connection in such a phase, among the first few; the next search starts there.

        The examined ones are moved to the end as if they were new. That is harmless: they can only become
        wanted after progress, which would move them to the end anyway.
        """
        for connection in self.first():
            if is_wanted(connection.phase):
                return connection
            self._connections.move_to_end(connection)
        return None

    def first(self) -> list[LimitedConnection]:
        return list(islice(self._connections, _MAX_EXAMINED))


def _is_waiting(phase: Phase) -> bool:
    return phase is not Phase.WORK


def _is_idle(phase: Phase) -> bool:
    return phase is Phase.IDLE


def raise_connection_limit() -> int:
    """Return how many connections this process has descriptors for, after asking the system for more."""
    try:
        import resource  # not available on every system
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
