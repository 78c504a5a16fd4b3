"""Compressing a response on its way out, where the client can take it and it helps."""

from __future__ import annotations

import threading
import zlib
from collections.abc import Callable

import zstandard

from windrow.faces.shared.accepting import best_encoding
from windrow.faces.shared.response import Response

LEAST_BYTES = 1024
LEVEL = 1  # the page is small beside the network; every further level costs more than it saves
_SAMPLED_FROM = 32 * 1024
_SAMPLE_BYTES = 8 * 1024
_WORTHWHILE = 0.65  # base64 shrinks to three quarters, XML of metadata to a fifth
_LARGE_BYTES = 512 * 1024
_KINDS = (b"text/", b"application/json", b"image/svg")
_local = threading.local()


async def pack(response: Response, accept_encoding: bytes) -> None:
    """Compress a response in place, if the client takes it and it gets much smaller.

    A large one is compressed in a thread: other requests go on meanwhile.
    """
    if len(response.body) < _LARGE_BYTES:
        pack_now(response, accept_encoding)
    else:
        import asyncio  # noqa: PLC0415 - who only writes packed files has no loop, and starts sooner

        await asyncio.to_thread(pack_now, response, accept_encoding)


def pack_now(response: Response, accept_encoding: bytes) -> None:
    """Compress a response in place, where it stands, on the same terms."""
    if len(response.body) < LEAST_BYTES:
        return
    encoding = best_encoding(accept_encoding)
    if not encoding or not _is_text(response) or not _shrinks(response.body):
        return
    response.body = (_zstd if encoding == "zstd" else gzip)(response.body)
    response.headers.append((b"content-encoding", encoding.encode()))


def _is_text(response: Response) -> bool:
    return any(name == b"content-type" and value.startswith(_KINDS) for name, value in response.headers)


def _shrinks(body: bytes) -> bool:
    """Try a piece from the middle of a long body, where a file by value would be."""
    if len(body) < _SAMPLED_FROM:
        return True
    start = (len(body) - _SAMPLE_BYTES) // 2
    sample = body[start : start + _SAMPLE_BYTES]
    return len(gzip(sample)) < _WORTHWHILE * len(sample)


def _zstd(body: bytes) -> bytes:
    compressor = getattr(_local, "zstd", None)
    if compressor is None:  # one a thread: it keeps its tables, and must not be used twice at once
        compressor = _local.zstd = zstandard.ZstdCompressor(level=LEVEL)
    packed: bytes = compressor.compress(body)
    return packed


def _zlib_gzip(body: bytes) -> bytes:
    packer = zlib.compressobj(LEVEL, zlib.DEFLATED, 16 + zlib.MAX_WBITS)
    return packer.compress(body) + packer.flush()


def _fastest() -> Callable[[bytes], bytes]:
    try:
        from isal import igzip_lib  # noqa: PLC0415 - not on every machine
    except ImportError:
        return _zlib_gzip

    def isal_gzip(body: bytes) -> bytes:
        packed: bytes = igzip_lib.compress(body, LEVEL, igzip_lib.COMP_GZIP)
        return packed

    return isal_gzip


gzip = _fastest()
