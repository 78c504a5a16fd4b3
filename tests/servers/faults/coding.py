"""Faults of content coding: compressed without saying so, said without doing so, compressed to do harm."""

from __future__ import annotations

import gzip
import zlib
from dataclasses import dataclass, replace

import zstandard

from tests.servers.fault import Fault, Occasional
from tests.servers.http import Reply, Request

_MEGABYTE = 1 << 20


def _coded(reply: Reply, body: bytes, coding: str | None) -> Reply:
    headers = reply.headers if coding is None else {**reply.headers, "Content-Encoding": coding}
    return replace(reply, body=body, headers=headers)


@dataclass
class Gzip(Fault):
    """gzip whether asked for or not; unless `is_told`, without a word of it."""

    is_told: bool = True

    def deliver(self, reply: Reply, request: Request) -> Reply:
        return _coded(reply, gzip.compress(reply.body), "gzip" if self.is_told else None)


@dataclass
class GzipInNameOnly(Fault):
    """Says gzip; the body is plain."""

    def deliver(self, reply: Reply, request: Request) -> Reply:
        return _coded(reply, reply.body, "gzip")


@dataclass
class BrokenGzip(Occasional):
    """A gzip stream that ends too early, with the right Content-Length."""

    def deliver(self, reply: Reply, request: Request) -> Reply:
        zipped = gzip.compress(reply.body)
        return _coded(reply, zipped[: len(zipped) // 2], "gzip") if self.strikes(request) else reply


@dataclass
class Deflate(Fault):
    """Content-Encoding: deflate, with the zlib wrapper as RFC 9110 says, or raw as some servers do."""

    is_raw: bool = False

    def deliver(self, reply: Reply, request: Request) -> Reply:
        coder = zlib.compressobj(wbits=-15 if self.is_raw else 15)
        return _coded(reply, coder.compress(reply.body) + coder.flush(), "deflate")


@dataclass
class Zstd(Fault):
    """zstd whether asked for or not; unless `is_told`, without a word of it."""

    is_told: bool = True

    def deliver(self, reply: Reply, request: Request) -> Reply:
        zipped = zstandard.ZstdCompressor().compress(reply.body)
        return _coded(reply, zipped, "zstd" if self.is_told else None)


@dataclass
class GzipBomb(Occasional):
    """A few kilobytes that become `megabytes` of white space behind the answer's last tag."""

    megabytes: int = 200

    def deliver(self, reply: Reply, request: Request) -> Reply:
        if not self.strikes(request):
            return reply
        coder = zlib.compressobj(9, zlib.DEFLATED, 31)
        parts = [coder.compress(reply.body)]
        parts += [coder.compress(b" " * _MEGABYTE) for _ in range(self.megabytes)]
        return _coded(reply, b"".join(parts) + coder.flush(), "gzip")
