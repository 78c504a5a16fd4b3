"""Content decoding (gzip, deflate, zstd …), by the header or, without one, by the magic number.

Output is counted while inflating, so a decompression bomb ends at the limit.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Protocol

import zstandard

from windrow.net.faults import Fault

GZIP_MAGIC = b"\x1f\x8b\x08"
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
MAX_LAYERS = 5
MAX_MEMBERS = 10_000  # gzip members or zstd frames: a block gzip of 256 MiB has 4,096
FEED_BYTES = 64 * 1024
ZSTD_FEED_BYTES = 1024  # four bytes can inflate to 128 KiB, so this much to 32 MiB at most
ZSTD_WINDOW_BYTES = 128 * 1024 * 1024

_TEXT_STARTS = (b"<", b"{", b"[", b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\x00<")
_UNREADABLE = frozenset({"br", "compress", "x-compress", "dcb", "dcz"})


class OverLimit(Exception):
    """The decoded body exceeds the limit."""


def decode(body: bytes, content_encoding: str | None, *, limit: int) -> bytes:
    """Return the decoded body; raises Fault if it is damaged or truncated.

    A plain body is accepted even if the header names an encoding: many servers send such headers.
    """
    codings = [word.strip().lower() for word in (content_encoding or "").split(",", MAX_LAYERS)]
    if len(codings) > MAX_LAYERS:
        raise Fault("the answer names too many content encodings", is_final=True)
    for coding in reversed(codings):  # listed in the order they were applied (RFC 9110 §8.4)
        body = _remove(coding, body, limit)
    for _ in range(MAX_LAYERS - len(codings)):
        if not body.startswith((GZIP_MAGIC, ZSTD_MAGIC)):
            break
        body = _remove("gzip" if body.startswith(GZIP_MAGIC) else "zstd", body, limit)
    return body


def _remove(coding: str, body: bytes, limit: int) -> bytes:
    if coding in {"gzip", "x-gzip"}:
        return _members(body, GZIP_MAGIC, _Deflated, limit)
    if coding == "zstd":
        return _members(body, ZSTD_MAGIC, _ZstdFrame, limit)
    if coding == "deflate":
        return _deflated(body, limit)
    if coding in _UNREADABLE and not _looks_plain(body):
        raise Fault(f"the answer is encoded as {coding}, which was not asked for", is_final=True)
    return body  # "identity", nothing, or no content coding, such as "utf-8"


def _looks_plain(body: bytes) -> bool:
    return body[:64].lstrip().startswith(_TEXT_STARTS)


class _Member(Protocol):
    """A decompressor that detects the end of its stream."""

    feed_bytes: int

    def inflate(self, data: memoryview, limit: int) -> bytes: ...

    @property
    def is_whole(self) -> bool: ...

    @property
    def unused(self) -> int: ...


class _Deflated:
    """One member of a gzip body, or one deflate stream."""

    feed_bytes = FEED_BYTES

    def __init__(self, window_bits: int = 16 + zlib.MAX_WBITS) -> None:
        self._inflater = zlib.decompressobj(window_bits)

    def inflate(self, data: memoryview, limit: int) -> bytes:
        try:
            return self._inflater.decompress(data, limit)
        except zlib.error as exc:
            raise Fault("the compressed answer is damaged") from exc

    @property
    def is_whole(self) -> bool:
        return self._inflater.eof

    @property
    def unused(self) -> int:
        return len(self._inflater.unused_data)


class _ZstdFrame:
    """One frame of a zstd body."""

    feed_bytes = ZSTD_FEED_BYTES

    def __init__(self) -> None:
        self._inflater = zstandard.ZstdDecompressor(max_window_size=ZSTD_WINDOW_BYTES).decompressobj()

    def inflate(self, data: memoryview, limit: int) -> bytes:  # noqa: ARG002 - the input is small, so the excess is too
        try:
            return self._inflater.decompress(data)
        except zstandard.ZstdError as exc:
            raise Fault("the compressed answer is damaged") from exc

    @property
    def is_whole(self) -> bool:
        return self._inflater.eof

    @property
    def unused(self) -> int:
        return len(self._inflater.unused_data)


class _Output:
    """The decoded parts, checked against the limit as they arrive."""

    def __init__(self, limit: int) -> None:
        self._parts: list[bytes] = []
        self.room = limit

    def add(self, part: bytes) -> None:
        self.room -= len(part)
        if self.room < 0:
            raise OverLimit
        self._parts.append(part)

    def whole(self) -> bytes:
        return self._parts[0] if len(self._parts) == 1 else b"".join(self._parts)


def _members(body: bytes, magic: bytes, make: Callable[[], _Member], limit: int) -> bytes:
    """Inflate all members; padding after the last is ignored."""
    if not body.startswith(magic):
        if body and magic.startswith(body):
            raise Fault("the compressed answer is cut short")
        return body
    output = _Output(limit)
    position = 0
    for _ in range(MAX_MEMBERS):
        position = _inflate(make(), body, position, output)
        if not body.startswith(magic, position):
            return output.whole()
    raise Fault(f"the compressed answer has more than {MAX_MEMBERS} parts", is_final=True)


def _inflate(member: _Member, body: bytes, position: int, output: _Output) -> int:
    """Inflate the member at `position` and return where it ends.

    It is fed in pieces because the input behind a member is copied: for many small members in one long body,
    the cost would otherwise be quadratic.
    """
    view = memoryview(body)
    while not member.is_whole:
        piece = view[position : position + member.feed_bytes]
        if not piece:
            raise Fault("the compressed answer is cut short")
        output.add(member.inflate(piece, output.room + 1))
        position += len(piece)
    return position - member.unused


def _deflated(body: bytes, limit: int) -> bytes:
    """Inflate "deflate": zlib according to the specification, raw deflate from some servers."""
    if not body:
        return body
    try:
        return _stream(body, zlib.MAX_WBITS, limit)
    except Fault as fault:
        try:
            return _stream(body, -zlib.MAX_WBITS, limit)
        except Fault:
            if _looks_plain(body):
                return body
            raise fault from None


def _stream(body: bytes, window_bits: int, limit: int) -> bytes:
    output = _Output(limit)
    _inflate(_Deflated(window_bits), body, 0, output)
    return output.whole()
