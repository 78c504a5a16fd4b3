"""The Z39.50 listener: connections, their limits and deadlines, around one `Session` each.

Messages of a session are processed in sequence, in bounded pools like those for searches of the web pages. A
connection ends with a Close message if one can still be sent: when it is idle, when a message is malformed or
takes too long to arrive, and when the server stops. No exception is raised from it.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol, TypeVar

from windrow.protocols.z3950.ber import BerError, Framer
from windrow.protocols.z3950.pdus import (
    Close,
    CloseReason,
    InitRequest,
    PresentRequest,
    ScanRequest,
    SearchRequest,
    SortRequest,
    read_pdu,
    write_pdu,
)
from windrow.z3950.session import Ended, Session, Terms

log = logging.getLogger("windrow.z3950")
T = TypeVar("T")

READ_BYTES = 65_536
LARGEST_REQUEST = 1 << 18  # bytes
BACKLOG = 256
TURNS_OF_CLIENT = 20  # requests of one client that run or wait in a pool
_WORK = (InitRequest, SearchRequest, PresentRequest, ScanRequest, SortRequest)  # may wait for a disk


class Busy(Exception):
    """The server is too busy for another request."""


class Pool(Protocol):
    """Runs blocking work in threads. Raises Busy if too many requests are waiting."""

    async def run(self, work: Callable[[], T], *, client: str = "") -> T:
        """Run the work in a thread and return its result."""
        ...


class Addresses(Protocol):
    """A list of networks."""

    def __contains__(self, address: str) -> bool:
        """Return whether an address is in one of the networks."""
        ...


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits on the number and duration of connections. Durations are seconds."""

    connections: int = 500
    connections_per_client: int = 100
    idle: float = 300.0  # until the next message starts
    message: float = 30.0  # until a started message is complete
    send: float = 60.0  # until the client has read a response
    session: float = 8 * 3600.0
    allowed: Addresses | None = None  # None: all addresses
    client_of: Callable[[str], str] = field(default=str)  # the client that an address belongs to


class _Client:
    """The connections of one client, which share its turns at the pools, so that others are not delayed."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.connections = 0
        self.turns = asyncio.Semaphore(TURNS_OF_CLIENT)


class Target:
    """A server for Z39.50 clients on one socket."""

    def __init__(self, terms: Terms, pool: Pool, limits: Limits | None = None) -> None:
        self._terms = terms
        self._pool = pool
        self._limits = limits or Limits()
        self._clients: dict[str, _Client] = {}
        self._connections: set[asyncio.Task[None]] = set()

    @property
    def connections(self) -> int:
        return len(self._connections)

    async def serve(self, listening: socket.socket, stop: asyncio.Event) -> None:
        """Serve clients until `stop` is set, then notify each and close its connection."""
        server = await asyncio.start_server(
            self._connected, sock=listening, backlog=BACKLOG, limit=READ_BYTES
        )
        try:
            await stop.wait()
        finally:
            server.close()
            for task in self._connections:
                task.cancel()
            if self._connections:
                await asyncio.wait(self._connections, timeout=self._limits.send)
            await server.wait_closed()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        address = str((writer.get_extra_info("peername") or ("",))[0])
        name = self._limits.client_of(address)
        client = self._clients.setdefault(name, _Client(name))
        self._connections.add(task)
        client.connections += 1
        try:
            await self._guarded(reader, writer, address, client)
        finally:
            self._connections.discard(task)
            client.connections -= 1
            if not client.connections:
                del self._clients[name]

    async def _guarded(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, address: str, client: _Client
    ) -> None:
        connection = _Connection(reader, writer, self._limits, Session(self._terms), self._pool, client)
        try:
            if self._limits.allowed is not None and address not in self._limits.allowed:
                return
            refused = self._refused(client)
            if refused:
                await connection.close(CloseReason.RESOURCES, refused)
                return
            async with asyncio.timeout(self._limits.session):
                await connection.run()
        except TimeoutError:
            await connection.close(CloseReason.RESOURCES, "The session has lasted as long as it may.")
        except asyncio.CancelledError:
            await connection.close(CloseReason.SHUTDOWN, "The server is stopping.")
        except OSError:
            pass  # the client has disconnected
        except Exception:
            log.exception("a session failed")
            await connection.close(CloseReason.SYSTEM_PROBLEM, "")
        finally:
            with suppress(OSError):
                writer.close()

    def _refused(self, client: _Client) -> str:
        if len(self._connections) > self._limits.connections:
            return "There are too many sessions. Try again later."
        if client.connections > self._limits.connections_per_client:
            return "There are too many sessions from your network."
        return ""


class _Connection:
    """One connection: reads messages, passes them to the session, writes the responses."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        limits: Limits,
        session: Session,
        pool: Pool,
        client: _Client,
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._limits = limits
        self._session = session
        self._pool = pool
        self._client = client
        self._framer = Framer(LARGEST_REQUEST)

    async def run(self) -> None:
        while True:
            try:
                messages = await self._read()
                if messages is None:
                    return
                for message in messages:
                    await self._write(await self._answer(read_pdu(message)))
            except BerError as exc:
                await self.close(CloseReason.PROTOCOL_ERROR, str(exc))
                return
            except Ended as exc:
                if exc.message is not None:
                    await self._write((exc.message,))
                return

    async def _read(self) -> list[bytes] | None:
        """Return the next messages; None at the end. Raise Ended for a client that is too slow."""
        try:
            async with asyncio.timeout(self._limits.idle):
                data = await self._reader.read(READ_BYTES)
        except TimeoutError:
            raise Ended(_closing(CloseReason.LACK_OF_ACTIVITY, "No message came for too long.")) from None
        if not data:
            return None
        messages = self._framer.feed(data)
        if messages:
            return messages
        try:
            async with asyncio.timeout(self._limits.message):
                while not messages:
                    data = await self._reader.read(READ_BYTES)
                    if not data:
                        return None
                    messages = self._framer.feed(data)
        except TimeoutError:
            raise Ended(_closing(CloseReason.PROTOCOL_ERROR, "A message took too long to arrive.")) from None
        return messages

    async def _answer(self, message: Any) -> Sequence[Any]:
        prepared = self._session.take_prepared(message)
        if prepared is not None:
            return prepared
        work = partial(self._session.answer, message)
        if not isinstance(message, _WORK):
            return work()
        try:
            async with self._client.turns:
                return await self._pool.run(work, client=self._client.name)
        except Busy as exc:
            raise Ended(_closing(CloseReason.RESOURCES, str(exc))) from exc

    async def _write(self, messages: Sequence[Any]) -> None:
        for message in messages:
            if self._writer.is_closing():  # uvloop raises an error on writing to a closed connection
                raise ConnectionResetError
            self._writer.write(write_pdu(message))
        async with asyncio.timeout(self._limits.send):
            await self._writer.drain()

    async def close(self, reason: CloseReason, why: str) -> None:
        """Send a Close, if the client still reads."""
        with suppress(OSError, TimeoutError):
            await self._write((_closing(reason, why),))


def _closing(reason: CloseReason, why: str) -> Close:
    return Close(close_reason=reason, diagnostic_information=why or None)
