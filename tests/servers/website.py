"""Web sites on loopback for crawls: pages by path, faults as raw bytes, a log of every request."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from email.utils import formatdate
from itertools import pairwise
from types import TracebackType
from typing import cast

Raw = Callable[[asyncio.StreamWriter, "Asked"], Awaitable[None]]


@dataclass(slots=True)
class Asked:
    """One request as the server saw it."""

    host: str  # name:port, as in the address
    path: str
    method: str
    headers: Mapping[str, str]
    started: float
    ended: float = 0.0
    status: int = 0


@dataclass(frozen=True, slots=True)
class Reply:
    """What is answered to a path."""

    body: bytes = b""
    status: int = 200
    headers: tuple[tuple[str, str], ...] = (("Content-Type", "text/html; charset=utf-8"),)
    etag: str | None = None  # answers 304 to a request that names it


Route = Reply | Callable[[Asked], Reply] | Raw


@dataclass(slots=True)
class Website:
    """Any number of hosts (ports) served from one event loop in a thread of its own.

    `routes` maps a path, with its query, to a reply, to a function of the request that makes one, or to a
    coroutine function that writes what it likes. `fallback` is asked for paths without a route.
    """

    hosts: int = 1
    routes: dict[str, Route] = field(default_factory=dict)
    fallback: Callable[[Asked], Reply] = lambda asked: Reply(b"not here", 404)
    robots: dict[str, Route] = field(default_factory=dict)  # of single hosts
    requests: list[Asked] = field(default_factory=list)
    ports: list[int] = field(default_factory=list)
    _loop: asyncio.AbstractEventLoop | None = None
    _thread: threading.Thread | None = None

    def __enter__(self) -> Website:
        started = threading.Event()
        self._thread = threading.Thread(target=self._serve, args=(started,), daemon=True)
        self._thread.start()
        assert started.wait(10)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._loop is not None
        assert self._thread is not None
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)

    @property
    def url(self) -> str:
        """The address of the first host, without a slash at its end."""
        return self.address(0)

    def address(self, number: int) -> str:
        """Return the address of a host."""
        return f"http://127.0.0.1:{self.ports[number]}"

    def paths(self, status: int | None = None) -> list[str]:
        """Return the paths that were asked for, but for robots.txt."""
        found = [each for each in list(self.requests) if each.path != "/robots.txt"]
        return [each.path for each in found if status is None or each.status == status]

    def shortest_gap(self) -> float:
        """Return the shortest time from the end of a request to a host to the beginning of the next one."""
        gaps = []
        for host in {each.host for each in self.requests}:
            mine = sorted(
                (each for each in self.requests if each.host == host), key=lambda each: each.started
            )
            gaps += [after.started - before.ended for before, after in pairwise(mine)]
        return min(gaps, default=float("inf"))

    def _serve(self, started: threading.Event) -> None:
        self._loop = asyncio.new_event_loop()
        servers = [
            self._loop.run_until_complete(asyncio.start_server(self._talk, "127.0.0.1", 0, limit=1 << 20))
            for _ in range(self.hosts)
        ]
        self.ports = [server.sockets[0].getsockname()[1] for server in servers]
        started.set()
        self._loop.run_forever()
        self._loop.run_until_complete(self._end(servers))
        self._loop.close()

    async def _end(self, servers: list[asyncio.Server]) -> None:
        """Close every connection, those just made as well, so that none is left to the garbage collector."""
        for server in servers:
            server.close()
        await _breathe()  # what was accepted is begun
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
        await _breathe()  # what is closing is closed

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        port = writer.get_extra_info("sockname")[1]
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                line, *fields = head.decode("latin-1").split("\r\n")
                method, path, _ = line.split(" ", 2)
                headers = dict(each.lower().split(": ", 1) for each in fields if ": " in each)
                asked = Asked(f"127.0.0.1:{port}", path, method, headers, time.monotonic())
                self.requests.append(asked)
                is_open = await self._answer(writer, asked)
                asked.ended = asked.ended or time.monotonic()
                if not is_open:
                    break
        except (OSError, EOFError, asyncio.LimitOverrunError, ValueError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    async def _answer(self, writer: asyncio.StreamWriter, asked: Asked) -> bool:
        found = self.routes.get(asked.path)
        if asked.path == "/robots.txt":
            found = self.robots.get(asked.host, found)
        if asyncio.iscoroutinefunction(found):
            await found(writer, asked)
            return False
        if found is None and asked.path == "/robots.txt":
            reply = Reply(b"", 404)
        elif found is None:
            reply = self.fallback(asked)
        else:
            reply = found if isinstance(found, Reply) else cast("Callable[[Asked], Reply]", found)(asked)
        if reply.etag is not None and asked.headers.get("if-none-match") == reply.etag:
            reply = Reply(b"", 304, (), reply.etag)
        asked.status = reply.status
        headers = [*reply.headers, ("Date", formatdate(usegmt=True)), ("Server", "website/1")]
        if reply.etag is not None:
            headers.append(("ETag", reply.etag))
        if reply.status not in (204, 304):
            headers.append(("Content-Length", str(len(reply.body))))
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers)
        body = b"" if asked.method == "HEAD" else reply.body
        # Before it is written: the robot may have it, and its pause may begin, before this thread goes on.
        asked.ended = time.monotonic()
        writer.write(f"HTTP/1.1 {reply.status} X\r\n{lines}\r\n".encode("latin-1") + body)
        await writer.drain()
        return True


async def _breathe() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


def page(title: str, *links: str, meta: str = "", body: str = "", head: str = "") -> Reply:
    """Return a page with a title, links, and metadata where `meta` has an identifier."""
    tags = (
        f'<meta name="DC.Title" content="{title}"><meta name="DC.Identifier" content="{meta}">'
        if meta
        else ""
    )
    anchors = "".join(f'<a href="{link}">{link}</a> ' for link in links)
    start = f"<!doctype html><html lang=en><head><title>{title}</title>{tags}{head}</head>"
    text = f"{start}<body><h1>{title}</h1>{body}{anchors}</body></html>"
    return Reply(text.encode())


def redirect(target: str, status: int = 302) -> Reply:
    """Return a redirect."""
    return Reply(b"", status, (("Location", target),))
