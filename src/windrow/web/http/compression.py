"""Compression of responses with zstd or gzip, where the client accepts it and it helps."""

from __future__ import annotations

import threading
import zlib
from collections.abc import Callable, Iterator, Mapping
from typing import Protocol

import zstandard

from windrow.web.http.content_negotiation import best_encoding
from windrow.web.http.http_response import Response

MIN_COMPRESSED_BYTES = 1024
LEVEL = 1  # pages are small beside the network; each higher level costs more than it saves
_SAMPLED_FROM_BYTES = 32 * 1024
_SAMPLE_BYTES = 8 * 1024
_WORTHWHILE = 0.65  # base64 shrinks to three quarters, XML metadata to a fifth
_LARGE_BYTES = 512 * 1024
_KINDS = (b"text/", b"application/json", b"image/svg")
_local = threading.local()


async def compress_in_thread(response: Response, accept_encoding: bytes) -> None:
    """Compress a response in place, if the client accepts it and it becomes much smaller.

    A large one is compressed in a thread, so that other requests go on meanwhile.
    """
    if len(response.body) < _LARGE_BYTES:
        compress(response, accept_encoding)
    else:
        import asyncio  # noqa: PLC0415 - commands that only write compressed files have no loop, and start sooner

        await asyncio.to_thread(compress, response, accept_encoding)


def compress(response: Response, accept_encoding: bytes) -> None:
    """Compress a response in place in this thread, under the same conditions."""
    if len(response.body) < MIN_COMPRESSED_BYTES:
        return
    encoding = best_encoding(accept_encoding)
    if not encoding or not _is_text(response) or not _is_compressible(response.body):
        return
    response.body = (_compress_zstd if encoding == "zstd" else gzip)(response.body)
    response.headers.append((b"content-encoding", encoding.encode()))


def _is_text(response: Response) -> bool:
    return any(name == b"content-type" and value.startswith(_KINDS) for name, value in response.headers)


def _is_compressible(body: bytes) -> bool:
    """Return whether a sample of a long body compresses; an embedded file (base64) would not."""
    if len(body) < _SAMPLED_FROM_BYTES:
        return True
    start = (len(body) - _SAMPLE_BYTES) // 2
    sample = body[start : start + _SAMPLE_BYTES]
    return len(gzip(sample)) < _WORTHWHILE * len(sample)


def _compress_zstd(body: bytes) -> bytes:
    compressor = getattr(_local, "zstd", None)
    if compressor is None:  # one per thread: it keeps its tables and must not be used concurrently
        compressor = _local.zstd = zstandard.ZstdCompressor(level=LEVEL)
    packed: bytes = compressor.compress(body)
    return packed


def _compress_gzip(body: bytes) -> bytes:
    packer = zlib.compressobj(LEVEL, zlib.DEFLATED, 16 + zlib.MAX_WBITS)
    return packer.compress(body) + packer.flush()


def _fastest_gzip() -> Callable[[bytes], bytes]:
    try:
        from isal import igzip_lib  # noqa: PLC0415 - not on every machine
    except ImportError:
        return _compress_gzip

    def isal_gzip(body: bytes) -> bytes:
        packed: bytes = igzip_lib.compress(body, LEVEL, igzip_lib.COMP_GZIP)
        return packed

    return isal_gzip


gzip = _fastest_gzip()

# Streams are compressed at level 1: successive addresses in a list differ little anyway.

_STREAM_LEVEL = 1


class _Compressor(Protocol):
    def compress(self, data: bytes, /) -> bytes: ...

    def flush(self) -> bytes: ...


def _gzip_stream() -> _Compressor:
    return zlib.compressobj(_STREAM_LEVEL, zlib.DEFLATED, 16 + zlib.MAX_WBITS)


def _zstd_stream() -> _Compressor:
    packer: _Compressor = zstandard.ZstdCompressor(level=_STREAM_LEVEL).compressobj()
    return packer


_COMPRESSORS: Mapping[str, Callable[[], _Compressor]] = {"gzip": _gzip_stream, "zstd": _zstd_stream}


def compress_pieces(pieces: Iterator[bytes], encoding: str) -> Iterator[bytes]:
    packer = _COMPRESSORS[encoding]()
    for piece in pieces:
        some = packer.compress(piece)
        if some:
            yield some
    yield packer.flush()
