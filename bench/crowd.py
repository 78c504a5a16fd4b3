"""Two hundred clients at once, most of them bad company: what a public server gets on a busy day.

Each has an address of its own on the loopback network, so that a server that counts by address can tell
them apart. Below the part `load`, which says what came of it.
"""

from __future__ import annotations

import asyncio
import socket
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from random import Random
from urllib.parse import quote, urlsplit

ANSWER_SECONDS = 60.0
PAUSE_SECONDS = (0.02, 0.1)  # of a client that behaves
BUSY_SECONDS = 1.0  # what a polite client waits after a 503; the servers here never ask for less
SIP_BYTES, SIP_SECONDS = 4_096, 0.05
PIPELINE = 16
BUFFER_BYTES = 8_192  # small, so that a slow reader is slow for the server too


@dataclass(slots=True)
class Tally:
    """What happened to one kind of clients."""

    name: str
    clients: int
    statuses: Counter[int] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)  # of whole answers with 200
    broken: Counter[str] = field(default_factory=Counter)  # connections that failed, answers that were wrong

    def percentile(self, share: float) -> float:
        """Give the time within which this share of the answers came; 0 when there was none."""
        ordered = sorted(self.seconds)
        return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else 0.0


@dataclass(frozen=True, slots=True)
class Target:
    """What is asked for, and until when by the loop's clock."""

    host: str
    port: int
    path: str
    identifiers: Sequence[str]
    deadline: float

    def get_record(self, identifier: str) -> bytes:
        """Give the request for one record."""
        return self._request(f"verb=GetRecord&metadataPrefix=oai_dc&identifier={quote(identifier, safe='')}")

    def list_records(self) -> bytes:
        """Give the request for a page of records."""
        return self._request("verb=ListRecords&metadataPrefix=oai_dc")

    def is_open(self) -> bool:
        """Whether there is time for one more."""
        return time.monotonic() < self.deadline

    def _request(self, query: str) -> bytes:
        return f"GET {self.path}?{query} HTTP/1.1\r\nHost: {self.host}:{self.port}\r\n\r\n".encode()


Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]
Visit = Callable[[Streams, Target, Tally, Random], Awaitable[None]]


async def gather(url: str, identifiers: Sequence[str], *, scale: int, seconds: float) -> list[Tally]:
    """Let `scale` times twenty clients loose for so many seconds; give what happened, kind by kind."""
    parts = urlsplit(url)
    deadline = time.monotonic() + seconds
    target = Target(parts.hostname or "", parts.port or 80, parts.path, identifiers, deadline)
    kinds: list[tuple[Tally, Visit]] = [
        (Tally("steady", 12 * scale), _steady),
        (Tally("slow readers", 4 * scale), _slow),
        (Tally("hanging up", 2 * scale), _hanging_up),
        (Tally("flooding", 2 * scale), _flooding),
    ]
    numbers = iter(range(sum(tally.clients for tally, _ in kinds)))
    await asyncio.gather(
        *(
            _client(next(numbers), visit, target, tally)
            for tally, visit in kinds
            for _ in range(tally.clients)
        )
    )
    return [tally for tally, _ in kinds]


async def _client(number: int, visit: Visit, target: Target, tally: Tally) -> None:
    """Come again and again until the time is over."""
    random = Random(number)
    while target.is_open():
        writer = None
        try:
            reader, writer = await _connect(target, f"127.0.1.{number + 1}")
            await asyncio.wait_for(visit((reader, writer), target, tally, random), ANSWER_SECONDS)
        except (OSError, EOFError, ValueError, asyncio.LimitOverrunError) as exc:
            tally.broken[type(exc).__name__] += 1
            await asyncio.sleep(0.1)
        finally:
            if writer is not None:
                writer.transport.abort()


async def _connect(target: Target, address: str) -> Streams:
    connection = socket.socket()
    # A buffer the size of a page would be read for the slow reader by the kernel, at once.
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER_BYTES)
    connection.setblocking(False)
    try:
        connection.bind((address, 0))
        await asyncio.get_running_loop().sock_connect(connection, (target.host, target.port))
        return await asyncio.open_connection(sock=connection, limit=BUFFER_BYTES)
    except BaseException:
        connection.close()
        raise


async def _steady(streams: Streams, target: Target, tally: Tally, random: Random) -> None:
    """One record or a page, read at once, then a pause; a 503 is taken at its word."""
    reader, writer = streams
    while target.is_open():
        wanted = random.choice(target.identifiers)
        is_page = random.random() < 0.2
        writer.write(target.list_records() if is_page else target.get_record(wanted))
        started = time.monotonic()
        status, length = await _head(reader)
        body = await reader.readexactly(length)
        tally.statuses[status] += 1
        if status != 200:
            await asyncio.sleep(BUSY_SECONDS)
            continue
        tally.seconds.append(time.monotonic() - started)
        if not body.rstrip().endswith(b"</OAI-PMH>") or not (is_page or wanted.encode() in body):
            tally.broken["wrong answer"] += 1
        await asyncio.sleep(random.uniform(*PAUSE_SECONDS))


async def _slow(streams: Streams, target: Target, tally: Tally, _random: Random) -> None:
    """A page, a sip at a time."""
    reader, writer = streams
    while target.is_open():
        writer.write(target.list_records())
        started = time.monotonic()
        status, length = await _head(reader)
        tally.statuses[status] += 1
        while length > 0 and target.is_open():
            length -= len(await reader.readexactly(min(SIP_BYTES, length)))
            await asyncio.sleep(SIP_SECONDS)
        if status == 200 and not length:
            tally.seconds.append(time.monotonic() - started)
        await asyncio.sleep(BUSY_SECONDS if status != 200 else 0)


async def _hanging_up(streams: Streams, target: Target, tally: Tally, _random: Random) -> None:
    """Ask for a page, read its first bytes, and be gone."""
    reader, writer = streams
    writer.write(target.list_records())
    status, _length = await _head(reader)
    tally.statuses[status] += 1
    await reader.read(500)
    await asyncio.sleep(0.01)


async def _flooding(streams: Streams, target: Target, tally: Tally, random: Random) -> None:
    """Many questions in one go, and again, whatever the answers say."""
    reader, writer = streams
    while target.is_open():
        wanted = random.choices(target.identifiers, k=PIPELINE)
        writer.write(b"".join(map(target.get_record, wanted)))
        for _ in wanted:
            status, length = await _head(reader)
            await reader.readexactly(length)
            tally.statuses[status] += 1
        with suppress(ConnectionError):
            await writer.drain()


async def _head(reader: asyncio.StreamReader) -> tuple[int, int]:
    """Give the status and the length of the body that follows; EOFError or ValueError: no answer."""
    head = await reader.readuntil(b"\r\n\r\n")
    status, *lines = head.decode("latin-1").split("\r\n")
    lengths = [line.split(":", 1)[1] for line in lines if line.lower().startswith("content-length:")]
    return int(status.split()[1]), int(lengths[0])
