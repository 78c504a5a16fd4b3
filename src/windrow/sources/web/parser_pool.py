"""Parsing of pages within limits of time and memory: the robot's interface to `page`.

Small and plain pages may be parsed in the caller's process, since their size bounds the cost (`is_cheap`). On
one processor that is the fastest way: 0.45 ms for a page of 13 KB, against 0.13 ms here and 0.55 ms in a
worker. With a spare processor, `inline_bytes=0` leaves the event loop free.

All other pages go to worker processes, sandboxed like those for documents. A worker that takes too long,
needs too much memory or crashes costs one page and is replaced. Its answers are decoded by type and not
trusted otherwise.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import weakref
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace

import msgspec

from windrow.errors import WindrowError
from windrow.extract.child_process import KILLED_FOR_TIME, child_environment
from windrow.extract.language_detection import LOOKED_AT_CHARACTERS
from windrow.extract.reading_job import MEGABYTE, Limits
from windrow.sources.web.listing import Listing
from windrow.sources.web.page import Page, PageLimits, PageWants, lacks_language, parse_page
from windrow.sources.web.parser_messages import (
    ANSWER,
    CHEAP_BYTES,
    MOST_ANSWER_BYTES,
    READY,
    REQUEST,
    ParseFailure,
    Question,
    Reply,
    Task,
)

__all__ = ["CHEAP_BYTES", "ParseFailure", "ParserPool"]

START_SECONDS = 60.0
CHUNK_BYTES = 1 << 18
HEADERS = ("content-type", "content-language", "x-robots-tag")  # the headers used by `page`
DEFAULT_LIMITS = Limits(time_seconds=10.0, memory_bytes=1_000 * MEGABYTE)

_NO_ANSWER = ParseFailure("crash", "The parser's answer makes no sense.")
_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Reply).decode


def is_cheap(body: bytes, wants: PageWants, most_bytes: int = CHEAP_BYTES) -> bool:
    """Return True if a page may be parsed in the caller's process, because its size bounds the cost."""
    return not (len(body) > most_bytes or wants.rdfa or wants.main_text or b"itemscope" in body)


class ParserPool:
    """Parses the pages of one crawl. For any number of tasks of one event loop."""

    def __init__(
        self,
        workers: int = 1,
        *,
        limits: Limits = DEFAULT_LIMITS,
        page_limits: PageLimits | None = None,
        inline_bytes: int = CHEAP_BYTES,
    ) -> None:
        """`inline_bytes` is the maximum size of a plain page that is parsed without a worker; 0 for none."""
        self.limits = limits
        self.page_limits = page_limits or PageLimits()
        self.inline_bytes = inline_bytes
        self._workers = tuple(_Worker(limits) for _ in range(max(1, workers)))
        self._idle = set(self._workers)
        self._waiting: dict[asyncio.Future[_Worker], Sequence[_Worker]] = {}
        self._is_closed = False

    def start(self) -> None:
        """Start the workers before the first pages need them; raises WindrowError if one fails to start."""
        for worker in self._workers:
            worker.spawn()

    async def parse(
        self, body: bytes, *, url: str, headers: Mapping[str, str], wants: PageWants | None = None
    ) -> Page | ParseFailure:
        """Return the page, or why it could not be parsed. Raises WindrowError if no worker can be started."""
        wants = wants or PageWants()
        page = await self._parse_page(body, url, headers, replace(wants, language=False))
        if isinstance(page, Page) and lacks_language(page, wants):
            return replace(page, language=await self._detect(page))
        return page

    async def _parse_page(
        self, body: bytes, url: str, headers: Mapping[str, str], wants: PageWants
    ) -> Page | ParseFailure:
        if self.inline_bytes and is_cheap(body, wants, self.inline_bytes):
            return parse_page(body, url=url, headers=headers, limits=self.page_limits, wants=wants)
        kept = {name: headers[name] for name in HEADERS if name in headers}
        reply = await self._ask(Question("page", url, kept, wants, self.page_limits), body)
        return reply.page or reply.failure or _NO_ANSWER

    async def _detect(self, page: Page) -> str | None:
        """Return the language of a page's text; None also if detection takes too long.

        Loading the model takes half a second and 120 MB: one worker does that for all, while the others go on
        parsing.
        """
        words = page.text[:LOOKED_AT_CHARACTERS].encode("utf-8", "replace")
        question = Question("language", page.url, {}, PageWants(), self.page_limits)
        return (await self._ask(question, words, able=self._workers[-1:])).language

    async def parse_sitemap(self, body: bytes, *, url: str) -> Listing | ParseFailure:
        """Return the addresses of a sitemap; one of maximum size takes about a second."""
        return await self._parse_listing("sitemap", body, url)

    async def parse_feed(self, body: bytes, *, url: str) -> Listing | ParseFailure:
        return await self._parse_listing("feed", body, url)

    async def _parse_listing(self, task: Task, body: bytes, url: str) -> Listing | ParseFailure:
        reply = await self._ask(Question(task, url, {}, PageWants(), self.page_limits), body)
        return reply.listing or reply.failure or _NO_ANSWER

    async def _ask(self, question: Question, body: bytes, *, able: Sequence[_Worker] = ()) -> Reply:
        """Send a question to a worker, or to one of those in `able`."""
        packed = _encode(question)
        worker = await self._take(able or self._workers)
        try:
            if self._is_closed:
                raise WindrowError("The parser of pages is closed.")
            return await worker.ask(packed, body)
        finally:
            self._give_back(worker)

    async def _take(self, able: Sequence[_Worker]) -> _Worker:
        """Return the next idle worker, in the order of requests."""
        for worker in able:
            if worker in self._idle:
                self._idle.remove(worker)
                return worker
        given: asyncio.Future[_Worker] = asyncio.get_running_loop().create_future()
        self._waiting[given] = able
        try:
            return await given
        except asyncio.CancelledError:
            if given.done() and not given.cancelled():
                self._give_back(given.result())
            raise
        finally:
            self._waiting.pop(given, None)

    def _give_back(self, worker: _Worker) -> None:
        for given, able in self._waiting.items():
            if worker in able and not given.done():
                given.set_result(worker)
                return
        self._idle.add(worker)

    async def aclose(self) -> None:
        """End the workers; pages in progress fail."""
        self._is_closed = True
        for worker in self._workers:
            if worker in self._idle:
                await worker.end()
            else:
                worker.kill()


