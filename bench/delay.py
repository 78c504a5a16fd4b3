"""A wire with length: a proxy that hands everything on later, before a loopback server.

`python -m bench.delay PORT ROUND_TRIP_SECONDS`. Each piece is on its way for half the round trip, and a
connection takes a whole one before the first piece leaves, as a handshake does. No loss, no slow start, no
limit but a window of bytes on their way: what is added is time, for everybody the same.
"""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from collections import deque

HOST = "127.0.0.1"
WINDOW_BYTES = 8_000_000  # on their way at once in one direction: 400 MB/s at 20 ms
PIECE_BYTES = 262_144


class Lane:
    """One direction: what was read goes in, and comes out at its time, in order."""

    def __init__(self, seconds: float, *, not_before: float) -> None:
        self._seconds = seconds
        self._not_before = not_before
        self._pieces: deque[tuple[float, bytes]] = deque()
        self._on_way = 0
        self._has_news = asyncio.Event()
        self._has_room = asyncio.Event()

    async def fill(self, reader: asyncio.StreamReader) -> None:
        """Take in what comes until there is no more; an empty piece marks the end."""
        loop = asyncio.get_running_loop()
        while True:
            try:
                data = await reader.read(PIECE_BYTES)
            except OSError:
                data = b""
            due = max(loop.time(), self._not_before) + self._seconds
            self._pieces.append((due, data))
            self._on_way += len(data)
            self._has_news.set()
            if not data:
                return
            while self._on_way > WINDOW_BYTES:
                self._has_room.clear()
                await self._has_room.wait()

    async def drain(self, writer: asyncio.StreamWriter) -> None:
        """Hand out each piece when it is due, until the end."""
        loop = asyncio.get_running_loop()
        while True:
            while not self._pieces:
                self._has_news.clear()
                await self._has_news.wait()
            due, data = self._pieces.popleft()
            if (rest := due - loop.time()) > 0:
                await asyncio.sleep(rest)
            if not data:
                return
            writer.write(data)
            await writer.drain()
            self._on_way -= len(data)
            self._has_room.set()


async def _join(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, port: int, seconds: float
) -> None:
    opened = asyncio.get_running_loop().time()
    try:
        far_reader, far_writer = await asyncio.open_connection(HOST, port, limit=PIECE_BYTES)
    except OSError:
        writer.close()
        return
    there = Lane(seconds / 2, not_before=opened + seconds)
    back = Lane(seconds / 2, not_before=opened + seconds)
    tasks = [
        asyncio.ensure_future(there.fill(reader)),
        asyncio.ensure_future(back.fill(far_reader)),
        asyncio.ensure_future(_carry(there, far_writer)),
        asyncio.ensure_future(_carry(back, writer)),
    ]
    # Whoever hangs up first, the other side hears of it and ends too: HTTP needs no half-open connection.
    try:
        await asyncio.wait(tasks[2:], return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        writer.close()
        far_writer.close()


async def _carry(lane: Lane, writer: asyncio.StreamWriter) -> None:
    try:
        await lane.drain(writer)
    except OSError:
        return


async def _serve(port: int, seconds: float) -> None:
    async def join(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await _join(reader, writer, port, seconds)

    server = await asyncio.start_server(join, HOST, 0, limit=PIECE_BYTES, backlog=512)
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    print(json.dumps({"url": f"http://{HOST}:{server.sockets[0].getsockname()[1]}"}), flush=True)
    await stop.wait()
    server.close()


if __name__ == "__main__":
    asyncio.run(_serve(int(sys.argv[1]), float(sys.argv[2])))
