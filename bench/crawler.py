"""A crawler that costs next to nothing: one connection, bytes out, bytes in, the validators it was given.

Used by the part `gateway`. It is no HTTP client for other servers than the ones measured here: they say
how long each answer is. What a server used meanwhile is looked up from outside.
"""

from __future__ import annotations

import gzip
import socket
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from bench import process_tree
from bench.errors import ContestantError

TIMEOUT_SECONDS = 120.0
CHUNK_BYTES = 1 << 18
PLAIN, PACKED = "identity", "gzip"


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back; the body as it was on the wire."""

    status: int
    tag: str
    body: bytes
    seconds: float

    @property
    def text(self) -> bytes:
        """The body, unpacked where it was packed."""
        return gzip.decompress(self.body) if self.body.startswith(b"\x1f\x8b") else self.body


class Crawler:
    """One connection that is kept, and opened again where the server has closed it."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._address = (parts.hostname or "", parts.port or 80)
        self._socket: socket.socket | None = None

    def ask(self, path: str, *, tag: str = "", accept: str = PLAIN) -> Answer:
        """Ask for one page, with a validator where one is given; ContestantError when no answer comes."""
        host, port = self._address
        condition = f"If-None-Match: {tag}\r\n" if tag else ""
        request = (
            f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\nAccept-Encoding: {accept}\r\n{condition}\r\n"
        )
        started = time.perf_counter()
        try:
            head, body = self._exchange(request.encode())
        except (OSError, ValueError, IndexError) as exc:
            raise ContestantError(f"{path}: {exc or type(exc).__name__}") from exc
        return Answer(int(head[9:12]), _header(head, b"etag"), body, time.perf_counter() - started)

    def close(self) -> None:
        """Hang up."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def _exchange(self, request: bytes) -> tuple[bytes, bytes]:
        if self._socket is None:
            self._socket = socket.create_connection(self._address, TIMEOUT_SECONDS)
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._socket.sendall(request)
        head, _, rest = self._receive(lambda got: b"\r\n\r\n" in got, b"").partition(b"\r\n\r\n")
        # Nothing follows a 304, whatever length it speaks of (RFC 9110, 8.6).
        length = 0 if head[9:12] == b"304" else int(_header(head, b"content-length"))
        body = self._receive(lambda got: len(got) >= length, rest)
        if b"connection: close" in head.lower():
            self.close()
        return head, body

    def _receive(self, is_enough: Callable[[bytes | bytearray], bool], got: bytes) -> bytes:
        assert self._socket is not None
        if is_enough(got):
            return got
        whole = bytearray(got)
        while not is_enough(whole):
            piece = self._socket.recv(CHUNK_BYTES)
            if not piece:
                raise ConnectionError("the server hung up")
            whole += piece
        return bytes(whole)


@contextmanager
def crawling(url: str) -> Iterator[Crawler]:
    """Give a crawler that hangs up when the block ends."""
    crawler = Crawler(url)
    try:
        yield crawler
    finally:
        crawler.close()


@dataclass(frozen=True, slots=True)
class Visited:
    """What some pages of one kind took: the server's CPU a page, waiting, bytes, and the validators given."""

    pages: int
    cpu_ms: float
    wall_seconds: float
    seconds: list[float]  # of each, in no order
    body_bytes: float
    tags: list[str] = field(default_factory=list)

    def percentile_ms(self, share: float) -> float:
        """Give the time within which this share of the answers came."""
        ordered = sorted(self.seconds)
        return ordered[min(len(ordered) - 1, int(len(ordered) * share))] * 1e3


def visit(
    crawler: Crawler,
    paths: Sequence[str],
    used: Callable[[], process_tree.Used],
    *,
    tags: Sequence[str] = (),
    accept: str = PLAIN,
    holds: bytes = b"",
) -> Visited:
    """Ask for each address once, in turn; with `tags` every answer must be a 304, without them a page."""
    wanted = 304 if tags else 200
    before, started = used(), time.perf_counter()
    answers = [
        _checked(path, crawler.ask(path, tag=tag, accept=accept), wanted, holds)
        for path, tag in zip(paths, tags or [""] * len(paths), strict=True)
    ]
    wall, cpu = time.perf_counter() - started, used().cpu_seconds - before.cpu_seconds
    seconds, sizes, given = zip(*answers, strict=True)
    each = len(paths)
    return Visited(each, cpu * 1e3 / each, wall, list(seconds), sum(sizes) / each, list(given))


def _checked(path: str, answer: Answer, wanted: int, holds: bytes) -> tuple[float, int, str]:
    """Give what is kept of an answer: thousands of whole pages would be memory that others may need."""
    if answer.status != wanted:
        raise ContestantError(f"{path}: HTTP {answer.status}, not {wanted}")
    if holds not in answer.text:
        raise ContestantError(f"{path}: no {holds!r} in the answer")
    return answer.seconds, len(answer.body), answer.tag


def _header(head: bytes, name: bytes) -> str:
    _, found, rest = head.lower().partition(b"\r\n" + name + b":")
    # Values keep their case: a validator is given back letter by letter.
    return head[len(head) - len(rest) :].partition(b"\r\n")[0].strip().decode("latin-1") if found else ""
