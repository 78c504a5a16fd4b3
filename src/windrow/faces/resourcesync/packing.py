"""Compressing a list while it is sent: an address in it says little that the one before did not."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping
from typing import Protocol

import zstandard

_LEVEL = 1


class _Packer(Protocol):
    def compress(self, data: bytes, /) -> bytes: ...

    def flush(self) -> bytes: ...


def _gzip() -> _Packer:
    return zlib.compressobj(_LEVEL, zlib.DEFLATED, 16 + zlib.MAX_WBITS)


def _zstd() -> _Packer:
    packer: _Packer = zstandard.ZstdCompressor(level=_LEVEL).compressobj()
    return packer


_PACKERS: Mapping[str, Callable[[], _Packer]] = {"gzip": _gzip, "zstd": _zstd}


def packed(pieces: Iterator[bytes], encoding: str) -> Iterator[bytes]:
    """Give pieces compressed."""
    packer = _PACKERS[encoding]()
    for piece in pieces:
        some = packer.compress(piece)
        if some:
            yield some
    yield packer.flush()