class _Worker:
    """One child process, or none before the first question and after a crash."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._socket: socket.socket | None = None
        self._is_ready = False
        self._process: subprocess.Popen[bytes] | None = None
        self._stop: weakref.finalize[..., _Worker] | None = None

    def spawn(self) -> None:
        ours, theirs = socket.socketpair()
        ours.setblocking(False)
        with theirs:
            try:
                self._process = _spawned(theirs.fileno(), self._limits)
            except OSError as exc:
                ours.close()
                raise WindrowError(f"The process that parses pages does not start: {exc}") from exc
        self._socket = ours
        self._stop = weakref.finalize(self, _end_process, self._process, ours)

    async def ask(self, question: bytes, body: bytes) -> Reply:
        """Return the answer to one question; any error ends the child."""
        is_done = False
        try:
            await self._have_child()
            async with asyncio.timeout(self._limits.clock_seconds):
                reply, is_last = await self._exchange(question, body)
            is_done = not is_last
            return reply
        except TimeoutError:
            return Reply(failure=self._too_long())
        except (OSError, EOFError):
            return Reply(failure=self._verdict(await self.end()))
        except (msgspec.MsgspecError, UnicodeDecodeError):
            return Reply(failure=_NO_ANSWER)
        finally:
            # Also if this task was cancelled: the answer would be taken for that to the next question.
            if not is_done:
                await asyncio.shield(self.end())

    async def _have_child(self) -> None:
        """Make sure that a child is running and ready."""
        if self._socket is not None:
            await self._wait_until_ready()
            if not self._has_died():
                return
            await self.end()
        self.spawn()
        await self._wait_until_ready()

    def kill(self) -> None:
        """Kill the child; the task that waits for its answer reaps it."""
        if self._process is not None and self._stop is not None:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)

    async def end(self) -> int:
        """End the child; return its exit status."""
        process, stop = self._process, self._stop
        self._socket = self._process = self._stop = None
        self._is_ready = False
        if process is None or stop is None:
            return 0
        await asyncio.to_thread(stop)
        return process.returncode

    def _has_died(self) -> bool:
        """Return whether the child died while idle, which is not the fault of a page.

        Detected from its socket: reading its status would release its process id, which `_end_process` sends
        a signal to.
        """
        assert self._socket is not None
        try:
            self._socket.recv(1, socket.MSG_PEEK)
        except BlockingIOError:
            return False
        except OSError:
            pass
        return True

    async def _exchange(self, question: bytes, body: bytes) -> tuple[Reply, bool]:
        assert self._socket is not None
        loop = asyncio.get_running_loop()
        await loop.sock_sendall(self._socket, REQUEST.pack(len(question), len(body)) + question + body)
        buffer = bytearray(await loop.sock_recv(self._socket, CHUNK_BYTES))
        if not buffer:
            raise EOFError
        length = ANSWER.size
        while len(buffer) < length or length == ANSWER.size:
            if len(buffer) >= ANSWER.size and length == ANSWER.size:
                length += ANSWER.unpack_from(buffer)[1]
                if length > MOST_ANSWER_BYTES:
                    raise EOFError
                continue
            came = await loop.sock_recv(self._socket, CHUNK_BYTES)
            if not came:
                raise EOFError
            buffer += came
        return _decode(memoryview(buffer)[ANSWER.size : length]), ANSWER.unpack_from(buffer)[0]

    async def _wait_until_ready(self) -> None:
        assert self._socket is not None
        if self._is_ready:
            return
        ready = b""
        with suppress(TimeoutError, OSError):
            async with asyncio.timeout(START_SECONDS):
                ready = await asyncio.get_running_loop().sock_recv(self._socket, 1)
        if ready != READY:
            status = await self.end()
            raise WindrowError(
                f"The process that parses pages does not start (exit {status}).",
                hint="See its error: python -m windrow.sources.web.parser_child",
            )
        self._is_ready = True

    def _too_long(self) -> ParseFailure:
        return ParseFailure("time", f"Parsing was given up: {self._limits.time_words}.")

    def _verdict(self, status: int) -> ParseFailure:
        if -status in KILLED_FOR_TIME:
            return self._too_long()
        if -status == signal.SIGABRT:  # how a library aborts without memory
            return ParseFailure("memory", f"Parsing was given up: {self._limits.memory_words}.")
        how = f"signal {-status}" if status < 0 else f"exit {status}"
        return ParseFailure("crash", f"The parser crashed ({how}).")


def _spawned(descriptor: int, limits: Limits) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [
            *(sys.executable, "-B", "-P", "-W", "ignore"),
            *("-m", "windrow.sources.web.parser_child", str(descriptor), json.dumps(asdict(limits))),
        ],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        pass_fds=(descriptor,),
        start_new_session=True,  # Ctrl-C is for the crawl, which ends its workers itself
        cwd="/",
        env=child_environment(),
    )


def _end_process(process: subprocess.Popen[bytes], ours: socket.socket) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    ours.close()
